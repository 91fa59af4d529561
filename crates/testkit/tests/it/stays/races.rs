//! Many at the same moment: guests who want the last rooms, and payments that meet the end of their holds.

use std::sync::Arc;

use futures_util::future::join_all;
use surehold_core::kernel::commands::ExpireHold;
use surehold_core::kernel::{Currency, Hold, HoldId, HoldState, Pool, Refusal, Title};
use surehold_core::operations::commands::{EnqueueOperation, RunStateOperation};
use surehold_core::operations::{Case, OperationKey, TimeZoneName};
use surehold_core::stays::commands::{CancelStay, CreateStay, PutProperty, SaveQuote, StayItem};
use surehold_core::stays::operations::{
    PaymentNews, PaymentObjects, PaymentTurn, ProcessStripeEvent, process_stripe_event,
};
use surehold_core::stays::{
    Payment, PaymentAccount, PaymentKey, QuoteId, Reservation, ReservationSource, Resolution, Stay, StayRefusal,
    pool_of,
};
use surehold_engine::Failure;
use surehold_testkit::fixture::Fixture;
use uuid::Uuid;

use super::payments::{open_page_of, record, run};
use super::quotes::{furnish, quote_request, quoted, request, room, sea, set, soon};
use crate::conformance::{World, new_id};

const PRICE: i64 = 100;
const NIGHTS: i32 = 3;
/// Longer than a page and the hold behind it.
const PAST_EVERY_HOLD_SECS: i64 = 3_600;

/// So many rooms, and a quote for one of them.
async fn quote(world: &World<'_>, rooms: i64) -> QuoteId {
    furnish(world, &["double"]).await;
    let (zone, currency) = (TimeZoneName::utc(), Currency::parse("BRL").unwrap());
    let account = PaymentAccount::new("acct_1").unwrap();
    run(world, PutProperty::new(sea(), Title::new("Sea").unwrap(), zone, currency).payment_account(account)).await;
    let from = soon(world).await;
    set(world, &request(&["double"], from, NIGHTS, rooms, &[("flex", PRICE)])).await;
    let quote_request = quote_request(from, NIGHTS, 1);
    let options = quoted(world, &quote_request).await.options;
    let quote = QuoteId::new(Uuid::now_v7()).unwrap();
    run(world, SaveQuote::new(quote, quote_request, options).unwrap()).await;
    quote
}

fn create(hold: HoldId, quote: QuoteId) -> CreateStay {
    CreateStay::new(hold, quote, vec![StayItem { option: 1, rooms: 1 }]).unwrap()
}

/// Held and booked on each night: the same on all of them.
async fn taken(world: &World<'_>, hold: HoldId) -> (i64, i64) {
    let stay = record::<Stay>(world, &hold).await.unwrap();
    let mut nights = Vec::new();
    for night in stay.dates.nights() {
        let pool = record::<Pool>(world, &pool_of(&sea(), &room("double"), night)).await.unwrap();
        nights.push((pool.held, pool.booked));
    }
    nights.dedup();
    let [taken] = nights[..] else { panic!("{nights:?}") };
    taken
}

/// All of them saw a free room: a quote promises nothing.
pub(super) async fn the_last_rooms_go_to_as_many_guests(fixture: Fixture) {
    const ROOMS: usize = 10;
    const GUESTS: usize = 60;
    let world = World::open(&fixture).await;
    let quote = quote(&world, i64::try_from(ROOMS).unwrap()).await;
    let ids: Vec<HoldId> = (0..GUESTS).map(|_| new_id()).collect();
    let told = join_all(ids.iter().map(|id| world.engine.run(world.tenant, create(*id, quote)))).await;
    let mut held = Vec::new();
    for (id, told) in ids.iter().zip(told) {
        match told {
            Ok(done) => held.push(done.reply.hold.id),
            Err(Failure::Refused(StayRefusal::Kernel(Refusal::SoldOut { .. }))) => {
                // Whoever got nothing left nothing.
                assert_eq!(record::<Hold>(&world, id).await, None);
                assert_eq!(record::<Stay>(&world, id).await, None);
            }
            Err(failure) => panic!("{failure:?}"),
        }
    }
    assert_eq!(held.len(), ROOMS);
    assert_eq!(taken(&world, held[0]).await, (10, 0));
    world.audit().await;
}

