//! What each command tells the journal. Refusals and repeats tell nothing.

use crate::scenario::check;

#[test]
fn every_command_tells_what_it_changed() {
    let told = |steps: &str, expected: &str| check(&format!("{steps}; news"), expected);
    told("policy default:60", "policy 60/86400 s, 100 holds of 2592000 s");
    told("put room=5 overbook:1 closed", "room=5 overbook 1 closed v1");
    told("put room=5; adjust room=2", "room=7 v2");
    told("put room=5; grant room=2", "room=5 granted 2 v2");
    told("put room=5; grant room=2; put room=1", "room=1 granted 2 v3; room oversold 1");
    told("put room=5; put bar=5; hold b bar=1; hold a room=1 bar=1", "a placed @3,2");
    told("put room=5; hold a room=1; extend a until:960.5", "a extended until 960.500000");
    told("put room=5; hold a room=1; cancel a", "a cancelled @3");
    told("put room=5; hold a room=1; clock 900; expire a", "a expired @3");
    told("put room=5; put bar=5; hold a room=2 bar=1; book a room=1", "a book room=1 @3,3");
    told("put room=5; hold a room=2; consume a", "a consume room=2 @3");
    told("put room=5; hold a room=2; book a; return a", "a back room=2 @4");
    told(
        "put room=5; put bar=5; hold a room=2; book a; move a room=2 to bar=1",
        "a moved room=2 to bar=1, bar room @2,4",
    );
}

#[test]
fn what_changes_nothing_tells_nothing() {
    let silent = |steps: &str| check(&format!("put room=5; {steps}; news"), "");
    silent("policy");
    silent("tenant casa");
    silent("try tenant mar");
    silent("put room=5");
    silent("try put room=6 version:9");
    silent("try adjust room=-6");
    silent("try grant room=6");
    silent("hold a room=1; hold a room=1");
    silent("try hold a room=6");
    silent("hold a room=1; extend a until:900");
    silent("hold a room=1; cancel a; cancel a");
    silent("hold a room=1; try expire a");
    silent("hold a room=1; clock 900; expire a; expire a");
    silent("sweep");
    silent("hold a room=1; book a; book a");
    silent("hold a room=1; book a; try return a room=2");
    silent("hold a room=1; book a; try move a room=1 to room=9");
}

/// A refused command takes nothing with it of what had to expire before it was refused.
#[test]
fn a_sweep_before_a_refusal_stays() {
    check("put room=2; hold a room=1 secs:10; clock 10; try hold b room=3; news", "a expired @3");
    check("put room=2; hold a room=1 secs:10; clock 10; try hold b room=3; show room", "room=2 v3");
}
