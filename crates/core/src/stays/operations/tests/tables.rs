//! Scenarios about the session `a` of one stay, in a property with one room: statements separated by `;`.
//!
//! ```text
//! paid          paid 1     paid USD     paid b       the money has come: all of it, another amount, another currency,
//!                                                    for another session
//! awaiting      failed     expired      refunded 5   refund-failed 5   dispute open      dispute-2 open
//! again                                              the last event is delivered once more
//! clock 60      cancel     sell                      time goes by; the hold is cancelled; somebody else books the room
//! session b                                          there is another page for the stay
//! refund 1      take-away b                          the worker refunds, and takes the page away
//! ```

use super::world::{CHECKIN_DAYS, HOLD_SECS, TOTAL, World};
use crate::operations::commands::Finished;
use crate::stays::operations::{PaymentObjects, PaymentTurn};
use crate::stays::{DisputeState, Stay};

fn paid(amount: i64, currency: &str) -> PaymentTurn {
    PaymentTurn::Paid { amount, currency: currency.into() }
}

fn obey(world: &mut World, statement: &str) -> String {
    let stay = world.stays[0];
    let (verb, rest) = statement.split_once(' ').unwrap_or((statement, ""));
    let number = || rest.parse::<i64>().unwrap();
    match (verb, rest) {
        ("paid", "") => world.tell("a", paid(TOTAL, "brl")),
        ("paid", "b") => world.tell("b", paid(TOTAL, "brl")),
        ("paid", "USD") => world.tell("a", paid(TOTAL, "USD")),
        ("paid", _) => world.tell("a", paid(number(), "BRL")),
        ("awaiting", _) => world.tell("a", PaymentTurn::Awaiting),
        ("failed", _) => world.tell("a", PaymentTurn::Failed),
        ("expired", "b") => world.tell("b", PaymentTurn::SessionExpired),
        ("expired", _) => world.tell("a", PaymentTurn::SessionExpired),
        ("refunded", _) => world.tell("a", PaymentTurn::Refunded { total: number() }),
        ("refund-failed", _) => world.tell("a", PaymentTurn::RefundFailed { refund: "re_1".into(), amount: number() }),
        ("dispute" | "dispute-2", state) => {
            let state = DisputeState::parse(state).unwrap();
            let dispute = if verb == "dispute" { "dp_1" } else { "dp_2" }.into();
            world.tell("a", PaymentTurn::Dispute { dispute, state, amount: TOTAL })
        }
        ("again", _) => world.deliver_again(),
        ("refund", _) => world.refund("a", u32::try_from(number()).unwrap()),
        ("take-away", _) => world.expire_session(rest),
        (verb, _) => {
            match verb {
                "clock" => world.clock(number()),
                "cancel" => world.cancel(stay),
                "sell" => world.sell_one(),
                "session" => world.know_session(stay, rest),
                other => panic!("{other}?"),
            }
            String::new()
        }
    }
}

/// What the last statement told, and how things stand; the same after the last event was delivered again.
#[track_caller]
fn check(scenario: &str, expected: &str) {
    let mut world = World::new(1);
    world.hold_stay().unwrap();
    let mut told = String::new();
    for statement in scenario.split(';').map(str::trim).filter(|statement| !statement.is_empty()) {
        told = obey(&mut world, statement);
        world.audit(&["a".to_owned(), "b".to_owned()]).unwrap();
    }
    let session = if scenario.ends_with(" b") { "b" } else { "a" };
    assert_eq!(format!("{told}: {}", world.show(session)), expected, "{scenario}");
}

const GONE: i64 = HOLD_SECS;

#[test]
fn in_time() {
    check("session a; paid", "reserved: succeeded reservation, confirmed by payment paid 20000, hold converted");
    let last_moment = format!("session a; clock {}; paid", HOLD_SECS - 1);
    check(&last_moment, "reserved: succeeded reservation, confirmed by payment paid 20000, hold converted");
    check("session a; paid; again", "not now: succeeded reservation, confirmed by payment paid 20000, hold converted");
    check("session a; paid; paid", "repeated: succeeded reservation, confirmed by payment paid 20000, hold converted");
    check("session a; paid; expired", "noted: succeeded reservation, confirmed by payment paid 20000, hold converted");
    check("session a; paid; failed", "noted: succeeded reservation, confirmed by payment paid 20000, hold converted");
    check(
        "session a; failed; paid",
        "reserved: succeeded reservation, confirmed by payment paid 20000, hold converted",
    );
    check(
        "session a; expired; paid",
        "reserved: succeeded reservation, confirmed by payment paid 20000, hold converted",
    );
}

