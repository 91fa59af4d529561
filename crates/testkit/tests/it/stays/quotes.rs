//! Calendars and quotes.

use jiff::civil::Date;
use surehold_core::kernel::commands::PlaceHold;
use surehold_core::kernel::{Command, Currency, Title};
use surehold_core::operations::TimeZoneName;
use surehold_core::stays::commands::{
    CalendarRequest, InventoryChange, PutProperty, PutRatePlan, PutRoomType, RateChange, SaveQuote, Set, chunks,
};
use surehold_core::stays::quote::{Offers, QuoteRequest, compute};
use surehold_core::stays::{
    CancellationPolicy, NightRange, NotForSale, Penalty, Property, PropertyName, Quote, QuoteId, RatePlanCode,
    RatePlanKey, RoomTypeCode, RoomTypeKey, StayDates, StayRefusal, Weekdays, pool_of, stay_lines, today,
};
use surehold_testkit::fixture::Fixture;
use uuid::Uuid;

use crate::conformance::{World, new_id};

const POLICY: CancellationPolicy =
    CancellationPolicy { free_until_hours: Some(48), penalty: Penalty::Percent(50), no_show: Penalty::All };

pub(super) fn sea() -> PropertyName {
    PropertyName::new("sea").unwrap()
}

pub(super) fn room(code: &str) -> RoomTypeCode {
    RoomTypeCode::new(code).unwrap()
}

pub(super) fn plan(code: &str) -> RatePlanCode {
    RatePlanCode::new(code).unwrap()
}

fn zone() -> TimeZoneName {
    TimeZoneName::parse("America/Sao_Paulo").unwrap()
}

pub(super) async fn run<C: Command<Refusal = StayRefusal>>(world: &World<'_>, command: C) -> C::Reply {
    world.engine.run(world.tenant, command).await.unwrap_or_else(|failure| panic!("{failure:?}")).reply
}

/// A property with these room types, in the plans `fixed` and `flex`.
pub(super) async fn furnish(world: &World<'_>, room_types: &[&str]) {
    let title = |text: &str| Title::new(text).unwrap();
    let currency = Currency::parse("BRL").unwrap();
    run(world, PutProperty::new(sea(), title("Pousada à Beira-Mar"), zone(), currency)).await;
    for code in room_types {
        let key = RoomTypeKey { property: sea(), code: room(code) };
        run(world, PutRoomType::new(key, title("Quarto"), 2).unwrap()).await;
    }
    for code in ["flex", "fixed"] {
        let key = RatePlanKey { property: sea(), code: plan(code) };
        run(world, PutRatePlan::new(key, title(code), POLICY).unwrap()).await;
    }
}

pub(super) fn days_after(date: Date, days: i32) -> Date {
    date.saturating_add(jiff::Span::new().days(days))
}

/// A month from now, so that no test depends on the date of its run.
pub(super) async fn soon(world: &World<'_>) -> Date {
    days_after(today(&zone(), world.engine.views().clock().await.unwrap()), 30)
}

pub(super) fn request(
    room_types: &[&str],
    from: Date,
    nights: i32,
    rooms: i64,
    prices: &[(&str, i64)],
) -> CalendarRequest {
    let rate = |price: i64| RateChange { price: Set::To(price), min_stay: Set::To(2), ..RateChange::default() };
    CalendarRequest {
        property: sea(),
        room_types: room_types.iter().map(|code| room(code)).collect(),
        from,
        until: days_after(from, nights),
        weekdays: Weekdays::ALL,
        inventory: Some(InventoryChange { total: Some(rooms), ..InventoryChange::default() }),
        rates: prices.iter().map(|(code, price)| (plan(code), rate(*price))).collect(),
    }
}

/// Tells on how many nights something changed.
pub(super) async fn set(world: &World<'_>, request: &CalendarRequest) -> usize {
    let mut changed = 0;
    for command in chunks(request).unwrap() {
        changed += run(world, command).await.nights_changed;
    }
    changed
}

pub(super) fn quote_request(from: Date, nights: i32, rooms: u32) -> QuoteRequest {
    let dates = StayDates::new(from, days_after(from, nights)).unwrap();
    QuoteRequest::new(sea(), dates, 2, rooms).unwrap()
}

pub(super) async fn quoted(world: &World<'_>, quote_request: &QuoteRequest) -> Offers {
    let views = world.engine.views();
    let basis =
        views.quote_basis(world.tenant, quote_request.property(), quote_request.dates()).await.unwrap().unwrap();
    compute(&basis, quote_request, views.clock().await.unwrap())
}

