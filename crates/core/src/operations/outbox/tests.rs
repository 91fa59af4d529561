use std::sync::Arc;

use serde_json::json;
use smol_str::SmolStr;

use super::*;
use crate::kernel::{Command, Event, Facts, HoldPolicy, Slug, Stop, Tenant, TenantId, Timestamp};
use crate::operations::commands::{EffectOutcome, FinishEffect, Finished, StartEffect, Started};
use crate::operations::{
    Case, CaseKey, CaseState, EffectHandler, Operation, OperationName, OperationRefusal, OperationRun, OperationsEvent,
    Outcome, Payload, SigningSecret, WaitingOn, WorkerId, lint,
};

const SECRET: [u8; 32] = [7; 32];

/// The whole truth about one tenant, and what a worker would do by hand.
struct World {
    facts: Facts,
    handler: Arc<dyn EffectHandler>,
}

impl World {
    fn new() -> World {
        let mut facts = Facts::complete(TenantId(1));
        facts.set_now(Timestamp::from_millis(1_000));
        let slug = Slug::new("casa").unwrap();
        facts.insert(Tenant { slug, policy: HoldPolicy::default(), version: 0 });
        facts.keep_changes();
        World { facts, handler: Arc::new(DeliverWebhook) }
    }

    fn run<C: Command>(&mut self, command: &C) -> Result<C::Reply, C::Refusal> {
        match command.decide(&mut self.facts) {
            Ok(reply) => {
                self.facts.keep_changes();
                Ok(reply)
            }
            Err(Stop::Refused(refusal)) => {
                self.facts.drop_changes();
                Err(refusal)
            }
            Err(Stop::Halted(halt)) => panic!("complete facts never halt: {halt:?}"),
        }
    }

    fn put(&mut self) {
        self.run(&put("https://example.com/", &[])).unwrap();
    }

    fn fan_out(&mut self, from: EventCursor, to: EventCursor, messages: &[(EventCursor, &str)]) -> u32 {
        self.run(&fan_out(from, to, messages)).unwrap().deliveries
    }

    fn start(&mut self, key: &crate::operations::OperationKey) -> Started {
        let start =
            StartEffect { key: key.clone(), handler: Arc::clone(&self.handler), worker: WorkerId(1), raised_at: None };
        self.run(&start).unwrap()
    }

    /// Starts the delivery and finishes it like this.
    fn deliver(&mut self, cursor: EventCursor, outcome: EffectOutcome) -> Finished {
        let key = delivery_key(&id(), cursor, None).unwrap();
        let call = match self.start(&key) {
            Started::Call(call) => *call,
            other => panic!("{key}: {other:?}"),
        };
        let handler = Arc::clone(&self.handler);
        let finish = FinishEffect { call, handler, outcome, then: None, dice: 0, raised_at: None };
        self.run(&finish).unwrap()
    }

    fn endpoint(&mut self) -> WebhookEndpoint {
        self.facts.get::<WebhookEndpoint>(&id()).unwrap().unwrap().clone()
    }

    fn tail(&mut self, ordering: &str) -> Option<String> {
        let key = TailKey { endpoint: id(), ordering: ordering.into() };
        self.facts.get::<WebhookTail>(&key).unwrap().map(|tail| tail.delivery.to_string())
    }

    fn waiting_on(&mut self, cursor: EventCursor) -> Option<WaitingOn> {
        let key = delivery_key(&id(), cursor, None).unwrap();
        self.facts.get::<OperationRun>(&key).unwrap().unwrap().waiting_on.clone()
    }

    fn outcome(&mut self, cursor: EventCursor) -> Option<Outcome> {
        let key = delivery_key(&id(), cursor, None).unwrap();
        self.facts.get::<Operation>(&key).unwrap().unwrap().outcome
    }

    fn gone_case(&mut self) -> Option<CaseState> {
        let key = CaseKey { kind: "webhook-endpoint-gone".into(), key: "orders".into() };
        self.facts.get::<Case>(&key).unwrap().map(|case| case.state)
    }
}

fn id() -> EndpointId {
    EndpointId::new("orders").unwrap()
}

fn secret(byte: u8) -> SigningSecret {
    SigningSecret::new(&[byte; 32]).unwrap()
}

fn put(url: &str, events: &[&str]) -> PutEndpoint {
    let events = events.iter().map(SmolStr::new).collect();
    PutEndpoint::new(id(), url, events, SigningSecret::new(&SECRET).unwrap(), at(10)).unwrap()
}

fn at(seq: i64) -> EventCursor {
    EventCursor::row_end(seq)
}

fn event(seq: i64, index: u32) -> EventCursor {
    EventCursor { seq, index }
}

