//! The inbox on the store: what is delivered any number of times, in any order, is kept once and has one operation.

use std::sync::Arc;

use futures_util::future::join_all;
use surehold_core::kernel::commands::{ExtendHold, Extension, PlaceHold};
use surehold_core::kernel::{Command, Event, Facts, HoldState, Reads, Refusal, Stop};
use surehold_core::operations::builtin::{ExpireHoldOnce, ProcessInboxEvent, expire_hold, process_inbox_event};
use surehold_core::operations::commands::{FailOperation, RunStateOperation, StateRun};
use surehold_core::operations::{
    Enqueued, ExternalId, INBOX_BODY_BYTES_MAX, InboxEvent, InboxKey, InboxName, InboxSecret, Operation, OperationKey,
    OperationRefusal, OperationRun, OperationsEvent, PutInbox, ReceiveEvent, RemoveInbox, SigningSecret, SourceName,
    StateHandler, Trouble,
};
use surehold_engine::Failure;
use surehold_engine::inbox_findings;
use surehold_testkit::fixture::Fixture;

use super::{World, events, new_id, parse_lines};

fn inbox() -> InboxName {
    InboxName::new("orders").unwrap()
}

fn receive(id: &str, body: &[u8]) -> ReceiveEvent {
    let external_id = ExternalId::new(id).unwrap();
    let operation = process_inbox_event(&inbox(), &external_id).unwrap();
    let source = SourceName::new("standard/orders").unwrap();
    ReceiveEvent::new(source, external_id, Some("text/plain; charset=utf-8"), body, operation).unwrap()
}

async fn assert_sound(world: &World<'_>) {
    assert_eq!(inbox_findings(world.engine.views()).await, Ok(vec![]));
    world.audit().await;
}

/// As a worker does it.
async fn work(world: &World<'_>, handler: impl StateHandler, key: &OperationKey) -> Result<StateRun, Trouble> {
    let handler: Arc<dyn StateHandler> = Arc::new(handler);
    let kind = handler.kind();
    match world.engine.run(world.tenant, RunStateOperation { key: key.clone(), handler, found: None }).await {
        Ok(done) => Ok(done.reply),
        Err(Failure::Refused(OperationRefusal::Trouble(trouble))) => {
            let fail = FailOperation { key: key.clone(), kind, trouble: trouble.clone(), dice: 7 };
            assert_eq!(world.engine.run(world.tenant, fail).await.unwrap().reply, StateRun::Done);
            Err(trouble)
        }
        Err(failure) => panic!("{failure:?}"),
    }
}

