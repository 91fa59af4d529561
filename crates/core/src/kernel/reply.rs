//! Replies kept under an idempotency key, so that a repeated request gets the first one's answer.

use smol_str::SmolStr;

use super::{Columnar, Record, Timestamp};

#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Columnar)]
pub struct ReplyKey {
    /// The operation's name: one key may be used once per operation.
    pub operation: SmolStr,
    pub key: SmolStr,
}

#[derive(Clone, Debug, PartialEq, Eq, Record)]
#[record(table = "replies", fixed)]
pub struct KeptReply {
    #[column(key)]
    pub key: ReplyKey,
    /// Of the request: another request under the same key is refused.
    pub request_hash: [u8; 32],
    #[column(json)]
    pub reply: String,
    pub at: Timestamp,
    pub version: i64,
}
