//! Replies kept under an idempotency key, so that a repeated request gets the first one's answer.

use smol_str::SmolStr;

use super::Timestamp;
use super::record::{Column, ColumnType, Columns, Corrupt, Record, Row, Table, Value};

#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ReplyKey {
    /// The operation's name: one key may be used once per operation.
    pub operation: SmolStr,
    pub key: SmolStr,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct KeptReply {
    pub key: ReplyKey,
    /// Of the request: another request under the same key is refused.
    pub request_hash: [u8; 32],
    pub reply: String,
    pub at: Timestamp,
    pub version: i64,
}

impl Record for KeptReply {
    const TABLE: &'static Table = &Table {
        name: "replies",
        columns: &[
            Column::fixed("operation", ColumnType::Text),
            Column::fixed("key", ColumnType::Text),
            Column::fixed("request_hash", ColumnType::Bytes),
            Column::fixed("reply", ColumnType::Json),
            Column::fixed("at", ColumnType::Time),
        ],
        key_columns: 2,
        due: None,
    };

    type Key = ReplyKey;

    fn key(&self) -> ReplyKey {
        self.key.clone()
    }

    fn write_key<'a>(key: &'a ReplyKey, out: &mut dyn Columns<'a>) {
        out.put(Value::Text(&key.operation));
        out.put(Value::Text(&key.key));
    }

    fn write<'a>(&'a self, out: &mut dyn Columns<'a>) {
        KeptReply::write_key(&self.key, out);
        out.put(Value::Bytes(&self.request_hash));
        out.put(Value::Text(&self.reply));
        out.put(Value::Time(self.at));
    }

    fn read(row: &mut dyn Row) -> Result<KeptReply, Corrupt> {
        let operation = row.text()?.into();
        let key = row.text()?.into();
        let hash = row.bytes()?.try_into().map_err(|_| Corrupt::new("a hash that is not 32 bytes long"))?;
        Ok(KeptReply {
            key: ReplyKey { operation, key },
            request_hash: hash,
            reply: row.text()?.to_owned(),
            at: row.time()?,
            version: row.int()?,
        })
    }

    fn version(&self) -> i64 {
        self.version
    }

    fn set_version(&mut self, version: i64) {
        self.version = version;
    }
}
