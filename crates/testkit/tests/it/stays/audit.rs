//! What is planted behind the engine's back into stays, reservations and payments is found, with its key.

use std::sync::Arc;

use surehold_core::operations::commands::{EffectOutcome, FinishEffect, Finished, StartEffect, Started};
use surehold_core::operations::{EffectHandler, Payload, WorkerId};
use surehold_core::stays::commands::CancelReservation;
use surehold_core::stays::operations::{REFUND_PAYMENT, RefundPayment};
use surehold_testkit::fixture::Fixture;

use super::payments::{held, open_page, paid, run, tell};
use crate::conformance::{World, audit_findings, plant, put_back, save};

const TABLES: [&str; 12] = [
    "properties",
    "room_types",
    "rate_plans",
    "rate_months",
    "quotes",
    "stays",
    "guests",
    "reservations",
    "payments",
    "payment_aliases",
    "holds",
    "cases",
];

/// What is planted, and what must be among what is found. The first tenant has a stay that was paid and is confirmed; the
/// second has cancelled one, and the provider refuses to give the money back.
const HARM: &[(&str, &str)] = &[
    ("delete from holds where tenant = 1", "1 stay-has-hold: stay HOLD: has no hold"),
    (
        "delete from holds where tenant = 1",
        "1 reservation-booked-as-said: reservation HOLD: its property is not there, or no hold has booked anything for it",
    ),
    (
        "update stays set checkin = '2020-01-01', checkout = '2020-01-03' where tenant = 1",
        "1 stay-has-hold: stay HOLD: its hold claims other rooms or nights",
    ),
    (
        "update stays set total = total + 1 where tenant = 1",
        "1 stay-total-adds-up: stay HOLD: says that it costs 20001; its rooms cost 20000",
    ),
    (
        "update stays set checkin = '2020-01-01', checkout = '2020-01-04' where tenant = 1",
        "1 stay-total-adds-up: stay HOLD: double has 2 prices for 3 nights",
    ),
    ("update stays set currency = 'EUR' where tenant = 1", "1 payment-has-stay: payment cs_1: asks for another amount"),
    ("delete from stays where tenant = 1", "1 reservation-has-stay: reservation HOLD: its stay is not there"),
    ("delete from stays where tenant = 1", "1 guest-has-stay: guest of HOLD: there is no such stay"),
    ("delete from stays where tenant = 1", "1 payment-has-stay: payment cs_1: there is no such stay"),
    (
        "update reservations set checkin = '2020-01-01', checkout = '2020-01-03' where tenant = 1",
        "1 reservation-booked-as-said: reservation HOLD: is confirmed, and other rooms or nights are booked for it",
    ),
    (
        "update holds set kept = '[]' where tenant = 1",
        "1 reservation-booked-as-said: reservation HOLD: is confirmed, and other rooms or nights are booked for it",
    ),
    (
        "update reservations set rooms = '[]' where tenant = 1",
        "1 reservation-booked-as-said: reservation HOLD: has rooms and nights that no hold can have",
    ),
    (
        "update reservations set state = 'cancelled', ended_at = created_at where tenant = 1",
        "1 reservation-booked-as-said: reservation HOLD: has ended, and rooms are booked for it that others could have",
    ),
    (
        "update holds set kept = lines where tenant = 2",
        "2 reservation-booked-as-said: reservation HOLD: has ended, and rooms are booked for it that others could have",
    ),
    (
        "update reservations set payment = 'cs_9' where tenant = 1",
        "1 reservation-paid-as-said: reservation HOLD: its payment cs_9 is not there",
    ),
    (
        "update reservations set payment = 'cs_9' where tenant = 1",
        "1 payment-led-to-one-thing: payment cs_1: led to a reservation that is not there",
    ),
    (
        "update reservations set paid = 1 where tenant = 1",
        "1 reservation-paid-as-said: reservation HOLD: says that 1 BRL were paid and 0 given back; its payment says \
         20000 BRL and 0",
    ),
    (
        "update reservations set source = 'desk' where tenant = 1",
        "1 reservation-paid-as-said: reservation HOLD: came about",
    ),
    (
        "update payments set hold = (select p.hold from payments p where p.tenant = 2) where tenant = 1",
        "1 reservation-paid-as-said: reservation HOLD: its payment cs_1 is of another stay, or led to something else",
    ),
    (
        "update reservations set penalty = 1 where tenant = 1",
        "1 reservation-amounts-sane: reservation HOLD: is confirmed, and something is kept as if it had ended",
    ),
    (
        "update reservations set penalty = total + 1 where tenant = 2",
        "2 reservation-amounts-sane: reservation HOLD: more is kept than was agreed on",
    ),
    (
        "update reservations set refunded = paid + 1 where tenant = 1",
        "1 reservation-amounts-sane: reservation HOLD: more was given back than was paid",
    ),
    (
        "update reservations set ended_at = null where tenant = 2",
        "2 reservation-amounts-sane: reservation HOLD: has ended exactly if it is confirmed",
    ),
    (
        "update payments set resolution = null where tenant = 1",
        "1 payment-led-to-one-thing: payment cs_1: the money came, and led to nothing",
    ),
    (
        "update payments set resolution = null where tenant = 1",
        "1 payment-led-to-one-thing: payment cs_1: led to a reservation, and to something else or nothing",
    ),
    (
        "update payments set state = 'created' where tenant = 1",
        "1 payment-led-to-one-thing: payment cs_1: led to something, and has not succeeded",
    ),
    (
        "update payments set resolution = 'refund' where tenant = 1",
        "1 payment-led-to-one-thing: payment cs_1: goes back, and no refund was asked for",
    ),
    (
        "update payments set resolution = 'case' where tenant = 1",
        "1 payment-led-to-one-thing: payment cs_1: was left to a person, and there is no case",
    ),
    (
        "update payments set refunded = received + 1 where tenant = 1",
        "1 payment-state-matches-amounts: payment cs_1: more goes back than came",
    ),
    (
        "update payments set refund_asked = received + 1 where tenant = 1",
        "1 payment-state-matches-amounts: payment cs_1: more goes back than came",
    ),
    (
        "update payments set refunded = 5 where tenant = 1",
        "1 payment-state-matches-amounts: payment cs_1: its amounts are not those of its state",
    ),
    (
        "update payments set state = 'refunded' where tenant = 1",
        "1 payment-state-matches-amounts: payment cs_1: its amounts are not those of its state",
    ),
    (
        "update payments set received = 5 where tenant = 1",
        "1 payment-state-matches-amounts: payment cs_1: another amount came than was asked for, and no person decided",
    ),
    (
        "update payments set refunds = 2 where tenant = 1",
        "1 payment-refunds-on-their-way: payment cs_1: has asked for other refunds than there are operations",
    ),
    (
        "delete from cases where tenant = 2",
        "2 payment-refunds-on-their-way: payment cs_1: a refund of it has died, and there is no case",
    ),
    (
        "update payment_aliases set payment = 'cs_9' where tenant = 1",
        "1 payment-found-by-its-names: name pi_1: leads to a payment that is not there",
    ),
    (
        "delete from payment_aliases where tenant = 1",
        "1 payment-found-by-its-names: payment cs_1: cannot be found by its payment intent or charge",
    ),
    (
        "delete from rate_plans where tenant = 1",
        "1 property-counts-its-own: property sea: counts other room types or rate plans than it has",
    ),
    ("delete from properties where tenant = 1", "1 property-counts-its-own: room type sea/double: has no property"),
    ("delete from properties where tenant = 1", "1 property-counts-its-own: rate plan sea/fixed: has no property"),
    ("delete from room_types where tenant = 1", "1 rates-of-what-is-sold: rates of fixed for sea/double in "),
    (
        "update rate_months set nights = '[{\"day\":32,\"price\":1}]' where tenant = 1",
        "1 rates-of-what-is-sold: rates of fixed for sea/double in ",
    ),
    (
        "update rate_months set nights = '[{\"day\":2,\"price\":1},{\"day\":1,\"price\":1}]' where tenant = 1",
        "days are out of order",
    ),
    ("update quotes set currency = 'EUR' where tenant = 1", "it sells in another currency"),
    ("update quotes set valid_until = created_at where tenant = 1", "was never good"),
    ("update quotes set rooms = 7 where tenant = 1", "an option is out of order, lacks a price, or does not add up"),
    ("update quotes set currency = '???' where tenant = 1", "1 stay-rows-readable: a row of quotes: "),
    ("update properties set time_zone = 'Nowhere' where tenant = 1", "1 stay-rows-readable: a row of properties: "),
    ("update payments set state = 'gone' where tenant = 2", "2 stay-rows-readable: a row of payments: "),
];

