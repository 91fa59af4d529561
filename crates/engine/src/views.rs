//! Reading for people and for the sweeper: committed state, no turns, no locks.

use std::sync::Arc;

use surehold_core::kernel::{
    ColumnType, Columns, Corrupt, Event, Record, Table, TenantId, Timestamp, Value, decode_events,
};
use tracing::error;

use crate::store::RecordRow;
use crate::{Fault, OwnedValue, ReadRow, Scope, Store};

#[derive(Clone)]
pub struct Views {
    store: Arc<dyn Store>,
}

impl std::fmt::Debug for Views {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Views")
    }
}

/// What one batch did to one tenant.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct JournalRow {
    pub seq: i64,
    pub at: Timestamp,
    pub events: Vec<Event>,
}

struct Params(Vec<OwnedValue>);

impl<'a> Columns<'a> for Params {
    fn put(&mut self, value: Value<'a>) {
        self.0.push(OwnedValue::of(value));
    }
}

fn corrupt(what: &impl std::fmt::Display) -> Fault {
    error!(%what, "The store holds something unreadable: {what}");
    Fault::Corrupt
}

impl Views {
    pub(crate) fn new(store: Arc<dyn Store>) -> Views {
        Views { store }
    }

    /// One record by its key, as last committed.
    pub async fn record<R: Record>(&self, tenant: TenantId, key: &R::Key) -> Result<Option<R>, Fault> {
        let mut params = Params(vec![OwnedValue::Int(tenant.0)]);
        R::write_key(key, &mut params);
        let conditions = R::TABLE.key().iter().enumerate();
        let conditions: String =
            conditions.map(|(index, column)| format!(" and {} = ${}", column.name, index + 2)).collect();
        let sql = format!("select {} from {} where tenant = $1{conditions}", select_list(R::TABLE), R::TABLE.name);
        let rows = self.store.query(Scope::Tenant(tenant), &sql, params.0).await?;
        rows.first().map(read_record).transpose()
    }

    /// All records of a kind. For checks over small tables, not for screens: it is not bounded.
    pub async fn all_records<R: Record>(&self, tenant: TenantId) -> Result<Vec<R>, Fault> {
        let key = R::TABLE.key().iter().map(|column| format!(", {}", column.name)).collect::<String>();
        let table = R::TABLE.name;
        let sql = format!("select {} from {table} where tenant = $1 order by tenant{key}", select_list(R::TABLE));
        let rows = self.store.query(Scope::Tenant(tenant), &sql, vec![OwnedValue::Int(tenant.0)]).await?;
        rows.iter().map(read_record).collect()
    }

    /// The journal behind `after_seq`, oldest first.
    pub async fn journal(&self, tenant: TenantId, after_seq: i64, rows_max: u16) -> Result<Vec<JournalRow>, Fault> {
        let sql = "select seq, at, events from journal where tenant = $1 and seq > $2 order by seq limit $3";
        let params = vec![OwnedValue::Int(tenant.0), OwnedValue::Int(after_seq), OwnedValue::Int(i64::from(rows_max))];
        let read = |row: &ReadRow| {
            let events = decode_events(row.bytes(2)?).map_err(|error| Corrupt::new(error.to_string()))?;
            Ok(JournalRow { seq: row.int(0)?, at: row.time(1)?, events })
        };
        let rows = self.store.query(Scope::Tenant(tenant), sql, params).await?;
        rows.iter().map(read).collect::<Result<_, Corrupt>>().map_err(|what| corrupt(&what))
    }

    /// Tenants with at least one hold that has lapsed and is not yet expired.
    pub(crate) async fn tenants_with_lapsed_holds(&self) -> Result<Vec<TenantId>, Fault> {
        let now = self.store.clock().await?;
        let sql = "select tenant from tenants t where exists (select 1 from holds h where h.tenant = t.tenant \
                   and h.state = 'active' and h.expires_at <= $1)";
        let rows = self.store.query(Scope::Installation, sql, vec![OwnedValue::Time(now)]).await?;
        let tenants = rows.iter().map(|row| row.int(0).map(TenantId));
        tenants.collect::<Result<_, Corrupt>>().map_err(|what| corrupt(&what))
    }
}

fn read_record<R: Record>(row: &ReadRow) -> Result<R, Fault> {
    R::read(&mut RecordRow { row, table: R::TABLE, next: 0 }).map_err(|what| corrupt(&what))
}

fn select_list(table: &'static Table) -> String {
    let columns = table.columns.iter().map(|column| match column.kind {
        ColumnType::Json => format!("cast({} as text), ", column.name),
        _ => format!("{}, ", column.name),
    });
    columns.chain(["version".to_owned()]).collect()
}
