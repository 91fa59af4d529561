//! A writing connection. Round trip one: begin, turns, clock, journal heads, loads. Round trip two: writes, journal,
//! commit. Further loads, where a decision asks for them, come between.

use std::sync::Arc;
use std::sync::atomic::{AtomicI64, Ordering};

use surehold_core::kernel::{TABLES, Table, TenantId};
use surehold_engine::{Session, StoreError, TenantWork, Turns};
use tokio_postgres::error::{Severity, SqlState};
use tokio_postgres::{Client, Error as PgError, Row, SimpleQueryMessage, Statement};
use tracing::{debug, error};
use uuid::Uuid;

use crate::blocks::{Journal, Loads, Verb, Writes};
use crate::connect::Address;
use crate::pipeline::{Sent, in_order};
use crate::statements;
use crate::values::{LoadedRow, PgTime};

pub(crate) struct PostgresSession {
    address: Address,
    clock_offset_micros: Arc<AtomicI64>,
    live: Option<Live>,
    /// Clock and journal heads have been read in this transaction.
    opened: bool,
}

/// A connection with its statements prepared.
struct Live {
    client: Client,
    kinds: Vec<KindStatements>,
    journal_heads: Statement,
    journal_insert: Statement,
    journal_batch: Statement,
}

struct KindStatements {
    table: &'static Table,
    load: Statement,
    load_due: Option<Statement>,
    insert: Statement,
    update: Statement,
    delete: Statement,
}

impl KindStatements {
    async fn prepare(client: &Client, table: &'static Table) -> Result<KindStatements, PgError> {
        let load_due = match statements::load_due(table) {
            Some(sql) => Some(client.prepare(&sql).await?),
            None => None,
        };
        Ok(KindStatements {
            table,
            load: client.prepare(&statements::load(table)).await?,
            load_due,
            insert: client.prepare(&statements::insert(table)).await?,
            update: client.prepare(&statements::update(table)).await?,
            delete: client.prepare(&statements::delete(table)).await?,
        })
    }
}

impl Live {
    async fn connect(address: &Address) -> Result<Live, PgError> {
        let client = address.connect().await?;
        client.batch_execute(statements::write_settings()).await?;
        let mut kinds = Vec::new();
        for table in TABLES {
            kinds.push(KindStatements::prepare(&client, table).await?);
        }
        let journal_heads = client.prepare(statements::JOURNAL_HEADS).await?;
        let journal_insert = client.prepare(statements::JOURNAL_INSERT).await?;
        let journal_batch = client.prepare(statements::JOURNAL_BATCH).await?;
        Ok(Live { client, kinds, journal_heads, journal_insert, journal_batch })
    }

    fn kind(&self, table: &'static Table) -> &KindStatements {
        let kind = self.kinds.iter().find(|kind| kind.table.name == table.name);
        kind.expect("every kind of record is listed in TABLES")
    }

    /// One round trip: begin with the turns that are free, then the journal heads, then everything asked for.
    /// False if a turn was not free; then nothing is taken in.
    async fn load(&self, tenants: &mut [TenantWork], begin: Option<String>, heads: Heads) -> Result<bool, StoreError> {
        let ids: Vec<i64> = tenants.iter().map(|work| work.tenant().0).collect();
        let (heads, rows) = {
            let loads = Loads::keys_of(tenants);
            let params: Vec<_> = loads.blocks.iter().map(|(_, block)| block.params()).collect();
            let mut sent: Vec<Sent<'_, Result<Answer, PgError>>> = Vec::new();
            if let Some(begin) = &begin {
                sent.push(Box::pin(async { self.client.simple_query(begin).await.map(Answer::Turns) }));
            }
            if let Heads::Read { clock_offset_micros } = &heads {
                let params: Vec<Param<'_>> = vec![&ids, clock_offset_micros];
                sent.push(Box::pin(self.query(&self.journal_heads, params)));
            }
            for ((table, _), params) in loads.blocks.iter().zip(params) {
                sent.push(Box::pin(self.query(&self.kind(table).load, params)));
            }
            let mut answers = all(in_order(sent).await).map_err(read_error)?.into_iter();
            if begin.is_some() && !answers.next().is_some_and(|answer| answer.all_turns_taken()) {
                return Ok(false);
            }
            let heads = matches!(heads, Heads::Read { .. }).then(|| answers.next()).flatten();
            let tables = loads.blocks.iter().map(|(table, _)| *table);
            (heads, tables.zip(answers).collect::<Vec<_>>())
        };
        for row in heads.iter().flat_map(Answer::rows) {
            let head: Option<i64> = row.get(1);
            let head = head.map(|seq| (seq, row.get::<_, PgTime>(2).0));
            let PgTime(clock) = row.get(3);
            work_of(tenants, row.get(0)).open(head, clock);
        }
        absorb(tenants, &rows)?;
        // What is due can only be asked for when the clock is known.
        self.load_due(tenants).await?;
        settle(tenants);
        Ok(true)
    }

