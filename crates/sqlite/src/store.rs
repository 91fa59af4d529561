//! Opening the file safely: sound, ours alone to write, with the schema that this binary knows.

use std::ffi::OsString;
use std::fs::{File, OpenOptions, TryLockError};
use std::io::ErrorKind;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use rusqlite::types::ValueRef;
use rusqlite::{Connection, ErrorCode, OpenFlags, Statement};
use surehold_core::kernel::{Timestamp, Value};
use surehold_engine::{
    BoxFuture, Fault, LaneQueue, OwnedValue, ReadRow, SchemaError, Scope, Store, StoreError, block_on,
};
use thiserror::Error;
use tokio::sync::Semaphore;
use tokio::time::timeout;
use tracing::{error, warn};

use crate::ceiling::Ceiling;
use crate::guard::let_write_stock;
use crate::log::{LogKeeper, start_over};
use crate::migrate::apply_pending;
use crate::session::SqliteSession;
use crate::values::Param;
use crate::wal;

/// Earlier versions have a bug in the write-ahead log that can lose a commit.
const SQLITE_VERSION_MIN: i32 = 3_051_003;
/// Checking reads the whole file, and a server that was killed is to be back within a second.
const CHECKED_BYTES_MAX: u64 = 64 << 20;
pub(crate) const BUSY_TIMEOUT: Duration = Duration::from_secs(5);

/// Tells the time to the writer. Injected, so that tests and simulations can turn it.
pub type Clock = Arc<dyn Fn() -> Timestamp + Send + Sync>;

#[derive(Debug, Error)]
pub enum OpenError {
    #[error("another process writes to {}; stop it, or use its API. Reading beside it is fine", path.display())]
    InUse { path: PathBuf },
    #[error("{} is damaged: {what}. Keep it with its -wal and -shm, then restore a backup in their place: replace the file and remove \
         both, or what they hold is mixed into it", path.display())]
    Damaged { path: PathBuf, what: String },
    #[error("{} is a database of something else; choose another file", path.display())]
    NotOurs { path: PathBuf },
    #[error("{} is on a file system without shared memory, which durability needs; put it on a local disk", path.display())]
    NoWriteAheadLog { path: PathBuf },
    #[error("this build carries SQLite {found}; at least {SQLITE_VERSION_MIN} is needed")]
    SqliteTooOld { found: i32 },
    #[error(transparent)]
    Schema(#[from] SchemaError),
    #[error("cannot use {}", path.display())]
    Io { path: PathBuf, source: std::io::Error },
    #[error("SQLite cannot use {} (its code is {}). See whether its disk has space and is sound, and who may read and \
         write it; if nothing helps, restore a backup", path.display(), extended_code(source))]
    Unusable { path: PathBuf, source: rusqlite::Error },
    /// Not yet known of which file: see [`named`].
    #[error(transparent)]
    Sqlite(#[from] rusqlite::Error),
}

/// Reads are short; more at once would only wait for the same cores.
const READS_AT_ONCE: usize = 32;
const READ_WAIT_MAX: Duration = Duration::from_secs(5);

pub struct SqliteStore {
    path: PathBuf,
    clock: Clock,
    ceiling: Option<Ceiling>,
    writer: Mutex<Option<Writer>>,
    readers: Arc<Mutex<Vec<Connection>>>,
    /// Each read has a connection and a thread while it lasts.
    reads: Semaphore,
}

struct Writer {
    connection: Connection,
    /// Held as long as the connection: the operating system lets go of it however the process ends.
    lock: File,
}

impl std::fmt::Debug for SqliteStore {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "SqliteStore({})", self.path.display())
    }
}

impl SqliteStore {
    /// Opens or makes the file, as its only writer.
    pub fn open(path: &Path) -> Result<SqliteStore, OpenError> {
        SqliteStore::open_with_clock(path, Arc::new(system_clock))
    }

    pub fn open_with_clock(given: &Path, clock: Clock) -> Result<SqliteStore, OpenError> {
        let Opened { path, writer, .. } = Opened::open(given)?;
        Ok(SqliteStore {
            path,
            clock,
            ceiling: None,
            writer: Mutex::new(Some(writer)),
            readers: Arc::default(),
            reads: Semaphore::new(READS_AT_ONCE),
        })
    }

    /// For the lab: the file does not grow while there is a file of that name.
    #[must_use]
    pub fn full_while(self, mark: PathBuf) -> SqliteStore {
        SqliteStore { ceiling: Some(Ceiling { mark }), ..self }
    }
}

/// The file, ours to write and migrated.
pub(crate) struct Opened {
    path: PathBuf,
    writer: Writer,
    /// The names of the migrations that it needed.
    pub(crate) applied: Vec<String>,
}

