//! The records of one kind and one tenant that a batch works on: what was loaded, what changed, what the running
//! command can still take back.

use std::any::Any;
use std::fmt::Debug;

use foldhash::{HashMap, HashMapExt};

use super::record::{Columns, Corrupt, Record, Row, Table};
use super::{Halt, Timestamp};

#[derive(Debug)]
struct Cell<R> {
    /// `None` is a record known, or assumed, to be absent.
    record: Option<R>,
    /// The version in the store; `None` if the store has no such record.
    stored_version: Option<i64>,
    standing: Standing,
    changed: bool,
    /// The last command that changed it, so that a command changes the version once.
    changed_by: u64,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Standing {
    /// Asked for; the answer has not come.
    Asked,
    /// What the store said.
    Loaded,
    /// Believed absent without asking: the insert will tell.
    Assumed,
}

#[derive(Debug)]
struct Undo<R: Record> {
    key: R::Key,
    record: Option<R>,
    changed: bool,
    changed_by: u64,
}

#[derive(Debug)]
enum DueRead<K> {
    NotAsked,
    Asked,
    Loaded { keys: Vec<K>, complete: bool },
}

#[derive(Debug)]
pub(super) struct Shelf<R: Record> {
    cells: HashMap<R::Key, Cell<R>>,
    asked: Vec<R::Key>,
    due: DueRead<R::Key>,
    /// In the order of their first change.
    changed: Vec<R::Key>,
    changed_before_command: usize,
    undo: Vec<Undo<R>>,
    /// Everything there is was put here: what is not here does not exist.
    complete: bool,
}

impl<R: Record> Shelf<R> {
    pub(super) fn new(complete: bool) -> Shelf<R> {
        Shelf {
            cells: HashMap::new(),
            asked: Vec::new(),
            due: DueRead::NotAsked,
            changed: Vec::new(),
            changed_before_command: 0,
            undo: Vec::new(),
            complete,
        }
    }

    /// Asks for the record unless the shelf can already tell.
    pub(super) fn ask(&mut self, key: &R::Key) -> bool {
        match self.cells.get_mut(key) {
            Some(cell) => match cell.standing {
                Standing::Loaded => true,
                Standing::Asked => false,
                Standing::Assumed if cell.record.is_some() || self.complete => true,
                Standing::Assumed => {
                    cell.standing = Standing::Asked;
                    self.asked.push(key.clone());
                    false
                }
            },
            None if self.complete => true,
            None => {
                let cell = Cell {
                    record: None,
                    stored_version: None,
                    standing: Standing::Asked,
                    changed: false,
                    changed_by: 0,
                };
                self.cells.insert(key.clone(), cell);
                self.asked.push(key.clone());
                false
            }
        }
    }

    pub(super) fn get(&mut self, key: &R::Key) -> Result<Option<&R>, Halt> {
        if self.ask(key) { Ok(self.known(key)) } else { Err(Halt::Unloaded) }
    }

    /// What is known without asking; an unknown record counts as absent.
    pub(super) fn known(&self, key: &R::Key) -> Option<&R> {
        self.cells.get(key).and_then(|cell| cell.record.as_ref())
    }

    pub(super) fn get_mut(&mut self, key: &R::Key, command: u64) -> Result<Option<&mut R>, Halt> {
        if !self.ask(key) {
            return Err(Halt::Unloaded);
        }
        let Some(cell) = self.cells.get_mut(key) else { return Ok(None) };
        if cell.record.is_none() {
            return Ok(None);
        }
        Self::note_change(cell, key, command, &mut self.undo, &mut self.changed);
        Ok(cell.record.as_mut())
    }

    pub(super) fn insert(&mut self, mut record: R, command: u64) -> &R {
        let key = record.key();
        let absent =
            Cell { record: None, stored_version: None, standing: Standing::Assumed, changed: false, changed_by: 0 };
        let cell = self.cells.entry(key.clone()).or_insert(absent);
        assert!(cell.record.is_none(), "a record is inserted only where there is none");
        Self::note_change(cell, &key, command, &mut self.undo, &mut self.changed);
        // A record that replaces one removed in the same batch is written as an update, which skips fixed columns.
        assert!(
            cell.stored_version.is_none()
                || R::TABLE.changing().count() == R::TABLE.columns.len().strict_sub(R::TABLE.key_columns),
            "kinds with fixed columns are not replaced within a batch"
        );
        record.set_version(cell.stored_version.unwrap_or(0).strict_add(1));
        cell.record.insert(record)
    }

    pub(super) fn remove(&mut self, key: &R::Key, command: u64) {
        let cell = self.cells.get_mut(key).expect("a record is read before it is removed");
        Self::note_change(cell, key, command, &mut self.undo, &mut self.changed);
        cell.record = None;
    }

    fn note_change(cell: &mut Cell<R>, key: &R::Key, command: u64, undo: &mut Vec<Undo<R>>, changed: &mut Vec<R::Key>) {
        if cell.changed_by == command {
            return;
        }
        undo.push(Undo {
            key: key.clone(),
            record: cell.record.clone(),
            changed: cell.changed,
            changed_by: cell.changed_by,
        });
        cell.changed_by = command;
        if !cell.changed {
            cell.changed = true;
            changed.push(key.clone());
        }
        if let Some(record) = &mut cell.record {
            record.set_version(record.version().strict_add(1));
        }
    }

