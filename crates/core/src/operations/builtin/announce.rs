//! `ANNOUNCE`: says something on a topic to everybody who listens to the tenant's events. Asked for by schedules.

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};

use crate::kernel::{Facts, Invalid, Stop, check_text};
use crate::operations::schedules::SCHEDULED_KEY;
use crate::operations::{
    Mode, Nature, Operation, OperationInvalid, OperationType, OperationsEvent, Payload, Priority, RetryPolicy,
    StateHandler, Trouble,
};

const TOPIC_BYTES_MAX: usize = 200;
const DATA_BYTES_MAX: usize = 16 * 1024;

pub static ANNOUNCE: OperationType = OperationType {
    name: "ANNOUNCE",
    key: SCHEDULED_KEY,
    mode: Mode::Once,
    priority: Priority::Normal,
    retry: RetryPolicy::exponential(10, 1_000, 2, 60_000),
    deadline_secs: 30,
    stuck_after_secs: 3_600,
    recheck_secs: 30,
    running_max: 1_000,
    nature: Nature::State,
};

#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Announcement {
    topic: String,
    #[serde(default)]
    data: Map<String, Value>,
}

fn read(payload: &Payload) -> Result<(Announcement, String), Invalid> {
    let not_one = |reason: String| OperationInvalid::Payload { kind: ANNOUNCE.name.to_owned(), reason };
    let said: Announcement = payload.read().map_err(|error| not_one(error.to_string()))?;
    check_text("the topic", &said.topic, TOPIC_BYTES_MAX)?;
    let data = Value::Object(said.data.clone()).to_string();
    if data.len() > DATA_BYTES_MAX {
        let what = "the data".to_owned();
        return Err(Invalid::NameTooLong { what, bytes: data.len(), bytes_max: DATA_BYTES_MAX });
    }
    Ok((said, data))
}

#[derive(Debug)]
pub struct Announce;

impl StateHandler for Announce {
    fn kind(&self) -> &'static OperationType {
        &ANNOUNCE
    }

    fn check(&self, payload: &Payload) -> Result<(), Invalid> {
        read(payload).map(drop)
    }

    fn run(&self, operation: &Operation, facts: &mut Facts) -> Result<Payload, Stop<Trouble>> {
        let (said, data) =
            read(&operation.payload).map_err(|invalid| Trouble::permanent("malformed", invalid.to_string()))?;
        let topic = said.topic.into();
        facts.emit(&OperationsEvent::Announced { topic, data: data.into() }.into());
        Ok(Payload::of(&json!({})))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_can_be_announced() {
        let check = |payload: Value, expected: &str| {
            let checked = Announce.check(&Payload::new(&payload).unwrap());
            let told = checked.map_or_else(|invalid| invalid.to_string(), |()| "ok".to_owned());
            assert!(told.contains(expected), "{payload}: {told}");
        };
        check(json!({"topic": "night-audit"}), "ok");
        check(json!({"topic": "night-audit", "data": {"deep": [{"er": null}]}}), "ok");
        check(json!({"topic": "t", "data": {"x": "y".repeat(16 * 1024 - 8)}}), "ok");
        check(json!({"topic": "t", "data": {"x": "y".repeat(16 * 1024 - 7)}}), "the data has 16385 bytes");
        check(json!({"topic": ""}), "the topic must not be empty");
        check(json!({"topic": "a\nb"}), "control character");
        check(json!({"data": {}}), "missing field `topic`");
        check(json!({"topic": "t", "data": [1]}), "expected a map");
        check(json!({"topic": "t", "more": 1}), "unknown field `more`");
        check(json!(null), "not one of ANNOUNCE");
    }
}