#[test]
fn late() {
    // At the instant of expiry the hold is dead.
    check(
        &format!("session a; clock {GONE}; paid"),
        "booked_anew: succeeded reservation, confirmed by late_payment paid 20000, case late-payment, hold expired",
    );
    check(
        &format!("session a; clock {GONE}; sell; paid"),
        "refunded: succeeded refund, refund 1 waits, case late-payment, hold expired",
    );
    check(
        &format!("session a; clock {GONE}; sell; paid; again; paid; refund 1"),
        "called: refund 20000: refunded -20000 refund, refund 1 SUCCEEDED, case late-payment, hold expired",
    );
    check(
        "session a; cancel; paid",
        "booked_anew: succeeded reservation, confirmed by late_payment paid 20000, case late-payment, hold cancelled",
    );
    check(
        "session a; cancel; sell; paid",
        "refunded: succeeded refund, refund 1 waits, case late-payment, hold cancelled",
    );
    // Whoever arrives today may still come; the day after, the first night is over.
    let days = |days: i64| days * 86_400;
    check(
        &format!("session a; clock {}; paid", days(CHECKIN_DAYS)),
        "booked_anew: succeeded reservation, confirmed by late_payment paid 20000, case late-payment, hold expired",
    );
    check(
        &format!("session a; clock {}; paid", days(CHECKIN_DAYS + 1)),
        "refunded: succeeded refund, refund 1 waits, case late-payment, hold expired",
    );
}

#[test]
fn twice() {
    check(
        "session a; session b; paid; paid b",
        "paid_twice: succeeded refund, refund 1 waits, confirmed by payment paid 20000, case paid-twice, hold converted",
    );
    let late = format!("session a; session b; clock {GONE}; paid; paid b");
    check(
        &late,
        "paid_twice: succeeded refund, refund 1 waits, confirmed by late_payment paid 20000, case paid-twice, hold converted"
            .replace("hold converted", "hold expired")
            .as_str(),
    );
}

#[test]
fn wrong_money() {
    for wrong in ["paid 19999", "paid 20001", "paid 0", "paid -1", "paid USD"] {
        let expected = "amount_mismatch: succeeded case, case amount-mismatch, hold active";
        check(&format!("session a; {wrong}"), expected);
    }
    check("session a; paid 1; paid", "repeated: succeeded case, case amount-mismatch, hold active");
}

#[test]
fn unknown_sessions() {
    check("paid", "waiting on: payment a known: no payment");
    check(
        "paid; session a; clock 30; again",
        "reserved: succeeded reservation, confirmed by payment paid 20000, hold converted",
    );
    let mut world = World::new(1);
    for (turn, is_reported) in
        [(paid(1, "BRL"), true), (PaymentTurn::SessionExpired, false), (PaymentTurn::Failed, false)]
    {
        let session = turn.as_str();
        assert!(world.tell(session, turn.clone()).starts_with("waiting on"), "{session}");
        world.clock(600);
        assert_eq!(world.deliver_again(), "unknown");
        assert_eq!(world.case_is_open("payment-unknown", session), is_reported, "{session}");
    }
}

/// Whoever takes away our mark takes nothing from a payment that we know.
#[test]
fn payments_without_our_mark() {
    let mut world = World::new(1);
    let hold = world.hold_stay().unwrap();
    world.know_session(hold, "a");
    let without_mark = |session| PaymentObjects { is_foreign: true, ..PaymentObjects::session(session) };
    assert_eq!(world.tell_about("acct_1", without_mark("b"), paid(1, "BRL")), "of_no_concern");
    assert!(!world.case_is_open("payment-unknown", "b"));
    assert_eq!(world.tell_about("acct_1", without_mark("a"), paid(TOTAL, "BRL")), "reserved");
}

/// Several things may be told of a payment before it is known; each counts, once.
#[test]
fn news_that_came_too_early() {
    let mut world = World::new(1);
    let hold = world.hold_stay().unwrap();
    world.know_session(hold, "a");
    let dispute = |state| PaymentTurn::Dispute { dispute: "dp_1".into(), state, amount: TOTAL };
    for turn in [PaymentTurn::Refunded { total: 5_000 }, dispute(DisputeState::Open)] {
        world.tell("a", turn);
        world.clock(600);
        assert_eq!(world.deliver_again(), "unknown");
    }
    assert!(world.case_is_open("payment-unknown", "pi_a"));
    assert_eq!(world.tell("a", paid(TOTAL, "brl")), "reserved");
    assert!(!world.case_is_open("payment-unknown", "pi_a"));
    let expected = "partially_refunded -5000 dispute:open reservation, confirmed by payment paid 20000 -5000, \
                    case dispute, case refunded-elsewhere, hold converted";
    assert_eq!(world.show("a"), expected);
    assert_eq!(world.tell("a", paid(TOTAL, "brl")), "repeated");
    assert_eq!(world.show("a"), expected);
}

