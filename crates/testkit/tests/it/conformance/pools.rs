//! Capacity.

use surehold_testkit::fixture::Fixture;

use super::Rows;

pub(crate) async fn totals(fixture: Fixture) {
    let mut rows = Rows::on(&fixture).await;
    rows.check("put room=10", "room=10 v1").await;
    rows.check("put room@2026-12-24=10; put room@2026-12-25=9; show room@2026-12-24", "room@2026-12-24=10 v1").await;
    rows.check("put room=10; put room=4", "room=4 v2").await;
    rows.check("put room=10; adjust room=-3", "room=7 v2").await;
    rows.check("put room=10; adjust room=-11", "refused: the total of room would be -1").await;
    rows.check("put room=1000000000000; adjust room=1", "refused: the total of room would be 1000000000001").await;
    rows.check("adjust room=1", "refused: no such pool: room").await;
    rows.check("put Zimmer\u{a0}mit\u{1f332}=1", "Zimmer\u{a0}mit\u{1f332}=1 v1").await;
}

pub(crate) async fn compare_and_set(fixture: Fixture) {
    let mut rows = Rows::on(&fixture).await;
    rows.check("put room=10 version:0", "room=10 v1").await;
    rows.check("put room=10; put room=9 version:0", "refused: pool room is at version 1").await;
    rows.check("put room=10; put room=9 version:1", "room=9 v2").await;
    rows.check("put room=10; hold a room=1; put room=9 version:1", "refused: pool room is at version 2").await;
    rows.check("put room=10; hold a room=1; put room=9 version:2", "room=9 held 1 v3").await;
}

pub(crate) async fn closed(fixture: Fixture) {
    let mut rows = Rows::on(&fixture).await;
    rows.check("put room=10 closed", "room=10 closed v1").await;
    rows.check("put room=10 closed; put room=11", "room=11 closed v2").await;
    rows.check("put room=10; adjust room=1; close room", "room=11 closed v3").await;
    rows.check("put room=10; close room; close room", "again: room=10 closed v2").await;
    rows.check("put room=10 closed; open room", "room=10 v2").await;
    rows.check("close room", "refused: no such pool: room").await;
    rows.check("put room=10 closed; hold a room=1", "refused: closed: room").await;
    rows.check("put room=10 closed; grant room=1", "refused: closed: room").await;
    rows.check("put room=10 closed; put room=10 open; hold a room=1", "a active room=1 for 900 s v1, pools at 3").await;
    let given = "put bar=2; put room=10; hold a room=2; hold b bar=1; book b; put room=10 closed";
    rows.check(&format!("{given}; extend a by:60"), "a active room=2 for 960 s v2").await;
    rows.check(&format!("{given}; book a"), "a converted book room=2 v2, pools at 4").await;
    rows.check(&format!("{given}; cancel a"), "a cancelled room=2 for 900 s v2, pools at 4").await;
    rows.check(&format!("{given}; move b bar=1 to room=1"), "refused: closed: room").await;
}

pub(crate) async fn overbooked_and_oversold(fixture: Fixture) {
    let mut rows = Rows::on(&fixture).await;
    rows.check("put room=1 overbook:2; hold a room=3; show room", "room=1 overbook 2 held 3 v2").await;
    rows.check("put room=1 overbook:2; hold a room=4", "refused: sold out: room (3 left, 4 wanted)").await;
    rows.check("put room=5; hold a room=4; put room=1", "room=1 held 4 oversold 3 v3").await;
    rows.check("put room=5; hold a room=4; put room=1; hold b room=1", "refused: sold out: room (0 left, 1 wanted)")
        .await;
    rows.check("put room=5; hold a room=4; adjust room=-5; cancel a; show room", "room=0 v4").await;
    rows.check("put room=5 overbook:5; hold a room=8; put room=5 overbook:0", "room=5 held 8 oversold 3 v3").await;
    rows.check(
        "put room=5; hold a room=4; put room=1; book a; return a room=1; show room",
        "room=1 booked 3 oversold 2 v5",
    )
    .await;
    let goods = "put beer=1 overbook:1; hold a beer=2";
    rows.check(&format!("{goods}; consume a"), "refused: the total of beer would be -1").await;
    rows.check(&format!("{goods}; consume a beer=1; show beer"), "beer=0 overbook 1 v3").await;
}

pub(crate) async fn granted(fixture: Fixture) {
    let mut rows = Rows::on(&fixture).await;
    rows.check("put room=10; grant room=4", "room=10 granted 4 v2").await;
    rows.check("put room=10; grant room=4; grant room=-4", "room=10 v3").await;
    rows.check("put room=10; grant room=4; grant room=-5", "refused: only 4 units of room are granted").await;
    rows.check("put room=10; grant room=11", "refused: sold out: room (10 left, 11 wanted)").await;
    rows.check("put room=10; grant room=4; hold a room=7", "refused: sold out: room (6 left, 7 wanted)").await;
    rows.check("put room=10; grant room=10; put room=4", "room=4 granted 10 oversold 6 v3").await;
    rows.check("put room=1; hold a room=1 secs:100; advance 100; grant room=1; show room", "room=1 granted 1 v4").await;
}
