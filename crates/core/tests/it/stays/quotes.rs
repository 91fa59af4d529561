//! Computing and keeping quotes.

use surehold_core::kernel::{Event, Timestamp};
use surehold_core::stays::commands::{InventoryChange, PurgeQuotes, RateChange, SaveQuote, Set, SetCalendar};
use surehold_core::stays::quote::{Offers, QUOTE_OPTIONS_MAX, QuoteRequest, compute};
use surehold_core::stays::{NightRange, PropertyTerms, Quote, QuoteId, QuoteOption, StayDates, StaysEvent, Weekdays};

use super::desk::{Desk, FLEXIBLE, day, plan, price, put_property, room, sea, stay};

fn request(dates: StayDates, guests: u32, rooms: u32) -> QuoteRequest {
    QuoteRequest::new(sea(), dates, guests, rooms).unwrap()
}

fn told(offers: &Offers) -> String {
    let options = offers.options.iter().map(|option| {
        let QuoteOption { number, room_type, rate_plan, prices, total, available, .. } = option;
        format!("{number} {room_type} {rate_plan} {prices:?} = {total}, {available} left")
    });
    let reasons = offers.not_for_sale.iter().map(|not| {
        let rate_plan = not.rate_plan.as_ref().map_or("*", |plan| plan.as_str());
        format!("{} {rate_plan}: {}", not.room_type, not.reason)
    });
    options.chain(reasons).collect::<Vec<_>>().join("; ")
}

fn christmas() -> StayDates {
    stay("2026-12-24", "2026-12-26")
}

/// Five double rooms and two single ones over Christmas.
fn furnished() -> Desk {
    let mut desk = Desk::open();
    desk.set("double", "2026-12-20", "2026-12-31", 5, &[("flex", price(120)), ("fixed", price(100))]);
    desk.set("single", "2026-12-20", "2026-12-31", 2, &[("flex", price(80))]);
    desk
}

#[track_caller]
fn check(desk: &mut Desk, request: &QuoteRequest, expected: &str) {
    let basis = desk.basis(request.dates());
    assert_eq!(told(&compute(&basis, request, desk.now())), expected);
}

#[test]
fn the_cheapest_first() {
    let mut desk = furnished();
    desk.set("double", "2026-12-25", "2026-12-26", 3, &[("flex", price(150))]);
    let expected = "1 single flex [80, 80] = 160, 2 left; 2 double fixed [100, 100] = 200, 3 left; \
                    3 double flex [120, 150] = 270, 3 left; single fixed: 2026-12-24 has no price";
    check(&mut desk, &request(christmas(), 1, 1), expected);
    let expected = "1 double fixed [100, 100] = 600, 3 left; 2 double flex [120, 150] = 810, 3 left; \
                    single *: so many of these rooms have places for 3 only";
    check(&mut desk, &request(christmas(), 5, 3), expected);
}

#[test]
fn why_not() {
    let mut desk = furnished();
    let expected = "double *: 5 rooms are left on 2026-12-24; single *: 2 rooms are left on 2026-12-24";
    check(&mut desk, &request(christmas(), 1, 6), expected);
    let expected = "double *: there are no rooms on 2026-12-31; single *: there are no rooms on 2026-12-31";
    check(&mut desk, &request(stay("2026-12-30", "2027-01-02"), 1, 1), expected);
    let past = "it is 2026-12-01 at the property; nobody can arrive before that";
    check(&mut desk, &request(stay("2026-11-30", "2026-12-02"), 1, 1), &format!("double *: {past}; single *: {past}"));
    // Closed comes before full, on whichever night.
    desk.set("double", "2026-12-24", "2026-12-25", 0, &[]);
    let closing = InventoryChange { closed: Some(true), ..InventoryChange::default() };
    let range = NightRange::new(day("2026-12-25"), day("2026-12-26")).unwrap();
    let stop = RateChange { stop_sell: Some(true), min_stay: Set::To(1), ..RateChange::default() };
    desk.run(&SetCalendar::new(sea(), room("double"), range, Weekdays::ALL, Some(closing), vec![]).unwrap()).unwrap();
    let rates = vec![(plan("flex"), stop)];
    desk.run(&SetCalendar::new(sea(), room("single"), range, Weekdays::ALL, None, rates).unwrap()).unwrap();
    let expected = "double *: closed on 2026-12-25; single fixed: 2026-12-24 has no price; \
                    single flex: not sold on 2026-12-25";
    check(&mut desk, &request(christmas(), 1, 1), expected);
}

