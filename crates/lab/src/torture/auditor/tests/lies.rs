//! Small histories by hand: what each rule is for. Every scene is right as it is, and wrong with its lie.

use serde_json::json;

use super::rules;
use super::world::{SECOND, World, id, instant, units};
use crate::torture::auditor::{AttemptSeen, FinalState};
use crate::torture::history::{Answer, Ask, Entry, EventSeen, Kind};

type Scene = fn(&mut World);
type Lie = fn(&mut Vec<Entry>, &mut FinalState);

fn nothing(_: &mut Vec<Entry>, _: &mut FinalState) {}

/// Two pools with two units each, a hold of both, and one that is booked.
fn opened() -> World {
    let mut world = World::new();
    for pool in ["a", "b"] {
        world.ask(put(pool, Some(4), None)).unwrap();
    }
    world.ask(place(1)).unwrap();
    world.ask(place(2)).unwrap();
    world.ask(book(2)).unwrap();
    world
}

fn put(pool: &str, total: Option<i64>, closed: Option<bool>) -> Ask {
    Ask::PutPool { pool: pool.to_owned(), total, closed, expected_version: None }
}

fn adjust(pool: &str, total_delta: i64) -> Ask {
    Ask::Adjust { pool: pool.to_owned(), total_delta }
}

fn place(hold: u128) -> Ask {
    let lines = units(&[("a", 1), ("b", 1)]);
    Ask::Place { hold: id(hold), lines, lifetime_secs: Some(30), owner: Some("ana".to_owned()) }
}

fn place_in(hold: u128, pool: &str, quantity: i64) -> Ask {
    Ask::Place { hold: id(hold), lines: units(&[(pool, quantity)]), lifetime_secs: Some(30), owner: None }
}

fn book(hold: u128) -> Ask {
    Ask::Convert { hold: id(hold), consume: false, part: None }
}

fn cancel(hold: u128) -> Ask {
    Ask::Cancel { hold: id(hold) }
}

fn read(pool: &str) -> Ask {
    Ask::ReadPool { pool: pool.to_owned() }
}

fn exchange(hold: u128) -> Ask {
    Ask::Move { hold: id(hold), from: units(&[("a", 1)]), to: units(&[("b", 1)]) }
}

fn give_back(hold: u128) -> Ask {
    Ask::GiveBack { hold: id(hold), part: Some(units(&[("b", 1)])) }
}

fn extend_by(hold: u128, secs: i64) -> Ask {
    Ask::Extend { hold: id(hold), until: None, by_secs: Some(secs) }
}

fn expire_task(task: &str, hold: u128) -> Ask {
    Ask::ExpireTask { task: task.to_owned(), hold: id(hold) }
}

fn charge_task(task: &str) -> Ask {
    Ask::ChargeTask { task: task.to_owned(), purchase: format!("p-{task}"), amount: 5 }
}

/// Everything that changes something, with a key where one is needed.
fn changes() -> Vec<(Ask, Option<&'static str>)> {
    vec![
        (place(9), None),
        (Ask::Extend { hold: id(1), until: Some(instant(1_800_000_040 * SECOND)), by_secs: None }, None),
        (extend_by(1, 9), Some("k")),
        (book(1), None),
        (Ask::Convert { hold: id(1), consume: true, part: Some(units(&[("a", 1)])) }, None),
        (cancel(1), None),
        (exchange(2), Some("k")),
        (give_back(2), Some("k")),
        (adjust("a", 3), Some("k")),
        (put("a", Some(9), None), None),
        (put("a", None, Some(true)), None),
    ]
}

fn has(rule: &str, name: &str, world: World, lie: Lie) {
    let (mut history, mut state) = world.finish();
    lie(&mut history, &mut state);
    let verdict = rules(&history, &state);
    assert!(verdict.count(rule) > 0, "{rule}, {name}: {:#?}", verdict.violations);
}

fn is_clean(name: &str, world: World) {
    let (history, state) = world.finish();
    let verdict = rules(&history, &state);
    assert!(verdict.is_clean(), "{name}: {:#?}", verdict.violations);
}

/// The scene is right by itself, and breaks the rule with its lie.
fn check(rule: &str, name: &str, scene: Scene, lie: Lie) {
    let mut world = opened();
    scene(&mut world);
    is_clean(name, world.clone());
    has(rule, name, world, lie);
}

