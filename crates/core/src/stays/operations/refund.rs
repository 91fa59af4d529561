//! `REFUND_PAYMENT`: gives money back, once for each time that it was asked for.

use serde::{Deserialize, Serialize};
use serde_json::json;
use smol_str::SmolStr;

use super::process::note_refund_of_reservation;
use super::request::metadata;
use super::{NewRefund, PaymentRequest, REFUND_PAYMENT};
use crate::kernel::{Facts, Halt, Stop};
use crate::operations::{
    AfterRejection, CaseKey, Effect, EffectHandler, NewCase, NewOperation, Operation, OperationKey, OperationType,
    Payload, Reason, Step, Trouble, WaitingOn, close_case, enqueue, open_case,
};
use crate::stays::booking::{change_payment, correlations};
use crate::stays::{DisputeState, Payment, PaymentKey};

/// A dispute takes weeks; its end hastens the refund, and this is for news that never came.
const DISPUTE_RECHECK_SECS: i64 = 6 * 3_600;

#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Refund {
    session: SmolStr,
    number: u32,
    amount: i64,
}

fn key_of(payment: &PaymentKey, number: u32) -> OperationKey {
    let key = REFUND_PAYMENT.key(&[&payment.provider, &payment.object, &number.to_string()]);
    key.expect("ids of sessions are short and printable: they were part of a key before")
}

/// The payment's latest refund.
pub(in crate::stays) fn refund_payment(payment: &Payment, amount: i64) -> NewOperation {
    let number = payment.refunds;
    let payload = Payload::of(&Refund { session: payment.key.object.clone(), number, amount });
    let new = NewOperation::new(&REFUND_PAYMENT, key_of(&payment.key, number), payload);
    NewOperation { correlations: correlations(payment), ..new }
}

/// More do not wait at once: each is a change of the reservation while the dispute lasts. Others look again by themselves.
const HASTENED_MAX: u32 = 100;

/// Refunds that wait have a reason to look again.
pub(super) fn hasten_refunds(facts: &mut Facts, payment: &Payment) -> Result<(), Halt> {
    let first = payment.refunds.saturating_sub(HASTENED_MAX).saturating_add(1);
    for number in first..=payment.refunds {
        let key = key_of(&payment.key, number);
        let waiting = facts.get::<Operation>(&key)?.filter(|operation| operation.outcome.is_none());
        if let Some(payload) = waiting.map(|operation| operation.payload.clone()) {
            enqueue(facts, &NewOperation::new(&REFUND_PAYMENT, key, payload))?;
        }
    }
    Ok(())
}

#[derive(Debug)]
pub struct RefundPayment;

impl EffectHandler for RefundPayment {
    fn kind(&self) -> &'static OperationType {
        &REFUND_PAYMENT
    }

    fn next(&self, operation: &Operation, confirmed: &[Effect], facts: &mut Facts) -> Result<Step, Stop<Trouble>> {
        let malformed = |error: serde_json::Error| Trouble::permanent("malformed", error.to_string());
        let Refund { session, amount, .. } = operation.payload.read().map_err(malformed)?;
        let missing = || Trouble::permanent("payment-not-found", format!("there is no payment {session}"));
        let payment = facts.get::<Payment>(&PaymentKey::stripe(&session))?.ok_or_else(missing)?.clone();
        match confirmed {
            [] => before(facts, operation, &payment, amount),
            [effect, ..] => {
                let request: PaymentRequest = effect.request.read().map_err(malformed)?;
                close_case(facts, &refused_case(operation), None, &Reason::stored("it went through"))?;
                after(facts, &payment, &request)
            }
        }
    }

    /// The money was promised: a dead letter alone might be taken for a technical matter.
    fn rejected(&self, operation: &Operation, _: &Effect, facts: &mut Facts) -> Result<AfterRejection, Stop<Trouble>> {
        let malformed = |error: serde_json::Error| Trouble::permanent("malformed", error.to_string());
        let Refund { session, amount, .. } = operation.payload.read().map_err(malformed)?;
        let summary = format!(
            "The provider refuses to give back {amount} of the payment {session}. See why with `surehold op show`; redrive \
             {} when it can be done, or give it back in another way",
            operation.key
        );
        let (key, correlations) = (operation.key.key.to_string(), operation.correlations.clone());
        open_case(facts, NewCase { kind: CASE_REFUND_REFUSED, key, summary, correlations })?;
        Ok(AfterRejection::Die)
    }
}

const CASE_REFUND_REFUSED: &str = "refund-refused";

fn refused_case(operation: &Operation) -> CaseKey {
    CaseKey { kind: CASE_REFUND_REFUSED.into(), key: operation.key.key.as_str().into() }
}

fn before(facts: &Facts, operation: &Operation, payment: &Payment, amount: i64) -> Result<Step, Stop<Trouble>> {
    let done = |why: &str| Step::Done { result: Payload::of(&json!({ "refunded": 0, "because": why })) };
    match payment.dispute {
        // Given back to somebody who disputes it, the money would be gone twice.
        Some(DisputeState::Open) => {
            let on = WaitingOn::new(format!("dispute of {}", payment.key.object), "closed");
            let until = Some(facts.now().plus_secs(DISPUTE_RECHECK_SECS));
            return Err(Trouble::Wait { on, until }.into());
        }
        Some(DisputeState::Lost) => return Ok(done("dispute_lost")),
        Some(DisputeState::Won) | None => {}
    }
    // Somebody may have given back more meanwhile, without us.
    let amount = amount.min(payment.received.saturating_sub(payment.refunded));
    if amount <= 0 {
        return Ok(done("refunded_elsewhere"));
    }
    let request = PaymentRequest::Refund(NewRefund {
        account: payment.account.clone(),
        session: payment.key.object.clone(),
        payment_intent: payment.payment_intent.clone(),
        amount,
        currency: payment.currency,
        metadata: metadata(facts.tenant(), payment.hold, &operation.key),
    });
    Ok(Step::Call { request: Payload::of(&request) })
}

fn after(facts: &mut Facts, payment: &Payment, request: &PaymentRequest) -> Result<Step, Stop<Trouble>> {
    let PaymentRequest::Refund(NewRefund { amount, .. }) = request else {
        return Err(Trouble::permanent("malformed", "another request was frozen").into());
    };
    let payment = change_payment(facts, &payment.key, |payment| payment.note_refund_confirmed(*amount))?;
    note_refund_of_reservation(facts, &payment)?;
    Ok(Step::Done { result: Payload::of(&json!({ "refunded": amount })) })
}
