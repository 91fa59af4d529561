//! Two hundred guests, ten rooms, three nights: a real server that is killed thirty times, and a Stripe whose events come
//! late, twice, out of order or never. In the end every room of every night is sold once, and whoever paid has a room or
//! the money back.
//!
//! The first 160 guests do whatever guests do, and nearly all of them leave in the end; the last 40 want to stay and take
//! what is left. Both clocks, the server's and Stripe's, jump by an hour now and then, while the server is down: pages and
//! holds expire, and what was never delivered is old enough to be found in Stripe's list.

mod books;
mod guest;
mod hotel;

use std::sync::atomic::Ordering;
use std::time::Duration;

use futures_util::{StreamExt, stream};
use surehold_simulators::Dice;
use surehold_simulators::stripe::{Mischief, RandomStripeFaults};
use surehold_testkit::fixture::StoreKind;
use surehold_testkit::on_each_store;

use crate::place_on;
use guest::{End, Guest};
use hotel::{Front, Hotel};

const GUESTS: usize = 200;
/// Of these, those who come last, and to stay.
const STAYERS: usize = 40;
/// Who are in the house or wait in front of it at once.
const CROWD: usize = 30;
const KILLS: usize = 30;
/// With some of the kills an hour passes.
const KILLS_PER_HOUR: usize = 5;
/// Nothing is lost any more after so many, and Stripe answers: what is lost is found only after an hour, if its whole list
/// can be read.
const BAD_WEATHER_UNTIL_KILL: usize = 24;
/// A server is killed after so many things that guests got done, or when nothing goes on any more.
const DEEDS_PER_KILL: usize = 20;
const STALLED_AFTER: Duration = Duration::from_secs(2);
const SEED: usize = 20_260;

on_each_store! { sell_out }

async fn sell_out(store: StoreKind) {
    let folder = tempfile::tempdir().unwrap();
    let hotel = Hotel::open(place_on(store, folder.path()).await).await;
    let front = hotel.front();
    front.sim.set_mischief(weather(true));
    front.sim.set_random_faults(&RandomStripeFaults::of_all(SEED, 10));
    let harm = tokio::spawn(harm(hotel));
    let ends = all_guests(&front).await;
    front.over.cancel();
    let hotel = harm.await.unwrap();
    front.settle_down().await;
    books::check(&front, &ends).await;
    hotel.audit();
}

/// Everything goes wrong that can, and is lost now and then.
fn weather(loses: bool) -> Mischief {
    Mischief {
        duplicate_percent: 30,
        hold_back_percent: 20,
        delay_percent: 30,
        delay_max: Duration::from_millis(400),
        lose_percent: if loses { 10 } else { 0 },
        wrong_signature_percent: 5,
        seed: SEED,
    }
}

fn clear_up(front: &Front) {
    front.sim.set_mischief(weather(false));
    front.sim.set_random_faults(&RandomStripeFaults::of_all(0, 0));
}

/// Kills the server as often as it must be. Then it is only started again, and an hour passes, whenever nothing goes on any
/// more, until everybody has been there.
async fn harm(mut hotel: Hotel) -> Hotel {
    let (front, mut dice) = (hotel.front(), Dice::new(SEED));
    for kill in 1.. {
        let enough = kill > KILLS;
        let deeds = if enough { usize::MAX } else { DEEDS_PER_KILL / 2 + dice.roll(DEEDS_PER_KILL) };
        let stalled_after = if enough { 3 * STALLED_AFTER } else { STALLED_AFTER };
        let stalled = tokio::select! {
            goes_on = front.deeds_done(deeds, stalled_after) => !goes_on,
            () = front.over.cancelled(), if enough => break,
        };
        assert!(enough || !front.over.is_cancelled(), "all guests had been there when it was killed {kill} times");
        if kill == BAD_WEATHER_UNTIL_KILL {
            clear_up(&front);
        }
        hotel.restart(if enough { "TERM" } else { "KILL" }, stalled || kill % KILLS_PER_HOUR == 0);
    }
    // Whoever never came back has lost the room.
    hotel.restart("TERM", true);
    hotel
}

/// In the order of their numbers, as many at once as there is room in front of the house.
async fn all_guests(front: &Front) -> Vec<End> {
    let guest = |number: usize| async move {
        let guest = Guest::new(number, front);
        front.guests.fetch_add(1, Ordering::Relaxed);
        let end = if number < GUESTS - STAYERS { guest.come_and_go().await } else { guest.stay().await };
        front.guests.fetch_sub(1, Ordering::Relaxed);
        end
    };
    let mut ends: Vec<End> = stream::iter(0..GUESTS - STAYERS).map(guest).buffer_unordered(CROWD).collect().await;
    clear_up(front);
    let last: Vec<End> = stream::iter(GUESTS - STAYERS..GUESTS).map(guest).buffer_unordered(CROWD).collect().await;
    ends.extend(last);
    ends
}
