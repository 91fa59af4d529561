//! A row of the ledger of an item: what moved, what it cost, and what was there afterwards.
//! Invariant: a row is never changed. A cost that turns out to be another one is a new row.

use serde::{Deserialize, Serialize};

use crate::kernel::{Column, ColumnType, Columns, Corrupt, Record, Row, Table, Timestamp, Value, words};
use crate::operations::{number, versioned};
use crate::stock::rules::Balance;
use crate::stock::{DocumentId, LotCode, StoreName};

use super::{DocumentKind, ItemKey, Place, stored};

words!(
    /// Where the cost of a row comes from. Whether it has to be worked out anew when earlier rows change follows from it.
    Basis {
        /// Somebody said so.
        Given = "given",
        /// The average of what was there.
        Average = "average",
        /// What is left of the cost of the source row.
        Source = "source",
        /// What the source row came in for, as far as that is there.
        Undo = "undo",
        /// Changes what the source row cost.
        Revaluation = "revaluation",
    }
);

#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct MoveKey {
    pub item: ItemKey,
    /// From 1, without gaps, in the order of posting.
    pub seq: i64,
}

/// The row of the same product that takes what this one gives away.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct Counter {
    pub store: StoreName,
    pub place: Place,
    pub seq: i64,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Move {
    pub key: MoveKey,
    pub document: DocumentId,
    /// From 1, over all parts.
    pub line: u32,
    pub kind: DocumentKind,
    pub basis: Basis,
    /// A row of the same item.
    pub source: Option<i64>,
    /// Less than zero went out.
    pub quantity: i64,
    pub value: i64,
    /// In the order of posting. Provisional while the item is revalued.
    pub quantity_after: i64,
    pub value_after: i64,
    pub effective_at: Timestamp,
    pub posted_at: Timestamp,
    /// Where all of it is of one.
    pub lot: Option<LotCode>,
    pub counter: Option<Counter>,
    pub version: i64,
}

impl Move {
    pub fn after(&self) -> Balance {
        Balance { quantity: self.quantity_after, value: self.value_after }
    }
}

impl Record for Move {
    const TABLE: &'static Table = &Table {
        name: "stock_moves",
        columns: &[
            Column::fixed("store", ColumnType::Text),
            Column::fixed("place", ColumnType::Text),
            Column::fixed("product", ColumnType::Text),
            Column::fixed("seq", ColumnType::Int),
            Column::fixed("document", ColumnType::Uuid),
            Column::fixed("line", ColumnType::Int),
            Column::fixed("kind", ColumnType::Text),
            Column::fixed("basis", ColumnType::Text),
            Column::fixed("source", ColumnType::Int),
            Column::fixed("quantity", ColumnType::Int),
            Column::fixed("value", ColumnType::Int),
            Column::fixed("quantity_after", ColumnType::Int),
            Column::fixed("value_after", ColumnType::Int),
            Column::fixed("effective_at", ColumnType::Time),
            Column::fixed("posted_at", ColumnType::Time),
            Column::fixed("lot", ColumnType::Text),
            Column::fixed("counter_store", ColumnType::Text),
            Column::fixed("counter_place", ColumnType::Text),
            Column::fixed("counter_seq", ColumnType::Int),
        ],
        key_columns: 4,
        due: None,
    };

    type Key = MoveKey;

    fn key(&self) -> MoveKey {
        self.key.clone()
    }

    fn write_key<'a>(key: &'a MoveKey, out: &mut dyn Columns<'a>) {
        key.item.put(out);
        out.put(Value::Int(key.seq));
    }

    fn write<'a>(&'a self, out: &mut dyn Columns<'a>) {
        Move::write_key(&self.key, out);
        out.put(Value::Uuid(self.document.uuid()));
        out.put(Value::Int(i64::from(self.line)));
        out.put(Value::Text(self.kind.as_str()));
        out.put(Value::Text(self.basis.as_str()));
        out.put_int(self.source);
        out.put(Value::Int(self.quantity));
        out.put(Value::Int(self.value));
        out.put(Value::Int(self.quantity_after));
        out.put(Value::Int(self.value_after));
        out.put(Value::Time(self.effective_at));
        out.put(Value::Time(self.posted_at));
        out.put_text(self.lot.as_ref().map(LotCode::as_str));
        out.put_text(self.counter.as_ref().map(|counter| counter.store.as_str()));
        out.put_text(self.counter.as_ref().map(|counter| counter.place.as_str()));
        out.put_int(self.counter.as_ref().map(|counter| counter.seq));
    }

    fn read(row: &mut dyn Row) -> Result<Move, Corrupt> {
        let key = MoveKey { item: ItemKey::take(row)?, seq: row.int()? };
        let document = stored(DocumentId::new(row.uuid()?))?;
        let line = number(row.int()?)?;
        let kind = row.text()?;
        let kind = DocumentKind::parse(kind).ok_or_else(|| Corrupt::new(format!("the kind {kind:?}")))?;
        Ok(Move {
            key,
            document,
            line,
            kind,
            basis: Basis::stored(row.text()?)?,
            source: row.int_or_null()?,
            quantity: row.int()?,
            value: row.int()?,
            quantity_after: row.int()?,
            value_after: row.int()?,
            effective_at: row.time()?,
            posted_at: row.time()?,
            lot: row.text_or_null()?.map(LotCode::new).map(stored).transpose()?,
            counter: read_counter(row)?,
            version: row.int()?,
        })
    }

    versioned!();
}

fn read_counter(row: &mut dyn Row) -> Result<Option<Counter>, Corrupt> {
    let store = row.text_or_null()?.map(StoreName::new).map(stored).transpose()?;
    let place = row.text_or_null()?.map(Place::read).transpose()?;
    let seq = row.int_or_null()?;
    Ok(store.zip(place).zip(seq).map(|((store, place), seq)| Counter { store, place, seq }))
}
