//! How an attempt ends: again later, without cost, never, or not at all because the worker is gone.

use super::desk::{Desk, check};

#[test]
fn retries() {
    for (act, kind) in [("run", "book"), ("start", "pay")] {
        let rows = [
            ("KIND:a retry", "busy: try later", "FAILED 1 generation 1 attempts 1 due +10s"),
            ("KIND:a retry:5", "busy: try later", "FAILED 1 generation 1 attempts 1 due +10s"),
            ("KIND:a retry:90", "busy: try later", "FAILED 1 generation 1 attempts 1 due +90s"),
            ("KIND:a retry:999999", "busy: try later", "FAILED 1 generation 1 attempts 1 due +86400s"),
            ("KIND:a permanent", "wrong: never", "DEAD_LETTER 1 generation 1 attempts 1 (wrong)"),
            (
                "KIND:a wait",
                "waiting on: order 1 paid",
                "PENDING 1 generation 1 attempts 0 due +30s waiting on: order 1 paid",
            ),
            (
                "KIND:a wait:7",
                "waiting on: order 1 paid",
                "PENDING 1 generation 1 attempts 0 due +7s waiting on: order 1 paid",
            ),
        ];
        for (said, answer, after) in rows {
            let said = format!("{act} {}", said.replace("KIND", kind));
            check(&format!("ask {kind}:a; {said}"), answer);
            check(&format!("ask {kind}:a; {said}; show {kind}:a"), after);
        }
        let fail = format!("{act} {kind}:a retry");
        let twice = format!("ask {kind}:a; {fail}; clock 10; {fail}");
        check(&format!("{twice}; show {kind}:a"), "FAILED 1 generation 1 attempts 2 due +100s");
        check(&format!("{twice}; wake"), "+100s");
        // The third was the last: no pause, and the dead letter says why.
        let thrice = format!("{twice}; clock 100; {fail}");
        check(&format!("{thrice}; show {kind}:a"), "DEAD_LETTER 1 generation 1 attempts 3 (attempts-exhausted)");
        check(&format!("{thrice}; news"), "died a 1 attempts-exhausted");
        check(&format!("{thrice}; wake"), "nothing");
        check(&format!("{thrice}; log {kind}:a"), "1 failed, 2 failed, 3 refused");
        // Waiting costs nothing, however often, and is forgotten when it is over.
        let waits = vec![format!("{act} {kind}:a wait; clock 30"); 10].join("; ");
        check(&format!("ask {kind}:a; {waits}; {fail}; show {kind}:a"), "FAILED 1 generation 1 attempts 1 due +10s");
    }
    check("ask book:a; run book:a retry; run book:a", "due +10s");
    check("ask book:a; run book:a; run book:a", "ended");
    check("run book:a", "ended");
    check("ask book:a; run book:a; log book:a", "");
}

#[test]
fn what_came_of_a_call() {
    let rows = [
        ("confirmed", "done", "SUCCEEDED 1 generation 1 attempts 0 \"did 1\"", "CONFIRMED key 1"),
        ("rejected", "dead", "DEAD_LETTER 1 generation 1 attempts 0 (e)", "REJECTED key 1"),
        ("rejected declined", "done", "SUCCEEDED 1 generation 1 attempts 0 \"declined\"", "REJECTED key 1"),
        ("notdone", "later", "FAILED 1 generation 1 attempts 1 due +10s", "INTENT key 1"),
        ("notdone:90", "later", "FAILED 1 generation 1 attempts 1 due +90s", "INTENT key 1"),
        ("unanswered", "later", "FAILED 1 generation 1 attempts 1 due +10s", "INTENT unanswered key 1"),
        ("kept", "later", "FAILED 1 generation 1 attempts 1 due +10s", "INTENT error_kept key 1"),
        ("released:7", "later", "PENDING 1 generation 1 attempts 0 due +7s", "INTENT key 1"),
        // The result stands even if what follows does not work.
        ("confirmed retry", "later", "FAILED 1 generation 1 attempts 1 due +10s", "CONFIRMED key 1"),
        (
            "confirmed wait",
            "later",
            "PENDING 1 generation 1 attempts 0 due +30s waiting on: order 1 paid",
            "CONFIRMED key 1",
        ),
        ("confirmed permanent", "dead", "DEAD_LETTER 1 generation 1 attempts 1 (wrong)", "CONFIRMED key 1"),
        ("rejected permanent", "dead", "DEAD_LETTER 1 generation 1 attempts 1 (wrong)", "REJECTED key 1"),
    ];
    for (told, answer, after, effects) in rows {
        let begun = format!("ask pay:a; start pay:a; tell pay:a {told}");
        check(&begun, answer);
        check(&format!("{begun}; show pay:a"), after);
        check(&format!("{begun}; effects pay:a"), effects);
        check(&format!("{begun}; try tell pay:a confirmed"), "the lease of PAY a was lost");
    }
    check("ask pay:a; start pay:a; show pay:a", "RUNNING 1 generation 1 attempts 0 due now");
    check("ask pay:a; start pay:a; effects pay:a", "INTENT unanswered key 1");
    check("ask pay:a; start pay:a; start pay:a by:2", "running");
    check("ask pay:a content; start pay:a content", "done");
}

