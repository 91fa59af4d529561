//! What Stripe's events mean, in the core's words. Pure.
//!
//! | event | turn |
//! |---|---|
//! | `checkout.session.completed`, paid or nothing to pay | paid |
//! | `checkout.session.completed`, unpaid | awaiting: a slow way of paying |
//! | `checkout.session.async_payment_succeeded`, `…failed` | paid, failed |
//! | `checkout.session.expired` | session expired |
//! | `charge.refunded` | refunded: all that has gone back so far |
//! | `refund.failed`; `refund.updated` and its older name, failed or cancelled | refund failed |
//! | `charge.dispute.*` | dispute, by the state that it is in |
//! | anything else | of no concern |
//!
//! A word or a gap that leaves open whether money has come is not understood: a person has to look.

use smol_str::SmolStr;
use surehold_core::stays::DisputeState;
use surehold_core::stays::operations::{MARK, PaymentNews, PaymentObjects, PaymentTurn};

use super::amounts::from_stripe;
use super::event::{Event, Subject};
use super::objects::{Charge, CheckoutSession, Dispute, Refund};
use super::words::{DisputeStatus, PaymentStatus, RefundStatus};

pub fn news(event: &Event) -> PaymentNews {
    let not_understood = || PaymentTurn::NotUnderstood { kind: event.kind.clone() };
    let of_no_concern = || PaymentTurn::OfNoConcern { kind: event.kind.clone() };
    let (about, turn) = match &event.subject {
        Subject::CheckoutCompleted(session) => (of_session(session), completed(session)),
        Subject::CheckoutPaymentSucceeded(session) => (of_session(session), paid(session)),
        Subject::CheckoutPaymentFailed(session) => (of_session(session), Some(PaymentTurn::Failed)),
        Subject::CheckoutExpired(session) => (of_session(session), Some(PaymentTurn::SessionExpired)),
        Subject::ChargeRefunded(charge) => {
            let total = from_stripe(&charge.currency, charge.amount_refunded);
            (of_charge(charge), total.map(|total| PaymentTurn::Refunded { total }))
        }
        Subject::RefundUpdated(refund) => {
            (of_refund(refund), if has_failed(refund) { failure(refund) } else { Some(of_no_concern()) })
        }
        Subject::RefundFailed(refund) => (of_refund(refund), failure(refund)),
        Subject::DisputeCreated(dispute)
        | Subject::DisputeUpdated(dispute)
        | Subject::DisputeClosed(dispute)
        | Subject::DisputeFundsWithdrawn(dispute)
        | Subject::DisputeFundsReinstated(dispute) => (of_dispute(dispute), disputed(dispute)),
        Subject::Other => (PaymentObjects::default(), Some(of_no_concern())),
    };
    PaymentNews { about, turn: turn.unwrap_or_else(not_understood) }
}

fn of_session(session: &CheckoutSession) -> PaymentObjects {
    let (payment_intent, is_foreign) = (session.payment_intent.clone(), !session.metadata.contains_key(MARK));
    PaymentObjects { payment_intent, is_foreign, ..PaymentObjects::session(&session.id) }
}

fn of_charge(charge: &Charge) -> PaymentObjects {
    without_session(charge.payment_intent.as_ref(), Some(&charge.id))
}

fn of_refund(refund: &Refund) -> PaymentObjects {
    without_session(refund.payment_intent.as_ref(), refund.charge.as_ref())
}

fn of_dispute(dispute: &Dispute) -> PaymentObjects {
    without_session(dispute.payment_intent.as_ref(), dispute.charge.as_ref())
}

fn without_session(payment_intent: Option<&SmolStr>, charge: Option<&SmolStr>) -> PaymentObjects {
    let (payment_intent, charge) = (payment_intent.cloned(), charge.cloned());
    // These have metadata of their own, which say nothing about where the payment comes from.
    PaymentObjects { session: None, payment_intent, charge, is_foreign: false }
}

fn completed(session: &CheckoutSession) -> Option<PaymentTurn> {
    match session.payment_status.as_ref()? {
        PaymentStatus::Paid | PaymentStatus::NoPaymentRequired => paid(session),
        PaymentStatus::Unpaid => Some(PaymentTurn::Awaiting),
        PaymentStatus::Other(_) => None,
    }
}

fn paid(session: &CheckoutSession) -> Option<PaymentTurn> {
    let currency = session.currency.clone()?;
    Some(PaymentTurn::Paid { amount: from_stripe(&currency, session.amount_total?)?, currency })
}

fn has_failed(refund: &Refund) -> bool {
    match &refund.status {
        Some(RefundStatus::Failed | RefundStatus::Canceled) => true,
        Some(
            RefundStatus::Pending | RefundStatus::RequiresAction | RefundStatus::Succeeded | RefundStatus::Other(_),
        )
        | None => false,
    }
}

fn failure(refund: &Refund) -> Option<PaymentTurn> {
    let amount = from_stripe(&refund.currency, refund.amount)?;
    Some(PaymentTurn::RefundFailed { refund: refund.id.clone(), amount })
}

