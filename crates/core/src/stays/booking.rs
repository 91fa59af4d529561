//! From held rooms to a reservation, and from a payment back to the payer. Shared by the commands and by what follows
//! the news of a payment; each of these is part of one transaction.

use sha2::{Digest, Sha256};
use smol_str::SmolStr;
use uuid::Uuid;

use super::operations::{expire_checkout_session, refund_payment};
use super::{
    Payment, PaymentKey, PaymentState, Property, PropertyName, Reservation, ReservationSource, ReservationState, Stay,
    StaysEvent,
};
use crate::kernel::commands::{ConvertHold, PlaceHold};
use crate::kernel::{Command, ConvertMode, Facts, Halt, Hold, HoldId, Lines, Reference, Refusal, Stop, Timestamp};
use crate::operations::{Correlation, enqueue};

/// A hold that has ended is booked anew under this id: made now, and not the caller's to guess or to reuse.
pub(super) fn derived_hold(original: HoldId, now: Timestamp) -> HoldId {
    const TIME_SHIFT: u32 = 80;
    const REST: u128 = (1 << TIME_SHIFT) - 1;
    const VERSION_AND_VARIANT: u128 = 0xf000_c000_0000_0000_0000;
    const V7: u128 = 0x7000_8000_0000_0000_0000;
    let mut hash = Sha256::new();
    hash.update("booked anew ");
    hash.update(original.uuid().as_bytes());
    let digest: [u8; 32] = hash.finalize().into();
    let bits = digest.first_chunk().map_or(0, |bytes: &[u8; 16]| u128::from_be_bytes(*bytes));
    let millis = u128::try_from(now.micros().div_euclid(1_000)).unwrap_or(0);
    let id = (millis << TIME_SHIFT) | (bits & REST & !VERSION_AND_VARIANT) | V7;
    HoldId::new(Uuid::from_u128(id)).expect("version and variant are set")
}

/// Claims and books at once.
pub(super) fn place_and_book(
    facts: &mut Facts,
    id: HoldId,
    lines: Lines,
    reference: Option<Reference>,
) -> Result<Hold, Stop<Refusal>> {
    let place = PlaceHold::new(id, lines);
    match reference {
        Some(reference) => place.reference(reference),
        None => place,
    }
    .decide(facts)?;
    facts.begin_step();
    book(facts, id)
}

pub(super) fn book(facts: &mut Facts, id: HoldId) -> Result<Hold, Stop<Refusal>> {
    let reply = ConvertHold { id, mode: ConvertMode::Book, part: None }.decide(facts)?;
    Ok(reply.hold)
}

pub(super) struct NewReservation {
    pub(super) booked_by: HoldId,
    pub(super) source: ReservationSource,
    pub(super) paid: i64,
    pub(super) refunded: i64,
    pub(super) payment: Option<SmolStr>,
}

/// The stay's rooms are booked.
pub(super) fn reserve(facts: &mut Facts, stay: &Stay, new: NewReservation) -> Result<Reservation, Halt> {
    let now = facts.now();
    let NewReservation { booked_by, source, paid, refunded, payment } = new;
    let reservation = facts.insert(Reservation {
        hold: stay.hold,
        booked_by,
        property: stay.property.clone(),
        state: ReservationState::Confirmed,
        dates: stay.dates,
        rooms: stay.rooms.clone(),
        total: stay.total,
        paid,
        refunded,
        penalty: 0,
        waived_by: None,
        currency: stay.currency,
        source,
        payment,
        created_at: now,
        updated_at: now,
        ended_at: None,
        version: 0,
    });
    let reservation = reservation.clone();
    let (hold, total) = (stay.hold, stay.total);
    facts.emit(&StaysEvent::ReservationMade { hold, booked_by, source, total, paid }.into());
    change_stay(facts, hold, |stay| stay.awaiting_payment = false)?;
    Ok(reservation)
}

pub(super) fn property_of(facts: &mut Facts, name: &PropertyName) -> Result<Property, Halt> {
    Ok(facts.get::<Property>(name)?.expect("a property with stays is never removed").clone())
}

