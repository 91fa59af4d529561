//! The inbox: what the outside tells us is stored once, as it came, together with the operation that deals with it.
//! Nothing is done about it here, so whoever delivers is answered as soon as it is safe.

use std::sync::Arc;

use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};
use smol_str::SmolStr;

use crate::kernel::{Command, Facts, Halt, Invalid, Reads, Stop, Timestamp, refusals};

use super::{
    DeadLetter, Enqueued, ExternalId, InboxEvent, InboxKey, InboxName, InboxSecret, NewOperation, Operation,
    OperationInvalid, OperationKey, OperationsEvent, Outcome, Payload, PreviousSecret, SigningSecret, SourceName,
    enqueue,
};

pub const INBOX_BODY_BYTES_MAX: usize = 256 << 10;
pub const CONTENT_TYPE_BYTES_MAX: usize = 200;
/// A replaced secret stays good long enough to be changed at the other end, and not for ever.
pub const INBOX_OVERLAP_SECS_MAX: i64 = 30 * 86_400;

refusals! {
    pub enum InboxRefusal {
        /// Another event asked for the same operation with other content.
        OperationConflict { operation: OperationKey }
            = (Invalid, "operation-conflict", "The operation exists with other content")
            "operation {operation} exists with other content";
    }
}

/// Stores an event and asks for the operation that deals with it. The event's id is the identity of the request: a
/// repeat changes nothing, whatever it says, and is told how the operation stands.
///
/// Refuses: the operation exists with other content. Then the event is not stored either.
#[derive(Clone, Debug)]
pub struct ReceiveEvent {
    key: InboxKey,
    content_type: Option<SmolStr>,
    body: Arc<[u8]>,
    body_hash: [u8; 32],
    operation: NewOperation,
}

impl ReceiveEvent {
    pub fn new(
        source: SourceName,
        external_id: ExternalId,
        content_type: Option<&str>,
        body: &[u8],
        operation: NewOperation,
    ) -> Result<ReceiveEvent, Invalid> {
        if body.len() > INBOX_BODY_BYTES_MAX {
            return Err(OperationInvalid::BodyTooLong { bytes: body.len(), bytes_max: INBOX_BODY_BYTES_MAX }.into());
        }
        let too_long = content_type.filter(|text| text.len() > CONTENT_TYPE_BYTES_MAX);
        if let Some(text) = too_long {
            let what = "the content type".to_owned();
            return Err(Invalid::NameTooLong { what, bytes: text.len(), bytes_max: CONTENT_TYPE_BYTES_MAX });
        }
        Ok(ReceiveEvent {
            key: InboxKey { source, external_id },
            content_type: content_type.map(SmolStr::new),
            body: body.into(),
            body_hash: Sha256::digest(body).into(),
            operation,
        })
    }

    pub fn external_id(&self) -> &ExternalId {
        &self.key.external_id
    }
}

/// What became of an event.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Received {
    /// This delivery was the first.
    pub stored: bool,
    /// A repeat that says something else than the first delivery did. What it says is not kept.
    pub body_differs: bool,
    /// Of the event as it was stored.
    pub operation: OperationKey,
    pub enqueued: Enqueued,
}

impl Command for ReceiveEvent {
    const NAME: &'static str = "receive_event";
    type Reply = Received;
    type Refusal = InboxRefusal;

    fn reads(&self, reads: &mut Reads<'_>) {
        // Repeats are common, so it is looked up and not assumed to be new.
        reads.record::<InboxEvent>(&self.key);
        reads.expect_absent::<Operation>(&self.operation.key);
    }

    fn decide(&self, facts: &mut Facts) -> Result<Received, Stop<InboxRefusal>> {
        if let Some(known) = facts.get::<InboxEvent>(&self.key)? {
            let (operation, body_differs) = (known.operation.clone(), known.body_hash != self.body_hash);
            let enqueued = standing(facts, &operation)?;
            facts.mark_replayed();
            return Ok(Received { stored: false, body_differs, operation, enqueued });
        }
        let enqueued = enqueue(facts, &self.operation)?;
        let operation = self.operation.key.clone();
        if enqueued == Enqueued::Conflict {
            return Err(InboxRefusal::OperationConflict { operation }.into());
        }
        let received_at = facts.now();
        facts.insert(InboxEvent {
            key: self.key.clone(),
            content_type: self.content_type.clone(),
            body: Arc::clone(&self.body),
            body_hash: self.body_hash,
            received_at,
            operation: operation.clone(),
            version: 0,
        });
        let InboxKey { source, external_id } = self.key.clone();
        let (source, external_id) = (source.into(), external_id.into());
        facts.emit(&OperationsEvent::InboxReceived { source, external_id, operation: (&operation).into() }.into());
        Ok(Received { stored: true, body_differs: false, operation, enqueued })
    }
}

