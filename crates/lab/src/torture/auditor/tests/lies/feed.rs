//! The feed, and the state that it leads to.

use serde_json::json;

use super::super::world::{World, id};
use super::scenes::{cancel, check, has, is_clean, nothing, opened, place, place_in, put};

#[test]
fn the_feed_replays_to_the_final_state() {
    check("replay", "a counter", |_| {}, |_, state| state.pools.get_mut("a").unwrap().held += 1);
    check("replay", "a version", |_| {}, |_, state| state.pools.get_mut("a").unwrap().version += 1);
    check(
        "replay",
        "a state",
        |_| {},
        |_, state| {
            state.holds.get_mut(&id(1)).unwrap().as_mut().unwrap().state = "cancelled".to_owned();
        },
    );
    check("replay", "a version is skipped", |_| {}, |_, state| state.events[0].body["version"] = json!(2));
    check(
        "replay",
        "a hold ends twice",
        |world| drop(world.ask(cancel(1)).unwrap()),
        |_, state| {
            let mut again = state.events.last().unwrap().clone();
            again.cursor = "99-0".to_owned();
            again.body["versions"] = json!([7, 7]);
            state.events.push(again);
            state.live = None;
        },
    );
    check(
        "replay",
        "a pool that nobody tells of",
        |_| {},
        |_, state| {
            let mut pool = state.pools["a"].clone();
            pool.name = "c".to_owned();
            state.pools.insert("c".to_owned(), pool);
        },
    );
    check(
        "all-or-nothing",
        "one pool of two",
        |_| {},
        |_, state| {
            let placed = state.events.iter_mut().find(|event| event.body["type"] == "hold_placed").unwrap();
            placed.body["versions"] = json!([2]);
        },
    );
    check("all-or-nothing", "counters and holds", |_| {}, |_, state| state.pools.get_mut("b").unwrap().booked = 0);

    let mut forgetful = opened();
    forgetful.tamper("a", |pool| pool.held = 0);
    for hold in 10..13 {
        forgetful.ask(place_in(hold, "a", 1)).unwrap();
    }
    has("oversold", "claims are forgotten", forgetful, nothing);
    let mut lowered = opened();
    lowered.ask(put("a", Some(0), None)).unwrap();
    lowered.ask(place_in(10, "a", 1)).unwrap_err();
    lowered.ask(cancel(1)).unwrap();
    is_clean("a total may be lowered below what is promised", lowered);
    let mut closed = opened();
    closed.ask(put("a", None, Some(true))).unwrap();
    closed.tamper("a", |pool| pool.closed = false);
    closed.ask(place_in(10, "a", 1)).unwrap();
    has("replay", "a claim in a closed pool", closed, nothing);
}

#[test]
fn many_holds_expire_together() {
    let mut world = opened();
    world.ask(place(3)).unwrap();
    world.pass_secs(30);
    world.sweep_alone();
    is_clean("one version for all of them", world);
}

#[test]
fn the_feed_keeps_its_order() {
    check("feed", "a live reader misses one", |_| {}, |_, state| drop(state.live.as_mut().unwrap().remove(1)));
    check(
        "feed",
        "a live reader is told twice",
        |_| {},
        |_, state| {
            let live = state.live.as_mut().unwrap();
            live.push(live.last().unwrap().clone());
        },
    );
    check(
        "feed",
        "a live reader is told another",
        |_| {},
        |_, state| {
            state.live.as_mut().unwrap()[0].body["versions"] = json!([9, 9]);
        },
    );
    check("feed", "a live reader begins late", |_| {}, |_, state| drop(state.live.as_mut().unwrap().remove(0)));
    check("feed", "a live reader stalls", |_| {}, |_, state| state.live.as_mut().unwrap().truncate(1));
    check("feed", "a live reader is told nothing", |_| {}, |_, state| state.live = Some(Vec::new()));
    check(
        "feed",
        "nobody looked how far the feed had come",
        |_| {},
        |_, state| {
            drop(state.live.as_mut().unwrap().pop());
            state.live_until = None;
        },
    );
    let expired = |world: &mut World| {
        world.pass_secs(30);
        world.sweep_alone();
    };
    // What only time has done was acknowledged to nobody.
    check("feed", "the end is missing", expired, |_, state| drop(state.live.as_mut().unwrap().pop()));
    check("feed", "nobody can say how far it had come", |_| {}, |_, state| state.live_until = Some("far".to_owned()));
    check("feed", "the feed forgets", |_| {}, |_, state| drop(state.events.pop()));
    check("feed", "the clock goes back", |_| {}, |_, state| state.events.last_mut().unwrap().at -= 1);
    check("feed", "a place is missing", |_| {}, |_, state| state.events.last_mut().unwrap().cursor = "5-1".to_owned());
    check("feed", "unreadable", |_| {}, |_, state| state.events[0].body["version"] = json!("one"));
}
