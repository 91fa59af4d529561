//! The life of a hold, command by command.

use surehold_testkit::fixture::Fixture;

use super::{Rows, World};

pub(crate) async fn placing(fixture: Fixture) {
    let mut rows = Rows::on(&fixture).await;
    rows.check("put room=2; hold a room=2", "a active room=2 for 900 s v1, pools at 2").await;
    rows.check("put room=2; hold a room=2; show room", "room=2 held 2 v2").await;
    rows.check(
        "put room@2026-12-25=1; put room@2026-12-24=1; put bar=9; hold a room@2026-12-25=1 room@2026-12-24=1 bar=4",
        "a active bar=4 room@2026-12-24=1 room@2026-12-25=1 for 900 s v1, pools at 2,2,2",
    )
    .await;
    rows.check(
        r#"put room=1; hold a room=1 secs:60 owner:ann ref:cart-7 meta:{"b":[1.5,null],"a":"\u0000\ud83c\udf32'"}"#,
        "a active room=1 for 60 s by ann as cart-7 with {\"a\":\"\\u0000\u{1f332}'\",\"b\":[1.5,null]} v1, pools at 2",
    )
    .await;
    rows.check(
        "put room=1; put bar=0; hold a room=2 bar=1",
        "refused: sold out: bar (0 left, 1 wanted), room (1 left, 2 wanted)",
    )
    .await;
    rows.check("put room=2; put bar=0; try hold a room=2 bar=1; show room bar", "room=2 v1; bar=0 v1").await;
    rows.check("put room=1; hold a room=1 cave=1 attic=1", "refused: no such pool: attic, cave").await;
    rows.check("put room=1; hold a room=1 made:-2592600", "refused: the id is outside of its window").await;
    rows.check("put room=1; hold a room=1 made:87000", "refused: the id is outside of its window").await;
    rows.check("put room=1; hold a room=1 made:-2591000", "a active room=1 for 900 s v1, pools at 2").await;
    let hundred: Vec<String> = (0..100).map(|n| format!("r{n:02}")).collect();
    let puts: String = hundred.iter().map(|name| format!("put {name}=1; ")).collect();
    let lines: String = hundred.iter().map(|name| format!(" {name}=1")).collect();
    let versions = vec!["2"; 100].join(",");
    rows.check(&format!("{puts}hold a{lines}"), &format!("a active{lines} for 900 s v1, pools at {versions}")).await;
}

pub(crate) async fn owners(fixture: Fixture) {
    let mut rows = Rows::on(&fixture).await;
    let given = "policy default:100 max:300 holds:2 owner_secs:400; put room=9; hold a room=1 owner:ann";
    rows.check(&format!("{given}; show owner ann"), "ann holds 1 for 100 s").await;
    rows.check(&format!("{given}; hold b room=1 owner:ann; show owner ann"), "ann holds 2 for 200 s").await;
    let too_many = "refused: the owner has 2 holds, the most allowed at once";
    rows.check(&format!("{given}; hold b room=1 owner:ann; hold c room=1 owner:ann"), too_many).await;
    rows.check(
        &format!("{given}; hold b room=1 owner:bob; hold c room=1 owner:ann; show owner bob"),
        "bob holds 1 for 100 s",
    )
    .await;
    let too_long = "refused: the owner's holds would live 401 s in total; at most 400 s are allowed";
    rows.check(&format!("{given}; extend a by:1; hold b room=1 owner:ann secs:300"), too_long).await;
    rows.check(&format!("{given}; hold b room=1 owner:ann secs:300; extend a by:1"), too_long).await;
    rows.check(
        &format!("{given}; hold b room=1 owner:ann secs:300; extend a by:1 paying; show owner ann"),
        "ann holds 2 for 401 s",
    )
    .await;
    for end in ["cancel a", "book a", "consume a", "advance 100; sweep", "advance 100; expire a"] {
        rows.check(&format!("{given}; {end}; show owner ann"), "ann holds nothing").await;
    }
    rows.check(&format!("{given}; cancel a; hold b room=1 owner:ann; show owner ann"), "ann holds 1 for 100 s").await;
}

pub(crate) async fn extending(fixture: Fixture) {
    let mut rows = Rows::on(&fixture).await;
    let given = "policy max:1000; put room=1; hold a room=1";
    rows.check(&format!("{given}; extend a by:100"), "a active room=1 for 1000 s v2").await;
    rows.check(&format!("{given}; extend a until:expiry+100"), "a active room=1 for 1000 s v2").await;
    rows.check(&format!("{given}; extend a until:expiry+0"), "again: a active room=1 for 900 s v1").await;
    rows.check(&format!("{given}; extend a until:expiry-100"), "again: a active room=1 for 900 s v1").await;
    let too_long = "refused: the lifetime would be 1001 s; at most 1000 s are allowed";
    rows.check(&format!("{given}; extend a by:101"), too_long).await;
    rows.check(&format!("{given}; extend a until:expiry+101"), too_long).await;
    rows.check(&format!("{given}; extend a by:101 paying"), "a active room=1 for 1001 s v2").await;
    rows.check(&format!("{given}; cancel a; extend a by:1"), "refused: the hold is cancelled").await;
    rows.check(
        &format!("{given}; extend a by:100; advance 950; extend a until:expiry+0"),
        "again: a active room=1 for 1000 s v2",
    )
    .await;
    rows.check("extend ghost by:1", "refused: there is no hold ghost").await;
}

