#![allow(clippy::arithmetic_side_effects, reason = "a test that overflows has failed, as it should")]

use std::collections::BTreeMap;

use proptest::prelude::*;

use super::*;

const POLICY: BreakerPolicy = BreakerPolicy { failures_max: 3, open_secs: 10, open_secs_max: 35, probe_secs_max: 60 };

fn at(secs: i64) -> Timestamp {
    Timestamp::from_millis(secs * 1_000)
}

fn secs(instant: Timestamp) -> i64 {
    instant.micros() / 1_000_000
}

/// Runs a script over one breaker and tells what each step did. `12 admit a` asks for a ticket named `a`; `12 ok a`,
/// `12 fail a` and `12 drop a` hand it back.
fn play(policy: BreakerPolicy, script: &str) -> String {
    let mut breaker = Breaker::new(policy);
    let mut tickets: BTreeMap<String, Ticket> = BTreeMap::new();
    let mut told = Vec::new();
    for step in script.split(';') {
        let words: Vec<&str> = step.split_whitespace().collect();
        let [now, verb, name] = words.as_slice() else { panic!("{step:?} is no step") };
        let now = at(now.parse().unwrap());
        let mut spend = || tickets.remove(*name).expect("the script has this ticket");
        match *verb {
            "admit" => {
                let (word, ticket) = match breaker.admit(now) {
                    Admission::Go(ticket) => ("go".to_owned(), Some(ticket)),
                    Admission::Probe(ticket) => ("probe".to_owned(), Some(ticket)),
                    Admission::Wait { until } => (format!("wait {}", secs(until)), None),
                };
                tickets.extend(ticket.map(|ticket| ((*name).to_owned(), ticket)));
                told.push(word);
                continue;
            }
            "ok" => breaker.succeeded(spend()),
            "fail" => breaker.failed(spend(), now),
            "drop" => breaker.abandoned(spend()),
            other => panic!("{other:?} is no verb"),
        }
        told.push(match breaker.standing() {
            Standing::Closed { failures } => format!("closed {failures}"),
            Standing::Open { until } => format!("open {}", secs(until)),
            Standing::Probing { until } => format!("probing {}", secs(until)),
        });
    }
    told.join("; ")
}

#[track_caller]
fn check(script: &str, expected: &str) {
    assert_eq!(play(POLICY, script), expected, "{script}");
}

const OPENED: &str = "0 admit a; 0 admit b; 0 admit c; 0 fail a; 0 fail b; 0 fail c";
const OPENED_TOLD: &str = "go; go; go; closed 1; closed 2; open 10";

#[track_caller]
fn check_opened(script: &str, expected: &str) {
    check(&format!("{OPENED}; {script}"), &format!("{OPENED_TOLD}; {expected}"));
}

#[test]
fn opens_after_failures_in_a_row() {
    check("0 admit a; 0 ok a", "go; closed 0");
    check(
        "0 admit a; 0 admit b; 0 admit c; 1 fail a; 2 fail b; 3 fail c; 3 admit d",
        "go; go; go; closed 1; closed 2; open 13; wait 13",
    );
    // One success starts the count afresh; a call that was not made does not.
    check(
        "0 admit a; 0 admit b; 0 admit c; 0 admit d; 0 admit e; 0 fail a; 0 fail b; 0 ok c; 0 fail d; 0 drop e",
        "go; go; go; go; go; closed 1; closed 2; closed 0; closed 1; closed 1",
    );
}

#[test]
fn one_probe_at_a_time() {
    check_opened("9 admit d; 10 admit d; 10 admit e; 12 admit e", "wait 10; probe; wait 70; wait 70");
}

#[test]
fn the_probe_decides() {
    check_opened("10 admit d; 11 ok d; 11 admit e; 11 admit f", "probe; closed 0; go; go");
    // Doubled with each failed probe, up to the longest time, and short again after it was closed.
    check_opened(
        "10 admit d; 11 fail d; 30 admit e; 31 admit e; 31 fail e; 66 admit f; 66 fail f; 101 admit g; 101 ok g",
        "probe; open 31; wait 31; probe; open 66; probe; open 101; probe; closed 0",
    );
    check_opened(
        "10 admit d; 11 fail d; 31 admit e; 32 ok e; 33 admit f; 33 admit g; 33 admit h; 33 fail f; 33 fail g; 33 fail h",
        "probe; open 31; probe; closed 0; go; go; go; closed 1; closed 2; open 43",
    );
}

#[test]
fn a_probe_that_was_not_made_is_given_to_the_next() {
    check_opened("10 admit d; 11 drop d; 11 admit e; 11 admit f; 12 fail e", "probe; open 10; probe; wait 71; open 32");
}

#[test]
fn a_lost_probe_is_replaced() {
    check_opened(
        "10 admit d; 69 admit e; 70 admit e; 71 ok d; 71 admit f; 72 ok e",
        "probe; wait 70; probe; probing 130; wait 130; closed 0",
    );
}

