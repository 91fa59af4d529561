//! Arithmetic of its own over journal and records: it knows what holds and pools are, and asks the core nothing.

use std::collections::BTreeMap;

use surehold_core::kernel::{ConvertMode, Event, Hold, HoldId, HoldState, Lines, OwnerName, Pool, PoolKey, Timestamp};
use surehold_core::operations::builtin::EXPIRE_HOLD;
use surehold_core::operations::{OperationName, OperationsEvent};

use super::dump::TenantDump;

/// A pool as the events tell it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Count {
    total: i64,
    overbook: i64,
    granted: i64,
    held: i64,
    booked: i64,
    oversold: i64,
    closed: bool,
    version: i64,
}

/// A hold as the events tell it.
#[derive(Clone, Debug)]
struct Story<'a> {
    lines: &'a Lines,
    expires_at: Timestamp,
    state: HoldState,
    booked: BTreeMap<PoolKey, i64>,
}

struct Ledger<'a> {
    dump: &'a TenantDump,
    records: BTreeMap<HoldId, &'a Hold>,
    pools: BTreeMap<PoolKey, Count>,
    holds: BTreeMap<HoldId, Story<'a>>,
    wrong: Vec<String>,
}

pub(super) fn audit(dump: &TenantDump) -> Vec<String> {
    let records = dump.holds.iter().map(|hold| (hold.id, hold)).collect();
    let mut ledger = Ledger { dump, records, pools: BTreeMap::new(), holds: BTreeMap::new(), wrong: Vec::new() };
    ledger.check_places();
    for row in &dump.journal {
        for event in &row.events {
            ledger.enter(event, row.at);
        }
    }
    ledger.check_pools();
    ledger.check_holds();
    ledger.check_owners();
    ledger.wrong
}

