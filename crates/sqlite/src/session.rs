//! The writing connection. `BEGIN IMMEDIATE` is the turn of every tenant, because nobody else writes.

use rusqlite::{Connection, Error as SqliteError, ErrorCode, OptionalExtension, Statement};
use surehold_core::TABLES;
use surehold_core::kernel::{
    AnyRecordCells, Change, Corrupt, Encode, RemovedKey, Stored, Table, TenantId, Timestamp, Value,
};
use surehold_engine::{JournalHead, Session, StoreError, TenantWork, Turns};
use tracing::error;
use uuid::Uuid;

use crate::ceiling::Ceiling;
use crate::log::LogKeeper;
use crate::statements;
use crate::store::Clock;
use crate::values::{Binder, LoadedRow};

pub(crate) struct SqliteSession<'c> {
    connection: &'c Connection,
    clock: Clock,
    log: LogKeeper,
    ceiling: Option<Ceiling>,
    kinds: Vec<KindStatements<'c>>,
    journal_head: Statement<'c>,
    journal_insert: Statement<'c>,
    journal_batch: Statement<'c>,
    journal_trim: Statement<'c>,
}

/// Inserting this many rows at once saves the start and the end of as many statements.
const INSERT_MANY_ROWS: usize = 16;

struct KindStatements<'c> {
    table: &'static Table,
    load: Statement<'c>,
    load_due: Option<Statement<'c>>,
    insert: Statement<'c>,
    insert_many: Statement<'c>,
    update: Statement<'c>,
    delete: Statement<'c>,
}

impl<'c> KindStatements<'c> {
    fn prepare(connection: &'c Connection, table: &'static Table) -> rusqlite::Result<KindStatements<'c>> {
        Ok(KindStatements {
            table,
            load: connection.prepare(&statements::load(table))?,
            load_due: statements::load_due(table).map(|sql| connection.prepare(&sql)).transpose()?,
            insert: connection.prepare(&statements::insert(table, 1))?,
            insert_many: connection.prepare(&statements::insert(table, INSERT_MANY_ROWS))?,
            update: connection.prepare(&statements::update(table))?,
            delete: connection.prepare(&statements::delete(table))?,
        })
    }

    /// Reads all rows that the cells asked for.
    fn load(&mut self, tenant: TenantId, now: Timestamp, cells: &mut dyn AnyRecordCells) -> Result<(), StoreError> {
        let columns = self.table.columns;
        for index in 0..cells.asked_count() {
            let mut binder = Binder::new(&mut self.load);
            binder.bind(Value::Int(tenant.0));
            cells.write_asked(index, &mut binder);
            let mut rows = binder.query().map_err(store_error)?;
            if let Some(row) = rows.next().map_err(store_error)? {
                cells.absorb(&mut LoadedRow { row, columns, next: 0 })?;
            }
        }
        if let (true, Some(load_due)) = (cells.due_is_asked(), &mut self.load_due) {
            let mut binder = Binder::new(load_due);
            binder.bind(Value::Int(tenant.0));
            binder.bind(Value::Time(now));
            let mut rows = binder.query().map_err(store_error)?;
            while let Some(row) = rows.next().map_err(store_error)? {
                cells.absorb_due(&mut LoadedRow { row, columns, next: 0 })?;
            }
        }
        cells.settle();
        Ok(())
    }

    fn write_all(&mut self, tenant: TenantId, cells: &dyn AnyRecordCells) -> rusqlite::Result<Written> {
        let mut inserts: Vec<(&dyn Encode, i64)> = Vec::new();
        let mut written = Ok(Written::Yes);
        cells.changes(&mut |change| {
            if !matches!(written, Ok(Written::Yes)) {
                return;
            }
            match change {
                Change::Insert { record, version } => inserts.push((record, version)),
                Change::Update { record, version, stored } => {
                    written = self.update(tenant, record, version, stored);
                }
                Change::Delete { key, stored_version } => written = self.delete(tenant, key, stored_version),
            }
        });
        if let other @ (Written::AlreadyThere | Written::OtherVersion) = written? {
            return Ok(other);
        }
        let (many, few) = inserts.as_chunks::<INSERT_MANY_ROWS>();
        for rows in many {
            if insert(&mut self.insert_many, tenant, rows)? != rows.len() {
                return Ok(Written::AlreadyThere);
            }
        }
        for row in few {
            if insert(&mut self.insert, tenant, std::slice::from_ref(row))? != 1 {
                return Ok(Written::AlreadyThere);
            }
        }
        Ok(Written::Yes)
    }

    fn update(
        &mut self,
        tenant: TenantId,
        record: &dyn Encode,
        version: i64,
        stored: Stored,
    ) -> rusqlite::Result<Written> {
        let mut binder = Binder::new(&mut self.update);
        binder.bind(Value::Int(tenant.0));
        record.encode(&mut binder);
        binder.bind(Value::Int(version));
        binder.bind(Value::Int(stored.version));
        stored.counters_of(self.table).for_each(|units| binder.bind(Value::Int(units)));
        Ok(Written::once(binder.execute()?))
    }

    fn delete(&mut self, tenant: TenantId, key: RemovedKey<'_>, stored_version: i64) -> rusqlite::Result<Written> {
        let mut binder = Binder::new(&mut self.delete);
        binder.bind(Value::Int(tenant.0));
        key.encode(&mut binder);
        binder.bind(Value::Int(stored_version));
        Ok(Written::once(binder.execute()?))
    }
}

