//! Commands that recognise their own effect: asked again, they answer and change nothing.

use surehold_testkit::fixture::Fixture;

use super::{Rows, World};

pub(crate) async fn the_same_id_and_content_finds_the_hold(fixture: Fixture) {
    let mut rows = Rows::on(&fixture).await;
    rows.check("put room=2; hold a room=1; hold a room=1", "again: a active room=1 for 900 s v1").await;
    rows.check("put room=2; hold a room=1; hold a room=1; show room", "room=2 held 1 v2").await;
    let full = r#"hold a room=1 secs:60 owner:ann ref:cart meta:{"n":1}"#;
    rows.check(
        &format!("put room=2; {full}; {full}"),
        r#"again: a active room=1 for 60 s by ann as cart with {"n":1} v1"#,
    )
    .await;
    rows.check("put room=2; hold a room=1; extend a by:60; hold a room=1", "again: a active room=1 for 960 s v2").await;
    rows.check("put room=2; hold a room=1; cancel a; hold a room=1", "again: a cancelled room=1 for 900 s v2").await;
    rows.check("put room=2; hold a room=1; book a; hold a room=1", "again: a converted book room=1 v2").await;
    rows.check("put room=2; hold a room=1; advance 900; hold a room=1", "again: a expired room=1 for 900 s v1").await;
}

/// A repeat is not a new request: what stands in the way of a new one does not matter to it.
pub(crate) async fn whatever_would_refuse_it_now(fixture: Fixture) {
    let mut rows = Rows::on(&fixture).await;
    let again = "again: a active room=1 for 900 s v1";
    rows.check("put room=1; hold a room=1; hold a room=1", again).await;
    rows.check("put room=1; hold a room=1; put room=0; hold a room=1", again).await;
    rows.check("put room=9; hold a room=1; put room=9 closed; hold a room=1", again).await;
    rows.check("put room=9; hold a room=1; policy default:60 max:60; hold a room=1", again).await;
    let owned = "again: a active room=1 for 900 s by ann v1";
    rows.check("policy holds:1; put room=9; hold a room=1 owner:ann; hold a room=1 owner:ann", owned).await;
    rows.check("policy owner_secs:900; put room=9; hold a room=1 owner:ann; hold a room=1 owner:ann", owned).await;
    let cancelled = "again: a cancelled room=1 for 900 s v2";
    rows.check("put room=1; hold a room=1; cancel a; hold b room=1; hold a room=1", cancelled).await;
}

pub(crate) async fn other_content_is_refused(fixture: Fixture) {
    let mut rows = Rows::on(&fixture).await;
    let given = r#"put room=1; put bar=1; hold a room=1 secs:60 owner:ann ref:cart meta:{"n":1}"#;
    for other in [
        r#"hold a room=2 secs:60 owner:ann ref:cart meta:{"n":1}"#,
        r#"hold a bar=1 secs:60 owner:ann ref:cart meta:{"n":1}"#,
        r#"hold a room=1 secs:61 owner:ann ref:cart meta:{"n":1}"#,
        r#"hold a room=1 owner:ann ref:cart meta:{"n":1}"#,
        r#"hold a room=1 secs:60 owner:bob ref:cart meta:{"n":1}"#,
        r#"hold a room=1 secs:60 owner:ann ref:basket meta:{"n":1}"#,
        r#"hold a room=1 secs:60 owner:ann ref:cart meta:{"n":2}"#,
        "hold a room=1",
        "hold a cave=1",
    ] {
        rows.check(&format!("{given}; {other}"), "refused: hold a exists with other content").await;
        rows.check(&format!("{given}; cancel a; {other}"), "refused: hold a exists with other content").await;
    }
}

pub(crate) async fn endings_are_repeatable(fixture: Fixture) {
    let mut rows = Rows::on(&fixture).await;
    let given = "put room=3; hold a room=2 owner:ann";
    rows.check(&format!("{given}; cancel a; cancel a"), "again: a cancelled room=2 for 900 s by ann v2").await;
    rows.check(&format!("{given}; advance 900; expire a; expire a"), "again: a expired room=2 for 900 s by ann v2")
        .await;
    rows.check(&format!("{given}; advance 900; sweep; expire a"), "again: a expired room=2 for 900 s by ann v2").await;
    rows.check(&format!("{given}; book a; book a"), "again: a converted book room=2 by ann v2").await;
    rows.check(&format!("{given}; book a room=1; book a room=1"), "again: a converted book room=1 by ann v2").await;
    rows.check(&format!("{given}; book a room=1; book a"), "refused: the hold is converted").await;
    rows.check(&format!("{given}; consume a; consume a; show room"), "room=1 v3").await;
    rows.check(&format!("{given}; consume a; book a"), "refused: the hold is converted").await;
}

pub(crate) async fn capacity_that_is_there_already(fixture: Fixture) {
    let mut rows = Rows::on(&fixture).await;
    rows.check("put room=3; put room=3", "again: room=3 v1").await;
    rows.check("put room=3 closed; put room=3 closed overbook:0", "again: room=3 closed v1").await;
    rows.check("put room=3; put room=3 version:1", "again: room=3 v1").await;
    rows.check("put room=3; adjust room=0", "again: room=3 v1").await;
    rows.check("put room=3; grant room=0", "again: room=3 v1").await;
}

pub(crate) async fn after_a_restart(fixture: Fixture) {
    let mut world = World::open(&fixture).await;
    world.play("put room=1; hold a room=1; cancel a; hold b room=1; book b").await;
    let before = world.dump().await;
    world.restart().await;
    assert_eq!(world.play("hold a room=1").await, "again: a cancelled room=1 for 900 s v2");
    assert_eq!(world.play("hold b room=1").await, "again: b converted book room=1 v2");
    assert_eq!(world.play("cancel a").await, "again: a cancelled room=1 for 900 s v2");
    assert_eq!(world.play("book b").await, "again: b converted book room=1 v2");
    assert_eq!(world.play("hold a room=1 owner:ann").await, "refused: hold a exists with other content");
    assert_eq!(world.dump().await, before);
}
