//! Where a tenant wants to be told what happens.

use std::fmt;

use serde::{Deserialize, Serialize};
use smol_str::SmolStr;

use crate::kernel::{Invalid, JsonList, Record, Slug, TenantId, Timestamp, described, text_column, words};
use crate::operations::{OperationInvalid, PreviousSecret, SigningSecret, secrets_at};

use super::EventCursor;

/// The tenant's own name for an endpoint, written like a slug.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(try_from = "SmolStr", into = "SmolStr")]
pub struct EndpointId(SmolStr);

impl EndpointId {
    pub fn new(text: &str) -> Result<EndpointId, Invalid> {
        Slug::new(text).map_err(|_| OperationInvalid::EndpointIdMalformed)?;
        Ok(EndpointId(text.into()))
    }

    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl TryFrom<SmolStr> for EndpointId {
    type Error = Invalid;
    fn try_from(text: SmolStr) -> Result<EndpointId, Invalid> {
        EndpointId::new(&text)
    }
}

impl From<EndpointId> for SmolStr {
    fn from(id: EndpointId) -> SmolStr {
        id.0
    }
}

text_column!(EndpointId, Text, EndpointId::new);
described!(EndpointId, "A webhook endpoint's name.", SLUG, "orders");

impl fmt::Display for EndpointId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

words!(EndpointState {
    Enabled = "enabled",
    /// Nothing is sent to it until somebody enables it again.
    Disabled = "disabled",
});

#[derive(Clone, Debug, PartialEq, Eq, Record)]
#[record(table = "webhook_endpoints")]
pub struct WebhookEndpoint {
    #[column(key)]
    pub id: EndpointId,
    pub url: SmolStr,
    /// Names of events, such as `hold_placed`; empty for all that are offered.
    pub events: JsonList<SmolStr>,
    pub secret: SigningSecret,
    #[column(name = "secret_previous", name = "secret_previous_until")]
    pub secret_previous: Option<PreviousSecret>,
    pub state: EndpointState,
    pub disabled_reason: Option<SmolStr>,
    pub disabled_at: Option<Timestamp>,
    /// Deliveries have been asked for up to here.
    #[column(name = "cursor_seq", name = "cursor_index")]
    pub cursor: EventCursor,
    /// Tells an endpoint from an earlier one of the same name.
    pub created_at: Timestamp,
    pub version: i64,
}

impl WebhookEndpoint {
    pub fn wants(&self, event: &str) -> bool {
        self.events.is_empty() || self.events.iter().any(|wanted| wanted == event)
    }

    /// All that sign at `now`, the newest first.
    pub fn secrets(&self, now: Timestamp) -> impl Iterator<Item = &SigningSecret> {
        secrets_at(&self.secret, self.secret_previous.as_ref(), now)
    }
}

/// An endpoint without its secrets: what may be shown and kept.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct EndpointAbout {
    pub id: EndpointId,
    pub url: SmolStr,
    pub events: Vec<SmolStr>,
    pub state: EndpointState,
    pub disabled_reason: Option<SmolStr>,
    pub disabled_at: Option<Timestamp>,
    pub secret_previous_until: Option<Timestamp>,
    pub cursor: EventCursor,
    pub created_at: Timestamp,
}

impl From<&WebhookEndpoint> for EndpointAbout {
    fn from(endpoint: &WebhookEndpoint) -> EndpointAbout {
        EndpointAbout {
            id: endpoint.id.clone(),
            url: endpoint.url.clone(),
            events: endpoint.events.to_vec(),
            state: endpoint.state,
            disabled_reason: endpoint.disabled_reason.clone(),
            disabled_at: endpoint.disabled_at,
            secret_previous_until: endpoint.secret_previous.as_ref().map(|previous| previous.until),
            cursor: endpoint.cursor,
            created_at: endpoint.created_at,
        }
    }
}

/// The identity of a message: the same whenever and however often it is sent, so that receivers can tell a repeat. The
/// body, with the event's instant in it, is part of it: after a backup was restored, another event has the same cursor.
pub(super) fn message_id(tenant: TenantId, endpoint: &EndpointId, cursor: EventCursor, body: &str) -> SmolStr {
    use sha2::{Digest, Sha256};
    use std::fmt::Write;
    // None of the parts before the body can hold a slash.
    let digest = Sha256::digest(format!("{tenant}/{endpoint}/{cursor}/{body}"));
    let mut text = String::from("msg_");
    for byte in digest.iter().take(16) {
        let _ = write!(text, "{byte:02x}");
    }
    text.into()
}
