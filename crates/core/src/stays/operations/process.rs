//! `PROCESS_STRIPE_EVENT`: what the news of a payment mean for us. They come more than once, in any order, and perhaps
//! before we know the session that they speak of. The payment is found by our own records alone.

use serde_json::json;
use smol_str::{SmolStr, format_smolstr};

use super::paid::paid;
use super::refund::hasten_refunds;
use super::stray::{give_up, recall};
use super::{PROCESS_STRIPE_EVENT, PaymentNews, PaymentObjects, PaymentTurn};
use crate::kernel::commands::{CancelHold, ExtendHold, Extension};
use crate::kernel::{Command, Facts, Halt, Hold, Invalid, Refusal, Stop};
use crate::operations::{
    Case, CaseKey, CaseState, DedupeKey, NewCase, Operation, OperationInvalid, OperationType, Payload, Reason,
    StateHandler, Trouble, WaitingOn, close_case, open_case,
};
use crate::stays::booking::{change_payment, change_stay, correlations, property_of};
use crate::stays::{
    DisputeState, LocalTime, Payment, PaymentAlias, PaymentKey, PaymentState, Reservation, ReservationState,
    Resolution, Stay, check_in_at,
};

/// The session of a payment is known as soon as the provider's answer is written down. Afterwards nobody knows it, unless
/// news that know both of its names are late.
const UNKNOWN_SECS_MAX: i64 = 600;

pub(super) const CASE_DISPUTE: &str = "dispute";
const CASE_NOT_UNDERSTOOD: &str = "event-not-understood";
const CASE_REFUND_FAILED: &str = "refund-failed";
const CASE_REFUNDED_ELSEWHERE: &str = "refunded-elsewhere";

const OF_NO_CONCERN: &str = "of_no_concern";

#[derive(Debug)]
pub struct ProcessStripeEvent;

impl StateHandler for ProcessStripeEvent {
    fn kind(&self) -> &'static OperationType {
        &PROCESS_STRIPE_EVENT
    }

    fn check(&self, payload: &Payload) -> Result<(), Invalid> {
        let malformed = |error: serde_json::Error| {
            let (kind, reason) = (PROCESS_STRIPE_EVENT.name.to_owned(), error.to_string());
            OperationInvalid::Payload { kind, reason }.into()
        };
        payload.read::<PaymentNews>().map(drop).map_err(malformed)
    }

    fn run(&self, operation: &Operation, facts: &mut Facts) -> Result<Payload, Stop<Trouble>> {
        let news: PaymentNews =
            operation.payload.read().map_err(|error| Trouble::permanent("malformed", error.to_string()))?;
        let Some(payment) = find(facts, operation, &news.about)? else {
            return unknown(facts, operation, &news);
        };
        for turn in note_names(facts, &payment, &news.about)? {
            apply(facts, operation, &payment.key, &turn)?;
        }
        let outcome = apply(facts, operation, &payment.key, &news.turn)?;
        Ok(Payload::of(&json!({ "payment": payment.key.object, "hold": payment.hold, "outcome": outcome })))
    }
}

fn apply(
    facts: &mut Facts,
    operation: &Operation,
    key: &PaymentKey,
    turn: &PaymentTurn,
) -> Result<&'static str, Stop<Trouble>> {
    let payment = &facts.get::<Payment>(key)?.expect("found before").clone();
    match turn {
        PaymentTurn::Paid { amount, currency } => paid(facts, payment, *amount, currency),
        PaymentTurn::Awaiting => awaiting(facts, payment),
        PaymentTurn::Failed => failed(facts, payment),
        PaymentTurn::SessionExpired => {
            change_payment(facts, key, |payment| payment.advance(PaymentState::Expired))?;
            Ok("noted")
        }
        PaymentTurn::Refunded { total } => refunded(facts, payment, *total),
        PaymentTurn::RefundFailed { refund, amount } => refund_failed(facts, payment, refund, *amount),
        PaymentTurn::Dispute { dispute, state, amount } => disputed(facts, payment, dispute, *state, *amount),
        PaymentTurn::OfNoConcern { .. } => Ok(OF_NO_CONCERN),
        PaymentTurn::NotUnderstood { kind } => Ok(not_understood(facts, operation, kind)?),
    }
}