/// Whoever comes next: the same key, a new one, a question first, or nothing at all.
#[test]
fn the_next_attempt() {
    let rows = [
        // (type, what came of the first, how much later, what happens, if it is asked and absent)
        ("pay", "notdone", 10, "call step 0 key 1 lease 2", ""),
        ("pay", "released:5", 5, "call step 0 key 1 lease 2", ""),
        ("pay", "unanswered", 10, "probe step 0 key 1 lease 2", "call step 0 key 1 lease 2"),
        ("pay", "unanswered", 90_000, "probe step 0 key 1 lease 2", "call step 0 key 1 lease 2"),
        ("pay", "kept", 10, "probe step 0 key 1 lease 2", "call step 0 key 2 lease 2"),
        ("blind", "notdone", 90_000, "call step 0 key 1 lease 2", ""),
        ("blind", "unanswered", 10, "call step 0 key 1 lease 2", ""),
        ("blind", "unanswered", 23 * 3_600 - 1, "call step 0 key 1 lease 2", ""),
        ("blind", "unanswered", 23 * 3_600, "undecidable", ""),
        ("blind", "kept", 10, "undecidable", ""),
        ("plain", "notdone", 10, "call step 0 key 1 lease 2", ""),
        ("plain", "unanswered", 10, "probe step 0 key 1 lease 2", "call step 0 key 1 lease 2"),
    ];
    for (kind, told, secs, next, absent) in rows {
        let again = format!("ask {kind}:a; start {kind}:a; tell {kind}:a {told}; clock {secs}; start {kind}:a");
        check(&again, next);
        if !absent.is_empty() {
            check(&format!("{again}; tell {kind}:a absent"), absent);
            check(&format!("{again}; tell {kind}:a confirmed; effects {kind}:a"), "CONFIRMED key 1");
            check(
                &format!("{again}; tell {kind}:a notasked; show {kind}:a"),
                "FAILED 1 generation 1 attempts 2 due +100s",
            );
            check(
                &format!("{again}; tell {kind}:a undecidable; show {kind}:a"),
                "DEAD_LETTER 1 generation 1 attempts 1 (effect-unknown)",
            );
        }
    }
    // Asked and sent again without effect, it is asked about again.
    let absent = "ask pay:a; start pay:a; tell pay:a unanswered; clock 10; start pay:a; tell pay:a absent";
    for told in ["notdone", "released:5", "unanswered"] {
        check(&format!("{absent}; tell pay:a {told}; clock 100; start pay:a"), "probe step 0 key 1 lease 3");
    }
    // Nothing is called done while something may have happened.
    let unanswered = "ask pay:a; start pay:a; tell pay:a unanswered; clock 10; start pay:a content";
    check(unanswered, "probe step 0 key 1 lease 2");
    check("ask pay:a; start pay:a; tell pay:a notdone; clock 10; start pay:a content", "done");
}

