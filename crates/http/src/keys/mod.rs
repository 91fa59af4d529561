//! API keys at the door: their text, and a ring of those in use.

mod ring;
mod text;

pub use ring::RateLimit;
pub(crate) use ring::{Admitted, KeyRing, NotAdmitted, now};
pub use surehold_api::{KeyMode, KeyRef, KeyRefMalformed};
pub use text::Secret;
#[cfg(feature = "fuzz")]
pub(crate) use text::parse_key;
