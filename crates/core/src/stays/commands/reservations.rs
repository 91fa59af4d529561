//! What can happen to a reservation: it is cancelled, nobody comes, or it is changed.

use jiff::civil::Date;
use serde::{Deserialize, Serialize};

use super::Decision;
use super::rooms::{WantedRooms, ask_for_rooms, priced};
use crate::kernel::commands::{GiveBack, MoveBooked};
use crate::kernel::{Command, Facts, Hold, HoldId, Invalid, Lines, Reads, Stop};
use crate::operations::Actor;
use crate::stays::booking::{ask_refund, property_of};
use crate::stays::records::{lines_of, total_of};
use crate::stays::{
    Payment, PaymentKey, Property, Reservation, ReservationState, StayDates, StayRefusal, StayRoom, StaysEvent,
    check_in_at, price_longer_now, today,
};

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ReservationReply {
    pub reservation: Reservation,
    /// What this command asked to be given back.
    pub refund: i64,
    /// What is still owed when all refunds that were asked for are done; below zero, what was paid too much.
    pub balance: i64,
}

fn reservation(facts: &mut Facts, hold: HoldId) -> Decision<Reservation> {
    Ok(facts.get::<Reservation>(&hold)?.ok_or(StayRefusal::ReservationNotFound { hold })?.clone())
}

/// Also counts refunds that are on their way.
fn balance(facts: &mut Facts, reservation: &Reservation) -> Decision<i64> {
    let payment = match &reservation.payment {
        Some(session) => facts.get::<Payment>(&PaymentKey::stripe(session))?,
        None => None,
    };
    Ok(reservation.balance_after_refunds(payment))
}

fn reply(facts: &mut Facts, reservation: Reservation, refund: i64) -> Decision<ReservationReply> {
    let balance = balance(facts, &reservation)?;
    Ok(ReservationReply { reservation, refund, balance })
}

/// Gives back what was paid online beyond what is owed.
fn refund_excess(facts: &mut Facts, reservation: &Reservation) -> Decision<i64> {
    let excess = balance(facts, reservation)?.saturating_neg();
    match &reservation.payment {
        Some(session) => {
            let key = PaymentKey::stripe(session);
            // What did not arrive is a person's to give back, and may have been given already.
            let failed = facts.get::<Payment>(&key)?.map_or(0, |payment| payment.refund_failed);
            Ok(ask_refund(facts, &key, excess.saturating_sub(failed))?)
        }
        None => Ok(0),
    }
}

fn booked_lines(facts: &mut Facts, reservation: &Reservation) -> Decision<Option<Lines>> {
    let kept = facts.get::<Hold>(&reservation.booked_by)?.and_then(|hold| hold.kept.as_ref());
    Ok(kept.map(|kept| kept.lines.clone()).filter(|lines| !lines.is_empty()))
}

/// Nights that are over stay booked: they were.
fn give_back_coming_nights(facts: &mut Facts, property: &Property, reservation: &Reservation) -> Decision<()> {
    let today = today(&property.time_zone, facts.now());
    let Some(lines) = booked_lines(facts, reservation)? else { return Ok(()) };
    let coming: Vec<_> =
        lines.iter().filter(|line| line.pool.slot.date().is_none_or(|night| night >= today)).cloned().collect();
    if coming.is_empty() {
        return Ok(());
    }
    let part = Some(Lines::new(coming).map_err(StayRefusal::from)?);
    GiveBack { id: reservation.booked_by, part }.decide(facts)?;
    Ok(())
}

struct End {
    state: ReservationState,
    penalty: i64,
    waived_by: Option<Actor>,
}

fn end(facts: &mut Facts, known: &Reservation, property: &Property, end: End) -> Decision<ReservationReply> {
    give_back_coming_nights(facts, property, known)?;
    let now = facts.now();
    let reservation = facts.get_mut::<Reservation>(&known.hold)?.expect("just read");
    reservation.state = end.state;
    // Never more than what was agreed on.
    reservation.penalty = end.penalty.clamp(0, reservation.total);
    reservation.waived_by = end.waived_by;
    reservation.updated_at = now;
    reservation.ended_at = Some(now);
    let reservation = reservation.clone();
    let refund = refund_excess(facts, &reservation)?;
    reply(facts, reservation, refund)
}

/// What the nights cost that are over.
fn slept(room: &StayRoom, dates: StayDates, today: Date) -> i64 {
    let nights = dates.nights().zip(room.night_totals());
    nights.take_while(|(night, _)| *night < today).map(|(_, total)| total).sum()
}

