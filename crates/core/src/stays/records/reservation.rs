//! A stay that was booked. Its id is that of the hold that it came from, so that a hold has one at most.

use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};
use smol_str::SmolStr;

use crate::kernel::{
    Column, ColumnType, Columns, Corrupt, Currency, HoldId, JsonList, Record, Row, Table, Timestamp, Value, words,
};
use crate::operations::{Actor, versioned};
use crate::stays::{PropertyName, StayDates};

use super::{Payment, StayRoom, stored, stored_date, stored_dates};

words!(ReservationState {
    Confirmed = "confirmed",
    Cancelled = "cancelled",
    NoShow = "no_show",
});

words!(
    /// How it came about.
    ReservationSource {
        Payment = "payment",
        /// Paid after the hold had ended, and booked anew.
        LatePayment = "late_payment",
        Desk = "desk",
        WalkIn = "walk_in",
    }
);

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Reservation {
    /// The hold of the stay.
    pub hold: HoldId,
    /// The hold that has the booked units: another one if the first had ended when the money came.
    pub booked_by: HoldId,
    pub property: PropertyName,
    pub state: ReservationState,
    #[serde(flatten)]
    pub dates: StayDates,
    pub rooms: JsonList<StayRoom>,
    pub total: i64,
    pub paid: i64,
    pub refunded: i64,
    /// What is kept of a reservation that was cancelled or not used.
    pub penalty: i64,
    /// Who let the guest go without the penalty.
    pub waived_by: Option<Actor>,
    pub currency: Currency,
    pub source: ReservationSource,
    /// The session through which it was paid, if it was paid online.
    pub payment: Option<SmolStr>,
    pub created_at: Timestamp,
    pub updated_at: Timestamp,
    pub ended_at: Option<Timestamp>,
    pub version: i64,
}

impl Reservation {
    /// What is still owed; below zero, what was paid too much.
    pub fn balance(&self) -> i64 {
        let due = match self.state {
            ReservationState::Confirmed => self.total,
            ReservationState::Cancelled | ReservationState::NoShow => self.penalty,
        };
        due.saturating_sub(self.paid).saturating_add(self.refunded)
    }

    /// What is still owed when the refunds are done that were asked for. `payment` is the one that it was paid with.
    pub fn balance_after_refunds(&self, payment: Option<&Payment>) -> i64 {
        let on_the_way = payment.map_or(0, |payment| {
            payment.refund_asked.saturating_add(payment.refunded_elsewhere).saturating_sub(payment.refunded).max(0)
        });
        self.balance().saturating_add(on_the_way)
    }

    pub fn code(&self) -> SmolStr {
        confirmation_code(self.hold)
    }
}

const CODE_LETTERS: usize = 8;
const CROCKFORD: &[u8; 32] = b"0123456789ABCDEFGHJKMNPQRSTVWXYZ";

/// What people read to each other. For show only: two reservations may share one.
pub fn confirmation_code(hold: HoldId) -> SmolStr {
    let hash = Sha256::digest(hold.uuid().as_bytes());
    hash.iter().take(CODE_LETTERS).map(|byte| char::from(CROCKFORD[usize::from(byte & 31)])).collect()
}

impl Record for Reservation {
    const TABLE: &'static Table = &Table {
        name: "reservations",
        columns: &[
            Column::fixed("hold", ColumnType::Uuid),
            Column::fixed("booked_by", ColumnType::Uuid),
            Column::fixed("property", ColumnType::Text),
            Column::changing("state", ColumnType::Text),
            Column::changing("checkin", ColumnType::Text),
            Column::changing("checkout", ColumnType::Text),
            Column::changing("rooms", ColumnType::Json),
            Column::changing("total", ColumnType::Int),
            Column::changing("paid", ColumnType::Int),
            Column::changing("refunded", ColumnType::Int),
            Column::changing("penalty", ColumnType::Int),
            Column::changing("waived_by", ColumnType::Text),
            Column::fixed("currency", ColumnType::Text),
            Column::fixed("source", ColumnType::Text),
            Column::fixed("payment", ColumnType::Text),
            Column::fixed("created_at", ColumnType::Time),
            Column::changing("updated_at", ColumnType::Time),
            Column::changing("ended_at", ColumnType::Time),
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
        out.put(Value::Uuid(self.booked_by.uuid()));
        out.put(Value::Text(self.property.as_str()));
        out.put(Value::Text(self.state.as_str()));
        out.put(Value::Text(self.dates.checkin_text()));
        out.put(Value::Text(self.dates.checkout_text()));
        out.put_text(self.rooms.as_json());
        out.put(Value::Int(self.total));
        out.put(Value::Int(self.paid));
        out.put(Value::Int(self.refunded));
        out.put(Value::Int(self.penalty));
        out.put_text(self.waived_by.as_ref().map(Actor::as_str));
        out.put(Value::Text(self.currency.as_str()));
        out.put(Value::Text(self.source.as_str()));
        out.put_text(self.payment.as_deref());
        out.put(Value::Time(self.created_at));
        out.put(Value::Time(self.updated_at));
        out.put_time(self.ended_at);
    }

    fn read(row: &mut dyn Row) -> Result<Reservation, Corrupt> {
        let hold = stored(HoldId::new(row.uuid()?))?;
        let booked_by = stored(HoldId::new(row.uuid()?))?;
        let property = stored(PropertyName::new(row.text()?))?;
        let state = ReservationState::stored(row.text()?)?;
        let (checkin, checkout) = (stored_date(row.text()?)?, stored_date(row.text()?)?);
        Ok(Reservation {
            hold,
            booked_by,
            property,
            state,
            dates: stored_dates(checkin, checkout)?,
            rooms: JsonList::stored(row.text_or_null()?)?,
            total: row.int()?,
            paid: row.int()?,
            refunded: row.int()?,
            penalty: row.int()?,
            waived_by: row.text_or_null()?.map(Actor::stored),
            currency: stored(Currency::parse(row.text()?))?,
            source: ReservationSource::stored(row.text()?)?,
            payment: row.text_or_null()?.map(SmolStr::new),
            created_at: row.time()?,
            updated_at: row.time()?,
            ended_at: row.time_or_null()?,
            version: row.int()?,
        })
    }

    versioned!();
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn codes_are_stable() {
        let code = |id: &str| confirmation_code(HoldId::parse(id).unwrap());
        let (one, other) = (code("01980000-0000-7000-8000-000000000001"), code("01980000-0000-7000-8000-000000000002"));
        assert_ne!(one, other);
        assert_eq!(one, code("01980000-0000-7000-8000-000000000001"));
        assert!(one.len() == CODE_LETTERS && one.bytes().all(|byte| CROCKFORD.contains(&byte)), "{one}");
    }
}
