//! Stays from their quote to their end, with the news of their payments: what is decided is what is stored.

use std::sync::Arc;

use serde_json::json;
use surehold_core::kernel::{Command, Currency, Hold, HoldId, HoldState, Title};
use surehold_core::operations::commands::{
    EffectOutcome, EnqueueOperation, FinishEffect, Finished, RunStateOperation, StartEffect, Started, StateRun,
};
use surehold_core::operations::{Case, CaseKey, EffectHandler, OperationKey, Payload, TimeZoneName, WorkerId};
use surehold_core::stays::commands::{
    CalendarRequest, CancelReservation, CancelStay, ChangeReservation, CreateStay, EraseGuest, InventoryChange,
    PutProperty, PutRatePlan, PutRoomType, RateChange, RequestCheckout, SaveQuote, Set, StayItem, WalkIn, WantedRooms,
    chunks,
};
use surehold_core::stays::operations::{
    CreateCheckoutSession, EXPIRE_CHECKOUT_SESSION, ExpireCheckoutSession, PaymentNews, PaymentObjects, PaymentTurn,
    ProcessStripeEvent, REFUND_PAYMENT, RefundPayment, process_stripe_event,
};
use surehold_core::stays::quote::{QuoteRequest, compute};
use surehold_core::stays::{
    CancellationPolicy, Guest, GuestDetails, Payment, PaymentAccount, PaymentAlias, PaymentKey, PaymentState, Penalty,
    PropertyName, QuoteId, RatePlanCode, RatePlanKey, Reservation, ReservationSource, ReservationState, Resolution,
    RoomTypeCode, RoomTypeKey, Stay, StayDates, StayRoom, Weekdays, today,
};
use surehold_testkit::fixture::Fixture;
use uuid::Uuid;

use crate::conformance::{World, new_id};

const POLICY: CancellationPolicy =
    CancellationPolicy { free_until_hours: None, penalty: Penalty::Percent(50), no_show: Penalty::All };
const TOTAL: i64 = 20_000;

pub(super) async fn run<C: Command<Refusal: std::fmt::Debug>>(world: &World<'_>, command: C) -> C::Reply {
    world.engine.run(world.tenant, command).await.unwrap_or_else(|failure| panic!("{failure:?}")).reply
}

pub(super) async fn record<R: surehold_core::kernel::Record>(world: &World<'_>, key: &R::Key) -> Option<R> {
    world.engine.views().record::<R>(world.tenant, key).await.unwrap()
}

/// One room, quoted for two nights a month from now and held.
pub(super) async fn held(world: &World<'_>) -> HoldId {
    let property = PropertyName::new("sea").unwrap();
    let (room_type, plan) = (RoomTypeCode::new("double").unwrap(), RatePlanCode::new("fixed").unwrap());
    let title = || Title::new("Quarto à beira-mar").unwrap();
    let account = PaymentAccount::new("acct_1").unwrap();
    let (zone, currency) = (TimeZoneName::utc(), Currency::parse("BRL").unwrap());
    run(world, PutProperty::new(property.clone(), title(), zone.clone(), currency).payment_account(account)).await;
    let key = RoomTypeKey { property: property.clone(), code: room_type.clone() };
    run(world, PutRoomType::new(key, title(), 2).unwrap()).await;
    let key = RatePlanKey { property: property.clone(), code: plan.clone() };
    run(world, PutRatePlan::new(key, title(), POLICY).unwrap()).await;

    let now = world.engine.views().clock().await.unwrap();
    let day = |days: i32| today(&zone, now).saturating_add(jiff::Span::new().days(days));
    let calendar = CalendarRequest {
        property: property.clone(),
        room_types: vec![room_type],
        from: day(30),
        until: day(40),
        weekdays: Weekdays::ALL,
        inventory: Some(InventoryChange { total: Some(1), ..InventoryChange::default() }),
        rates: vec![(plan, RateChange { price: Set::To(TOTAL / 2), ..RateChange::default() })],
    };
    for command in chunks(&calendar).unwrap() {
        run(world, command).await;
    }
    let quote_request = QuoteRequest::new(property, StayDates::new(day(30), day(32)).unwrap(), 2, 1).unwrap();
    let views = world.engine.views();
    let basis =
        views.quote_basis(world.tenant, quote_request.property(), quote_request.dates()).await.unwrap().unwrap();
    let options = compute(&basis, &quote_request, now).options;
    let quote = QuoteId::new(Uuid::now_v7()).unwrap();
    run(world, SaveQuote::new(quote, quote_request, options).unwrap()).await;

    let hold = new_id();
    let guest = GuestDetails { name: Some("Ann Example".into()), email: None, phone: Some("+1 555 0100".into()) };
    let create = CreateStay::new(hold, quote, vec![StayItem { option: 1, rooms: 1 }]).unwrap().guest(guest).unwrap();
    let made = run(world, create.clone()).await;
    assert_eq!((made.stay.total, made.hold.state), (TOTAL, HoldState::Active));
    let done = world.engine.run(world.tenant, create).await.unwrap();
    assert_eq!((done.replayed, done.reply), (true, made.clone()));
    assert_eq!(record::<Stay>(world, &hold).await, Some(made.stay));
    hold
}