impl Ledger<'_> {
    fn say(&mut self, wrong: &str) {
        self.wrong.push(format!("tenant {}: {wrong}", self.dump.tenant));
    }

    /// Gapless from one on, and time never goes back.
    fn check_places(&mut self) {
        let gapless = (1..).zip(&self.dump.journal).all(|(place, row)| row.seq == place);
        if !gapless || !self.dump.journal.is_sorted_by_key(|row| row.at) {
            self.say("the journal has a gap or goes back in time");
        }
    }

    fn enter(&mut self, event: &Event, at: Timestamp) {
        match event {
            Event::PoolChanged { pool, version, total, overbook, granted, closed } => {
                let count = self.pools.entry(pool.clone()).or_default();
                (count.total, count.overbook, count.granted) = (*total, *overbook, *granted);
                count.closed = *closed;
                self.step(pool, *version, true);
            }
            Event::HoldPlaced { hold, versions } => self.place(*hold, versions, at),
            Event::HoldExtended { hold, expires_at } => {
                self.require_live(*hold, at, "extended");
                if let Some(story) = self.holds.get_mut(hold) {
                    story.expires_at = *expires_at;
                }
            }
            Event::HoldCancelled { hold, versions } => {
                self.require_live(*hold, at, "cancelled");
                self.end(*hold, HoldState::Cancelled, versions);
            }
            Event::HoldExpired { hold, versions } => {
                let due = self.holds.get(hold).is_some_and(|story| story.expires_at <= at);
                if !due {
                    self.say(&format!("{hold} expired at {at}, before its time"));
                }
                self.end(*hold, HoldState::Expired, versions);
            }
            Event::HoldConverted { hold, mode, kept, versions } => {
                self.require_live(*hold, at, "converted");
                self.convert(*hold, *mode, kept, versions);
            }
            Event::BookedGivenBack { hold, lines, versions } => {
                for (line, version) in lines.iter().zip(versions) {
                    self.book(*hold, &line.pool, -line.quantity, *version);
                }
            }
            Event::BookedMoved { hold, from, to, pools, versions } => {
                for (pool, version) in pools.iter().zip(versions) {
                    self.book(*hold, pool, to.quantity_of(pool) - from.quantity_of(pool), *version);
                }
            }
            Event::PoolOversold { pool, oversold } => {
                let told = self.pools.get(pool).map(|count| count.oversold);
                if told != Some(*oversold) {
                    self.say(&format!("{pool} is told to be oversold by {oversold}, and is by {told:?}"));
                }
            }
            Event::Operations(event) => self.check_task(event),
            Event::Repaired(repaired) => self.say(&format!("nothing was damaged, and there is {repaired:?}")),
            Event::SlugClaimed { .. }
            | Event::TenantCreated { .. }
            | Event::PolicyChanged { .. }
            | Event::KeyCreated { .. }
            | Event::KeyRotated { .. }
            | Event::KeyRevoked { .. }
            | Event::JournalTrimmed { .. }
            | surehold_core::module_event!() => {}
        }
    }

    /// A hold whose expiry is done has ended.
    fn check_task(&mut self, event: &OperationsEvent) {
        let OperationsEvent::OperationSucceeded { operation: OperationName { kind, key }, .. } = event else { return };
        if kind != EXPIRE_HOLD.name {
            return;
        }
        let story = self.holds.iter().find(|(id, _)| id.to_string() == *key).map(|(_, story)| story.state);
        if story.is_none_or(|state| state == HoldState::Active) {
            self.say(&format!("{key} is called expired, and is {story:?}"));
        }
    }

    /// The version after a change, and whether what is promised fits. Only a lowered capacity may make it not fit.
    fn step(&mut self, pool: &PoolKey, version: i64, capacity_changed: bool) {
        let count = self.pools.entry(pool.clone()).or_default();
        // Several holds that expire in one sweep share its version.
        let follows = version == count.version + 1 || (version == count.version && !capacity_changed);
        let before = count.oversold;
        count.oversold = (count.held + count.booked + count.granted - count.total - count.overbook).max(0);
        let (known, after) = (count.version, count.oversold);
        count.version = version;
        if !follows {
            self.say(&format!("{pool} goes from version {known} to {version}"));
        }
        if after > before && !capacity_changed {
            self.say(&format!("{pool} was sold beyond its capacity, by {after}"));
        }
    }

    fn place(&mut self, id: HoldId, versions: &[i64], at: Timestamp) {
        let Some(record) = self.records.get(&id).copied() else {
            return self.say(&format!("{id} was placed and is not there"));
        };
        if self.holds.contains_key(&id) {
            self.say(&format!("{id} was placed twice"));
        }
        let lines = &record.lines;
        for (line, version) in lines.iter().zip(versions) {
            let count = self.pools.entry(line.pool.clone()).or_default();
            count.held += line.quantity;
            if count.closed {
                self.say(&format!("{id} was placed in {}, which is closed", line.pool));
            }
            self.step(&line.pool, *version, false);
        }
        // Extensions come later, each with an event of its own.
        let policy_secs = record.lifetime_secs.unwrap_or(super::life::POLICY.lifetime_secs_default);
        let expires_at = at.plus_secs(policy_secs);
        let story = Story { lines, expires_at, state: HoldState::Active, booked: BTreeMap::new() };
        self.holds.insert(id, story);
    }

    fn require_live(&mut self, id: HoldId, at: Timestamp, what: &str) {
        let live = self.holds.get(&id).is_some_and(|story| story.state == HoldState::Active && at < story.expires_at);
        if !live {
            let story = self.holds.get(&id).map(|story| (story.state, story.expires_at));
            self.say(&format!("{id} was {what} at {at}, when it was {story:?}"));
        }
    }

    fn end(&mut self, id: HoldId, state: HoldState, versions: &[i64]) {
        let Some(story) = self.holds.get_mut(&id) else { return self.say(&format!("{id} ended before it began")) };
        let was = std::mem::replace(&mut story.state, state);
        let lines = story.lines;
        if was != HoldState::Active {
            return self.say(&format!("{id} was {was:?} and became {state:?}"));
        }
        for (line, version) in lines.iter().zip(versions) {
            self.pools.entry(line.pool.clone()).or_default().held -= line.quantity;
            self.step(&line.pool, *version, false);
        }
    }

    fn convert(&mut self, id: HoldId, mode: ConvertMode, kept: &Lines, versions: &[i64]) {
        let Some(story) = self.holds.get_mut(&id) else {
            return self.say(&format!("{id} was converted before it began"));
        };
        story.state = HoldState::Converted;
        let lines = story.lines;
        if mode == ConvertMode::Book {
            story.booked = kept.iter().map(|line| (line.pool.clone(), line.quantity)).collect();
        }
        for (line, version) in lines.iter().zip(versions) {
            let units = kept.quantity_of(&line.pool);
            let count = self.pools.entry(line.pool.clone()).or_default();
            count.held -= line.quantity;
            match mode {
                ConvertMode::Book => count.booked += units,
                ConvertMode::Consume => count.total -= units,
            }
            self.step(&line.pool, *version, false);
        }
    }

    fn book(&mut self, id: HoldId, pool: &PoolKey, units: i64, version: i64) {
        let Some(story) = self.holds.get_mut(&id) else { return self.say(&format!("{id} has nothing booked")) };
        let booked = story.booked.entry(pool.clone()).or_default();
        *booked += units;
        let left = *booked;
        self.pools.entry(pool.clone()).or_default().booked += units;
        self.step(pool, version, false);
        if left < 0 {
            self.say(&format!("{id} gave back more of {pool} than it had"));
        }
    }

    fn check_pools(&mut self) {
        let stored = |pool: &Pool| Count {
            total: pool.total,
            overbook: pool.overbook,
            granted: pool.granted,
            held: pool.held,
            booked: pool.booked,
            oversold: pool.oversold,
            closed: pool.closed,
            version: pool.version,
        };
        let found: BTreeMap<PoolKey, Count> =
            self.dump.pools.iter().map(|pool| (pool.key.clone(), stored(pool))).collect();
        if found != self.pools {
            let told = std::mem::take(&mut self.pools);
            self.say(&format!("pools are {found:?}, and the journal tells {told:?}"));
        }
        for (key, count) in &found {
            let sum = |of: fn(&Hold) -> Option<&Lines>| {
                self.dump.holds.iter().filter_map(of).map(|lines| lines.quantity_of(key)).sum::<i64>()
            };
            let held = sum(|hold| (hold.state == HoldState::Active).then_some(&hold.lines));
            let booked = sum(booked_lines);
            if (count.held, count.booked) != (held, booked) {
                self.say(&format!("{key} counts {count:?}, and holds say {held} held and {booked} booked"));
            }
        }
    }

    fn check_holds(&mut self) {
        for hold in &self.dump.holds {
            let Some(story) = self.holds.remove(&hold.id) else {
                self.say(&format!("{} is there and was never placed", hold.id));
                continue;
            };
            let booked: BTreeMap<PoolKey, i64> = booked_lines(hold)
                .iter()
                .flat_map(|lines| lines.iter().map(|line| (line.pool.clone(), line.quantity)))
                .collect();
            let told = story.booked.into_iter().filter(|(_, units)| *units > 0).collect();
            if (hold.state, hold.expires_at, &booked) != (story.state, story.expires_at, &told) {
                self.say(&format!("{hold:?}, and the journal tells {:?} {} {told:?}", story.state, story.expires_at));
            }
            // The clock has been turned far beyond, and the sweeper has had time.
            if hold.state == HoldState::Active {
                self.say(&format!("{} was never swept", hold.id));
            }
        }
    }

    fn check_owners(&mut self) {
        let mut expected: BTreeMap<&OwnerName, (i64, i64)> = BTreeMap::new();
        for hold in self.dump.holds.iter().filter(|hold| hold.state == HoldState::Active) {
            if let Some(owner) = &hold.owner {
                let (holds, secs) = expected.entry(owner).or_default();
                *holds += 1;
                *secs += hold.expires_at.secs_since(hold.placed_at);
            }
        }
        let found: BTreeMap<&OwnerName, (i64, i64)> =
            self.dump.owners.iter().map(|owner| (&owner.name, (owner.holds, owner.lifetime_secs))).collect();
        if found != expected {
            let wrong = format!("owners are counted as {found:?}, and have {expected:?}");
            self.say(&wrong);
        }
    }
}

fn booked_lines(hold: &Hold) -> Option<&Lines> {
    hold.kept.as_ref().filter(|kept| kept.mode == ConvertMode::Book).map(|kept| &kept.lines)
}
