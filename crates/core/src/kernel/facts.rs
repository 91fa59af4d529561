//! What a batch knows about one tenant while it decides. Later commands see what earlier ones changed;
//! a refused command leaves no trace.

use std::sync::Arc;

use super::cells::{AnyRecordCells, RecordCells};
use super::event::Event;
use super::preparation::{Asked, Preparation, Prepared};
use super::record::Record;
use super::{Halt, TenantId, Timestamp};

/// Whether this batch has looked for lapsed holds of the tenant.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LapsedHolds {
    Unknown,
    NoneLeft,
    /// A batch expires a bounded number; the rest is the next batch's.
    MoreLeft,
}

#[derive(Debug)]
pub struct Facts {
    tenant: TenantId,
    now: Timestamp,
    cells: Vec<Box<dyn AnyRecordCells>>,
    /// Counts commands and their steps, so that each changes a version at most once.
    command: u64,
    replayed: bool,
    lapsed_holds: LapsedHolds,
    /// Assume nothing: records expected to be absent are loaded too.
    distrust: bool,
    /// The tables of records that were believed.
    believed: Vec<&'static str>,
    complete: bool,
    events: Vec<u8>,
    events_count: u32,
    events_before_command: (usize, u32),
    /// The journal rows before this one are no longer needed: as the command says, and as kept.
    journal_trim: [Option<i64>; 2],
    /// When the next operation is due that was asked for here: as the command says, and as kept.
    worker_wake: [Option<Timestamp>; 2],
    /// For the running command, outside of the turn.
    prepared: Prepared,
    asked: Option<Asked>,
}

impl Facts {
    /// Facts that a store fills on demand.
    pub fn new(tenant: TenantId, distrust: bool) -> Facts {
        Facts {
            tenant,
            now: Timestamp::from_micros(0),
            cells: Vec::new(),
            command: 1,
            replayed: false,
            lapsed_holds: LapsedHolds::Unknown,
            distrust,
            believed: Vec::new(),
            complete: false,
            events: Vec::new(),
            events_count: 0,
            events_before_command: (0, 0),
            journal_trim: [None; 2],
            worker_wake: [None; 2],
            prepared: Prepared::default(),
            asked: None,
        }
    }

    /// Facts that are the whole truth: the pure core without a store, the reference that stores are compared with.
    pub fn complete(tenant: TenantId) -> Facts {
        Facts { complete: true, ..Facts::new(tenant, false) }
    }

    pub fn tenant(&self) -> TenantId {
        self.tenant
    }

    /// The instant of the batch: the same for all its commands, and never before an earlier batch's.
    pub fn now(&self) -> Timestamp {
        self.now
    }

    pub fn set_now(&mut self, now: Timestamp) {
        self.now = now;
        self.lapsed_holds = LapsedHolds::Unknown;
    }

    // Reading.

    pub fn get<R: Record>(&mut self, key: &R::Key) -> Result<Option<&R>, Halt> {
        self.cells_mut::<R>().get(key)
    }

    /// The record, about to be changed: its version goes up once per command.
    pub fn get_mut<R: Record>(&mut self, key: &R::Key) -> Result<Option<&mut R>, Halt> {
        let command = self.command;
        self.cells_mut::<R>().get_mut(key, command)
    }

    /// The record if it happens to be known; a record that the caller expects to insert is not looked up.
    /// Should it exist after all, the insert fails and the batch is decided again without this assumption. A refusal
    /// inserts nothing, so it stands only after the record has been looked up: see [`Facts::drop_refused`].
    pub fn expect_absent<R: Record>(&mut self, key: &R::Key) -> Result<Option<&R>, Halt> {
        let distrust = self.distrust;
        let records = self.cells_mut::<R>();
        if distrust { records.get(key) } else { records.get_or_assume(key) }
    }