impl Opened {
    pub(crate) fn open(given: &Path) -> Result<Opened, OpenError> {
        let found = rusqlite::version_number();
        if found < SQLITE_VERSION_MIN {
            return Err(OpenError::SqliteTooOld { found });
        }
        // Under its real name: two names of one file must meet the same lock.
        let path = std::path::absolute(given).and_then(|path| real_path(&path));
        let path = path.map_err(|source| OpenError::Io { path: given.to_owned(), source })?;
        let lock = lock(&path)?;
        // Before SQLite, which would forget what follows the damage and go on.
        if let Some(what) = log_damage(&path)? {
            return Err(OpenError::Damaged { path, what });
        }
        let (connection, applied) = open_writer(&path).map_err(|error| named(&path, error))?;
        Ok(Opened { path, writer: Writer { connection, lock }, applied })
    }
}

/// An error of SQLite says of which file it is, and what to do.
pub(crate) fn named(path: &Path, error: OpenError) -> OpenError {
    let path = || path.to_owned();
    match error {
        OpenError::Sqlite(error) if is_damage(&error) => OpenError::Damaged { path: path(), what: error.to_string() },
        OpenError::Sqlite(source) => OpenError::Unusable { path: path(), source },
        error => error,
    }
}

fn extended_code(error: &rusqlite::Error) -> i32 {
    error.sqlite_error().map_or(0, |error| error.extended_code)
}

/// What is asked while opening is sound. If it cannot be asked, or the answer cannot be read, it is not what was written.
fn is_damage(error: &rusqlite::Error) -> bool {
    use rusqlite::Error;
    match error {
        Error::SqlInputError { .. }
        | Error::Utf8Error(..)
        | Error::FromSqlConversionFailure(..)
        | Error::InvalidColumnType(..)
        | Error::IntegralValueOutOfRange(..) => true,
        error => {
            matches!(error.sqlite_error_code(), Some(ErrorCode::NotADatabase | ErrorCode::DatabaseCorrupt))
        }
    }
}

/// Links resolved; the file itself need not exist yet.
pub(crate) fn real_path(path: &Path) -> std::io::Result<PathBuf> {
    match (path.canonicalize(), path.parent(), path.file_name()) {
        (Err(error), Some(folder), Some(name)) if error.kind() == ErrorKind::NotFound => {
            Ok(folder.canonicalize()?.join(name))
        }
        (real, _, _) => real,
    }
}

/// Also tells which migrations were applied.
fn open_writer(path: &Path) -> Result<(Connection, Vec<String>), OpenError> {
    // One thread uses it, so SQLite need not lock against others.
    let flags = OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_CREATE | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    let mut connection = Connection::open_with_flags(path, flags)?;
    require_ours(&connection, path)?;
    configure(&connection, path)?;
    check(&connection, path)?;
    let applied = apply_pending(&mut connection)?;
    Ok((connection, applied))
}

/// Somebody else's database must not be changed because of a mistyped path.
pub(crate) fn require_ours(connection: &Connection, path: &Path) -> Result<(), OpenError> {
    let sql = "select count(*), coalesce(sum(name = 'schema_migrations'), 0) from sqlite_schema where type = 'table'";
    let (tables, ours): (i64, i64) = connection.query_row(sql, [], |row| Ok((row.get(0)?, row.get(1)?)))?;
    if tables > 0 && ours == 0 { Err(OpenError::NotOurs { path: path.to_owned() }) } else { Ok(()) }
}

pub(crate) fn system_clock() -> Timestamp {
    let elapsed = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    Timestamp::from_micros(i64::try_from(elapsed.as_micros()).unwrap_or(i64::MAX))
}

fn log_damage(path: &Path) -> Result<Option<String>, OpenError> {
    wal::damage(path).map_err(|source| OpenError::Io { path: path.to_owned(), source })
}

/// Whoever looks whether somebody writes has the lock for an instant.
const LOCK_TRIES: u32 = 5;
const LOCK_PAUSE: Duration = Duration::from_millis(20);

/// SQLite itself would let two processes take turns writing, each with its own idea of what is cached and queued.
fn lock(path: &Path) -> Result<File, OpenError> {
    let io = |source| OpenError::Io { path: path.to_owned(), source };
    let file = OpenOptions::new().create(true).truncate(false).write(true).open(lock_name(path)).map_err(io)?;
    for tried in 1..=LOCK_TRIES {
        match file.try_lock() {
            Ok(()) => return Ok(file),
            Err(TryLockError::WouldBlock) if tried < LOCK_TRIES => std::thread::sleep(LOCK_PAUSE),
            Err(TryLockError::WouldBlock) => {}
            Err(TryLockError::Error(source)) => return Err(io(source)),
        }
    }
    Err(OpenError::InUse { path: path.to_owned() })
}