fn told(offers: &Offers) -> Vec<(&str, &str, i64, i64)> {
    let told = offers
        .options
        .iter()
        .map(|option| (option.room_type.as_str(), option.rate_plan.as_str(), option.total, option.available));
    told.collect()
}

pub(super) async fn a_calendar_is_quoted_and_the_quote_kept(fixture: Fixture) {
    let mut world = World::open(&fixture).await;
    furnish(&world, &["double", "suite"]).await;
    let from = soon(&world).await;
    let doubles = request(&["double"], from, 45, 5, &[("flex", 12_000), ("fixed", 10_000)]);
    assert_eq!(set(&world, &doubles).await, 45);
    assert_eq!(set(&world, &doubles).await, 0, "a repeat changes nothing");
    assert_eq!(set(&world, &request(&["suite"], from, 45, 1, &[("flex", 30_000)])).await, 45);

    let quote_request = quote_request(days_after(from, 3), 40, 1);
    let offers = quoted(&world, &quote_request).await;
    let expected = [("double", "fixed", 400_000, 5), ("double", "flex", 480_000, 5), ("suite", "flex", 1_200_000, 1)];
    assert_eq!(told(&offers), expected);
    let night = days_after(from, 3);
    assert_eq!(offers.not_for_sale.len(), 1);
    assert_eq!(offers.not_for_sale[0].reason, NotForSale::NoPrice { night });

    let id = QuoteId::new(Uuid::now_v7()).unwrap();
    let save = SaveQuote::new(id, quote_request.clone(), offers.options.clone()).unwrap();
    let quote = run(&world, save.clone()).await;
    assert_eq!(quote.options[..], offers.options[..]);
    assert_eq!(quote.valid_until, quote.created_at.plus_secs(1_800));
    set(&world, &request(&["double"], from, 45, 5, &[("flex", 99_900)])).await;
    let done = world.engine.run(world.tenant, save).await.unwrap();
    assert_eq!((done.replayed, &done.reply), (true, &quote));
    world.restart().await;
    let views = world.engine.views();
    assert_eq!(views.record::<Quote>(world.tenant, &id).await.unwrap().as_ref(), Some(&quote));
    let property = views.record::<Property>(world.tenant, &sea()).await.unwrap().unwrap();
    assert_eq!(views.properties(world.tenant, None, 10).await.unwrap(), [property]);
    assert_eq!(views.room_types(world.tenant, &sea()).await.unwrap().len(), 2);
    world.audit().await;

    let neighbour = world.neighbour(2).await;
    let views = neighbour.engine.views();
    assert!(views.quote_basis(neighbour.tenant, &sea(), quote_request.dates()).await.unwrap().is_none());
    assert_eq!(views.record::<Quote>(neighbour.tenant, &id).await.unwrap(), None);
    furnish(&neighbour, &[]).await;
    let basis = views.quote_basis(neighbour.tenant, &sea(), quote_request.dates()).await.unwrap().unwrap();
    assert_eq!((basis.room_types.len(), basis.rate_plans.len(), basis.months.len(), basis.pools.len()), (0, 2, 0, 0));
}

pub(super) async fn rooms_that_are_held_are_not_offered(fixture: Fixture) {
    let world = World::open(&fixture).await;
    furnish(&world, &["double"]).await;
    let from = soon(&world).await;
    set(&world, &request(&["double"], from, 10, 2, &[("flex", 100)])).await;
    let hold = |nights: i32| {
        let dates = StayDates::new(from, days_after(from, nights)).unwrap();
        PlaceHold::new(new_id(), stay_lines(&sea(), &[(room("double"), 1)], dates).unwrap())
    };
    world.engine.run(world.tenant, hold(1)).await.unwrap();
    assert_eq!(told(&quoted(&world, &quote_request(from, 2, 1)).await), [("double", "flex", 200, 1)]);
    assert_eq!(told(&quoted(&world, &quote_request(days_after(from, 1), 2, 2)).await), [("double", "flex", 400, 2)]);
    world.engine.run(world.tenant, hold(1)).await.unwrap();
    let offers = quoted(&world, &quote_request(from, 2, 1)).await;
    assert_eq!(offers.not_for_sale[0].reason, NotForSale::SoldOut { night: from, available: 0 });
    // A room that burnt down: the truth is taken, and told.
    let fewer = InventoryChange { total: Some(1), ..InventoryChange::default() };
    let request = CalendarRequest { inventory: Some(fewer), ..request(&["double"], from, 10, 0, &[]) };
    let [command] = &chunks(&request).unwrap()[..] else { panic!("ten nights are one command") };
    let done = run(&world, command.clone()).await;
    assert_eq!(done.nights_changed, 10);
    assert_eq!(done.oversold.iter().map(|night| (night.night, night.oversold)).collect::<Vec<_>>(), [(from, 1)]);
    world.audit().await;
}

