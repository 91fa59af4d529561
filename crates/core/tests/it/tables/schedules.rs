//! Schedules: when they fire, what they ask for, and what becomes of instants that nobody looked after.
//!
//! A scenario is a list of statements, separated by `; `. `put NAME CRON in ZONE` may be followed by `says TOPIC` and
//! `off`; `at INSTANT` turns the clock forward. The last statement's answer counts.

use std::sync::Arc;

use serde_json::json;
use surehold_core::kernel::{Command, Event, Facts, Stop, TenantId, Timestamp, decode_events};
use surehold_core::operations::builtin::{ANNOUNCE, Announce};
use surehold_core::operations::commands::{EnqueueOperation, RunStateOperation, StateRun};
use surehold_core::operations::{
    Case, CaseKey, Cron, Enqueued, FireSchedules, NewOperation, Operation, OperationKey, OperationRefusal,
    OperationRun, OperationType, OperationsEvent, Payload, PutSchedule, RECONCILE_STUCK_OPERATION, RemoveSchedule,
    Schedule, ScheduleName, SchedulesFired, TimeZoneName,
};

struct World {
    facts: Facts,
    events_seen: usize,
}

fn instant(text: &str) -> Timestamp {
    serde_json::from_value(json!(text)).unwrap()
}

fn name(text: &str) -> ScheduleName {
    ScheduleName::new(text).unwrap()
}

fn payload(topic: &str) -> Payload {
    Payload::new(&json!({"topic": topic, "data": {"n": 1}})).unwrap()
}

fn put(text: &str) -> PutSchedule {
    let (name_text, rest) = text.split_once(' ').unwrap();
    let (cron, rest) = rest.split_once(" in ").unwrap();
    let mut words = rest.split(' ');
    let zone = TimeZoneName::parse(words.next().unwrap()).unwrap();
    let (mut topic, mut enabled) = ("hello", true);
    while let Some(word) = words.next() {
        match word {
            "says" => topic = words.next().unwrap(),
            "off" => enabled = false,
            word => panic!("{word}?"),
        }
    }
    let put = PutSchedule::new(name(name_text), Cron::parse(cron).unwrap(), zone, &ANNOUNCE, payload(topic));
    put.unwrap().enabled(enabled)
}

fn shown(at: Option<Timestamp>) -> String {
    at.map_or_else(|| "never".to_owned(), |at| at.to_string())
}

impl World {
    fn new() -> World {
        let mut facts = Facts::complete(TenantId(1));
        facts.set_now(instant("2026-11-15T12:00:00Z"));
        World { facts, events_seen: 0 }
    }

    fn run<C: Command<Refusal = OperationRefusal>>(
        &mut self,
        command: &C,
    ) -> Result<(C::Reply, bool), OperationRefusal> {
        match command.decide(&mut self.facts) {
            Ok(reply) => Ok((reply, self.facts.keep_changes())),
            Err(Stop::Refused(refusal)) => {
                self.facts.drop_changes();
                Err(refusal)
            }
            Err(Stop::Halted(halt)) => panic!("complete facts are incomplete: {halt:?}"),
        }
    }

    fn fire(&mut self) -> SchedulesFired {
        self.run(&FireSchedules { kinds: Arc::new([&ANNOUNCE]) }).unwrap().0
    }

    /// What was told since it was last asked.
    fn news(&mut self) -> Vec<Event> {
        let events = decode_events(self.facts.events().0).unwrap();
        let seen = std::mem::replace(&mut self.events_seen, events.len());
        events[seen..].to_vec()
    }

    fn say(&mut self, statement: &str) -> String {
        let (verb, rest) = statement.split_once(' ').unwrap_or((statement, ""));
        match verb {
            "at" => {
                self.facts.set_now(instant(rest));
                String::new()
            }
            "put" => match self.run(&put(rest)) {
                Ok((schedule, false)) => format!("next {}", shown(schedule.next_at)),
                Ok((schedule, true)) => format!("again: next {}", shown(schedule.next_at)),
                Err(refusal) => refusal.to_string(),
            },
            "remove" => match self.run(&RemoveSchedule { name: name(rest) }) {
                Ok((schedule, _)) => format!("removed {}", schedule.name),
                Err(refusal) => refusal.to_string(),
            },
            "show" => {
                let schedule = self.facts.get::<Schedule>(&name(rest)).unwrap().unwrap();
                format!(
                    "next {}, fired {} v{}",
                    shown(schedule.next_at),
                    shown(schedule.last_fired_at),
                    schedule.version
                )
            }
            "fire" => {
                let fired = self.fire();
                assert!(!fired.more_left && fired.unknown.is_empty(), "{fired:?}");
                let tell = |fired: &surehold_core::operations::FiredSchedule| {
                    assert_eq!(fired.enqueued, Enqueued::Enqueued);
                    format!("{} for {} skipping {}", fired.name, fired.planned_for, fired.skipped)
                };
                fired.fired.iter().map(tell).collect::<Vec<_>>().join(", ")
            }
            verb => panic!("{verb}?"),
        }
    }

