//! Reading for people and for the sweeper: committed state, no turns, no locks. One SQL text for every store.

use std::collections::BTreeSet;
use std::sync::Arc;

use surehold_core::kernel::{ColumnType, Columns, Corrupt, Record, Table, TenantId, Timestamp, Value};
use tracing::error;

use crate::store::RecordRow;
use crate::{Fault, OwnedValue, ReadRow, Scope, Store};

#[derive(Clone)]
pub struct Views {
    pub(crate) store: Arc<dyn Store>,
}

impl std::fmt::Debug for Views {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Views")
    }
}

struct Params(Vec<OwnedValue>);

impl<'a> Columns<'a> for Params {
    fn put(&mut self, value: Value<'a>) {
        self.0.push(OwnedValue::of(value));
    }
}

pub(crate) fn text(text: &(impl ToString + ?Sized)) -> OwnedValue {
    OwnedValue::Text(text.to_string())
}

pub(crate) fn corrupt(what: &impl std::fmt::Display) -> Fault {
    error!(defect = true, %what, "The store holds something unreadable: {what}");
    Fault::Corrupt
}

impl Views {
    /// For whoever reads beside an engine, on the same store.
    pub fn new(store: Arc<dyn Store>) -> Views {
        Views { store }
    }

    /// One record by its key, as last committed.
    pub async fn record<R: Record>(&self, tenant: TenantId, key: &R::Key) -> Result<Option<R>, Fault> {
        self.record_in(Scope::Tenant(tenant), tenant, key).await
    }

    /// A record that decides who is let in.
    pub async fn record_for_door<R: Record>(&self, tenant: TenantId, key: &R::Key) -> Result<Option<R>, Fault> {
        self.record_in(Scope::Door(tenant), tenant, key).await
    }

    async fn record_in<R: Record>(&self, scope: Scope, tenant: TenantId, key: &R::Key) -> Result<Option<R>, Fault> {
        let rows = self.store.query(scope, &select_by_key::<R>(), key_params::<R>(tenant, key)).await?;
        rows.first().map(read_record).transpose()
    }

    /// Records by their keys, as far as there are any, in one round trip.
    pub async fn records_by_key<R: Record>(&self, tenant: TenantId, keys: &BTreeSet<R::Key>) -> Result<Vec<R>, Fault> {
        if keys.is_empty() {
            return Ok(Vec::new());
        }
        let each = keys.iter().map(|key| key_params::<R>(tenant, key)).collect();
        read_records(self.store.query_each(Scope::Tenant(tenant), &select_by_key::<R>(), each).await?).await
    }

    /// All records of a kind. For checks over small tables, not for screens: it is not bounded.
    pub async fn all_records<R: Record>(&self, tenant: TenantId) -> Result<Vec<R>, Fault> {
        let key = R::TABLE.key().iter().map(|column| format!(", {}", column.name)).collect::<String>();
        let table = R::TABLE.name;
        let sql = format!("select {} from {table} where tenant = $1 order by tenant{key}", select_list(R::TABLE));
        let rows = self.store.query(Scope::Tenant(tenant), &sql, vec![OwnedValue::Int(tenant.0)]).await?;
        rows.iter().map(read_record).collect()
    }

    /// Whether the store answers.
    pub async fn ping(&self) -> Result<(), Fault> {
        self.store.query(Scope::Installation, "select cast(1 as bigint)", Vec::new()).await.map(drop)
    }

    /// The clock that decides expiry, for a tenant whose time it would not turn back: see `time_for`.
    pub async fn clock(&self) -> Result<Timestamp, Fault> {
        self.store.clock().await
    }

    /// A question about everybody's rows.
    pub(crate) async fn ask_installation<T>(
        &self,
        sql: &str,
        params: Vec<OwnedValue>,
        read: impl Fn(&ReadRow) -> Result<T, Corrupt>,
    ) -> Result<Vec<T>, Fault> {
        let rows = self.store.query(Scope::Installation, sql, params).await?;
        rows.iter().map(read).collect::<Result<_, Corrupt>>().map_err(|what| corrupt(&what))
    }