/// Leaves a record alone that is right already.
pub(super) fn change_stay(facts: &mut Facts, hold: HoldId, change: impl FnOnce(&mut Stay)) -> Result<(), Halt> {
    let now = facts.now();
    let known = facts.get::<Stay>(&hold)?.expect("read before");
    let mut changed = known.clone();
    change(&mut changed);
    if changed != *known {
        let stay = facts.get_mut::<Stay>(&hold)?.expect("just read");
        *stay = Stay { updated_at: now, version: stay.version, ..changed };
    }
    Ok(())
}

/// Leaves a record alone that is right already; tells what others can see.
pub(super) fn change_payment(
    facts: &mut Facts,
    key: &PaymentKey,
    change: impl FnOnce(&mut Payment),
) -> Result<Payment, Halt> {
    let now = facts.now();
    let known = facts.get::<Payment>(key)?.expect("read before").clone();
    let mut changed = known.clone();
    change(&mut changed);
    if changed == known {
        return Ok(known);
    }
    let payment = facts.get_mut::<Payment>(key)?.expect("just read");
    *payment = Payment { updated_at: now, version: payment.version, ..changed };
    let payment = payment.clone();
    let told = |payment: &Payment| (payment.state, payment.received, payment.given_back(), payment.dispute);
    if told(&payment) != told(&known) {
        facts.emit(
            &StaysEvent::PaymentChanged {
                hold: payment.hold,
                session: payment.key.object.clone(),
                state: payment.state,
                received: payment.received,
                refunded: payment.given_back(),
                dispute: payment.dispute,
            }
            .into(),
        );
    }
    Ok(payment)
}

/// Asks for money to be given back: at most what is left of the payment. Each call is another refund. Tells how much.
pub(super) fn ask_refund(facts: &mut Facts, key: &PaymentKey, wanted: i64) -> Result<i64, Halt> {
    let known = facts.get::<Payment>(key)?.expect("read before");
    let amount = wanted.min(known.refundable());
    if amount <= 0 {
        return Ok(0);
    }
    let payment = change_payment(facts, key, |payment| {
        payment.refunds = payment.refunds.strict_add(1);
        payment.refund_asked = payment.refund_asked.strict_add(amount);
    })?;
    enqueue(facts, &refund_payment(&payment, amount))?;
    Ok(amount)
}

/// The stay can no longer be paid on its page, if that is still open: it was paid otherwise, or given up.
pub(super) fn close_checkout(facts: &mut Facts, stay: &Stay) -> Result<(), Halt> {
    let Some(page) = stay.page() else { return Ok(()) };
    let key = PaymentKey::stripe(&page.session);
    let open = facts.get::<Payment>(&key)?.filter(|payment| payment.state == PaymentState::Created).cloned();
    if let Some(payment) = open {
        enqueue(facts, &expire_checkout_session(&payment, None))?;
    }
    Ok(())
}

/// By these an operation or a case is found from what it is about.
pub(super) fn correlations(payment: &Payment) -> Vec<Correlation> {
    let mut correlations = vec![correlation("hold", &payment.hold.to_string())];
    correlations.push(correlation("checkoutSession", &payment.key.object));
    correlations.extend(payment.payment_intent.as_ref().map(|intent| correlation("paymentIntent", intent)));
    correlations
}

fn correlation(kind: &str, value: &str) -> Correlation {
    Correlation { kind: kind.into(), value: value.into() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn derived_holds() {
        let original = HoldId::parse("01980000-0000-7000-8000-000000000001").unwrap();
        let now = Timestamp::from_millis(1_798_000_000_123);
        let derived = derived_hold(original, now);
        assert_eq!(derived.made_at(), now);
        assert_ne!(derived, original);
        assert_eq!(derived, derived_hold(original, now));
        let other = HoldId::parse("01980000-0000-7000-8000-000000000002").unwrap();
        assert_ne!(derived, derived_hold(other, now));
    }
}