#[test]
fn what_was_acknowledged_is_there_once() {
    for (ask, key) in changes() {
        let name = format!("{ask:?}");
        let mut right = opened();
        right.ask_with(ask.clone(), key).unwrap();
        right.ask_with(ask.clone(), key).unwrap();
        is_clean(&name, right);

        let mut lost = opened();
        lost.ask_forgotten(ask.clone(), key);
        has("ok-exists", &name, lost, nothing);
    }
}

#[test]
fn what_failed_is_nowhere() {
    for (ask, key) in changes() {
        let name = format!("{ask:?}");
        let mut right = opened();
        right.turn_away(ask.clone(), key, "busy");
        is_clean(&name, right);

        let mut denied = opened();
        denied.ask_denied(ask.clone(), key);
        has("fail-nowhere", &name, denied, nothing);
    }
}

#[test]
fn what_is_unknown_is_settled() {
    for (ask, key) in changes() {
        let name = format!("{ask:?}");
        let mut right = opened();
        right.ask_unheard(ask.clone(), key);
        right.ask(read("a")).unwrap();
        right.ask_with(ask.clone(), key).unwrap();
        is_clean(&name, right);
        let mut never = opened();
        let pending = never.begin(ask.clone(), key);
        never.miss(&pending);
        is_clean(&name, never);

        // It was only asked for when its effect had been seen.
        let mut early = opened();
        early.ask_unheard(ask.clone(), key);
        early.ask(put("b", Some(7), None)).unwrap();
        has("info-settled", &name, early, |history, _| {
            let late: Vec<Entry> = history.drain(history.len() - 4..history.len() - 2).collect();
            history.extend(late);
            renumber(history);
        });
    }
}

#[test]
fn strangers_are_told_that_there_is_nothing() {
    let by_a_stranger: Lie = |history, _| {
        for entry in history.iter_mut().rev().take(2) {
            entry.stranger = true;
        }
    };
    for code in ["not-found", "unavailable", "unreachable"] {
        let mut world = opened();
        world.turn_away(place(9), None, code);
        let (mut history, mut state) = world.finish();
        by_a_stranger(&mut history, &mut state);
        assert!(rules(&history, &state).is_clean(), "{code}");
    }
    let (mut seen, mut refused, mut done) = (opened(), opened(), opened());
    seen.ask(read("a")).unwrap();
    has("strangers", "seen", seen, by_a_stranger);
    refused.ask(place_in(9, "a", 9)).unwrap_err();
    has("strangers", "refused for a reason", refused, by_a_stranger);
    done.ask_unheard(place(9), None);
    has("fail-nowhere", "done", done, by_a_stranger);
}

#[test]
fn instants_are_those_of_the_time() {
    let mut late = opened();
    late.pass_secs(5);
    late.ask(place(9)).unwrap();
    has("clock", "after the answer", late, |_, state| *state.began_at.as_mut().unwrap() -= 2 * SECOND);
    let mut early = opened();
    early.ask_unheard(place(9), None);
    has("clock", "before the question", early, |_, state| *state.began_at.as_mut().unwrap() += 2 * SECOND);
    check(
        "clock",
        "of one event",
        |_| {},
        |_, state| {
            for event in state.events.iter_mut().rev().take(1) {
                event.at += 2 * SECOND;
            }
            state.live = None;
        },
    );
}

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

fn renumber(history: &mut [Entry]) {
    for (index, entry) in (0..).zip(history) {
        (entry.index, entry.time) = (index, index * 1_000);
    }
}

#[test]
fn one_identity_has_one_effect() {
    for (ask, key) in [(exchange(2), "k"), (give_back(2), "k"), (adjust("a", 3), "k"), (extend_by(1, 9), "k")] {
        let name = format!("{ask:?}");
        let again = |world: &mut World, heard: bool| {
            if heard {
                let _ = world.ask_with(ask.clone(), Some(key));
            } else {
                world.ask_unheard(ask.clone(), Some(key));
            }
            world.forget_keys();
        };
        // Twice as much is booked, so that a second time is possible.
        let twice = |first: bool, second: bool| {
            let mut world = World::new();
            for pool in ["a", "b"] {
                world.ask(put(pool, Some(9), None)).unwrap();
            }
            let lines = units(&[("a", 2), ("b", 2)]);
            for hold in [1, 2] {
                let lines = lines.clone();
                world.ask(Ask::Place { hold: id(hold), lines, lifetime_secs: Some(30), owner: None }).unwrap();
            }
            world.ask(book(2)).unwrap();
            again(&mut world, first);
            again(&mut world, second);
            world
        };
        has("done-twice", &name, twice(true, true), nothing);
        has("done-twice", &name, twice(false, false), nothing);
        has("done-twice", &name, twice(true, false), nothing);
    }
    check(
        "done-twice",
        "placed twice",
        |_| {},
        |_, state| {
            let placed = state.events.iter().find(|event| event.body["type"] == "hold_placed").unwrap().body.clone();
            state.events.push(EventSeen { cursor: "99-0".to_owned(), at: state.read_at, body: placed });
        },
    );
}