fn id(at: Timestamp) -> QuoteId {
    let millis = u64::try_from(at.micros() / 1_000).unwrap();
    QuoteId::new(uuid::Builder::from_unix_timestamp_millis(millis, &[7; 10]).into_uuid()).unwrap()
}

fn computed(desk: &mut Desk, request: &QuoteRequest) -> Vec<QuoteOption> {
    let basis = desk.basis(request.dates());
    compute(&basis, request, desk.now()).options
}

/// The id is the request's: prices that changed meanwhile do not make another quote of it.
#[test]
fn kept_and_asked_for_again() {
    let mut desk = furnished();
    desk.run(&put_property("BRL").terms(PropertyTerms { quote_secs: 600, ..PropertyTerms::default() }).unwrap())
        .unwrap();
    let (request, id) = (request(christmas(), 2, 1), id(desk.now()));
    let options = computed(&mut desk, &request);
    assert_eq!(options[0].cancellation, FLEXIBLE);
    let made = desk.run(&SaveQuote::new(id, request.clone(), options.clone()).unwrap()).unwrap();
    assert_eq!(made.events, [Event::Stays(StaysEvent::QuoteSaved { quote: id, property: sea() })]);
    let quote = made.reply;
    assert_eq!((quote.created_at, quote.valid_until), (desk.now(), desk.now().plus_secs(600)));
    assert_eq!(desk.record::<Quote>(&id).as_ref(), Some(&quote));
    assert_eq!((quote.option(1), quote.option(0), quote.option(9)), (options.first(), None, None));
    assert!(quote.is_good(desk.now().plus_secs(599)) && !quote.is_good(desk.now().plus_secs(600)));

    desk.set("double", "2026-12-24", "2026-12-26", 5, &[("flex", price(999))]);
    desk.pass(60);
    let options = computed(&mut desk, &request);
    let again = desk.run(&SaveQuote::new(id, request, options.clone()).unwrap()).unwrap();
    assert!(again.replayed);
    assert_eq!(again.reply, quote);
    let other = QuoteRequest::new(sea(), christmas(), 1, 1).unwrap();
    let refusal = desk.run(&SaveQuote::new(id, other, options).unwrap()).unwrap_err();
    assert_eq!(refusal.to_string(), format!("quote {id} exists with other content"));
}

/// Only what nobody may come back to goes: neither its id nor that of a stay that was made from it would be taken again.
#[test]
fn spent_quotes_go() {
    let mut desk = furnished();
    let request = request(christmas(), 2, 1);
    let options = computed(&mut desk, &request);
    let (early, late) = (id(desk.now().plus_secs(-30 * 86_400)), id(desk.now().plus_secs(86_400)));
    for id in [early, late] {
        desk.run(&SaveQuote::new(id, request.clone(), options.clone()).unwrap()).unwrap();
    }
    let purge = PurgeQuotes { quotes: vec![early, late, id(desk.now())] };
    let quote_secs = PropertyTerms::default().quote_secs;
    desk.pass(quote_secs + 31 * 86_400 - 1);
    assert_eq!(desk.run(&purge).unwrap().reply, 0);
    assert!(desk.record::<Quote>(&early).is_some() && desk.record::<Quote>(&late).is_some());
    desk.pass(1);
    let purged = desk.run(&purge).unwrap();
    assert_eq!((purged.reply, purged.events), (2, vec![Event::Stays(StaysEvent::QuotesPurged { quotes: 2 })]));
    assert_eq!((desk.record::<Quote>(&early), desk.record::<Quote>(&late)), (None, None));
    for id in [early, late] {
        let again = desk.run(&SaveQuote::new(id, request.clone(), options.clone()).unwrap()).unwrap_err();
        assert!(again.to_string().contains("was made"), "{again}");
    }
    assert_eq!(desk.run(&purge).unwrap().reply, 0);
}