#[test]
fn late_results_change_nothing() {
    let late = "0 admit x; 0 admit y; 0 admit z";
    for (script, expected) in [
        // While open.
        ("5 ok x; 6 fail y; 7 drop z", "open 10; open 10; open 10"),
        // While a probe is on its way.
        ("10 admit d; 11 ok x; 12 fail y; 13 drop z; 14 ok d", "probe; probing 70; probing 70; probing 70; closed 0"),
        // After it was closed again.
        (
            "10 admit d; 11 ok d; 12 admit e; 12 fail e; 13 ok x; 13 fail y; 13 drop z",
            "probe; closed 0; go; closed 1; closed 1; closed 1; closed 1",
        ),
        // After the probe was given back and another one was made.
        (
            "10 admit d; 11 drop d; 12 admit e; 13 ok x; 13 fail y; 14 fail e",
            "probe; open 10; probe; probing 72; probing 72; open 34",
        ),
    ] {
        check(&format!("{late}; {OPENED}; {script}"), &format!("go; go; go; {OPENED_TOLD}; {expected}"));
    }
}

#[test]
fn policies_at_the_edge() {
    let nothing = BreakerPolicy { failures_max: 0, open_secs: 0, open_secs_max: 0, probe_secs_max: 60 };
    assert_eq!(play(nothing, "0 admit a; 0 fail a; 0 admit b; 0 admit c"), "go; open 0; probe; wait 60");
    let capped_at_once = BreakerPolicy { failures_max: 1, open_secs: 50, open_secs_max: 20, probe_secs_max: 60 };
    assert_eq!(play(capped_at_once, "0 admit a; 0 fail a; 20 admit b; 20 fail b"), "go; open 20; probe; open 40");
    let long = u32::MAX;
    let endless = BreakerPolicy { failures_max: 1, open_secs: long, open_secs_max: long, probe_secs_max: long };
    let mut breaker = Breaker::new(endless);
    let end = Timestamp::from_micros(i64::MAX);
    let Admission::Go(ticket) = breaker.admit(end) else { panic!("it starts closed") };
    breaker.failed(ticket, end);
    let Admission::Probe(ticket) = breaker.admit(end) else { panic!("its time cannot last beyond the last instant") };
    breaker.failed(ticket, end);
    assert_eq!(breaker.standing(), Standing::Open { until: end });
}

#[derive(Clone, Copy, Debug)]
enum Outcome {
    Succeeded,
    Failed,
    Abandoned,
}

#[derive(Clone, Copy, Debug)]
enum Step {
    Pass { secs: i64 },
    Admit,
    Report { which: prop::sample::Index, outcome: Outcome },
}

fn steps() -> impl Strategy<Value = Vec<Step>> {
    let outcome = prop_oneof![1 => Just(Outcome::Succeeded), 3 => Just(Outcome::Failed), 1 => Just(Outcome::Abandoned)];
    let step = prop_oneof![
        1 => (0_i64..15).prop_map(|secs| Step::Pass { secs }),
        2 => Just(Step::Admit),
        2 => (any::<prop::sample::Index>(), outcome).prop_map(|(which, outcome)| Step::Report { which, outcome }),
    ];
    prop::collection::vec(step, 1..120)
}

/// A call on its way, as its caller knows it.
struct Call {
    ticket: Ticket,
    /// When it was admitted, if as a probe.
    probe_since: Option<i64>,
}

proptest! {
    #[test]
    fn never_two_probes(steps in steps()) {
        let mut breaker = Breaker::new(POLICY);
        let mut now = 0_i64;
        let mut calls: Vec<Call> = Vec::new();
        for step in steps {
            match step {
                Step::Pass { secs } => now += secs,
                Step::Admit => {
                    let before = breaker.standing();
                    match breaker.admit(at(now)) {
                        Admission::Go(ticket) => {
                            prop_assert!(matches!(before, Standing::Closed { .. }), "not closed, yet not a probe");
                            calls.push(Call { ticket, probe_since: None });
                        }
                        Admission::Probe(ticket) => {
                            let lost_since = now - i64::from(POLICY.probe_secs_max);
                            let on_their_way = calls.iter().filter_map(|call| call.probe_since);
                            prop_assert!(on_their_way.into_iter().all(|since| since <= lost_since));
                            calls.push(Call { ticket, probe_since: Some(now) });
                        }
                        Admission::Wait { until } => {
                            prop_assert!(at(now) < until);
                            prop_assert_eq!(breaker.standing(), before);
                        }
                    }
                }
                Step::Report { which, outcome } if !calls.is_empty() => {
                    let call = calls.swap_remove(which.index(calls.len()));
                    let (before, probed) = (breaker.standing(), call.probe_since.is_some());
                    match outcome {
                        Outcome::Succeeded => breaker.succeeded(call.ticket),
                        Outcome::Failed => breaker.failed(call.ticket, at(now)),
                        Outcome::Abandoned => breaker.abandoned(call.ticket),
                    }
                    let closed = |standing| matches!(standing, Standing::Closed { .. });
                    let good_probe = probed && matches!(outcome, Outcome::Succeeded);
                    prop_assert!(closed(before) || !closed(breaker.standing()) || good_probe, "closed by a late result");
                }
                Step::Report { .. } => {}
            }
        }
    }
}