/// Returns how many rows were new.
fn insert(statement: &mut Statement<'_>, tenant: TenantId, rows: &[(&dyn Encode, i64)]) -> rusqlite::Result<usize> {
    let mut binder = Binder::new(statement);
    for (record, version) in rows {
        binder.bind(Value::Int(tenant.0));
        record.encode(&mut binder);
        binder.bind(Value::Int(*version));
    }
    binder.execute()
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Written {
    Yes,
    /// An insert met an existing key: the assumption that it was absent was wrong.
    AlreadyThere,
    /// Somebody wrote outside of the turn.
    OtherVersion,
}

impl Written {
    /// The guard of updates and deletes: exactly one row was what was expected.
    fn once(rows: usize) -> Written {
        if rows == 1 { Written::Yes } else { Written::OtherVersion }
    }
}

impl<'c> SqliteSession<'c> {
    pub(crate) fn new(connection: &'c Connection, clock: Clock, log: LogKeeper) -> rusqlite::Result<SqliteSession<'c>> {
        let kinds = TABLES.iter().map(|table| KindStatements::prepare(connection, table));
        Ok(SqliteSession {
            connection,
            clock,
            log,
            ceiling: None,
            kinds: kinds.collect::<rusqlite::Result<_>>()?,
            journal_head: connection.prepare(statements::JOURNAL_HEAD)?,
            journal_insert: connection.prepare(statements::JOURNAL_INSERT)?,
            journal_batch: connection.prepare(statements::JOURNAL_BATCH)?,
            journal_trim: connection.prepare(statements::JOURNAL_TRIM)?,
        })
    }

    pub(crate) fn with_ceiling(self, ceiling: Option<Ceiling>) -> SqliteSession<'c> {
        SqliteSession { ceiling, ..self }
    }

    fn take_turns(&mut self, tenants: &mut [TenantWork]) -> Result<(), StoreError> {
        if let Some(ceiling) = &self.ceiling {
            ceiling.look(self.connection).map_err(store_error)?;
        }
        self.connection.execute_batch("begin immediate").map_err(store_error)?;
        self.open_all(tenants)
    }

    fn open_all(&mut self, tenants: &mut [TenantWork]) -> Result<(), StoreError> {
        let clock = (self.clock)();
        for work in tenants.iter_mut() {
            let head = self.journal_head.query_row([work.tenant().0], |row| {
                let (batch, at) = (Uuid::from_bytes(row.get(1)?), Timestamp::from_micros(row.get(2)?));
                Ok(JournalHead { seq: row.get(0)?, batch, at })
            });
            work.open(head.optional().map_err(store_error)?, clock);
        }
        self.load_asked(tenants)
    }

    fn load_asked(&mut self, tenants: &mut [TenantWork]) -> Result<(), StoreError> {
        for work in tenants {
            let (tenant, now) = (work.tenant(), work.facts.now());
            for cells in work.facts.all_cells_mut() {
                kind_of(&mut self.kinds, cells.table()).load(tenant, now, cells.as_mut())?;
            }
        }
        Ok(())
    }

    fn write(&mut self, tenants: &[TenantWork], batch: Uuid) -> Result<(), StoreError> {
        for work in tenants.iter().filter(|work| work.facts.has_changes()) {
            let tenant = work.tenant();
            for cells in work.facts.all_cells() {
                let written = kind_of(&mut self.kinds, cells.table()).write_all(tenant, cells);
                check(written.map_err(store_error)?, cells.table())?;
            }
            let (events, count) = work.facts.events();
            let mut binder = Binder::new(&mut self.journal_insert);
            binder.bind(Value::Int(tenant.0));
            binder.bind(Value::Int(work.journal_seq));
            binder.bind(Value::Uuid(batch));
            binder.bind(Value::Time(work.facts.now()));
            binder.bind(Value::Int(i64::from(count)));
            binder.bind(Value::Bytes(events));
            binder.execute().map_err(store_error)?;
            if let Some(before_seq) = work.facts.journal_trim_before() {
                self.journal_trim.execute([tenant.0, before_seq]).map_err(store_error)?;
            }
        }
        self.connection.execute_batch("commit").map_err(commit_error)?;
        self.log.committed(self.connection);
        Ok(())
    }

    fn roll_back(&self) {
        if !self.connection.is_autocommit()
            && let Err(error) = self.connection.execute_batch("rollback")
        {
            error!(%error, "Cannot roll back: {error}");
        }
    }

    /// Ends the transaction if the step failed.
    fn or_roll_back<T>(&self, result: Result<T, StoreError>) -> Result<T, StoreError> {
        if result.is_err() {
            self.roll_back();
        }
        result
    }
}

fn kind_of<'k, 'c>(kinds: &'k mut [KindStatements<'c>], table: &'static Table) -> &'k mut KindStatements<'c> {
    let kind = kinds.iter_mut().find(|kind| kind.table.name == table.name);
    kind.expect("every kind of record is listed in TABLES")
}