#[test]
fn refused() {
    let mut desk = furnished();
    let request = request(christmas(), 2, 1);
    let options = computed(&mut desk, &request);
    for (secs, taken) in [(-30 * 86_400, true), (-30 * 86_400 - 1, false), (86_400, true), (86_401, false)] {
        let command = SaveQuote::new(id(desk.now().plus_secs(secs)), request.clone(), options.clone()).unwrap();
        assert_eq!(desk.run(&command).is_ok(), taken, "{secs}");
    }
    let command = SaveQuote::new(id(desk.now()), request, options).unwrap();
    assert_eq!(Desk::bare().run(&command).unwrap_err().to_string(), "there is no such tenant");
    assert_eq!(Desk::with_tenant().run(&command).unwrap_err().to_string(), "there is no property sea");
}

#[test]
fn malformed() {
    let mut desk = furnished();
    let request = request(christmas(), 2, 1);
    let options = computed(&mut desk, &request);
    let id = id(desk.now());
    let refused = |options: Vec<QuoteOption>| SaveQuote::new(id, request.clone(), options).is_err();
    assert!(refused(vec![]));
    assert!(refused(vec![options[0].clone(); QUOTE_OPTIONS_MAX + 1]));
    let change = |change: fn(&mut QuoteOption)| {
        let mut options = options.clone();
        change(&mut options[0]);
        options
    };
    assert!(!refused(change(|_| {})));
    assert!(refused(change(|option| option.number = 2)));
    assert!(refused(change(|option| option.total += 1)));
    assert!(refused(change(|option| option.prices.push(0))));
    assert!(refused(change(|option| option.prices[0] = -option.prices[0])));
    for (guests, rooms) in [(0, 1), (1, 0), (1_001, 1), (1, 101)] {
        assert!(QuoteRequest::new(sea(), christmas(), guests, rooms).is_err(), "{guests} {rooms}");
    }
}

/// What does not fit is counted, and is the most expensive.
#[test]
fn as_many_options_as_fit() {
    let mut desk = furnished();
    let mut basis = desk.basis(christmas());
    let (room_type, rate_plan) = (basis.room_types[0].clone(), basis.rate_plans[1].clone());
    let (pools, months) = (basis.pools.clone(), basis.months.clone());
    basis.rate_plans = vec![rate_plan];
    for n in 0..250 {
        let code = room(&format!("r{n}"));
        let mut another = room_type.clone();
        another.key.code = code.clone();
        basis.room_types.push(another);
        for pool in pools.iter().filter(|pool| pool.key.resource.as_str() == "sea/double") {
            let mut another = pool.clone();
            another.key = surehold_core::stays::pool_of(&sea(), &code, pool.key.slot.date().unwrap());
            basis.pools.push(another);
        }
        let of_plan = months.iter().find(|month| month.key.rate_plan == plan("flex")).unwrap();
        let mut another = of_plan.clone();
        another.key.room_type = code;
        basis.months.push(another);
    }
    let request = request(christmas(), 1, 1);
    let offers = compute(&basis, &request, desk.now());
    assert_eq!((offers.options.len(), offers.options_left_out), (QUOTE_OPTIONS_MAX, 52));
    assert_eq!(offers.options[0].total, 160, "the single room is the cheapest");
    assert!(offers.options.iter().zip(1..).all(|(option, number)| option.number == number));
    assert!(SaveQuote::new(id(desk.now()), request, offers.options).is_ok());
}
