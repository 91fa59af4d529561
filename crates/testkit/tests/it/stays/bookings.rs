//! Stays and reservations as lists.

use jiff::civil::Date;
use surehold_core::kernel::{HoldId, HoldState, Slot, Timestamp};
use surehold_core::stays::commands::{
    CancelReservation, ConfirmStay, CreateStay, SaveQuote, StayItem, WalkIn, WantedRooms,
};
use surehold_core::stays::{GuestDetails, QuoteId, ReservationState, StayDates};
use surehold_engine::ReservationsOn;
use surehold_testkit::fixture::Fixture;
use uuid::Uuid;

use super::quotes::{days_after, furnish, plan, quote_request, quoted, request, room, run, sea, set, soon};
use crate::conformance::{World, new_id};

/// A house with five doubles for 150 nights.
async fn furnished(world: &World<'_>) -> Date {
    furnish(world, &["double"]).await;
    let from = soon(world).await;
    set(world, &request(&["double"], from, 150, 5, &[("flex", 10_000)])).await;
    from
}

fn guest(name: &str) -> GuestDetails {
    GuestDetails { name: Some(name.into()), ..GuestDetails::default() }
}

async fn book(world: &World<'_>, from: Date, nights: i32) -> HoldId {
    let dates = StayDates::new(from, days_after(from, nights)).unwrap();
    let rooms = vec![WantedRooms { room_type: room("double"), rate_plan: plan("flex"), rooms: 1 }];
    let id = new_id();
    run(world, WalkIn::new(id, sea(), dates, rooms).unwrap().guest(guest("Ann")).unwrap()).await;
    id
}

async fn listed(world: &World<'_>, on: ReservationsOn, state: ReservationState) -> Vec<HoldId> {
    let views = world.engine.views();
    let all = views.reservations_on(world.tenant, &sea(), on, state, None, 100).await.unwrap();
    // Page by page it is the same.
    let mut paged = Vec::new();
    let mut after = None;
    loop {
        let page = views.reservations_on(world.tenant, &sea(), on, state, after, 1).await.unwrap();
        let Some(last) = page.last() else { break };
        after = Some(on.place_of(&last.reservation));
        paged.extend(page);
    }
    assert_eq!(paged, all);
    assert!(all.iter().all(|view| view.guest.as_ref().is_some_and(|guest| guest.details == self::guest("Ann"))));
    all.into_iter().map(|view| view.reservation.hold).collect()
}

pub(super) async fn reservations_are_listed_by_their_dates(fixture: Fixture) {
    let world = World::open(&fixture).await;
    let from = furnished(&world).await;
    let (short, late) = (book(&world, from, 2).await, book(&world, days_after(from, 1), 3).await);
    let longest = book(&world, from, 90).await;
    let slot = |days: i32| Slot::night(days_after(from, days)).unwrap();
    let confirmed = ReservationState::Confirmed;
    for (on, expected) in [
        (ReservationsOn::Arriving(slot(0)), vec![short, longest]),
        (ReservationsOn::Arriving(slot(1)), vec![late]),
        (ReservationsOn::Arriving(slot(2)), vec![]),
        (ReservationsOn::Departing(slot(2)), vec![short]),
        (ReservationsOn::Departing(slot(4)), vec![late]),
        (ReservationsOn::Departing(slot(90)), vec![longest]),
        (ReservationsOn::Staying(slot(0)), vec![short, longest]),
        (ReservationsOn::Staying(slot(1)), vec![short, longest, late]),
        (ReservationsOn::Staying(slot(3)), vec![longest, late]),
        (ReservationsOn::Staying(slot(89)), vec![longest]),
        (ReservationsOn::Staying(slot(90)), vec![]),
    ] {
        assert_eq!(listed(&world, on, confirmed).await, expected, "{on:?}");
    }
    run(&world, CancelReservation { hold: short, waived_by: None }).await;
    let arriving = ReservationsOn::Arriving(slot(0));
    assert_eq!(listed(&world, arriving, confirmed).await, [longest]);
    assert_eq!(listed(&world, arriving, ReservationState::Cancelled).await, [short]);
    let view = world.engine.views().reservation(world.tenant, short).await.unwrap().unwrap();
    assert_eq!((view.reservation.state, view.payment), (ReservationState::Cancelled, None));
    assert_eq!(world.engine.views().reservation(world.tenant, new_id()).await.unwrap(), None);
}

pub(super) async fn a_stay_is_seen_with_all_that_is_its(fixture: Fixture) {
    let world = World::open(&fixture).await;
    let from = furnished(&world).await;
    let quote_request = quote_request(from, 2, 1);
    let quote = QuoteId::new(Uuid::now_v7()).unwrap();
    run(&world, SaveQuote::new(quote, quote_request.clone(), quoted(&world, &quote_request).await.options).unwrap())
        .await;
    let views = world.engine.views();
    let mut made = Vec::new();
    for secs in [300, 200] {
        let hold = new_id();
        let create = CreateStay::new(hold, quote, vec![StayItem { option: 1, rooms: 1 }]).unwrap();
        run(&world, create.guest(guest("Ann")).unwrap().lifetime_secs(secs)).await;
        made.push(hold);
    }
    let active = async |after: (Timestamp, Uuid)| {
        let stays = views.active_stays(world.tenant, &sea(), after, 10).await.unwrap();
        assert!(stays.iter().all(|view| view.stay.hold == view.hold.id && view.reservation.is_none()));
        stays.into_iter().map(|view| (view.hold.id, view.hold.expires_at)).collect::<Vec<_>>()
    };
    let now = views.clock().await.unwrap();
    let all = active((now, Uuid::max())).await;
    assert_eq!(all.iter().map(|(hold, _)| *hold).collect::<Vec<_>>(), [made[1], made[0]], "the next to expire first");
    let (first, expires_at) = all[0];
    assert_eq!(active((expires_at, first.uuid())).await.len(), 1);

    run(&world, ConfirmStay::new(made[0], 100).unwrap()).await;
    assert_eq!(active((now, Uuid::max())).await.len(), 1);
    let seen = views.stay(world.tenant, made[0]).await.unwrap().unwrap();
    assert_eq!(seen.hold.state, HoldState::Converted);
    assert_eq!(seen.reservation.map(|reservation| reservation.paid), Some(100));
    assert_eq!(seen.guest.map(|found| found.details), Some(guest("Ann")));
    assert_eq!(views.stay(world.tenant, new_id()).await.unwrap(), None);
}
