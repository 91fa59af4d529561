//! What people do about operations, and about cases.

use super::desk::check;

const EXHAUSTED: &str = "ask pay:a; start pay:a; tell pay:a unanswered; clock 10; start pay:a; tell pay:a notasked; \
                         clock 100; start pay:a; tell pay:a notasked";

#[test]
fn redriving() {
    check("try redrive pay:a", "there is no operation PAY a");
    check("ask pay:a; try redrive pay:a", "operation PAY a is PENDING");
    check("ask pay:a; start pay:a; try redrive pay:a", "operation PAY a is RUNNING");
    check("ask pay:a; start pay:a; tell pay:a confirmed; try redrive pay:a", "operation PAY a is SUCCEEDED");
    let dead = "ask pay:a; start pay:a permanent; redrive pay:a";
    check(dead, "PENDING");
    check(&format!("{dead}; show pay:a"), "PENDING 1 generation 2 attempts 0 due now (resolved wrong)");
    check(&format!("{dead}; news"), "redriven a 2");
    check(&format!("{dead}; wake"), "now");
    check(&format!("{dead}; log pay:a"), "1 refused, 2 redriven");
    check(&format!("{dead}; start pay:a permanent; show pay:a"), "DEAD_LETTER 1 generation 2 attempts 1 (wrong)");
    // Rejected, it is a new request under a new key.
    let rejected = "ask pay:a; start pay:a; tell pay:a rejected; redrive pay:a; start pay:a";
    check(rejected, "call step 0 key 2 lease 4");
    check(&format!("{rejected}; tell pay:a confirmed; effects pay:a"), "CONFIRMED key 2");
    // In doubt, it is asked about; found, the case is closed.
    check(EXHAUSTED, "dead");
    check(&format!("{EXHAUSTED}; show pay:a"), "DEAD_LETTER 1 generation 1 attempts 3 (attempts-exhausted)");
    check(&format!("{EXHAUSTED}; effects pay:a"), "UNKNOWN unanswered key 1");
    check(&format!("{EXHAUSTED}; case unknown pay:a"), "open reports 1");
    let asked = format!("{EXHAUSTED}; redrive pay:a; start pay:a");
    check(&asked, "probe step 0 key 1 lease 6");
    check(&format!("{asked}; tell pay:a confirmed; case unknown pay:a"), "resolved reports 1");
    check(&format!("{asked}; tell pay:a absent"), "call step 0 key 1 lease 6");
    // Nobody to ask: within the window the same key, after it nothing but a person.
    let blind = EXHAUSTED.replace("pay", "blind").replace("notasked", "unanswered");
    check(&format!("{blind}; redrive blind:a; start blind:a"), "call step 0 key 1 lease 6");
    check(&format!("{blind}; clock 90000; redrive blind:a; start blind:a"), "undecidable");
    check(&format!("{blind}; clock 90000; redrive blind:a; start blind:a; case unknown blind:a"), "open reports 2");
    // Confirmed steps are not repeated.
    let trip = "ask trip:a; start trip:a; tell trip:a confirmed; tell trip:a rejected; redrive trip:a; start trip:a";
    check(trip, "call step 1 key 2 lease 4");
    // What brings something up to date is done from the beginning.
    let sync = "ask sync:a; start sync:a; tell sync:a confirmed permanent; redrive sync:a; start sync:a";
    check(sync, "call step 0 key 2 lease 4");
}

#[test]
fn cancelling() {
    check("try cancel pay:a", "there is no operation PAY a");
    check("ask pay:a; start pay:a; try cancel pay:a", "operation PAY a is RUNNING");
    check("ask pay:a; start pay:a; tell pay:a confirmed; try cancel pay:a", "operation PAY a is SUCCEEDED");
    let doubtful = "step 0 of PAY a may have happened; settle it first";
    check("ask pay:a; start pay:a; tell pay:a unanswered; try cancel pay:a", doubtful);
    check("ask pay:a; start pay:a; tell pay:a kept; try cancel pay:a", doubtful);
    check(&format!("{EXHAUSTED}; try cancel pay:a"), doubtful);
    let cancelled = "DEAD_LETTER 1 generation 1 attempts 0 (resolved cancelled)";
    check("ask pay:a; cancel pay:a", "DEAD_LETTER");
    check("ask pay:a; cancel pay:a; show pay:a", cancelled);
    check("ask pay:a; cancel pay:a; news", "died a 1 cancelled");
    check("ask pay:a; cancel pay:a; cancel pay:a", "again: DEAD_LETTER");
    check("ask pay:a; cancel pay:a; log pay:a", "1 cancelled");
    check("ask pay:a; cancel pay:a; ask pay:a", "again: dead cancelled: asked by \"the boss\" 🙂");
    check("ask pay:a; start pay:a; tell pay:a released; cancel pay:a; show pay:a", cancelled);
    // Dead already, it is put aside as it died.
    let dead = "ask pay:a; start pay:a permanent; cancel pay:a";
    check(&format!("{dead}; show pay:a"), "DEAD_LETTER 1 generation 1 attempts 1 (resolved wrong)");
    check(&format!("{dead}; cancel pay:a"), "again: DEAD_LETTER");
    check(&format!("{dead}; redrive pay:a"), "PENDING");
}

