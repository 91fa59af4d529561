//! `PROCESS_INBOX_EVENT`: tells everybody who follows the feed that a webhook came, and what it said if that is short
//! and JSON. What it means is not known here.

use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use smol_str::SmolStr;

use crate::kernel::{Facts, Invalid, Stop};
use crate::operations::{
    ExternalId, InboxEvent, InboxKey, InboxName, Mode, Nature, NewOperation, Operation, OperationType, OperationsEvent,
    Payload, Priority, RetryPolicy, SourceName, StateHandler, Trouble,
};

pub static PROCESS_INBOX_EVENT: OperationType = OperationType {
    name: "PROCESS_INBOX_EVENT",
    key: &["source", "inboxName", "externalId"],
    mode: Mode::Once,
    priority: Priority::Normal,
    retry: RetryPolicy::exponential(10, 1_000, 2, 60_000),
    deadline_secs: 30,
    stuck_after_secs: 3_600,
    recheck_secs: 30,
    running_max: 1_000,
    nature: Nature::State,
};

/// Standard Webhooks, whoever sends them.
pub const STANDARD_SOURCE: &str = "standard";

/// The journal is read by many: beyond this the event names its id only.
pub const ANNOUNCED_BYTES_MAX: usize = 16 << 10;
/// Readers of the feed put the data into something else, and parsers stop at a depth of 128.
const ANNOUNCED_DEPTH_MAX: usize = 64;

#[derive(Clone, Debug, Serialize, Deserialize)]
struct Arrival {
    source: SourceName,
    inbox: InboxName,
    external_id: ExternalId,
}

/// Ids are unique within an inbox: two senders may use the same.
pub fn standard_source(inbox: &InboxName) -> Result<SourceName, Invalid> {
    SourceName::new(&format!("{STANDARD_SOURCE}/{inbox}"))
}

/// The operation that announces an event of this inbox.
pub fn process_inbox_event(inbox: &InboxName, external_id: &ExternalId) -> Result<NewOperation, Invalid> {
    let key = PROCESS_INBOX_EVENT.key(&[STANDARD_SOURCE, inbox.as_str(), external_id.as_str()])?;
    let source = standard_source(inbox)?;
    let payload = Payload::of(&Arrival { source, inbox: inbox.clone(), external_id: external_id.clone() });
    Ok(NewOperation::new(&PROCESS_INBOX_EVENT, key, payload))
}

#[derive(Debug)]
pub struct ProcessInboxEvent;

impl StateHandler for ProcessInboxEvent {
    fn kind(&self) -> &'static OperationType {
        &PROCESS_INBOX_EVENT
    }

    fn run(&self, operation: &Operation, facts: &mut Facts) -> Result<Payload, Stop<Trouble>> {
        let Arrival { source, inbox, external_id } =
            operation.payload.read().map_err(|error| Trouble::permanent("malformed", error.to_string()))?;
        let key = InboxKey { source, external_id };
        let Some(event) = facts.get::<InboxEvent>(&key)? else {
            return Err(Trouble::permanent("event-not-found", format!("there is no event {}", key.external_id)).into());
        };
        let (data, whole) = match announceable(&event.body) {
            Some(text) => (text, true),
            None => (json!({ "external_id": key.external_id }).to_string().into(), false),
        };
        let topic: SmolStr = format!("inbox.{inbox}").into();
        facts.emit(&OperationsEvent::Announced { topic: topic.clone(), data }.into());
        Ok(Payload::of(&json!({ "topic": topic, "with_data": whole })))
    }
}

/// The body, if it is JSON that everybody can read.
fn announceable(body: &[u8]) -> Option<SmolStr> {
    if body.len() > ANNOUNCED_BYTES_MAX {
        return None;
    }
    let value: Value = serde_json::from_slice(body).ok()?;
    let text = value.to_string();
    (is_flat(&value, ANNOUNCED_DEPTH_MAX) && text.len() <= ANNOUNCED_BYTES_MAX).then(|| text.into())
}

fn is_flat(value: &Value, levels: usize) -> bool {
    let Some(below) = levels.checked_sub(1) else { return false };
    match value {
        Value::Array(items) => items.iter().all(|item| is_flat(item, below)),
        Value::Object(members) => members.values().all(|member| is_flat(member, below)),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => true,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_announced_whole() {
        let check = |name: &str, body: &[u8], expected: Option<&str>| {
            assert_eq!(announceable(body).as_deref(), expected, "{name}");
        };
        let nested = |levels: usize| format!("{}{}", "[".repeat(levels), "]".repeat(levels));
        let long = |bytes: usize| format!("\"{}\"", "x".repeat(bytes.saturating_sub(2)));
        check("an object", br#" {"b":1, "a":[null]} "#, Some(r#"{"a":[null],"b":1}"#));
        check("a number", b"17", Some("17"));
        check("nothing", b"", None);
        check("not JSON", b"a=1&b=2", None);
        check("two values", b"{} {}", None);
        check("not text", &[b'"', 0xff, b'"'], None);
        check("deep", nested(64).as_bytes(), Some(&nested(64)));
        check("too deep", nested(65).as_bytes(), None);
        check("deeper than parsers go", nested(10_000).as_bytes(), None);
        check("long", long(ANNOUNCED_BYTES_MAX).as_bytes(), Some(&long(ANNOUNCED_BYTES_MAX)));
        check("too long", long(ANNOUNCED_BYTES_MAX.saturating_add(1)).as_bytes(), None);
    }
}
