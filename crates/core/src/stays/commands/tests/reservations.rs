//! What becomes of reservations, and of the money.

use super::super::{CancelReservation, ChangeReservation, NoShow, ReservationReply, WalkIn};
use super::{create, nights, save_quote, told, wanted};
use crate::kernel::HoldId;
use crate::operations::Actor;
use crate::stays::RateNight;
use crate::stays::operations::PaymentTurn;
use crate::stays::operations::tests::world::{World, hold_id, property};

const DAY: i64 = 86_400;

fn show(reply: ReservationReply) -> String {
    let ReservationReply { reservation, refund, balance } = reply;
    format!(
        "{} {} penalty {} refund {refund} balance {balance}",
        reservation.state, reservation.total, reservation.penalty
    )
}

/// Paid online, by the option: flexible (1) or fixed (2).
fn paid(option: u16) -> (World, HoldId) {
    let mut world = World::new(1);
    save_quote(&mut world);
    let hold = hold_id(1);
    world.run(&create(hold, option)).unwrap();
    world.know_session(hold, "cs_1");
    assert_eq!(world.tell("cs_1", PaymentTurn::Paid { amount: 20_000, currency: "brl".into() }), "reserved");
    (world, hold)
}

fn cancel(hold: HoldId) -> CancelReservation {
    CancelReservation { hold, waived_by: None }
}

#[test]
fn cancelling() {
    let check = |option, secs, expected: &str, taken: &str| {
        let (mut world, hold) = paid(option);
        world.clock(secs);
        assert_eq!(told(&mut world, &cancel(hold), show), expected, "after {secs} s");
        assert_eq!(world.taken(), taken);
        let again = expected.split(" refund").next().unwrap();
        assert!(told(&mut world, &cancel(hold), show).starts_with(again), "after {secs} s, again");
        assert_eq!(world.payment("cs_1").unwrap().refunds, u32::from(!expected.contains("refund 0")));
    };
    let free = "0+0 0+0 0+0 0+0";
    // From 2026-11-01T12:00Z; check-in is at 2026-12-01T15:00Z, and free until two days before it.
    let last_free = 28 * DAY + 3 * 3_600 - 1;
    check(1, 0, "cancelled 20000 penalty 0 refund 20000 balance 0", free);
    check(1, last_free, "cancelled 20000 penalty 0 refund 20000 balance 0", free);
    check(1, last_free + 1, "cancelled 20000 penalty 10000 refund 10000 balance 0", free);
    check(2, 0, "cancelled 20000 penalty 10000 refund 10000 balance 0", free);
    // The first night is over, and stays booked.
    check(1, 31 * DAY, "cancelled 20000 penalty 10000 refund 10000 balance 0", "0+1 0+0 0+0 0+0");
    // Both are over: whoever slept there pays for it, whatever the conditions say.
    for option in [1, 2] {
        check(option, 32 * DAY, "cancelled 20000 penalty 20000 refund 0 balance 0", "0+1 0+1 0+0 0+0");
    }
}

#[test]
fn letting_go() {
    let (mut world, hold) = paid(2);
    let waived_by = Some(Actor::new("reception").unwrap());
    let reply = world.run(&CancelReservation { hold, waived_by: waived_by.clone() }).unwrap();
    assert_eq!(reply.reservation.waived_by, waived_by);
    assert_eq!(show(reply), "cancelled 20000 penalty 0 refund 20000 balance 0");
    assert_eq!(world.refund("cs_1", 1), "called: refund 20000");
    let reservation = world.reservation(hold).unwrap();
    assert_eq!((reservation.refunded, reservation.balance()), (20_000, 0));
}

/// What did not arrive is owed again, and given back by a person: no later refund has it once more.
#[test]
fn a_refund_that_fails() {
    let (mut world, hold) = paid(1);
    let change = |until| ChangeReservation::new(hold, nights(1, until), wanted("flexible", 1)).unwrap().refund_excess();
    assert_eq!(told(&mut world, &change(2), show), "confirmed 10000 penalty 0 refund 10000 balance 0");
    assert_eq!(world.refund("cs_1", 1), "called: refund 10000");
    assert_eq!(world.tell("cs_1", PaymentTurn::RefundFailed { refund: "re_1".into(), amount: 10_000 }), "reported");
    let reservation = world.reservation(hold).unwrap();
    assert_eq!((reservation.refunded, reservation.balance()), (0, -10_000));
    assert_eq!(told(&mut world, &cancel(hold), show), "cancelled 10000 penalty 0 refund 10000 balance -10000");
    world.audit_refunds("cs_1");
}

#[test]
fn nobody_came() {
    let (mut world, hold) = paid(1);
    let no_show = NoShow { hold, waived_by: None };
    world.clock(30 * DAY - 12 * 3_600 - 1);
    assert_eq!(
        told(&mut world, &no_show, show),
        "nobody is expected before 2026-12-01; it is 2026-11-30 at the property"
    );
    world.clock(1);
    assert_eq!(told(&mut world, &no_show, show), "no_show 20000 penalty 20000 refund 0 balance 0");
    assert_eq!(told(&mut world, &no_show, show), "no_show 20000 penalty 20000 refund 0 balance 0");
    assert_eq!(world.taken(), "0+0 0+0 0+0 0+0");
    assert_eq!(told(&mut world, &cancel(hold), show), "the reservation is no_show");

    let (mut world, hold) = paid(1);
    world.run(&cancel(hold)).unwrap();
    let no_show = NoShow { hold, waived_by: None };
    assert_eq!(told(&mut world, &no_show, show), "the reservation is cancelled");
    assert_eq!(told(&mut world, &cancel(hold_id(9)), show), format!("there is no reservation {}", hold_id(9)));
}