/// Who may speak for one account says nothing about the payments of another.
fn find(facts: &mut Facts, operation: &Operation, about: &PaymentObjects) -> Result<Option<Payment>, Halt> {
    let payment = find_by_name(facts, about)?;
    Ok(payment.filter(|payment| is_of_account(operation, &payment.account)))
}

/// The account that the event came from is the first part of its operation's key.
pub(super) fn is_of_account(operation: &Operation, account: &str) -> bool {
    let Ok(account) = DedupeKey::of(&[account]) else { return false };
    let rest = operation.key.key.as_str().strip_prefix(account.as_str());
    rest.is_some_and(|rest| rest.starts_with(':'))
}

fn find_by_name(facts: &mut Facts, about: &PaymentObjects) -> Result<Option<Payment>, Halt> {
    if let Some(session) = &about.session {
        let payment = facts.get::<Payment>(&PaymentKey::stripe(session))?;
        if let Some(payment) = payment {
            return Ok(Some(payment.clone()));
        }
    }
    for object in [&about.payment_intent, &about.charge].into_iter().flatten() {
        let alias = facts.get::<PaymentAlias>(&PaymentKey::stripe(object))?;
        if let Some(session) = alias.map(|alias| alias.payment.clone()) {
            return Ok(facts.get::<Payment>(&PaymentKey::stripe(&session))?.cloned());
        }
    }
    Ok(None)
}

/// Later news may know the payment by these names only; so may earlier ones, which nobody understood. Tells those.
fn note_names(facts: &mut Facts, payment: &Payment, about: &PaymentObjects) -> Result<Vec<PaymentTurn>, Halt> {
    let mut earlier = Vec::new();
    for object in [&about.payment_intent, &about.charge].into_iter().flatten() {
        let alias = PaymentKey::stripe(object);
        if facts.get::<PaymentAlias>(&alias)?.is_none() {
            facts.insert(PaymentAlias { key: alias, payment: payment.key.object.clone(), version: 0 });
            earlier.extend(recall(facts, payment, object)?);
        }
    }
    change_payment(facts, &payment.key, |payment| {
        payment.payment_intent = payment.payment_intent.take().or_else(|| about.payment_intent.clone());
        payment.charge = payment.charge.take().or_else(|| about.charge.clone());
    })?;
    Ok(earlier)
}

fn unknown(facts: &mut Facts, operation: &Operation, news: &PaymentNews) -> Result<Payload, Stop<Trouble>> {
    let at_once = match &news.turn {
        // Others sell by the same account.
        _ if news.about.is_foreign => Some(OF_NO_CONCERN),
        PaymentTurn::OfNoConcern { .. } => Some(OF_NO_CONCERN),
        PaymentTurn::NotUnderstood { kind } => Some(not_understood(facts, operation, kind)?),
        PaymentTurn::Paid { .. }
        | PaymentTurn::Awaiting
        | PaymentTurn::Failed
        | PaymentTurn::SessionExpired
        | PaymentTurn::Refunded { .. }
        | PaymentTurn::RefundFailed { .. }
        | PaymentTurn::Dispute { .. } => None,
    };
    if let Some(outcome) = at_once {
        return Ok(Payload::of(&json!({ "payment": null, "outcome": outcome })));
    }
    let name = news.about.name();
    if facts.now() < operation.created_at.plus_secs(UNKNOWN_SECS_MAX) {
        return Err(Trouble::wait(WaitingOn::new(format_smolstr!("payment {name}"), "known")).into());
    }
    if news.turn.is_about_money() {
        give_up(facts, operation, news)?;
    }
    Ok(Payload::of(&json!({ "payment": null, "outcome": "unknown" })))
}

/// Of a kind that matters, and yet unreadable: whatever it says about money, a person has to read it.
fn not_understood(facts: &mut Facts, operation: &Operation, kind: &SmolStr) -> Result<&'static str, Halt> {
    let summary = format!(
        "An event of the kind `{kind}` ({}) could not be understood and changed nothing. Look at the provider what it says",
        operation.key.key
    );
    let (key, correlations) = (operation.key.key.to_string(), operation.correlations.clone());
    open_case(facts, NewCase { kind: CASE_NOT_UNDERSTOOD, key, summary, correlations })?;
    Ok("not_understood")
}