    fn take(&mut self, record: R) {
        let key = record.key();
        let stored_version = Some(record.version());
        let cell =
            Cell { stored_version, record: Some(record), standing: Standing::Loaded, changed: false, changed_by: 0 };
        self.cells.insert(key, cell);
    }

    /// Due records, oldest first; whether these are all.
    pub(super) fn due(&mut self, now: Timestamp) -> Result<(Vec<R::Key>, bool), Halt> {
        let is_due = |record: &R| record.due_at().is_some_and(|at| at <= now);
        if self.complete {
            let cells = self.cells.values().filter_map(|cell| cell.record.as_ref()).filter(|record| is_due(record));
            let mut due: Vec<_> = cells.map(|record| (record.due_at(), record.key())).collect();
            due.sort();
            return Ok((due.into_iter().map(|(_, key)| key).collect(), true));
        }
        match &self.due {
            DueRead::NotAsked => {
                self.due = DueRead::Asked;
                Err(Halt::Unloaded)
            }
            DueRead::Asked => Err(Halt::Unloaded),
            DueRead::Loaded { keys, complete } => {
                let still_due = keys.iter().filter(|key| self.known(key).is_some_and(is_due));
                Ok((still_due.cloned().collect(), *complete))
            }
        }
    }
}

/// A shelf without its type: what a batch and a store need of it.
pub trait AnyShelf: Debug + Send + Sync {
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
    fn has_changes(&self) -> bool;
    fn changes<'a>(&'a self, visit: &mut dyn FnMut(Change<'a>));
    fn write_changed_key<'a>(&'a self, index: usize, out: &mut dyn Columns<'a>);

    fn as_any(&self) -> &dyn Any;
    fn as_any_mut(&mut self) -> &mut dyn Any;
}

/// The difference between what was loaded and what was decided.
#[derive(Clone, Copy, Debug)]
pub enum Change<'a> {
    Insert { record: &'a dyn Encode, version: i64 },
    Update { record: &'a dyn Encode, version: i64, stored_version: i64 },
    Delete { key: ChangedKey<'a>, stored_version: i64 },
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
pub struct ChangedKey<'a> {
    shelf: &'a dyn AnyShelf,
    index: usize,
}

impl<'a> ChangedKey<'a> {
    pub fn encode(self, out: &mut dyn Columns<'a>) {
        self.shelf.write_changed_key(self.index, out);
    }
}

impl<R: Record> AnyShelf for Shelf<R> {
    fn table(&self) -> &'static Table {
        R::TABLE
    }

    fn asked_count(&self) -> usize {
        self.asked.len()
    }

    fn write_asked<'a>(&'a self, index: usize, out: &mut dyn Columns<'a>) {
        R::write_key(&self.asked[index], out);
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
        let key = record.key();
        if let DueRead::Asked | DueRead::NotAsked = self.due {
            self.due = DueRead::Loaded { keys: Vec::new(), complete: true };
        }
        if let DueRead::Loaded { keys, complete } = &mut self.due {
            keys.push(key.clone());
            *complete = R::TABLE.due.as_ref().is_none_or(|due| keys.len() < due.records_max);
        }
        // A record that this batch already works on is newer than its row.
        let known = self.cells.get(&key).is_some_and(|cell| cell.standing != Standing::Asked);
        if !known {
            self.take(record);
        }
        Ok(())
    }

    fn settle(&mut self) {
        for key in self.asked.drain(..) {
            if let Some(cell) = self.cells.get_mut(&key) {
                cell.standing = Standing::Loaded;
            }
        }
        if let DueRead::Asked = self.due {
            self.due = DueRead::Loaded { keys: Vec::new(), complete: true };
        }
    }

    fn keep_changes(&mut self) {
        self.undo.clear();
        self.changed_before_command = self.changed.len();
    }

    fn drop_changes(&mut self) {
        for undo in self.undo.drain(..).rev() {
            let cell = self.cells.get_mut(&undo.key).expect("a changed cell stays on the shelf");
            cell.record = undo.record;
            cell.changed = undo.changed;
            cell.changed_by = undo.changed_by;
        }
        self.changed.truncate(self.changed_before_command);
    }

    fn has_changes(&self) -> bool {
        !self.changed.is_empty()
    }

    fn changes<'a>(&'a self, visit: &mut dyn FnMut(Change<'a>)) {
        for (index, key) in self.changed.iter().enumerate() {
            let cell = &self.cells[key];
            match (&cell.record, cell.stored_version) {
                (Some(record), None) => visit(Change::Insert { record, version: record.version() }),
                (Some(record), Some(stored_version)) => {
                    visit(Change::Update { record, version: record.version(), stored_version });
                }
                (None, Some(stored_version)) => {
                    visit(Change::Delete { key: ChangedKey { shelf: self, index }, stored_version });
                }
                // Inserted and removed in one batch: nothing to write.
                (None, None) => {}
            }
        }
    }

    fn write_changed_key<'a>(&'a self, index: usize, out: &mut dyn Columns<'a>) {
        R::write_key(&self.changed[index], out);
    }

    fn as_any(&self) -> &dyn Any {
        self
    }

    fn as_any_mut(&mut self) -> &mut dyn Any {
        self
    }
}
