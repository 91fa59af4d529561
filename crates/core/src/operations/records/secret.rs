//! What signs messages, those that we believe and those that we send.

use std::fmt;
use std::sync::Arc;

use crate::kernel::{Columnar, Invalid, Timestamp, bytes_column};
use crate::operations::OperationInvalid;

const SECRET_BYTES_MIN: usize = 24;
const SECRET_BYTES_MAX: usize = 64;

/// The key of a symmetric signature. Kept as it is, because signing and verifying need it; never printed and never serialised.
#[derive(Clone, PartialEq, Eq)]
pub struct SigningSecret(Arc<[u8]>);

impl SigningSecret {
    /// Both bounds are those of the Standard Webhooks specification.
    pub fn new(bytes: &[u8]) -> Result<SigningSecret, Invalid> {
        if !(SECRET_BYTES_MIN..=SECRET_BYTES_MAX).contains(&bytes.len()) {
            let (bytes_min, bytes_max) = (SECRET_BYTES_MIN, SECRET_BYTES_MAX);
            return Err(OperationInvalid::SecretLength { bytes: bytes.len(), bytes_min, bytes_max }.into());
        }
        Ok(SigningSecret(bytes.into()))
    }

    /// For whoever signs or verifies, and for the one answer that shows it.
    pub fn expose(&self) -> &[u8] {
        &self.0
    }
}

bytes_column!(SigningSecret, SigningSecret::expose, SigningSecret::new);

impl fmt::Debug for SigningSecret {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("SigningSecret(..)")
    }
}

/// A secret that was replaced and is used beside the present one for a while.
#[derive(Clone, Debug, PartialEq, Eq, Columnar)]
pub struct PreviousSecret {
    pub secret: SigningSecret,
    /// Half-open, like everything that ends.
    pub until: Timestamp,
}

/// The secrets that count at `now`, the present one first.
pub(crate) fn secrets_at<'a>(
    present: &'a SigningSecret,
    previous: Option<&'a PreviousSecret>,
    now: Timestamp,
) -> impl Iterator<Item = &'a SigningSecret> {
    let previous = previous.filter(|previous| now < previous.until);
    std::iter::once(present).chain(previous.map(|previous| &previous.secret))
}