    /// Records of a kind that belong to one tenant. `condition` follows `where tenant = $1`; its parameters start at `$2`.
    pub(crate) async fn records<R: Record + Send + 'static>(
        &self,
        tenant: TenantId,
        condition: &str,
        params: impl IntoIterator<Item = OwnedValue>,
    ) -> Result<Vec<R>, Fault> {
        let sql = format!("select {} from {} where tenant = $1 {condition}", select_list(R::TABLE), R::TABLE.name);
        let params = std::iter::once(OwnedValue::Int(tenant.0)).chain(params).collect();
        read_records(self.store.query(Scope::Tenant(tenant), &sql, params).await?).await
    }
}

/// More rows than this are read apart: nobody else waits for them, and what was asked at once is read at once.
const ROWS_IN_PLACE_MAX: usize = 1_000;

pub(crate) async fn read_records<R: Record + Send + 'static>(rows: Vec<ReadRow>) -> Result<Vec<R>, Fault> {
    let is_few = rows.len() <= ROWS_IN_PLACE_MAX;
    let read = move || rows.iter().map(read_record).collect();
    if is_few {
        return read();
    }
    match tokio::task::spawn_blocking(read).await {
        Ok(records) => records,
        Err(ended) => std::panic::resume_unwind(ended.into_panic()),
    }
}

fn select_by_key<R: Record>() -> String {
    let conditions = R::TABLE.key().iter().enumerate();
    let conditions: String =
        conditions.map(|(index, column)| format!(" and {} = ${}", column.name, index + 2)).collect();
    format!("select {} from {} where tenant = $1{conditions}", select_list(R::TABLE), R::TABLE.name)
}

/// What [`select_by_key`] asks with.
fn key_params<R: Record>(tenant: TenantId, key: &R::Key) -> Vec<OwnedValue> {
    let mut params = Params(vec![OwnedValue::Int(tenant.0)]);
    R::write_key(key, &mut params);
    params.0
}

pub(crate) fn read_record<R: Record>(row: &ReadRow) -> Result<R, Fault> {
    R::read(&mut RecordRow { row, table: R::TABLE, next: 0 }).map_err(|what| corrupt(&what))
}

/// The record whose columns begin at `start` in a row of several, and where the next one begins.
pub(crate) fn part<R: Record>(row: &ReadRow, start: usize) -> Result<(R, usize), Fault> {
    let end = start + R::TABLE.columns.len() + 1;
    let columns = row.0.get(start..end).ok_or_else(|| corrupt(&"a row that is too short"))?;
    let record = read_record(&ReadRow(columns.to_vec()))?;
    Ok((record, end))
}

/// The same for a record that need not be there.
pub(crate) fn part_or_none<R: Record>(row: &ReadRow, start: usize) -> Result<(Option<R>, usize), Fault> {
    // Keys are never null.
    if row.0.get(start) == Some(&OwnedValue::Null) {
        return Ok((None, start + R::TABLE.columns.len() + 1));
    }
    part(row, start).map(|(record, end)| (Some(record), end))
}

pub(crate) fn select_list(table: &'static Table) -> String {
    aliased_list(table.name, table)
}

/// What [`select_list`] selects.
pub(crate) fn record_columns(table: &'static Table) -> Vec<ColumnType> {
    table.columns.iter().map(|column| column.kind).chain([ColumnType::Int]).collect()
}

/// The columns of a table that the statement calls `alias`.
pub(crate) fn aliased_list(alias: &str, table: &'static Table) -> String {
    let columns = table.columns.iter().map(|column| match column.kind {
        ColumnType::Json => format!("cast({alias}.{} as text), ", column.name),
        _ => format!("{alias}.{}, ", column.name),
    });
    columns.chain([format!("{alias}.version")]).collect()
}
