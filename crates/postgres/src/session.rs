//! A writing connection. Round trip one: begin, turns, clock, journal heads, loads. Round trip two: writes, journal,
//! commit. Further loads, where a decision asks for them, come between.

use std::sync::Arc;
use std::sync::atomic::{AtomicI64, Ordering};
use std::time::Duration;

use futures_util::future::try_join_all;
use surehold_core::TABLES;
use surehold_core::kernel::{Corrupt, Table, TenantId};
use surehold_engine::{JournalHead, Session, StoreError, TenantWork, Turns};
use tokio::time::error::Elapsed;
use tokio::time::timeout;
use tokio_postgres::{Client, Error as PgError, Row, SimpleQueryMessage, Statement};
use uuid::Uuid;

use crate::blocks::{Journal, Loads, Verb, Writes};
use crate::connect::Address;
use crate::errors::{WriteError, read_error, turn_error, write_error};
use crate::pipeline::{Broken, Sent, in_order};
use crate::statements;
use crate::values::{LoadedRow, PgTime};

pub(crate) struct PostgresSession {
    address: Address,
    clock_offset_micros: Arc<AtomicI64>,
    live: Option<Live>,
}

/// A connection with its statements prepared.
struct Live {
    client: Client,
    kinds: Vec<KindStatements>,
    journal_heads: Statement,
    journal_insert: Statement,
    journal_batch: Statement,
    journal_trim: Statement,
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
        let sql = (
            statements::load(table),
            statements::load_due(table),
            statements::insert(table),
            statements::update(table),
            statements::delete(table),
        );
        let load_due = async {
            match &sql.1 {
                Some(sql) => client.prepare(sql).await.map(Some),
                None => Ok(None),
            }
        };
        let (load, load_due, insert, update, delete) = tokio::try_join!(
            client.prepare(&sql.0),
            load_due,
            client.prepare(&sql.2),
            client.prepare(&sql.3),
            client.prepare(&sql.4),
        )?;
        Ok(KindStatements { table, load, load_due, insert, update, delete })
    }
}

impl Live {
    async fn connect(address: &Address) -> Result<Live, PgError> {
        let client = address.connect().await?;
        client.batch_execute(statements::write_settings()).await?;
        // All at once: one after the other, a lost connection would be missed for as many round trips.
        let kinds = try_join_all(TABLES.iter().map(|table| KindStatements::prepare(&client, table))).await?;
        let journal_heads = client.prepare(statements::JOURNAL_HEADS).await?;
        let journal_insert = client.prepare(statements::JOURNAL_INSERT).await?;
        let journal_batch = client.prepare(statements::JOURNAL_BATCH).await?;
        let journal_trim = client.prepare(statements::JOURNAL_TRIM).await?;
        Ok(Live { client, kinds, journal_heads, journal_insert, journal_batch, journal_trim })
    }

    fn kind(&self, table: &'static Table) -> &KindStatements {
        let kind = self.kinds.iter().find(|kind| kind.table.name == table.name);
        kind.expect("every kind of record is listed in TABLES")
    }

