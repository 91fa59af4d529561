//! Idempotency keys: who repeats a request gets the first answer.

use sha2::{Digest, Sha256};
use smol_str::SmolStr;

/// A key chosen by the caller and the hash of what was asked under it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RequestKey {
    pub(crate) key: SmolStr,
    pub(crate) request_hash: [u8; 32],
}

impl RequestKey {
    /// `request` is the canonical form of everything the request says: path parameters and body.
    pub fn new(key: &str, request: &[u8]) -> RequestKey {
        RequestKey { key: SmolStr::new(key), request_hash: Sha256::digest(request).into() }
    }
}
