//! The inbox without a store: what is kept once, what a repeat changes (nothing), and what its operations do.

use std::sync::Arc;

use surehold_core::kernel::commands::{
    CancelHold, ConvertHold, CreateTenant, ExtendHold, Extension, PlaceHold, PutPool,
};
use surehold_core::kernel::{
    Command, ConvertMode, Event, Facts, HoldId, HoldPolicy, Invalid, Line, Lines, Slug, Stop, TenantId, Timestamp,
    decode_events,
};
use surehold_core::operations::builtin::{ExpireHoldOnce, ProcessInboxEvent, expire_hold, process_inbox_event};
use surehold_core::operations::commands::{FailOperation, RunStateOperation, StateRun};
use surehold_core::operations::{
    Enqueued, ExternalId, INBOX_BODY_BYTES_MAX, Inbox, InboxEvent, InboxKey, InboxName, InboxRefusal, InboxSecret,
    NewOperation, Operation, OperationInvalid, OperationKey, OperationRefusal, OperationRun, OperationsEvent, Payload,
    PutInbox, ReceiveEvent, Received, RemoveInbox, SigningSecret, SourceName, StateHandler, Trouble,
};

use crate::scenario::pool;
use crate::world::START;

struct Bare {
    facts: Facts,
    events_seen: usize,
}

impl Bare {
    fn new() -> Bare {
        let mut facts = Facts::complete(TenantId(1));
        facts.set_now(START);
        Bare { facts, events_seen: 0 }
    }

    fn run<C: Command>(&mut self, command: &C) -> Result<(C::Reply, bool), C::Refusal> {
        match command.decide(&mut self.facts) {
            Ok(reply) => Ok((reply, self.facts.keep_changes())),
            Err(Stop::Refused(refusal)) => {
                self.facts.drop_changes();
                Err(refusal)
            }
            Err(Stop::Halted(halt)) => panic!("{} halts: {halt:?}", C::NAME),
        }
    }

    fn advance_secs(&mut self, secs: i64) {
        let now = self.facts.now().plus_secs(secs);
        self.facts.set_now(now);
    }

    /// What was told since this was last asked.
    fn news(&mut self) -> Vec<Event> {
        let (packed, _) = self.facts.events();
        let events = decode_events(&packed[self.events_seen..]).unwrap();
        self.events_seen = packed.len();
        events
    }

    /// Runs the operation once, as a worker does.
    fn work(&mut self, handler: impl StateHandler, key: &OperationKey) -> String {
        let handler: Arc<dyn StateHandler> = Arc::new(handler);
        let kind = handler.kind();
        match self.run(&RunStateOperation { key: key.clone(), handler, found: None }) {
            Ok((StateRun::Done, replayed)) => {
                assert!(!replayed, "completing is not a replay");
                let operation = self.facts.get::<Operation>(key).unwrap().unwrap();
                format!("done {}", operation.result.as_ref().unwrap().as_str())
            }
            Ok((StateRun::NotNow(not_now), _)) => format!("{not_now:?}"),
            Err(OperationRefusal::Trouble(trouble)) => {
                let told = trouble.to_string();
                let waits = matches!(trouble, Trouble::Wait { .. });
                self.run(&FailOperation { key: key.clone(), kind, trouble, dice: 0 }).unwrap();
                let run = self.facts.get::<OperationRun>(key).unwrap().unwrap();
                assert_eq!(run.attempts == 0, waits, "waiting costs no attempt");
                format!("{told} until {}", run.run_at.secs_since(START))
            }
            Err(refusal) => panic!("{refusal}"),
        }
    }
}

fn inbox(name: &str) -> InboxName {
    InboxName::new(name).unwrap()
}

fn receive(id: &str, body: &[u8]) -> ReceiveEvent {
    let external_id = ExternalId::new(id).unwrap();
    let operation = process_inbox_event(&inbox("orders"), &external_id).unwrap();
    let source = SourceName::new("standard/orders").unwrap();
    ReceiveEvent::new(source, external_id, Some("application/json"), body, operation).unwrap()
}

fn event_key(id: &str) -> InboxKey {
    InboxKey { source: SourceName::new("standard/orders").unwrap(), external_id: ExternalId::new(id).unwrap() }
}