    /// One round trip: begin with the turns that are free, then the journal heads, then everything asked for.
    /// Returns the keys of turns that are not free; if there are any, nothing is taken in.
    async fn load(
        &self,
        tenants: &mut [TenantWork],
        begin: Option<String>,
        heads: Heads,
    ) -> Result<Vec<i64>, StoreError> {
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
            let mut answers = in_order(sent).await.map_err(|broken| read_error(broken.error))?.into_iter();
            let taken = begin.and_then(|_| answers.next()).map_or_else(Vec::new, |answer| answer.taken_turns());
            if !taken.is_empty() {
                return Ok(taken);
            }
            let heads = matches!(heads, Heads::Read { .. }).then(|| answers.next()).flatten();
            let tables = loads.blocks.iter().map(|(table, _)| *table);
            (heads, tables.zip(answers).collect::<Vec<_>>())
        };
        for row in heads.iter().flat_map(Answer::rows) {
            let corrupt = |error: PgError| Corrupt::new(error.to_string());
            let seq: Option<i64> = row.try_get(1).map_err(corrupt)?;
            let batch: Option<Uuid> = row.try_get(2).map_err(corrupt)?;
            let at: Option<PgTime> = row.try_get(3).map_err(corrupt)?;
            let PgTime(clock) = row.try_get(4).map_err(corrupt)?;
            let head = seq.zip(batch).zip(at).map(|((seq, batch), PgTime(at))| JournalHead { seq, batch, at });
            work_of(tenants, row.get(0)).open(head, clock);
        }
        absorb(tenants, &rows)?;
        // What is due can only be asked for when the clock is known.
        self.load_due(tenants).await?;
        settle(tenants);
        Ok(Vec::new())
    }

    async fn load_due(&self, tenants: &mut [TenantWork]) -> Result<(), StoreError> {
        for work in tenants {
            let (tenant, now) = (work.tenant(), work.facts.now());
            for cells in work.facts.all_cells_mut().filter(|cells| cells.due_is_asked()) {
                let table = cells.table();
                let load_due = self.kind(table).load_due.as_ref().expect("only kinds that can be due are asked for");
                let answer = self.query(load_due, vec![&tenant.0, &PgTime(now)]).await.map_err(read_error)?;
                for row in answer.rows() {
                    cells.absorb_due(&mut LoadedRow { row, columns: table.columns, next: 0, first: 0 })?;
                }
            }
        }
        Ok(())
    }

    async fn query(&self, statement: &Statement, params: Vec<Param<'_>>) -> Result<Answer, PgError> {
        self.client.query(statement, &params).await.map(Answer::Rows)
    }

    /// Writes and commits in one round trip: if a statement fails, the commit that follows it rolls back.
    async fn write(&self, tenants: &[TenantWork], batch: Uuid) -> Result<(), Broken<WriteError>> {
        let writes = Writes::of(tenants);
        let journal = Journal::of(tenants);
        let trim = |work: &TenantWork| work.facts.journal_trim_before().map(|before_seq| (work.tenant().0, before_seq));
        let trims: Vec<(i64, i64)> = tenants.iter().filter_map(trim).collect();
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
            let table = Some(write.table.name);
            let written = async move { self.client.query(statement, &params).await };
            sent.push(Box::pin(async move { written.await.map(drop).map_err(|error| WriteError { table, error }) }));
        }
        let Journal { tenants, seqs, ats, counts, events } = &journal;
        let journal: Vec<Param<'_>> = vec![tenants, seqs, &batch, ats, counts, events];
        sent.push(Box::pin(async move { Ok(self.client.execute(&self.journal_insert, &journal).await.map(drop)?) }));
        for (tenant, before_seq) in trims {
            let trim =
                async move { Ok(self.client.execute(&self.journal_trim, &[&tenant, &before_seq]).await.map(drop)?) };
            sent.push(Box::pin(trim));
        }
        sent.push(Box::pin(async { Ok(self.client.batch_execute("commit").await?) }));
        in_order(sent).await.map(drop)
    }
}

/// Whether a round trip reads clock and journal heads.
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

    /// The keys of turns that others have.
    fn taken_turns(&self) -> Vec<i64> {
        let Answer::Turns(messages) = self else { return Vec::new() };
        let key = |message: &SimpleQueryMessage| match message {
            SimpleQueryMessage::Row(row) => row.get(0)?.parse().ok(),
            _ => None,
        };
        messages.iter().filter_map(key).collect()
    }
}

type Param<'a> = &'a (dyn tokio_postgres::types::ToSql + Sync);

