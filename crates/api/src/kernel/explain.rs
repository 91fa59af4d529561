//! Why a pool has nothing left.

use surehold_core::kernel::{self, HoldId, OwnerName, Reference, Timestamp};

use crate::describe::wire;

use crate::Pool;

/// What a pool has and who has it. Lapsed holds no longer count, swept or not.
#[wire]
pub struct Explanation {
    /// The answer in a sentence or two.
    pub summary: String,
    pub pool: Pool,
    /// What a new hold would find.
    pub available: i64,
    /// Held units of holds that have not expired.
    pub held_live: i64,
    /// When the next unit is free at the latest: when enough holds have expired, unless they are converted or extended.
    pub next_free_at_latest: Option<Timestamp>,
    /// Live holds on the pool, the next to expire first.
    pub holds: Vec<HoldOnPool>,
    /// There are more holds than are listed.
    pub holds_cut: bool,
}

#[wire]
pub struct HoldOnPool {
    pub id: HoldId,
    pub quantity: i64,
    pub expires_at: Timestamp,
    pub owner: Option<OwnerName>,
    pub reference: Option<Reference>,
}

impl Explanation {
    /// `holds` are the active ones on the pool, the next to expire first; `listed_max` of them are shown.
    pub fn new(
        pool: kernel::Pool,
        holds: &[kernel::Hold],
        holds_cut: bool,
        now: Timestamp,
        listed_max: usize,
    ) -> Explanation {
        let (lapsed, live): (Vec<_>, Vec<_>) = holds.iter().partition(|hold| hold.expires_at <= now);
        let units = |holds: &[&kernel::Hold]| holds.iter().map(|hold| hold.lines.quantity_of(&pool.key)).sum::<i64>();
        let held_live = pool.held - units(&lapsed).min(pool.held);
        let free = pool.total + pool.overbook - held_live - pool.booked - pool.granted;
        let available = if pool.closed { 0 } else { free.max(0) };
        let next_free_at_latest = if free > 0 { None } else { freed_at(&pool, &live, 1 - free) };
        let on_pool = |hold: &&kernel::Hold| HoldOnPool {
            id: hold.id,
            quantity: hold.lines.quantity_of(&pool.key),
            expires_at: hold.expires_at,
            owner: hold.owner.clone(),
            reference: hold.reference.clone(),
        };
        Explanation {
            summary: summary(&pool, held_live, free, next_free_at_latest, holds_cut),
            available,
            held_live,
            next_free_at_latest,
            holds_cut: holds_cut || live.len() > listed_max,
            holds: live.iter().take(listed_max).map(on_pool).collect(),
            pool: pool.into(),
        }
    }
}

/// When holds with this many units will have expired.
fn freed_at(pool: &kernel::Pool, live: &[&kernel::Hold], units: i64) -> Option<Timestamp> {
    let mut freed = 0;
    live.iter().find_map(|hold| {
        freed += hold.lines.quantity_of(&pool.key);
        (freed >= units).then_some(hold.expires_at)
    })
}

fn summary(
    pool: &kernel::Pool,
    held_live: i64,
    free: i64,
    next_free_at_latest: Option<Timestamp>,
    holds_cut: bool,
) -> String {
    let key = &pool.key;
    let of = match pool.overbook {
        0 => format!("{}", pool.total),
        overbook => format!("{} (and {overbook} overbooked)", pool.total),
    };
    let mut taken = Vec::new();
    for (units, what) in [(pool.booked, "booked"), (held_live, "held"), (pool.granted, "granted to the hot path")] {
        if units > 0 {
            taken.push(format!("{units} {what}"));
        }
    }
    let taken = if taken.is_empty() { "nothing is taken".to_owned() } else { taken.join(", ") };
    let text = match (pool.closed, free) {
        (true, _) => format!("{key} is closed to new claims. Of {of}: {taken}."),
        (false, ..=-1) => format!("{key} is oversold by {}: of {of}, {taken}.", -free),
        (false, 0) => format!("{key} is sold out: of {of}, {taken}."),
        (false, 1..) => format!("{key} has {free} left: of {of}, {taken}."),
    };
    match next_free_at_latest {
        _ if free > 0 => text,
        Some(at) => {
            format!("{text} The next unit is free at {at} at the latest, unless holds are converted or extended.")
        }
        None if holds_cut => format!("{text} There are too many holds to say when the next unit is free."),
        None => {
            format!("{text} No expiry of a hold frees a unit: something must be cancelled, given back or added.")
        }
    }
}