/// As a worker would, with a provider that says yes. Tells whether there was a call.
async fn carry_out(world: &World<'_>, key: OperationKey, handler: Arc<dyn EffectHandler>, response: Payload) -> bool {
    let start = StartEffect { key, handler: handler.clone(), worker: WorkerId(1), raised_at: None };
    let call = match run(world, start).await {
        Started::Call(call) => *call,
        Started::Done => return false,
        other @ (Started::Undecidable | Started::NotNow(_)) => panic!("{other:?}"),
    };
    let outcome = EffectOutcome::Confirmed { provider_ref: None, response };
    let finish = FinishEffect { call, handler, outcome, then: None, dice: 0, raised_at: None };
    assert_eq!(run(world, finish).await, Finished::Done);
    true
}

pub(super) async fn open_page(world: &World<'_>, hold: HoldId) {
    open_page_of(world, hold, "cs_1").await;
}

pub(super) async fn open_page_of(world: &World<'_>, hold: HoldId, session: &str) {
    let request = RequestCheckout::new(hold, "https://sea.example/yes", "https://sea.example/no").unwrap();
    let asked = run(world, request.clone()).await;
    assert_eq!(asked.page, None);
    let response = Payload::of(&json!({"session": session, "url": format!("https://pay.example/{session}")}));
    assert!(carry_out(world, asked.operation, Arc::new(CreateCheckoutSession), response).await);
    let again = run(world, request).await;
    assert_eq!(again.page.unwrap().session, session);
    assert!(again.hold_expires_at > again.expires_at, "the hold outlives the page");
}

pub(super) async fn tell(world: &World<'_>, event: &str, turn: PaymentTurn) {
    let about = PaymentObjects { payment_intent: Some("pi_1".into()), ..PaymentObjects::session("cs_1") };
    let operation = process_stripe_event("acct_1", event, &PaymentNews { about, turn }).unwrap();
    let key = operation.key.clone();
    run(world, EnqueueOperation(operation)).await;
    let handler = Arc::new(ProcessStripeEvent);
    assert_eq!(run(world, RunStateOperation { key, handler, found: None }).await, StateRun::Done);
}

pub(super) fn paid() -> PaymentTurn {
    PaymentTurn::Paid { amount: TOTAL, currency: "brl".into() }
}

async fn payment(world: &World<'_>) -> Payment {
    record::<Payment>(world, &PaymentKey::stripe("cs_1")).await.unwrap()
}

