//! Bugs in stays that are paid.

use std::sync::Arc;

use serde_json::json;
use surehold_core::kernel::{Command, Currency, HoldId, HoldPolicy, Pool, Slug, Title};
use surehold_core::operations::commands::{
    EffectOutcome, EnqueueOperation, FinishEffect, RunStateOperation, StartEffect, Started, StateRun,
};
use surehold_core::operations::{Operation, Payload, TimeZoneName, WorkerId};
use surehold_core::stays::commands::{
    CalendarRequest, CancelReservation, CancelStay, CreateStay, InventoryChange, PutProperty, PutRatePlan, PutRoomType,
    RateChange, RequestCheckout, SaveQuote, Set, StayItem, chunks,
};
use surehold_core::stays::operations::{
    CreateCheckoutSession, PaymentNews, PaymentObjects, PaymentTurn, ProcessStripeEvent, REFUND_PAYMENT,
    process_stripe_event,
};
use surehold_core::stays::quote::{QuoteRequest, compute};
use surehold_core::stays::{CancellationPolicy, PaymentAccount, Penalty, PropertyName, QuoteId, RatePlanCode, RatePlanKey, Reservation, RoomTypeCode, RoomTypeKey, StayDates, Weekdays, pool_of, today};
use surehold_engine::Engine;
use surehold_testkit::fixture::{Fixture, StoreKind};
use uuid::Uuid;

use super::Harm;
use super::shop::TENANT;

const PRICE: i64 = 10_000;
const FREE: CancellationPolicy =
    CancellationPolicy { free_until_hours: None, penalty: Penalty::None, no_show: Penalty::None };

/// One room, for one night a month from now.
struct House {
    engine: Engine,
    dates: StayDates,
    _fixture: Fixture,
}

fn property() -> PropertyName {
    PropertyName::new("sea").unwrap()
}

fn double() -> RoomTypeCode {
    RoomTypeCode::new("double").unwrap()
}

impl House {
    async fn open() -> House {
        let fixture = Fixture::new(StoreKind::Sqlite).await.unwrap();
        let engine = fixture.engine().await.unwrap();
        engine.create_tenant(Slug::new("sea").unwrap(), HoldPolicy::default(), TENANT).await.unwrap();
        let now = engine.views().clock().await.unwrap();
        let day = |days: i32| today(&TimeZoneName::utc(), now).saturating_add(jiff::Span::new().days(days));
        let house = House { engine, dates: StayDates::new(day(30), day(31)).unwrap(), _fixture: fixture };
        house.furnish().await;
        house
    }

    async fn run<C: Command<Refusal: std::fmt::Debug>>(&self, command: C) -> C::Reply {
        self.engine.run(TENANT, command).await.unwrap_or_else(|failure| panic!("{failure:?}")).reply
    }

    async fn furnish(&self) {
        let title = || Title::new("Casa").unwrap();
        let (zone, currency) = (TimeZoneName::utc(), Currency::parse("BRL").unwrap());
        let account = PaymentAccount::new("main").unwrap();
        self.run(PutProperty::new(property(), title(), zone, currency).payment_account(account)).await;
        self.run(PutRoomType::new(RoomTypeKey { property: property(), code: double() }, title(), 2).unwrap()).await;
        let plan = RatePlanCode::new("fixed").unwrap();
        let key = RatePlanKey { property: property(), code: plan.clone() };
        self.run(PutRatePlan::new(key, title(), FREE).unwrap()).await;
        let calendar = CalendarRequest {
            property: property(),
            room_types: vec![double()],
            from: self.dates.checkin(),
            until: self.dates.checkout(),
            weekdays: Weekdays::ALL,
            inventory: Some(InventoryChange { total: Some(1), ..InventoryChange::default() }),
            rates: vec![(plan, RateChange { price: Set::To(PRICE), ..RateChange::default() })],
        };
        for command in chunks(&calendar).unwrap() {
            self.run(command).await;
        }
    }