#[test]
fn hastening() {
    check("try hasten pay:a", "there is no operation PAY a");
    check("ask pay:a; start pay:a; try hasten pay:a", "operation PAY a is RUNNING");
    check("ask pay:a; cancel pay:a; try hasten pay:a", "operation PAY a is DEAD_LETTER");
    check("ask pay:a in:60; hasten pay:a", "PENDING");
    check("ask pay:a in:60; hasten pay:a; show pay:a", "PENDING 1 generation 1 attempts 0 due now");
    check("ask pay:a in:60; hasten pay:a; wake", "now");
    check("ask pay:a; start pay:a retry; hasten pay:a; show pay:a", "FAILED 1 generation 1 attempts 1 due now");
    check("ask pay:a; start pay:a wait; hasten pay:a; show pay:a", "PENDING 1 generation 1 attempts 0 due now");
    check("ask pay:a; clock 5; hasten pay:a; show pay:a", "PENDING 1 generation 1 attempts 0 due -5s");
    check("ask pay:a in:60; hasten pay:a; start pay:a", "call step 0 key 1 lease 2");
}

#[test]
fn settling() {
    check("try settle pay:a happened", "there is no operation PAY a");
    check("ask pay:a; try settle pay:a happened", "PAY a has no effect in doubt at step 0");
    check("ask pay:a; start pay:a; try settle pay:a happened", "operation PAY a is RUNNING");
    let settled = "PAY a has no effect in doubt at step 0";
    for told in ["confirmed", "rejected", "notdone"] {
        check(&format!("ask pay:a; start pay:a; tell pay:a {told}; try settle pay:a not"), settled);
    }
    check(&format!("{EXHAUSTED}; try settle pay:a happened step:1"), "PAY a has no effect in doubt at step 1");
    let happened = format!("{EXHAUSTED}; settle pay:a happened");
    check(&happened, "CONFIRMED");
    check(&format!("{happened}; news"), "settled a 0 true, resolved effect-unknown");
    check(&format!("{happened}; case unknown pay:a"), "resolved reports 1");
    check(&format!("{happened}; try settle pay:a not"), settled);
    check(&format!("{happened}; redrive pay:a; start pay:a"), "done");
    let not = format!("{EXHAUSTED}; settle pay:a not");
    check(&not, "REJECTED");
    check(&format!("{not}; redrive pay:a; start pay:a"), "call step 0 key 2 lease 7");
    check(&format!("{not}; cancel pay:a"), "DEAD_LETTER");
    // While it waits, too.
    let waiting = "ask pay:a; start pay:a; tell pay:a unanswered; settle pay:a happened; clock 10; start pay:a";
    check(waiting, "done");
}

/// The data was put back: what may have been done since is asked about first.
#[test]
fn after_a_restore() {
    let later = "clock 10; start pay:a restored:-5";
    check(&format!("ask pay:a; {later}"), "probe step 0 key 1 lease 1");
    check(&format!("ask pay:a; {later}; tell pay:a released:5; clock 5; start pay:a"), "probe step 0 key 1 lease 2");
    check(&format!("ask pay:a; start pay:a; tell pay:a notdone; {later}"), "probe step 0 key 1 lease 2");
    check("clock 10; ask pay:a; start pay:a restored:-5", "probe step 0 key 1 lease 1");
    check("ask pay:a; start pay:a restored:-2592001", "call step 0 key 1 lease 1");
    let blind = "ask blind:a; clock 10; start blind:a restored:-5";
    check(blind, "undecidable");
    check(&format!("{blind}; effects blind:a"), "UNKNOWN unanswered key 1");
    check(&format!("{blind}; redrive blind:a; start blind:a restored:-5"), "undecidable");
    let said = format!("{blind}; settle blind:a not; redrive blind:a; start blind:a restored:-5");
    check(&said, "call step 0 key 2 lease 5");
    check(&format!("{blind}; settle blind:a happened; redrive blind:a; start blind:a restored:-5"), "done");
    let notdone = "ask blind:a; start blind:a; tell blind:a notdone; clock 10; start blind:a restored:-5";
    check(notdone, "undecidable");
    check(&format!("{notdone}; settle blind:a not"), "REJECTED");
}

#[test]
fn cases() {
    check("try assign stuck pay:a ann", "there is no case operation-stuck PAY a");
    check("try resolve stuck pay:a", "there is no case operation-stuck PAY a");
    let open = "ask pay:a; stuck pay:a overdue";
    check(&format!("{open}; news"), "opened operation-stuck, succeeded PAY a:overdue-0 1");
    check(&format!("{open}; assign stuck pay:a ann"), "assigned");
    check(&format!("{open}; assign stuck pay:a ann; news"), "assigned operation-stuck");
    check(&format!("{open}; assign stuck pay:a ann; assign stuck pay:a ann"), "again: assigned");
    check(
        &format!("{open}; assign stuck pay:a ann; assign stuck pay:a bob; case stuck pay:a"),
        "open reports 1 for bob",
    );
    let resolved = format!("{open}; assign stuck pay:a ann; resolve stuck pay:a");
    check(&resolved, "resolved");
    check(&format!("{resolved}; news"), "resolved operation-stuck");
    check(&format!("{resolved}; resolve stuck pay:a"), "again: resolved");
    check(&format!("{resolved}; try assign stuck pay:a bob"), "the case operation-stuck PAY a is resolved");
    check(&format!("{resolved}; case stuck pay:a"), "resolved reports 1 for ann");
    // It happens again: open again, and nobody's.
    let again = format!("{resolved}; cancel pay:a; redrive pay:a; stuck pay:a overdue");
    check(&again, "case-opened");
    check(&format!("{again}; case stuck pay:a"), "open reports 2");
    // Reported while it is open, it is the same case, still somebody's.
    let reported = format!("{open}; assign stuck pay:a ann; cancel pay:a; redrive pay:a; stuck pay:a overdue");
    check(&format!("{reported}; case stuck pay:a"), "open reports 2 for ann");
}
