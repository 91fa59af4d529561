//! `CREATE_CHECKOUT_SESSION`: makes the page on which a stay is paid. The hold outlives the page, so that whoever pays
//! on it in time gets the rooms.

use serde::{Deserialize, Serialize};
use serde_json::json;
use smol_str::{SmolStr, format_smolstr};

use super::process::refused;
use super::request::metadata;
use super::{
    CREATE_CHECKOUT_SESSION, CheckoutItem, NewSession, PaymentRequest, SessionCreated, expire_checkout_session,
};
use crate::kernel::commands::{ExtendHold, Extension};
use crate::kernel::{Command, Facts, Halt, Hold, HoldId, Json, Refusal, Stop, Timestamp};
use crate::operations::{
    AfterRejection, Correlation, Effect, EffectHandler, NewOperation, Operation, OperationKey, OperationType, Payload,
    Step, Trouble, enqueue,
};
use crate::stays::booking::{change_stay, property_of};
use crate::stays::{
    Checkout, CheckoutPage, Payment, PaymentAlias, PaymentKey, PaymentState, RoomType, RoomTypeKey, Stay, StaysEvent,
};

/// The provider wants half an hour at least from when it makes the page, and the request is frozen before: the rest is for
/// clocks that differ, and for a first attempt or two that fail.
const SESSION_SECS_MIN: i64 = 35 * 60;
/// The provider allows a day at most.
const SESSION_SECS_MAX: i64 = 24 * 3_600 - 60;

#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Order {
    hold: HoldId,
    number: u32,
    success_url: SmolStr,
    cancel_url: SmolStr,
}

pub(in crate::stays) fn checkout_key(hold: HoldId, number: u32) -> OperationKey {
    let key = CREATE_CHECKOUT_SESSION.key(&[&hold.to_string(), &number.to_string()]);
    key.expect("an id and a number are a key")
}

pub(in crate::stays) fn create_checkout_session(
    hold: HoldId,
    number: u32,
    success_url: SmolStr,
    cancel_url: SmolStr,
) -> NewOperation {
    let payload = Payload::of(&Order { hold, number, success_url, cancel_url });
    let new = NewOperation::new(&CREATE_CHECKOUT_SESSION, checkout_key(hold, number), payload);
    let about = Correlation { kind: "hold".into(), value: format_smolstr!("{hold}") };
    NewOperation { correlations: vec![about], ..new }
}

/// Until when the page is there: as long as the hold at least, within what the provider allows.
pub(in crate::stays) fn session_end(wanted: Timestamp, now: Timestamp) -> Timestamp {
    wanted.max(now.plus_secs(SESSION_SECS_MIN)).min(now.plus_secs(SESSION_SECS_MAX))
}

/// Lets a live hold outlive the page.
pub(in crate::stays) fn outlive(
    facts: &mut Facts,
    hold: &Hold,
    session_end: Timestamp,
    grace_secs: i64,
) -> Result<(), Stop<Refusal>> {
    let until = session_end.plus_secs(grace_secs);
    if until > hold.expires_at {
        let extend = ExtendHold::new(hold.id, Extension::Until(until)).expect("an instant is always legal");
        extend.for_payment().decide(facts)?;
    }
    Ok(())
}

#[derive(Debug)]
pub struct CreateCheckoutSession;

impl EffectHandler for CreateCheckoutSession {
    fn kind(&self) -> &'static OperationType {
        &CREATE_CHECKOUT_SESSION
    }

    fn next(&self, operation: &Operation, confirmed: &[Effect], facts: &mut Facts) -> Result<Step, Stop<Trouble>> {
        let (order, stay) = order_of(operation, facts)?;
        match confirmed {
            [] => before(facts, operation, &order, &stay),
            [effect, ..] => after(facts, effect, &order, &stay),
        }
    }

    /// Another page may be asked for; why this one was refused, somebody has to see.
    fn rejected(&self, operation: &Operation, _: &Effect, facts: &mut Facts) -> Result<AfterRejection, Stop<Trouble>> {
        let (order, _) = order_of(operation, facts)?;
        give_up(facts, &order)?;
        Ok(AfterRejection::Die)
    }
}

fn malformed(error: &serde_json::Error) -> Trouble {
    Trouble::permanent("malformed", error.to_string())
}

fn order_of(operation: &Operation, facts: &mut Facts) -> Result<(Order, Stay), Stop<Trouble>> {
    let order: Order = operation.payload.read().map_err(|error| malformed(&error))?;
    let missing = || Trouble::permanent("stay-not-found", format!("there is no stay {}", order.hold));
    let stay = facts.get::<Stay>(&order.hold)?.ok_or_else(missing)?.clone();
    Ok((order, stay))
}

fn give_up(facts: &mut Facts, order: &Order) -> Result<(), Halt> {
    let is_ours = |checkout: &Json<Checkout>| checkout.number == order.number;
    change_stay(facts, order.hold, |stay| {
        if let Some(checkout) = stay.checkout.take_if(|checkout| is_ours(checkout)) {
            // The number stays: the next page is another one.
            let expires_at = Timestamp::from_micros(0);
            stay.checkout = Some(Checkout { page: None, expires_at, ..(*checkout).clone() }.into());
        }
    })
}