fn session(number: usize) -> String {
    format!("cs_{number}")
}

/// Two events say that the stay was paid; both are there to be dealt with.
async fn hear_twice(world: &World<'_>, number: usize) -> [OperationKey; 2] {
    let about = PaymentObjects::session(&session(number));
    let turn = PaymentTurn::Paid { amount: PRICE * i64::from(NIGHTS), currency: "brl".into() };
    let news = PaymentNews { about, turn };
    let events = ["a", "b"].map(|event| process_stripe_event("acct_1", &format!("{event}{number}"), &news).unwrap());
    for event in &events {
        run(world, EnqueueOperation(event.clone())).await;
    }
    events.map(|event| event.key)
}

async fn deal_with(world: &World<'_>, key: &OperationKey) {
    run(world, RunStateOperation { key: key.clone(), handler: Arc::new(ProcessStripeEvent), found: None }).await;
}

/// The hold ends by whatever comes first: given up, or run out.
async fn end(world: &World<'_>, hold: HoldId, is_due: bool) {
    let ended = if is_due {
        world.engine.run(world.tenant, ExpireHold { id: hold }).await.map(drop)
    } else {
        let cancelled = world.engine.run(world.tenant, CancelStay { hold }).await;
        cancelled.map(drop).map_err(|failure| match failure {
            Failure::Refused(StayRefusal::Kernel(refusal)) => Failure::Refused(refusal),
            other => panic!("{other:?}"),
        })
    };
    match ended {
        Ok(()) | Err(Failure::Refused(Refusal::HoldEnded { state: HoldState::Converted })) => {}
        Err(failure) => panic!("{failure:?}"),
    }
}

/// Whoever is first: one reservation comes of it, and each night is booked once. Two workers have the first event, and
/// another says the same once more.
pub(super) async fn payments_meet_the_end_of_their_holds(fixture: Fixture) {
    const STAYS: usize = 16;
    let world = World::open(&fixture).await;
    let quote = quote(&world, i64::try_from(STAYS).unwrap()).await;
    let mut stays = Vec::new();
    for number in 0..STAYS {
        let hold = new_id();
        run(&world, create(hold, quote)).await;
        open_page_of(&world, hold, &session(number)).await;
        stays.push((hold, hear_twice(&world, number).await));
    }
    // The first half is given up while it is paid; the second has run out, and is expired while it is paid.
    for (half, is_due) in stays.chunks(STAYS / 2).zip([false, true]) {
        if is_due {
            fixture.advance_secs(PAST_EVERY_HOLD_SECS);
        }
        let (w, mut races) = (&world, Vec::new());
        for (number, (hold, [first, second])) in half.iter().enumerate() {
            races.push(async move {
                if number % 2 == 0 {
                    tokio::join!(end(w, *hold, is_due), deal_with(w, first), deal_with(w, first), deal_with(w, second));
                } else {
                    tokio::join!(deal_with(w, first), deal_with(w, first), deal_with(w, second), end(w, *hold, is_due));
                }
            });
        }
        join_all(races).await;
    }
    let mut late = 0;
    for (number, (hold, _)) in stays.iter().enumerate() {
        let payment = record::<Payment>(&world, &PaymentKey::stripe(&session(number))).await.unwrap();
        assert_eq!((payment.resolution, payment.refunds), (Some(Resolution::Reservation), 0), "{payment:?}");
        let reservation = record::<Reservation>(&world, hold).await.expect("it was paid");
        let state = record::<Hold>(&world, hold).await.unwrap().state;
        let is_late = reservation.source == ReservationSource::LatePayment;
        assert_eq!(is_late, state != HoldState::Converted, "{reservation:?}");
        assert_eq!(is_late, reservation.booked_by != *hold, "{reservation:?}");
        late += usize::from(is_late);
    }
    assert!(late >= STAYS / 2, "what had run out was late: {late}");
    assert_eq!(taken(&world, stays[0].0).await, (0, i64::try_from(STAYS).unwrap()));
    let cases: Vec<Case> = world.engine.views().all_records(world.tenant).await.unwrap();
    assert_eq!(cases.len(), late, "each of these is a case: {cases:?}");
    world.audit().await;
}