    async fn load_due(&self, tenants: &mut [TenantWork]) -> Result<(), StoreError> {
        for work in tenants {
            let (tenant, now) = (work.tenant(), work.facts.now());
            for shelf in work.facts.shelves_mut().filter(|shelf| shelf.due_is_asked()) {
                let table = shelf.table();
                let load_due = self.kind(table).load_due.as_ref().expect("only kinds that can be due are asked for");
                let answer = self.query(load_due, vec![&tenant.0, &PgTime(now)]).await.map_err(read_error)?;
                for row in answer.rows() {
                    shelf.absorb_due(&mut LoadedRow { row, columns: table.columns, next: 0, first: 0 })?;
                }
            }
        }
        Ok(())
    }

    async fn query(&self, statement: &Statement, params: Vec<Param<'_>>) -> Result<Answer, PgError> {
        self.client.query(statement, &params).await.map(Answer::Rows)
    }

    /// Writes and commits in one round trip: if a statement fails, the commit that follows it rolls back.
    async fn write(&self, tenants: &[TenantWork], batch: Uuid) -> Result<(), PgError> {
        let writes = Writes::of(tenants);
        let journal = Journal::of(tenants);
        let mut counts = Vec::new();
        for write in &writes.blocks {
            counts.push(i64::try_from(write.block.rows()).expect("a bounded number of rows"));
        }
        let mut sent: Vec<Sent<'_, _>> = Vec::new();
        for (write, count) in writes.blocks.iter().zip(&counts) {
            let kind = self.kind(write.table);
            let mut params = write.block.params();
            let statement = match write.verb {
                Verb::Insert => &kind.insert,
                Verb::Update => &kind.update,
                Verb::Delete => &kind.delete,
            };
            if write.verb != Verb::Insert {
                params.push(count);
            }
            sent.push(Box::pin(async move { self.client.query(statement, &params).await.map(drop) }));
        }
        let Journal { tenants, seqs, ats, counts, events } = &journal;
        let journal: Vec<Param<'_>> = vec![tenants, seqs, &batch, ats, counts, events];
        sent.push(Box::pin(async move { self.client.execute(&self.journal_insert, &journal).await.map(drop) }));
        sent.push(Box::pin(async { self.client.batch_execute("commit").await }));
        all(in_order(sent).await).map(drop)
    }
}

/// Whether a round trip reads clock and journal heads: once per transaction, as soon as the turns are taken.
#[derive(Clone, Copy)]
enum Heads {
    Known,
    Read { clock_offset_micros: i64 },
}

enum Answer {
    Turns(Vec<SimpleQueryMessage>),
    Rows(Vec<Row>),
}

impl Answer {
    fn rows(&self) -> &[Row] {
        match self {
            Answer::Rows(rows) => rows,
            Answer::Turns(_) => &[],
        }
    }

    fn all_turns_taken(&self) -> bool {
        let Answer::Turns(messages) = self else { return false };
        messages.iter().all(|message| match message {
            SimpleQueryMessage::Row(row) => (0..row.len()).all(|index| row.get(index) == Some("t")),
            _ => true,
        })
    }
}

type Param<'a> = &'a (dyn tokio_postgres::types::ToSql + Sync);

