//! Tasks and charges.

use serde_json::json;

use super::super::rules;
use super::super::world::{World, id};
use super::scenes::{charge_task, check, expire_task, opened};
use crate::torture::auditor::AttemptSeen;
use crate::torture::history::{Answer, Ask, EventSeen, Kind};

#[test]
fn attempts_are_told_by_those_who_have_the_lease() {
    for outcome in ["failed", "refused"] {
        let mut charged = opened();
        charged.ask(charge_task("t")).unwrap();
        charged.work();
        let (history, mut state) = charged.finish();
        let mut attempt = |worker: Option<&str>| {
            let charge = state.operations.iter_mut().find(|operation| operation.kind == "CHARGE").unwrap();
            let (outcome, worker) = (outcome.to_owned(), worker.map(str::to_owned));
            charge.attempts = vec![AttemptSeen { outcome, worker }];
            rules(&history, &state).count("leases")
        };
        assert_eq!((attempt(Some("7")), attempt(None)), (0, 1), "{outcome}");
    }
}

#[test]
fn tasks_are_done_once() {
    let delivered = |world: &mut World| {
        world.ask(expire_task("t", 1)).unwrap();
        world.ask(expire_task("t", 1)).unwrap();
        world.ask(charge_task("c")).unwrap();
        world.ask_unheard(charge_task("d"), None);
        world.work();
        world.pass_secs(31);
    };
    check("tasks", "no operation", delivered, |_, state| state.operations.retain(|o| o.kind != "CHARGE"));
    check("tasks", "no charge", delivered, |_, state| drop(state.charges.as_mut().unwrap().pop()));
    check("tasks", "another amount", delivered, |_, state| state.charges.as_mut().unwrap()[0].amount = 6);
    check("tasks", "declined and charged", delivered, |_, state| {
        let charge = state.operations.iter_mut().find(|operation| operation.kind == "CHARGE").unwrap();
        (charge.state, charge.effects) = ("DEAD_LETTER".to_owned(), vec!["REJECTED".to_owned()]);
    });
    check("tasks", "nothing follows", delivered, |_, state| state.operations.retain(|o| o.kind != "NOTE_CHARGE"));
    check("tasks", "nobody asked", delivered, |_, state| {
        let charges = state.charges.as_mut().unwrap();
        let mut more = charges[0].clone();
        more.operation = "17.CHARGE.p-x.0".to_owned();
        charges.push(more);
    });
    check("charged-twice", "paid twice", delivered, |_, state| state.charges.as_mut().unwrap()[0].times = 2);
    check("converged", "not done", delivered, |_, state| {
        let (now, operation) = (state.read_at, &mut state.operations[0]);
        (operation.state, operation.run_at) = ("FAILED".to_owned(), Some(now));
    });
    check("converged", "not settled", delivered, |_, state| state.settled = false);
    check("done-twice", "new twice", delivered, |history, _| {
        let again = history.iter_mut().filter(|entry| entry.answer == Some(Answer::Task { replayed: true }));
        again.for_each(|entry| entry.answer = Some(Answer::Task { replayed: false }));
    });
    check("ok-exists", "forgotten", delivered, |_, state| {
        state.events.retain(|event| event.body["external_id"] != "t");
        state.live = None;
    });
    check("fail-nowhere", "denied", delivered, |history, _| {
        for entry in history.iter_mut().filter(|e| matches!(e.ask, Ask::ExpireTask { .. }) && e.kind == Kind::Ok) {
            (entry.kind, entry.answer, entry.error) = (Kind::Fail, None, Some("busy".to_owned()));
        }
    });

    let waiting = |world: &mut World| {
        world.ask(expire_task("t", 1)).unwrap();
        world.work();
    };
    check("early-task-burnt", "before its hold has ended", waiting, |_, state| {
        let operation = &mut state.operations[0];
        (operation.state, operation.run_at) = ("SUCCEEDED".to_owned(), None);
        let name = json!({"type": "EXPIRE_HOLD", "key": id(1)});
        let body = json!({"type": "operation_succeeded", "operation": name, "generation": 1});
        state.events.push(EventSeen { cursor: "99-0".to_owned(), at: state.read_at, body });
    });
}

#[test]
fn what_dies_has_a_reason() {
    let declined = |world: &mut World| {
        world.is_declining = true;
        world.ask(charge_task("c")).unwrap();
        world.work();
    };
    let die_of = |code: &'static str, lost: bool| {
        let mut world = opened();
        declined(&mut world);
        let (history, mut state) = world.finish();
        let charge = state.operations.iter_mut().find(|operation| operation.kind == "CHARGE").unwrap();
        (charge.dead_code, charge.effects) = (Some(code.to_owned()), Vec::new());
        let attempt = |_| AttemptSeen { outcome: "lost".to_owned(), worker: None };
        charge.attempts = (0..3).filter(|_| lost).map(attempt).collect();
        rules(&history, &state).count("tasks")
    };
    assert_eq!((die_of("quarantined", true), die_of("quarantined", false)), (0, 1));
    assert_eq!((die_of("attempts-exhausted", true), die_of("card_declined", true)), (1, 1));
    check("tasks", "without a word", declined, |_, state| state.operations[0].dead_code = None);
    // Whatever it is that a hold waits for, its task waits longer.
    let mut world = opened();
    world.ask(expire_task("t", 1)).unwrap();
    let (history, mut state) = world.finish();
    let operation = &mut state.operations[0];
    (operation.state, operation.run_at) = ("DEAD_LETTER".to_owned(), None);
    operation.dead_code = Some("attempts-exhausted".to_owned());
    let name = json!({"type": "EXPIRE_HOLD", "key": id(1)});
    let body = json!({"type": "operation_died", "operation": name, "generation": 1});
    state.events.push(EventSeen { cursor: "99-0".to_owned(), at: state.read_at, body });
    assert_eq!(rules(&history, &state).count("tasks"), 1);
}
