//! Webhook endpoints on the wire. Secrets go out once, when they are made.

use std::fmt;

use serde::{Deserialize, Serialize};
use surehold_core::kernel::Timestamp;
use surehold_core::operations::outbox::{self, EndpointAbout, EndpointId};

use crate::describe::{ToSchema, wire};
use crate::described;

#[wire]
#[schema(example = json!({
    "url": "https://example.com/webhooks", "events": ["hold_placed", "hold_expired"], "replace": true
}))]
pub struct PutWebhookEndpoint {
    /// Where messages are posted. Public addresses by HTTPS, unless the installation is set up to reach further.
    #[schema(min_length = 1, max_length = 2048)]
    pub url: String,
    /// The types of the events that are wanted; empty for all that are offered.
    #[serde(default)]
    #[schema(value_type = Vec<described::OfferedEvent>, max_items = 64)]
    pub events: Vec<String>,
    /// Whether an endpoint that is there may get another address or other events. It keeps its secret and its place.
    #[serde(default)]
    #[schema(default = false)]
    pub replace: bool,
}

#[wire]
#[schema(example = json!({"overlap_secs": 86_400}))]
pub struct RotateWebhookSecret {
    /// How long the old secret signs beside the new one.
    #[serde(default = "a_day")]
    #[schema(minimum = 0, maximum = 2_592_000, default = 86_400)]
    pub overlap_secs: i64,
}

fn a_day() -> i64 {
    86_400
}

impl Default for RotateWebhookSecret {
    fn default() -> RotateWebhookSecret {
        RotateWebhookSecret { overlap_secs: a_day() }
    }
}

#[wire]
#[schema(example = json!({"from_now": true}))]
pub struct EnableWebhookEndpoint {
    /// Leave out what happened while it was disabled.
    #[serde(default)]
    #[schema(default = false)]
    pub from_now: bool,
}

#[wire]
#[schema(example = json!({"from": "12-0", "to": "14-3", "key": "after-the-outage"}))]
pub struct ReplayEvents {
    /// The first event.
    #[schema(value_type = described::Cursor)]
    pub from: String,
    /// The last event.
    #[schema(value_type = described::Cursor)]
    pub to: String,
    /// Names the replay: repeated under the same name, nothing is sent once more.
    #[schema(min_length = 1, max_length = 100, pattern = "^[!-~]([ -~]*[!-~])?$")]
    pub key: String,
}

#[wire]
pub struct ReplayedEvents {
    /// How many deliveries were asked for that had not been before.
    pub deliveries: u64,
    /// Whether all events that were looked at are still kept; those that are not cannot be sent.
    pub complete: bool,
    /// There was too much for one request: ask again with this as `from`, and the same `key`.
    #[schema(value_type = Option<described::Cursor>)]
    pub next: Option<String>,
}

#[wire(Copy, PartialEq, Eq)]
#[serde(rename_all = "snake_case")]
pub enum EndpointState {
    Enabled,
    /// Nothing is sent to it until it is enabled.
    Disabled,
}

impl fmt::Display for EndpointState {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            EndpointState::Enabled => "enabled",
            EndpointState::Disabled => "disabled",
        })
    }
}

/// A webhook endpoint without its secret.
#[wire]
pub struct WebhookEndpoint {
    pub id: EndpointId,
    pub url: String,
    /// Empty for all that are offered.
    pub events: Vec<String>,
    pub state: EndpointState,
    pub disabled_reason: Option<String>,
    pub disabled_at: Option<Timestamp>,
    /// Until when the secret before the present one signs too.
    pub previous_secret_until: Option<Timestamp>,
    /// Deliveries have been asked for at least up to this place in the event feed.
    #[schema(value_type = described::Cursor)]
    pub cursor: String,
    pub created_at: Timestamp,
}

impl From<EndpointAbout> for WebhookEndpoint {
    fn from(endpoint: EndpointAbout) -> WebhookEndpoint {
        WebhookEndpoint {
            id: endpoint.id,
            url: endpoint.url.into(),
            events: endpoint.events.into_iter().map(Into::into).collect(),
            state: match endpoint.state {
                outbox::EndpointState::Enabled => EndpointState::Enabled,
                outbox::EndpointState::Disabled => EndpointState::Disabled,
            },
            disabled_reason: endpoint.disabled_reason.map(Into::into),
            disabled_at: endpoint.disabled_at,
            previous_secret_until: endpoint.secret_previous_until,
            cursor: endpoint.cursor.to_string(),
            created_at: endpoint.created_at,
        }
    }
}

/// A webhook endpoint, and its secret if that is new: it is shown this once.
#[derive(Clone, Serialize, Deserialize, ToSchema)]
pub struct NewWebhookEndpoint {
    /// What messages are signed with.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(example = "whsec_…")]
    pub secret: Option<String>,
    #[serde(flatten)]
    pub about: WebhookEndpoint,
}

impl std::fmt::Debug for NewWebhookEndpoint {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "NewWebhookEndpoint({:?})", self.about)
    }
}

#[wire]
pub struct WebhookEndpointPage {
    pub endpoints: Vec<WebhookEndpoint>,
}

#[wire(Copy, PartialEq, Eq)]
#[serde(rename_all = "snake_case")]
pub enum DeliveryState {
    /// On its way, or between two attempts.
    Pending,
    /// Behind an earlier message about the same thing.
    Waiting,
    Delivered,
    /// The endpoint was removed or disabled before it was sent, or answered 410.
    Skipped,
    /// No further attempt is made.
    Failed,
}

impl fmt::Display for DeliveryState {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            DeliveryState::Pending => "pending",
            DeliveryState::Waiting => "waiting",
            DeliveryState::Delivered => "delivered",
            DeliveryState::Skipped => "skipped",
            DeliveryState::Failed => "failed",
        })
    }
}

/// What became of one message.
#[wire]
pub struct WebhookDelivery {
    /// The event.
    #[schema(value_type = described::Cursor)]
    pub cursor: String,
    /// The replay that asked for it, if one did.
    pub replay: Option<String>,
    pub state: DeliveryState,
    /// Attempts that failed and, at the end, the last one.
    pub attempts: i64,
    /// The HTTP status of the answer that settled it.
    pub status: Option<u16>,
    /// Why the last attempt failed.
    pub error: Option<String>,
    pub created_at: Timestamp,
    pub next_attempt_at: Option<Timestamp>,
    pub finished_at: Option<Timestamp>,
}

#[wire]
pub struct WebhookDeliveryPage {
    pub deliveries: Vec<WebhookDelivery>,
}
