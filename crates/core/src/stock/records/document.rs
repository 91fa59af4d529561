//! A document: who moves goods, when and why. Its lines are in parts.

use serde::{Deserialize, Serialize};

use crate::kernel::{
    Column, ColumnType, Columns, Corrupt, Currency, HoldId, Json, Record, Reference, Row, Table, Timestamp, Value,
    words,
};
use crate::operations::{number, versioned};
use crate::stock::content::DocumentHeader;
use crate::stock::{DocumentId, DocumentNote, StoreName};

use super::stored;

words!(
    DocumentKind {
        /// In, at what was paid for it.
        Purchase = "purchase",
        /// Out, at the average.
        Sale = "sale",
        /// In, at what it left for.
        CustomerReturn = "customer_return",
        /// Out, at the average.
        SupplierReturn = "supplier_return",
        /// Out, at the average.
        WriteOff = "write_off",
        /// In, at a stated cost; only where nothing has moved yet.
        Opening = "opening",
        /// In or out, to what was counted.
        Recount = "recount",
        /// Out here and in there, at what it leaves for.
        Transfer = "transfer",
        /// What was in transit has come.
        Receipt = "receipt",
        /// What was in transit will not come.
        TransitLoss = "transit_loss",
        /// Moves back what another document moved.
        Reversal = "reversal",
    }
);

words!(
    DocumentState {
        Draft = "draft",
        /// Part after part; no more lines can be added.
        Posting = "posting",
        Posted = "posted",
        Reversed = "reversed",
    }
);

words!(
    /// What extra costs are spread by.
    Spread {
        ByValue = "value",
        ByQuantity = "quantity",
    }
);

/// Freight, customs: part of what the goods cost.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ExtraCost {
    /// In minor units.
    pub amount: i64,
    pub by: Spread,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct StockDocument {
    pub id: DocumentId,
    pub header: DocumentHeader,
    pub state: DocumentState,
    pub currency: Currency,
    pub parts: u32,
    pub lines: u32,
    /// Lines of a long document that could not be posted.
    pub skipped: u32,
    /// What its lines cost together, as posted.
    pub cost: i64,
    pub effective_at: Option<Timestamp>,
    pub posted_at: Option<Timestamp>,
    pub reversed_by: Option<DocumentId>,
    /// Documents about lines of this one: it cannot be reversed before they are.
    pub followers: u32,
    /// When the last of them took effect, or was reversed: what is left of a line has one order only.
    pub followed_at: Option<Timestamp>,
    /// Which hold a sale has sold: part of what it is, besides what it says.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub hold: Option<HoldId>,
    pub created_at: Timestamp,
    pub version: i64,
}

impl StockDocument {
    /// From when on documents about this one may take effect.
    pub fn followed_from(&self) -> Option<Timestamp> {
        // Without a time of its own, a long one takes effect part by part, as it is posted.
        let part_by_part = self.parts > 1 && self.header.effective_at.is_none();
        let last_effect = if part_by_part { self.posted_at } else { self.effective_at };
        last_effect.max(self.followed_at)
    }
}