/// Cancels, for what the conditions say that it costs, and never for less than the nights that are over. A repeat finds
/// the reservation cancelled.
///
/// Refuses, in this order: no such reservation; it has ended otherwise.
#[derive(Clone, Debug)]
pub struct CancelReservation {
    pub hold: HoldId,
    /// Who lets the guest go without paying for any of it.
    pub waived_by: Option<Actor>,
}

impl Command for CancelReservation {
    const NAME: &'static str = "cancel_reservation";
    type Reply = ReservationReply;
    type Refusal = StayRefusal;

    fn reads(&self, reads: &mut Reads<'_>) {
        reads.record::<Reservation>(&self.hold);
    }

    fn decide(&self, facts: &mut Facts) -> Result<ReservationReply, Stop<StayRefusal>> {
        let known = reservation(facts, self.hold)?;
        match known.state {
            ReservationState::Confirmed => {}
            ReservationState::Cancelled => {
                facts.mark_replayed();
                return reply(facts, known, 0);
            }
            state @ ReservationState::NoShow => {
                return Err(StayRefusal::ReservationEnded { reservation_state: state }.into());
            }
        }
        let (property, now) = (property_of(facts, &known.property)?, facts.now());
        let arrival = check_in_at(&property.time_zone, known.dates.checkin(), property.check_in);
        let today = today(&property.time_zone, now);
        let kept = |room: &StayRoom| {
            let penalty = room.cancellation.penalty(&room.night_totals(), now, arrival);
            penalty.max(slept(room, known.dates, today))
        };
        let penalty = match self.waived_by {
            Some(_) => 0,
            None => known.rooms.iter().map(kept).sum(),
        };
        let (state, waived_by) = (ReservationState::Cancelled, self.waived_by.clone());
        let reply = end(facts, &known, &property, End { state, penalty, waived_by })?;
        let (hold, refund) = (self.hold, reply.refund);
        facts.emit(&StaysEvent::ReservationCancelled { hold, penalty: reply.reservation.penalty, refund }.into());
        Ok(reply)
    }
}

/// Nobody came. The nights that are not over are free again. A repeat finds it said.
///
/// Refuses, in this order: no such reservation; it has ended otherwise; the day of arrival has not begun, so that nobody
/// can be missed.
#[derive(Clone, Debug)]
pub struct NoShow {
    pub hold: HoldId,
    pub waived_by: Option<Actor>,
}

impl Command for NoShow {
    const NAME: &'static str = "no_show";
    type Reply = ReservationReply;
    type Refusal = StayRefusal;

    fn reads(&self, reads: &mut Reads<'_>) {
        reads.record::<Reservation>(&self.hold);
    }

    fn decide(&self, facts: &mut Facts) -> Result<ReservationReply, Stop<StayRefusal>> {
        let known = reservation(facts, self.hold)?;
        match known.state {
            ReservationState::Confirmed => {}
            ReservationState::NoShow => {
                facts.mark_replayed();
                return reply(facts, known, 0);
            }
            state @ ReservationState::Cancelled => {
                return Err(StayRefusal::ReservationEnded { reservation_state: state }.into());
            }
        }
        let property = property_of(facts, &known.property)?;
        let (today, checkin) = (today(&property.time_zone, facts.now()), known.dates.checkin());
        if today < checkin {
            return Err(StayRefusal::GuestsMayStillCome { checkin, today }.into());
        }
        let penalty = match self.waived_by {
            Some(_) => 0,
            None => known.rooms.iter().map(|room| room.cancellation.no_show_penalty(&room.night_totals())).sum(),
        };
        let (state, waived_by) = (ReservationState::NoShow, self.waived_by.clone());
        let reply = end(facts, &known, &property, End { state, penalty, waived_by })?;
        let (hold, refund) = (self.hold, reply.refund);
        facts.emit(&StaysEvent::ReservationNoShow { hold, penalty: reply.reservation.penalty, refund }.into());
        Ok(reply)
    }
}

/// Other nights, other rooms or another plan, at their present price, all or nothing. Rooms of a plan that stays keep
/// the conditions that were promised. Guests who are in the house may stay longer or leave earlier: only nights that are
/// added have a new price. A repeat finds it changed.
///
/// Refuses, in this order: no such reservation; it has ended; it has begun, and more would change than its coming nights;
/// no such room type or rate plan; not for sale; too many lines; then as moving booked units does.
#[derive(Clone, Debug)]
pub struct ChangeReservation {
    hold: HoldId,
    dates: StayDates,
    rooms: Vec<WantedRooms>,
    refund_excess: bool,
}