fn check(written: Written, table: &'static Table) -> Result<(), StoreError> {
    match written {
        Written::Yes => Ok(()),
        Written::AlreadyThere => Err(StoreError::Conflict(format!("a row of {} exists already", table.name).into())),
        Written::OtherVersion => {
            Err(StoreError::Changed { table: table.name, source: "it is not what was loaded, or is gone".into() })
        }
    }
}

impl Session for SqliteSession<'_> {
    async fn begin(&mut self, tenants: &mut [TenantWork]) -> Result<Turns, StoreError> {
        let begun = self.take_turns(tenants);
        self.or_roll_back(begun).map(|()| Turns::AtOnce)
    }

    async fn open(&mut self, tenants: &mut [TenantWork]) -> Result<(), StoreError> {
        let opened = self.open_all(tenants);
        self.or_roll_back(opened)
    }

    async fn load(&mut self, tenants: &mut [TenantWork]) -> Result<(), StoreError> {
        let loaded = self.load_asked(tenants);
        self.or_roll_back(loaded)
    }

    async fn commit(&mut self, tenants: &[TenantWork], batch: Uuid) -> Result<(), StoreError> {
        let written = self.write(tenants, batch);
        self.or_roll_back(written)
    }

    async fn abandon(&mut self) {
        self.roll_back();
    }

    async fn has_committed(&mut self, tenant: TenantId, seq: i64, batch: Uuid) -> Result<bool, StoreError> {
        let found = self.journal_batch.query_row([tenant.0, seq], |row| row.get::<_, Vec<u8>>(0));
        let found = found.optional().map_err(store_error)?;
        Ok(found.is_some_and(|id| id == batch.as_bytes()))
    }
}

/// A commit that fails on the disk may have been written all the same, and be found after a crash.
fn commit_error(error: SqliteError) -> StoreError {
    match error.sqlite_error_code() {
        Some(ErrorCode::SystemIoFailure) => StoreError::Unknown(error.into()),
        _ => store_error(error),
    }
}

fn store_error(error: SqliteError) -> StoreError {
    match error.sqlite_error_code() {
        Some(ErrorCode::DatabaseCorrupt | ErrorCode::NotADatabase) => {
            StoreError::Corrupt(Corrupt::new(error.to_string()))
        }
        Some(ErrorCode::ConstraintViolation | ErrorCode::TypeMismatch | ErrorCode::TooBig) => {
            StoreError::Rejected(error.into())
        }
        // Busy, locked, disk full, I/O error: the statement did nothing and the transaction is rolled back.
        _ => StoreError::Unavailable(error.into()),
    }
}