    fn play(&mut self, scenario: &str) -> String {
        scenario.split("; ").map(|statement| self.say(statement)).last().unwrap()
    }
}

fn check(scenario: &str, expected: &str) {
    assert_eq!(World::new().play(scenario), expected, "{scenario}");
}

#[test]
fn putting() {
    check("put n 0 2 * * * in America/Sao_Paulo", "next 2026-11-16T05:00:00Z");
    check("put n 0 12 * * * in UTC", "next 2026-11-16T12:00:00Z");
    check("put n 0 2 * * * in UTC off", "next never");
    let given = "put n 0 2 * * * in UTC";
    check(&format!("{given}; at 2026-11-15T13:00:00Z; put n 0  2 * * * in utc"), "again: next 2026-11-16T02:00:00Z");
    check(&format!("{given}; {given}; show n"), "next 2026-11-16T02:00:00Z, fired never v1");
    check(&format!("{given}; put n 0 3 * * * in UTC"), "next 2026-11-16T03:00:00Z");
    check(&format!("{given}; put n 0 2 * * * in Europe/Berlin"), "next 2026-11-16T01:00:00Z");
    check(&format!("{given} off; at 2026-11-20T12:00:00Z; {given}"), "next 2026-11-21T02:00:00Z");
    check(&format!("{given}; {given} says bye; show n"), "next 2026-11-16T02:00:00Z, fired never v2");
    check(&format!("{given}; remove n"), "removed n");
    check(&format!("{given}; remove n; remove n"), "there is no schedule n");
    check(&format!("{given}; remove n; {given}; show n"), "next 2026-11-16T02:00:00Z, fired never v1");
}

#[test]
fn firing() {
    let given = "put n 0 2 * * * in UTC";
    let fired = "n for 2026-11-16T02:00:00Z skipping 0";
    check(&format!("{given}; at 2026-11-16T01:59:59.999999Z; fire"), "");
    check(&format!("{given}; at 2026-11-16T02:00:00Z; fire"), fired);
    check(&format!("{given}; at 2026-11-16T02:00:07Z; fire"), fired);
    check(&format!("{given}; at 2026-11-16T02:00:07Z; fire; fire"), "");
    check(
        &format!("{given}; at 2026-11-16T02:00:07Z; fire; show n"),
        "next 2026-11-17T02:00:00Z, fired 2026-11-16T02:00:07Z v2",
    );
    check(&format!("{given}; remove n; at 2026-11-16T02:00:00Z; fire"), "");
    check(&format!("{given}; put n 0 2 * * * in UTC off; at 2026-11-16T02:00:00Z; fire"), "");
    // The oldest first.
    check(
        "put b 0 2 * * * in UTC; put a 0 3 * * * in UTC; at 2026-11-16T04:00:00Z; fire",
        "b for 2026-11-16T02:00:00Z skipping 0, a for 2026-11-16T03:00:00Z skipping 0",
    );
}

#[test]
fn missed_instants() {
    let minutes = "put n * * * * * in UTC";
    check(&format!("{minutes}; at 2026-11-15T12:05:30Z; fire"), "n for 2026-11-15T12:05:00Z skipping 4");
    let outage = format!("{minutes}; at 2026-11-18T12:00:30Z; fire");
    check(&outage, "n for 2026-11-18T12:00:00Z skipping 1440");
    check(&format!("{outage}; fire"), "");
    check(&format!("{outage}; show n"), "next 2026-11-18T12:01:00Z, fired 2026-11-18T12:00:30Z v2");
    // What was due under the old times is not owed under the new ones; a new payload changes nothing about that.
    check(&format!("{minutes}; at 2026-11-15T12:05:30Z; put n 0 0 * * * in UTC; fire"), "");
    check(&format!("{minutes} off; at 2026-11-15T12:05:30Z; {minutes}; fire"), "");
    let reworded = format!("{minutes}; at 2026-11-15T12:01:30Z; {minutes} says bye; fire");
    check(&reworded, "n for 2026-11-15T12:01:00Z skipping 0");
}

/// New York goes from 02:00 to 03:00 on 2027-03-14 and from 02:00 back to 01:00 on 2027-11-07.
#[test]
fn changes_of_the_clock() {
    let daily = "put n 30 2 * * * in America/New_York";
    check(&format!("at 2027-03-13T12:00:00Z; {daily}"), "next 2027-03-14T07:00:00Z");
    check(
        &format!("at 2027-03-13T12:00:00Z; {daily}; at 2027-03-14T07:00:00Z; fire; show n"),
        "next 2027-03-15T06:30:00Z, fired 2027-03-14T07:00:00Z v2",
    );
    let repeated = "put n 30 1 * * * in America/New_York";
    check(
        &format!("at 2027-11-06T12:00:00Z; {repeated}; at 2027-11-07T05:30:00Z; fire; show n"),
        "next 2027-11-08T06:30:00Z, fired 2027-11-07T05:30:00Z v2",
    );
}

