//! One consistent read of the file, beside whoever writes to it. While it lasts, the write-ahead log cannot start over
//! (ADR 13), so it grows by whatever is committed meanwhile.

use std::path::Path;

use rusqlite::Connection;
use surehold_core::kernel::{ColumnType, Corrupt, Row, Timestamp, Value};
use surehold_engine::{OwnedValue, Snapshot, SnapshotError};

use crate::store::{
    OpenError, borrowed, check_all, named, open_reader, real_path, require_ours, require_sound_at_rest, system_clock,
};
use crate::values::{Param, read};

#[derive(Debug)]
pub struct SqliteSnapshot {
    connection: Connection,
}

impl SqliteSnapshot {
    /// Of a file with the schema that this binary knows.
    pub fn open(path: &Path) -> Result<SqliteSnapshot, OpenError> {
        // The real name: the lock is beside it.
        let path = &real_path(path).map_err(|source| OpenError::Io { path: path.to_owned(), source })?;
        require_sound_at_rest(path)?;
        let here = |error: rusqlite::Error| named(path, error.into());
        // Not as a file at rest: somebody may begin to write to it meanwhile.
        let connection = open_reader(path).map_err(here)?;
        require_ours(&connection, path).map_err(|error| named(path, error))?;
        // The first read after this decides what is seen; it happens here, not when somebody asks.
        connection.execute_batch("begin deferred; select count(*) from schema_migrations").map_err(here)?;
        check_all(&connection, path).map_err(|error| named(path, error))?;
        Ok(SqliteSnapshot { connection })
    }
}

impl Snapshot for SqliteSnapshot {
    fn clock(&mut self) -> Result<Timestamp, SnapshotError> {
        Ok(system_clock())
    }

    fn each(
        &mut self,
        sql: &str,
        params: &[OwnedValue],
        columns: &[ColumnType],
        visit: &mut dyn FnMut(&mut dyn Row),
    ) -> Result<(), SnapshotError> {
        self.visit(sql, params, columns, visit).map_err(SnapshotError::new)
    }
}

impl SqliteSnapshot {
    fn visit(
        &self,
        sql: &str,
        params: &[OwnedValue],
        columns: &[ColumnType],
        visit: &mut dyn FnMut(&mut dyn Row),
    ) -> rusqlite::Result<()> {
        let mut statement = self.connection.prepare_cached(sql)?;
        for (index, param) in params.iter().enumerate() {
            if let Some(position) = statement.parameter_index(&format!("${}", index + 1))? {
                statement.raw_bind_parameter(position, Param(borrowed(param)))?;
            }
        }
        let mut rows = statement.raw_query();
        while let Some(row) = rows.next()? {
            visit(&mut SeenRow { row, columns, next: 0 });
        }
        Ok(())
    }
}

struct SeenRow<'r, 's> {
    row: &'r rusqlite::Row<'s>,
    columns: &'r [ColumnType],
    next: usize,
}

impl Row for SeenRow<'_, '_> {
    fn next_value(&mut self) -> Result<Value<'_>, Corrupt> {
        let kind = self.columns.get(self.next).ok_or_else(|| Corrupt::new("a row that is too short"))?;
        let found = self.row.get_ref(self.next).map_err(|error| Corrupt::new(error.to_string()))?;
        self.next += 1;
        read(*kind, found)
    }
}
