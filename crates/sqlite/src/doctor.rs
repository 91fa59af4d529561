//! What a file is like, for `surehold doctor`. Facts only: what is unsafe is for the caller to judge. Reads without the
//! writer's lock, so that a server may be using the file.

use std::io::ErrorKind;
use std::path::{Path, PathBuf};

use rusqlite::{Connection, OpenFlags};

use crate::store::{OpenError, named, open_reader};

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SqliteFacts {
    pub path: PathBuf,
    pub sqlite_version: &'static str,
    pub journal_mode: String,
    /// What a connection begins with (2 is FULL). The one that writes sets FULL itself.
    pub synchronous: i64,
    pub file_bytes: u64,
    /// Zero where there is no write-ahead log.
    pub wal_bytes: u64,
    pub pages: i64,
    pub pages_free: i64,
}

pub fn facts_for_doctor(path: &Path) -> Result<SqliteFacts, OpenError> {
    let io = |source| OpenError::Io { path: path.to_owned(), source };
    let file_bytes = path.metadata().map_err(io)?.len();
    let wal_bytes = wal_bytes(path).map_err(io)?;
    let connection = open_without_trace(path).map_err(|error| named(path, error.into()))?;
    let number = |name: &str| pragma::<i64>(&connection, name).map_err(|error| named(path, error.into()));
    Ok(SqliteFacts {
        path: path.to_owned(),
        sqlite_version: rusqlite::version(),
        journal_mode: pragma(&connection, "journal_mode").map_err(|error| named(path, error.into()))?,
        synchronous: number("synchronous")?,
        file_bytes,
        wal_bytes,
        pages: number("page_count")?,
        pages_free: number("freelist_count")?,
    })
}

/// Opening a file that nobody has open makes a log beside it, which a reader cannot take away again. Such a file is at
/// rest, and is read as one that does not change.
pub(crate) fn open_without_trace(path: &Path) -> rusqlite::Result<Connection> {
    let wal_exists = wal_path(path).exists();
    match path.to_str().filter(|_| !wal_exists) {
        None => open_reader(path),
        Some(path) => {
            let path = path.replace('%', "%25").replace('?', "%3f").replace('#', "%23");
            let flags = OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_URI | OpenFlags::SQLITE_OPEN_NO_MUTEX;
            Connection::open_with_flags(format!("file:{path}?immutable=1"), flags)
        }
    }
}

fn wal_path(path: &Path) -> PathBuf {
    let mut wal = path.as_os_str().to_owned();
    wal.push("-wal");
    wal.into()
}

/// Looked at before the file is opened: opening alone may make a log.
fn wal_bytes(path: &Path) -> std::io::Result<u64> {
    match wal_path(path).metadata() {
        Ok(metadata) => Ok(metadata.len()),
        Err(error) if error.kind() == ErrorKind::NotFound => Ok(0),
        Err(error) => Err(error),
    }
}

fn pragma<T: rusqlite::types::FromSql>(connection: &Connection, name: &str) -> rusqlite::Result<T> {
    connection.pragma_query_value(None, name, |row| row.get(0))
}
