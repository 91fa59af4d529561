//! Stays that are paid online. What workers and the provider do is done by hand here.

use std::sync::Arc;

use serde_json::json;
use surehold_core::kernel::{Command, Slug, TenantId};
use surehold_core::operations::commands::{
    EffectOutcome, EnqueueOperation, FinishEffect, Finished, RunStateOperation, StartEffect, Started, StateRun,
};
use surehold_core::operations::{OperationKey, Payload, WorkerId};
use surehold_core::stays::operations::{
    CREATE_CHECKOUT_SESSION, CreateCheckoutSession, PaymentNews, PaymentObjects, PaymentTurn, ProcessStripeEvent,
    process_stripe_event,
};

use super::Hotel;

const URLS: &str = r#"{"success_url":"https://example.org/a","cancel_url":"https://example.org/b"}"#;

impl Hotel {
    async fn tenant(&self) -> TenantId {
        self.w.engine.views().tenant_of(&Slug::new("casa").unwrap()).await.unwrap().unwrap()
    }

    async fn run<C: Command<Refusal: std::fmt::Debug>>(&self, command: C) -> C::Reply {
        let done = self.w.engine.run(self.tenant().await, command).await;
        done.unwrap_or_else(|failure| panic!("{failure:?}")).reply
    }

    /// As a worker would, with a provider that makes the page.
    async fn make_page(&self, key: OperationKey) {
        let handler = Arc::new(CreateCheckoutSession);
        let start = StartEffect { key, handler: handler.clone(), worker: WorkerId(1), raised_at: None };
        let Started::Call(call) = self.run(start).await else { panic!("no call") };
        let response = Payload::of(&json!({"session": "cs_1", "url": "https://pay.example/cs_1"}));
        let outcome = EffectOutcome::Confirmed { provider_ref: None, response };
        let finish = FinishEffect { call: *call, handler, outcome, then: None, dice: 0, raised_at: None };
        assert_eq!(self.run(finish).await, Finished::Done);
    }

    async fn tell(&self, turn: PaymentTurn) {
        let about = PaymentObjects { payment_intent: Some("pi_1".into()), ..PaymentObjects::session("cs_1") };
        let operation = process_stripe_event("acct_1", "evt_1", &PaymentNews { about, turn }).unwrap();
        let key = operation.key.clone();
        self.run(EnqueueOperation(operation)).await;
        let handler = Arc::new(ProcessStripeEvent);
        assert_eq!(self.run(RunStateOperation { key, handler, found: None }).await, StateRun::Done);
    }
}

