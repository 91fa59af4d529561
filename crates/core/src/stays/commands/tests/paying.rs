//! Pages on which stays are paid: made once, outlived by the hold, and taken away.

use std::sync::Arc;

use serde_json::json;

use super::super::{CancelStay, CheckoutReply, ConfirmStay, RequestCheckout, StayReply};
use super::{create, save_quote, told};
use crate::kernel::{Hold, HoldId, Timestamp};
use crate::operations::commands::{EffectOutcome, FinishEffect, Finished, StartEffect, Started};
use crate::operations::{EffectHandler, OperationKey, Payload, WorkerId};
use crate::stays::operations::tests::world::{START, World, hold_id};
use crate::stays::operations::{CreateCheckoutSession, EXPIRE_CHECKOUT_SESSION, PaymentRequest, PaymentTurn};
use crate::stays::{PaymentState, Stay};

fn request(hold: HoldId) -> RequestCheckout {
    RequestCheckout::new(hold, "https://sea.example/thanks", "https://sea.example/back").unwrap()
}

fn show(reply: CheckoutReply) -> String {
    let page = reply.page.map_or_else(|| "on its way".to_owned(), |page| page.session.to_string());
    let secs = |at: Timestamp| at.secs_since(START);
    format!("{} {page}, page {} s, hold {} s", reply.operation.key, secs(reply.expires_at), secs(reply.hold_expires_at))
}

fn held() -> (World, HoldId) {
    let mut world = World::new(1);
    save_quote(&mut world);
    let hold = hold_id(1);
    world.run(&create(hold, 1)).unwrap();
    (world, hold)
}

fn handler() -> Arc<dyn EffectHandler> {
    Arc::new(CreateCheckoutSession)
}

fn make_page(world: &mut World, operation: &OperationKey, session: &str) -> String {
    let response = Payload::of(&json!({"session": session, "url": "https://pay.example/1", "more": 1}));
    world.carry_out(operation, &handler(), &response)
}

#[test]
fn a_page_is_made_once() {
    let (mut world, hold) = held();
    world.clock(60);
    // Half an hour and a minute from now, and the hold five minutes longer.
    let pending = format!("{hold}:1 on its way, page 2160 s, hold 2460 s");
    assert_eq!(told(&mut world, &request(hold), show), pending);
    let operation = world.run(&request(hold)).unwrap().operation;
    assert_eq!(told(&mut world, &request(hold), show), pending);
    world.clock(10);
    assert_eq!(make_page(&mut world, &operation, "cs_1"), "called: create_session null");
    // It was made later than it was asked for: page and hold live longer.
    assert_eq!(told(&mut world, &request(hold), show), format!("{hold}:1 cs_1, page 2170 s, hold 2470 s"));
    let payment = world.payment("cs_1").unwrap();
    assert_eq!((payment.state, payment.amount, payment.hold), (PaymentState::Created, 20_000, hold));
    assert!(world.expire_session("cs_1").starts_with("NotNow(NotDue"));

    world.tell("cs_1", PaymentTurn::SessionExpired);
    let next = world.run(&request(hold)).unwrap();
    assert!(next.page.is_none() && next.operation.key.as_str() == format!("{hold}:2"), "{next:?}");
}

/// Nobody keeps rooms for ever by asking for pages and paying on none.
#[test]
fn pages_come_to_an_end() {
    let (mut world, hold) = held();
    for number in 1..=10 {
        let operation = world.run(&request(hold)).unwrap().operation;
        let session = format!("cs_{number}");
        make_page(&mut world, &operation, &session);
        world.tell(&session, PaymentTurn::SessionExpired);
        world.clock(60);
    }
    let expected = "the stay has had 10 payment pages, the most allowed: hold the rooms again";
    assert_eq!(told(&mut world, &request(hold), show), expected);
}

#[test]
fn what_the_provider_is_asked() {
    let (mut world, hold) = held();
    let operation = world.run(&request(hold)).unwrap().operation;
    world.clock(7);
    let start = StartEffect { key: operation, handler: handler(), worker: WorkerId(1), raised_at: None };
    let Started::Call(call) = world.run(&start).unwrap() else { panic!("a call") };
    let asked: PaymentRequest = call.request.read().unwrap();
    let text = serde_json::to_value(&asked).unwrap();
    let expected = json!({
        "request": "create_session",
        "account": "acct_1",
        "asked_at": "2026-11-01T12:00:00Z",
        "currency": "BRL",
        "items": [{"name": "Double, 2026-12-01 to 2026-12-03", "quantity": 1, "amount": 20_000}],
        "expires_at": "2026-11-01T12:35:07Z",
        "success_url": "https://sea.example/thanks",
        "cancel_url": "https://sea.example/back",
        "reference": hold,
        "metadata": {
            "tenant": "1", "hold": hold.to_string(), "operation": format!("CREATE_CHECKOUT_SESSION {hold}:1"),
        },
    });
    assert_eq!(text, expected);
}