/// How the operation of a stored event stands, in the words of who asks for it again.
fn standing(facts: &mut Facts, key: &OperationKey) -> Result<Enqueued, Halt> {
    let operation = facts.get::<Operation>(key)?.expect("an event is stored together with its operation");
    Ok(match operation.outcome {
        None => Enqueued::Joined,
        Some(Outcome::Succeeded) => {
            Enqueued::AlreadyDone { result: operation.result.clone().unwrap_or_else(Payload::null) }
        }
        Some(Outcome::DeadLetter) => {
            let dead = facts.get::<DeadLetter>(key)?.expect("a dead operation has a dead letter");
            Enqueued::Dead { code: dead.code.clone(), error: dead.error.clone() }
        }
    })
}

/// An inbox without its secrets.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Inbox {
    pub name: InboxName,
    pub created_at: Timestamp,
    /// When the present secret was set.
    pub rotated_at: Timestamp,
    /// Until when the secret before it is believed too.
    pub previous_until: Option<Timestamp>,
    /// One more with every change.
    pub version: i64,
}

impl From<&InboxSecret> for Inbox {
    fn from(inbox: &InboxSecret) -> Inbox {
        Inbox {
            name: inbox.name.clone(),
            created_at: inbox.created_at,
            rotated_at: inbox.rotated_at,
            previous_until: inbox.previous.as_ref().map(|previous| previous.until),
            version: inbox.version,
        }
    }
}

/// Makes an inbox or replaces its secret; the one before is believed for a while. A repeat with the secret that is
/// there changes nothing. Refuses nothing.
#[derive(Clone, Debug)]
pub struct PutInbox {
    name: InboxName,
    secret: SigningSecret,
    overlap_secs: i64,
}

impl PutInbox {
    pub fn new(name: InboxName, secret: SigningSecret, overlap_secs: i64) -> Result<PutInbox, Invalid> {
        if !(0..=INBOX_OVERLAP_SECS_MAX).contains(&overlap_secs) {
            let what = "overlap_secs".to_owned();
            return Err(Invalid::Units { what, units: overlap_secs, units_min: 0, units_max: INBOX_OVERLAP_SECS_MAX });
        }
        Ok(PutInbox { name, secret, overlap_secs })
    }
}

impl Command for PutInbox {
    const NAME: &'static str = "put_inbox";
    type Reply = Inbox;
    type Refusal = InboxRefusal;

    fn reads(&self, reads: &mut Reads<'_>) {
        reads.record::<InboxSecret>(&self.name);
    }

    fn decide(&self, facts: &mut Facts) -> Result<Inbox, Stop<InboxRefusal>> {
        let now = facts.now();
        let Some(known) = facts.get::<InboxSecret>(&self.name)? else {
            let (name, secret) = (self.name.clone(), self.secret.clone());
            let made = InboxSecret { name, secret, previous: None, created_at: now, rotated_at: now, version: 0 };
            return Ok(Inbox::from(facts.insert(made)));
        };
        if known.secret == self.secret {
            let inbox = Inbox::from(known);
            facts.mark_replayed();
            return Ok(inbox);
        }
        let inbox = facts.get_mut::<InboxSecret>(&self.name)?.expect("just read");
        let before = std::mem::replace(&mut inbox.secret, self.secret.clone());
        let until = now.plus_secs(self.overlap_secs);
        inbox.previous = (self.overlap_secs > 0).then_some(PreviousSecret { secret: before, until });
        inbox.rotated_at = now;
        Ok(Inbox::from(&*inbox))
    }
}

/// From now on nobody is believed there. What was received stays. A repeat changes nothing; refuses nothing.
#[derive(Clone, Debug)]
pub struct RemoveInbox {
    pub name: InboxName,
}

impl Command for RemoveInbox {
    const NAME: &'static str = "remove_inbox";
    type Reply = ();
    type Refusal = InboxRefusal;

    fn reads(&self, reads: &mut Reads<'_>) {
        reads.record::<InboxSecret>(&self.name);
    }

    fn decide(&self, facts: &mut Facts) -> Result<(), Stop<InboxRefusal>> {
        if facts.get::<InboxSecret>(&self.name)?.is_some() {
            facts.remove::<InboxSecret>(&self.name);
        } else {
            facts.mark_replayed();
        }
        Ok(())
    }
}
