//! The outbox to customers: what happened, told to the addresses that a tenant named. Each event becomes one operation
//! per endpoint, and the operations of one hold, pool or case follow each other.
//! Knows neither the wire form of events nor how a message is signed and sent. Start reading at `fan_out.rs`.

mod cursor;
mod deliver;
mod endpoint;
mod endpoints;
mod fan_out;
mod message;
mod offer;
mod tail;

pub use cursor::{EVENT_INDEX_MAX, EventCursor};
pub use deliver::{DELIVER_WEBHOOK, DeliverWebhook, WebhookCall, WebhookRejection};
pub use endpoint::{EndpointAbout, EndpointId, EndpointState, WebhookEndpoint};
pub use endpoints::{
    ENDPOINT_EVENTS_MAX, ENDPOINT_OVERLAP_SECS_MAX, EnableEndpoint, EndpointPut, PutEndpoint, RemoveEndpoint,
    RotateEndpointSecret,
};
pub use fan_out::{FanOut, FannedOut, OUTBOX_MESSAGES_MAX, ReplayEvents, SkipMissedEvents};
pub use message::{ENDPOINT_CORRELATION, OutboxMessage, ReplayKey, delivery_key};
pub use offer::{Offered, offered, offered_events};
pub use tail::{TailKey, WebhookTail};

/// What signs the messages to an endpoint.
pub type EndpointSecret = super::SigningSecret;

#[cfg(test)]
mod tests;
