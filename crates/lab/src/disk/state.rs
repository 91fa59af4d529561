//! What is on a disk at a moment: what was synced, and what may or may not be there beside it.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use anyhow::Result;

use super::recording::{Call, Moment, Recording};
use surehold_simulators::Dice;

/// By name, what is in them.
pub type Files = BTreeMap<String, Vec<u8>>;

/// A disk writes whole sectors; a longer write can be torn between them.
const SECTOR_BYTES: usize = 512;

/// Which syncs do what they say.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Syncs {
    All,
    /// Those that keep an order, not those that make a commit durable: the log is synced before it is moved into the
    /// file, and when it starts over.
    OrderOnly,
    /// One in four, of whatever.
    Few,
    None,
}

/// What becomes of the changes that were not synced when the power went.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fate {
    Lost,
    Kept,
    /// Some are there, others are not, whatever their order.
    Some,
    /// The first ones are there; the one at the border is torn.
    TornAtTheEnd,
    /// The last ones are there and the first are not.
    Reordered,
    /// Of each, every sector is there, absent, or full of anything.
    Garbled,
}

impl Fate {
    pub const ALL: [Fate; 6] = [Fate::Lost, Fate::Kept, Fate::Some, Fate::TornAtTheEnd, Fate::Reordered, Fate::Garbled];
}

#[derive(Debug, Default)]
struct Inode {
    durable: Vec<u8>,
    /// Calls that began and are not known to be durable, in the order of their beginnings.
    unsynced: Vec<usize>,
}

/// A change of the folder: the name, and what it leads to from then on.
#[derive(Debug)]
struct Renamed {
    call: usize,
    name: String,
    to: Option<usize>,
}

#[derive(Debug)]
pub struct Disk<'r> {
    recording: &'r Recording,
    syncs: Syncs,
    inodes: Vec<Inode>,
    names_now: BTreeMap<String, usize>,
    names_durable: BTreeMap<String, usize>,
    names_unsynced: Vec<Renamed>,
    ended: Vec<bool>,
    /// By call, what a sync that is under way will have made durable.
    syncing: BTreeMap<usize, Vec<usize>>,
    played: usize,
}