fn disputed(dispute: &Dispute) -> Option<PaymentTurn> {
    let state = match &dispute.status {
        DisputeStatus::NeedsResponse
        | DisputeStatus::UnderReview
        // An inquiry may become a dispute, so nothing is given back before it is over.
        | DisputeStatus::WarningNeedsResponse
        | DisputeStatus::WarningUnderReview
        // Whatever it is, somebody has to look.
        | DisputeStatus::Other(_) => DisputeState::Open,
        DisputeStatus::Won | DisputeStatus::WarningClosed => DisputeState::Won,
        // Prevented by giving the money back.
        DisputeStatus::Lost | DisputeStatus::Prevented => DisputeState::Lost,
    };
    let amount = from_stripe(&dispute.currency, dispute.amount)?;
    Some(PaymentTurn::Dispute { dispute: dispute.id.clone(), state, amount })
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;

    #[track_caller]
    fn check(kind: &str, object: &Value, expected: &Value) {
        let event = json!({"id": "evt_1", "type": kind, "created": 1, "data": {"object": object}});
        let event = Event::read(event.to_string().as_bytes()).unwrap();
        assert_eq!(serde_json::to_value(news(&event)).unwrap(), *expected, "{kind} {object}");
    }

    #[test]
    fn sessions() {
        let session = |payment_status: &str| {
            json!({
                "id": "cs_1", "payment_status": payment_status, "payment_intent": "pi_1", "amount_total": 900,
                "currency": "eur", "metadata": {"hold": "somebody else's", "operation": "anything"},
            })
        };
        let expect = |turn: Value| json!({"about": {"session": "cs_1", "payment_intent": "pi_1"}, "turn": turn});
        let paid = expect(json!({"turn": "paid", "amount": 900, "currency": "eur"}));
        let completed = "checkout.session.completed";
        check(completed, &session("paid"), &paid);
        check(completed, &session("no_payment_required"), &paid);
        check(completed, &session("unpaid"), &expect(json!({"turn": "awaiting"})));
        let not_understood = expect(json!({"turn": "not_understood", "kind": completed}));
        check(completed, &session("a_new_word"), &not_understood);
        for gap in ["payment_status", "amount_total", "currency"] {
            let mut session = session("paid");
            session[gap] = Value::Null;
            check(completed, &session, &not_understood);
        }
        let mut kronur = session("paid");
        (kronur["currency"], kronur["amount_total"]) = ("isk".into(), 50_000.into());
        check(completed, &kronur, &expect(json!({"turn": "paid", "amount": 500, "currency": "isk"})));
        // What the session says of itself is as old as the event; that it was paid is what the event says.
        check("checkout.session.async_payment_succeeded", &session("unpaid"), &paid);
        check("checkout.session.async_payment_failed", &session("unpaid"), &expect(json!({"turn": "failed"})));
        let expired = json!({"id": "cs_1", "payment_status": "unpaid"});
        let about = json!({"session": "cs_1", "is_foreign": true});
        let session_expired = json!({"about": about, "turn": {"turn": "session_expired"}});
        check("checkout.session.expired", &expired, &session_expired);
    }

    #[test]
    fn refunds() {
        let about = json!({"payment_intent": "pi_1", "charge": "ch_1"});
        let charge = json!({
            "id": "ch_1", "payment_intent": "pi_1", "amount": 900, "amount_refunded": 400, "currency": "eur",
            "refunded": false,
        });
        let expected = json!({"about": about, "turn": {"turn": "refunded", "total": 400}});
        check("charge.refunded", &charge, &expected);
        let refund = |status: &str| {
            json!({
                "id": "re_1", "amount": 400, "currency": "eur", "payment_intent": {"id": "pi_1"}, "charge": "ch_1",
                "status": status,
            })
        };
        let failed = json!({"about": about, "turn": {"turn": "refund_failed", "refund": "re_1", "amount": 400}});
        for kind in ["refund.updated", "charge.refund.updated"] {
            let nothing = json!({"about": about, "turn": {"turn": "of_no_concern", "kind": kind}});
            for status in ["pending", "requires_action", "succeeded", "a_new_word"] {
                check(kind, &refund(status), &nothing);
            }
            for status in ["failed", "canceled"] {
                check(kind, &refund(status), &failed);
            }
        }
        check("refund.failed", &refund("failed"), &failed);
        check("refund.failed", &refund("pending"), &failed);
    }

    #[test]
    fn disputes() {
        let rows = [
            ("needs_response", "open"),
            ("under_review", "open"),
            ("warning_needs_response", "open"),
            ("warning_under_review", "open"),
            ("a_new_word", "open"),
            ("won", "won"),
            ("warning_closed", "won"),
            ("lost", "lost"),
            ("prevented", "lost"),
        ];
        for (status, state) in rows {
            let dispute = json!({"id": "dp_1", "charge": "ch_1", "amount": 900, "currency": "eur", "status": status});
            let turn = json!({"turn": "dispute", "dispute": "dp_1", "state": state, "amount": 900});
            let expected = json!({"about": {"charge": "ch_1"}, "turn": turn});
            for kind in ["created", "updated", "closed", "funds_withdrawn", "funds_reinstated"] {
                check(&format!("charge.dispute.{kind}"), &dispute, &expected);
            }
        }
    }

    #[test]
    fn anything_else() {
        for kind in ["customer.created", "payment_intent.succeeded", "charge.succeeded"] {
            let expected = json!({"about": {}, "turn": {"turn": "of_no_concern", "kind": kind}});
            check(kind, &json!({"id": "x"}), &expected);
        }
    }
}
