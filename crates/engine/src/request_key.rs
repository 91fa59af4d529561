//! Idempotency keys: who repeats a request gets the first answer.

use sha2::{Digest, Sha256};
use smol_str::SmolStr;
use surehold_core::kernel::{IdempotencyKey, Invalid};

/// A key chosen by the caller and the hash of what was asked under it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RequestKey {
    pub(crate) key: SmolStr,
    pub(crate) request_hash: [u8; 32],
}

impl RequestKey {
    /// `request` is the canonical form of everything the request says: path parameters and body.
    pub fn new(key: &str, request: &[u8]) -> Result<RequestKey, Invalid> {
        Ok(RequestKey { key: IdempotencyKey::new(key)?.into(), request_hash: Sha256::digest(request).into() })
    }
}
