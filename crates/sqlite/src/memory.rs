//! A database in memory, without the writing thread: simulations run a lane on it wherever they like, under a clock of
//! their own. As with a file, readers see what is committed and nothing else.

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex};

use rusqlite::config::DbConfig;
use rusqlite::{Connection, OpenFlags};
use surehold_engine::{OwnedValue, ReadRow, Session};

use crate::OpenError;
use crate::guard::let_write_stock;
use crate::log::LogKeeper;
use crate::migrate::apply_pending;
use crate::session::SqliteSession;
use crate::store::{Clock, read_rows};

/// All that the views ask, so that nothing is prepared twice.
const STATEMENTS_KEPT: usize = 200;

/// Vanishes with its last connection.
#[derive(Debug)]
pub struct MemoryDatabase {
    writer: Connection,
    reader: MemoryReader,
}

/// Reads beside the writer.
#[derive(Clone, Debug)]
pub struct MemoryReader(Arc<Mutex<Connection>>);

impl MemoryDatabase {
    /// Empty and migrated.
    pub fn open() -> Result<MemoryDatabase, OpenError> {
        static OPENED: AtomicU64 = AtomicU64::new(0);
        let number = OPENED.fetch_add(1, Ordering::Relaxed);
        let connect = || {
            let flags = OpenFlags::SQLITE_OPEN_READ_WRITE
                | OpenFlags::SQLITE_OPEN_CREATE
                | OpenFlags::SQLITE_OPEN_URI
                | OpenFlags::SQLITE_OPEN_NO_MUTEX;
            let connection = Connection::open_with_flags(format!("file:/surehold-{number}?vfs=memdb"), flags)?;
            connection.pragma_update(None, "temp_store", "memory")?;
            connection.pragma_update(None, "trusted_schema", false)?;
            let_write_stock(&connection)?;
            Ok::<Connection, rusqlite::Error>(connection)
        };
        let mut writer = connect()?;
        apply_pending(&mut writer)?;
        // A simulation starts over with everything gone.
        writer.execute_batch("drop trigger stock_moves_remain; drop trigger pools_tracked_end")?;
        let reader = connect()?;
        reader.pragma_update(None, "query_only", true)?;
        // Some plans of the views hang on what is asked for, and would be made anew for every question.
        reader.set_db_config(DbConfig::SQLITE_DBCONFIG_ENABLE_QPSG, true)?;
        reader.set_prepared_statement_cache_capacity(STATEMENTS_KEPT);
        Ok(MemoryDatabase { writer, reader: MemoryReader(Arc::new(Mutex::new(reader))) })
    }

    /// The one writing session: two at once would be in each other's way. Dropped in the middle of a transaction, it
    /// leaves it open; [`Session::abandon`] of the next one ends it.
    pub fn session(&self, clock: Clock) -> Result<impl Session + '_, OpenError> {
        Ok(SqliteSession::new(&self.writer, clock, LogKeeper::idle())?)
    }

    pub fn reader(&self) -> MemoryReader {
        self.reader.clone()
    }

    /// As if just opened.
    pub fn clear(&self) -> Result<(), OpenError> {
        let sql = "select name from sqlite_schema where type = 'table' and name <> 'schema_migrations' \
                   and name not like 'sqlite_%'";
        let mut tables = self.writer.prepare_cached(sql)?;
        let tables: Vec<String> = tables.query_map([], |row| row.get(0))?.collect::<rusqlite::Result<_>>()?;
        let deletes: String = tables.iter().map(|table| format!("delete from {table};")).collect();
        Ok(self.writer.execute_batch(&format!("begin immediate; {deletes} commit"))?)
    }
}

impl MemoryReader {
    pub fn query(&self, sql: &str, each: &[Vec<OwnedValue>]) -> rusqlite::Result<Vec<ReadRow>> {
        read_rows(&self.0.lock().expect("nothing panics while holding it"), sql, each)
    }
}
