//! `surehold stay`: a hotel from nothing to a reservation, as its people do it.

use jiff::ToSpan;
use jiff::civil::Date;
use uuid::Uuid;

use super::Place;

pub(super) fn days_from_now(days: i64) -> Date {
    jiff::Timestamp::now().to_zoned(jiff::tz::TimeZone::UTC).date().saturating_add(days.days())
}

/// A property `mar` of the tenant `casa`: two doubles and a suite in two plans, for the next 60 nights.
pub(super) fn open_hotel(place: &Place) {
    let run = |line: &str| drop(place.run(&line.split(' ').collect::<Vec<_>>()).ok());
    run("tenant create casa");
    run("stay property put casa mar --zone UTC --currency BRL");
    run("stay room-type put casa mar double --guests 2");
    run("stay room-type put casa mar suite --guests 4 --title Suite");
    run("stay rate-plan put casa mar flexible --free-until-hours 48 --penalty nights:1");
    run("stay rate-plan put casa mar saver --penalty all");
    let nights = format!("{}+60", days_from_now(0));
    run(&format!("stay calendar set casa mar double {nights} --rooms 2 --rate flexible=450 --rate saver=390.50"));
    run(&format!("stay calendar set casa mar suite {nights} --rooms 1 --rate flexible=900"));
}

fn id(place: &Place, args: &[&str], name: &str) -> String {
    place.json(args)[name].as_str().unwrap().to_owned()
}

#[test]
fn from_a_question_to_a_reservation() {
    for place in [Place::file(), Place::socket(), Place::address()] {
        open_hotel(&place);
        let nights = format!("{}+3", days_from_now(10));
        let range = format!("{}..{} (3 nights)", days_from_now(10), days_from_now(13));
        let offered = place.run(&["stay", "quote", "casa", "mar", &nights]).ok();
        let offered =
            offered.shows(&[&range, "2 guests, 1 room", "OPTION", "BRL 1171.50", "390.50", "costs everything"]);
        offered
            .shows(&["NOT FOR SALE", "has no price"])
            .tells(&["note: `surehold stay hold casa ", " 1 --name NAME` holds"]);
        let quote = id(&place, &["stay", "quote", "casa", "mar", &nights, "--rooms", "2"], "id");
        place.run(&["stay", "quote", "show", "casa", &quote]).ok().shows(&["BRL 2343.00", "BRL 2700.00"]);

        // One option without a number means all rooms that were asked for.
        let stay = Uuid::now_v7().to_string();
        let hold =
            ["stay", "hold", "casa", &quote, "2", "--name", "Ann Example", "--email", "ann@example.org", "--id", &stay];
        let held = place.run(&hold).ok().shows(&[&stay, "held", "BRL 2700.00", "    2  double     flexible"]);
        held.tells(&[&format!("`surehold stay checkout casa {stay} --success-url URL`")]);
        place.run(&hold).ok().tells(&["this repeats an earlier request"]);
        place.run(&["stay", "list", "casa", "mar"]).ok().shows(&[
            &stay,
            "14 min",
            "2 × double flexible",
            "deciding",
            "Ann",
        ]);
        let whole = ["stay", "show", "casa", &stay];
        place.run(&whole).ok().shows(&["Ann Example, ann@example.org", &range]);
        let shown = place.run(&["stay", "calendar", "casa", "mar", &nights]).ok();
        shown.shows(&["double     0/2     0/2     0/2", "suite      1/1", "390.50", "free/rooms"]);

        place.run(&["stay", "confirm", "casa", &stay, "--paid", "700"]).ok().shows(&["booked", ", confirmed"]);
        place.run(&["stay", "list", "casa", "mar"]).ok().tells(&["no rooms are held"]);
        let arrival = days_from_now(10).to_string();
        place.run(&["stay", "arrivals", "casa", "mar", &arrival]).ok().shows(&["BRL 2000.00 owed", "desk", &stay]);
        place.run(&["stay", "departures", "casa", "mar", &arrival]).ok().tells(&["nobody leaves on"]);
        place.run(&["stay", "departures", "casa", "mar", &days_from_now(13).to_string()]).ok().shows(&["Ann Example"]);
        place.run(&["stay", "in-house", "casa", "mar", &days_from_now(11).to_string()]).ok().shows(&["Ann Example"]);

        let shorter = format!("{}+1", days_from_now(12));
        let changed = place.run(&["stay", "reservation", "change", "casa", &stay, "--nights", &shorter]).ok();
        changed.shows(&["(1 night)", "BRL 900.00", "BRL 200.00 owed", "2  double     flexible"]);
        let to_suite = ["stay", "reservation", "change", "casa", &stay, "--room", "suite:flexible"];
        place.run(&to_suite).ok().shows(&["(1 night)", "1  suite      flexible"]);
        place.run(&["stay", "reservation", "show", "casa", &stay]).ok().shows(&["Ann Example", "confirmed"]);
        let cancel = ["stay", "reservation", "cancel", "casa", &stay, "--waive", "--actor", "ana"];
        place.run(&cancel).ok().shows(&["cancelled", "waived by", "ana", "BRL 700.00 paid too much"]);
        place.run(&["stay", "erase-guest", "casa", &stay]).ok().shows(&["guest erased"]);
        let gone = place.run(&whole).ok().shows(&["(erased)", ", cancelled"]);
        assert!(!gone.said().contains("Ann"), "{}", gone.said());
    }
}