fn before(facts: &mut Facts, operation: &Operation, order: &Order, stay: &Stay) -> Result<Step, Stop<Trouble>> {
    let now = facts.now();
    let hold = facts.get::<Hold>(&order.hold)?.filter(|hold| hold.is_live(now)).cloned();
    let Some(hold) = hold else {
        give_up(facts, order)?;
        return Ok(Step::Done { result: Payload::of(&json!({ "session": null, "because": "hold_ended" })) });
    };
    let property = property_of(facts, &stay.property)?;
    let Some(account) = property.payment_account else {
        give_up(facts, order)?;
        return Ok(Step::Done { result: Payload::of(&json!({ "session": null, "because": "no_account" })) });
    };
    let wanted = stay.checkout.as_ref().map_or(now, |checkout| checkout.expires_at);
    let expires_at = session_end(wanted, now);
    outlive(facts, &hold, expires_at, property.terms.session_grace_secs).map_err(refused)?;
    let request = PaymentRequest::CreateSession(NewSession {
        account: account.into(),
        asked_at: operation.created_at,
        currency: stay.currency,
        items: items_of(facts, stay)?,
        expires_at,
        success_url: order.success_url.clone(),
        cancel_url: order.cancel_url.clone(),
        reference: order.hold,
        metadata: metadata(facts.tenant(), order.hold, &operation.key),
    });
    Ok(Step::Call { request: Payload::of(&request) })
}

fn items_of(facts: &mut Facts, stay: &Stay) -> Result<Vec<CheckoutItem>, Halt> {
    let mut items = Vec::with_capacity(stay.rooms.len());
    for room in stay.rooms.iter() {
        let key = RoomTypeKey { property: stay.property.clone(), code: room.room_type.clone() };
        let title = facts.get::<RoomType>(&key)?.map(|room_type| room_type.title.to_string());
        let title = title.unwrap_or_else(|| room.room_type.to_string());
        items.push(CheckoutItem {
            name: format_smolstr!("{title}, {}", stay.dates),
            quantity: i64::from(room.rooms),
            amount: room.prices.iter().sum(),
        });
    }
    Ok(items)
}

fn after(facts: &mut Facts, effect: &Effect, order: &Order, stay: &Stay) -> Result<Step, Stop<Trouble>> {
    let request: PaymentRequest = effect.request.read().map_err(|error| malformed(&error))?;
    let PaymentRequest::CreateSession(NewSession { account, expires_at, .. }) = request else {
        return Err(Trouble::permanent("malformed", "another request was frozen").into());
    };
    let response = effect.response.clone().unwrap_or_else(Payload::null);
    let SessionCreated { session, url, payment_intent } = response.read().map_err(|error| malformed(&error))?;
    // It becomes part of keys.
    Correlation::new("checkoutSession", &session)
        .map_err(|invalid| Trouble::permanent("malformed", invalid.to_string()))?;

    let payment = note_payment(facts, stay, &session, account, payment_intent)?;
    let Some(url) = url else {
        // It was found again when its time was over: nobody was shown the page, and nobody can pay on it.
        give_up(facts, order)?;
        return Ok(Step::Done { result: Payload::of(&json!({ "session": session, "because": "session_ended" })) });
    };
    let now = facts.now();
    let page = CheckoutPage { session: session.clone(), url: url.clone() };
    change_stay(facts, order.hold, |stay| {
        let newer = stay.checkout.as_ref().is_some_and(|checkout| checkout.number > order.number);
        if !newer {
            stay.checkout = Some(Checkout { number: order.number, page: Some(page), expires_at }.into());
        }
    })?;
    let hold = facts.get::<Hold>(&order.hold)?;
    // Should the hold have ended while the page was made, it is taken away at once.
    let run_at = hold.filter(|hold| hold.is_live(now)).map(|hold| hold.expires_at);
    enqueue(facts, &expire_checkout_session(&payment, run_at))?;
    facts.emit(&StaysEvent::CheckoutOpened { hold: order.hold, session: session.clone(), expires_at }.into());
    Ok(Step::Done { result: Payload::of(&json!({ "session": session, "url": url, "expires_at": expires_at })) })
}

fn note_payment(
    facts: &mut Facts,
    stay: &Stay,
    session: &SmolStr,
    account: SmolStr,
    payment_intent: Option<SmolStr>,
) -> Result<Payment, Halt> {
    let (key, now) = (PaymentKey::stripe(session), facts.now());
    if let Some(known) = facts.get::<Payment>(&key)? {
        return Ok(known.clone());
    }
    if let Some(intent) = &payment_intent {
        let alias = PaymentKey::stripe(intent);
        if facts.get::<PaymentAlias>(&alias)?.is_none() {
            facts.insert(PaymentAlias { key: alias, payment: session.clone(), version: 0 });
        }
    }
    let payment = facts.insert(Payment {
        key,
        hold: stay.hold,
        account,
        amount: stay.total,
        currency: stay.currency,
        state: PaymentState::Created,
        payment_intent,
        charge: None,
        received: 0,
        refunded: 0,
        refunded_elsewhere: 0,
        refund_asked: 0,
        refund_confirmed: 0,
        refund_failed: 0,
        refunds: 0,
        dispute: None,
        resolution: None,
        created_at: now,
        updated_at: now,
        version: 0,
    });
    Ok(payment.clone())
}
