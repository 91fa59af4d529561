//! The modules of the API, and what a server tells them. A new module adds a line to the list.

use tracing::Span;

use crate::api::Module;
use crate::keys::RateLimit;
use crate::operations::inbox::Inbox;
use crate::operations::{AddressRefused, CheckWebhookUrl};
use crate::{kernel, operations, repairs, stays, stock};

/// In the order in which the index of problems shows what they refuse with.
pub(crate) const MODULES: &[&Module] =
    &[&kernel::MODULE, &operations::MODULE, &repairs::MODULE, &stays::MODULE, &stock::MODULE];

#[derive(Clone, Debug)]
pub struct ApiConfig {
    pub rate_limit: RateLimit,
    /// Event streams open at once on this node.
    pub event_streams_max: usize,
    /// Whether `/metrics` needs no key.
    pub metrics_open: bool,
    /// Whose webhooks and which tasks are taken.
    pub inbox: Inbox,
    /// Connects a request's span with the caller's, given as the text of a `traceparent` header.
    pub adopt_parent: fn(&Span, &str),
    /// Says why an address may not be given to a webhook endpoint.
    pub check_webhook_url: CheckWebhookUrl,
}

impl Default for ApiConfig {
    fn default() -> ApiConfig {
        ApiConfig {
            rate_limit: RateLimit::default(),
            event_streams_max: 1_000,
            metrics_open: false,
            inbox: Inbox::default(),
            adopt_parent: |_, _| {},
            check_webhook_url: |_| Err(AddressRefused("this installation calls no addresses".to_owned())),
        }
    }
}