#[test]
fn the_feed_replays_to_the_final_state() {
    check("replay", "a counter", |_| {}, |_, state| state.pools.get_mut("a").unwrap().held += 1);
    check("replay", "a version", |_| {}, |_, state| state.pools.get_mut("a").unwrap().version += 1);
    check(
        "replay",
        "a state",
        |_| {},
        |_, state| {
            state.holds.get_mut(&id(1)).unwrap().as_mut().unwrap().state = "cancelled".to_owned();
        },
    );
    check("replay", "a version is skipped", |_| {}, |_, state| state.events[0].body["version"] = json!(2));
    check(
        "replay",
        "a hold ends twice",
        |world| drop(world.ask(cancel(1)).unwrap()),
        |_, state| {
            let mut again = state.events.last().unwrap().clone();
            again.cursor = "99-0".to_owned();
            again.body["versions"] = json!([7, 7]);
            state.events.push(again);
            state.live = None;
        },
    );
    check(
        "replay",
        "a pool that nobody tells of",
        |_| {},
        |_, state| {
            let mut pool = state.pools["a"].clone();
            pool.name = "c".to_owned();
            state.pools.insert("c".to_owned(), pool);
        },
    );
    check(
        "all-or-nothing",
        "one pool of two",
        |_| {},
        |_, state| {
            let placed = state.events.iter_mut().find(|event| event.body["type"] == "hold_placed").unwrap();
            placed.body["versions"] = json!([2]);
        },
    );
    check("all-or-nothing", "counters and holds", |_| {}, |_, state| state.pools.get_mut("b").unwrap().booked = 0);

    let mut forgetful = opened();
    forgetful.tamper("a", |pool| pool.held = 0);
    for hold in 10..13 {
        forgetful.ask(place_in(hold, "a", 1)).unwrap();
    }
    has("oversold", "claims are forgotten", forgetful, nothing);
    let mut lowered = opened();
    lowered.ask(put("a", Some(0), None)).unwrap();
    lowered.ask(place_in(10, "a", 1)).unwrap_err();
    lowered.ask(cancel(1)).unwrap();
    is_clean("a total may be lowered below what is promised", lowered);
    let mut closed = opened();
    closed.ask(put("a", None, Some(true))).unwrap();
    closed.tamper("a", |pool| pool.closed = false);
    closed.ask(place_in(10, "a", 1)).unwrap();
    has("replay", "a claim in a closed pool", closed, nothing);
}

#[test]
fn many_holds_expire_together() {
    let mut world = opened();
    world.ask(place(3)).unwrap();
    world.pass_secs(30);
    world.sweep_alone();
    is_clean("one version for all of them", world);
}

#[test]
fn answers_tell_the_versions_of_the_feed() {
    let last_hold: fn(&mut Vec<Entry>) -> &mut crate::torture::history::HoldSeen =
        |history| match &mut history.last_mut().unwrap().answer {
            Some(Answer::Hold { hold, .. }) => hold,
            _ => unreachable!("the scene ends with a hold"),
        };
    let mut world = opened();
    world.ask(cancel(1)).unwrap();
    let (mut history, state) = world.finish();
    *last_hold(&mut history).pool_versions.get_mut("a").unwrap() += 1;
    assert!(rules(&history, &state).count("versions-told") > 0);

    check(
        "versions-told",
        "a pool",
        |world| drop(world.ask_with(adjust("a", 1), Some("k")).unwrap()),
        |history, _| {
            if let Some(Answer::Pool { pool, .. }) = &mut history.last_mut().unwrap().answer {
                pool.held += 1;
            }
        },
    );
}

