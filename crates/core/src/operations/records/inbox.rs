//! What the outside told us, as it came, and the secrets by which we know who speaks.

use std::sync::Arc;

use smol_str::SmolStr;

use crate::kernel::{Column, ColumnType, Columns, Corrupt, Invalid, Record, Row, Table, Timestamp, Value};

use super::{hash_of, versioned};
use crate::operations::{ExternalId, InboxName, OperationKey, SourceName};

/// The identity of an event: every delivery of it has the same.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct InboxKey {
    pub source: SourceName,
    pub external_id: ExternalId,
}

/// An event as it was first received. Never changed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct InboxEvent {
    pub key: InboxKey,
    pub content_type: Option<SmolStr>,
    pub body: Arc<[u8]>,
    pub body_hash: [u8; 32],
    pub received_at: Timestamp,
    /// What deals with it.
    pub operation: OperationKey,
    pub version: i64,
}

impl Record for InboxEvent {
    const TABLE: &'static Table = &Table {
        name: "inbox_events",
        columns: &[
            Column::fixed("source", ColumnType::Text),
            Column::fixed("external_id", ColumnType::Text),
            Column::fixed("content_type", ColumnType::Text),
            Column::fixed("body", ColumnType::Bytes),
            Column::fixed("body_hash", ColumnType::Bytes),
            Column::fixed("received_at", ColumnType::Time),
            Column::fixed("type", ColumnType::Text),
            Column::fixed("key", ColumnType::Text),
        ],
        key_columns: 2,
        due: None,
    };

    type Key = InboxKey;

    fn key(&self) -> InboxKey {
        self.key.clone()
    }

    fn write_key<'a>(key: &'a InboxKey, out: &mut dyn Columns<'a>) {
        out.put(Value::Text(key.source.as_str()));
        out.put(Value::Text(key.external_id.as_str()));
    }

    fn write<'a>(&'a self, out: &mut dyn Columns<'a>) {
        InboxEvent::write_key(&self.key, out);
        out.put_text(self.content_type.as_deref());
        out.put(Value::Bytes(&self.body));
        out.put(Value::Bytes(&self.body_hash));
        out.put(Value::Time(self.received_at));
        self.operation.put(out);
    }

    fn read(row: &mut dyn Row) -> Result<InboxEvent, Corrupt> {
        let source = SourceName::stored(row.text()?);
        let external_id = ExternalId::stored(row.text()?);
        Ok(InboxEvent {
            key: InboxKey { source, external_id },
            content_type: row.text_or_null()?.map(SmolStr::new),
            body: row.bytes()?.into(),
            body_hash: hash_of(row.bytes()?)?,
            received_at: row.time()?,
            operation: OperationKey::take(row)?,
            version: row.int()?,
        })
    }

    versioned!();
}

const SECRET_BYTES_MIN: usize = 24;
const SECRET_BYTES_MAX: usize = 64;

/// The key of a symmetric signature. Kept as it is, because verifying needs it; never printed.
#[derive(Clone, PartialEq, Eq)]
pub struct SigningSecret(Vec<u8>);

impl SigningSecret {
    /// Both bounds are those of the Standard Webhooks specification.
    pub fn new(bytes: &[u8]) -> Result<SigningSecret, Invalid> {
        if !(SECRET_BYTES_MIN..=SECRET_BYTES_MAX).contains(&bytes.len()) {
            let (bytes_min, bytes_max) = (SECRET_BYTES_MIN, SECRET_BYTES_MAX);
            return Err(Invalid::SecretLength { bytes: bytes.len(), bytes_min, bytes_max });
        }
        Ok(SigningSecret(bytes.to_vec()))
    }

    pub fn expose(&self) -> &[u8] {
        &self.0
    }

    fn stored(bytes: &[u8]) -> Result<SigningSecret, Corrupt> {
        SigningSecret::new(bytes).map_err(|invalid| Corrupt::new(invalid.to_string()))
    }
}

impl std::fmt::Debug for SigningSecret {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("SigningSecret(..)")
    }
}

/// A secret that was replaced and is believed for a while.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PreviousSecret {
    pub secret: SigningSecret,
    /// Half-open, like everything that ends.
    pub until: Timestamp,
}

/// Who may speak to an inbox.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct InboxSecret {
    pub name: InboxName,
    pub secret: SigningSecret,
    pub previous: Option<PreviousSecret>,
    pub created_at: Timestamp,
    pub rotated_at: Timestamp,
    pub version: i64,
}

impl InboxSecret {
    /// The secrets that are believed at `now`, the present one first.
    pub fn believed(&self, now: Timestamp) -> impl Iterator<Item = &SigningSecret> {
        let previous = self.previous.as_ref().filter(|previous| now < previous.until);
        std::iter::once(&self.secret).chain(previous.map(|previous| &previous.secret))
    }
}

impl Record for InboxSecret {
    // No column but the name is fixed: an inbox may be removed and made again within one batch.
    const TABLE: &'static Table = &Table {
        name: "inbox_secrets",
        columns: &[
            Column::fixed("name", ColumnType::Text),
            Column::changing("secret", ColumnType::Bytes),
            Column::changing("previous_secret", ColumnType::Bytes),
            Column::changing("previous_until", ColumnType::Time),
            Column::changing("created_at", ColumnType::Time),
            Column::changing("rotated_at", ColumnType::Time),
        ],
        key_columns: 1,
        due: None,
    };

    type Key = InboxName;

    fn key(&self) -> InboxName {
        self.name.clone()
    }

    fn write_key<'a>(name: &'a InboxName, out: &mut dyn Columns<'a>) {
        out.put(Value::Text(name.as_str()));
    }

    fn write<'a>(&'a self, out: &mut dyn Columns<'a>) {
        out.put(Value::Text(self.name.as_str()));
        out.put(Value::Bytes(self.secret.expose()));
        out.put_bytes(self.previous.as_ref().map(|previous| previous.secret.expose()));
        out.put_time(self.previous.as_ref().map(|previous| previous.until));
        out.put(Value::Time(self.created_at));
        out.put(Value::Time(self.rotated_at));
    }

    fn read(row: &mut dyn Row) -> Result<InboxSecret, Corrupt> {
        let name = InboxName::stored(row.text()?);
        let secret = SigningSecret::stored(row.bytes()?)?;
        let previous = row.bytes_or_null()?.map(SigningSecret::stored).transpose()?;
        let until = row.time_or_null()?;
        Ok(InboxSecret {
            name,
            secret,
            previous: previous.zip(until).map(|(secret, until)| PreviousSecret { secret, until }),
            created_at: row.time()?,
            rotated_at: row.time()?,
            version: row.int()?,
        })
    }

    versioned!();
}
