//! What holds for all commands: closed pools, and versions that count changes.

use crate::scenario::check;

/// Closed: no new claims, no moves in; everything else goes on.
#[test]
fn closed() {
    let open = "put bar=5; put room=5; hold a room=2; hold b room=1; book b; grant room=1; put room=5 closed";
    let closed = |statement: &str, expected: &str| check(&format!("{open}; {statement}"), expected);
    closed("hold c room=1", "refused: closed: room");
    closed("hold c bar=1 room=1", "refused: closed: room");
    closed("grant room=1", "refused: closed: room");
    closed("hold c bar=1; book c; move c bar=1 to room=1", "refused: closed: room");

    closed("extend a by:60", "a active room=2 until 960 v2");
    closed("book a", "a converted book room=2 v2, pools at 7");
    closed("consume a", "a converted consume room=2 v2, pools at 7");
    closed("cancel a", "a cancelled room=2 until 900 v2, pools at 7");
    closed("clock 900; expire a", "a expired room=2 until 900 v2, pools at 7");
    closed("clock 900; sweep", "1 expired");
    closed("return b", "b converted book nothing v3, pools at 7");
    closed("move b room=1 to bar=1", "b converted book bar=1 v3, pools at 2,7");
    closed("grant room=-1", "room=5 held 2 booked 1 closed v7");
    closed("adjust room=1", "room=6 held 2 booked 1 granted 1 closed v7");
    closed("put room=9", "room=9 held 2 booked 1 granted 1 closed v7");
    closed("put room=5 open; hold c room=1", "c active room=1 until 900 v1, pools at 8");
}

/// From the version after `put`, every change is one step; refusals and repeats are none.
#[test]
fn versions_count_changes() {
    let steps = |steps: &str, version: i64| {
        let scenario = format!("put spa=9; put room=9; {steps}; put room=9 version:-1");
        check(&scenario, &format!("refused: pool room is at version {version}"));
    };
    steps("put room=8", 2);
    steps("put room=8; put room=7; put room=7 overbook:1; put room=7 closed", 5);
    steps("put room=9; put room=9 open; try put room=1 version:9", 1);
    steps("adjust room=1; adjust room=-1; try adjust room=-10", 3);
    steps("grant room=1; grant room=-1; try grant room=-1; try grant room=10", 3);
    steps("hold a room=1; hold a room=1; try hold a room=2; try hold b room=9; try hold c ghost=1 room=1", 2);
    steps("hold a room=1; extend a by:1; extend a until:1; try extend a by:999999", 2);
    steps("hold a room=1; cancel a; cancel a; try book a", 3);
    steps("hold a room=1; clock 900; expire a; expire a; try cancel a", 3);
    steps("hold a room=1; hold b room=1; clock 900; sweep; sweep", 4);
    steps("hold a room=1; book a; book a; try cancel a; try consume a", 3);
    steps("hold a room=1; consume a room=1; consume a room=1", 3);
    steps("hold a room=2; book a; return a room=1; try return a room=2; return a; try return a", 5);
    steps("hold a room=2; book a; move a room=1 to spa=1; try move a room=9 to spa=1; move a spa=1 to room=1", 5);
    steps("hold a spa=1", 1);
}

/// Nothing is lost on the way through every state.
#[test]
fn a_pool_comes_back_to_where_it_was() {
    check(
        "put room=3 overbook:1; hold a room=2; hold b room=1; grant room=1; book a; cancel b; return a room=1; \
         hold c room=2; clock 900; sweep; return a; grant room=-1; show room",
        "room=3 overbook 1 v11",
    );
}