#[test]
fn what_is_over_comes_first() {
    let two = |world: &mut World| {
        world.ask(place_in(10, "a", 1)).unwrap();
        world.ask(place_in(11, "a", 1)).unwrap();
    };
    check("real-time", "two claims of a pool", two, |history, _| {
        let first: Vec<Entry> = history.drain(history.len() - 4..history.len() - 2).collect();
        history.extend(first);
        renumber(history);
    });
    let seen = |world: &mut World| {
        world.ask(read("a")).unwrap();
        world.ask(place_in(10, "a", 1)).unwrap();
    };
    check("reads", "a read of the past", seen, |history, _| {
        let first: Vec<Entry> = history.drain(history.len() - 4..history.len() - 2).collect();
        history.extend(first);
        renumber(history);
    });
    check("linearizable", "a read of the past", seen, |history, _| {
        let first: Vec<Entry> = history.drain(history.len() - 4..history.len() - 2).collect();
        history.extend(first);
        renumber(history);
    });
    let hold_seen = |world: &mut World| {
        world.ask(Ask::ReadHold { hold: id(1) }).unwrap();
        world.ask(book(1)).unwrap();
    };
    check("reads", "a hold of the past", hold_seen, |history, _| {
        let first: Vec<Entry> = history.drain(history.len() - 4..history.len() - 2).collect();
        history.extend(first);
        renumber(history);
    });
    check(
        "reads",
        "a hold that is gone",
        |world| drop(world.ask(Ask::ReadHold { hold: id(1) }).unwrap()),
        |history, _| {
            history.last_mut().unwrap().answer = Some(Answer::Absent);
        },
    );
    check(
        "reads",
        "counters that never were",
        |world| drop(world.ask(read("a")).unwrap()),
        |history, _| {
            if let Some(Answer::Pool { pool, .. }) = &mut history.last_mut().unwrap().answer {
                pool.booked -= 1;
            }
        },
    );
}

#[test]
fn a_key_has_one_answer() {
    let twice = |world: &mut World| {
        world.ask_with(adjust("a", 1), Some("k")).unwrap();
        world.ask(place_in(10, "a", 1)).unwrap();
        world.ask_with(adjust("a", 1), Some("k")).unwrap();
    };
    check("replies-repeat", "another answer", twice, |history, _| {
        if let Some(Answer::Pool { pool, .. }) = &mut history.last_mut().unwrap().answer {
            pool.total += 1;
        }
    });
    check("replies-repeat", "new twice", twice, |history, _| {
        if let Some(Answer::Pool { replayed, .. }) = &mut history.last_mut().unwrap().answer {
            *replayed = false;
        }
    });
    check("replies-repeat", "refused when it was done", twice, |history, _| {
        let last = history.last_mut().unwrap();
        (last.kind, last.answer, last.error) = (Kind::Fail, None, Some("total-out-of-range".to_owned()));
    });
    check("replies-repeat", "called another", twice, |history, _| {
        let last = history.last_mut().unwrap();
        (last.kind, last.answer, last.error) = (Kind::Fail, None, Some("idempotency-key-reused".to_owned()));
    });
    let other = |world: &mut World| {
        world.ask_with(adjust("a", 1), Some("k")).unwrap();
        world.ask_with(adjust("a", 2), Some("k")).unwrap_err();
    };
    check("replies-repeat", "another request", other, |history, _| {
        history.last_mut().unwrap().error = Some("total-out-of-range".to_owned());
    });
}

#[test]
fn a_hold_is_dead_at_its_expiry() {
    let mut late = opened();
    late.pass_secs(30);
    late.holds.get_mut(&id(1)).unwrap().expires_at += SECOND;
    late.ask(book(1)).unwrap();
    has("expiry", "converted at its expiry", late, nothing);
    let mut early = opened();
    early.pass_secs(29);
    early.holds.get_mut(&id(1)).unwrap().expires_at -= SECOND;
    early.sweep_alone();
    has("expiry", "expired before its time", early, nothing);
    let mut in_time = opened();
    in_time.pass_secs(29);
    in_time.ask(book(1)).unwrap();
    is_clean("a moment before", in_time);
    check(
        "expiry",
        "shortened",
        |world| drop(world.ask_with(extend_by(1, 9), Some("k")).unwrap()),
        |_, state| {
            state.events.last_mut().unwrap().body["expires_at"] = json!(instant(1_800_000_029 * SECOND));
        },
    );
    let seen = |world: &mut World| {
        world.ask(Ask::ReadHold { hold: id(1) }).unwrap();
        world.ask(book(1)).unwrap();
    };
    check("expiry", "seen dead and alive later", seen, |history, _| {
        let place = history.len() - 3;
        if let Some(Answer::Hold { hold, .. }) = &mut history[place].answer {
            (hold.state, hold.ended_at) = ("expired".to_owned(), Some(hold.expires_at));
        }
    });
}