#[test]
fn a_page_ends_with_its_hold() {
    // Given up: the page goes at once.
    let (mut world, hold) = held();
    let operation = world.run(&request(hold)).unwrap().operation;
    make_page(&mut world, &operation, "cs_1");
    world.run(&CancelStay { hold }).unwrap();
    assert_eq!(world.expire_session("cs_1"), "called: expire_session null");

    // Booked at the desk: nobody may pay it again.
    let (mut world, hold) = held();
    let operation = world.run(&request(hold)).unwrap().operation;
    make_page(&mut world, &operation, "cs_1");
    world.run(&ConfirmStay::new(hold, 0).unwrap()).unwrap();
    assert_eq!(world.expire_session("cs_1"), "called: expire_session null");

    // Paid: nothing to do.
    let (mut world, hold) = held();
    let operation = world.run(&request(hold)).unwrap().operation;
    make_page(&mut world, &operation, "cs_1");
    world.tell("cs_1", PaymentTurn::Paid { amount: 20_000, currency: "brl".into() });
    let end = world.facts.get::<Hold>(&hold).unwrap().unwrap().expires_at;
    world.clock(end.secs_since(START));
    assert_eq!(world.expire_session("cs_1"), "Done");

    // The hold was given more time: so is the page.
    let (mut world, hold) = held();
    let operation = world.run(&request(hold)).unwrap().operation;
    make_page(&mut world, &operation, "cs_1");
    let end = world.facts.get::<Hold>(&hold).unwrap().unwrap().expires_at;
    world.facts.get_mut::<Hold>(&hold).unwrap().unwrap().expires_at = end.plus_secs(10);
    world.facts.keep_changes();
    world.clock(end.secs_since(START));
    assert_eq!(world.expire_session("cs_1"), format!("waiting on: hold {hold} ends"));
    world.clock(10);
    assert_eq!(world.expire_session("cs_1"), "called: expire_session null");
}

#[test]
fn a_hold_that_ends_while_its_page_is_made() {
    // Before the call: none is made.
    let (mut world, hold) = held();
    let operation = world.run(&request(hold)).unwrap().operation;
    world.run(&CancelStay { hold }).unwrap();
    assert_eq!(make_page(&mut world, &operation, "cs_1"), "Done");
    assert!(world.payment("cs_1").is_none());

    // During the call: it is taken away at once.
    let (mut world, hold) = held();
    let operation = world.run(&request(hold)).unwrap().operation;
    let start = StartEffect { key: operation, handler: handler(), worker: WorkerId(1), raised_at: None };
    let Started::Call(call) = world.run(&start).unwrap() else { panic!("a call") };
    world.run(&CancelStay { hold }).unwrap();
    let response = Payload::of(&json!({"session": "cs_1", "url": "https://pay.example/1"}));
    let outcome = EffectOutcome::Confirmed { provider_ref: None, response };
    let finish = FinishEffect { call: *call, handler: handler(), outcome, then: None, dice: 0, raised_at: None };
    assert_eq!(world.run(&finish).unwrap(), Finished::Done);
    assert_eq!(world.expire_session("cs_1"), "called: expire_session null");
    assert_eq!(EXPIRE_CHECKOUT_SESSION.key(&["stripe", "cs_1"]).unwrap().key.as_str(), "stripe:cs_1");
}

#[test]
fn a_page_that_is_refused_makes_room_for_another() {
    let (mut world, hold) = held();
    let operation = world.run(&request(hold)).unwrap().operation;
    let start = StartEffect { key: operation, handler: handler(), worker: WorkerId(1), raised_at: None };
    let Started::Call(call) = world.run(&start).unwrap() else { panic!("a call") };
    let outcome = EffectOutcome::Rejected { code: "no".into(), error: "no".into(), response: Payload::null() };
    let finish = FinishEffect { call: *call, handler: handler(), outcome, then: None, dice: 0, raised_at: None };
    assert_eq!(world.run(&finish).unwrap(), Finished::Dead);
    let next = world.run(&request(hold)).unwrap();
    assert_eq!(next.operation.key.as_str(), format!("{hold}:2"));
}

#[test]
fn what_cannot_be_paid() {
    let (mut world, hold) = held();
    assert_eq!(told(&mut world, &request(hold_id(9)), show), format!("there is no stay {}", hold_id(9)));
    let change_stay = |world: &mut World, change: &dyn Fn(&mut Stay)| {
        change(world.facts.get_mut::<Stay>(&hold).unwrap().unwrap());
        world.facts.keep_changes();
    };
    change_stay(&mut world, &|stay| stay.awaiting_payment = true);
    assert_eq!(told(&mut world, &request(hold), show), "the money is on its way");
    change_stay(&mut world, &|stay| stay.total = 0);
    assert_eq!(told(&mut world, &request(hold), show), "there is nothing to pay");
    world.clock(900);
    assert_eq!(told(&mut world, &request(hold), show), "the hold is expired");
    for bad in ["", "sea.example", "ftp://x", "https://", "https://a b", "javascript:alert(1)"] {
        assert!(RequestCheckout::new(hold, bad, "https://x").is_err(), "{bad}");
    }
}

/// Replies are kept as JSON: the day of departure and the page must not share a name there.
#[test]
fn replies_read_back_as_what_they_were() {
    let (mut world, hold) = held();
    let asked = world.run(&request(hold)).unwrap();
    make_page(&mut world, &asked.operation, "cs_1");
    let reply = world.run(&ConfirmStay::new(hold, 20_000).unwrap()).unwrap();
    assert!(reply.stay.checkout.is_some() && reply.reservation.is_some());
    let kept = serde_json::to_string(&reply).unwrap();
    assert_eq!(serde_json::from_str::<StayReply>(&kept).unwrap(), reply);
}
