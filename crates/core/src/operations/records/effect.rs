//! One call to the outside made by an operation, and what is known about it.

use serde::{Deserialize, Serialize};
use smol_str::SmolStr;

use crate::kernel::{Column, ColumnType, Columns, Corrupt, Record, Row, Table, Timestamp, Value, words};

use super::{number, versioned};
use crate::operations::{LeaseToken, OperationKey, Payload};

words!(
    EffectState {
        /// Written before anything is sent, so that whoever comes next knows that it may have been.
        Intent = "INTENT",
        Confirmed = "CONFIRMED",
        Rejected = "REJECTED",
        /// Nobody can tell whether it happened. A person must.
        Unknown = "UNKNOWN",
    }
);

words!(
    /// What is unsettled about a request that was sent.
    Doubt {
        /// Nothing was sent, or the provider said that nothing happened.
        None = "none",
        /// No answer came: it may have happened, or may still happen under the same key.
        Unanswered = "unanswered",
        /// An error was answered that the provider keeps under the key: it may have happened, and asking again under the
        /// same key only repeats the error.
        ErrorKept = "error_kept",
    }
);

#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct EffectKey {
    #[serde(flatten)]
    pub operation: OperationKey,
    pub step: u16,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Effect {
    pub key: EffectKey,
    /// The generation of the operation that last sent it.
    pub generation: u32,
    pub state: EffectState,
    pub doubt: Doubt,
    /// How many different keys were used: each stands for another request to the provider.
    pub sends: u32,
    pub idempotency_key: SmolStr,
    /// Frozen: a repeat sends the same bytes.
    pub request: Payload,
    /// When the request under the present key could first have been sent.
    pub intent_at: Timestamp,
    pub provider_ref: Option<SmolStr>,
    pub response: Option<Payload>,
    /// The lease under which it was last written.
    pub lease_token: LeaseToken,
    pub settled_at: Option<Timestamp>,
    pub version: i64,
}

impl Effect {
    pub fn is_confirmed(&self) -> bool {
        self.state == EffectState::Confirmed
    }
}

impl Record for Effect {
    const TABLE: &'static Table = &Table {
        name: "operation_effects",
        columns: &[
            Column::fixed("type", ColumnType::Text),
            Column::fixed("key", ColumnType::Text),
            Column::fixed("step", ColumnType::Int),
            Column::changing("generation", ColumnType::Int),
            Column::changing("state", ColumnType::Text),
            Column::changing("doubt", ColumnType::Text),
            Column::changing("sends", ColumnType::Int),
            Column::changing("idempotency_key", ColumnType::Text),
            Column::changing("request", ColumnType::Json),
            Column::changing("intent_at", ColumnType::Time),
            Column::changing("provider_ref", ColumnType::Text),
            Column::changing("response", ColumnType::Json),
            Column::changing("lease_token", ColumnType::Int),
            Column::changing("settled_at", ColumnType::Time),
        ],
        key_columns: 3,
        due: None,
    };

    type Key = EffectKey;

    fn key(&self) -> EffectKey {
        self.key.clone()
    }

    fn write_key<'a>(key: &'a EffectKey, out: &mut dyn Columns<'a>) {
        key.operation.put(out);
        out.put(Value::Int(i64::from(key.step)));
    }

    fn write<'a>(&'a self, out: &mut dyn Columns<'a>) {
        Effect::write_key(&self.key, out);
        out.put(Value::Int(i64::from(self.generation)));
        out.put(Value::Text(self.state.as_str()));
        out.put(Value::Text(self.doubt.as_str()));
        out.put(Value::Int(i64::from(self.sends)));
        out.put(Value::Text(&self.idempotency_key));
        out.put(Value::Text(self.request.as_str()));
        out.put(Value::Time(self.intent_at));
        out.put_text(self.provider_ref.as_deref());
        out.put_text(self.response.as_ref().map(Payload::as_str));
        out.put(Value::Int(self.lease_token.0));
        out.put_time(self.settled_at);
    }

    fn read(row: &mut dyn Row) -> Result<Effect, Corrupt> {
        Ok(Effect {
            key: EffectKey { operation: OperationKey::take(row)?, step: number(row.int()?)? },
            generation: number(row.int()?)?,
            state: EffectState::stored(row.text()?)?,
            doubt: Doubt::stored(row.text()?)?,
            sends: number(row.int()?)?,
            idempotency_key: row.text()?.into(),
            request: Payload::stored(row.text()?),
            intent_at: row.time()?,
            provider_ref: row.text_or_null()?.map(SmolStr::new),
            response: row.text_or_null()?.map(Payload::stored),
            lease_token: LeaseToken(row.int()?),
            settled_at: row.time_or_null()?,
            version: row.int()?,
        })
    }

    versioned!();
}