/// Every event five times, shuffled, one after the other: the first counts.
pub(crate) async fn delivered_again_and_again(fixture: Fixture) {
    let mut world = World::open(&fixture).await;
    let every_byte: Vec<u8> = (0..=u8::MAX).collect();
    let bodies: [&[u8]; 4] = [b"", br#"{"a":1}"#, &every_byte, &vec![b'x'; INBOX_BODY_BYTES_MAX]];
    // A stride without a common factor visits every delivery once, far from its neighbours.
    let order = (0..20).map(|step| step * 7 % 20);
    let mut firsts = 0;
    for (turn, delivery) in order.enumerate() {
        if turn == 10 {
            world.restart().await;
        }
        let event = delivery % 4;
        let done = world.engine.run(world.tenant, receive(&format!("msg-{event}"), bodies[event])).await.unwrap();
        assert_eq!(done.replayed, !done.reply.stored);
        assert!(!done.reply.body_differs);
        firsts += usize::from(done.reply.stored);
    }
    assert_eq!(firsts, 4);
    let differs = world.engine.run(world.tenant, receive("msg-1", b"{}")).await.unwrap();
    assert!(differs.replayed && differs.reply.body_differs);
    let mut stored: Vec<InboxEvent> = world.engine.views().all_records(world.tenant).await.unwrap();
    stored.sort_by_key(|event| event.key.clone());
    assert_eq!(stored.iter().map(|event| &*event.body).collect::<Vec<_>>(), bodies);
    assert_eq!(stored[0].content_type.as_deref(), Some("text/plain; charset=utf-8"));
    let operations: Vec<Operation> = world.engine.views().all_records(world.tenant).await.unwrap();
    assert_eq!(operations.len(), 4);
    let dump = world.dump().await;
    let told = events(&dump).filter(|e| matches!(e, Event::Operations(OperationsEvent::InboxReceived { .. })));
    assert_eq!(told.count(), 4);
    assert_sound(&world).await;
}

/// The same delivery from many at once: one is the first, and one operation is announced once.
pub(crate) async fn delivered_by_many_at_once(fixture: Fixture) {
    let world = World::open(&fixture).await;
    // A second engine, where the store allows one, meets the first in the store and not in a queue.
    let other = match fixture.place {
        surehold_testkit::fixture::Place::Sqlite(_) => world.engine.clone(),
        surehold_testkit::fixture::Place::Postgres { .. } => fixture.engine().await.unwrap(),
    };
    let deliveries = (0..60).map(|number| {
        let engine = if number % 2 == 0 { &world.engine } else { &other };
        engine.run(world.tenant, receive(&format!("msg-{}", number / 5), b"{}"))
    });
    let outcomes = join_all(deliveries).await;
    let firsts = outcomes.iter().filter(|outcome| outcome.as_ref().unwrap().reply.stored).count();
    assert_eq!(firsts, 12);
    let keys: Vec<OperationKey> = outcomes.into_iter().map(|outcome| outcome.unwrap().reply.operation).collect();
    let runs = join_all(keys.iter().map(|key| work(&world, ProcessInboxEvent, key))).await;
    assert_eq!(runs.iter().filter(|run| **run == Ok(StateRun::Done)).count(), 12);
    let dump = world.dump().await;
    let announced = events(&dump).filter(|e| matches!(e, Event::Operations(OperationsEvent::Announced { .. })));
    assert_eq!(announced.count(), 12);
    let again = world.engine.run(world.tenant, receive("msg-3", b"{}")).await.unwrap();
    assert!(matches!(again.reply.enqueued, Enqueued::AlreadyDone { .. }));
    assert_sound(&world).await;
}

/// A scheduler's clock is not ours: a task that comes early is kept, waits, and is done at the hold's time.
pub(crate) async fn an_early_task_is_not_burnt(fixture: Fixture) {
    let mut world = World::open(&fixture).await;
    world.play("put room=1").await;
    let id = new_id();
    let place = PlaceHold::new(id, parse_lines("room=1")).lifetime_secs(600).unwrap();
    world.engine.run(world.tenant, place).await.unwrap();
    let task = |name: &str| {
        let source = SourceName::new("tasks/expire-hold").unwrap();
        ReceiveEvent::new(source, ExternalId::new(name).unwrap(), None, b"", expire_hold(id).unwrap()).unwrap()
    };
    let key = world.engine.run(world.tenant, task("queue/1")).await.unwrap().reply.operation;
    let until = |run: Result<StateRun, Trouble>| match run {
        Err(Trouble::Wait { until, .. }) => until.unwrap(),
        other => panic!("{other:?}"),
    };
    let placed = world.hold(id).await.unwrap();
    assert_eq!(until(work(&world, ExpireHoldOnce, &key).await), placed.expires_at);
    let again = world.engine.run(world.tenant, task("queue/1")).await.unwrap();
    assert_eq!((again.replayed, again.reply.enqueued), (true, Enqueued::Joined));
    let extend = ExtendHold::new(id, Extension::BySecs(600)).unwrap();
    let extended = world.engine.run(world.tenant, extend).await.unwrap().reply.hold;
    fixture.advance_secs(601);
    assert_eq!(until(work(&world, ExpireHoldOnce, &key).await), extended.expires_at);
    let run: OperationRun = world.engine.views().record(world.tenant, &key).await.unwrap().unwrap();
    assert_eq!((run.attempts, run.run_at), (0, extended.expires_at));
    assert_eq!(world.hold(id).await.unwrap().state, HoldState::Active);
    assert_sound(&world).await;
    world.restart().await;
    fixture.advance_secs(600);
    assert_eq!(work(&world, ExpireHoldOnce, &key).await, Ok(StateRun::Done));
    assert_eq!(world.hold(id).await.unwrap().state, HoldState::Expired);
    assert_eq!(world.pool("room").await.held, 0);
    // Whatever else comes for the hold finds it done.
    let late = world.engine.run(world.tenant, task("queue/2")).await.unwrap();
    assert!(late.reply.stored && matches!(late.reply.enqueued, Enqueued::AlreadyDone { .. }));
    assert_sound(&world).await;
}

pub(crate) async fn inboxes_and_their_secrets(fixture: Fixture) {
    let mut world = World::open(&fixture).await;
    let other = world.neighbour(2).await;
    let put = |byte: u8, overlap_secs: i64| {
        PutInbox::new(inbox(), SigningSecret::new(&[byte; 64]).unwrap(), overlap_secs).unwrap()
    };
    let first = world.engine.run(world.tenant, put(0, 60)).await.unwrap();
    assert!(world.engine.run(world.tenant, put(0, 60)).await.unwrap().replayed);
    other.engine.run(other.tenant, put(9, 60)).await.unwrap();
    let rotated = world.engine.run(world.tenant, put(0xff, 60)).await.unwrap().reply;
    assert_eq!((rotated.created_at, rotated.version), (first.reply.created_at, 2));
    world.restart().await;
    let stored: InboxSecret = world.engine.views().record(world.tenant, &inbox()).await.unwrap().unwrap();
    assert_eq!(stored.secret.expose(), [0xff; 64]);
    assert_eq!(stored.previous.as_ref().unwrap().secret.expose(), [0; 64]);
    assert_eq!(world.engine.views().inboxes(world.tenant, 10).await.unwrap(), [rotated]);
    world.engine.run(world.tenant, RemoveInbox { name: inbox() }).await.unwrap();
    assert!(world.engine.run(world.tenant, RemoveInbox { name: inbox() }).await.unwrap().replayed);
    assert_eq!(world.engine.views().inboxes(world.tenant, 10).await.unwrap(), []);
    assert_eq!(world.engine.views().inboxes(other.tenant, 10).await.unwrap().len(), 1);
    let anew = world.engine.run(world.tenant, put(3, 60)).await.unwrap().reply;
    assert_eq!((anew.version, anew.previous_until), (1, None));
    assert_sound(&world).await;
}

/// Keeps an event and forgets its operation, as no command of ours does.
struct Orphan;

impl Command for Orphan {
    const NAME: &'static str = "orphan";
    type Reply = ();
    type Refusal = Refusal;

    fn reads(&self, _: &mut Reads<'_>) {}

    fn decide(&self, facts: &mut Facts) -> Result<(), Stop<Refusal>> {
        let external_id = ExternalId::new("orphan").unwrap();
        let operation = process_inbox_event(&inbox(), &external_id).unwrap().key;
        let key = InboxKey { source: SourceName::new("standard/orders").unwrap(), external_id };
        let (body, received_at) = (Arc::from(&b"{}"[..]), facts.now());
        let body_hash = [0; 32];
        facts.insert(InboxEvent { key, content_type: None, body, body_hash, received_at, operation, version: 0 });
        Ok(())
    }
}

pub(crate) async fn the_audit_finds_an_event_without_operation(fixture: Fixture) {
    let world = World::open(&fixture).await;
    let other = world.neighbour(2).await;
    world.engine.run(world.tenant, receive("whole", b"{}")).await.unwrap();
    world.engine.run(world.tenant, Orphan).await.unwrap();
    let findings = inbox_findings(world.engine.views()).await.unwrap();
    let [finding] = findings.as_slice() else { panic!("{findings:?}") };
    assert_eq!(finding.invariant, "inbox-event-has-operation");
    assert!(finding.key.contains("orphan of standard/orders"), "{}", finding.key);
    assert_eq!(finding.tenant, world.tenant);
    super::check_audit(&other.dump().await);
}
