//! The records of one kind and one tenant that a batch works on: what was loaded, what changed, what the running
//! command can still take back.

use std::any::Any;
use std::collections::HashSet;
use std::fmt::Debug;

use foldhash::{HashMap, HashMapExt};

use super::record::{Columns, Corrupt, Record, Row, Stored, Table};
use super::{Halt, Timestamp};

#[derive(Debug)]
struct Cell<R: Record> {
    key: R::Key,
    /// `None` is a record known, or assumed, to be absent.
    record: Option<R>,
    /// `None` if the store has no such record.
    stored: Option<Stored>,
    standing: Standing,
    changed: bool,
    /// The last command that changed it, so that a command changes the version once.
    changed_by: u64,
}

impl<R: Record> Cell<R> {
    /// What was loaded and not changed is no longer known.
    fn forget(&mut self) {
        if self.standing == Standing::Loaded && !self.changed {
            self.standing = Standing::Forgotten;
            self.record = None;
            self.stored = None;
        }
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Standing {
    /// Asked for; the answer has not come.
    Asked,
    /// What the store said.
    Loaded,
    /// Believed absent without asking: the insert will tell.
    Assumed,
    /// Brought along by the running command, which read it before: writing it will tell whether it is still so.
    Believed,
    /// Was believed by a command that did not write it, or remembered until others came: nothing has told.
    Forgotten,
}

#[derive(Debug)]
struct Undo<R> {
    cell: usize,
    record: Option<R>,
    changed: bool,
    changed_by: u64,
}

#[derive(Debug)]
enum DueRead {
    NotAsked,
    Asked,
    Loaded { cells: Vec<usize>, complete: bool },
}

/// Cells never leave or move; everything else refers to them by position.
#[derive(Debug)]
pub(super) struct RecordCells<R: Record> {
    positions: HashMap<R::Key, usize>,
    cells: Vec<Cell<R>>,
    asked: Vec<usize>,
    due: DueRead,
    /// In the order of their first change.
    changed: Vec<usize>,
    changed_before_command: usize,
    undo: Vec<Undo<R>>,
    /// What the running command took for absent, or for what it brought along, without asking.
    assumed: Vec<usize>,
    /// Everything there is was put here: what is not here does not exist.
    complete: bool,
}

impl<R: Record> RecordCells<R> {
    pub(super) fn new(complete: bool) -> RecordCells<R> {
        RecordCells {
            positions: HashMap::new(),
            cells: Vec::new(),
            asked: Vec::new(),
            due: DueRead::NotAsked,
            changed: Vec::new(),
            changed_before_command: 0,
            undo: Vec::new(),
            assumed: Vec::new(),
            complete,
        }
    }

    fn add(&mut self, key: R::Key, standing: Standing) -> usize {
        let position = self.cells.len();
        self.positions.insert(key.clone(), position);
        self.cells.push(Cell { key, record: None, stored: None, standing, changed: false, changed_by: 0 });
        position
    }

    /// The record's cell, if the shelf can tell about it; otherwise it is asked for.
    fn locate(&mut self, key: &R::Key) -> Result<Option<usize>, Halt> {
        let Some(&position) = self.positions.get(key) else {
            if self.complete {
                return Ok(None);
            }
            let position = self.add(key.clone(), Standing::Asked);
            self.asked.push(position);
            return Err(Halt::Unloaded);
        };
        let cell = &mut self.cells[position];
        match cell.standing {
            Standing::Loaded | Standing::Believed => Ok(Some(position)),
            Standing::Assumed if cell.record.is_some() || self.complete => Ok(Some(position)),
            Standing::Assumed | Standing::Forgotten => {
                cell.standing = Standing::Asked;
                self.asked.push(position);
                Err(Halt::Unloaded)
            }
            Standing::Asked => Err(Halt::Unloaded),
        }
    }

    /// Asks for the record unless the shelf can already tell.
    pub(super) fn ask(&mut self, key: &R::Key) -> bool {
        self.locate(key).is_ok()
    }

    /// Asks for the record even if it is remembered. What this batch has changed is newer than what the store has.
    pub(super) fn ask_uncached(&mut self, key: &R::Key) {
        if let Some(position) = self.positions.get(key) {
            self.cells[*position].forget();
        }
        self.ask(key);
    }

    pub(super) fn get(&mut self, key: &R::Key) -> Result<Option<&R>, Halt> {
        let position = self.locate(key)?;
        Ok(position.and_then(|position| self.cells[position].record.as_ref()))
    }

    /// The record if it is known without asking; otherwise it is taken for absent.
    pub(super) fn get_or_assume(&mut self, key: &R::Key) -> Result<Option<&R>, Halt> {
        let position = match self.positions.get(key) {
            Some(position) => *position,
            None if self.complete => return Ok(None),
            None => self.add(key.clone(), Standing::Assumed),
        };
        let cell = &self.cells[position];
        match cell.standing {
            // The answer is on its way, and would meet an insert.
            Standing::Asked => return Err(Halt::Unloaded),
            // It was there once, so an insert would be a poor guess.
            Standing::Forgotten => {
                self.ask(key);
                return Err(Halt::Unloaded);
            }
            Standing::Assumed if cell.record.is_none() && !self.complete => self.assumed.push(position),
            Standing::Assumed | Standing::Loaded | Standing::Believed => {}
        }
        Ok(self.cells[position].record.as_ref())
    }

    /// Takes a record for what it was when the running command's maker read it, unless more is known.
    pub(super) fn believe(&mut self, record: &R) {
        let key = record.key();
        let position = match self.positions.get(&key) {
            Some(position) => *position,
            None if self.complete => return,
            None => self.add(key, Standing::Forgotten),
        };
        let cell = &mut self.cells[position];
        if cell.standing == Standing::Forgotten {
            cell.standing = Standing::Believed;
            cell.stored = Some(Stored::of(record));
            cell.record = Some(record.clone());
            self.assumed.push(position);
        }
    }

    /// Records that the running command has changed, as they were before it and as they are now.
    pub(super) fn changed_by_command(&self) -> Vec<(Option<&R>, Option<&R>)> {
        // A command of several steps has changed a record several times.
        let mut seen = HashSet::with_capacity(self.undo.len());
        let first = self.undo.iter().filter(|undo| seen.insert(undo.cell));
        first.map(|undo| (undo.record.as_ref(), self.cells[undo.cell].record.as_ref())).collect()
    }

    fn undo_changes(&mut self) {
        for undo in self.undo.drain(..).rev() {
            let cell = &mut self.cells[undo.cell];
            cell.record = undo.record;
            cell.changed = undo.changed;
            cell.changed_by = undo.changed_by;
        }
        self.changed.truncate(self.changed_before_command);
    }

    /// What was believed and not written is no longer known.
    fn forget_beliefs(&mut self) {
        for position in self.assumed.drain(..) {
            let cell = &mut self.cells[position];
            if cell.standing == Standing::Believed && !cell.changed {
                cell.standing = Standing::Forgotten;
                cell.record = None;
                cell.stored = None;
            }
        }
    }

    pub(super) fn get_mut(&mut self, key: &R::Key, command: u64) -> Result<Option<&mut R>, Halt> {
        match self.locate(key)? {
            Some(position) if self.cells[position].record.is_some() => {
                Ok(self.change(position, command).record.as_mut())
            }
            Some(_) | None => Ok(None),
        }
    }

    pub(super) fn insert(&mut self, mut record: R, command: u64) -> &R {
        let key = record.key();
        let known = self.positions.get(&key).copied();
        let position = known.unwrap_or_else(|| self.add(key, Standing::Assumed));
        let cell = self.change(position, command);
        assert!(cell.record.is_none(), "a record is inserted only where there is none");
        // A record that replaces one removed in the same batch is written as an update, which skips fixed columns.
        let all_change = R::TABLE.changing().count() == R::TABLE.columns.len().strict_sub(R::TABLE.key_columns);
        assert!(cell.stored.is_none() || all_change, "kinds with fixed columns are not replaced in a batch");
        record.set_version(cell.stored.map_or(0, |stored| stored.version).strict_add(1));
        cell.record.insert(record)
    }

    pub(super) fn remove(&mut self, key: &R::Key, command: u64) {
        let position = self.positions.get(key).copied().expect("a record is read before it is removed");
        self.change(position, command).record = None;
    }

    /// The cell, about to be changed by the command: what it was can be put back, and its version goes up once.
    fn change(&mut self, position: usize, command: u64) -> &mut Cell<R> {
        let cell = &mut self.cells[position];
        if cell.changed_by == command {
            return cell;
        }
        let (record, changed, changed_by) = (cell.record.clone(), cell.changed, cell.changed_by);
        self.undo.push(Undo { cell: position, record, changed, changed_by });
        cell.changed_by = command;
        if !cell.changed {
            cell.changed = true;
            self.changed.push(position);
        }
        if let Some(record) = &mut cell.record {
            record.set_version(record.version().strict_add(1));
        }
        cell
    }

    fn take(&mut self, record: R) -> usize {
        let key = record.key();
        let known = self.positions.get(&key).copied();
        let position = known.unwrap_or_else(|| self.add(key, Standing::Asked));
        let cell = &mut self.cells[position];
        let missing = match cell.standing {
            Standing::Asked | Standing::Forgotten => true,
            Standing::Assumed => cell.record.is_none(),
            // A record that this batch already works on is newer than its row. What is believed is written under a
            // guard, which the row would only hide.
            Standing::Loaded | Standing::Believed => false,
        };
        if missing {
            cell.standing = Standing::Loaded;
            cell.stored = Some(Stored::of(&record));
            cell.record = Some(record);
        }
        position
    }

    /// Due records, oldest first; whether these are all.
    pub(super) fn due(&mut self, now: Timestamp) -> Result<(Vec<R::Key>, bool), Halt> {
        let is_due = |record: &R| record.due_at().is_some_and(|at| at <= now);
        if self.complete {
            let records = self.cells.iter().filter_map(|cell| cell.record.as_ref()).filter(|record| is_due(record));
            let mut due: Vec<_> = records.map(|record| (record.due_at(), record.key())).collect();
            due.sort();
            return Ok((due.into_iter().map(|(_, key)| key).collect(), true));
        }
        match &self.due {
            DueRead::NotAsked => {
                self.due = DueRead::Asked;
                Err(Halt::Unloaded)
            }
            DueRead::Asked => Err(Halt::Unloaded),
            DueRead::Loaded { cells, complete } => {
                let cells = cells.iter().map(|position| &self.cells[*position]);
                let due = cells.filter(|cell| cell.record.as_ref().is_some_and(is_due));
                Ok((due.map(|cell| cell.key.clone()).collect(), *complete))
            }
        }
    }
}

/// A shelf without its type: what a batch and a store need of it.
pub trait AnyRecordCells: Debug + Send + Sync {
    fn table(&self) -> &'static Table;

    fn asked_count(&self) -> usize;
    fn write_asked<'a>(&'a self, index: usize, out: &mut dyn Columns<'a>);
    fn due_is_asked(&self) -> bool;

    /// Takes a row that was asked for by key.
    fn absorb(&mut self, row: &mut dyn Row) -> Result<(), Corrupt>;
    /// Takes a row that was read because it is due.
    fn absorb_due(&mut self, row: &mut dyn Row) -> Result<(), Corrupt>;
    /// All rows have been taken: what was asked for and did not come does not exist.
    fn settle(&mut self);

    fn keep_changes(&mut self);
    fn drop_changes(&mut self);
    /// Drops the changes, and asks for what the running command took for granted; tells if there is any.
    fn drop_changes_and_ask(&mut self) -> bool;
    fn has_changes(&self) -> bool;
    fn changes<'a>(&'a self, visit: &mut dyn FnMut(Change<'a>));
    fn write_removed_key<'a>(&'a self, position: usize, out: &mut dyn Columns<'a>);

    /// All is written: makes ready for the tenant's next batch. False for kinds that are not remembered.
    fn remember(&mut self) -> bool;
    /// Nothing that was remembered counts any more.
    fn forget(&mut self);
    fn cells_count(&self) -> usize;

    fn as_any(&self) -> &dyn Any;
    fn as_any_mut(&mut self) -> &mut dyn Any;
}

/// The difference between what was loaded and what was decided.
#[derive(Clone, Copy, Debug)]
pub enum Change<'a> {
    Insert { record: &'a dyn Encode, version: i64 },
    Update { record: &'a dyn Encode, version: i64, stored: Stored },
    Delete { key: RemovedKey<'a>, stored_version: i64 },
}

/// A record without its type.
pub trait Encode: Debug {
    fn encode<'a>(&'a self, out: &mut dyn Columns<'a>);
}

impl<R: Record> Encode for R {
    fn encode<'a>(&'a self, out: &mut dyn Columns<'a>) {
        self.write(out);
    }
}

/// The key of a record that is no more.
#[derive(Clone, Copy, Debug)]
pub struct RemovedKey<'a> {
    cells: &'a dyn AnyRecordCells,
    position: usize,
}

impl<'a> RemovedKey<'a> {
    pub fn encode(self, out: &mut dyn Columns<'a>) {
        self.cells.write_removed_key(self.position, out);
    }
}

impl<R: Record> AnyRecordCells for RecordCells<R> {
    fn table(&self) -> &'static Table {
        R::TABLE
    }

    fn asked_count(&self) -> usize {
        self.asked.len()
    }

    fn write_asked<'a>(&'a self, index: usize, out: &mut dyn Columns<'a>) {
        R::write_key(&self.cells[self.asked[index]].key, out);
    }

    fn due_is_asked(&self) -> bool {
        matches!(self.due, DueRead::Asked)
    }

    fn absorb(&mut self, row: &mut dyn Row) -> Result<(), Corrupt> {
        let record = R::read(row)?;
        self.take(record);
        Ok(())
    }

    fn absorb_due(&mut self, row: &mut dyn Row) -> Result<(), Corrupt> {
        let record = R::read(row)?;
        let position = self.take(record);
        if let DueRead::Asked | DueRead::NotAsked = self.due {
            self.due = DueRead::Loaded { cells: Vec::new(), complete: true };
        }
        if let DueRead::Loaded { cells, complete } = &mut self.due {
            cells.push(position);
            *complete = R::TABLE.due.as_ref().is_none_or(|due| cells.len() < due.records_max);
        }
        Ok(())
    }

    fn settle(&mut self) {
        for position in self.asked.drain(..) {
            self.cells[position].standing = Standing::Loaded;
        }
        if let DueRead::Asked = self.due {
            self.due = DueRead::Loaded { cells: Vec::new(), complete: true };
        }
    }

    fn keep_changes(&mut self) {
        self.forget_beliefs();
        self.undo.clear();
        self.changed_before_command = self.changed.len();
    }

    fn drop_changes(&mut self) {
        self.undo_changes();
        self.forget_beliefs();
    }

    fn drop_changes_and_ask(&mut self) -> bool {
        self.undo_changes();
        let assumed = std::mem::take(&mut self.assumed);
        for position in &assumed {
            let cell = &mut self.cells[*position];
            cell.standing = Standing::Asked;
            cell.record = None;
            cell.stored = None;
            self.asked.push(*position);
        }
        !assumed.is_empty()
    }

    fn has_changes(&self) -> bool {
        !self.changed.is_empty()
    }

    fn changes<'a>(&'a self, visit: &mut dyn FnMut(Change<'a>)) {
        for position in &self.changed {
            let cell = &self.cells[*position];
            match (&cell.record, cell.stored) {
                (Some(record), None) => visit(Change::Insert { record, version: record.version() }),
                (Some(record), Some(stored)) => {
                    visit(Change::Update { record, version: record.version(), stored });
                }
                (None, Some(Stored { version: stored_version, .. })) => {
                    visit(Change::Delete { key: RemovedKey { cells: self, position: *position }, stored_version });
                }
                // Inserted and removed in one batch: nothing to write.
                (None, None) => {}
            }
        }
    }

    fn write_removed_key<'a>(&'a self, position: usize, out: &mut dyn Columns<'a>) {
        R::write_key(&self.cells[position].key, out);
    }

    fn remember(&mut self) -> bool {
        for position in self.changed.drain(..) {
            let cell = &mut self.cells[position];
            cell.stored = cell.record.as_ref().map(Stored::of);
            cell.standing = Standing::Loaded;
            cell.changed = false;
            cell.changed_by = 0;
        }
        // By commands that wait for the next batch, and will ask again.
        for position in self.asked.drain(..) {
            self.cells[position].standing = Standing::Forgotten;
        }
        self.due = DueRead::NotAsked;
        self.changed_before_command = 0;
        R::IS_REMEMBERED
    }

    fn forget(&mut self) {
        self.cells.iter_mut().for_each(Cell::forget);
    }

    fn cells_count(&self) -> usize {
        self.cells.len()
    }

    fn as_any(&self) -> &dyn Any {
        self
    }

    fn as_any_mut(&mut self) -> &mut dyn Any {
        self
    }
}
