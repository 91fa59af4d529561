//! `POST_DOCUMENT`: posts a long document part by part, also one that reverses another. Each part is one operation, which
//! asks for the next: however often it is run, a part is posted once.

use serde::{Deserialize, Serialize};
use serde_json::json;

use super::commands::{Mode, finish_document, post_part, reverse_part};
use super::post::change_books;
use super::{DocumentId, DocumentKind, DocumentPart, DocumentState, PartKey, StockDocument, StockEvent, StockRefusal};
use crate::kernel::{Facts, Stop};
use crate::operations::{
    Correlation, Mode as OperationMode, Nature, NewOperation, Operation, OperationType, Payload, Priority, RetryPolicy,
    StateHandler, Trouble, enqueue,
};

pub static POST_DOCUMENT: OperationType = OperationType {
    name: "POST_DOCUMENT",
    key: &["documentId", "partNumber"],
    mode: OperationMode::Once,
    priority: Priority::Bulk,
    retry: RetryPolicy::exponential(10, 1_000, 2, 60_000),
    deadline_secs: 30,
    stuck_after_secs: 3_600,
    recheck_secs: 30,
    running_max: 100,
    nature: Nature::State,
};

pub static TYPES: [&OperationType; 1] = [&POST_DOCUMENT];

#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Part {
    document: DocumentId,
    part: u32,
}

/// The operation that posts this part, and asks for those behind it.
pub(super) fn post_document(part: PartKey) -> NewOperation {
    let (document, number) = (part.document.to_string(), part.number.to_string());
    let key = POST_DOCUMENT.key(&[&document, &number]).expect("an id and a number are a short key");
    let payload = Payload::of(&Part { document: part.document, part: part.number });
    let correlations = vec![Correlation { kind: "document".into(), value: document.as_str().into() }];
    NewOperation { correlations, ..NewOperation::new(&POST_DOCUMENT, key, payload) }
}

#[derive(Debug)]
pub struct PostDocumentPart;

impl StateHandler for PostDocumentPart {
    fn kind(&self) -> &'static OperationType {
        &POST_DOCUMENT
    }

    fn run(&self, operation: &Operation, facts: &mut Facts) -> Result<Payload, Stop<Trouble>> {
        let Part { document, part } =
            operation.payload.read().map_err(|error| Trouble::permanent("malformed", error.to_string()))?;
        post_next(facts, PartKey { document, number: part }).map_err(|stop| match stop {
            Stop::Halted(halt) => Stop::Halted(halt),
            // Lines are left out one by one; what is refused for the document as a whole was looked at before.
            Stop::Refused(refusal) => Stop::Refused(Trouble::permanent("refused", refusal.to_string())),
        })
    }
}

fn post_next(facts: &mut Facts, key: PartKey) -> Result<Payload, Stop<StockRefusal>> {
    let (document, part) = (facts.require::<StockDocument>([&key.document]), facts.require::<DocumentPart>([&key]));
    document.and(part)?;
    let missing = StockRefusal::DocumentNotFound { document: key.document };
    let document = facts.get::<StockDocument>(&key.document)?.ok_or(missing)?.clone();
    let part = facts.get::<DocumentPart>(&key)?.cloned();
    let part = part.ok_or(StockRefusal::PartMissing { document: key.document, part: key.number })?;
    if part.posted || document.state != DocumentState::Posting {
        return Ok(Payload::of(&json!({ "posted": "before" })));
    }
    // Without a time of its own, what comes late takes effect late: nothing has to be worked out anew.
    let effective_at = document.header.effective_at.unwrap_or(facts.now());
    let outcomes = if document.header.kind == DocumentKind::Reversal {
        reverse_part(facts, &document, &part, effective_at)?
    } else {
        post_part(facts, &document, &part, effective_at, Mode::One)?
    };
    let skipped = outcomes.iter().filter(|outcome| outcome.skipped.is_some()).count();
    let (lines, skipped) = (number(outcomes.len()), number(skipped));
    facts.emit(&StockEvent::PartPosted { document: key.document, part: key.number, lines, skipped }.into());
    let next = key.number.strict_add(1);
    if next < document.parts {
        enqueue(facts, &post_document(PartKey { number: next, ..key }))?;
    } else {
        finish_document(facts, key.document, effective_at)?;
        change_books(facts, |books| books.posting = books.posting.strict_sub(1))?;
    }
    Ok(Payload::of(&json!({ "lines": lines, "skipped": skipped })))
}

fn number(count: usize) -> u32 {
    u32::try_from(count).expect("a part has few lines")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::operations::lint;

    #[test]
    fn the_types_are_sound() {
        assert_eq!(lint(&TYPES), Vec::<String>::new());
    }
}