pub(super) async fn a_calendar_is_read_as_it_was_set(fixture: Fixture) {
    let world = World::open(&fixture).await;
    furnish(&world, &["double", "suite", "double-sea"]).await;
    let from = soon(&world).await;
    set(&world, &request(&["double", "double-sea"], from, 70, 5, &[("flex", 100), ("fixed", 80)])).await;
    let range = NightRange::new(days_after(from, 10), days_after(from, 20)).unwrap();
    let (views, tenant) = (world.engine.views(), world.tenant);
    let read = async |room_type: Option<&str>| {
        let room_type = room_type.map(room);
        views.calendar(tenant, &sea(), room_type.as_ref(), range).await.unwrap()
    };
    let calendar = read(Some("double")).await;
    let keys: Vec<_> = calendar.pools.iter().map(|pool| pool.key.clone()).collect();
    assert_eq!(keys, range.nights().map(|night| pool_of(&sea(), &room("double"), night)).collect::<Vec<_>>());
    assert_eq!(calendar.months.len(), 2 * range.months().len());
    for night in range.nights() {
        let prices = calendar.months.iter().filter_map(|month| month.night(night)?.price).collect::<Vec<_>>();
        assert_eq!(prices, [80, 100], "{night}");
    }
    let calendar = read(None).await;
    assert_eq!((calendar.pools.len(), calendar.months.len()), (20, 4 * range.months().len()));
    assert_eq!(read(Some("suite")).await.pools, []);
    let nowhere = PropertyName::new("se").unwrap();
    assert!(views.calendar(tenant, &nowhere, None, range).await.unwrap().pools.is_empty());
    world.audit().await;
}

/// As one request would set it up: every command fits into a batch, and the quote over all of it is bounded.
pub(super) async fn a_year_of_many_room_types(fixture: Fixture) {
    let world = World::open(&fixture).await;
    let codes: Vec<String> = (0..12).map(|n| format!("r{n:02}")).collect();
    let codes: Vec<&str> = codes.iter().map(String::as_str).collect();
    furnish(&world, &codes).await;
    let from = soon(&world).await;
    let whole = request(&codes, from, 500, 3, &[("flex", 100), ("fixed", 90)]);
    assert_eq!(set(&world, &whole).await, 12 * 500);
    let offers = quoted(&world, &quote_request(days_after(from, 395), 90, 3)).await;
    assert_eq!((offers.options.len(), offers.options_left_out), (24, 0));
    assert!(offers.options.iter().all(|option| option.available == 3 && option.prices.len() == 90));
    world.audit().await;
}

/// A quote is kept as long as somebody may come back to it, and no longer.
pub(super) async fn spent_quotes_are_let_go(fixture: Fixture) {
    let world = World::open(&fixture).await;
    furnish(&world, &["double"]).await;
    let from = soon(&world).await;
    set(&world, &request(&["double"], from, 30, 5, &[("flex", 12_000)])).await;
    let quote_request = quote_request(from, 3, 1);
    let offers = quoted(&world, &quote_request).await;
    let ask = async || {
        let id = QuoteId::new(new_id().uuid()).unwrap();
        run(&world, SaveQuote::new(id, quote_request.clone(), offers.options.clone()).unwrap()).await;
        id
    };
    let kept = async |id: &QuoteId| world.engine.views().record::<Quote>(world.tenant, id).await.unwrap().is_some();
    let mut old = Vec::new();
    // More than one command takes.
    for _ in 0..250 {
        old.push(ask().await);
    }
    fixture.advance_secs(20 * 86_400);
    // Its id is as old as theirs, for ids are made by the clock of those who ask.
    let young = ask().await;
    assert_eq!(world.engine.purge_quotes().await.unwrap(), 0);
    assert!(kept(&old[0]).await);
    fixture.advance_secs(12 * 86_400);
    assert_eq!(world.engine.purge_quotes().await.unwrap(), 250);
    for id in &old {
        assert!(!kept(id).await);
    }
    assert!(kept(&young).await);
    assert_eq!(world.engine.purge_quotes().await.unwrap(), 0);
}
