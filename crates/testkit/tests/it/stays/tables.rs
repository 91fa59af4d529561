//! What the tables refuse by themselves, whoever writes: the last line, behind the commands. And what they never forget.

use std::time::Duration;

use surehold_core::kernel::commands::PutPool;
use surehold_core::operations::{Enqueued, ExternalId, ReceiveEvent, SourceName};
use surehold_core::stays::Reservation;
use surehold_core::stays::operations::{PaymentNews, PaymentObjects, PaymentTurn, process_stripe_event};
use surehold_engine::{Options, RequestKey};
use surehold_testkit::fixture::{Fixture, Place, connect};

use super::payments::{held, open_page, paid, record, run, tell};
use crate::conformance::{World, audit_findings, pool};

/// Why the statement is refused, in the words of the store; empty if it is not.
async fn refusal(fixture: &Fixture, sql: &str) -> String {
    match &fixture.place {
        Place::Sqlite(_) => {
            let connection = rusqlite::Connection::open(fixture.file()).unwrap();
            connection.execute_batch(sql).map_or_else(|error| error.to_string(), |()| String::new())
        }
        Place::Postgres { url } => {
            let done = connect(url).await.unwrap().batch_execute(sql).await;
            let told = |error: &tokio_postgres::Error| error.as_db_error().unwrap().message().to_owned();
            done.map_or_else(|error| told(&error), |()| String::new())
        }
    }
}

/// Each has a row by now, and none may have it twice.
const UNIQUE: [&str; 13] = [
    "pools",
    "holds",
    "replies",
    "operations",
    "inbox_events",
    "properties",
    "room_types",
    "rate_months",
    "quotes",
    "stays",
    "reservations",
    "payments",
    "payment_aliases",
];

const CHECKED: [&str; 6] = [
    "update pools set held = total + overbook + oversold - booked - granted + 1",
    "update pools set booked = -1",
    "update payments set state = 'paid'",
    "update payments set refund_asked = received + 1",
    "update reservations set state = 'cancelled'",
    "update stays set checkout = checkin",
];

/// An event of the provider.
fn arrival(event: &str, turn: PaymentTurn) -> ReceiveEvent {
    let about = PaymentObjects { payment_intent: Some("pi_1".into()), ..PaymentObjects::session("cs_1") };
    let operation = process_stripe_event("acct_1", event, &PaymentNews { about, turn }).unwrap();
    let (source, id) = (SourceName::new("stripe/acct_1").unwrap(), ExternalId::new(event).unwrap());
    ReceiveEvent::new(source, id, None, b"{}", operation).unwrap()
}

/// A request under a key. Tells whether it was a repeat.
async fn put_spa(world: &World<'_>) -> bool {
    let key = Some(RequestKey::new("k", b"one spa").unwrap());
    let put = PutPool::new(pool("spa").unwrap(), 1).unwrap();
    world.engine.run_with(world.tenant, put, Options { key, ..Options::default() }).await.unwrap().replayed
}

pub(super) async fn the_tables_refuse_what_no_command_does(fixture: Fixture) {
    let world = World::open(&fixture).await;
    let hold = held(&world).await;
    open_page(&world, hold).await;
    tell(&world, "evt_1", paid()).await;
    run(&world, arrival("evt_2", PaymentTurn::SessionExpired)).await;
    put_spa(&world).await;
    world.audit().await;
    world.engine.stop().await;

    for table in UNIQUE {
        let told = refusal(&fixture, &format!("insert into {table} select * from {table}")).await;
        assert!(told.to_lowercase().contains("unique constraint"), "{table}: {told:?}");
    }
    for sql in CHECKED {
        let told = refusal(&fixture, sql).await;
        assert!(told.to_lowercase().contains("check constraint"), "{sql}: {told:?}");
    }
}

/// Longer than anybody repeats anything: the journal is trimmed, what was dealt with is not.
pub(super) async fn what_was_dealt_with_is_never_forgotten(fixture: Fixture) {
    let mut world = World::open(&fixture).await;
    let hold = held(&world).await;
    open_page(&world, hold).await;
    assert!(run(&world, arrival("evt_1", paid())).await.stored);
    tell(&world, "evt_1", paid()).await;
    assert!(!put_spa(&world).await);
    let before = record::<Reservation>(&world, &hold).await;
    assert!(before.is_some());

    fixture.advance_secs(400 * 86_400);
    assert!(world.engine.trim_journals(Duration::from_hours(24)).await.unwrap() > 0);
    world.restart().await;
    let again = run(&world, arrival("evt_1", paid())).await;
    assert!(!again.stored && matches!(again.enqueued, Enqueued::AlreadyDone { .. }), "{again:?}");
    assert!(put_spa(&world).await);
    assert_eq!(record::<Reservation>(&world, &hold).await, before);
    // The audit, not the one that knows the journal from its first row.
    assert_eq!(audit_findings(&fixture).await, [""; 0]);
}
