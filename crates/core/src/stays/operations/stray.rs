//! News of payments that nobody knew. They are given up after a while, and a case is opened; should such a payment become
//! known after all, what was told of it is still true, and is dealt with before anything else.

use smol_str::SmolStr;

use super::process::is_of_account;
use super::{PROCESS_STRIPE_EVENT, PaymentNews, PaymentTurn};
use crate::kernel::{Facts, Halt};
use crate::operations::{
    CORRELATIONS_MAX, Case, CaseKey, Correlation, DedupeKey, NewCase, Operation, OperationKey, Reason, close_case,
    open_case,
};
use crate::stays::Payment;

const CASE_PAYMENT_UNKNOWN: &str = "payment-unknown";

/// By these the case of a payment knows what was told of it.
const EVENT: &str = "event";

fn case_of(name: &SmolStr) -> CaseKey {
    CaseKey { kind: CASE_PAYMENT_UNKNOWN.into(), key: name.clone() }
}

/// Somebody has to look, and the news are kept in mind.
pub(super) fn give_up(facts: &mut Facts, operation: &Operation, news: &PaymentNews) -> Result<(), Halt> {
    let name = news.about.name();
    let summary = format!(
        "The provider says `{}` of {name}, which is no payment of ours in that account. Look there whose money it is",
        news.turn.as_str()
    );
    let correlations = operation.correlations.clone();
    open_case(facts, NewCase { kind: CASE_PAYMENT_UNKNOWN, key: name.to_string(), summary, correlations })?;
    let case = facts.get_mut::<Case>(&case_of(&name))?.expect("just opened");
    let event = Correlation { kind: EVENT.into(), value: operation.key.key.as_str().into() };
    if case.correlations.len() < CORRELATIONS_MAX && !case.correlations.contains(&event) {
        let correlations = case.correlations.iter().cloned().chain([event]);
        case.correlations = correlations.collect::<Vec<_>>().into();
    }
    Ok(())
}

/// What was told of the payment under a name that it was not known by, in the order in which it was given up.
pub(super) fn recall(facts: &mut Facts, payment: &Payment, name: &SmolStr) -> Result<Vec<PaymentTurn>, Halt> {
    let key = case_of(name);
    let Some(case) = facts.get::<Case>(&key)?.cloned() else { return Ok(Vec::new()) };
    let mut turns = Vec::new();
    for event in case.correlations.iter().filter(|correlation| correlation.kind == EVENT) {
        let key = OperationKey { kind: PROCESS_STRIPE_EVENT.type_name(), key: DedupeKey::stored(&event.value) };
        let told = facts.get::<Operation>(&key)?.filter(|told| is_of_account(told, &payment.account));
        let news = told.and_then(|told| told.payload.read::<PaymentNews>().ok());
        turns.extend(news.map(|news| news.turn));
    }
    if !turns.is_empty() {
        let how = format!("it is the payment {} of the stay {}", payment.key.object, payment.hold);
        close_case(facts, &key, None, &Reason::stored(&how))?;
    }
    Ok(turns)
}