#[test]
fn a_guest_at_the_desk() {
    let place = Place::socket();
    open_hotel(&place);
    let nights = format!("{}+2", days_from_now(5));
    let id = Uuid::now_v7().to_string();
    let walk_in = ["stay", "walk-in", "casa", "mar", &nights, "double:flexible=2", "--paid", "900.00", "--id", &id];
    place.run(&walk_in).ok().shows(&["walk in", "BRL 1800.00", "BRL 900.00 owed", "    2  double     flexible"]);
    place.run(&walk_in).ok().tells(&["this repeats an earlier request"]);
    let fewer = ["stay", "calendar", "set", "casa", "mar", "double", &nights, "--rooms", "1"];
    let first = days_from_now(5);
    place.run(&fewer).ok().shows(&[&format!("oversold: 1 room more promised on {first}")]);
    place.run(&["stay", "calendar", "casa", "mar", &nights]).ok().shows(&["0/1 !1", "!N N rooms oversold"]);
}

#[test]
fn what_is_left_out_stays_as_it_is() {
    let place = Place::socket();
    open_hotel(&place);
    place.run(&["stay", "property", "put", "casa", "mar", "--hold-for", "20m", "--payment-account", "main"]).ok();
    let put = place.run(&["stay", "property", "put", "casa", "mar", "--title", "Casa Mar", "--check-in", "16:00"]).ok();
    put.shows(&["Casa Mar", "16:00", "UTC", "BRL", "main", "rooms held for    20m", "quote good for    30m"]);
    let put = place.run(&["stay", "property", "put", "casa", "mar", "--no-payment-account"]).ok();
    assert!(!put.out.contains("pays to"), "{}", put.said());
    place.run(&["stay", "room-type", "put", "casa", "mar", "suite", "--guests", "5"]).ok().shows(&["Suite", "5"]);
    place.run(&["stay", "room-type", "list", "casa", "mar"]).ok().shows(&["double", "suite      Suite"]);
    place
        .run(&["stay", "rate-plan", "put", "casa", "mar", "flexible", "--title", "Flex"])
        .ok()
        .shows(&["Flex", "free until 48 h before, then 1 night"]);
    place.run(&["stay", "rate-plan", "put", "casa", "mar", "flexible", "--never-free"]).ok().shows(&["costs 1 night"]);
    place.run(&["stay", "rate-plan", "list", "casa", "mar"]).ok().shows(&["flexible", "saver"]);
    place.run(&["stay", "property", "list", "casa"]).ok().shows(&["mar", "Casa Mar"]);
    place.run(&["stay", "property", "show", "casa", "mar"]).ok().shows(&["16:00"]);

    let night = days_from_now(3).to_string();
    let set =
        |more: &[&str]| place.run(&[&["stay", "calendar", "set", "casa", "mar", "double", &night], more].concat()).ok();
    set(&["--plan", "saver", "--min-stay", "3", "--closed-to-arrival", "yes"]).shows(&["1 night changed"]);
    set(&["--plan", "saver", "--min-stay", "3"]).shows(&["it was so already"]);
    place
        .run(&["stay", "calendar", "casa", "mar", &night, "--plans"])
        .ok()
        .shows(&["390.50 3+ xA", "N+ N nights or more"]);
    set(&["--plan", "saver", "--min-stay", "none", "--closed-to-arrival", "no", "--stop-sell", "yes"]);
    place.run(&["stay", "calendar", "casa", "mar", &night, "--plans"]).ok().shows(&["stop", "stop not sold"]);
    set(&["--rate", "saver=none", "--close"]);
    place.run(&["stay", "calendar", "casa", "mar", &night]).ok().shows(&["closed", "450"]);
}