#[test]
fn kept_once_with_its_operation() {
    let mut world = Bare::new();
    let (first, replayed) = world.run(&receive("msg_1", b"{}")).unwrap();
    assert_eq!((first.stored, first.body_differs, replayed), (true, false, false));
    assert_eq!(first.enqueued, Enqueued::Enqueued);
    assert_eq!(first.operation.to_string(), "PROCESS_INBOX_EVENT standard:orders:msg_1");
    let news = world.news();
    let [Event::Operations(OperationsEvent::InboxReceived { source, external_id, operation })] = news.as_slice() else {
        panic!("{news:?}")
    };
    assert_eq!(
        [source, external_id, &operation.kind, &operation.key],
        ["standard/orders", "msg_1", "PROCESS_INBOX_EVENT", "standard:orders:msg_1"]
    );
    let stored = world.facts.get::<InboxEvent>(&event_key("msg_1")).unwrap().unwrap().clone();
    assert_eq!((&*stored.body, stored.received_at), (&b"{}"[..], START));

    world.advance_secs(1);
    for (body, differs) in [(&b"{}"[..], false), (b"{ }", true), (b"", true)] {
        let (again, replayed) = world.run(&receive("msg_1", body)).unwrap();
        let expected = Received {
            stored: false,
            body_differs: differs,
            operation: first.operation.clone(),
            enqueued: Enqueued::Joined,
        };
        assert_eq!((again, replayed), (expected, true), "{body:?}");
    }
    assert_eq!(world.news(), []);
    assert_eq!(world.facts.get::<InboxEvent>(&event_key("msg_1")).unwrap(), Some(&stored));
    let run = world.facts.get::<OperationRun>(&first.operation).unwrap().unwrap();
    assert_eq!((run.run_at, run.version), (START, 1), "a repeat does not touch the operation");
}

#[test]
fn another_content_under_the_same_operation_is_refused_and_not_kept() {
    let mut world = Bare::new();
    let event = |id: &str, content: u8| {
        let hold = HoldId::parse("01980000-0000-7000-8000-000000000001").unwrap();
        let operation = NewOperation { payload: Payload::of(&content), ..expire_hold(hold).unwrap() };
        let source = SourceName::new("tasks/expire-hold").unwrap();
        ReceiveEvent::new(source, ExternalId::new(id).unwrap(), None, b"", operation).unwrap()
    };
    world.run(&event("a", 1)).unwrap();
    assert_eq!(world.run(&event("b", 1)).unwrap().0.enqueued, Enqueued::Joined);
    let InboxRefusal::OperationConflict { operation } = world.run(&event("c", 2)).unwrap_err();
    assert_eq!(operation.kind.as_str(), "EXPIRE_HOLD");
    assert!(world.run(&event("c", 1)).unwrap().0.stored, "the refused one left no trace");
}

#[test]
fn bodies_and_names_are_bounded() {
    let external_id = ExternalId::new("x").unwrap();
    let operation = process_inbox_event(&inbox("orders"), &external_id).unwrap();
    let new = |bytes: usize, content_type: &str| {
        let source = SourceName::new("standard/orders").unwrap();
        ReceiveEvent::new(source, external_id.clone(), Some(content_type), &vec![0; bytes], operation.clone())
    };
    assert!(new(INBOX_BODY_BYTES_MAX, &"x".repeat(200)).is_ok());
    let (bytes, bytes_max) = (INBOX_BODY_BYTES_MAX + 1, INBOX_BODY_BYTES_MAX);
    let too_long = OperationInvalid::BodyTooLong { bytes, bytes_max }.into();
    assert_eq!(new(bytes, "").err(), Some(too_long));
    assert!(matches!(new(0, &"x".repeat(201)), Err(Invalid::NameTooLong { .. })));
    for bad in ["", "-a", "a-", "Orders", "a_b", "a/b", "a.b", &"a".repeat(64)] {
        assert_eq!(InboxName::new(bad), Err(OperationInvalid::InboxMalformed.into()), "{bad}");
    }
    for bad in ["", " a", "a\n", &"x".repeat(641)] {
        assert!(ExternalId::new(bad).is_err(), "{bad}");
    }
    // An id full of what a key escapes is too long for a key, and is refused rather than shortened.
    assert!(process_inbox_event(&inbox("orders"), &ExternalId::new(&":".repeat(200)).unwrap()).is_err());
}

