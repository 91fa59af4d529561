//! What was offered to somebody, at which price and until when. Knows nobody: a quote has no guest.

use serde::{Deserialize, Serialize};

use crate::kernel::commands::{ID_AGE_SECS_MAX, ID_AHEAD_SECS_MAX};
use crate::kernel::{Column, ColumnType, Columns, Corrupt, Currency, Json, Record, Row, Table, Timestamp, Value};
use crate::operations::{number, versioned};
use crate::stays::{PropertyName, QuoteId, RatePlanCode, RoomTypeCode, StayDates};

use super::{CancellationPolicy, QuoteOptions, stored, stored_date, stored_dates};

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Quote {
    pub id: QuoteId,
    pub property: PropertyName,
    #[serde(flatten)]
    pub dates: StayDates,
    /// In all rooms together.
    pub guests: u32,
    pub rooms: u32,
    pub currency: Currency,
    pub options: Json<QuoteOptions>,
    pub created_at: Timestamp,
    /// The first instant at which it is no longer good.
    pub valid_until: Timestamp,
    pub version: i64,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct QuoteOption {
    /// From 1, in the order of the quote.
    pub number: u16,
    pub room_type: RoomTypeCode,
    pub rate_plan: RatePlanCode,
    /// Of one room, per night.
    pub prices: Vec<i64>,
    /// Of all nights and all rooms.
    pub total: i64,
    /// Rooms that were free on every night when the quote was made. Not a promise: only a hold is.
    pub available: i64,
    pub cancellation: CancellationPolicy,
}

impl Quote {
    pub fn option(&self, number: u16) -> Option<&QuoteOption> {
        self.options.iter().find(|option| option.number == number)
    }

    pub fn is_good(&self, now: Timestamp) -> bool {
        now < self.valid_until
    }

    /// Whether nobody may come back to it: it is long no longer good, and neither its id nor that of a stay that was made
    /// from it would be taken again.
    pub fn is_spent(&self, now: Timestamp) -> bool {
        self.valid_until <= Quote::spent_before(now)
    }

    /// What was no longer good then is spent now. Whose id is younger than [`ID_AGE_SECS_MAX`] is not among it: an id is
    /// at most [`ID_AHEAD_SECS_MAX`] ahead of its quote.
    pub fn spent_before(now: Timestamp) -> Timestamp {
        now.plus_secs(ID_AGE_SECS_MAX.strict_add(ID_AHEAD_SECS_MAX).strict_neg())
    }
}

impl Record for Quote {
    const TABLE: &'static Table = &Table {
        name: "quotes",
        columns: &[
            Column::fixed("id", ColumnType::Uuid),
            Column::fixed("property", ColumnType::Text),
            Column::fixed("checkin", ColumnType::Text),
            Column::fixed("checkout", ColumnType::Text),
            Column::fixed("guests", ColumnType::Int),
            Column::fixed("rooms", ColumnType::Int),
            Column::fixed("currency", ColumnType::Text),
            Column::fixed("options", ColumnType::Json),
            Column::fixed("created_at", ColumnType::Time),
            Column::changing("valid_until", ColumnType::Time),
        ],
        key_columns: 1,
        due: None,
    };

    type Key = QuoteId;

    fn key(&self) -> QuoteId {
        self.id
    }

    fn write_key<'a>(id: &'a QuoteId, out: &mut dyn Columns<'a>) {
        out.put(Value::Uuid(id.uuid()));
    }

    fn write<'a>(&'a self, out: &mut dyn Columns<'a>) {
        out.put(Value::Uuid(self.id.uuid()));
        out.put(Value::Text(self.property.as_str()));
        out.put(Value::Text(self.dates.checkin_text()));
        out.put(Value::Text(self.dates.checkout_text()));
        out.put(Value::Int(i64::from(self.guests)));
        out.put(Value::Int(i64::from(self.rooms)));
        out.put(Value::Text(self.currency.as_str()));
        out.put(Value::Text(self.options.as_text()));
        out.put(Value::Time(self.created_at));
        out.put(Value::Time(self.valid_until));
    }

    fn read(row: &mut dyn Row) -> Result<Quote, Corrupt> {
        let id = stored(QuoteId::new(row.uuid()?))?;
        let property = stored(PropertyName::new(row.text()?))?;
        let (checkin, checkout) = (stored_date(row.text()?)?, stored_date(row.text()?)?);
        Ok(Quote {
            id,
            property,
            dates: stored_dates(checkin, checkout)?,
            guests: number(row.int()?)?,
            rooms: number(row.int()?)?,
            currency: stored(Currency::parse(row.text()?))?,
            options: Json::stored(row.text()?)?,
            created_at: row.time()?,
            valid_until: row.time()?,
            version: row.int()?,
        })
    }

    versioned!();
}
