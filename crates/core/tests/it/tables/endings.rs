//! Cancelling and expiring.

use crate::scenario::check;

const HELD: &str = "put room=3; hold a room=2";

#[track_caller]
fn check_held(steps: &str, expected: &str) {
    check(&format!("{HELD}; {steps}"), expected);
}

#[test]
fn cancelling_gives_the_units_back() {
    check_held("cancel a", "a cancelled room=2 until 900 v2, pools at 3");
    check_held("cancel a; show room", "room=3 v3");
    check_held("cancel a; news", "a cancelled @3");
    check_held("cancel a; cancel a", "again: a cancelled room=2 until 900 v2");
    check_held("cancel a; cancel a; show room", "room=3 v3");
    check_held("cancel a; clock 900; cancel a", "again: a cancelled room=2 until 900 v2");
    check(
        "put room=3; put bar=1; hold a room=2 bar=1; hold b room=1; cancel a",
        "a cancelled bar=1 room=2 until 900 v2, pools at 3,4",
    );
}

#[test]
fn cancelling_what_has_ended_otherwise() {
    check_held("cancel ghost", "refused: there is no hold ghost");
    check_held("book a; cancel a", "refused: the hold is converted");
    check_held("book a; return a; cancel a", "refused: the hold is converted");
    check_held("clock 900; sweep; cancel a", "refused: the hold is expired");
    check_held("clock 900; cancel a", "refused: the hold is expired");
    check_held("clock 899.999999; cancel a; show room", "room=3 v3");
}

#[test]
fn expiring_one() {
    let expired = "a expired room=2 until 900 v2";
    check_held("clock 900; expire a", &format!("{expired}, pools at 3"));
    check_held("clock 900; expire a; news", "a expired @3");
    check_held("clock 900; expire a; show room", "room=3 v3");
    check_held("clock 900; expire a; expire a", &format!("again: {expired}"));
    check_held("clock 900; sweep; expire a", &format!("again: {expired}"));
    check_held("clock 900; expire a; sweep", "0 expired");
    check_held("expire a", "refused: the hold expires at 2026-12-01T00:15:00Z, not now");
    check_held("clock 899.999999; expire a", "refused: the hold expires at 2026-12-01T00:15:00Z, not now");
    check_held("extend a by:60; clock 900; expire a", "refused: the hold expires at 2026-12-01T00:16:00Z, not now");
    check_held("expire ghost", "refused: there is no hold ghost");
    check_held("cancel a; clock 900; expire a", "refused: the hold is cancelled");
    check_held("book a; clock 900; expire a", "refused: the hold is converted");
}

#[test]
fn the_earlier_refusal_wins() {
    // Ended, then not due.
    check_held("cancel a; expire a", "refused: the hold is cancelled");
    check_held("book a; expire a", "refused: the hold is converted");
}

#[test]
fn sweeping_expires_what_is_due_oldest_first() {
    check_held("sweep", "0 expired");
    check_held("clock 899.999999; sweep", "0 expired");
    check_held("clock 900; sweep", "1 expired");
    check_held("clock 900; sweep; show room", "room=3 v3");
    check_held("clock 900; sweep; sweep", "0 expired");
    check_held("cancel a; clock 900; sweep", "0 expired");
    check_held("book a; clock 900; sweep", "0 expired");
    check_held("extend a by:60; clock 900; sweep", "0 expired");
    check_held("hold b room=1 secs:60; clock 60; sweep; show room", "room=3 held 2 v4");
    // One command moves a pool by one version, however many of its holds it ends.
    check_held("hold b room=1 secs:60; clock 900; sweep; news", "b expired @4; a expired @4");
    check_held("hold b room=1 secs:60; clock 900; sweep; show room", "room=3 v4");
}

/// 25 holds of 100 lines are more than one command may load: 19 × (100 + 2) ≤ 2,000.
#[test]
fn a_sweep_is_bounded() {
    let pools: Vec<String> = (10..110).map(|n| format!("r{n}")).collect();
    let puts: Vec<String> = pools.iter().map(|pool| format!("put {pool}=25")).collect();
    let lines: Vec<String> = pools.iter().map(|pool| format!("{pool}=1")).collect();
    let holds: Vec<String> = (0..25).map(|n| format!("hold h{n} {}", lines.join(" "))).collect();
    let lapsed = format!("{}; {}; clock 900", puts.join("; "), holds.join("; "));
    check(&format!("{lapsed}; sweep"), "19 expired, more left");
    check(&format!("{lapsed}; sweep; sweep"), "6 expired");
    check(&format!("{lapsed}; sweep; show r10"), "r10=25 held 6 v27");
    // What one batch cannot free, the next one does: a lapsed hold never blocks a sale.
    check(&format!("{lapsed}; hold z r10=25; show r10"), "r10=25 held 25 v29");
    check(&format!("{lapsed}; hold z r10=26"), "refused: sold out: r10 (25 left, 26 wanted)");
    check(&format!("{lapsed}; hold z r10=15; show r10"), "r10=25 held 21 v28");
}
