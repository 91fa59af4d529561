//! Plays the journal from its first row and must arrive at what is there: nothing oversold on the way, no version of a
//! pool missing or twice, no hold that ends twice or too early.

use std::collections::{BTreeMap, HashMap};

use surehold_core::kernel::{ConvertMode, Event, Hold, HoldId, Line, PoolKey, Timestamp};

use super::sound::Snapshot;

#[derive(Debug, Default)]
struct PoolSoFar {
    total: i64,
    overbook: i64,
    held: i64,
    booked: i64,
    version: i64,
    /// The journal row that last expired a hold here. One command expires many, under one version.
    expired_in: Option<i64>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum HoldSoFar {
    Active { expires_at: Timestamp },
    Ended,
}

struct Replay<'a> {
    there: &'a Snapshot,
    pools: BTreeMap<PoolKey, PoolSoFar>,
    holds: HashMap<HoldId, HoldSoFar>,
    seq: i64,
    at: Timestamp,
}

pub(super) fn replay(there: &Snapshot) {
    let mut replay =
        Replay { there, pools: BTreeMap::new(), holds: HashMap::new(), seq: 0, at: Timestamp::from_micros(i64::MIN) };
    for row in &there.journal {
        assert_eq!(row.seq, replay.seq + 1, "the journal has no gap");
        assert!(row.at >= replay.at, "the journal's clock does not go back: row {}", row.seq);
        (replay.seq, replay.at) = (row.seq, row.at);
        row.events.iter().for_each(|event| replay.post(event));
    }
    replay.assert_arrived();
}

impl<'a> Replay<'a> {
    fn post(&mut self, event: &Event) {
        match event {
            Event::SlugClaimed { .. }
            | Event::TenantCreated { .. }
            | Event::PolicyChanged { .. }
            | Event::KeyCreated { .. }
            | Event::KeyRotated { .. }
            | Event::KeyRevoked { .. }
            | Event::JournalTrimmed { .. }
            | surehold_core::module_event!() => {}
            Event::PoolChanged { pool, version, total, overbook, .. } => {
                self.pools.entry(pool.clone()).or_default();
                let pool = self.step(pool, *version);
                (pool.total, pool.overbook) = (*total, *overbook);
            }
            Event::HoldPlaced { hold, versions } => {
                let stored = self.hold(*hold);
                // Extensions are played as they come; before them the lifetime is the one that was asked for.
                let expires_at = stored.lifetime_secs.map_or(stored.expires_at, |secs| self.at.plus_secs(secs));
                let before = self.holds.insert(*hold, HoldSoFar::Active { expires_at });
                assert_eq!(before, None, "{hold} is placed once");
                assert_eq!(stored.placed_at, self.at, "{hold} was placed with its row");
                self.post_lines(*hold, versions, |pool, line| pool.held += line.quantity);
            }
            Event::HoldExtended { hold, expires_at } => {
                let before = self.holds.insert(*hold, HoldSoFar::Active { expires_at: *expires_at });
                assert!(matches!(before, Some(HoldSoFar::Active { expires_at }) if self.at < expires_at), "{hold}");
            }
            Event::HoldCancelled { hold, versions } => {
                assert!(self.end(*hold) > self.at, "{hold} was cancelled in time");
                self.post_lines(*hold, versions, |pool, line| pool.held -= line.quantity);
            }
            Event::HoldExpired { hold, versions } => {
                assert!(self.end(*hold) <= self.at, "{hold} did not expire early");
                self.post_expired(*hold, versions);
            }
            Event::HoldConverted { hold, mode, kept, versions } => {
                assert!(self.end(*hold) > self.at, "{hold} was converted in time");
                self.post_lines(*hold, versions, |pool, line| {
                    pool.held -= line.quantity;
                    match mode {
                        ConvertMode::Book => pool.booked += kept.quantity_of(&line.pool),
                        ConvertMode::Consume => pool.total -= kept.quantity_of(&line.pool),
                    }
                });
            }
            Event::BookedGivenBack { lines, versions, .. } => {
                for (line, version) in zip_exact(lines, versions) {
                    self.step(&line.pool, *version).booked -= line.quantity;
                }
            }
            Event::PoolOversold { .. } | Event::BookedMoved { .. } => panic!("nobody asked for {event:?}"),
        }
        self.assert_nothing_oversold(event);
    }

    fn hold(&self, id: HoldId) -> &'a Hold {
        self.there.holds.get(&id).unwrap_or_else(|| panic!("the journal knows {id}, the table does not"))
    }

    /// Ends an active hold and tells when its time is up.
    fn end(&mut self, id: HoldId) -> Timestamp {
        match self.holds.insert(id, HoldSoFar::Ended) {
            Some(HoldSoFar::Active { expires_at }) => expires_at,
            other => panic!("{id} ends as {other:?}"),
        }
    }

    fn post_lines(&mut self, id: HoldId, versions: &[i64], change: impl Fn(&mut PoolSoFar, &Line)) {
        for (line, version) in zip_exact(&self.hold(id).lines, versions) {
            change(self.step(&line.pool, *version), line);
        }
    }

    fn post_expired(&mut self, id: HoldId, versions: &[i64]) {
        let seq = self.seq;
        for (line, version) in zip_exact(&self.hold(id).lines, versions) {
            let pool = self.pools.get_mut(&line.pool).unwrap();
            let together = pool.expired_in == Some(seq) && pool.version == *version;
            if !together {
                self.step(&line.pool, *version);
            }
            let pool = self.pools.get_mut(&line.pool).unwrap();
            pool.held -= line.quantity;
            pool.expired_in = Some(seq);
        }
    }

    fn step(&mut self, key: &PoolKey, version: i64) -> &mut PoolSoFar {
        let pool = self.pools.get_mut(key).unwrap_or_else(|| panic!("{key} is claimed before it is made"));
        assert_eq!(version, pool.version + 1, "the next version of {key} in row {}", self.seq);
        pool.version = version;
        pool.expired_in = None;
        pool
    }

    fn assert_nothing_oversold(&self, event: &Event) {
        for (key, pool) in &self.pools {
            let fits = pool.held >= 0 && pool.booked >= 0 && pool.held + pool.booked <= pool.total + pool.overbook;
            assert!(fits, "{key} after {event:?} in row {}: {pool:?}", self.seq);
        }
    }

    fn assert_arrived(&self) {
        assert_eq!(self.holds.len(), self.there.holds.len(), "every hold is in the journal");
        for (id, so_far) in &self.holds {
            let stored = self.hold(*id);
            match so_far {
                HoldSoFar::Active { expires_at } => {
                    assert_eq!((stored.ended_at, stored.expires_at), (None, *expires_at), "{id} is active");
                }
                HoldSoFar::Ended => assert!(stored.ended_at.is_some(), "{id} has ended"),
            }
        }
        assert_eq!(self.pools.len(), self.there.pools.len(), "every pool is in the journal");
        for (key, pool) in &self.pools {
            let stored = &self.there.pools[key];
            assert_eq!(
                (pool.total, pool.held, pool.booked, pool.version),
                (stored.total, stored.held, stored.booked, stored.version),
                "the journal leads to {key}"
            );
        }
    }
}

fn zip_exact<'a>(lines: &'a [Line], versions: &'a [i64]) -> impl Iterator<Item = (&'a Line, &'a i64)> {
    assert_eq!(lines.len(), versions.len(), "a version for each line");
    lines.iter().zip(versions)
}
