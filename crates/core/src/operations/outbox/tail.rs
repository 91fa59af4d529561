//! The end of a chain of deliveries: whoever comes next waits for it.

use smol_str::SmolStr;

use crate::kernel::{Column, ColumnType, Columns, Corrupt, Record, Row, Table, Value};
use crate::operations::records::versioned;
use crate::operations::{DedupeKey, OperationKey};

use super::{DELIVER_WEBHOOK, EndpointId};

#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct TailKey {
    pub endpoint: EndpointId,
    /// What the events are about: messages about one thing arrive in the order of the events.
    pub ordering: SmolStr,
}

/// There is none when nothing is on its way.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WebhookTail {
    pub key: TailKey,
    pub delivery: DedupeKey,
    pub version: i64,
}

impl WebhookTail {
    pub fn operation(&self) -> OperationKey {
        OperationKey { kind: DELIVER_WEBHOOK.type_name(), key: self.delivery.clone() }
    }
}

impl Record for WebhookTail {
    const TABLE: &'static Table = &Table {
        name: "webhook_tails",
        columns: &[
            Column::fixed("endpoint", ColumnType::Text),
            Column::fixed("ordering", ColumnType::Text),
            Column::changing("delivery", ColumnType::Text),
        ],
        key_columns: 2,
        due: None,
    };

    type Key = TailKey;

    fn key(&self) -> TailKey {
        self.key.clone()
    }

    fn write_key<'a>(key: &'a TailKey, out: &mut dyn Columns<'a>) {
        out.put(Value::Text(key.endpoint.as_str()));
        out.put(Value::Text(&key.ordering));
    }

    fn write<'a>(&'a self, out: &mut dyn Columns<'a>) {
        WebhookTail::write_key(&self.key, out);
        out.put(Value::Text(self.delivery.as_str()));
    }

    fn read(row: &mut dyn Row) -> Result<WebhookTail, Corrupt> {
        let endpoint = EndpointId::new(row.text()?).map_err(|invalid| Corrupt::new(invalid.to_string()))?;
        let ordering = row.text()?.into();
        let delivery = DedupeKey::stored(row.text()?);
        Ok(WebhookTail { key: TailKey { endpoint, ordering }, delivery, version: row.int()? })
    }

    versioned!();
}
