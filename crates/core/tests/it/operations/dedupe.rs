//! What becomes of a request for an operation that exists: every cell of the table.

use super::desk::check;

const PENDING: &str = "ask KIND:a 1 in:60";
const FAILED: &str = "ask KIND:a 1; ACT KIND:a retry";
const SUCCEEDED: &str = "ask KIND:a 1; DO";
const DEAD: &str = "ask KIND:a 1; ACT KIND:a permanent";

/// How the type gets from `existing` to what is asked next, and what is there afterwards.
#[track_caller]
fn check_cell(kind: &str, existing: &str, ask: &str, answer: &str, after: &str) {
    let (act, done) = match kind {
        "book" | "count" => ("run", format!("run {kind}:a")),
        _ => ("start", format!("start {kind}:a; tell {kind}:a confirmed")),
    };
    let scenario = existing.replace("DO", &done).replace("ACT", act).replace("KIND", kind);
    check(&format!("{scenario}; {}", ask.replace("KIND", kind)), answer);
    check(&format!("{scenario}; try {}; show {kind}:a", ask.replace("KIND", kind)), after);
}

const SAME: &str = "ask KIND:a 1";
const OTHER: &str = "ask KIND:a 2";

#[test]
fn once() {
    for kind in ["book", "pay"] {
        check_cell(kind, "show KIND:a", SAME, "enqueued", "PENDING 1 generation 1 attempts 0 due now");
        check_cell(kind, PENDING, SAME, "again: joined", "PENDING 1 generation 1 attempts 0 due now");
        check_cell(kind, FAILED, SAME, "again: joined", "FAILED 1 generation 1 attempts 1 due +10s");
        check_cell(kind, SUCCEEDED, SAME, "again: done \"did 1\"", "SUCCEEDED 1 generation 1 attempts 0 \"did 1\"");
        check_cell(kind, DEAD, SAME, "again: dead wrong: never", "DEAD_LETTER 1 generation 1 attempts 1 (wrong)");
        let conflict = format!("operation {} a exists with other content", kind.to_uppercase());
        check_cell(kind, PENDING, OTHER, &conflict, "PENDING 1 generation 1 attempts 0 due +60s");
        check_cell(kind, FAILED, OTHER, &conflict, "FAILED 1 generation 1 attempts 1 due +10s");
        check_cell(kind, SUCCEEDED, OTHER, &conflict, "SUCCEEDED 1 generation 1 attempts 0 \"did 1\"");
        check_cell(kind, DEAD, OTHER, &conflict, "DEAD_LETTER 1 generation 1 attempts 1 (wrong)");
    }
    let running = "ask KIND:a 1; start KIND:a";
    check_cell("pay", running, SAME, "again: joined", "RUNNING 1 generation 1 attempts 0 due now");
    let conflict = "operation PAY a exists with other content";
    check_cell("pay", running, OTHER, conflict, "RUNNING 1 generation 1 attempts 0 due now");
}

#[test]
fn latest() {
    for kind in ["count", "sync"] {
        check_cell(kind, "show KIND:a", SAME, "enqueued", "PENDING 1 generation 1 attempts 0 due now");
        for (ask, content) in [(SAME, 1), (OTHER, 2)] {
            let after = |text: &str| text.replace('#', &content.to_string());
            check_cell(kind, PENDING, ask, "again: joined", &after("PENDING # generation 1 attempts 0 due now"));
            check_cell(kind, FAILED, ask, "again: joined", &after("FAILED # generation 1 attempts 1 due +10s"));
            check_cell(kind, SUCCEEDED, ask, "enqueued", &after("PENDING # generation 2 attempts 0 due now"));
            let redriven = after("PENDING # generation 2 attempts 0 due now (resolved wrong)");
            check_cell(kind, DEAD, ask, "enqueued", &redriven);
        }
    }
    let running = "ask KIND:a 1; start KIND:a";
    for (ask, content) in [(SAME, 1), (OTHER, 2)] {
        let after = format!("RUNNING {content} generation 1 attempts 0 due now rerun");
        check_cell("sync", running, ask, "again: joined", &after);
    }
    // What was sent and came back with trouble is finished as it was begun, and done again after that.
    let begun = "ask KIND:a 1; start KIND:a; tell KIND:a unanswered";
    check_cell("sync", begun, OTHER, "again: joined", "FAILED 2 generation 1 attempts 1 due +10s rerun");
}

#[test]
fn newer_content_runs_once_more() {
    let rerun = "ask sync:a 1; start sync:a; ask sync:a 2; ask sync:a 3; tell sync:a confirmed";
    check(rerun, "done");
    check(&format!("{rerun}; show sync:a"), "PENDING 3 generation 2 attempts 0 due now");
    check(&format!("{rerun}; wake"), "now");
    check(&format!("{rerun}; start sync:a"), "call step 0 key 2 lease 3");
    check(
        &format!("{rerun}; start sync:a; tell sync:a confirmed; show sync:a"),
        "SUCCEEDED 3 generation 2 attempts 0 \"did 3\"",
    );
    // Somebody who hurried it along has not begun it.
    check("ask sync:a 1 in:60; hasten sync:a; ask sync:a 2; show sync:a", "PENDING 2 generation 1 attempts 0 due now");
}

#[test]
fn earlier_and_later() {
    check("ask pay:a 1 in:60; ask pay:a 1 in:20; show pay:a", "PENDING 1 generation 1 attempts 0 due +20s");
    check("ask pay:a 1 in:60; ask pay:a 1 in:90; show pay:a", "PENDING 1 generation 1 attempts 0 due +60s");
    check("ask pay:a 1 in:-60; show pay:a", "PENDING 1 generation 1 attempts 0 due now");
    check("ask pay:a 1 in:60; wake", "+60s");
    check("ask pay:a 1 in:60; ask pay:a 1 in:20; wake", "+20s");
    check("ask pay:a 1 in:60; start pay:a", "due +60s");
    check("ask book:a 1 in:60; run book:a", "due +60s");
    // The same thing twice in one list is one thing.
    check("ask pay:a 1 about:7 about:7 about:8", "enqueued");
}