#[test]
fn changing() {
    let change = |hold, from, until, plan| ChangeReservation::new(hold, nights(from, until), wanted(plan, 1)).unwrap();
    let (mut world, hold) = paid(1);
    // One night later: only that one is new.
    let longer = change(hold, 1, 4, "flexible");
    assert_eq!(told(&mut world, &longer, show), "confirmed 30000 penalty 0 refund 0 balance 10000");
    assert_eq!(told(&mut world, &longer, show), "confirmed 30000 penalty 0 refund 0 balance 10000");
    assert_eq!(world.taken(), "0+1 0+1 0+1 0+0");
    // Shorter, and the money is left where it is, unless it is asked for.
    let shorter = change(hold, 3, 4, "flexible");
    assert_eq!(told(&mut world, &shorter, show), "confirmed 10000 penalty 0 refund 0 balance -10000");
    assert_eq!(world.taken(), "0+0 0+0 0+1 0+0");
    let other_plan = change(hold, 3, 4, "fixed").refund_excess();
    assert_eq!(told(&mut world, &other_plan, show), "confirmed 10000 penalty 0 refund 10000 balance 0");
    // The other plan's conditions: half of it is kept.
    assert_eq!(told(&mut world, &cancel(hold), show), "cancelled 10000 penalty 5000 refund 5000 balance 0");
    assert_eq!(world.refund("cs_1", 1), "called: refund 10000");
    assert_eq!(world.refund("cs_1", 2), "called: refund 5000");
    let reservation = world.reservation(hold).unwrap();
    assert_eq!((reservation.refunded, reservation.balance()), (15_000, 0));
    assert_eq!(told(&mut world, &shorter, show), "the reservation is cancelled");
    world.audit_refunds("cs_1");
}

/// Arrived on the first, for two nights; it is the second.
#[test]
fn changing_while_in_the_house() {
    let check = |from, until, plan: &str, rooms, expected: &str, taken: &str| {
        let (mut world, hold) = paid(1);
        world.set_night("flexible", RateNight { day: 2, price: Some(1), stop_sell: true, ..RateNight::default() });
        world.set_night(
            "flexible",
            RateNight { day: 3, price: Some(12_000), min_stay: Some(9), ..RateNight::default() },
        );
        world.set_night("flexible", RateNight { day: 4, stop_sell: true, ..RateNight::default() });
        world.clock(31 * DAY);
        let change = ChangeReservation::new(hold, nights(from, until), wanted(plan, rooms)).unwrap();
        assert_eq!(told(&mut world, &change, show), expected, "{from} to {until}");
        assert_eq!(world.taken(), taken, "{from} to {until}");
    };
    let as_before = "0+1 0+1 0+0 0+0";
    let begun =
        "the stay began on 2026-12-01; only nights from 2026-12-02 on can be added or given up, with the same rooms";
    // What was agreed on stays; the new night costs what it costs now.
    check(1, 4, "flexible", 1, "confirmed 32000 penalty 0 refund 0 balance 12000", "0+1 0+1 0+1 0+0");
    check(1, 5, "flexible", 1, "flexible of double cannot be had: not sold on 2026-12-04", as_before);
    check(1, 2, "flexible", 1, "confirmed 10000 penalty 0 refund 0 balance -10000", "0+1 0+0 0+0 0+0");
    check(1, 3, "flexible", 1, "confirmed 20000 penalty 0 refund 0 balance 0", as_before);
    for (from, until, plan, rooms) in [(2, 4, "flexible", 1), (1, 4, "fixed", 1), (1, 4, "flexible", 2)] {
        check(from, until, plan, rooms, begun, as_before);
    }
    // It is over: nothing can be added to it.
    let (mut world, hold) = paid(1);
    world.clock(33 * DAY);
    let change = ChangeReservation::new(hold, nights(1, 6), wanted("flexible", 1)).unwrap();
    assert_eq!(told(&mut world, &change, show), begun.replace("12-02", "12-04"));
}

#[test]
fn a_change_is_all_or_nothing() {
    let (mut world, hold) = paid(1);
    world.run(&WalkIn::new(hold_id(2), property(), nights(3, 4), wanted("fixed", 1)).unwrap()).unwrap();
    let before = (world.taken(), world.reservation(hold));
    let change = ChangeReservation::new(hold, nights(2, 4), wanted("flexible", 1)).unwrap();
    assert!(told(&mut world, &change, show).starts_with("sold out: sea-view/double on 2026-12-03"));
    assert_eq!((world.taken(), world.reservation(hold)), before);
}

/// Cash is given back by hand: the balance says how much.
#[test]
fn paid_at_the_desk() {
    let mut world = World::new(1);
    let hold = hold_id(1);
    let walk_in = WalkIn::new(hold, property(), nights(1, 3), wanted("flexible", 1)).unwrap();
    world.run(&walk_in.paid(20_000).unwrap()).unwrap();
    assert_eq!(told(&mut world, &cancel(hold), show), "cancelled 20000 penalty 0 refund 0 balance -20000");
}
