//! Signed webhooks, out and in, by the Standard Webhooks specification (symmetric signatures, `v1`).
//!
//! A customer names the address that we call, so an address is a stranger's wish: `address` says which may be called,
//! `resolver` holds every connection to it, and `sender` has no other way out. When to try again, and when to give up,
//! is not known here.

mod address;
mod answer;
mod delivery;
mod resolver;
mod secret;
mod sender;
mod signature;

pub use address::{Address, NotAllowed, Reach, URL_BYTES_MAX, is_public};
pub use answer::{Answer, EXCERPT_CHARS_MAX};
pub use delivery::Deliveries;
pub use resolver::{Lookup, SystemLookup};
pub use secret::{SECRET_BYTES_MAX, SECRET_BYTES_MIN, Secret, SecretMalformed};
pub use sender::{Delivery, SendError, Sender, SenderConfig, SenderError};
pub use signature::{
    ID_BYTES_MAX, ID_HEADER, Message, SIGNATURE_HEADER, SIGNATURES_MAX, SignError, TIMESTAMP_HEADER, TOLERANCE_SECS,
    Verified, VerifyError, sign, verify,
};
