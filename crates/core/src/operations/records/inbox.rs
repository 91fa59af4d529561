//! What the outside told us, as it came, and the secrets by which we know who speaks.

use std::sync::Arc;

use smol_str::SmolStr;

use crate::kernel::{Columnar, Invalid, Record, Timestamp, bytes_column};
use crate::operations::{ExternalId, InboxName, OperationInvalid, OperationKey, SourceName};

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

const SECRET_BYTES_MIN: usize = 24;
const SECRET_BYTES_MAX: usize = 64;

/// The key of a symmetric signature. Kept as it is, because verifying needs it; never printed.
#[derive(Clone, PartialEq, Eq)]
pub struct SigningSecret(Vec<u8>);

impl SigningSecret {
    /// Both bounds are those of the Standard Webhooks specification.
    pub fn new(bytes: &[u8]) -> Result<SigningSecret, Invalid> {
        if !(SECRET_BYTES_MIN..=SECRET_BYTES_MAX).contains(&bytes.len()) {
            let (bytes_min, bytes_max) = (SECRET_BYTES_MIN, SECRET_BYTES_MAX);
            return Err(OperationInvalid::SecretLength { bytes: bytes.len(), bytes_min, bytes_max }.into());
        }
        Ok(SigningSecret(bytes.to_vec()))
    }

    pub fn expose(&self) -> &[u8] {
        &self.0
    }
}

bytes_column!(SigningSecret, SigningSecret::expose, SigningSecret::new);

impl std::fmt::Debug for SigningSecret {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("SigningSecret(..)")
    }
}

/// A secret that was replaced and is believed for a while.
#[derive(Clone, Debug, PartialEq, Eq, Columnar)]
pub struct PreviousSecret {
    pub secret: SigningSecret,
    /// Half-open, like everything that ends.
    pub until: Timestamp,
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
        let previous = self.previous.as_ref().filter(|previous| now < previous.until);
        std::iter::once(&self.secret).chain(previous.map(|previous| &previous.secret))
    }
}