pub(super) async fn a_stay_is_paid_and_cancelled(fixture: Fixture) {
    let mut world = World::open(&fixture).await;
    let hold = held(&world).await;
    open_page(&world, hold).await;
    assert_eq!(payment(&world).await.state, PaymentState::Created);
    tell(&world, "evt_1", paid()).await;
    tell(&world, "evt_2", paid()).await;
    let known = payment(&world).await;
    assert_eq!((known.state, known.resolution), (PaymentState::Succeeded, Some(Resolution::Reservation)));
    let alias = record::<PaymentAlias>(&world, &PaymentKey::stripe("pi_1")).await.unwrap();
    assert_eq!(alias.payment, "cs_1");
    let reservation = record::<Reservation>(&world, &hold).await.unwrap();
    let found = (reservation.source, reservation.paid, reservation.booked_by);
    assert_eq!(found, (ReservationSource::Payment, TOTAL, hold));

    world.restart().await;
    let cancel = CancelReservation { hold, waived_by: None };
    let reply = run(&world, cancel).await;
    assert_eq!((reply.reservation.penalty, reply.refund, reply.balance), (TOTAL / 2, TOTAL / 2, 0));
    let refund = REFUND_PAYMENT.key(&["stripe", "cs_1", "1"]).unwrap();
    assert!(carry_out(&world, refund, Arc::new(RefundPayment), Payload::null()).await);
    tell(&world, "evt_3", PaymentTurn::Refunded { total: TOTAL / 2 }).await;
    let known = payment(&world).await;
    assert_eq!(
        (known.state, known.refunded, known.refunded_elsewhere),
        (PaymentState::PartiallyRefunded, TOTAL / 2, 0)
    );
    let reservation = record::<Reservation>(&world, &hold).await.unwrap();
    assert_eq!((reservation.state, reservation.refunded), (ReservationState::Cancelled, TOTAL / 2));
    world.audit().await;
}

pub(super) async fn money_that_comes_too_late(fixture: Fixture) {
    let world = World::open(&fixture).await;
    let hold = held(&world).await;
    open_page(&world, hold).await;
    run(&world, CancelStay { hold }).await;
    let expire = EXPIRE_CHECKOUT_SESSION.key(&["stripe", "cs_1"]).unwrap();
    assert!(carry_out(&world, expire, Arc::new(ExpireCheckoutSession), Payload::null()).await);
    tell(&world, "evt_1", paid()).await;
    let reservation = record::<Reservation>(&world, &hold).await.unwrap();
    assert_eq!(reservation.source, ReservationSource::LatePayment);
    assert_ne!(reservation.booked_by, hold);
    let booked = record::<Hold>(&world, &reservation.booked_by).await.unwrap();
    assert_eq!(booked.state, HoldState::Converted);
    let case = CaseKey { kind: "late-payment".into(), key: "cs_1".into() };
    assert!(record::<Case>(&world, &case).await.is_some());
    world.audit().await;
}

/// Placed and booked in one command; changed while the guests are in the house.
pub(super) async fn guests_walk_in_and_stay_longer(fixture: Fixture) {
    let world = World::open(&fixture).await;
    let stay = record::<Stay>(&world, &held(&world).await).await.unwrap();
    let day = |days: i32| stay.dates.checkin().saturating_add(jiff::Span::new().days(days));
    let dates = |from, until| StayDates::new(day(from), day(until)).unwrap();
    let StayRoom { room_type, rate_plan, .. } = stay.rooms[0].clone();
    let rooms = vec![WantedRooms { room_type, rate_plan, rooms: 1 }];
    let hold = new_id();
    let walk_in = WalkIn::new(hold, stay.property.clone(), dates(4, 6), rooms.clone()).unwrap().paid(TOTAL).unwrap();
    let made = run(&world, walk_in.clone()).await;
    assert_eq!((made.hold.state, made.hold.version), (HoldState::Converted, 2));
    let done = world.engine.run(world.tenant, walk_in).await.unwrap();
    assert_eq!((done.replayed, done.reply), (true, made));
    world.audit().await;

    fixture.advance_secs(35 * 86_400);
    for (until, total) in [(7, TOTAL / 2 * 3), (5, TOTAL / 2)] {
        let reply = run(&world, ChangeReservation::new(hold, dates(4, until), rooms.clone()).unwrap()).await;
        assert_eq!((reply.reservation.total, reply.balance), (total, total - TOTAL));
        world.audit().await;
    }
}

pub(super) async fn guests_are_forgotten(fixture: Fixture) {
    let world = World::open(&fixture).await;
    let hold = held(&world).await;
    assert!(record::<Guest>(&world, &hold).await.unwrap().details.name.is_some());
    let erased = run(&world, EraseGuest { hold }).await;
    let guest = record::<Guest>(&world, &hold).await.unwrap();
    assert_eq!((guest.details, guest.erased_at), (GuestDetails::default(), Some(erased.erased_at)));
    assert_eq!(run(&world, EraseGuest { hold }).await, erased);
    world.audit().await;
}