fn lock_name(path: &Path) -> OsString {
    let mut name = path.as_os_str().to_owned();
    name.push(".lock");
    name
}

fn has_writer(path: &Path) -> std::io::Result<bool> {
    let file = match File::open(lock_name(path)) {
        Ok(file) => file,
        Err(error) if error.kind() == ErrorKind::NotFound => return Ok(false),
        Err(error) => return Err(error),
    };
    match file.try_lock_shared() {
        Ok(()) => Ok(false),
        Err(TryLockError::WouldBlock) => Ok(true),
        Err(TryLockError::Error(error)) => Err(error),
    }
}

/// Refuses a file at rest that its writer would refuse. Whoever writes to it has looked, and its log changes all the time.
pub(crate) fn require_sound_at_rest(path: &Path) -> Result<(), OpenError> {
    let io = |source| OpenError::Io { path: path.to_owned(), source };
    if has_writer(path).map_err(io)? {
        return Ok(());
    }
    let Some(what) = log_damage(path)? else { return Ok(()) };
    // Unless somebody has begun to write meanwhile, and what was read is of two logs.
    if has_writer(path).map_err(io)? || log_damage(path)?.as_ref() != Some(&what) {
        return Ok(());
    }
    Err(OpenError::Damaged { path: path.to_owned(), what })
}

fn configure(connection: &Connection, path: &Path) -> Result<(), OpenError> {
    connection.busy_timeout(BUSY_TIMEOUT)?;
    let mode: String = connection.pragma_update_and_check(None, "journal_mode", "wal", |row| row.get(0))?;
    if mode != "wal" {
        return Err(OpenError::NoWriteAheadLog { path: path.to_owned() });
    }
    // Every commit is on the disk before it is answered; NORMAL could lose acknowledged ones on power loss.
    connection.pragma_update(None, "synchronous", "full")?;
    // Where `fsync` does not ask the disk to empty its cache; elsewhere it changes nothing.
    connection.pragma_update(None, "fullfsync", true)?;
    connection.pragma_update(None, "cache_size", -131_072)?;
    connection.pragma_update(None, "temp_store", "memory")?;
    connection.pragma_update(None, "trusted_schema", false)?;
    let_write_stock(connection)?;
    // A log that a long reader made grow is cut back when the reader is gone.
    connection.pragma_update(None, "journal_size_limit", 64 << 20)?;
    Ok(())
}

fn check(connection: &Connection, path: &Path) -> Result<(), OpenError> {
    let bytes = std::fs::metadata(path).map_or(0, |metadata| metadata.len());
    if bytes > CHECKED_BYTES_MAX {
        warn!("Not checking all of {}, which has {bytes} bytes; `surehold audit` does", path.display());
        return Ok(());
    }
    check_all(connection, path)
}

/// Whether all pages fit together.
pub(crate) fn check_all(connection: &Connection, path: &Path) -> Result<(), OpenError> {
    let what: String = connection.query_row("pragma quick_check(1)", [], |row| row.get(0))?;
    if what == "ok" { Ok(()) } else { Err(OpenError::Damaged { path: path.to_owned(), what }) }
}

impl Store for SqliteStore {
    /// There is one writer.
    fn lane_count(&self) -> usize {
        1
    }

    fn start(&self, queues: Vec<LaneQueue>) -> Result<(), StoreError> {
        let writer = self.writer.lock().expect("nothing panics while holding it").take();
        let writer = writer.ok_or_else(|| StoreError::Unavailable("the store was started before".into()))?;
        let (clock, path, ceiling) = (Arc::clone(&self.clock), self.path.clone(), self.ceiling.clone());
        let runtime = tokio::runtime::Builder::new_current_thread().enable_time().build();
        let runtime = runtime.map_err(|error| StoreError::Unavailable(error.into()))?;
        let serve = move || {
            // Taken apart here: a closure captures only the parts that it uses, and the lock must not stay behind.
            let Writer { mut connection, lock } = writer;
            let mut ended = Vec::new();
            let log = LogKeeper::of(&path, &mut connection);
            match log.and_then(|log| SqliteSession::new(&connection, clock, log)) {
                Ok(session) => {
                    let mut session = session.with_ceiling(ceiling);
                    ended.extend(queues.into_iter().map(|queue| block_on(&runtime, queue.serve(&mut session))));
                }
                Err(error) => error!(%error, "Cannot prepare the writer: {error}"),
            }
            // Idle readers would keep it: whoever copies a stopped file needs nothing beside it.
            if let Err(error) = start_over(&connection) {
                warn!(%error, "Cannot empty the write-ahead log: {error}");
            }
            drop(connection);
            drop(lock);
            ended
        };
        let thread = std::thread::Builder::new().name("surehold-writer".to_owned()).spawn(serve);
        thread.map(drop).map_err(|error| StoreError::Unavailable(error.into()))
    }