fn messages(messages: &[(EventCursor, &str)]) -> Vec<OutboxMessage> {
    let message = |(cursor, ordering): &(EventCursor, &str)| OutboxMessage {
        cursor: *cursor,
        ordering: (*ordering).into(),
        body: format!(r#"{{"cursor":"{cursor}"}}"#).into(),
    };
    messages.iter().map(message).collect()
}

fn fan_out(from: EventCursor, to: EventCursor, list: &[(EventCursor, &str)]) -> FanOut {
    FanOut::new(id(), from, to, messages(list)).unwrap()
}

fn confirmed() -> EffectOutcome {
    EffectOutcome::Confirmed { provider_ref: None, response: Payload::of(&json!({ "status": 200 })) }
}

fn rejected(rejection: WebhookRejection) -> EffectOutcome {
    EffectOutcome::Rejected { code: "x".into(), error: "x".into(), response: Payload::of(&rejection) }
}

#[test]
fn the_type_is_sound() {
    assert_eq!(lint(&[&DELIVER_WEBHOOK]), Vec::<String>::new());
    assert_eq!(DELIVER_WEBHOOK.retry.attempts_max, 10);
}

#[test]
fn cursors() {
    for good in ["0-0", "12-0", "9223372036854775807-3", "12-999999999"] {
        assert_eq!(EventCursor::parse(good).unwrap().to_string(), good);
    }
    for bad in ["", "12", "12-", "-1", "+1-0", "12-0-0", "a-b", "99999999999999999999-0", "1-1000000000"] {
        assert_eq!(EventCursor::parse(bad), None, "{bad}");
    }
    let mut cursors = [event(9, 3), event(10, 0), at(9), event(100, 2), event(10, 11), event(10, 2)];
    cursors.sort();
    let mut texts = cursors.map(EventCursor::sortable);
    texts.sort();
    assert_eq!(texts.map(|text| EventCursor::parse(&text).unwrap()), cursors);
}

#[test]
fn secrets_are_not_shown() {
    let mut w = World::new();
    w.put();
    let shown = format!("{:?} {:?}", w.endpoint(), put("https://example.com/", &[]));
    assert!(shown.contains("SigningSecret(..)") && !shown.contains("7, 7"), "{shown}");
    for bytes in [0, 23, 65] {
        assert!(SigningSecret::new(&vec![1; bytes]).is_err(), "{bytes}");
    }
}

#[test]
fn endpoints_are_put_once() {
    let mut w = World::new();
    let made = w.run(&put("https://example.com/", &["hold_placed", "hold_expired", "hold_placed"])).unwrap();
    assert!(made.created);
    assert_eq!(made.endpoint.events, ["hold_expired", "hold_placed"]);
    let again = w.run(&put("https://example.com/", &["hold_expired", "hold_placed"])).unwrap();
    assert!(!again.created && again.endpoint == made.endpoint);
    let exists = OperationRefusal::EndpointExists { endpoint: "orders".into() };
    assert_eq!(w.run(&put("https://example.com/2", &[])), Err(exists));
    let replaced = w.run(&put("https://example.com/2", &[]).replacing(true)).unwrap();
    assert!(!replaced.created);
    assert_eq!((replaced.endpoint.url.as_str(), replaced.endpoint.cursor), ("https://example.com/2", at(10)));
    let unknown = PutEndpoint::new(id(), "https://example.com/", vec!["operation_succeeded".into()], secret(1), at(0));
    assert!(unknown.is_err());
    for bad in ["", "Orders", "a b", "-a", "a.b"] {
        assert!(EndpointId::new(bad).is_err(), "{bad}");
    }
}

#[test]
fn both_secrets_sign_for_a_while() {
    let mut w = World::new();
    w.put();
    w.run(&RotateEndpointSecret::new(id(), secret(8), 60).unwrap()).unwrap();
    let endpoint = w.endpoint();
    let now = w.facts.now();
    let signing = |at| endpoint.secrets(at).map(|secret| secret.expose()[0]).collect::<Vec<_>>();
    assert_eq!(signing(now), [8, 7]);
    assert_eq!(signing(now.plus_secs(60)), [8]);
    w.run(&RotateEndpointSecret::new(id(), secret(9), 0).unwrap()).unwrap();
    assert_eq!(w.endpoint().secrets(now).map(|secret| secret.expose()[0]).collect::<Vec<_>>(), [9]);
    assert!(RotateEndpointSecret::new(id(), secret(9), -1).is_err());
}

#[test]
fn one_delivery_per_event_in_the_order_of_each_key() {
    let mut w = World::new();
    w.put();
    let list = [(event(11, 0), "hold:a"), (event(11, 1), "hold:b"), (event(12, 0), "hold:a"), (event(12, 1), "hold:a")];
    assert_eq!(w.fan_out(at(10), at(12), &list), 4);
    assert_eq!(w.endpoint().cursor, at(12));
    // Whoever looked at the same time is late.
    let changed = OperationRefusal::Changed { what: "webhook endpoint orders".into() };
    assert_eq!(w.run(&fan_out(at(10), at(12), &list)), Err(changed));
    assert_eq!([event(11, 0), event(11, 1)].map(|cursor| w.waiting_on(cursor)), [None, None]);
    for (cursor, behind) in [(event(12, 0), event(11, 0)), (event(12, 1), event(12, 0))] {
        let behind = delivery_key(&id(), behind, None).unwrap().to_string();
        assert_eq!(w.waiting_on(cursor), Some(WaitingOn::new(behind, "ended")));
    }
    // One after the other.
    assert_eq!(w.deliver(event(11, 0), confirmed()), Finished::Done);
    assert_eq!(w.waiting_on(event(12, 0)), None);
    assert!(w.waiting_on(event(12, 1)).is_some());
    assert_eq!(w.deliver(event(12, 0), confirmed()), Finished::Done);
    // A tail that points elsewhere stays; the last one goes.
    assert!(w.tail("hold:a").unwrap().contains("12-000000001"));
    assert_eq!(w.deliver(event(12, 1), confirmed()), Finished::Done);
    assert_eq!((w.tail("hold:a"), w.tail("hold:b").is_some()), (None, true));
    // What comes later waits for nothing.
    w.fan_out(at(12), at(13), &[(event(13, 0), "hold:a")]);
    assert_eq!(w.waiting_on(event(13, 0)), None);
}

#[test]
fn the_dead_do_not_hold_up_the_living() {
    let mut w = World::new();
    w.put();
    w.fan_out(at(10), at(11), &[(event(11, 0), "hold:a"), (event(11, 1), "hold:a")]);
    assert_eq!(w.deliver(event(11, 0), rejected(WebhookRejection::Unsendable)), Finished::Dead);
    assert_eq!(w.outcome(event(11, 0)), Some(Outcome::DeadLetter));
    assert_eq!(w.waiting_on(event(11, 1)), None);
    assert_eq!(w.deliver(event(11, 1), confirmed()), Finished::Done);
}

#[test]
fn gone_disables() {
    let mut w = World::new();
    w.put();
    w.fan_out(at(10), at(11), &[(event(11, 0), "hold:a"), (event(11, 1), "hold:b")]);
    assert_eq!(w.deliver(event(11, 0), rejected(WebhookRejection::Gone)), Finished::Done);
    assert_eq!(w.endpoint().state, EndpointState::Disabled);
    assert_eq!(w.gone_case(), Some(CaseState::Open));
    // What was on its way is not sent, and nothing is added.
    let waiting = delivery_key(&id(), event(11, 1), None).unwrap();
    assert_eq!(w.start(&waiting), Started::Done);
    let skipped = w.facts.get::<Operation>(&waiting).unwrap().unwrap().result.clone();
    assert_eq!(skipped, Some(Payload::of(&json!({ "skipped": true }))));
    assert!(matches!(w.run(&fan_out(at(11), at(12), &[])), Err(OperationRefusal::Changed { .. })));
    let about = w.run(&EnableEndpoint { id: id(), skip_to: None }).unwrap();
    assert_eq!((about.state, about.disabled_at, about.cursor), (EndpointState::Enabled, None, at(11)));
    assert_eq!(w.gone_case(), Some(CaseState::Resolved));
    assert_eq!(w.run(&EnableEndpoint { id: id(), skip_to: Some(at(20)) }).unwrap().cursor, at(20));
    assert_eq!(w.run(&EnableEndpoint { id: id(), skip_to: Some(at(5)) }).unwrap().cursor, at(20));
}

#[test]
fn an_endpoint_of_the_same_name_is_another_one() {
    let mut w = World::new();
    w.put();
    w.fan_out(at(10), at(11), &[(event(11, 0), "hold:a")]);
    w.run(&RemoveEndpoint { id: id() }).unwrap();
    assert!(matches!(w.run(&fan_out(at(11), at(12), &[])), Err(OperationRefusal::EndpointNotFound { .. })));
    w.facts.set_now(Timestamp::from_millis(2_000));
    w.put();
    assert_eq!(w.start(&delivery_key(&id(), event(11, 0), None).unwrap()), Started::Done);
    assert_eq!(w.tail("hold:a"), None);
}

#[test]
fn a_replay_is_a_delivery_of_its_own() {
    let mut w = World::new();
    w.put();
    let list = [(event(11, 0), "hold:a"), (event(12, 0), "hold:a")];
    w.fan_out(at(10), at(12), &list);
    let replay = |key: &str| ReplayEvents::new(id(), &ReplayKey::new(key).unwrap(), messages(&list)).unwrap();
    assert_eq!(w.run(&replay("1")).unwrap().deliveries, 2);
    assert_eq!(w.run(&replay("1")).unwrap().deliveries, 0);
    assert_eq!(w.run(&replay("2")).unwrap().deliveries, 2);
    assert_eq!(w.endpoint().cursor, at(12));
    // Under the same message id, so that a receiver can tell.
    let mut ids = ["1", "2"].map(|key| {
        let key = delivery_key(&id(), event(11, 0), Some(&ReplayKey::new(key).unwrap())).unwrap();
        let payload = &w.facts.get::<Operation>(&key).unwrap().unwrap().payload;
        payload.read::<serde_json::Value>().unwrap()["message_id"].clone()
    });
    let first = delivery_key(&id(), event(11, 0), None).unwrap();
    let Started::Call(call) = w.start(&first) else { panic!("the first is due") };
    let sent: WebhookCall = call.request.read().unwrap();
    ids.sort_by_key(ToString::to_string);
    assert_eq!(ids, [json!(sent.message_id), json!(sent.message_id)]);
    assert!(!sent.message_id.contains('.') && sent.message_id.len() < 64);
    assert!(!call.request.as_str().contains("secret"));
}

#[test]
fn missed_events_are_told_to_somebody() {
    let mut w = World::new();
    w.put();
    w.run(&SkipMissedEvents { endpoint: id(), from: at(10), to: at(40) }).unwrap();
    let key = CaseKey { kind: "webhook-events-missed".into(), key: "orders".into() };
    assert!(w.facts.get::<Case>(&key).unwrap().is_some());
    assert_eq!(w.endpoint().cursor, at(40));
    let late = SkipMissedEvents { endpoint: id(), from: at(10), to: at(40) };
    assert!(matches!(w.run(&late), Err(OperationRefusal::Changed { .. })));
}

#[test]
fn what_cannot_be_fanned_out() {
    let list = |cursors: &[EventCursor]| messages(&cursors.iter().map(|cursor| (*cursor, "x")).collect::<Vec<_>>());
    let check = |from, to, cursors: &[EventCursor], fits: bool| {
        assert_eq!(FanOut::new(id(), from, to, list(cursors)).is_ok(), fits, "{cursors:?}");
    };
    check(at(1), at(3), &[event(2, 0), event(3, 0)], true);
    check(at(1), at(1), &[], true);
    check(at(1), at(3), &[event(3, 0), event(2, 0)], false);
    check(at(1), at(3), &[event(2, 0), event(2, 0)], false);
    check(at(1), at(3), &[event(1, 0)], false);
    check(at(1), at(3), &[event(4, 0)], false);
    check(at(3), at(1), &[], false);
    let many: Vec<EventCursor> = (0..501).map(|index| event(2, index)).collect();
    check(at(1), at(3), &many, false);
    check(at(1), at(3), &many[1..], true);
}

#[test]
fn the_outbox_does_not_feed_itself() {
    let case = |kind: &str, key: &str| CaseKey { kind: kind.into(), key: key.into() };
    let opened = |kind: &str, key: &str| OperationsEvent::CaseOpened { case: case(kind, key) };
    let delivery = "DELIVER_WEBHOOK orders:1:1";
    let operation = |kind: &str| OperationName { kind: kind.into(), key: "k".into() };
    let died =
        |kind: &str| OperationsEvent::OperationDied { operation: operation(kind), generation: 1, code: "c".into() };
    let succeeded = OperationsEvent::OperationSucceeded { operation: operation("X"), generation: 1, events: 0 };
    for (event, expected) in [
        (opened("effect-unknown", delivery), None),
        (OperationsEvent::CaseResolved { case: case("effect-unknown", delivery) }, None),
        (opened("effect-unknown", "DELIVER_WEBHOOKS k"), Some("case_opened")),
        (opened("webhook-endpoint-gone", "orders"), Some("case_opened")),
        (died("DELIVER_WEBHOOK"), None),
        (died("ISSUE_TICKETS"), Some("operation_died")),
        (succeeded, None),
        (OperationsEvent::EndpointDisabled { endpoint: "orders".into() }, None),
        (OperationsEvent::Announced { topic: "t".repeat(9_000).into(), data: "{}".into() }, Some("announced")),
    ] {
        let offered = offered(&Event::Operations(event));
        assert_eq!(offered.as_ref().map(|offered| offered.name), expected);
        if let Some(offered) = offered {
            assert!(offered_events().any(|name| name == offered.name) && offered.ordering.len() <= 300);
        }
    }
}