pub(crate) async fn cancelling_and_expiring(fixture: Fixture) {
    let mut rows = Rows::on(&fixture).await;
    let given = "put room=2; hold a room=2";
    rows.check(&format!("{given}; cancel a"), "a cancelled room=2 for 900 s v2, pools at 3").await;
    rows.check(&format!("{given}; cancel a; show room"), "room=2 v3").await;
    rows.check(&format!("{given}; expire a"), "refused: the hold is not due").await;
    rows.check(&format!("{given}; advance 900; expire a"), "a expired room=2 for 900 s v2, pools at 3").await;
    rows.check(&format!("{given}; advance 900; expire a; show room"), "room=2 v3").await;
    rows.check(&format!("{given}; cancel a; advance 900; expire a"), "refused: the hold is cancelled").await;
    rows.check(&format!("{given}; advance 900; expire a; cancel a"), "refused: the hold is expired").await;
    rows.check(&format!("{given}; book a; cancel a"), "refused: the hold is converted").await;
    rows.check("cancel ghost", "refused: there is no hold ghost").await;
    rows.check("expire ghost", "refused: there is no hold ghost").await;
}

pub(crate) async fn converting(fixture: Fixture) {
    let mut rows = Rows::on(&fixture).await;
    let given = "put room=5; put bar=5; hold a room=3 bar=1";
    rows.check(&format!("{given}; book a"), "a converted book bar=1 room=3 v2, pools at 3,3").await;
    rows.check(&format!("{given}; book a; show room bar"), "room=5 booked 3 v3; bar=5 booked 1 v3").await;
    rows.check(&format!("{given}; book a room=2"), "a converted book room=2 v2, pools at 3,3").await;
    rows.check(&format!("{given}; book a room=2; show room bar"), "room=5 booked 2 v3; bar=5 v3").await;
    rows.check(&format!("{given}; consume a"), "a converted consume bar=1 room=3 v2, pools at 3,3").await;
    rows.check(&format!("{given}; consume a; show room bar"), "room=2 v3; bar=4 v3").await;
    rows.check(&format!("{given}; consume a room=1; show room bar"), "room=4 v3; bar=5 v3").await;
    rows.check(&format!("{given}; book a room=4"), "refused: more than the hold has: room").await;
    rows.check(&format!("{given}; cancel a; book a"), "refused: the hold is cancelled").await;
    rows.check(&format!("{given}; book a; consume a"), "refused: the hold is converted").await;
    rows.check("book ghost", "refused: there is no hold ghost").await;
}

pub(crate) async fn giving_back(fixture: Fixture) {
    let mut rows = Rows::on(&fixture).await;
    let given = "put room=5; put bar=5; hold a room=3 bar=1; book a";
    rows.check(&format!("{given}; return a"), "a converted book nothing v3, pools at 4,4").await;
    rows.check(&format!("{given}; return a room=2"), "a converted book bar=1 room=1 v3, pools at 4").await;
    rows.check(&format!("{given}; return a room=2; return a room=1; show room bar"), "room=5 v5; bar=5 booked 1 v3")
        .await;
    rows.check(&format!("{given}; return a room=4"), "refused: more than the hold has: room").await;
    rows.check(&format!("{given}; return a; return a"), "refused: the hold has nothing booked").await;
    rows.check("put room=1; hold a room=1; return a", "refused: the hold has nothing booked").await;
    rows.check("put room=1; hold a room=1; consume a; return a", "refused: the hold has nothing booked").await;
}

pub(crate) async fn moving(fixture: Fixture) {
    let mut rows = Rows::on(&fixture).await;
    let given = "put room=3; put suite=1; hold a room=3; book a";
    rows.check(&format!("{given}; move a room=1 to suite=1"), "a converted book room=2 suite=1 v3, pools at 4,2").await;
    rows.check(
        &format!("{given}; move a room=1 to suite=1; show room suite"),
        "room=3 booked 2 v4; suite=1 booked 1 v2",
    )
    .await;
    rows.check(&format!("{given}; move a room=2 to suite=2"), "refused: sold out: suite (1 left, 2 wanted)").await;
    rows.check(&format!("{given}; move a room=3 to room=2 suite=1; show room"), "room=3 booked 2 v4").await;
    rows.check(&format!("{given}; move a room=3 to room=3"), "again: a converted book room=3 v2").await;
    rows.check(&format!("{given}; move a suite=1 to room=1"), "refused: more than the hold has: suite").await;
    rows.check(&format!("{given}; move a room=1 to cave=1"), "refused: no such pool: cave").await;
    rows.check(
        &format!("{given}; hold b suite=1 secs:50; advance 50; move a room=1 to suite=1; show b"),
        "b expired suite=1 for 50 s v2",
    )
    .await;
}

pub(crate) async fn what_is_stored_survives_a_restart(fixture: Fixture) {
    let mut world = World::open(&fixture).await;
    world.play("put room=9; put bar=9 overbook:1 closed; put bar=9 open; grant bar=2").await;
    world
        .play(r#"hold a room=1 bar=2 owner:ann ref:cart meta:{"n":1}; hold b room=1; hold c room=2; hold d room=1"#)
        .await;
    world.play("book b; consume c room=1; cancel d; extend a by:60; return b key:k").await;
    let before = world.audit().await;
    world.restart().await;
    assert_eq!(world.audit().await, before);
    assert_eq!(
        world.play("cancel a").await,
        "a cancelled bar=2 room=1 for 960 s by ann as cart with {\"n\":1} v3, pools at 5,10"
    );
    world.audit().await;
}