#[tokio::test]
async fn from_the_page_to_the_refund() {
    let h = Hotel::open().await;
    h.quote("q").await;
    h.check(r#"POST /v1/casa/stays {"id":"$a","quote":"$q","items":[{"option":2}]}"#, 201, "").await;
    let ask = format!("POST /v1/casa/stays/$a/checkout {URLS}");
    h.check(&ask, 202, r#"{"page":{"url":null}}"#).await;

    // Whoever waits is answered as soon as the page is there.
    let key = CREATE_CHECKOUT_SESSION.key(&[&h.w.named("$a"), "1"]).unwrap();
    let page = r#"{"page":{"url":"https://pay.example/cs_1","session":"cs_1"},
        "operation":{"type":"CREATE_CHECKOUT_SESSION","key":"$a:1"}}"#;
    let waiting = format!("POST /v1/casa/stays/$a/checkout?wait_ms=10000 {URLS}");
    tokio::join!(h.check(&waiting, 200, page), h.make_page(key));
    let again = h.check(&ask, 200, page).await;
    assert_eq!(again.header("idempotent-replayed"), "true");
    h.check("GET /v1/casa/stays/$a", 200, r#"{"payment_page":{"url":"https://pay.example/cs_1"}}"#).await;

    h.tell(PaymentTurn::Paid { amount: 20_000, currency: "brl".into() }).await;
    let paid = r#"{"state":"confirmed","source":"payment","paid":20000,"balance":0,
        "payment":{"session":"cs_1","state":"succeeded","amount":20000,"received":20000,"refunded":0,"refund_asked":0}}"#;
    h.check("GET /v1/casa/reservations/$a", 200, paid).await;
    let seen = r#"{"state":"converted","reservation":{"source":"payment"},
        "payments":[{"session":"cs_1","state":"succeeded","received":20000,"resolution":"reservation"}]}"#;
    h.check("GET /v1/casa/stays/$a", 200, seen).await;
    h.check(&ask, 409, r#"{"code":"reservation-exists","source":"payment","paid":20000}"#).await;
    let other = r#"{"code":"reservation-exists","hold":"$a","source":"payment","paid":20000}"#;
    h.check(r#"POST /v1/casa/stays/$a/confirm {"paid":20000}"#, 409, other).await;

    // The refund is on its way: nothing is owed any more.
    let cancelled = r#"{"state":"cancelled","penalty":10000,"refund":10000,"balance":0,"refunded":0}"#;
    h.check("POST /v1/casa/reservations/$a/cancel {}", 200, cancelled).await;
    let seen = r#"{"state":"cancelled","balance":0,"payment":{"refunded":0,"refund_asked":10000}}"#;
    h.check("GET /v1/casa/reservations/$a", 200, seen).await;
    h.check("GET /v1/casa/operations?correlation=hold=$a", 200, "").await;
}

/// There is no reservation that would tell: the stay does.
#[tokio::test]
async fn money_that_goes_back() {
    let h = Hotel::open().await;
    h.quote("q").await;
    h.check(r#"POST /v1/casa/stays {"id":"$a","quote":"$q","items":[{"option":2}]}"#, 201, "").await;
    h.check(&format!("POST /v1/casa/stays/$a/checkout {URLS}"), 202, "").await;
    h.make_page(CREATE_CHECKOUT_SESSION.key(&[&h.w.named("$a"), "1"]).unwrap()).await;
    h.check("POST /v1/casa/stays/$a/cancel", 200, r#"{"state":"cancelled"}"#).await;
    let closed = r#"{"changes":[{"room_types":["double"],"from":"~1","until":"~2","inventory":{"closed":true}}]}"#;
    h.check(&format!("PUT /v1/casa/properties/sea/calendar {closed}"), 200, "").await;
    h.tell(PaymentTurn::Paid { amount: 20_000, currency: "brl".into() }).await;
    let seen = r#"{"state":"cancelled","payments":[{"session":"cs_1","state":"succeeded","received":20000,
        "refund_asked":20000,"refunded":0,"resolution":"refund"}]}"#;
    h.check("GET /v1/casa/stays/$a", 200, seen).await;
    h.check("GET /v1/casa/reservations/$a", 404, "reservation-not-found").await;
}

/// A page under a key: the answer that is kept has none, and the page is told all the same once it is there.
#[tokio::test]
async fn a_page_under_a_key() {
    let h = Hotel::open().await;
    h.quote("q").await;
    h.check(r#"POST /v1/casa/stays {"id":"$a","quote":"$q","items":[{"option":2}]}"#, 201, "").await;
    let ask = format!("POST /v1/casa/stays/$a/checkout Idempotency-Key:k {URLS}");
    h.check(&ask, 202, r#"{"page":{"url":null}}"#).await;
    h.make_page(CREATE_CHECKOUT_SESSION.key(&[&h.w.named("$a"), "1"]).unwrap()).await;
    h.check(&ask, 200, r#"{"page":{"url":"https://pay.example/cs_1"}}"#).await;
}

#[tokio::test]
async fn money_that_takes_days() {
    let h = Hotel::open().await;
    h.quote("q").await;
    h.check(r#"POST /v1/casa/stays {"id":"$a","quote":"$q","items":[{"option":2}]}"#, 201, "").await;
    h.check(&format!("POST /v1/casa/stays/$a/checkout {URLS}"), 202, "").await;
    h.make_page(CREATE_CHECKOUT_SESSION.key(&[&h.w.named("$a"), "1"]).unwrap()).await;
    h.tell(PaymentTurn::Awaiting).await;
    h.check("GET /v1/casa/stays/$a", 200, r#"{"state":"active","awaiting_payment":true}"#).await;
    h.check(&format!("POST /v1/casa/stays/$a/checkout {URLS}"), 409, "payment-on-its-way").await;
}
