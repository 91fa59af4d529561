//! The journal: what happened, in the order in which it was committed.

use futures_util::future::join_all;
use surehold_core::kernel::commands::PlaceHold;
use surehold_core::kernel::{Event, HoldId};
use surehold_engine::JournalRow;
use surehold_testkit::fixture::Fixture;

use super::{World, events, new_id, parse_lines};

pub(crate) async fn tells_in_the_order_of_commits(fixture: Fixture) {
    let mut world = World::open(&fixture).await;
    world.play("put room=9; hold a room=1; hold b room=2; extend a by:60; book b; hold c room=1; cancel c").await;
    world.play("return b room=1; put bar=1; move b room=1 to bar=1; put bar=0; policy holds:5; adjust room=1").await;
    world.play("grant room=1; advance 1000; sweep").await;
    let words: Vec<String> = events(&world.audit().await).map(word).collect();
    assert_eq!(
        words.join(" "),
        "TenantCreated PoolChanged HoldPlaced HoldPlaced HoldExtended HoldConverted HoldPlaced HoldCancelled \
         BookedGivenBack PoolChanged BookedMoved PoolChanged PoolOversold PolicyChanged PoolChanged PoolChanged \
         HoldExpired"
    );
}

fn word(event: &Event) -> String {
    format!("{event:?}").split(' ').next().unwrap().to_owned()
}

/// The clock is turned back by an hour, then forward again.
pub(crate) async fn time_never_goes_back(fixture: Fixture) {
    let mut world = World::open(&fixture).await;
    world.play("put room=9; hold a room=1 secs:600").await;
    let head = world.dump().await.journal.pop().unwrap();
    fixture.advance_secs(-3_600);
    // Whoever looks is told the same time as whoever changes something.
    assert_eq!(world.engine.views().time_for(world.tenant).await, Ok(head.at));
    let place = PlaceHold::new(new_id(), parse_lines("room=1"));
    let done = world.engine.run(world.tenant, place).await.unwrap();
    assert_eq!((done.at, done.reply.hold.placed_at), (head.at, head.at));
    world.restart().await;
    world.play("cancel a; put room=8").await;
    let dump = world.audit().await;
    assert!(dump.journal.iter().filter(|row| row.seq > head.seq).all(|row| row.at == head.at));

    fixture.advance_secs(3_600 + 60);
    world.play("put room=7").await;
    assert!(world.audit().await.journal.last().unwrap().at > head.at);
}

/// Work that makes many rows.
async fn work(world: &World<'_>, clients: usize) {
    let clients = (0..clients).map(|_| {
        let (engine, tenant) = (world.engine.clone(), world.tenant);
        tokio::spawn(async move {
            for _ in 0..10 {
                engine.run(tenant, PlaceHold::new(new_id(), parse_lines("room=1"))).await.unwrap();
            }
        })
    });
    join_all(clients).await.into_iter().for_each(Result::unwrap);
}

pub(crate) async fn pages_make_the_whole(fixture: Fixture) {
    let mut world = World::open(&fixture).await;
    world.play("put room=99").await;
    work(&world, 3).await;
    let whole = super::journal(&world.engine, world.tenant, u16::MAX).await;
    assert!(whole.len() > 10);
    for page_rows in [1, 2, 7, 1_000] {
        assert_eq!(super::journal(&world.engine, world.tenant, page_rows).await, whole);
    }
    let tail = world.engine.views().journal(world.tenant, 5, 3).await.unwrap();
    assert_eq!(tail, whole[5..8]);
    let behind = world.engine.views().journal(world.tenant, whole.last().unwrap().seq, 9).await.unwrap();
    assert_eq!(behind, []);
}

/// Somebody reads the feed while others write: what commits late is not missed.
pub(crate) async fn a_follower_misses_nothing(fixture: Fixture) {
    let mut world = World::open(&fixture).await;
    world.play("put room=200").await;
    let follow = async {
        let mut seen: Vec<JournalRow> = Vec::new();
        let placed = |rows: &[JournalRow]| placed_ids(rows).len();
        while placed(&seen) < 160 {
            let after_seq = seen.last().map_or(0, |row| row.seq);
            let page = world.engine.views().journal(world.tenant, after_seq, 5).await.unwrap();
            assert!(page.iter().all(|row| row.seq > after_seq), "{page:?}");
            seen.extend(page);
        }
        seen
    };
    let (seen, ()) = futures_util::future::join(follow, work(&world, 16)).await;
    let dump = world.audit().await;
    assert_eq!(seen, dump.journal);
    assert_eq!(placed_ids(&seen).len(), dump.holds.len());
}

fn placed_ids(rows: &[JournalRow]) -> Vec<HoldId> {
    let placed = |event: &Event| if let Event::HoldPlaced { hold, .. } = event { Some(*hold) } else { None };
    rows.iter().flat_map(|row| &row.events).filter_map(placed).collect()
}

pub(crate) async fn what_changes_nothing_is_not_told(fixture: Fixture) {
    let mut world = World::open(&fixture).await;
    world.play("put room=1; hold a room=1; cancel a; adjust room=0 key:k").await;
    let before = world.dump().await;
    world.play("try hold b room=2; hold a room=1; cancel a; put room=1; try book a; adjust room=0 key:k; sweep").await;
    assert_eq!(world.dump().await, before);
}