impl ChangeReservation {
    pub fn new(hold: HoldId, dates: StayDates, rooms: Vec<WantedRooms>) -> Result<ChangeReservation, Invalid> {
        WantedRooms::check(&rooms)?;
        Ok(ChangeReservation { hold, dates, rooms, refund_excess: false })
    }

    /// What was paid online beyond the new price goes back.
    #[must_use]
    pub fn refund_excess(mut self) -> ChangeReservation {
        self.refund_excess = true;
        self
    }

    fn priced(&self, facts: &mut Facts, property: &Property, known: &Reservation) -> Decision<Vec<StayRoom>> {
        let mut rooms = Vec::with_capacity(self.rooms.len());
        for wanted in &self.rooms {
            let room = priced(facts, property, &wanted.room_type, &wanted.rate_plan, self.dates)?;
            let promised = known.rooms.iter().find(|before| before.rate_plan == wanted.rate_plan);
            let cancellation = promised.map_or(room.cancellation, |before| before.cancellation);
            rooms.push(StayRoom { rooms: wanted.rooms, cancellation, ..room });
        }
        Ok(rooms)
    }

    /// The same rooms, and what was agreed on for the nights that stay.
    fn priced_in_the_house(&self, facts: &mut Facts, known: &Reservation, today: Date) -> Decision<Vec<StayRoom>> {
        let (checkin, until) = (known.dates.checkin(), known.dates.checkout());
        let same_rooms = WantedRooms::is_of(&self.rooms, &known.rooms);
        if !same_rooms || self.dates.checkin() != checkin || self.dates.checkout().min(until) < today {
            return Err(StayRefusal::StayHasBegun { checkin, today }.into());
        }
        let mut rooms = known.rooms.to_vec();
        for room in &mut rooms {
            if self.dates.checkout() > until {
                let longer = price_longer_now(facts, &known.property, room, self.dates, until)?;
                let (room_type, rate_plan) = (room.room_type.clone(), room.rate_plan.clone());
                let refusal = |why| StayRefusal::NotForSale { room_type, rate_plan, why };
                room.prices.extend(longer.map_err(refusal)?);
            } else {
                room.prices.truncate(self.dates.nights().count());
            }
        }
        Ok(rooms)
    }
}

impl Command for ChangeReservation {
    const NAME: &'static str = "change_reservation";
    type Reply = ReservationReply;
    type Refusal = StayRefusal;

    fn reads(&self, reads: &mut Reads<'_>) {
        reads.record::<Reservation>(&self.hold);
    }

    fn decide(&self, facts: &mut Facts) -> Result<ReservationReply, Stop<StayRefusal>> {
        let known = reservation(facts, self.hold)?;
        match known.state {
            ReservationState::Confirmed => {}
            state @ (ReservationState::Cancelled | ReservationState::NoShow) => {
                return Err(StayRefusal::ReservationEnded { reservation_state: state }.into());
            }
        }
        if known.dates == self.dates && WantedRooms::is_of(&self.rooms, &known.rooms) {
            facts.mark_replayed();
            return reply(facts, known, 0);
        }
        ask_for_rooms(facts, &known.property, self.rooms.iter().map(WantedRooms::parts), self.dates);
        facts.ask::<Hold>(&known.booked_by);
        let property = property_of(facts, &known.property)?;
        let today = today(&property.time_zone, facts.now());
        let rooms = if known.dates.checkin() < today {
            self.priced_in_the_house(facts, &known, today)?
        } else {
            self.priced(facts, &property, &known)?
        };
        let to = lines_of(&known.property, self.dates, &rooms).map_err(StayRefusal::from)?;
        match booked_lines(facts, &known)? {
            // Another plan for the same rooms moves nothing.
            Some(from) if from == to => {}
            Some(from) => drop(MoveBooked { id: known.booked_by, from, to }.decide(facts)?),
            None => return Err(crate::kernel::Refusal::NothingBooked.into()),
        }
        let now = facts.now();
        let reservation = facts.get_mut::<Reservation>(&self.hold)?.expect("just read");
        reservation.dates = self.dates;
        reservation.total = total_of(&rooms);
        reservation.rooms = rooms.into();
        reservation.updated_at = now;
        let reservation = reservation.clone();
        let refund = if self.refund_excess { refund_excess(facts, &reservation)? } else { 0 };
        let (hold, total) = (self.hold, reservation.total);
        facts.emit(&StaysEvent::ReservationChanged { hold, total, refund }.into());
        reply(facts, reservation, refund)
    }
}