fn absorb(tenants: &mut [TenantWork], loaded: &[(&'static Table, Answer)]) -> Result<(), StoreError> {
    for (table, answer) in loaded {
        for row in answer.rows() {
            let work = work_of(tenants, row.get(0));
            let cells = work.facts.all_cells_mut().find(|cells| cells.table().name == table.name);
            let cells = cells.expect("rows come for what was asked for");
            cells.absorb(&mut LoadedRow { row, columns: table.columns, next: 1, first: 1 })?;
        }
    }
    Ok(())
}

fn settle(tenants: &mut [TenantWork]) {
    for work in tenants {
        work.facts.all_cells_mut().for_each(|cells| cells.settle());
    }
}

fn work_of(tenants: &mut [TenantWork], tenant: i64) -> &mut TenantWork {
    let position = tenants.binary_search_by_key(&tenant, |work| work.tenant().0);
    &mut tenants[position.expect("rows come for tenants of the batch")]
}

/// Mixes the bits, so that other users of advisory locks in the database are not met by accident.
fn turn_key(tenant: TenantId) -> i64 {
    let mut bits = tenant.0.cast_unsigned().wrapping_add(0x9e37_79b9_7f4a_7c15);
    bits = (bits ^ (bits >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    bits = (bits ^ (bits >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    (bits ^ (bits >> 31)).cast_signed()
}

impl PostgresSession {
    pub(crate) fn new(address: Address, clock_offset_micros: Arc<AtomicI64>) -> PostgresSession {
        PostgresSession { address, clock_offset_micros, live: None }
    }

    /// The connection, made anew if there is none.
    async fn live(&mut self) -> Result<&Live, StoreError> {
        if self.live.as_ref().is_none_or(|live| live.client.is_closed()) {
            let live = timeout(CONNECT_TIMEOUT, Live::connect(&self.address)).await;
            let live = live.map_err(|_elapsed| StoreError::Unavailable(no_answer()))?;
            self.live = Some(live.map_err(|error| StoreError::Unavailable(error.into()))?);
        }
        Ok(self.live.as_ref().expect("just connected"))
    }

    /// The connection that has the turns. A new one would not have them.
    fn transaction(&self) -> Result<&Live, StoreError> {
        self.live.as_ref().ok_or_else(|| StoreError::Unavailable("there is no transaction".into()))
    }

    fn heads(&self) -> Heads {
        Heads::Read { clock_offset_micros: self.clock_offset_micros.load(Ordering::Relaxed) }
    }

    async fn take_turns(&mut self, tenants: &mut [TenantWork]) -> Result<Turns, StoreError> {
        let heads = self.heads();
        let ids: Vec<TenantId> = tenants.iter().map(TenantWork::tenant).collect();
        let keys: Vec<i64> = ids.iter().map(|tenant| turn_key(*tenant)).collect();
        let live = self.live().await?;
        let taken = live.load(tenants, Some(statements::begin_at_once(&keys)), heads).await?;
        match (&taken[..], &keys[..]) {
            ([], _) => Ok(Turns::AtOnce),
            (_, [key]) => {
                live.client.batch_execute(&statements::begin_waiting(*key)).await.map_err(turn_error)?;
                Ok(Turns::AfterWaiting)
            }
            _ => {
                self.recover().await;
                Ok(Turns::Taken(ids.into_iter().filter(|tenant| taken.contains(&turn_key(*tenant))).collect()))
            }
        }
    }

    /// The result of a step before the commit, with the connection cleaned up if it failed.
    async fn checked<T>(&mut self, step: Result<Result<T, StoreError>, Elapsed>) -> Result<T, StoreError> {
        let result = step.unwrap_or_else(|_elapsed| Err(StoreError::Unavailable(no_answer())));
        if let Err(error) = &result {
            self.clean_up(error).await;
        }
        result
    }

    async fn clean_up(&mut self, error: &StoreError) {
        match error {
            // The connection is no good, or its server is not.
            StoreError::Unknown(_) | StoreError::Unavailable(_) => self.live = None,
            StoreError::Conflict(_)
            | StoreError::Changed { .. }
            | StoreError::Rejected(_)
            | StoreError::TurnTaken
            | StoreError::Corrupt(_) => self.recover().await,
        }
    }

    /// After a failed step the connection is good again, or gone.
    async fn recover(&mut self) {
        let Some(live) = &self.live else { return };
        if live.client.is_closed() || live.client.batch_execute("rollback").await.is_err() {
            self.live = None;
        }
    }
}

/// The server bounds its statements itself; this is for a server that no longer answers at all.
const ANSWER_TIMEOUT: Duration = Duration::from_secs(20);
const CONNECT_TIMEOUT: Duration = Duration::from_secs(10);

fn no_answer() -> Box<dyn std::error::Error + Send + Sync> {
    "the server did not answer in time".into()
}

impl Session for PostgresSession {
    async fn begin(&mut self, tenants: &mut [TenantWork]) -> Result<Turns, StoreError> {
        let begun = timeout(ANSWER_TIMEOUT, self.take_turns(tenants)).await;
        self.checked(begun).await
    }

    async fn open(&mut self, tenants: &mut [TenantWork]) -> Result<(), StoreError> {
        let opened = timeout(ANSWER_TIMEOUT, self.transaction()?.load(tenants, None, self.heads())).await;
        self.checked(opened).await.map(drop)
    }

    async fn load(&mut self, tenants: &mut [TenantWork]) -> Result<(), StoreError> {
        let loaded = timeout(ANSWER_TIMEOUT, self.transaction()?.load(tenants, None, Heads::Known)).await;
        self.checked(loaded).await.map(drop)
    }

    async fn commit(&mut self, tenants: &[TenantWork], batch: Uuid) -> Result<(), StoreError> {
        let written = timeout(ANSWER_TIMEOUT, self.transaction()?.write(tenants, batch)).await;
        let error = match written {
            Ok(Ok(())) => return Ok(()),
            Ok(Err(broken)) => write_error(broken),
            Err(_elapsed) => StoreError::Unknown(no_answer()),
        };
        self.clean_up(&error).await;
        Err(error)
    }

    async fn abandon(&mut self) {
        self.recover().await;
    }

    async fn has_committed(&mut self, tenant: TenantId, seq: i64, batch: Uuid) -> Result<bool, StoreError> {
        let live = self.live().await?;
        let begin = statements::begin_waiting(turn_key(tenant));
        let asked = async {
            live.client.batch_execute(&begin).await.map_err(turn_error)?;
            live.client.query_opt(&live.journal_batch, &[&tenant.0, &seq]).await.map_err(read_error)
        };
        let found = timeout(ANSWER_TIMEOUT, asked).await;
        let found = self.checked(found).await?;
        self.recover().await;
        Ok(found.is_some_and(|row| row.get::<_, Uuid>(0) == batch))
    }
}