pub(super) fn report(facts: &mut Facts, kind: &'static str, payment: &Payment, summary: String) -> Result<(), Halt> {
    let key = payment.key.object.to_string();
    open_case(facts, NewCase { kind, key, summary, correlations: correlations(payment).into() })
}

pub(super) fn stay_of(facts: &mut Facts, payment: &Payment) -> Result<Stay, Stop<Trouble>> {
    let stay = facts.get::<Stay>(&payment.hold)?;
    let missing = || Trouble::permanent("stay-not-found", format!("there is no stay {}", payment.hold));
    Ok(stay.ok_or_else(missing)?.clone())
}

pub(super) fn hold_of(facts: &mut Facts, payment: &Payment) -> Result<Hold, Stop<Trouble>> {
    let hold = facts.get::<Hold>(&payment.hold)?;
    let missing = || Trouble::permanent("hold-not-found", format!("there is no hold {}", payment.hold));
    Ok(hold.ok_or_else(missing)?.clone())
}

/// What the kernel cannot refuse here, refused: somebody has to look.
pub(super) fn refused(stop: Stop<Refusal>) -> Stop<Trouble> {
    match stop {
        Stop::Halted(halt) => Stop::Halted(halt),
        Stop::Refused(refusal) => Trouble::permanent("refused", refusal.to_string()).into(),
    }
}

/// The rooms are kept while the money is on its way, but not beyond the stay.
fn awaiting(facts: &mut Facts, payment: &Payment) -> Result<&'static str, Stop<Trouble>> {
    if payment.state.rank() >= PaymentState::Awaiting.rank() {
        return Ok("repeated");
    }
    change_payment(facts, &payment.key, |payment| payment.advance(PaymentState::Awaiting))?;
    let (stay, hold, now) = (stay_of(facts, payment)?, hold_of(facts, payment)?, facts.now());
    if !hold.is_live(now) {
        return Ok("noted");
    }
    let property = property_of(facts, &stay.property)?;
    let midnight = LocalTime::parse("00:00").expect("a time of the day");
    let departure = check_in_at(&property.time_zone, stay.dates.checkout(), midnight);
    let until = now.plus_secs(property.terms.async_payment_secs).min(departure);
    if until > hold.expires_at {
        let extend = ExtendHold::new(hold.id, Extension::Until(until)).expect("an instant is always legal");
        extend.for_payment().decide(facts).map_err(refused)?;
    }
    change_stay(facts, stay.hold, |stay| stay.awaiting_payment = true)?;
    Ok("extended")
}

/// Rooms that were kept for this payment alone are free again.
fn failed(facts: &mut Facts, payment: &Payment) -> Result<&'static str, Stop<Trouble>> {
    let was_awaited = payment.state == PaymentState::Awaiting;
    change_payment(facts, &payment.key, |payment| payment.advance(PaymentState::Failed))?;
    if !was_awaited {
        return Ok("noted");
    }
    let (stay, hold) = (stay_of(facts, payment)?, hold_of(facts, payment)?);
    let other = other_payment(facts, &stay, payment)?;
    if !stay.awaiting_payment || other == Some(PaymentState::Awaiting) {
        return Ok("noted");
    }
    change_stay(facts, stay.hold, |stay| stay.awaiting_payment = false)?;
    // Somebody may be paying on another page.
    if other == Some(PaymentState::Created) {
        return Ok("noted");
    }
    if hold.is_live(facts.now()) {
        CancelHold { id: hold.id }.decide(facts).map_err(refused)?;
        return Ok("cancelled");
    }
    Ok("noted")
}

/// Where the payment on the stay's latest page stands, if it is another one.
fn other_payment(facts: &mut Facts, stay: &Stay, payment: &Payment) -> Result<Option<PaymentState>, Halt> {
    let Some(page) = stay.page().filter(|page| page.session != payment.key.object) else { return Ok(None) };
    Ok(facts.get::<Payment>(&PaymentKey::stripe(&page.session))?.map(|other| other.state))
}

fn refunded(facts: &mut Facts, before: &Payment, total: i64) -> Result<&'static str, Stop<Trouble>> {
    let payment = change_payment(facts, &before.key, |payment| payment.note_refunded(total))?;
    let Some(reservation) = note_refund_of_reservation(facts, &payment)? else { return Ok("noted") };
    let news = payment.refunded_elsewhere > before.refunded_elsewhere;
    match reservation.state {
        ReservationState::Confirmed if news => {
            report_refunded_elsewhere(facts, &payment)?;
            Ok("refunded_elsewhere")
        }
        ReservationState::Confirmed | ReservationState::Cancelled | ReservationState::NoShow => Ok("noted"),
    }
}