    fn clock(&self) -> BoxFuture<'_, Result<Timestamp, Fault>> {
        Box::pin(async { Ok((self.clock)()) })
    }

    fn query_each<'a>(
        &'a self,
        _scope: Scope,
        sql: &'a str,
        each: Vec<Vec<OwnedValue>>,
    ) -> BoxFuture<'a, Result<Vec<ReadRow>, Fault>> {
        let (path, readers, sql) = (self.path.clone(), Arc::clone(&self.readers), sql.to_owned());
        let read = move || {
            let idle = readers.lock().expect("nothing panics while holding it").pop();
            let reader = idle.map_or_else(|| open_reader(&path), Ok)?;
            let rows = read_rows(&reader, &sql, &each);
            readers.lock().expect("nothing panics while holding it").push(reader);
            rows
        };
        Box::pin(async move {
            let _turn = timeout(READ_WAIT_MAX, self.reads.acquire()).await.map_err(|_| Fault::Busy)?;
            let rows = tokio::task::spawn_blocking(read).await.map_err(|_| Fault::Unavailable)?;
            rows.map_err(|error: rusqlite::Error| {
                error!(%error, "Cannot read: {error}");
                Fault::Unavailable
            })
        })
    }
}

pub(crate) fn open_reader(path: &Path) -> rusqlite::Result<Connection> {
    let flags = OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    let connection = Connection::open_with_flags(path, flags)?;
    connection.busy_timeout(BUSY_TIMEOUT)?;
    connection.pragma_update(None, "query_only", true)?;
    Ok(connection)
}

/// One set of parameters after the other.
pub(crate) fn read_rows(reader: &Connection, sql: &str, each: &[Vec<OwnedValue>]) -> rusqlite::Result<Vec<ReadRow>> {
    let mut statement = reader.prepare_cached(sql)?;
    let mut found = Vec::new();
    for params in each {
        add_rows(&mut statement, params, &mut found)?;
    }
    Ok(found)
}

fn add_rows(statement: &mut Statement<'_>, params: &[OwnedValue], found: &mut Vec<ReadRow>) -> rusqlite::Result<()> {
    for (index, param) in params.iter().enumerate() {
        let name = format!("${}", index + 1);
        if let Some(position) = statement.parameter_index(&name)? {
            statement.raw_bind_parameter(position, Param(borrowed(param)))?;
        }
    }
    let column_count = statement.column_count();
    let mut rows = statement.raw_query();
    while let Some(row) = rows.next()? {
        let values = (0..column_count).map(|index| row.get_ref(index).map(owned));
        found.push(ReadRow(values.collect::<rusqlite::Result<_>>()?));
    }
    Ok(())
}

pub(crate) fn borrowed(value: &OwnedValue) -> Value<'_> {
    match value {
        OwnedValue::Null => Value::Null,
        OwnedValue::Int(int) => Value::Int(*int),
        OwnedValue::Bool(bool) => Value::Bool(*bool),
        OwnedValue::Text(text) => Value::Text(text),
        OwnedValue::Bytes(bytes) => Value::Bytes(bytes),
        OwnedValue::Uuid(uuid) => Value::Uuid(*uuid),
        OwnedValue::Time(time) => Value::Time(*time),
    }
}

fn owned(value: ValueRef<'_>) -> OwnedValue {
    match value {
        // No table has a column for reals, and no query makes one.
        ValueRef::Null | ValueRef::Real(_) => OwnedValue::Null,
        ValueRef::Integer(int) => OwnedValue::Int(int),
        ValueRef::Text(text) => OwnedValue::Text(String::from_utf8_lossy(text).into_owned()),
        ValueRef::Blob(bytes) => OwnedValue::Bytes(bytes.to_vec()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_commit_goes_to_the_disk() {
        const FULL: i64 = 2;
        assert_eq!(pragma("synchronous"), rusqlite::types::Value::Integer(FULL));
        assert_eq!(pragma("fullfsync"), rusqlite::types::Value::Integer(1));
        assert_eq!(pragma("journal_mode"), rusqlite::types::Value::Text("wal".to_owned()));
    }

    /// Of the writer of a new file.
    fn pragma(name: &str) -> rusqlite::types::Value {
        let folder = tempfile::tempdir().unwrap();
        let store = SqliteStore::open(&folder.path().join("t.db")).unwrap();
        let writer = store.writer.lock().unwrap();
        writer.as_ref().unwrap().connection.pragma_query_value(None, name, |row| row.get(0)).unwrap()
    }
}