/// Who holds the secret of one account cannot book, or refund, what is paid in another.
#[test]
fn news_from_another_account() {
    for account in ["acct_2", "acct_1:x", "acct", "acct_10"] {
        let mut world = World::new(1);
        let hold = world.hold_stay().unwrap();
        world.know_session(hold, "a");
        assert!(world.tell_from(account, "a", paid(TOTAL, "brl")).starts_with("waiting on"), "{account}");
        world.clock(600);
        assert_eq!(world.deliver_again(), "unknown", "{account}");
        assert_eq!(world.show("a"), "created, case payment-unknown, hold active", "{account}");
    }
}

#[test]
fn events_that_speak_of_no_payment() {
    let mut world = World::new(1);
    let kind = || "customer.created".into();
    assert_eq!(world.tell("a", PaymentTurn::OfNoConcern { kind: kind() }), "of_no_concern");
    assert!(!world.case_is_open("event-not-understood", "acct_1:evt_1"));
    assert_eq!(world.tell("a", PaymentTurn::NotUnderstood { kind: kind() }), "not_understood");
    assert!(world.case_is_open("event-not-understood", "acct_1:evt_2"));
}

#[test]
fn money_that_takes_days() {
    check("session a; awaiting", "extended: awaiting, hold active");
    let days = |days: i64| days * 86_400;
    check(
        &format!("session a; awaiting; clock {}; paid", days(4)),
        "reserved: succeeded reservation, confirmed by payment paid 20000, hold converted",
    );
    check(
        &format!("session a; awaiting; clock {}; paid", days(5)),
        "booked_anew: succeeded reservation, confirmed by late_payment paid 20000, case late-payment, hold expired",
    );
    check("session a; awaiting; failed", "cancelled: failed, hold cancelled");
    check("session a; awaiting; failed; awaiting", "repeated: failed, hold cancelled");
    check(
        "session a; awaiting; failed; paid",
        "booked_anew: succeeded reservation, confirmed by late_payment paid 20000, case late-payment, hold cancelled",
    );
    // There is another page meanwhile: the rooms are kept for whoever pays there, and may be asked for again.
    check("session a; awaiting; session b; failed", "noted: failed, hold active");
    check("session a; awaiting; session b; expired b; failed", "cancelled: failed, hold cancelled");
    // One that was never on its way fails on the page: the payer may try again.
    check("session a; failed", "noted: failed, hold active");
    check(
        "session a; paid; awaiting",
        "repeated: succeeded reservation, confirmed by payment paid 20000, hold converted",
    );
    check(&format!("session a; clock {GONE}; awaiting"), "noted: awaiting, hold expired");
}

/// While money is on its way no page is made; when it does not come, one is.
#[test]
fn what_fails_is_no_longer_awaited() {
    let mut world = World::new(1);
    let hold = world.hold_stay().unwrap();
    world.know_session(hold, "a");
    world.tell("a", PaymentTurn::Awaiting);
    world.know_session(hold, "b");
    let is_awaited = |world: &mut World| world.facts.get::<Stay>(&hold).unwrap().unwrap().awaiting_payment;
    assert!(is_awaited(&mut world));
    world.tell("a", PaymentTurn::Failed);
    assert!(!is_awaited(&mut world));
}

#[test]
fn refunds() {
    check(
        "session a; paid; refunded 5000",
        "refunded_elsewhere: partially_refunded -5000 reservation, confirmed by payment paid 20000 -5000, \
         case refunded-elsewhere, hold converted",
    );
    check(
        "session a; paid; refunded 20000; refunded 5000; paid",
        "repeated: refunded -20000 reservation, confirmed by payment paid 20000 -20000, case refunded-elsewhere, \
         hold converted",
    );
    // The provider knows the payment by another name, which we have not heard.
    check("session a; refunded 20000", "waiting on: payment pi_a known: created, hold active");
    // However long that takes, it is not forgotten: nothing is booked for money that is gone.
    let given_up = "session a; refunded 20000; clock 600; again";
    check(given_up, "unknown: created, hold active");
    check(&format!("{given_up}; paid"), "refunded_before: refunded -20000 case, case refunded-elsewhere, hold active");
    // With it: never back to succeeded.
    check(
        "session a; awaiting; refunded 20000; paid",
        "refunded_before: refunded -20000 case, case refunded-elsewhere, hold active",
    );
    check(
        "session a; awaiting; refunded 5000; paid",
        "reserved: partially_refunded -5000 reservation, confirmed by payment paid 20000 -5000, \
         case refunded-elsewhere, hold converted",
    );
    check(
        "session a; paid; refund-failed 1",
        "reported: succeeded reservation, confirmed by payment paid 20000, case refund-failed, hold converted",
    );
    // Our own refund, told by the provider before its answer came: nobody else's.
    check(
        "session a; cancel; sell; paid; refunded 20000",
        "noted: refunded -20000 refund, refund 1 waits, case late-payment, hold cancelled",
    );
    // It did not arrive: nothing is given back, whatever old news say, and nothing is tried again.
    for failed in ["refund-failed 20000", "refund-failed 20000; refunded 20000", "refunded 20000; refund-failed 20000"]
    {
        let told = if failed.ends_with(" 20000; refunded 20000") { "noted" } else { "reported" };
        check(
            &format!("session a; cancel; sell; paid; refund 1; {failed}"),
            &format!(
                "{told}: refunded refund, refund 1 SUCCEEDED, case late-payment, case refund-failed, hold cancelled"
            ),
        );
    }
    check(
        "session a; cancel; sell; paid; refund 1; refund-failed 20000; refund-failed 20000",
        "repeated: refunded refund, refund 1 SUCCEEDED, case late-payment, case refund-failed, hold cancelled",
    );
    // Half of it went back by another hand.
    check(
        "session a; awaiting; refunded 5000; cancel; sell; paid; refund 1",
        "called: refund 15000: refunded -20000 refund, refund 1 SUCCEEDED, case late-payment, hold cancelled",
    );
}