#[test]
fn announced_once() {
    let check = |body: &[u8], expected: &str, result: &str| {
        let mut world = Bare::new();
        let key = world.run(&receive("msg_1", body)).unwrap().0.operation;
        world.news();
        assert_eq!(world.work(ProcessInboxEvent, &key), result);
        let news = world.news();
        let [Event::Operations(OperationsEvent::Announced { topic, data }), Event::Operations(ended)] = news.as_slice()
        else {
            panic!("{news:?}")
        };
        assert_eq!((topic.as_str(), data.as_str()), ("inbox.orders", expected));
        assert!(matches!(ended, OperationsEvent::OperationSucceeded { events: 1, .. }), "{ended:?}");
        assert_eq!(world.work(ProcessInboxEvent, &key), "Ended");
        let (again, _) = world.run(&receive("msg_1", body)).unwrap();
        assert!(matches!(again.enqueued, Enqueued::AlreadyDone { .. }), "{again:?}");
        assert_eq!(world.news(), []);
    };
    let whole = r#"done {"topic":"inbox.orders","with_data":true}"#;
    let named = r#"done {"topic":"inbox.orders","with_data":false}"#;
    check(br#"{"paid": true}"#, r#"{"paid":true}"#, whole);
    check(b"not json", r#"{"external_id":"msg_1"}"#, named);
    check(b"", r#"{"external_id":"msg_1"}"#, named);
    check(&vec![b' '; 20_000], r#"{"external_id":"msg_1"}"#, named);
}

const HOLD: &str = "01a292d7-1960-7c3a-9f21-5d0e8b6a4c17";

/// A hold of a minute, and the operation that a task for it asks for.
fn with_hold() -> (Bare, HoldId, OperationKey) {
    let mut world = Bare::new();
    world.run(&CreateTenant::new(Slug::new("casa").unwrap(), HoldPolicy::default()).unwrap()).unwrap();
    let room = pool("room").unwrap();
    world.run(&PutPool::new(room.clone(), 1).unwrap()).unwrap();
    let millis = u128::try_from(START.micros() / 1_000).unwrap();
    let id = uuid::Uuid::from_u128(millis << 80 | 0x7000_8000_0000_0000_0001);
    let id = HoldId::new(id).unwrap();
    let lines = Lines::new(vec![Line { pool: room, quantity: 1 }]).unwrap();
    world.run(&PlaceHold::new(id, lines).lifetime_secs(60).unwrap()).unwrap();
    let key = deliver(&mut world, "task-1", id);
    world.news();
    (world, id, key)
}

fn deliver(world: &mut Bare, task: &str, hold: HoldId) -> OperationKey {
    let source = SourceName::new("tasks/expire-hold").unwrap();
    let event =
        ReceiveEvent::new(source, ExternalId::new(task).unwrap(), None, b"", expire_hold(hold).unwrap()).unwrap();
    world.run(&event).unwrap().0.operation
}

#[test]
fn an_early_task_waits_for_its_hold() {
    let (mut world, id, key) = with_hold();
    let waits = |secs: i64| format!("waiting on: hold {id} expires until {secs}");
    let expired = format!(r#"done {{"hold":"{id}","state":"expired"}}"#);
    assert_eq!(world.work(ExpireHoldOnce, &key), waits(60));
    assert!(world.work(ExpireHoldOnce, &key).starts_with("NotDue"));
    // Another task for the same hold may ask again, and finds the same.
    assert_eq!(deliver(&mut world, "task-2", id), key);
    assert_eq!(world.work(ExpireHoldOnce, &key), waits(60));
    // Extended meanwhile, it waits on.
    world.run(&ExtendHold::new(id, Extension::BySecs(40)).unwrap()).unwrap();
    world.advance_secs(60);
    assert_eq!(world.work(ExpireHoldOnce, &key), waits(100));
    world.advance_secs(39);
    assert!(world.work(ExpireHoldOnce, &key).starts_with("NotDue"));
    world.news();
    world.advance_secs(1);
    assert_eq!(world.work(ExpireHoldOnce, &key), expired);
    assert!(matches!(world.news()[0], Event::HoldExpired { hold, .. } if hold == id));
}

#[test]
fn a_hold_that_has_ended_otherwise_is_a_result() {
    let ended = |end: fn(&mut Bare, HoldId)| {
        let (mut world, id, key) = with_hold();
        end(&mut world, id);
        world.news();
        let told = world.work(ExpireHoldOnce, &key).replace(&id.to_string(), "ID");
        assert_eq!(world.news().len(), 1, "nothing but the end of the operation");
        told
    };
    assert_eq!(
        ended(|world, id| drop(world.run(&CancelHold { id }).unwrap())),
        r#"done {"hold":"ID","state":"cancelled"}"#
    );
    let convert =
        |world: &mut Bare, id| drop(world.run(&ConvertHold { id, mode: ConvertMode::Book, part: None }).unwrap());
    assert_eq!(ended(convert), r#"done {"hold":"ID","state":"converted"}"#);
    let sweep = |world: &mut Bare, id| {
        world.advance_secs(60);
        world.run(&surehold_core::kernel::commands::ExpireHold { id }).unwrap();
    };
    assert_eq!(ended(sweep), r#"done {"hold":"ID","state":"expired"}"#);
}

/// Whoever makes the task first and places the hold then has not lost the task.
#[test]
fn a_task_that_comes_before_its_hold_is_tried_again() {
    let (mut world, ..) = with_hold();
    let key = deliver(&mut world, "task-9", HoldId::parse(HOLD).unwrap());
    let told = world.work(ExpireHoldOnce, &key);
    assert!(told.starts_with(&format!("hold-not-found: there is no hold {HOLD} until ")), "{told}");
}

fn secret(byte: u8) -> SigningSecret {
    SigningSecret::new(&[byte; 24]).unwrap()
}

#[test]
fn inboxes_are_made_rotated_and_removed() {
    let mut world = Bare::new();
    let put = |byte: u8, overlap_secs: i64| PutInbox::new(inbox("orders"), secret(byte), overlap_secs).unwrap();
    let believed = |world: &mut Bare, now: Timestamp| -> Vec<u8> {
        let known = world.facts.get::<InboxSecret>(&inbox("orders")).unwrap();
        known.map_or_else(Vec::new, |inbox| inbox.believed(now).map(|secret| secret.expose()[0]).collect())
    };
    let (made, replayed) = world.run(&put(1, 60)).unwrap();
    assert_eq!((made.version, made.previous_until, replayed), (1, None, false));
    let (again, replayed) = world.run(&put(1, 5)).unwrap();
    assert_eq!((&again, replayed), (&made, true));
    world.advance_secs(10);
    let now = world.facts.now();
    let (rotated, replayed) = world.run(&put(2, 60)).unwrap();
    let expected = Inbox { rotated_at: now, previous_until: Some(now.plus_secs(60)), version: 2, ..made };
    assert_eq!((rotated, replayed), (expected, false));
    assert_eq!(believed(&mut world, now), [2, 1]);
    assert_eq!(believed(&mut world, Timestamp::from_micros(now.plus_secs(60).micros() - 1)), [2, 1]);
    assert_eq!(believed(&mut world, now.plus_secs(60)), [2]);
    // Only the one before is believed.
    world.run(&put(3, 60)).unwrap();
    assert_eq!(believed(&mut world, now), [3, 2]);
    // At once.
    world.run(&put(4, 0)).unwrap();
    assert_eq!(believed(&mut world, now), [4]);
    let remove = RemoveInbox { name: inbox("orders") };
    assert!(!world.run(&remove).unwrap().1);
    assert!(world.run(&remove).unwrap().1);
    assert!(believed(&mut world, now).is_empty());
    for secs in [-1, 2_592_001] {
        assert!(PutInbox::new(inbox("orders"), secret(1), secs).is_err());
    }
    for bytes in [0, 23, 65] {
        assert!(SigningSecret::new(&vec![0; bytes]).is_err());
    }
    assert_eq!(format!("{:?}", put(7, 0).clone()).matches('7').count(), 0, "a secret is not printed");
}