#[test]
fn what_cannot_be_done_says_what_to_do() {
    let place = Place::socket();
    open_hotel(&place);
    let (nights, other) = (format!("{}+2", days_from_now(5)), Uuid::now_v7().to_string());
    let usage = |args: &[&str], expected: &str| drop(place.run(args).ended(2).tells(&[expected]));
    usage(&["stay", "property", "put", "casa", "new"], "new is new: --zone");
    usage(&["stay", "room-type", "put", "casa", "mar", "new"], "--guests is needed");
    usage(&["stay", "rate-plan", "put", "casa", "mar", "new"], "--penalty none, nights:N");
    usage(&["stay", "quote", "casa", "mar", "2026-12-24..2026-12-24"], "not after");
    usage(&["stay", "quote", "casa", "mar"], "NIGHTS");
    usage(&["stay", "calendar", "casa"], "PROPERTY");
    usage(&["stay", "calendar", "set", "casa", "mar", "double", &nights], "--rooms");
    usage(&["stay", "calendar", "set", "casa", "mar", "double", &nights, "--min-stay", "2"], "belong to a rate plan");
    usage(&["stay", "calendar", "set", "casa", "mar", "double", &nights, "--rate", "saver=1,5"], "450.00");
    usage(&["stay", "walk-in", "casa", "mar", &nights, "double"], "double:flexible");
    usage(&["stay", "reservation", "change", "casa", &other], "--nights");
    let refused = |args: &[&str], parts: &[&str]| {
        let ran = place.run(args).ended(1);
        assert_eq!(ran.err.lines().count(), 3, "{}", ran.said());
        ran.tells(parts);
    };
    refused(
        &["stay", "property", "show", "casa", "sol"],
        &["no property sol", "hint: `surehold stay property list casa`"],
    );
    let of_none = ["stay", "calendar", "casa", "mar", &nights, "--room-type", "attic"];
    refused(&of_none, &["no room type attic", "`surehold stay room-type list casa mar`"]);
    refused(&["stay", "show", "casa", &other], &["no stay", "`surehold stay list casa PROPERTY`"]);
    refused(&["stay", "reservation", "show", "casa", &other], &["no reservation", "`surehold stay show casa"]);
    refused(&["stay", "hold", "casa", &other, "1"], &["no quote", "`surehold stay quote casa"]);
    let quote = id(&place, &["stay", "quote", "casa", "mar", &nights], "id");
    refused(
        &["stay", "hold", "casa", &quote, "9"],
        &["no option 9", &format!("`surehold stay quote show casa {quote}`")],
    );
    let stay = Uuid::now_v7().to_string();
    place.run(&["stay", "hold", "casa", &quote, "1", "--id", &stay]).ok();
    let pay = ["stay", "checkout", "casa", &stay, "--success-url", "https://example.org/thanks"];
    refused(&pay, &["no payment account", "`surehold stay property put casa mar --payment-account NAME`"]);
    let nothing = ["stay", "walk-in", "casa", "mar", &nights, "suite:saver"];
    refused(&nothing, &["has no price", "`surehold stay calendar casa PROPERTY NIGHTS --plans`"]);
    let currency = ["stay", "property", "put", "casa", "mar", "--currency", "eur"];
    refused(&currency, &["sells in BRL", "leave --currency out"]);
    let partly = ["stay", "calendar", "set", "casa", "mar", "double,attic", &nights, "--rooms", "2"];
    let ran =
        place.run(&partly).ended(1).shows(&["double", "it was so already", "attic", "refused: there is no room type"]);
    ran.tells(&["1 of 2 changes were not made", "run it again"]);
    place.run(&["stay", "cancel", "casa", &stay]).ok().shows(&["cancelled"]);
    place.run(&["stay", "quote", "casa", "mar", &nights, "--guests", "9"]).ok().tells(&["nothing to offer"]);
}