/// Money that was promised and is not given back is a case, until it is.
#[test]
fn a_refund_that_is_refused() {
    let mut world = World::new(1);
    let hold = world.hold_stay().unwrap();
    world.know_session(hold, "a");
    world.cancel(hold);
    world.sell_one();
    assert_eq!(world.tell("a", paid(TOTAL, "brl")), "refunded");
    assert_eq!(world.refuse_refund("a", 1), Finished::Dead);
    assert!(world.case_is_open("refund-refused", "stripe:a:1"));
    world.redrive_refund("a", 1);
    assert_eq!(world.refund("a", 1), "called: refund 20000");
    assert!(!world.case_is_open("refund-refused", "stripe:a:1"));
    assert_eq!(world.payment("a").unwrap().given_back(), TOTAL);
}

#[test]
fn disputes() {
    let refund_waits = "session a; cancel; sell; paid; dispute open";
    check(
        &format!("{refund_waits}; refund 1"),
        "waiting on: dispute of a closed: succeeded dispute:open refund, refund 1 waits, case dispute, \
         case late-payment, hold cancelled",
    );
    check(
        &format!("{refund_waits}; refund 1; dispute won; refund 1"),
        "called: refund 20000: refunded -20000 dispute:won refund, refund 1 SUCCEEDED, case late-payment, \
         hold cancelled",
    );
    check(
        &format!("{refund_waits}; refund 1; dispute lost; refund 1"),
        "Done: succeeded dispute:lost refund, refund 1 SUCCEEDED, case dispute, case late-payment, hold cancelled",
    );
    check(
        "session a; paid; dispute won; dispute open",
        "repeated: succeeded dispute:won reservation, confirmed by payment paid 20000, hold converted",
    );
    check(
        "session a; paid; dispute lost; dispute open; dispute won",
        "repeated: succeeded dispute:lost reservation, confirmed by payment paid 20000, case dispute, hold converted",
    );
}

/// Whatever was told before: money that is gone is a case.
#[test]
fn a_dispute_that_is_lost_after_all() {
    check(
        "session a; paid; dispute open; dispute won; dispute lost; dispute won",
        "repeated: succeeded dispute:lost reservation, confirmed by payment paid 20000, case dispute, hold converted",
    );
}

/// Another dispute of the same payment is as much of a case as the first.
#[test]
fn another_dispute() {
    let reserved = "reservation, confirmed by payment paid 20000";
    let first_won = "session a; paid; dispute open; dispute won";
    check(
        &format!("{first_won}; dispute-2 open"),
        &format!("noted: succeeded dispute:open {reserved}, case dispute, hold converted"),
    );
    check(
        &format!("{first_won}; dispute-2 open; dispute open; dispute won"),
        &format!("repeated: succeeded dispute:open {reserved}, case dispute, hold converted"),
    );
    check(
        &format!("{first_won}; dispute-2 open; dispute-2 lost"),
        &format!("noted: succeeded dispute:lost {reserved}, case dispute, hold converted"),
    );
    check(
        &format!("{first_won}; dispute-2 won; dispute-2 open"),
        &format!("repeated: succeeded dispute:won {reserved}, hold converted"),
    );
}

#[test]
fn pages() {
    // The page of a stay that was booked through another one must not be paid.
    check(
        "session a; session b; paid; take-away b",
        "called: expire_session null: created, confirmed by payment paid 20000, hold converted",
    );
}