    /// Takes a record for what it was when the command's maker read it, outside of any turn. Should it have changed, the
    /// write fails and the batch is decided again without this belief. It lasts as long as the command, unless the
    /// command writes the record; a refusal stands only after the record has been looked up: see [`Facts::drop_refused`].
    pub fn believe<R: Record>(&mut self, record: &R) {
        if !self.distrust {
            if !self.has_believed(R::TABLE.name) {
                self.believed.push(R::TABLE.name);
            }
            self.cells_mut::<R>().believe(record);
        }
    }

    /// Whether a record of that table was believed: then another version of one in the store is nobody's mistake.
    pub fn has_believed(&self, table: &str) -> bool {
        self.believed.contains(&table)
    }

    /// Halts unless all are loaded, asking for all that are missing at once.
    pub fn require<'k, R: Record>(&mut self, keys: impl IntoIterator<Item = &'k R::Key>) -> Result<(), Halt> {
        let records = self.cells_mut::<R>();
        let mut all_loaded = true;
        for key in keys {
            all_loaded &= records.ask(key);
        }
        if all_loaded { Ok(()) } else { Err(Halt::Unloaded) }
    }

    /// Keys of records that are due now, oldest first, and whether these are all.
    pub fn due<R: Record>(&mut self) -> Result<(Vec<R::Key>, bool), Halt> {
        let now = self.now;
        self.cells_mut::<R>().due(now)
    }

    /// Halts until lapsed holds have been expired, so that none of them can be the reason for a refusal.
    pub fn require_no_lapsed_holds(&self) -> Result<(), Halt> {
        match self.lapsed_holds {
            LapsedHolds::Unknown => Err(Halt::LapsedHolds),
            LapsedHolds::MoreLeft => Err(Halt::NextBatch),
            LapsedHolds::NoneLeft => Ok(()),
        }
    }

    pub fn set_lapsed_holds(&mut self, lapsed_holds: LapsedHolds) {
        self.lapsed_holds = lapsed_holds;
    }

    /// What was prepared for the running command outside of the turn; the default if it has not asked.
    pub fn prepared<P: Preparation>(&self) -> Arc<P> {
        self.prepared.get()
    }

    /// Asks for something to be prepared outside of the turn: the command halts and is decided again with the answer, as
    /// often as that is not enough, but not for ever. Commands that come in one request with others must not ask.
    pub fn prepare<P: Preparation>(&mut self, question: P::Question) -> Halt {
        self.asked = Some(Asked::new::<P>(question));
        Halt::Unprepared
    }

    // Changing.

    pub fn insert<R: Record>(&mut self, record: R) -> &R {
        let command = self.command;
        self.cells_mut::<R>().insert(record, command)
    }

    pub fn remove<R: Record>(&mut self, key: &R::Key) {
        let command = self.command;
        self.cells_mut::<R>().remove(key, command);
    }

    pub fn emit(&mut self, event: &Event) {
        event.encode(&mut self.events);
        self.events_count = self.events_count.strict_add(1);
    }

    /// Lets go of the journal before this row.
    pub fn trim_journal(&mut self, before_seq: i64) {
        self.journal_trim[0] = Some(before_seq);
    }

    /// An operation will be due then.
    pub fn wake_worker(&mut self, at: Timestamp) {
        let said = &mut self.worker_wake[0];
        *said = Some(said.map_or(at, |earlier| earlier.min(at)));
    }

    /// How many events the running command has emitted.
    pub fn events_of_command(&self) -> u32 {
        self.events_count.strict_sub(self.events_before_command.1)
    }

    /// The running command goes on as if another command had come. A command that is made of several of the kernel's tells
    /// of several changes, and versions count what is told.
    pub fn begin_step(&mut self) {
        self.command = self.command.strict_add(1);
    }

    /// Records that the running command has changed, as they were before it (`None` where there was none) and as they are.
    pub fn changed_by_command<R: Record>(&mut self) -> Vec<(Option<&R>, Option<&R>)> {
        self.cells_mut::<R>().changed_by_command()
    }

    /// The command found its own effect in place and repeats the answer.
    pub fn mark_replayed(&mut self) {
        self.replayed = true;
    }

    // For whoever runs commands.

    /// The next command is decided with this.
    pub fn set_prepared(&mut self, prepared: Prepared) {
        self.prepared = prepared;
        self.asked = None;
    }

    /// What the command waits for that has halted because it is unprepared.
    pub fn take_asked(&mut self) -> Option<Asked> {
        self.asked.take()
    }

    pub fn ask<R: Record>(&mut self, key: &R::Key) {
        self.cells_mut::<R>().ask(key);
    }

    pub fn ask_uncached<R: Record>(&mut self, key: &R::Key) {
        self.cells_mut::<R>().ask_uncached(key);
    }

    pub fn ask_expecting_absent<R: Record>(&mut self, key: &R::Key) {
        if self.distrust {
            self.ask::<R>(key);
        }
    }

    /// The command is done: its changes become what the next one sees. Tells whether it was a replay.
    pub fn keep_changes(&mut self) -> bool {
        for cells in &mut self.cells {
            cells.keep_changes();
        }
        self.command = self.command.strict_add(1);
        self.events_before_command = (self.events.len(), self.events_count);
        let [said, kept] = &mut self.journal_trim;
        *kept = said.take().max(*kept);
        let [said, kept] = &mut self.worker_wake;
        *kept = match (said.take(), *kept) {
            (Some(said), Some(kept)) => Some(said.min(kept)),
            (said, kept) => said.or(kept),
        };
        std::mem::take(&mut self.replayed)
    }

    /// The command was refused, halted or broke: it never happened.
    pub fn drop_changes(&mut self) {
        for cells in &mut self.cells {
            cells.drop_changes();
        }
        self.forget_command();
    }

    fn forget_command(&mut self) {
        self.command = self.command.strict_add(1);
        let (bytes, count) = self.events_before_command;
        self.events.truncate(bytes);
        self.events_count = count;
        self.journal_trim[0] = None;
        self.worker_wake[0] = None;
        self.replayed = false;
    }

    /// The command was refused: it never happened. Halts if that rests on a record that was only assumed to be absent, or
    /// only believed.
    pub fn drop_refused(&mut self) -> Result<(), Halt> {
        let mut assumed = false;
        for cells in &mut self.cells {
            assumed |= cells.drop_changes_and_ask();
        }
        self.forget_command();
        if assumed { Err(Halt::Unloaded) } else { Ok(()) }
    }

    pub fn has_changes(&self) -> bool {
        self.journal_trim_before().is_some() || self.cells.iter().any(|cells| cells.has_changes())
    }

    /// The journal rows before this one are to be deleted.
    pub fn journal_trim_before(&self) -> Option<i64> {
        self.journal_trim[1]
    }

    /// When the next operation is due that this batch asked for.
    pub fn worker_wake_at(&self) -> Option<Timestamp> {
        self.worker_wake[1]
    }

    /// The packed events of the batch, and how many they are.
    pub fn events(&self) -> (&[u8], u32) {
        (&self.events, self.events_count)
    }

    /// All is written: what the tenant's next batch can begin with, if nobody else changes the tenant until then.
    #[must_use]
    pub fn into_remembered(mut self) -> Facts {
        self.cells.retain_mut(|cells| cells.remember());
        Facts { cells: self.cells, ..Facts::new(self.tenant, false) }
    }

    /// Somebody else has changed the tenant: nothing that was remembered counts any more.
    pub fn forget_remembered(&mut self) {
        self.cells.iter_mut().for_each(|cells| cells.forget());
    }

    /// How many records there are, known or not.
    pub fn records_count(&self) -> usize {
        self.cells.iter().map(|cells| cells.cells_count()).sum()
    }

    pub fn all_cells(&self) -> impl Iterator<Item = &dyn AnyRecordCells> {
        self.cells.iter().map(AsRef::as_ref)
    }

    pub fn all_cells_mut(&mut self) -> impl Iterator<Item = &mut Box<dyn AnyRecordCells>> {
        self.cells.iter_mut()
    }

    fn cells_mut<R: Record>(&mut self) -> &mut RecordCells<R> {
        let complete = self.complete;
        let position = self.cells.iter().position(|cells| cells.as_any().is::<RecordCells<R>>());
        let index = position.unwrap_or_else(|| {
            self.cells.push(Box::new(RecordCells::<R>::new(complete)));
            self.cells.len().strict_sub(1)
        });
        self.cells[index].as_any_mut().downcast_mut().expect("found by its type")
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kernel::Title;
    use crate::kernel::{Change, Currency, Owner, OwnerName, Pool, PoolKey, ResourceName, Slot, Stored, Tenant};
    use crate::stock::{Store, StoreName};

    fn versions_written(facts: &Facts) -> Vec<(i64, Option<i64>)> {
        let mut written = Vec::new();
        for cells in facts.all_cells() {
            cells.changes(&mut |change| match change {
                Change::Insert { version, .. } => written.push((version, None)),
                Change::Update { version, stored, .. } => written.push((version, Some(stored.version))),
                Change::Delete { stored_version, .. } => written.push((0, Some(stored_version))),
            });
        }
        written
    }

    /// What a batch wrote is what the next one begins with, unless others come first.
    #[test]
    fn remembered() {
        let [key, other] = ["corner", "depot"].map(|name| StoreName::new(name).unwrap());
        let store = |key: &StoreName| Store {
            name: key.clone(),
            title: Title::new("A").unwrap(),
            currency: Currency::parse("EUR").unwrap(),
            version: 0,
        };
        let owner = Owner { name: OwnerName::new("a").unwrap(), holds: 1, lifetime_secs: 1, version: 0 };
        let mut facts = Facts::new(TenantId(1), true);
        facts.insert(store(&key));
        facts.insert(store(&other));
        facts.insert(owner.clone());
        facts.keep_changes();
        facts.get_mut::<Store>(&key).unwrap().unwrap().title = Title::new("B").unwrap();
        facts.remove::<Store>(&other);
        facts.keep_changes();
        facts.get::<Tenant>(&()).unwrap_err();

        let mut facts = facts.into_remembered();
        let seen = |facts: &mut Facts| {
            let store = facts.get::<Store>(&key).unwrap();
            store.map(|store| (store.title.as_str().to_owned(), store.version))
        };
        assert!(!facts.has_changes());
        assert_eq!(seen(&mut facts), Some(("B".to_owned(), 2)));
        assert_eq!(facts.get::<Store>(&other), Ok(None));
        // Not of a kind that is remembered; asked for, and the answer never came.
        assert_eq!(facts.get::<Owner>(&owner.name), Err(Halt::Unloaded));
        assert_eq!(facts.get::<Tenant>(&()), Err(Halt::Unloaded));
        assert_eq!(facts.all_cells().map(AnyRecordCells::asked_count).sum::<usize>(), 2);
        facts.get_mut::<Store>(&key).unwrap().unwrap().title = Title::new("C").unwrap();
        facts.insert(store(&other));
        assert_eq!(versions_written(&facts), [(3, Some(2)), (1, None)]);
        facts.drop_changes();
        assert_eq!(seen(&mut facts), Some(("B".to_owned(), 2)));

        facts.forget_remembered();
        assert_eq!(facts.get::<Store>(&key), Err(Halt::Unloaded));
        // It was there once: an insert would be a poor guess.
        assert_eq!(facts.expect_absent::<Store>(&key), Err(Halt::Unloaded));
    }

    #[test]
    fn what_was_remembered_is_asked_for_again() {
        let keys =
            ["room", "seat"].map(|name| PoolKey { resource: ResourceName::new(name).unwrap(), slot: Slot::NONE });
        let mut facts = Facts::new(TenantId(1), false);
        for key in &keys {
            facts.insert(Pool::new(key.clone()));
        }
        facts.keep_changes();
        let mut facts = facts.into_remembered();
        facts.ask_uncached::<Pool>(&keys[0]);
        assert_eq!(facts.get::<Pool>(&keys[0]), Err(Halt::Unloaded));
        assert!(facts.get::<Pool>(&keys[1]).unwrap().is_some());
        // What this batch has changed is newer than what the store has.
        facts.get_mut::<Pool>(&keys[1]).unwrap().unwrap().total = 1;
        facts.ask_uncached::<Pool>(&keys[1]);
        assert_eq!(facts.get::<Pool>(&keys[1]).unwrap().map(|pool| pool.total), Some(1));
    }

    /// As they are in the store, whatever the batch has done to them.
    #[test]
    fn an_update_says_which_counters_it_expects() {
        let key = PoolKey { resource: ResourceName::new("room").unwrap(), slot: Slot::NONE };
        let mut facts = Facts::new(TenantId(1), true);
        facts.insert(Pool { held: 2, booked: 1, ..Pool::new(key.clone()) });
        facts.keep_changes();
        let mut facts = facts.into_remembered();
        for _ in 0..2 {
            facts.get_mut::<Pool>(&key).unwrap().unwrap().held += 1;
            facts.keep_changes();
        }
        let mut expected = Vec::new();
        for cells in facts.all_cells() {
            cells.changes(&mut |change| match change {
                Change::Update { version, stored, .. } => {
                    expected.push((version, stored.version, stored.counters_of(Pool::TABLE).collect()));
                }
                other => panic!("{other:?}"),
            });
        }
        assert_eq!(expected, [(3, 1, vec![2, 1])]);
        // A kind without counters expects none.
        let stored = Stored { version: 1, counters: [2, 1] };
        assert_eq!(stored.counters_of(Owner::TABLE).count(), 0);
    }

    /// Each step counts, and all of them are taken back together.
    #[test]
    fn steps_of_a_command() {
        let key = PoolKey { resource: ResourceName::new("room").unwrap(), slot: Slot::NONE };
        let mut facts = Facts::complete(TenantId(1));
        let version = |facts: &mut Facts| facts.get::<Pool>(&key).unwrap().map(|pool| (pool.version, pool.total));
        let change = |facts: &mut Facts, total: i64| facts.get_mut::<Pool>(&key).unwrap().unwrap().total = total;
        facts.insert(Pool::new(key.clone()));
        change(&mut facts, 1);
        assert_eq!(version(&mut facts), Some((1, 1)));
        facts.begin_step();
        change(&mut facts, 2);
        change(&mut facts, 3);
        assert_eq!(version(&mut facts), Some((2, 3)));
        facts.keep_changes();
        change(&mut facts, 4);
        facts.begin_step();
        change(&mut facts, 5);
        assert_eq!(version(&mut facts), Some((4, 5)));
        facts.drop_changes();
        assert_eq!(version(&mut facts), Some((2, 3)));
        facts.drop_changes();
        assert_eq!(version(&mut facts), Some((2, 3)));
    }

    #[test]
    fn a_belief_excuses_its_own_table() {
        let pool = Pool::new(PoolKey { resource: ResourceName::new("room").unwrap(), slot: Slot::NONE });
        let mut trusting = Facts::new(TenantId(1), false);
        trusting.believe(&pool);
        let believed = [Pool::TABLE.name, Tenant::TABLE.name].map(|table| trusting.has_believed(table));
        assert_eq!(believed, [true, false]);
        let mut distrustful = Facts::new(TenantId(1), true);
        distrustful.believe(&pool);
        assert!(!distrustful.has_believed(Pool::TABLE.name));
    }
}