pub(super) async fn what_was_planted_is_found(fixture: Fixture) {
    let world = World::open(&fixture).await;
    let other = world.neighbour(2).await;
    let mut holds = Vec::new();
    for world in [&world, &other] {
        let hold = held(world).await;
        open_page(world, hold).await;
        tell(world, "evt_1", paid()).await;
        holds.push(hold);
    }
    run(&other, CancelReservation { hold: holds[1], waived_by: None }).await;
    refuse_refund(&other).await;
    world.audit().await;

    save(&fixture, &TABLES).await;
    for (harm, expected) in HARM {
        plant(&fixture, harm).await;
        let hold = if expected.starts_with('2') { holds[1] } else { holds[0] };
        let expected = expected.replace("HOLD", &hold.to_string());
        let told = audit_findings(&fixture).await;
        assert!(told.iter().any(|told| told.contains(&expected)), "{harm}: {expected} in {told:#?}");
        put_back(&fixture, &TABLES).await;
    }
    world.audit().await;
}

async fn refuse_refund(world: &World<'_>) {
    let key = REFUND_PAYMENT.key(&["stripe", "cs_1", "1"]).unwrap();
    let handler: Arc<dyn EffectHandler> = Arc::new(RefundPayment);
    let start = StartEffect { key, handler: handler.clone(), worker: WorkerId(1), raised_at: None };
    let Started::Call(call) = run(world, start).await else { panic!("a call") };
    let outcome = EffectOutcome::Rejected { code: "no".into(), error: "no".into(), response: Payload::null() };
    let finish = FinishEffect { call: *call, handler, outcome, then: None, dice: 0, raised_at: None };
    assert_eq!(run(world, finish).await, Finished::Dead);
}
