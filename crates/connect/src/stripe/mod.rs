//! Everything that is said to Stripe and understood of it, by one pinned version of its interface.
//!
//! `signature` and `event` judge and read what Stripe sends; `form`, `client` and `calls` make single requests; `told`
//! says what the answers mean for an operation, and `provider` carries operations out with all of these. What a payment
//! means for a hold, when to try again and when to give up is not known here.

mod calls;
mod client;
mod event;
mod form;
mod objects;
mod provider;
mod request;
mod signature;
mod told;
mod words;

pub use calls::{EventsQuery, PAGE_ROWS_MAX, SessionsQuery};
pub use client::{
    API_VERSION, BASE_URL, CallError, MESSAGE_CHARS_MAX, Refusal, Stripe, StripeAccount, StripeConfigError,
};
pub use event::{Event, EventUnreadable, KINDS, RawData, RawEvent, Subject};
pub use objects::{Charge, CheckoutSession, Dispute, ErrorBody, ErrorObject, List, Metadata, PaymentIntent, Refund};
pub use provider::{PROBE_PAGES_MAX, StripeProvider};
pub use request::{
    Line, NewRefund, NewSession, OPERATION, RefundAnswer, RefusalAnswer, SessionAnswer, SessionExpiry, StripeRequest,
};
pub use signature::{PARTS_MAX, SIGNATURE_HEADER, SignatureError, TOLERANCE_SECS, sign, verify};
pub use words::{DisputeStatus, IntentStatus, PaymentStatus, RefundStatus, SessionStatus};
