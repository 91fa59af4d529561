//! The money has come: exactly one of a reservation, a refund or a case follows, whenever it comes.

use super::process::{hold_of, refused, report, report_refunded_elsewhere, stay_of};
use crate::kernel::{ConvertMode, Facts, Halt, Hold, HoldId, HoldState, Invalid, Refusal, Stop};
use crate::operations::Trouble;
use crate::stays::booking::{
    NewReservation, ask_refund, book, change_payment, close_checkout, derived_hold, place_and_book, property_of,
    reserve,
};
use crate::stays::{Payment, PaymentState, Reservation, ReservationSource, Resolution, Stay, today};

pub(super) const CASE_AMOUNT_MISMATCH: &str = "amount-mismatch";
pub(super) const CASE_LATE_PAYMENT: &str = "late-payment";
pub(super) const CASE_PAID_TWICE: &str = "paid-twice";
const CASE_REFUNDED_BEFORE: &str = "refunded-elsewhere";

pub(super) fn paid(
    facts: &mut Facts,
    known: &Payment,
    amount: i64,
    currency: &str,
) -> Result<&'static str, Stop<Trouble>> {
    if known.resolution.is_some() {
        return Ok("repeated");
    }
    let same_currency = currency.eq_ignore_ascii_case(known.currency.as_str());
    let payment = change_payment(facts, &known.key, |payment| {
        payment.received = if same_currency { amount.max(0) } else { 0 };
        payment.advance(PaymentState::Succeeded);
        payment.advance_by_refunds();
    })?;
    if !same_currency || amount != payment.amount {
        let summary = format!(
            "{amount} {} came for the stay {}, which costs {} {}: nothing was booked. Book it by hand, or give the money back",
            currency.to_ascii_uppercase(),
            payment.hold,
            payment.amount,
            payment.currency
        );
        report(facts, CASE_AMOUNT_MISMATCH, &payment, summary)?;
        return resolved(facts, &payment, Resolution::Case, "amount_mismatch");
    }
    if payment.given_back() >= payment.received {
        let summary = format!(
            "The payment {} of the stay {} had gone back before we heard of it: nothing was booked",
            payment.key.object, payment.hold
        );
        report(facts, CASE_REFUNDED_BEFORE, &payment, summary)?;
        return resolved(facts, &payment, Resolution::Case, "refunded_before");
    }
    let stay = stay_of(facts, &payment)?;
    if let Some(reservation) = facts.get::<Reservation>(&stay.hold)?.cloned() {
        return paid_twice(facts, &payment, &reservation);
    }
    let hold = hold_of(facts, &payment)?;
    match hold.state_at(facts.now()) {
        HoldState::Active => {
            book(facts, hold.id).map_err(refused)?;
            reserved(facts, &payment, &stay, hold.id, ReservationSource::Payment)
        }
        // Somebody booked it, but made no reservation of it.
        HoldState::Converted if has_all_rooms(&hold) => {
            reserved(facts, &payment, &stay, hold.id, ReservationSource::Payment)
        }
        state @ (HoldState::Converted | HoldState::Cancelled | HoldState::Expired) => {
            late(facts, &payment, &stay, state)
        }
    }
}

fn has_all_rooms(hold: &Hold) -> bool {
    hold.kept.as_ref().is_some_and(|kept| kept.mode == ConvertMode::Book && kept.lines == hold.lines)
}

fn resolved(
    facts: &mut Facts,
    payment: &Payment,
    resolution: Resolution,
    outcome: &'static str,
) -> Result<&'static str, Stop<Trouble>> {
    change_payment(facts, &payment.key, |payment| payment.resolution = Some(resolution))?;
    Ok(outcome)
}

fn reserved(
    facts: &mut Facts,
    payment: &Payment,
    stay: &Stay,
    booked_by: HoldId,
    source: ReservationSource,
) -> Result<&'static str, Stop<Trouble>> {
    let (paid, refunded, session) = (payment.received, payment.given_back(), payment.key.object.clone());
    reserve(facts, stay, NewReservation { booked_by, source, paid, refunded, payment: Some(session) })?;
    // There may be another page on which it could be paid again.
    close_checkout(facts, stay)?;
    if payment.refunded_elsewhere > 0 {
        report_refunded_elsewhere(facts, payment)?;
    }
    resolved(facts, payment, Resolution::Reservation, "reserved")
}

fn paid_twice(facts: &mut Facts, payment: &Payment, reservation: &Reservation) -> Result<&'static str, Stop<Trouble>> {
    let refund = ask_refund(facts, &payment.key, payment.received)?;
    let summary = format!(
        "The stay {} was booked already ({}) when the payment {} came. {refund} {} go back by themselves; see that they do",
        payment.hold, reservation.source, payment.key.object, payment.currency
    );
    report(facts, CASE_PAID_TWICE, payment, summary)?;
    resolved(facts, payment, Resolution::Refund, "paid_twice")
}

/// The hold has ended before the money came. The guest has paid: the rooms are theirs if they can still be had.
fn late(facts: &mut Facts, payment: &Payment, stay: &Stay, state: HoldState) -> Result<&'static str, Stop<Trouble>> {
    let state = state.as_str();
    match book_anew(facts, stay)? {
        Ok(booked_by) => {
            let summary = format!(
                "The stay {} was paid after its hold was {state}. Its rooms were free and are booked; nothing is left to do",
                payment.hold
            );
            report(facts, CASE_LATE_PAYMENT, payment, summary)?;
            reserved(facts, payment, stay, booked_by, ReservationSource::LatePayment)?;
            Ok("booked_anew")
        }
        Err(why) => {
            let refund = ask_refund(facts, &payment.key, payment.received)?;
            let summary = format!(
                "The stay {} was paid after its hold was {state}, and cannot be had any more: {why}. {refund} {} go back by themselves; tell the guest",
                payment.hold, payment.currency
            );
            report(facts, CASE_LATE_PAYMENT, payment, summary)?;
            resolved(facts, payment, Resolution::Refund, "refunded")
        }
    }
}

/// The hold that now has the rooms, or why there is none.
fn book_anew(facts: &mut Facts, stay: &Stay) -> Result<Result<HoldId, String>, Stop<Trouble>> {
    let (now, property) = (facts.now(), property_of(facts, &stay.property)?);
    if stay.dates.checkin() < today(&property.time_zone, now) {
        return Ok(Err("its first night is over".to_owned()));
    }
    let lines = stay.lines().map_err(|invalid: Invalid| Trouble::permanent("malformed", invalid.to_string()))?;
    let id = derived_hold(stay.hold, now);
    // Looked up, not assumed: what follows a refusal is not a refusal.
    let taken: Result<bool, Halt> = facts.get::<Hold>(&id).map(|hold| hold.is_some());
    if taken? {
        return Err(Trouble::retry("id-taken", format!("hold {id} exists")).into());
    }
    match place_and_book(facts, id, lines, stay.conversation.clone()) {
        Ok(_) => Ok(Ok(id)),
        Err(Stop::Halted(halt)) => Err(halt.into()),
        Err(Stop::Refused(
            refusal @ (Refusal::SoldOut { .. } | Refusal::PoolClosed { .. } | Refusal::PoolNotFound { .. }),
        )) => Ok(Err(refusal.to_string())),
        Err(stop @ Stop::Refused(_)) => Err(refused(stop)),
    }
}
