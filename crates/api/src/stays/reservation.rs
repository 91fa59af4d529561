//! Reservations on the wire.

use surehold_core::kernel::{Currency, HoldId, Invalid, Timestamp};
use surehold_core::operations::Actor;
use surehold_core::stays::commands::{self, ReservationReply};
use surehold_core::stays::{
    self, DisputeState, PaymentState, PropertyName, RatePlanCode, ReservationSource, ReservationState, Resolution,
    RoomTypeCode, StayDates,
};

use super::quote::one;
use super::stay::{booked_rooms, guest_out, is_personal};
use crate::describe::wire;
use crate::{BookedRooms, Day, Guest};

/// Rooms that are asked for by name, at their present price.
#[wire]
pub struct WantedRooms {
    pub room_type: RoomTypeCode,
    pub rate_plan: RatePlanCode,
    #[serde(default = "one")]
    #[schema(minimum = 1, maximum = 100, default = 1)]
    pub rooms: u32,
}

fn wanted(rooms: Vec<WantedRooms>) -> Vec<commands::WantedRooms> {
    let wanted = |WantedRooms { room_type, rate_plan, rooms }| commands::WantedRooms { room_type, rate_plan, rooms };
    rooms.into_iter().map(wanted).collect()
}

/// A guest who stands at the desk: held and booked in one step.
#[wire]
#[schema(example = json!({
    "property": "casa-mar", "checkin": "2099-12-24", "checkout": "2099-12-27",
    "rooms": [{"room_type": "double", "rate_plan": "flexible", "rooms": 1}],
    "guest": {"name": "Ann Example"}, "paid": 135_000
}))]
pub struct WalkIn {
    /// A UUIDv7 of your own: the identity of the request, so that a repeat finds the first reservation. Without it an
    /// `Idempotency-Key` is needed.
    pub id: Option<HoldId>,
    pub property: PropertyName,
    pub checkin: Day,
    pub checkout: Day,
    #[schema(min_items = 1, max_items = 20)]
    pub rooms: Vec<WantedRooms>,
    #[serde(default, skip_serializing_if = "is_personal")]
    pub guest: Guest,
    /// So much was paid at the desk, in minor units.
    #[serde(default)]
    #[schema(minimum = 0, maximum = 1_000_000_000_000_i64, default = 0)]
    pub paid: i64,
}

impl WalkIn {
    pub fn into_command(self, id: HoldId) -> Result<commands::WalkIn, Invalid> {
        let dates = StayDates::new(self.checkin.0, self.checkout.0)?;
        let walk_in = commands::WalkIn::new(id, self.property, dates, wanted(self.rooms))?;
        walk_in.guest(self.guest.into())?.paid(self.paid)
    }
}

#[wire]
#[schema(example = json!({"waived_by": "ana"}))]
pub struct EndReservation {
    /// Who lets the guest go without the penalty; left out, the conditions decide.
    pub waived_by: Option<Actor>,
}

/// The reservation as it is to be.
#[wire]
#[schema(example = json!({
    "checkin": "2099-12-24", "checkout": "2099-12-26",
    "rooms": [{"room_type": "double", "rate_plan": "flexible", "rooms": 1}], "refund_excess": true
}))]
pub struct ChangeReservation {
    pub checkin: Day,
    pub checkout: Day,
    #[schema(min_items = 1, max_items = 20)]
    pub rooms: Vec<WantedRooms>,
    /// What was paid online beyond the new price goes back.
    #[serde(default)]
    pub refund_excess: bool,
}

impl ChangeReservation {
    pub fn into_command(self, hold: HoldId) -> Result<commands::ChangeReservation, Invalid> {
        let dates = StayDates::new(self.checkin.0, self.checkout.0)?;
        let change = commands::ChangeReservation::new(hold, dates, wanted(self.rooms))?;
        Ok(if self.refund_excess { change.refund_excess() } else { change })
    }
}

