//! The types of operation that every installation knows.

mod announce;
mod expire_hold;
mod process_inbox_event;

pub use announce::{ANNOUNCE, Announce};
pub use expire_hold::{EXPIRE_HOLD, ExpireHoldOnce, expire_hold};
pub use process_inbox_event::{
    ANNOUNCED_BYTES_MAX, PROCESS_INBOX_EVENT, ProcessInboxEvent, STANDARD_SOURCE, process_inbox_event, standard_source,
};