impl<'r> Disk<'r> {
    /// Before the first call.
    pub fn new(recording: &'r Recording, syncs: Syncs) -> Disk<'r> {
        let inode = |bytes: &Vec<u8>| Inode { durable: bytes.clone(), unsynced: Vec::new() };
        let names: BTreeMap<String, usize> = recording.before.keys().cloned().zip(0..).collect();
        Disk {
            recording,
            syncs,
            inodes: recording.before.values().map(inode).collect(),
            names_now: names.clone(),
            names_durable: names,
            names_unsynced: Vec::new(),
            ended: vec![false; recording.calls.len()],
            syncing: BTreeMap::new(),
            played: 0,
        }
    }

    /// Plays on, up to this many moments from the start.
    pub fn play_to(&mut self, moments: usize) {
        while self.played < moments {
            match self.recording.moments[self.played] {
                Moment::Begin(call) => self.begin(call),
                Moment::End(call) => self.end(call),
            }
            self.played += 1;
        }
    }

    fn begin(&mut self, call: usize) {
        match &self.recording.calls[call] {
            Call::Make { name } => {
                if !self.names_now.contains_key(name) {
                    self.inodes.push(Inode::default());
                    self.rename(call, name, Some(self.inodes.len() - 1));
                }
            }
            Call::Remove { name } => self.rename(call, name, None),
            Call::Write { name, .. } | Call::Cut { name, .. } => {
                if self.syncs == Syncs::OrderOnly && !is_log(name) {
                    self.settle_logs();
                }
                let inode = self.inode(name);
                self.inodes[inode].unsynced.push(call);
            }
            Call::Sync { name } => {
                let unsynced = self.inodes[self.inode(name)].unsynced.iter().copied();
                let covered: Vec<usize> = unsynced.filter(|call| self.ended[*call]).collect();
                self.syncing.insert(call, covered);
            }
            Call::SyncFolder => {
                let covered = self.names_unsynced.iter().map(|renamed| renamed.call);
                let covered = covered.filter(|call| self.ended[*call]).collect();
                self.syncing.insert(call, covered);
            }
            Call::Say { .. } => {}
        }
    }

    fn end(&mut self, call: usize) {
        self.ended[call] = true;
        let Some(covered) = self.syncing.remove(&call) else { return };
        match &self.recording.calls[call] {
            Call::Sync { name } if self.is_honest(call, name, &covered) => {
                // A file that is gone by now needs no sync.
                if let Some(inode) = self.names_now.get(name).copied() {
                    self.settle(inode, &covered);
                }
            }
            Call::SyncFolder if self.syncs != Syncs::None => {
                let (settled, left) = self.names_unsynced.drain(..).partition(|it| covered.contains(&it.call));
                self.names_unsynced = left;
                let settled: Vec<Renamed> = settled;
                for renamed in &settled {
                    apply_name(&mut self.names_durable, renamed);
                }
            }
            Call::Sync { .. }
            | Call::SyncFolder
            | Call::Make { .. }
            | Call::Write { .. }
            | Call::Cut { .. }
            | Call::Remove { .. }
            | Call::Say { .. } => {}
        }
    }

    fn is_honest(&self, call: usize, name: &str, covered: &[usize]) -> bool {
        let starts_over =
            |call: &usize| matches!(self.recording.calls[*call], Call::Write { offset: 0, .. } | Call::Cut { .. });
        match self.syncs {
            Syncs::All => true,
            Syncs::OrderOnly => !is_log(name) || covered.iter().any(starts_over),
            Syncs::Few => Dice::new(call).roll(4) == 0,
            Syncs::None => false,
        }
    }

    fn inode(&self, name: &str) -> usize {
        *self.names_now.get(name).expect("a file is made before it is used")
    }

    fn rename(&mut self, call: usize, name: &str, to: Option<usize>) {
        match to {
            Some(inode) => self.names_now.insert(name.to_owned(), inode),
            None => self.names_now.remove(name),
        };
        self.names_unsynced.push(Renamed { call, name: name.to_owned(), to });
    }

    fn settle_logs(&mut self) {
        let logs = self.names_now.iter().filter(|(name, _)| is_log(name)).map(|(_, inode)| *inode);
        for inode in logs.collect::<Vec<_>>() {
            let all = self.inodes[inode].unsynced.clone();
            self.settle(inode, &all);
        }
    }

    fn settle(&mut self, inode: usize, covered: &[usize]) {
        let Inode { durable, unsynced } = &mut self.inodes[inode];
        for call in covered {
            apply(durable, &self.recording.calls[*call]);
        }
        unsynced.retain(|call| !covered.contains(call));
    }

    /// How many changes could be lost now.
    pub fn unsynced_count(&self) -> usize {
        self.names_now.values().map(|inode| self.inodes[*inode].unsynced.len()).sum()
    }

    /// What the files are if the power goes now.
    pub fn files(&self, fate: Fate, dice: &mut Dice) -> Files {
        let names = self.names(fate, dice);
        names.into_iter().map(|(name, inode)| (name, self.contents(&self.inodes[inode], fate, dice))).collect()
    }

    /// Each name by itself: changes of one name do not overtake each other.
    fn names(&self, fate: Fate, dice: &mut Dice) -> BTreeMap<String, usize> {
        let mut names = self.names_durable.clone();
        let mut stuck: Vec<&str> = Vec::new();
        for renamed in &self.names_unsynced {
            let happens = match fate {
                Fate::Lost => false,
                Fate::Kept => true,
                Fate::Some | Fate::TornAtTheEnd | Fate::Reordered | Fate::Garbled => dice.roll(2) == 0,
            };
            if happens && !stuck.contains(&renamed.name.as_str()) {
                apply_name(&mut names, renamed);
            } else {
                stuck.push(&renamed.name);
            }
        }
        names
    }

    fn contents(&self, inode: &Inode, fate: Fate, dice: &mut Dice) -> Vec<u8> {
        let mut bytes = inode.durable.clone();
        let border = dice.roll(inode.unsynced.len() + 1);
        for (index, call) in inode.unsynced.iter().enumerate() {
            let call = &self.recording.calls[*call];
            let (is_there, is_torn) = match fate {
                Fate::Lost => (false, false),
                Fate::Kept => (true, false),
                Fate::Some => (dice.roll(2) == 0, false),
                Fate::TornAtTheEnd => (index < border, index == border),
                Fate::Reordered => (index >= border, false),
                Fate::Garbled => (false, true),
            };
            if is_torn {
                tear(&mut bytes, call, dice);
            } else if is_there {
                apply(&mut bytes, call);
            }
        }
        bytes
    }
}

fn is_log(name: &str) -> bool {
    name.ends_with("-wal")
}

fn apply_name(names: &mut BTreeMap<String, usize>, renamed: &Renamed) {
    match renamed.to {
        Some(inode) => names.insert(renamed.name.clone(), inode),
        None => names.remove(&renamed.name),
    };
}

fn apply(file: &mut Vec<u8>, call: &Call) {
    match call {
        Call::Write { offset, bytes, .. } => put(file, *offset, bytes),
        Call::Cut { length, .. } => file.resize(*length, 0),
        Call::Make { .. } | Call::Sync { .. } | Call::SyncFolder | Call::Remove { .. } | Call::Say { .. } => {}
    }
}

fn put(file: &mut Vec<u8>, offset: usize, bytes: &[u8]) {
    let end = offset + bytes.len();
    if file.len() < end {
        file.resize(end, 0);
    }
    file[offset..end].copy_from_slice(bytes);
}

/// Sector by sector: new, old, or anything.
fn tear(file: &mut Vec<u8>, call: &Call, dice: &mut Dice) {
    let Call::Write { offset, bytes, .. } = call else {
        if dice.roll(2) == 0 {
            apply(file, call);
        }
        return;
    };
    let (mut at, mut rest) = (*offset, bytes.as_slice());
    while !rest.is_empty() {
        let (piece, after) = rest.split_at(rest.len().min(SECTOR_BYTES - at % SECTOR_BYTES));
        match dice.roll(8) {
            0..4 => put(file, at, piece),
            4..6 => {}
            6 => put(file, at, &vec![0; piece.len()]),
            _ => {
                let noise = piece.iter().map(|_| u8::try_from(dice.roll(256)).expect("below 256"));
                put(file, at, &noise.collect::<Vec<u8>>());
            }
        }
        (at, rest) = (at + piece.len(), after);
    }
}

/// Puts the files into an empty folder.
pub fn write_files(folder: &Path, files: &Files) -> Result<()> {
    for (name, bytes) in files {
        fs::write(folder.join(name), bytes)?;
    }
    Ok(())
}