#[test]
fn refusals_have_a_reason() {
    let refused = |ask: Ask, code: &str| {
        let mut world = opened();
        world.turn_away(ask.clone(), None, code);
        has("refusals", &format!("{code} {ask:?}"), world, nothing);
    };
    refused(place_in(10, "a", 2), "sold-out");
    refused(place(10), "sold-out");
    refused(place(10), "pool-closed");
    refused(book(1), "hold-ended");
    refused(cancel(1), "hold-not-found");
    refused(
        Ask::PutPool { pool: "a".to_owned(), total: None, closed: Some(true), expected_version: Some(4) },
        "pool-version",
    );

    let mut full = opened();
    full.ask(place_in(10, "a", 2)).unwrap();
    full.ask(place(11)).unwrap_err();
    full.ask(put("b", None, Some(true))).unwrap();
    full.ask(place(11)).unwrap_err();
    full.ask(book(2)).unwrap();
    full.ask(cancel(2)).unwrap_err();
    full.ask(cancel(77)).unwrap_err();
    is_clean("with a reason", full);

    // It had lapsed: that it was not swept is no reason.
    let mut lapsed = opened();
    lapsed.ask(place_in(10, "b", 2)).unwrap();
    lapsed.pass_secs(30);
    lapsed.ask(put("b", Some(5), None)).unwrap();
    lapsed.turn_away(place_in(11, "b", 3), None, "sold-out");
    has("refusals", "lapsed holds count", lapsed, nothing);
    let mut alone = opened();
    alone.turn_away(place_in(10, "a", 2), None, "sold-out");
    has("linearizable", "refused without a reason", alone, nothing);
}

#[test]
fn the_feed_keeps_its_order() {
    check("feed", "a live reader misses one", |_| {}, |_, state| drop(state.live.as_mut().unwrap().remove(1)));
    check(
        "feed",
        "a live reader is told twice",
        |_| {},
        |_, state| {
            let live = state.live.as_mut().unwrap();
            live.push(live.last().unwrap().clone());
        },
    );
    check(
        "feed",
        "a live reader is told another",
        |_| {},
        |_, state| {
            state.live.as_mut().unwrap()[0].body["versions"] = json!([9, 9]);
        },
    );
    check("feed", "the feed forgets", |_| {}, |_, state| drop(state.events.pop()));
    check("feed", "the clock goes back", |_| {}, |_, state| state.events.last_mut().unwrap().at -= 1);
    check("feed", "a place is missing", |_| {}, |_, state| state.events.last_mut().unwrap().cursor = "5-1".to_owned());
    check("feed", "unreadable", |_| {}, |_, state| state.events[0].body["version"] = json!("one"));
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
fn what_is_no_history_is_noticed() {
    check(
        "history",
        "an answer without a question",
        |_| {},
        |history, _| {
            history.remove(0);
            renumber(history);
        },
    );
    check("history", "an entry is missing", |_| {}, |history, _| drop(history.remove(4)));
    check("history", "another question", |_| {}, |history, _| history[1].ask = read("a"));
    check("history", "an ok that says nothing", |_| {}, |history, _| history[1].answer = None);
    check("history", "the clock goes back", |_| {}, |history, _| history[3].time = 0);
    check(
        "defect-answers",
        "a defect",
        |world| world.turn_away(place(20), None, "busy"),
        |history, _| {
            history.last_mut().unwrap().error = Some("defect".to_owned());
        },
    );
    check(
        "converged",
        "a hold that nobody sweeps",
        |_| {},
        |_, state| {
            let seen = state.holds.get_mut(&id(1)).unwrap().as_mut().unwrap();
            (seen.state, seen.ended_at) = ("expired".to_owned(), Some(seen.expires_at));
        },
    );
}