#[test]
fn steps() {
    let first = "ask trip:a; start trip:a; tell trip:a confirmed";
    check(first, "call step 1 key 1 lease 1");
    check(&format!("{first}; effects trip:a"), "CONFIRMED key 1, INTENT unanswered key 1");
    check(&format!("{first}; tell trip:a confirmed; show trip:a"), "SUCCEEDED 1 generation 1 attempts 0 \"did 1\"");
    check(&format!("{first}; tell trip:a notdone; clock 10; start trip:a"), "call step 1 key 1 lease 2");
    check(&format!("{first}; tell trip:a rejected; show trip:a"), "DEAD_LETTER 1 generation 1 attempts 0 (e)");
}

#[test]
fn lost_leases() {
    let lost = "stuck pay:a silent; clock 5; start pay:a";
    let begun = "ask pay:a; start pay:a";
    check(&format!("{begun}; stuck pay:a expired"), "requeued");
    check(&format!("{begun}; stuck pay:a silent; show pay:a"), "PENDING 1 generation 1 attempts 0 due soon lost");
    check(&format!("{begun}; stuck pay:a silent; wake"), "soon");
    check(&format!("{begun}; {lost}"), "probe step 0 key 1 lease 2");
    check(&format!("{begun}; {lost}; tell pay:a confirmed lease:1"), "the lease of PAY a was lost");
    check(&format!("{begun}; {lost}; try tell pay:a confirmed lease:1; tell pay:a confirmed"), "done");
    // Noticed twice, or too late, it is done once.
    check(&format!("{begun}; {lost}; stuck pay:a silent lease:1"), "again: requeued");
    check(&format!("{begun}; tell pay:a unanswered; stuck pay:a expired lease:1"), "none");
    check(&format!("{begun}; tell pay:a confirmed; stuck pay:a expired lease:1"), "none");
    check(&format!("{begun}; stuck pay:a expired lease:7; show pay:a"), "RUNNING 1 generation 1 attempts 0 due now");
    // Three are too many.
    let thrice = format!("{begun}; {lost}; {lost}; stuck pay:a silent");
    check(&thrice, "dead-lettered");
    check(&format!("{thrice}; show pay:a"), "DEAD_LETTER 1 generation 1 attempts 0 (quarantined)");
    check(&format!("{thrice}; effects pay:a"), "UNKNOWN unanswered key 1");
    check(&format!("{thrice}; log pay:a"), "1 lost, 2 lost, 3 lost");
    check(&format!("{thrice}; case unknown pay:a"), "open reports 1");
}

#[test]
fn overdue() {
    let told = "ask pay:a; clock 3600; stuck pay:a overdue";
    check(told, "case-opened");
    check(&format!("{told}; show pay:a"), "PENDING 1 generation 1 attempts 0 due -3600s told");
    check(&format!("{told}; case stuck pay:a"), "open reports 1");
    check(&format!("{told}; stuck pay:a overdue; case stuck pay:a"), "open reports 1");
    // Noticed again after something has happened, it has been told.
    check(&format!("{told}; start pay:a; tell pay:a unanswered; stuck pay:a overdue"), "none");
    check(&format!("{told}; start pay:a; tell pay:a confirmed; stuck pay:a overdue lease:1"), "none");
    // Done anew, it can take too long anew, and somebody hears of it.
    let anew = "ask count:a; stuck count:a overdue; run count:a; ask count:a; stuck count:a overdue";
    check(anew, "case-opened");
    check(&format!("{anew}; case stuck count:a"), "open reports 2");
    let rerun = "ask sync:a; stuck sync:a overdue; start sync:a; ask sync:a 2; clock 9; tell sync:a confirmed";
    check(&format!("{rerun}; show sync:a"), "PENDING 2 generation 2 attempts 0 due now");
    check(&format!("{rerun}; stuck sync:a overdue"), "case-opened");
}

/// However long its key is, it is found again.
#[test]
fn a_long_key_is_recovered() {
    let long = "x".repeat(400);
    let mut desk = Desk::new();
    assert_eq!(desk.play(&format!("ask pay:{long}; start pay:{long}; stuck pay:{long} expired")), "requeued");
    assert_eq!(desk.play(&format!("clock 5; start pay:{long}; stuck pay:{long} expired")), "requeued");
    assert_eq!(desk.play(&format!("clock 5; start pay:{long}; stuck pay:{long} expired")), "dead-lettered");
}