    async fn hold_room(&self) -> HoldId {
        let views = self.engine.views();
        let request = QuoteRequest::new(property(), self.dates, 2, 1).unwrap();
        let basis = views.quote_basis(TENANT, request.property(), request.dates()).await.unwrap().unwrap();
        let options = compute(&basis, &request, views.clock().await.unwrap()).options;
        let quote = QuoteId::new(Uuid::now_v7()).unwrap();
        self.run(SaveQuote::new(quote, request, options).unwrap()).await;
        let hold = HoldId::new(Uuid::now_v7()).unwrap();
        self.run(CreateStay::new(hold, quote, vec![StayItem { option: 1, rooms: 1 }]).unwrap()).await;
        hold
    }

    /// The page is there; the provider says so at once.
    async fn open_page(&self, hold: HoldId) {
        let request = RequestCheckout::new(hold, "https://sea.example/yes", "https://sea.example/no").unwrap();
        let (key, handler) = (self.run(request).await.operation, Arc::new(CreateCheckoutSession));
        let start = StartEffect { key, handler: handler.clone(), worker: WorkerId(1), raised_at: None };
        let Started::Call(call) = self.run(start).await else { panic!("no call") };
        let response = Payload::of(&json!({ "session": "cs_1", "url": "https://pay.example/cs_1" }));
        let outcome = EffectOutcome::Confirmed { provider_ref: None, response };
        self.run(FinishEffect { call: *call, handler, outcome, then: None, dice: 0, raised_at: None }).await;
    }

    async fn hear_of_the_money(&self) {
        let turn = PaymentTurn::Paid { amount: PRICE, currency: "brl".into() };
        let news = PaymentNews { about: PaymentObjects::session("cs_1"), turn };
        let operation = process_stripe_event("main", "evt_1", &news).unwrap();
        let key = operation.key.clone();
        self.run(EnqueueOperation(operation)).await;
        let run = RunStateOperation { key, handler: Arc::new(ProcessStripeEvent), found: None };
        assert_eq!(self.run(run).await, StateRun::Done);
    }

    async fn is_reserved(&self, hold: HoldId) -> bool {
        self.engine.views().record::<Reservation>(TENANT, &hold).await.unwrap().is_some()
    }

    async fn is_refund_asked(&self) -> bool {
        let key = REFUND_PAYMENT.key(&["stripe", "cs_1", "1"]).unwrap();
        self.engine.views().record::<Operation>(TENANT, &key).await.unwrap().is_some()
    }
}

/// The room is free when the money comes.
pub(super) async fn a_late_payment_without_rooms() -> Harm {
    let house = House::open().await;
    let hold = house.hold_room().await;
    house.open_page(hold).await;
    house.run(CancelStay { hold }).await;
    house.hear_of_the_money().await;
    assert!(house.is_reserved(hold).await);
    let pool = pool_of(&property(), &double(), house.dates.checkin());
    let booked = house.engine.views().record::<Pool>(TENANT, &pool).await.unwrap().unwrap().booked;
    house.engine.stop().await;
    (booked != 1).then(|| format!("a reservation, and {booked} rooms booked"))
}

/// The room is somebody else's when the money comes.
pub(super) async fn a_late_payment_that_is_kept() -> Harm {
    let house = House::open().await;
    let hold = house.hold_room().await;
    house.open_page(hold).await;
    house.run(CancelStay { hold }).await;
    house.hold_room().await;
    house.hear_of_the_money().await;
    assert!(!house.is_reserved(hold).await);
    let is_refunded = house.is_refund_asked().await;
    house.engine.stop().await;
    (!is_refunded).then(|| "paid, without a room and without a refund".to_owned())
}

pub(super) async fn a_forgotten_refund() -> Harm {
    let house = House::open().await;
    let hold = house.hold_room().await;
    house.open_page(hold).await;
    house.hear_of_the_money().await;
    house.run(CancelReservation { hold, waived_by: None }).await;
    let is_refunded = house.is_refund_asked().await;
    house.engine.stop().await;
    (!is_refunded).then(|| "cancelled for nothing, and nothing given back".to_owned())
}
