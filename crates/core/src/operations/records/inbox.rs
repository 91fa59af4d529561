//! What the outside told us, as it came, and who may speak.

use std::sync::Arc;

use smol_str::SmolStr;

use crate::kernel::{Columnar, Record, Timestamp};
use crate::operations::{ExternalId, InboxName, OperationKey, PreviousSecret, SigningSecret, SourceName};

use super::secret::secrets_at;

/// The identity of an event: every delivery of it has the same.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Columnar)]
pub struct InboxKey {
    pub source: SourceName,
    pub external_id: ExternalId,
}

/// An event as it was first received. Never changed.
#[derive(Clone, Debug, PartialEq, Eq, Record)]
#[record(table = "inbox_events", fixed)]
pub struct InboxEvent {
    #[column(key)]
    pub key: InboxKey,
    pub content_type: Option<SmolStr>,
    pub body: Arc<[u8]>,
    pub body_hash: [u8; 32],
    pub received_at: Timestamp,
    /// What deals with it.
    pub operation: OperationKey,
    pub version: i64,
}

/// Who may speak to an inbox. No column but the name is fixed: an inbox may be removed and made again within one batch.
#[derive(Clone, Debug, PartialEq, Eq, Record)]
#[record(table = "inbox_secrets")]
pub struct InboxSecret {
    #[column(key)]
    pub name: InboxName,
    pub secret: SigningSecret,
    #[column(name = "previous_secret", name = "previous_until")]
    pub previous: Option<PreviousSecret>,
    pub created_at: Timestamp,
    pub rotated_at: Timestamp,
    pub version: i64,
}

impl InboxSecret {
    /// The secrets that are believed at `now`, the present one first.
    pub fn believed(&self, now: Timestamp) -> impl Iterator<Item = &SigningSecret> {
        secrets_at(&self.secret, self.previous.as_ref(), now)
    }
}