impl Record for StockDocument {
    const TABLE: &'static Table = &Table {
        name: "stock_documents",
        columns: &[
            Column::fixed("id", ColumnType::Uuid),
            Column::changing("kind", ColumnType::Text),
            Column::changing("state", ColumnType::Text),
            Column::changing("store", ColumnType::Text),
            Column::changing("to_store", ColumnType::Text),
            Column::changing("in_transit", ColumnType::Bool),
            Column::changing("effective_wanted", ColumnType::Time),
            Column::changing("reference", ColumnType::Text),
            Column::changing("note", ColumnType::Text),
            Column::changing("about", ColumnType::Uuid),
            Column::changing("extra", ColumnType::Json),
            Column::changing("currency", ColumnType::Text),
            Column::changing("parts", ColumnType::Int),
            Column::changing("lines", ColumnType::Int),
            Column::changing("skipped", ColumnType::Int),
            Column::changing("cost", ColumnType::Int),
            Column::changing("effective_at", ColumnType::Time),
            Column::changing("posted_at", ColumnType::Time),
            Column::changing("reversed_by", ColumnType::Uuid),
            Column::changing("followers", ColumnType::Int),
            Column::changing("followed_at", ColumnType::Time),
            Column::changing("hold", ColumnType::Uuid),
            Column::fixed("created_at", ColumnType::Time),
        ],
        key_columns: 1,
        due: None,
    };

    type Key = DocumentId;

    fn key(&self) -> DocumentId {
        self.id
    }

    fn write_key<'a>(id: &'a DocumentId, out: &mut dyn Columns<'a>) {
        out.put(Value::Uuid(id.uuid()));
    }

    fn write<'a>(&'a self, out: &mut dyn Columns<'a>) {
        let id_or_null = |id: Option<DocumentId>| id.map_or(Value::Null, |id| Value::Uuid(id.uuid()));
        let header = &self.header;
        out.put(Value::Uuid(self.id.uuid()));
        out.put(Value::Text(header.kind.as_str()));
        out.put(Value::Text(self.state.as_str()));
        out.put(Value::Text(header.store.as_str()));
        out.put_text(header.to_store.as_ref().map(StoreName::as_str));
        out.put(Value::Bool(header.in_transit));
        out.put_time(header.effective_at);
        out.put_text(header.reference.as_ref().map(Reference::as_str));
        out.put_text(header.note.as_ref().map(DocumentNote::as_str));
        out.put(id_or_null(header.about));
        out.put_text(header.extra.as_ref().map(Json::as_text));
        out.put(Value::Text(self.currency.as_str()));
        out.put(Value::Int(i64::from(self.parts)));
        out.put(Value::Int(i64::from(self.lines)));
        out.put(Value::Int(i64::from(self.skipped)));
        out.put(Value::Int(self.cost));
        out.put_time(self.effective_at);
        out.put_time(self.posted_at);
        out.put(id_or_null(self.reversed_by));
        out.put(Value::Int(i64::from(self.followers)));
        out.put_time(self.followed_at);
        out.put(self.hold.map_or(Value::Null, |hold| Value::Uuid(hold.uuid())));
        out.put(Value::Time(self.created_at));
    }

    fn read(row: &mut dyn Row) -> Result<StockDocument, Corrupt> {
        let id = stored(DocumentId::new(row.uuid()?))?;
        let kind = DocumentKind::stored(row.text()?)?;
        let state = DocumentState::stored(row.text()?)?;
        let header = DocumentHeader {
            kind,
            store: stored(StoreName::new(row.text()?))?,
            to_store: row.text_or_null()?.map(StoreName::new).map(stored).transpose()?,
            in_transit: row.bool()?,
            effective_at: row.time_or_null()?,
            reference: row.text_or_null()?.map(Reference::new).map(stored).transpose()?,
            note: row.text_or_null()?.map(DocumentNote::new).map(stored).transpose()?,
            about: row.uuid_or_null()?.map(DocumentId::new).map(stored).transpose()?,
            extra: row.text_or_null()?.map(Json::stored).transpose()?,
        };
        Ok(StockDocument {
            id,
            header,
            state,
            currency: stored(Currency::parse(row.text()?))?,
            parts: number(row.int()?)?,
            lines: number(row.int()?)?,
            skipped: number(row.int()?)?,
            cost: row.int()?,
            effective_at: row.time_or_null()?,
            posted_at: row.time_or_null()?,
            reversed_by: row.uuid_or_null()?.map(DocumentId::new).map(stored).transpose()?,
            followers: number(row.int()?)?,
            followed_at: row.time_or_null()?,
            hold: row.uuid_or_null()?.map(HoldId::new).map(stored).transpose()?,
            created_at: row.time()?,
            version: row.int()?,
        })
    }

    versioned!();
}
