//! What may not run at the same time, and what waits for something else.

use super::desk::check;

#[test]
fn one_operation_of_an_aggregate_at_a_time() {
    let two =
        "ask pay:a aggregate:p; ask pay:b aggregate:p; ask book:c aggregate:p; ask pay:d aggregate:q; start pay:a";
    check(&format!("{two}; start pay:b by:2"), "locked by PAY a");
    check(&format!("{two}; run book:c"), "locked by PAY a");
    check(&format!("{two}; run book:c; show book:c"), "PENDING 1 generation 1 attempts 0 due now");
    check(&format!("{two}; start pay:d by:2"), "call step 0 key 1 lease 1");
    for end in [
        "tell pay:a confirmed",
        "tell pay:a rejected",
        "tell pay:a unanswered",
        "tell pay:a notdone:90",
        "tell pay:a released:90",
        "stuck pay:a silent",
    ] {
        check(&format!("{two}; {end}; start pay:b by:2"), "call step 0 key 1 lease 1");
        check(&format!("{two}; {end}; run book:c"), "done");
    }
    // Somebody may be waiting for the lock: whoever gives it back says so.
    for end in ["tell pay:a confirmed", "tell pay:a unanswered", "tell pay:a released:90"] {
        check(&format!("{two}; {end}; wake"), "now");
    }
    check("ask pay:a; start pay:a; tell pay:a released:90; wake", "+90s");
    // State operations take no lock: they are over before anybody can look.
    check(&format!("{two}; tell pay:a confirmed; run book:c; start pay:b"), "call step 0 key 1 lease 1");
    // A lock that was lost with its lease is not given back by the one who lost it.
    let taken = format!("{two}; stuck pay:a silent; start pay:b by:2");
    check(&format!("{taken}; try tell pay:a confirmed; clock 5; start pay:a"), "locked by PAY b");
    // Between steps, and for newer content, nobody else comes in but at the end.
    let trip = "ask trip:a aggregate:p; ask pay:b aggregate:p; start trip:a; tell trip:a confirmed";
    check(&format!("{trip}; start pay:b"), "locked by TRIP a");
    let rerun = "ask sync:a aggregate:p; ask pay:b aggregate:p; start sync:a; ask sync:a 2; tell sync:a confirmed";
    check(&format!("{rerun}; start pay:b"), "call step 0 key 1 lease 1");
}

#[test]
fn after_another() {
    let parked = "ask pay:a; ask pay:b after:pay:a";
    let waits = "PENDING 1 generation 1 attempts 0 due parked waiting on: PAY a ended";
    check(&format!("{parked}; show pay:b"), waits);
    check(&format!("{parked}; start pay:b"), "not due");
    check(&format!("{parked}; ask pay:b; show pay:b"), waits);
    check(&format!("{parked}; try hasten pay:b"), "operation PAY b is PENDING");
    check(&format!("{parked}; start pay:a; tell pay:a unanswered; show pay:b"), waits);
    let free = "PENDING 1 generation 1 attempts 0 due now";
    for end in ["start pay:a; tell pay:a confirmed", "start pay:a permanent", "cancel pay:a"] {
        check(&format!("{parked}; {end}; show pay:b"), free);
        check(&format!("{parked}; {end}; wake"), "now");
        check(&format!("{parked}; ask pay:c after:pay:a; {end}; show pay:c"), free);
    }
    // What has ended, or was never asked for, is not waited for; nor does anything wait for itself.
    check("ask pay:a; cancel pay:a; ask pay:b after:pay:a; show pay:b", free);
    check("ask pay:b after:pay:a; show pay:b", free);
    check("ask pay:b after:pay:b; show pay:b", free);
    // A chain goes on link by link.
    check(
        "ask pay:a; ask pay:b after:pay:a; ask pay:c after:pay:b; cancel pay:a; show pay:c",
        &waits.replace("PAY a", "PAY b"),
    );
    // Cancelled and begun anew meanwhile, it is no longer what was parked.
    let anew = "cancel pay:b; redrive pay:b; start pay:b; tell pay:b notdone:90";
    check(
        &format!("{parked}; {anew}; cancel pay:a; show pay:b"),
        "FAILED 1 generation 2 attempts 1 due +90s (resolved cancelled)",
    );
    check(
        &format!("{parked}; cancel pay:b; cancel pay:a; show pay:b"),
        "DEAD_LETTER 1 generation 1 attempts 0 (resolved cancelled)",
    );
    // Done once more for newer content, it has not ended yet.
    let rerun = "ask sync:a; ask pay:b after:sync:a; start sync:a; ask sync:a 2; tell sync:a confirmed";
    check(&format!("{rerun}; start pay:b"), "not due");
    check(&format!("{rerun}; start sync:a; tell sync:a confirmed; show pay:b"), free);
}
