//! Types of operation that every installation has.

mod announce;

pub use announce::{ANNOUNCE, Announce};