fn absorb(tenants: &mut [TenantWork], loaded: &[(&'static Table, Answer)]) -> Result<(), StoreError> {
    for (table, answer) in loaded {
        for row in answer.rows() {
            let work = work_of(tenants, row.get(0));
            let shelf = work.facts.shelves_mut().find(|shelf| shelf.table().name == table.name);
            let shelf = shelf.expect("rows come for what was asked for");
            shelf.absorb(&mut LoadedRow { row, columns: table.columns, next: 1, first: 1 })?;
        }
    }
    Ok(())
}

fn settle(tenants: &mut [TenantWork]) {
    for work in tenants {
        work.facts.shelves_mut().for_each(|shelf| shelf.settle());
    }
}

fn work_of(tenants: &mut [TenantWork], tenant: i64) -> &mut TenantWork {
    let position = tenants.binary_search_by_key(&tenant, |work| work.tenant().0);
    &mut tenants[position.expect("rows come for tenants of the batch")]
}

/// All answers, or the first error: the ones behind it only say that the transaction is aborted.
fn all<T>(answers: Vec<Result<T, PgError>>) -> Result<Vec<T>, PgError> {
    answers.into_iter().collect()
}

/// The keys of the tenants' turns, sorted by the key itself, so that no two batches wait for each other in a circle.
fn turn_keys(tenants: &[i64]) -> Vec<i64> {
    let mut keys: Vec<i64> = tenants.iter().map(|tenant| turn_key(*tenant)).collect();
    keys.sort_unstable();
    keys.dedup();
    keys
}

/// Mixes the bits, so that other users of advisory locks in the database are not met by accident.
fn turn_key(tenant: i64) -> i64 {
    let mut bits = tenant.cast_unsigned().wrapping_add(0x9e37_79b9_7f4a_7c15);
    bits = (bits ^ (bits >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    bits = (bits ^ (bits >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    (bits ^ (bits >> 31)).cast_signed()
}

impl PostgresSession {
    pub(crate) fn new(address: Address, clock_offset_micros: Arc<AtomicI64>) -> PostgresSession {
        PostgresSession { address, clock_offset_micros, live: None, opened: false }
    }

    /// The connection, made anew if there is none.
    async fn live(&mut self) -> Result<&Live, StoreError> {
        if self.live.as_ref().is_none_or(|live| live.client.is_closed()) {
            let live = Live::connect(&self.address).await;
            self.live = Some(live.map_err(|error| StoreError::Unavailable(error.into()))?);
        }
        Ok(self.live.as_ref().expect("just connected"))
    }

    /// The connection that has the turns. A new one would not have them.
    fn transaction(&self) -> Result<&Live, StoreError> {
        self.live.as_ref().ok_or_else(|| StoreError::Unavailable("there is no transaction".into()))
    }

    fn heads(&self) -> Heads {
        if self.opened {
            return Heads::Known;
        }
        Heads::Read { clock_offset_micros: self.clock_offset_micros.load(Ordering::Relaxed) }
    }

    async fn take_turns(&mut self, tenants: &mut [TenantWork]) -> Result<Turns, StoreError> {
        self.opened = false;
        let heads = self.heads();
        let ids: Vec<i64> = tenants.iter().map(|work| work.tenant().0).collect();
        let keys = turn_keys(&ids);
        let live = self.live().await?;
        if live.load(tenants, Some(statements::begin_at_once(&keys)), heads).await? {
            self.opened = true;
            return Ok(Turns::AtOnce);
        }
        live.client.batch_execute(&statements::begin_waiting(&keys)).await.map_err(read_error)?;
        Ok(Turns::AfterWaiting)
    }

    /// After a failed step the connection is good again, or gone.
    async fn recover(&mut self) {
        let Some(live) = &self.live else { return };
        if live.client.is_closed() || live.client.batch_execute("rollback").await.is_err() {
            self.live = None;
        }
    }
}

impl Session for PostgresSession {
    async fn begin(&mut self, tenants: &mut [TenantWork]) -> Result<Turns, StoreError> {
        let begun = self.take_turns(tenants).await;
        if begun.is_err() {
            self.recover().await;
        }
        begun
    }

    async fn load(&mut self, tenants: &mut [TenantWork]) -> Result<(), StoreError> {
        let loaded = self.transaction()?.load(tenants, None, self.heads()).await;
        if loaded.is_err() {
            self.recover().await;
        }
        self.opened = true;
        loaded.map(drop)
    }

    async fn commit(&mut self, tenants: &[TenantWork], batch: Uuid) -> Result<(), StoreError> {
        let Err(error) = self.transaction()?.write(tenants, batch).await else { return Ok(()) };
        let error = write_error(error);
        if let StoreError::Unknown(_) = error {
            self.live = None;
        } else {
            self.recover().await;
        }
        Err(error)
    }

    async fn abandon(&mut self) {
        self.recover().await;
    }

    async fn has_committed(&mut self, tenant: TenantId, seq: i64, batch: Uuid) -> Result<bool, StoreError> {
        let live = self.live().await?;
        let begin = statements::begin_waiting(&turn_keys(&[tenant.0]));
        let asked = async {
            live.client.batch_execute(&begin).await?;
            live.client.query_opt(&live.journal_batch, &[&tenant.0, &seq]).await
        };
        let found = asked.await.map_err(read_error);
        self.recover().await;
        Ok(found?.is_some_and(|row| row.get::<_, Uuid>(0) == batch))
    }
}

/// An error before anything was committed.
fn read_error(error: PgError) -> StoreError {
    match error.code() {
        Some(code) if is_conflict(code) => StoreError::Conflict(error.into()),
        // The session was ended or the server is going down: nothing was written.
        Some(code) if !code.code().starts_with("57") && !code.code().starts_with("08") => {
            StoreError::Rejected(error.into())
        }
        _ => StoreError::Unavailable(error.into()),
    }
}

/// An error while committing. Only an ordinary error from the server proves that nothing was written.
fn write_error(error: PgError) -> StoreError {
    let Some(cause) = error.as_db_error() else { return StoreError::Unknown(error.into()) };
    if cause.parsed_severity() != Some(Severity::Error) {
        return StoreError::Unknown(error.into());
    }
    if cause.code().code() == "SH001" {
        error!(error = %cause, "A row was changed outside of the turn");
        return StoreError::Conflict(error.into());
    }
    debug!(error = %cause, "A batch failed to write: {cause}");
    match cause.code() {
        code if is_conflict(code) => StoreError::Conflict(error.into()),
        code if ["53", "57", "58"].iter().any(|class| code.code().starts_with(class)) => {
            StoreError::Unavailable(error.into())
        }
        _ => StoreError::Rejected(error.into()),
    }
}

fn is_conflict(code: &SqlState) -> bool {
    [
        SqlState::UNIQUE_VIOLATION,
        SqlState::T_R_SERIALIZATION_FAILURE,
        SqlState::T_R_DEADLOCK_DETECTED,
        SqlState::LOCK_NOT_AVAILABLE,
    ]
    .contains(code)
}
