//! Guests who stand at the desk: held and booked in one step.

use super::create_stay::{StayReply, stay_reply};
use super::rooms::{NewStay, WantedRooms, ask_for_rooms, insert_stay, priced_all};
use super::{known_property, paid_amount};
use crate::kernel::{Command, Facts, Hold, HoldId, Invalid, Reads, Refusal, Stop, Tenant};
use crate::stays::booking::{NewReservation, place_and_book, reserve};
use crate::stays::{
    Guest, GuestDetails, Property, PropertyName, Reservation, ReservationSource, Stay, StayDates, StayRefusal,
};

/// Books rooms at their present price. A repeat with the same id and the same content is answered with the stay as it is
/// now.
///
/// Refuses, in this order: no such tenant; no such property; id used with other content; no such room type or rate plan;
/// not for sale; too many lines; then as placing a hold does.
#[derive(Clone, Debug)]
pub struct WalkIn {
    hold: HoldId,
    property: PropertyName,
    dates: StayDates,
    rooms: Vec<WantedRooms>,
    guest: GuestDetails,
    paid: i64,
}

impl WalkIn {
    pub fn new(
        hold: HoldId,
        property: PropertyName,
        dates: StayDates,
        rooms: Vec<WantedRooms>,
    ) -> Result<WalkIn, Invalid> {
        WantedRooms::check(&rooms)?;
        Ok(WalkIn { hold, property, dates, rooms, guest: GuestDetails::default(), paid: 0 })
    }

    pub fn guest(mut self, guest: GuestDetails) -> Result<WalkIn, Invalid> {
        guest.check()?;
        self.guest = guest;
        Ok(self)
    }

    /// So much was paid at the desk.
    pub fn paid(mut self, paid: i64) -> Result<WalkIn, Invalid> {
        self.paid = paid_amount(paid)?;
        Ok(self)
    }

    /// As it was booked: what was changed since does not matter.
    fn is_request_of(&self, known: &StayReply, guest: Option<&Guest>) -> bool {
        let stay = &known.stay;
        // Who was erased cannot be compared with.
        let same_guest = guest.is_none_or(|guest| guest.erased_at.is_some() || guest.details == self.guest);
        let made = known.reservation.as_ref().is_some_and(|reservation| {
            reservation.source == ReservationSource::WalkIn && reservation.paid == self.paid
        });
        made && same_guest
            && stay.property == self.property
            && stay.dates == self.dates
            && WantedRooms::is_of(&self.rooms, &stay.rooms)
    }
}

impl Command for WalkIn {
    const NAME: &'static str = "walk_in";
    type Reply = StayReply;
    type Refusal = StayRefusal;

    fn reads(&self, reads: &mut Reads<'_>) {
        reads.record::<Tenant>(&());
        reads.record::<Property>(&self.property);
        reads.expect_absent::<Stay>(&self.hold);
        reads.expect_absent::<Guest>(&self.hold);
        reads.expect_absent::<Hold>(&self.hold);
        reads.expect_absent::<Reservation>(&self.hold);
    }

    fn decide(&self, facts: &mut Facts) -> Result<StayReply, Stop<StayRefusal>> {
        let property = known_property(facts, &self.property)?;
        if facts.expect_absent::<Stay>(&self.hold)?.is_some() {
            let known = stay_reply(facts, self.hold)?;
            let guest = facts.get::<Guest>(&self.hold)?.cloned();
            if !self.is_request_of(&known, guest.as_ref()) {
                return Err(StayRefusal::StayIdReused { hold: self.hold }.into());
            }
            facts.mark_replayed();
            return Ok(known);
        }
        if facts.expect_absent::<Hold>(&self.hold)?.is_some() {
            return Err(Refusal::HoldIdReused { hold: self.hold }.into());
        }
        ask_for_rooms(facts, &self.property, self.rooms.iter().map(WantedRooms::parts), self.dates);
        let rooms = priced_all(facts, &property, &self.rooms, self.dates)?;
        let (hold, dates, guest) = (self.hold, self.dates, self.guest.clone());
        let new = NewStay { hold, property, quote: None, conversation: None, dates, rooms, guest };
        let lines = new.lines()?;
        let hold = place_and_book(facts, hold, lines, None)?;
        let stay = insert_stay(facts, new);
        let (source, paid) = (ReservationSource::WalkIn, self.paid);
        let made = NewReservation { booked_by: self.hold, source, paid, refunded: 0, payment: None };
        let reservation = reserve(facts, &stay, made)?;
        Ok(StayReply { stay, hold, reservation: Some(reservation) })
    }
}
