//! Everything that is said to Stripe and understood of it, by one pinned version of its interface.
//!
//! `signature` and `event` judge and read what Stripe sends; `form`, `client` and `calls` make single requests; `told`
//! says what the answers mean for an operation, and `provider` carries operations out with all of these, in the units of
//! `amounts`. `news` puts events into the core's words, `arrival` makes of them what the inbox keeps, and `sweep` looks
//! for those that never came. What a payment means for a hold, when to try again and when to give up is not known here.

mod amounts;
mod answers;
mod arrival;
mod calls;
mod client;
mod event;
mod form;
mod homes;
mod news;
mod objects;
mod provider;
mod signature;
mod sweep;
mod told;
mod words;

pub use answers::{RefundAnswer, RefusalAnswer, SessionAnswer};
pub use arrival::{Arrival, SOURCE, arrival};
pub use calls::{EventsQuery, PAGE_ROWS_MAX, SessionsQuery};
pub use client::{
    API_VERSION, BASE_URL, CallError, MESSAGE_CHARS_MAX, Refusal, Stripe, StripeAccount, StripeConfigError,
};
pub use event::{Event, EventUnreadable, KINDS, ListedEvent, Subject};
pub use homes::{AccountHome, Homes};
pub use news::news;
pub use objects::{Charge, CheckoutSession, Dispute, ErrorBody, ErrorObject, List, Metadata, PaymentIntent, Refund};
pub use provider::{PROBE_PAGES_MAX, StripeProvider};
pub use signature::{PARTS_MAX, SIGNATURE_HEADER, SignatureError, TOLERANCE_SECS, sign, verify};
pub use sweep::{SweepConfig, SweepError, Sweeper};
pub use words::{DisputeStatus, IntentStatus, PaymentStatus, RefundStatus, SessionStatus};
