//! What `doctor` found out, before anybody judges it.

use std::path::PathBuf;

use surehold_postgres::PostgresFacts;
use surehold_sqlite::SqliteFacts;

use crate::accounts::AccountFacts;

#[derive(Clone, Debug)]
pub(super) struct Facts {
    pub(super) store: StoreFacts,
    pub(super) folder: FolderFacts,
    pub(super) server: ServerFacts,
    pub(super) kernel: Option<String>,
    pub(super) open_files_max: Option<u64>,
    /// Files of the configuration that cannot be read, and why.
    pub(super) unreadable_files: Vec<(PathBuf, String)>,
    /// The file with the accounts at Stripe, if the configuration names one.
    pub(super) accounts: Option<AccountsFile>,
}

#[derive(Clone, Debug)]
pub(super) enum AccountsFile {
    /// Says why, and what to do.
    Unusable(String),
    Read {
        path: PathBuf,
        /// Permission bits.
        mode: Option<u32>,
        accounts: Vec<AccountFacts>,
    },
}

#[derive(Clone, Debug)]
pub(super) enum StoreFacts {
    /// A file that the first start will make.
    Absent(PathBuf),
    /// Nothing could be asked; says why.
    Unreachable(String),
    Sqlite(SqliteFacts, SchemaFacts),
    Postgres(PostgresFacts, SchemaFacts),
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum SchemaFacts {
    /// The migrations that are still to be run.
    Pending(Vec<String>),
    /// This binary cannot live with it; says why.
    Refused(String),
    /// A standby has the schema of its primary, which is the one to ask.
    NotAsked,
}

/// The folder of the file or, for Postgres, the data folder.
#[derive(Clone, Debug, Default)]
pub(super) struct FolderFacts {
    pub(super) path: PathBuf,
    /// Permission bits, if the folder exists. All else is then about it, and otherwise about the nearest that exists.
    pub(super) mode: Option<u32>,
    pub(super) file_system: Option<String>,
    /// Free for this user, and in all.
    pub(super) bytes: Option<(u64, u64)>,
    /// The median of a few `fdatasync` after small writes.
    pub(super) flush_micros: Option<u64>,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct ServerFacts {
    /// The process that has the file's lock.
    pub(super) lock_held_by: Option<u32>,
    pub(super) socket_answers: bool,
}
