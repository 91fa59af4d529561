//! What a hold is about: which rooms of which property, for which nights, at which price.
//! Whether it is still held is not said here but by the hold, and whether it was booked by the reservation.

use serde::{Deserialize, Serialize};
use smol_str::SmolStr;

use crate::kernel::{
    Column, ColumnType, Columns, Corrupt, Currency, HoldId, Invalid, Json, JsonList, Lines, Record, Reference, Row,
    Table, Timestamp, Value,
};
use crate::operations::{OperationKey, versioned};
use crate::stays::operations::checkout_key;
use crate::stays::{PropertyName, QuoteId, RatePlanCode, RoomTypeCode, StayDates, stay_lines};

use super::{CancellationPolicy, stored, stored_date, stored_dates};

/// Rooms of one type at one price.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct StayRoom {
    pub room_type: RoomTypeCode,
    pub rate_plan: RatePlanCode,
    pub rooms: u32,
    /// Of one room, per night.
    pub prices: Vec<i64>,
    /// As it was promised.
    pub cancellation: CancellationPolicy,
}

impl StayRoom {
    /// Of all its rooms, per night.
    pub(crate) fn night_totals(&self) -> Vec<i64> {
        self.prices.iter().map(|price| price.strict_mul(i64::from(self.rooms))).collect()
    }

    pub(crate) fn total(&self) -> i64 {
        self.night_totals().iter().sum()
    }
}

pub(crate) fn total_of(rooms: &[StayRoom]) -> i64 {
    rooms.iter().map(StayRoom::total).sum()
}

/// What is claimed from the pools: each type of room on each night once, whatever its rate plans.
pub(crate) fn lines_of(property: &PropertyName, dates: StayDates, rooms: &[StayRoom]) -> Result<Lines, Invalid> {
    let rooms: Vec<_> = rooms.iter().map(|room| (room.room_type.clone(), room.rooms)).collect();
    stay_lines(property, &rooms, dates)
}

/// The latest page on which the stay can be paid.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Checkout {
    /// Counts the pages that were asked for.
    pub number: u32,
    /// Where the page is, once it is there.
    pub page: Option<CheckoutPage>,
    pub expires_at: Timestamp,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct CheckoutPage {
    pub session: SmolStr,
    pub url: SmolStr,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Stay {
    pub hold: HoldId,
    pub property: PropertyName,
    pub quote: Option<QuoteId>,
    /// Where it was agreed on.
    pub conversation: Option<Reference>,
    #[serde(flatten)]
    pub dates: StayDates,
    pub rooms: JsonList<StayRoom>,
    pub total: i64,
    pub currency: Currency,
    // As its column: `checkout` is the day of departure, and replies are kept as JSON.
    #[serde(rename = "checkout_session")]
    pub checkout: Option<Json<Checkout>>,
    /// The payer is done, and the money is on its way.
    pub awaiting_payment: bool,
    pub created_at: Timestamp,
    pub updated_at: Timestamp,
    pub version: i64,
}

impl Stay {
    pub(crate) fn lines(&self) -> Result<Lines, Invalid> {
        lines_of(&self.property, self.dates, &self.rooms)
    }

    pub fn page(&self) -> Option<&CheckoutPage> {
        self.checkout.as_ref().and_then(|checkout| checkout.page.as_ref())
    }

    /// The operation that makes the latest page, or has made it.
    pub fn checkout_operation(&self) -> Option<OperationKey> {
        self.checkout.as_ref().map(|checkout| checkout_key(self.hold, checkout.number))
    }
}

impl Record for Stay {
    const TABLE: &'static Table = &Table {
        name: "stays",
        columns: &[
            Column::fixed("hold", ColumnType::Uuid),
            Column::fixed("property", ColumnType::Text),
            Column::fixed("quote", ColumnType::Uuid),
            Column::fixed("conversation", ColumnType::Text),
            Column::fixed("checkin", ColumnType::Text),
            Column::fixed("checkout", ColumnType::Text),
            Column::fixed("rooms", ColumnType::Json),
            Column::fixed("total", ColumnType::Int),
            Column::fixed("currency", ColumnType::Text),
            Column::changing("checkout_session", ColumnType::Json),
            Column::changing("awaiting_payment", ColumnType::Bool),
            Column::fixed("created_at", ColumnType::Time),
            Column::changing("updated_at", ColumnType::Time),
        ],
        key_columns: 1,
        due: None,
    };

    type Key = HoldId;

    fn key(&self) -> HoldId {
        self.hold
    }

    fn write_key<'a>(hold: &'a HoldId, out: &mut dyn Columns<'a>) {
        out.put(Value::Uuid(hold.uuid()));
    }

    fn write<'a>(&'a self, out: &mut dyn Columns<'a>) {
        out.put(Value::Uuid(self.hold.uuid()));
        out.put(Value::Text(self.property.as_str()));
        out.put(self.quote.map_or(Value::Null, |quote| Value::Uuid(quote.uuid())));
        out.put_text(self.conversation.as_ref().map(Reference::as_str));
        out.put(Value::Text(self.dates.checkin_text()));
        out.put(Value::Text(self.dates.checkout_text()));
        out.put_text(self.rooms.as_json());
        out.put(Value::Int(self.total));
        out.put(Value::Text(self.currency.as_str()));
        out.put_text(self.checkout.as_ref().map(Json::as_text));
        out.put(Value::Bool(self.awaiting_payment));
        out.put(Value::Time(self.created_at));
        out.put(Value::Time(self.updated_at));
    }

    fn read(row: &mut dyn Row) -> Result<Stay, Corrupt> {
        let hold = stored(HoldId::new(row.uuid()?))?;
        let property = stored(PropertyName::new(row.text()?))?;
        let quote = row.uuid_or_null()?.map(QuoteId::new).map(stored).transpose()?;
        let conversation = row.text_or_null()?.map(Reference::new).map(stored).transpose()?;
        let (checkin, checkout) = (stored_date(row.text()?)?, stored_date(row.text()?)?);
        Ok(Stay {
            hold,
            property,
            quote,
            conversation,
            dates: stored_dates(checkin, checkout)?,
            rooms: JsonList::stored(row.text_or_null()?)?,
            total: row.int()?,
            currency: stored(Currency::parse(row.text()?))?,
            checkout: row.text_or_null()?.map(Json::stored).transpose()?,
            awaiting_payment: row.bool()?,
            created_at: row.time()?,
            updated_at: row.time()?,
            version: row.int()?,
        })
    }

    versioned!();
}
