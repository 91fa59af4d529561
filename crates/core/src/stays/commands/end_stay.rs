//! The ways a held stay ends without an online payment: given up, or booked at the desk.

use super::create_stay::{StayReply, stay_reply};
use super::paid_amount;
use crate::kernel::commands::CancelHold;
use crate::kernel::{Command, Facts, Hold, HoldId, Invalid, Reads, Stop};
use crate::stays::booking::{NewReservation, book, change_stay, close_checkout, reserve};
use crate::stays::{Reservation, ReservationSource, Stay, StayRefusal};

/// Gives the rooms back, and takes the page away on which they could be paid. A repeat finds the stay cancelled.
///
/// Refuses, in this order: no such stay; then as [`CancelHold`] does.
#[derive(Clone, Debug)]
pub struct CancelStay {
    pub hold: HoldId,
}

impl Command for CancelStay {
    const NAME: &'static str = "cancel_stay";
    type Reply = StayReply;
    type Refusal = StayRefusal;

    fn reads(&self, reads: &mut Reads<'_>) {
        reads.record::<Stay>(&self.hold);
        reads.record::<Hold>(&self.hold);
    }

    fn decide(&self, facts: &mut Facts) -> Result<StayReply, Stop<StayRefusal>> {
        let stay = stay_reply(facts, self.hold)?.stay;
        CancelHold { id: self.hold }.decide(facts)?;
        change_stay(facts, self.hold, |stay| stay.awaiting_payment = false)?;
        close_checkout(facts, &stay)?;
        stay_reply(facts, self.hold)
    }
}

/// Books the rooms without an online payment. A repeat with the same amount is answered with the reservation.
///
/// Refuses, in this order: no such stay; booked already, otherwise; the hold has ended.
#[derive(Clone, Debug)]
pub struct ConfirmStay {
    hold: HoldId,
    paid: i64,
}

impl ConfirmStay {
    /// So much was paid at the desk.
    pub fn new(hold: HoldId, paid: i64) -> Result<ConfirmStay, Invalid> {
        Ok(ConfirmStay { hold, paid: paid_amount(paid)? })
    }
}

impl Command for ConfirmStay {
    const NAME: &'static str = "confirm_stay";
    type Reply = StayReply;
    type Refusal = StayRefusal;

    fn reads(&self, reads: &mut Reads<'_>) {
        reads.record::<Stay>(&self.hold);
        reads.record::<Hold>(&self.hold);
        reads.record::<Reservation>(&self.hold);
    }

    fn decide(&self, facts: &mut Facts) -> Result<StayReply, Stop<StayRefusal>> {
        let known = stay_reply(facts, self.hold)?;
        if let Some(reservation) = &known.reservation {
            let (made_by, paid) = (reservation.source, reservation.paid);
            if made_by == ReservationSource::Desk && paid == self.paid {
                facts.mark_replayed();
                return Ok(known);
            }
            return Err(StayRefusal::ReservationExists { hold: self.hold, source: made_by, paid }.into());
        }
        book(facts, self.hold)?;
        let (source, paid) = (ReservationSource::Desk, self.paid);
        let new = NewReservation { booked_by: self.hold, source, paid, refunded: 0, payment: None };
        reserve(facts, &known.stay, new)?;
        close_checkout(facts, &known.stay)?;
        stay_reply(facts, self.hold)
    }
}