pub(super) fn report_refunded_elsewhere(facts: &mut Facts, payment: &Payment) -> Result<(), Halt> {
    let summary = format!(
        "{} of the payment {} went back without us, {} in all, and the reservation {} is confirmed. Cancel it, or ask the guest to pay",
        payment.refunded_elsewhere, payment.key.object, payment.refunded, payment.hold
    );
    report(facts, CASE_REFUNDED_ELSEWHERE, payment, summary)
}

/// The reservation knows what was given back of the payment that it came from, and of no other.
pub(super) fn note_refund_of_reservation(facts: &mut Facts, payment: &Payment) -> Result<Option<Reservation>, Halt> {
    if payment.resolution != Some(Resolution::Reservation) {
        return Ok(None);
    }
    let now = facts.now();
    let known = facts.get::<Reservation>(&payment.hold)?.expect("the payment led to it").clone();
    if known.refunded == payment.given_back() {
        return Ok(Some(known));
    }
    let reservation = facts.get_mut::<Reservation>(&payment.hold)?.expect("just read");
    reservation.refunded = payment.given_back();
    reservation.updated_at = now;
    Ok(Some(reservation.clone()))
}

fn refund_failed(
    facts: &mut Facts,
    payment: &Payment,
    refund: &SmolStr,
    amount: i64,
) -> Result<&'static str, Stop<Trouble>> {
    // Once for each refund: its case is kept.
    let case = CaseKey { kind: CASE_REFUND_FAILED.into(), key: refund.clone() };
    if facts.get::<Case>(&case)?.is_some() {
        return Ok("repeated");
    }
    let payment = change_payment(facts, &payment.key, |payment| payment.note_refund_failed(amount))?;
    note_refund_of_reservation(facts, &payment)?;
    let summary = format!(
        "The refund {refund} of {amount} {} did not arrive: the payer of the stay {} is owed it again (payment {}). It is \
         not tried again by itself: give it back in another way",
        payment.currency, payment.hold, payment.key.object
    );
    let correlations = correlations(&payment).into();
    open_case(facts, NewCase { kind: CASE_REFUND_FAILED, key: refund.to_string(), summary, correlations })?;
    Ok("reported")
}

/// A payment can be disputed more than once; the case of each dispute knows what was heard of it.
fn disputed(
    facts: &mut Facts,
    before: &Payment,
    dispute: &SmolStr,
    state: DisputeState,
    amount: i64,
) -> Result<&'static str, Stop<Trouble>> {
    let case = CaseKey { kind: CASE_DISPUTE.into(), key: dispute.clone() };
    let known = facts.get::<Case>(&case)?;
    let is_new = known.is_none();
    // Closed by nobody is closed by us, when it was won. What somebody closed by hand says nothing about the dispute.
    let is_won = known.is_some_and(|case| case.state == CaseState::Resolved && case.resolved_by.is_none());
    let is_late = match state {
        DisputeState::Open => !is_new,
        DisputeState::Won => is_won,
        // An inquiry that was closed may still become a dispute, under the same name.
        DisputeState::Lost => false,
    };
    if is_late {
        return Ok("repeated");
    }
    let payment = change_payment(facts, &before.key, |payment| payment.note_dispute(state))?;
    if payment.dispute == before.dispute && !is_new {
        return Ok("repeated");
    }
    if is_new || state != DisputeState::Won {
        let summary = format!(
            "The payment {} of the stay {} is disputed ({dispute}, {amount}): {state}. Answer it at the provider",
            payment.key.object, payment.hold
        );
        let correlations = correlations(&payment).into();
        open_case(facts, NewCase { kind: CASE_DISPUTE, key: dispute.to_string(), summary, correlations })?;
    }
    // What waited for the end of the dispute need not wait any longer.
    match state {
        DisputeState::Open => {}
        DisputeState::Won => {
            close_case(facts, &case, None, &Reason::stored("the dispute was won"))?;
            hasten_refunds(facts, &payment)?;
        }
        DisputeState::Lost => hasten_refunds(facts, &payment)?,
    }
    Ok("noted")
}
