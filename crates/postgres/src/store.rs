//! The database as a store: lanes that write, each a thread with a connection of its own, and a few connections that
//! read. Neither works as the login: see `roles.rs`.

use std::sync::atomic::AtomicI64;
use std::sync::{Arc, Mutex};

use surehold_core::kernel::{ColumnType, Timestamp};
use surehold_engine::{BoxFuture, Fault, LaneQueue, OwnedValue, ReadRow, Scope, Store, StoreError, Wakeups, block_on};
use tokio::task::AbortHandle;
use tokio_postgres::types::Type;
use tokio_postgres::{Error as PgError, Row};
use tracing::error;

use crate::connect::{Address, ConnectError};
use crate::migrate::migrate_or_check;
use crate::readers::Readers;
use crate::roles;
use crate::session::PostgresSession;
use crate::statements::begin_reading;
use crate::values::read;
use crate::wakeups::share_forever;

#[derive(Clone, Debug)]
pub struct PostgresConfig {
    pub url: String,
    /// Writing connections. Tenants in different lanes do not wait for each other.
    pub lanes: usize,
    /// Reading connections, made when they are first needed.
    pub readers: usize,
    /// Added to the database's clock; tests turn it.
    pub clock_offset_micros: Arc<AtomicI64>,
}

impl PostgresConfig {
    pub fn new(url: impl Into<String>) -> PostgresConfig {
        PostgresConfig { url: url.into(), lanes: 4, readers: 4, clock_offset_micros: Arc::default() }
    }
}

const DOOR_READERS: usize = 2;

pub struct PostgresStore {
    address: Address,
    lanes: usize,
    clock_offset_micros: Arc<AtomicI64>,
    readers: Readers,
    /// Apart, so that slow reads do not keep everybody out.
    door_readers: Readers,
    sharing: Mutex<Option<AbortHandle>>,
}

impl std::fmt::Debug for PostgresStore {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "PostgresStore({} lanes)", self.lanes)
    }
}

impl PostgresStore {
    /// Connects; migrates if the login owns the tables, and otherwise requires that nothing is pending.
    pub async fn connect(config: PostgresConfig) -> Result<PostgresStore, ConnectError> {
        let address = Address::parse(&config.url)?;
        let mut client = address.connect().await.map_err(ConnectError::Connect)?;
        migrate_or_check(&mut client).await?;
        roles::check(&mut client).await?;
        let PostgresConfig { lanes, readers, clock_offset_micros, .. } = config;
        let readers = Readers::new(address.clone(), readers);
        let door_readers = Readers::new(address.clone(), DOOR_READERS);
        Ok(PostgresStore { address, lanes, clock_offset_micros, readers, door_readers, sharing: Mutex::default() })
    }
}

impl Store for PostgresStore {
    fn lane_count(&self) -> usize {
        self.lanes
    }

    fn start(&self, queues: Vec<LaneQueue>) -> Result<(), StoreError> {
        let unavailable = |error: std::io::Error| StoreError::Unavailable(error.into());
        for (index, queue) in queues.into_iter().enumerate() {
            let mut session = PostgresSession::new(self.address.clone(), Arc::clone(&self.clock_offset_micros));
            let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().map_err(unavailable)?;
            let serve = move || block_on(&runtime, queue.serve(&mut session));
            let thread = std::thread::Builder::new().name(format!("surehold-lane-{index}")).spawn(serve);
            thread.map_err(unavailable)?;
        }
        Ok(())
    }

    fn share_wakeups(&self, wakeups: &Wakeups) {
        let task = tokio::spawn(share_forever(self.address.clone(), wakeups.clone()));
        *self.sharing.lock().expect("nothing panics while holding it") = Some(task.abort_handle());
    }

    fn clock(&self) -> BoxFuture<'_, Result<Timestamp, Fault>> {
        Box::pin(async {
            let offset = self.clock_offset_micros.load(std::sync::atomic::Ordering::Relaxed);
            let sql = "select clock_timestamp() + $1::bigint * interval '1 microsecond'";
            // It touches no table, so there is nothing to see and no transaction to begin.
            let rows = self.readers.query(None, sql, &[vec![OwnedValue::Int(offset)]]).await?;
            owned_rows(&rows)?.first().and_then(|row| row.time(0).ok()).ok_or(Fault::Corrupt)
        })
    }

    fn query_each<'a>(
        &'a self,
        scope: Scope,
        sql: &'a str,
        each: Vec<Vec<OwnedValue>>,
    ) -> BoxFuture<'a, Result<Vec<ReadRow>, Fault>> {
        Box::pin(async move {
            let readers = match scope {
                Scope::Tenant(_) | Scope::Installation => &self.readers,
                Scope::Door(_) => &self.door_readers,
            };
            let rows = readers.query(Some(begin_reading(scope)), sql, &each).await?;
            owned_rows(&rows)
        })
    }
}

impl Drop for PostgresStore {
    fn drop(&mut self) {
        if let Some(task) = self.sharing.lock().expect("nothing panics while holding it").take() {
            task.abort();
        }
    }
}

fn owned_rows(rows: &[Row]) -> Result<Vec<ReadRow>, Fault> {
    rows.iter().map(owned_row).collect::<Result<_, _>>().map_err(|error: PgError| {
        error!(%error, "Cannot read: {error}");
        Fault::Unavailable
    })
}

fn owned_row(row: &Row) -> Result<ReadRow, PgError> {
    let kinds = row.columns().iter().map(|column| kind_of(column.type_()));
    let values = kinds.enumerate().map(|(index, kind)| read(row, index, kind).map(OwnedValue::of));
    Ok(ReadRow(values.collect::<Result<_, _>>()?))
}

fn kind_of(kind: &Type) -> ColumnType {
    match *kind {
        Type::BOOL => ColumnType::Bool,
        Type::BYTEA => ColumnType::Bytes,
        Type::UUID => ColumnType::Uuid,
        Type::TIMESTAMPTZ => ColumnType::Time,
        Type::TEXT | Type::VARCHAR | Type::NAME => ColumnType::Text,
        _ => ColumnType::Int,
    }
}
