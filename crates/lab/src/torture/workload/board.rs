//! Where clients hear of each other's holds: to fight over them, and to look after those that somebody lost. And what
//! time it is for the servers, whose clocks are turned.

use std::collections::VecDeque;
use std::sync::Mutex;
use std::sync::atomic::{AtomicI64, Ordering};

use uuid::Uuid;

use crate::torture::history::Units;
use surehold_simulators::Dice;

const POSTED_MAX: usize = 64;
const LOST_MAX: usize = 256;
/// Those that were posted last are fought over most.
const FRESH: usize = 3;

#[derive(Clone, Debug, PartialEq)]
pub(super) struct Posted {
    pub(super) hold: Uuid,
    pub(super) lines: Units,
    /// Microseconds since 1970.
    pub(super) expires_at: i64,
}

#[derive(Debug, Default)]
pub(super) struct Board {
    notes: Mutex<Notes>,
    /// How many microseconds the clock that decides is before that of the clients.
    clock_ahead: AtomicI64,
}

#[derive(Debug, Default)]
struct Notes {
    posted: VecDeque<Posted>,
    lost: VecDeque<Uuid>,
}

impl Board {
    /// It was this instant when a server just answered.
    pub(super) fn set_clock(&self, instant: i64) {
        self.clock_ahead.store(instant - own_clock(), Ordering::Relaxed);
    }

    /// As far as anybody can tell, in microseconds since 1970.
    pub(super) fn clock(&self) -> i64 {
        own_clock() + self.clock_ahead.load(Ordering::Relaxed)
    }

    /// Says what is known of a hold now; what was said before is forgotten.
    pub(super) fn post(&self, posted: Posted) {
        let mut notes = self.notes.lock().expect("nothing panics while holding it");
        notes.posted.retain(|known| known.hold != posted.hold);
        notes.posted.push_front(posted);
        notes.posted.truncate(POSTED_MAX);
    }

    /// One of the newest.
    pub(super) fn fresh(&self, dice: &mut Dice) -> Option<Posted> {
        let notes = self.notes.lock().expect("nothing panics while holding it");
        let count = notes.posted.len().min(FRESH);
        (count > 0).then(|| notes.posted[dice.roll(count)].clone())
    }

    /// The next to expire between the two instants.
    pub(super) fn expiring(&self, after: i64, before: i64) -> Option<Posted> {
        let notes = self.notes.lock().expect("nothing panics while holding it");
        let soon = notes.posted.iter().filter(|posted| (after..before).contains(&posted.expires_at));
        soon.min_by_key(|posted| posted.expires_at).cloned()
    }

    /// Nobody knows what became of it.
    pub(super) fn lose(&self, hold: Uuid) {
        let mut notes = self.notes.lock().expect("nothing panics while holding it");
        notes.lost.push_back(hold);
        if notes.lost.len() > LOST_MAX {
            notes.lost.pop_front();
        }
    }

    pub(super) fn find(&self) -> Option<Uuid> {
        self.notes.lock().expect("nothing panics while holding it").lost.pop_front()
    }
}

fn own_clock() -> i64 {
    jiff::Timestamp::now().as_microsecond()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_next_to_expire() {
        let board = Board::default();
        let post = |number: u128, expires_at: i64| {
            board.post(Posted { hold: Uuid::from_u128(number), lines: Units::new(), expires_at });
        };
        for (number, expires_at) in [(1, 500), (2, 300), (3, 100)] {
            post(number, expires_at);
        }
        let next = |after: i64| board.expiring(after, 1_000).map(|posted| posted.hold.as_u128());
        assert_eq!((next(0), next(101), next(301), next(501)), (Some(3), Some(2), Some(1), None));
        post(3, 900);
        assert_eq!((next(0), next(501)), (Some(2), Some(3)));
        assert!(board.fresh(&mut Dice::new(1)).is_some());
        for number in 10..200 {
            post(number, 1);
        }
        assert_eq!(next(2), None, "old ones are forgotten");
    }
}
