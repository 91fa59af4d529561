//! A document: who moves goods, when and why. Its lines are in parts.

use serde::{Deserialize, Serialize};

use crate::kernel::{
    Column, ColumnType, Columnar, Columns, Corrupt, Currency, HoldId, Record, Row, Table, Timestamp, words,
};
use crate::stock::DocumentId;
use crate::stock::content::DocumentHeader;

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

/// By hand, because the state stands between columns of the header.
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
        id.put(out);
    }

    fn write<'a>(&'a self, out: &mut dyn Columns<'a>) {
        let header = &self.header;
        self.id.put(out);
        header.kind.put(out);
        self.state.put(out);
        header.store.put(out);
        header.to_store.put(out);
        header.in_transit.put(out);
        header.effective_at.put(out);
        header.reference.put(out);
        header.note.put(out);
        header.about.put(out);
        header.extra.put(out);
        self.currency.put(out);
        self.parts.put(out);
        self.lines.put(out);
        self.skipped.put(out);
        self.cost.put(out);
        self.effective_at.put(out);
        self.posted_at.put(out);
        self.reversed_by.put(out);
        self.followers.put(out);
        self.followed_at.put(out);
        self.hold.put(out);
        self.created_at.put(out);
    }

    fn read(row: &mut dyn Row) -> Result<StockDocument, Corrupt> {
        let id = Columnar::take(row)?;
        let kind = Columnar::take(row)?;
        let state = Columnar::take(row)?;
        let header = DocumentHeader {
            kind,
            store: Columnar::take(row)?,
            to_store: Columnar::take(row)?,
            in_transit: Columnar::take(row)?,
            effective_at: Columnar::take(row)?,
            reference: Columnar::take(row)?,
            note: Columnar::take(row)?,
            about: Columnar::take(row)?,
            extra: Columnar::take(row)?,
        };
        Ok(StockDocument {
            id,
            header,
            state,
            currency: Columnar::take(row)?,
            parts: Columnar::take(row)?,
            lines: Columnar::take(row)?,
            skipped: Columnar::take(row)?,
            cost: Columnar::take(row)?,
            effective_at: Columnar::take(row)?,
            posted_at: Columnar::take(row)?,
            reversed_by: Columnar::take(row)?,
            followers: Columnar::take(row)?,
            followed_at: Columnar::take(row)?,
            hold: Columnar::take(row)?,
            created_at: Columnar::take(row)?,
            version: Columnar::take(row)?,
        })
    }

    fn version(&self) -> i64 {
        self.version
    }

    fn set_version(&mut self, version: i64) {
        self.version = version;
    }
}