/// What came through the provider.
#[wire]
pub struct Payment {
    /// The provider's name for the page on which it was paid.
    #[schema(example = "cs_test_a1")]
    pub session: String,
    pub state: PaymentState,
    pub amount: i64,
    pub received: i64,
    /// As far as it is known, by whomever.
    pub refunded: i64,
    /// By refunds that were asked for here, done or not.
    pub refund_asked: i64,
    /// As soon as the money has come.
    pub resolution: Option<Resolution>,
    pub dispute: Option<DisputeState>,
}

impl From<stays::Payment> for Payment {
    fn from(payment: stays::Payment) -> Payment {
        Payment {
            session: payment.key.object.into(),
            state: payment.state,
            amount: payment.amount,
            received: payment.received,
            refunded: payment.refunded,
            refund_asked: payment.refund_asked,
            resolution: payment.resolution,
            dispute: payment.dispute,
        }
    }
}

/// A stay that was booked.
#[wire]
pub struct Reservation {
    /// The id of the hold that it came from.
    pub hold: HoldId,
    /// What people read to each other. For show: two reservations may share one.
    #[schema(example = "7K3M9QXA")]
    pub code: String,
    /// The hold that has the booked rooms: another one if the first had ended when the money came.
    pub booked_by: HoldId,
    pub property: PropertyName,
    pub state: ReservationState,
    pub checkin: Day,
    #[schema(example = "2026-12-27")]
    pub checkout: Day,
    pub rooms: Vec<BookedRooms>,
    pub total: i64,
    pub paid: i64,
    pub refunded: i64,
    /// What is kept of a reservation that was cancelled or not used.
    pub penalty: i64,
    pub waived_by: Option<Actor>,
    /// What is still owed when the refunds are done that were asked for; below zero, what was paid too much.
    pub balance: i64,
    /// What this request asked to be given back.
    pub refund: Option<i64>,
    pub currency: Currency,
    pub source: ReservationSource,
    /// Where the reservation is looked at, if it was paid online.
    pub payment: Option<Payment>,
    /// Where the reservation is looked at. Absent when erased.
    pub guest: Option<Guest>,
    pub guest_erased_at: Option<Timestamp>,
    pub created_at: Timestamp,
    pub updated_at: Timestamp,
    pub ended_at: Option<Timestamp>,
    pub version: i64,
}

impl From<stays::Reservation> for Reservation {
    fn from(reservation: stays::Reservation) -> Reservation {
        Reservation {
            hold: reservation.hold,
            code: reservation.code().into(),
            balance: reservation.balance(),
            rooms: booked_rooms(reservation.dates, &reservation.rooms),
            booked_by: reservation.booked_by,
            property: reservation.property,
            state: reservation.state,
            checkin: Day(reservation.dates.checkin()),
            checkout: Day(reservation.dates.checkout()),
            total: reservation.total,
            paid: reservation.paid,
            refunded: reservation.refunded,
            penalty: reservation.penalty,
            waived_by: reservation.waived_by,
            refund: None,
            currency: reservation.currency,
            source: reservation.source,
            payment: None,
            guest: None,
            guest_erased_at: None,
            created_at: reservation.created_at,
            updated_at: reservation.updated_at,
            ended_at: reservation.ended_at,
            version: reservation.version,
        }
    }
}

impl From<ReservationReply> for Reservation {
    fn from(ReservationReply { reservation, refund, balance }: ReservationReply) -> Reservation {
        Reservation { refund: Some(refund), balance, ..Reservation::from(reservation) }
    }
}

impl Reservation {
    /// Where a single one is looked at.
    pub fn seen(
        reservation: stays::Reservation,
        guest: Option<stays::Guest>,
        payment: Option<stays::Payment>,
    ) -> Reservation {
        let balance = reservation.balance_after_refunds(payment.as_ref());
        let (guest, guest_erased_at) = guest_out(guest);
        let payment = payment.map(Payment::from);
        Reservation { balance, payment, guest, guest_erased_at, ..Reservation::from(reservation) }
    }
}

#[wire(page)]
pub struct ReservationPage {
    pub reservations: Vec<Reservation>,
}
