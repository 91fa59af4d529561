//! `EXPIRE_CHECKOUT_SESSION`: takes the page away on which a stay could be paid that cannot be had any more. Asked for
//! together with the page, and waits for the end of the hold.

use serde::{Deserialize, Serialize};
use serde_json::json;
use smol_str::SmolStr;

use super::{EXPIRE_CHECKOUT_SESSION, PaymentRequest, SessionExpiry};
use crate::kernel::{Facts, Hold, Stop, Timestamp};
use crate::operations::{
    AfterRejection, Effect, EffectHandler, NewOperation, Operation, OperationType, Payload, Step, Trouble, WaitingOn,
};
use crate::stays::booking::correlations;
use crate::stays::{Payment, PaymentKey, PaymentState};

#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Session {
    session: SmolStr,
}

/// Not before `run_at`; asked for again, the earlier of the two counts.
pub(in crate::stays) fn expire_checkout_session(payment: &Payment, run_at: Option<Timestamp>) -> NewOperation {
    let key = EXPIRE_CHECKOUT_SESSION.key(&[&payment.key.provider, &payment.key.object]);
    let key = key.expect("ids of sessions are short and printable: the answer was looked at");
    let payload = Payload::of(&Session { session: payment.key.object.clone() });
    let new = NewOperation::new(&EXPIRE_CHECKOUT_SESSION, key, payload);
    NewOperation { correlations: correlations(payment), run_at, ..new }
}

#[derive(Debug)]
pub struct ExpireCheckoutSession;

impl EffectHandler for ExpireCheckoutSession {
    fn kind(&self) -> &'static OperationType {
        &EXPIRE_CHECKOUT_SESSION
    }

    fn next(&self, operation: &Operation, confirmed: &[Effect], facts: &mut Facts) -> Result<Step, Stop<Trouble>> {
        let done = |why: &str| Ok(Step::Done { result: Payload::of(&json!({ "session": why })) });
        if !confirmed.is_empty() {
            return done("expired");
        }
        let Session { session } =
            operation.payload.read().map_err(|error| Trouble::permanent("malformed", error.to_string()))?;
        let missing = || Trouble::permanent("payment-not-found", format!("there is no payment {session}"));
        let payment = facts.get::<Payment>(&PaymentKey::stripe(&session))?.ok_or_else(missing)?.clone();
        match payment.state {
            PaymentState::Created => {}
            // The payer was there before us, or nobody can come any more.
            state @ (PaymentState::Awaiting
            | PaymentState::Expired
            | PaymentState::Failed
            | PaymentState::Succeeded
            | PaymentState::PartiallyRefunded
            | PaymentState::Refunded) => return done(state.as_str()),
        }
        let now = facts.now();
        let hold = facts.get::<Hold>(&payment.hold)?;
        // Booked without this payment, it must not be paid again: only a hold that lives lets the page be.
        if let Some(hold) = hold.filter(|hold| hold.is_live(now)) {
            let on = WaitingOn::new(format!("hold {}", hold.id), "ends");
            return Err(Trouble::Wait { on, until: Some(hold.expires_at) }.into());
        }
        let request = PaymentRequest::ExpireSession(SessionExpiry { account: payment.account.clone(), session });
        Ok(Step::Call { request: Payload::of(&request) })
    }

    /// It was paid or had expired by itself: the news of that are on their way.
    fn rejected(&self, _: &Operation, _: &Effect, _: &mut Facts) -> Result<AfterRejection, Stop<Trouble>> {
        Ok(AfterRejection::Done { result: Payload::of(&json!({ "session": "closed before" })) })
    }
}