#[test]
fn what_is_told_and_asked_for() {
    let mut world = World::new();
    world.play("put n 0 2 * * * in UTC says audit; put n 0 2 * * * in UTC says audit");
    let schedule = |name: &str| name.to_owned().into();
    assert_eq!(world.news(), [OperationsEvent::ScheduleChanged { name: schedule("n") }.into()]);
    world.play("at 2026-11-18T02:00:01Z; fire");
    let planned_for = instant("2026-11-18T02:00:00Z");
    let fired = OperationsEvent::ScheduleFired { name: schedule("n"), planned_for, skipped: 2 };
    assert_eq!(world.news(), [fired.into()]);

    let key = ANNOUNCE.key(&["n", "2026-11-18T02:00:00Z"]).unwrap();
    let operation = world.facts.get::<Operation>(&key).unwrap().unwrap().clone();
    assert_eq!(operation.payload, payload("audit"));
    assert_eq!(world.facts.get::<OperationRun>(&key).unwrap().unwrap().run_at, instant("2026-11-18T02:00:01Z"));
    let ran = world.run(&RunStateOperation { key: key.clone(), handler: Arc::new(Announce), found: None }).unwrap();
    assert_eq!(ran.0, StateRun::Done);
    let said = OperationsEvent::Announced { topic: "audit".into(), data: r#"{"n":1}"#.into() };
    assert_eq!(world.news()[0], said.into());
    // Removing it takes nothing back.
    world.play("at 2026-11-19T02:00:00Z; fire; remove n");
    let later = ANNOUNCE.key(&["n", "2026-11-19T02:00:00Z"]).unwrap();
    assert!(world.facts.get::<OperationRun>(&later).unwrap().is_some());
    assert_eq!(world.news().last(), Some(&OperationsEvent::ScheduleRemoved { name: schedule("n") }.into()));
}

/// Whoever takes a key that a schedule will use: the same content is joined, other content is told to somebody.
#[test]
fn taken_keys() {
    let ask = |world: &mut World, key: &OperationKey, topic: &str| {
        world.run(&EnqueueOperation(NewOperation::new(&ANNOUNCE, key.clone(), payload(topic)))).unwrap();
    };
    let mut world = World::new();
    world.play("put n 0 2 * * * in UTC");
    let key = |day: u8| ANNOUNCE.key(&["n", &format!("2026-11-{day}T02:00:00Z")]).unwrap();
    ask(&mut world, &key(16), "hello");
    ask(&mut world, &key(17), "something else");
    world.play("at 2026-11-16T02:00:00Z");
    assert_eq!(world.fire().fired[0].enqueued, Enqueued::Joined);
    world.play("at 2026-11-17T02:00:00Z");
    assert_eq!(world.fire().fired[0].enqueued, Enqueued::Conflict);
    let case = CaseKey { kind: "schedule-conflict".into(), key: key(17).to_string().into() };
    assert!(world.facts.get::<Case>(&case).unwrap().is_some());
    assert_eq!(world.play("show n"), "next 2026-11-18T02:00:00Z, fired 2026-11-17T02:00:00Z v3");
}

#[test]
fn bounds() {
    let mut world = World::new();
    for number in 0..120 {
        world.say(&format!("put n{number} 0 2 * * * in UTC"));
    }
    world.say("at 2026-11-16T02:00:00Z");
    let rounds: Vec<(usize, bool)> =
        std::iter::repeat_with(|| world.fire()).take(4).map(|fired| (fired.fired.len(), fired.more_left)).collect();
    assert_eq!(rounds, [(50, true), (50, true), (20, false), (0, false)]);

    // Counting what was missed is work too.
    let mut world = World::new();
    world.play("put a * * * * * in UTC; put b * * * * * in UTC; put c 0 * * * * in UTC; at 2026-11-20T12:00:00Z");
    let rounds: Vec<usize> = std::iter::repeat_with(|| world.fire().fired.len()).take(4).collect();
    assert_eq!(rounds, [1, 1, 1, 0]);
}

#[test]
fn unknown_types_are_left_to_others() {
    let mut world = World::new();
    world.play("put n 0 2 * * * in UTC; at 2026-11-16T02:00:00Z");
    let none = world.run(&FireSchedules { kinds: Arc::new([]) }).unwrap().0;
    assert_eq!(none, SchedulesFired { fired: Vec::new(), unknown: vec![name("n")], more_left: false });
    assert_eq!(world.say("fire"), "n for 2026-11-16T02:00:00Z skipping 0");
}

#[test]
fn what_cannot_be_put() {
    let check = |kind: &'static OperationType, bytes: usize, expected: &str| {
        let payload = Payload::new(&json!("x".repeat(bytes - 2))).unwrap();
        let put = PutSchedule::new(name("n"), Cron::parse("@daily").unwrap(), TimeZoneName::utc(), kind, payload);
        assert_eq!(put.map_or_else(|invalid| invalid.to_string(), |_| "ok".to_owned()), expected);
    };
    check(&ANNOUNCE, 32 * 1024, "ok");
    check(&ANNOUNCE, 32 * 1024 + 1, "the payload has 32769 bytes; at most 32768 are allowed");
    let why = "RECONCILE_STUCK_OPERATION cannot be asked for by a schedule; these can: those with the key scheduleName, \
               plannedFor";
    check(&RECONCILE_STUCK_OPERATION, 9, why);
}
