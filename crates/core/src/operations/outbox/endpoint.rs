//! Where a tenant wants to be told what happens.

use std::fmt;
use std::sync::Arc;

use serde::{Deserialize, Serialize};
use smol_str::SmolStr;

use crate::kernel::{
    Column, ColumnType, Columns, Corrupt, Invalid, JsonList, Record, Row, Slug, Table, TenantId, Timestamp, Value,
    words,
};
use crate::operations::records::{number, versioned};

use super::EventCursor;

/// The tenant's own name for an endpoint, written like a slug.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(try_from = "SmolStr", into = "SmolStr")]
pub struct EndpointId(SmolStr);

impl EndpointId {
    pub fn new(text: &str) -> Result<EndpointId, Invalid> {
        Slug::new(text).map_err(|_| Invalid::EndpointIdMalformed)?;
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

impl fmt::Display for EndpointId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

/// Both bounds are those of the Standard Webhooks specification.
pub const ENDPOINT_SECRET_BYTES_MIN: usize = 24;
pub const ENDPOINT_SECRET_BYTES_MAX: usize = 64;

/// What signs the messages to an endpoint. Kept as it is, because signing needs it; never printed and never serialised.
#[derive(Clone, PartialEq, Eq)]
pub struct EndpointSecret(Arc<[u8]>);

impl EndpointSecret {
    pub fn new(bytes: &[u8]) -> Result<EndpointSecret, Invalid> {
        let allowed = ENDPOINT_SECRET_BYTES_MIN..=ENDPOINT_SECRET_BYTES_MAX;
        if allowed.contains(&bytes.len()) {
            Ok(EndpointSecret(bytes.into()))
        } else {
            Err(Invalid::EndpointSecretLength)
        }
    }

    /// For whoever signs, and for the one answer that shows it.
    pub fn expose(&self) -> &[u8] {
        &self.0
    }
}

impl fmt::Debug for EndpointSecret {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("EndpointSecret(..)")
    }
}

words!(EndpointState {
    Enabled = "enabled",
    /// Nothing is sent to it until somebody enables it again.
    Disabled = "disabled",
});

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WebhookEndpoint {
    pub id: EndpointId,
    pub url: SmolStr,
    /// Names of events, such as `hold_placed`; empty for all that are offered.
    pub events: JsonList<SmolStr>,
    pub secret: EndpointSecret,
    /// The secret before, which signs too until this instant.
    pub secret_previous: Option<(EndpointSecret, Timestamp)>,
    pub state: EndpointState,
    pub disabled_reason: Option<SmolStr>,
    pub disabled_at: Option<Timestamp>,
    /// Deliveries have been asked for up to here.
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
    pub fn secrets(&self, now: Timestamp) -> impl Iterator<Item = &EndpointSecret> {
        let previous = self.secret_previous.as_ref().filter(|(_, until)| now < *until).map(|(secret, _)| secret);
        std::iter::once(&self.secret).chain(previous)
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
            secret_previous_until: endpoint.secret_previous.as_ref().map(|(_, until)| *until),
            cursor: endpoint.cursor,
            created_at: endpoint.created_at,
        }
    }
}

impl Record for WebhookEndpoint {
    const TABLE: &'static Table = &Table {
        name: "webhook_endpoints",
        columns: &[
            Column::fixed("id", ColumnType::Text),
            Column::changing("url", ColumnType::Text),
            Column::changing("events", ColumnType::Json),
            Column::changing("secret", ColumnType::Bytes),
            Column::changing("secret_previous", ColumnType::Bytes),
            Column::changing("secret_previous_until", ColumnType::Time),
            Column::changing("state", ColumnType::Text),
            Column::changing("disabled_reason", ColumnType::Text),
            Column::changing("disabled_at", ColumnType::Time),
            Column::changing("cursor_seq", ColumnType::Int),
            Column::changing("cursor_index", ColumnType::Int),
            Column::changing("created_at", ColumnType::Time),
        ],
        key_columns: 1,
        due: None,
    };

    type Key = EndpointId;

    fn key(&self) -> EndpointId {
        self.id.clone()
    }

    fn write_key<'a>(id: &'a EndpointId, out: &mut dyn Columns<'a>) {
        out.put(Value::Text(id.as_str()));
    }

    fn write<'a>(&'a self, out: &mut dyn Columns<'a>) {
        out.put(Value::Text(self.id.as_str()));
        out.put(Value::Text(&self.url));
        out.put_text(self.events.as_json());
        out.put(Value::Bytes(self.secret.expose()));
        out.put_bytes(self.secret_previous.as_ref().map(|(secret, _)| secret.expose()));
        out.put_time(self.secret_previous.as_ref().map(|(_, until)| *until));
        out.put(Value::Text(self.state.as_str()));
        out.put_text(self.disabled_reason.as_deref());
        out.put_time(self.disabled_at);
        out.put(Value::Int(self.cursor.seq));
        out.put(Value::Int(i64::from(self.cursor.index)));
        out.put(Value::Time(self.created_at));
    }

    fn read(row: &mut dyn Row) -> Result<WebhookEndpoint, Corrupt> {
        let corrupt = |invalid: Invalid| Corrupt::new(invalid.to_string());
        let id = EndpointId::new(row.text()?).map_err(corrupt)?;
        let url = row.text()?.into();
        let events = JsonList::stored(row.text_or_null()?)?;
        let secret = EndpointSecret::new(row.bytes()?).map_err(corrupt)?;
        let previous = row.bytes_or_null()?.map(EndpointSecret::new).transpose().map_err(corrupt)?;
        Ok(WebhookEndpoint {
            id,
            url,
            events,
            secret,
            secret_previous: previous.zip(row.time_or_null()?),
            state: EndpointState::stored(row.text()?)?,
            disabled_reason: row.text_or_null()?.map(SmolStr::new),
            disabled_at: row.time_or_null()?,
            cursor: EventCursor { seq: row.int()?, index: number(row.int()?)? },
            created_at: row.time()?,
            version: row.int()?,
        })
    }

    versioned!();
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
