//! What arrives from outside, on the wire.

use serde::{Deserialize, Serialize};
use surehold_core::kernel::{HoldId, Timestamp};
use surehold_core::operations::{self, Enqueued, InboxName, Received};

use crate::describe::{ToSchema, wire};
use crate::{OperationName, described};

/// The parameters of the task `expire-hold`.
#[wire]
#[schema(example = json!({"hold": "019a8d1e-6f00-7000-8000-000000000001"}))]
pub struct ExpireHoldTask {
    pub hold: HoldId,
}

/// What became of a task or a webhook.
#[wire]
pub struct Delivered {
    /// This delivery was the first, and is kept.
    pub stored: bool,
    /// An earlier delivery had the same id; nothing was changed.
    pub replayed: bool,
    /// The repeat says something else than the first delivery did, which counts.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub body_differs: bool,
    pub operation: OperationName,
    pub outcome: DeliveryOutcome,
}

#[wire(Copy, PartialEq, Eq)]
#[serde(rename_all = "snake_case")]
pub enum DeliveryOutcome {
    /// The operation was asked for.
    Enqueued,
    /// It was asked for before, and is not done yet.
    Joined,
    AlreadyDone,
    /// It was given up; somebody has to look at it.
    Dead,
}

impl Delivered {
    pub fn new(received: Received, replayed: bool) -> Delivered {
        let Received { stored, body_differs, operation, enqueued } = received;
        let outcome = match enqueued {
            Enqueued::Enqueued => DeliveryOutcome::Enqueued,
            Enqueued::Joined => DeliveryOutcome::Joined,
            Enqueued::AlreadyDone { .. } => DeliveryOutcome::AlreadyDone,
            Enqueued::Dead { .. } => DeliveryOutcome::Dead,
            Enqueued::Conflict => unreachable!("a conflict is refused"),
        };
        let operation = OperationName { r#type: operation.kind.to_string(), key: operation.key.to_string() };
        Delivered { stored, replayed, body_differs, operation, outcome }
    }
}

#[derive(Clone, Serialize, Deserialize, ToSchema)]
#[serde(default)]
#[schema(example = json!({"secret": "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw", "overlap_secs": 86_400}))]
pub struct PutInbox {
    /// The sender's secret, `whsec_` and base64 of 24 to 64 bytes; left out, one is made. With a secret the request is
    /// safe to repeat.
    #[schema(value_type = Option<described::SigningSecret>)]
    pub secret: Option<String>,
    /// How long the secret before stays good.
    #[schema(minimum = 0, maximum = 2_592_000, default = 86_400)]
    pub overlap_secs: i64,
}

impl Default for PutInbox {
    fn default() -> PutInbox {
        PutInbox { secret: None, overlap_secs: 86_400 }
    }
}

impl std::fmt::Debug for PutInbox {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "PutInbox(.., overlap_secs: {})", self.overlap_secs)
    }
}

/// An inbox without its secrets.
#[wire]
pub struct Inbox {
    #[schema(example = "orders")]
    pub name: InboxName,
    /// Where the sender posts to, on this server.
    #[schema(example = "/webhooks/standard/casa-azul/orders")]
    pub address: String,
    pub created_at: Timestamp,
    /// When the present secret was set.
    pub rotated_at: Timestamp,
    /// Until when the secret before it is good too.
    pub previous_until: Option<Timestamp>,
}

impl Inbox {
    pub fn new(inbox: operations::Inbox, address: String) -> Inbox {
        let operations::Inbox { name, created_at, rotated_at, previous_until, version: _ } = inbox;
        Inbox { name, address, created_at, rotated_at, previous_until }
    }
}

/// An inbox, and the secret that was made for it: shown this once.
#[derive(Clone, Serialize, Deserialize, ToSchema)]
pub struct ShownInbox {
    /// Absent if the caller chose the secret.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(example = "whsec_…")]
    pub secret: Option<String>,
    #[serde(flatten)]
    pub about: Inbox,
}

impl std::fmt::Debug for ShownInbox {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "ShownInbox({:?})", self.about)
    }
}

#[wire]
pub struct InboxPage {
    /// In the order of their names.
    pub inboxes: Vec<Inbox>,
}
