//! The database as a store: lanes that write, each a thread with a connection of its own, and one connection that reads.

use std::collections::HashMap;
use std::sync::Arc;
use std::sync::atomic::AtomicI64;

use surehold_core::kernel::{ColumnType, Timestamp};
use surehold_engine::{BoxFuture, Fault, LaneQueue, OwnedValue, ReadRow, Scope, Store, StoreError};
use tokio::sync::Mutex;
use tokio_postgres::types::{ToSql, Type};
use tokio_postgres::{Client, Error as PgError, Row, Statement};
use tracing::error;

use crate::connect::{Address, ConnectError};
use crate::migrate::migrate;
use crate::session::PostgresSession;
use crate::values::{PgTime, read};

#[derive(Clone, Debug)]
pub struct PostgresConfig {
    pub url: String,
    /// Writing connections. Tenants in different lanes do not wait for each other.
    pub lanes: usize,
    /// Added to the database's clock; tests turn it.
    pub clock_offset_micros: Arc<AtomicI64>,
}

impl PostgresConfig {
    pub fn new(url: impl Into<String>) -> PostgresConfig {
        PostgresConfig { url: url.into(), lanes: 4, clock_offset_micros: Arc::default() }
    }
}

pub struct PostgresStore {
    address: Address,
    lanes: usize,
    clock_offset_micros: Arc<AtomicI64>,
    reader: Mutex<Option<Arc<Reader>>>,
}

struct Reader {
    client: Client,
    statements: Mutex<HashMap<String, Statement>>,
}

impl std::fmt::Debug for PostgresStore {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "PostgresStore({} lanes)", self.lanes)
    }
}

impl PostgresStore {
    /// Connects and migrates.
    pub async fn connect(config: PostgresConfig) -> Result<PostgresStore, ConnectError> {
        let address = Address::parse(&config.url)?;
        let mut client = address.connect().await.map_err(ConnectError::Connect)?;
        migrate(&mut client).await?;
        let PostgresConfig { lanes, clock_offset_micros, .. } = config;
        Ok(PostgresStore { address, lanes, clock_offset_micros, reader: Mutex::default() })
    }

    async fn reader(&self) -> Result<Arc<Reader>, PgError> {
        let mut slot = self.reader.lock().await;
        if let Some(reader) = slot.as_ref().filter(|reader| !reader.client.is_closed()) {
            return Ok(Arc::clone(reader));
        }
        let client = self.address.connect().await?;
        client.batch_execute("set default_transaction_read_only = on; set statement_timeout = '30s'").await?;
        let reader = Arc::new(Reader { client, statements: Mutex::default() });
        *slot = Some(Arc::clone(&reader));
        Ok(reader)
    }
}

impl Reader {
    async fn prepared(&self, sql: &str) -> Result<Statement, PgError> {
        if let Some(statement) = self.statements.lock().await.get(sql) {
            return Ok(statement.clone());
        }
        let statement = self.client.prepare(sql).await?;
        self.statements.lock().await.insert(sql.to_owned(), statement.clone());
        Ok(statement)
    }

    async fn query(&self, sql: &str, params: &[OwnedValue]) -> Result<Vec<Row>, PgError> {
        let statement = self.prepared(sql).await?;
        let params: Vec<Box<dyn ToSql + Sync + Send>> = params.iter().map(param).collect();
        let params: Vec<&(dyn ToSql + Sync)> =
            params.iter().map(|param| -> &(dyn ToSql + Sync) { param.as_ref() }).collect();
        self.client.query(&statement, &params).await
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
            let serve = move || runtime.block_on(queue.serve(&mut session));
            let thread = std::thread::Builder::new().name(format!("surehold-lane-{index}")).spawn(serve);
            thread.map_err(unavailable)?;
        }
        Ok(())
    }

    fn clock(&self) -> BoxFuture<'_, Result<Timestamp, Fault>> {
        Box::pin(async {
            let offset = self.clock_offset_micros.load(std::sync::atomic::Ordering::Relaxed);
            let sql = "select clock_timestamp() + $1::bigint * interval '1 microsecond'";
            let rows = self.query(Scope::Installation, sql, vec![OwnedValue::Int(offset)]).await?;
            rows.first().and_then(|row| row.time(0).ok()).ok_or(Fault::Corrupt)
        })
    }

    fn query<'a>(
        &'a self,
        _scope: Scope,
        sql: &'a str,
        params: Vec<OwnedValue>,
    ) -> BoxFuture<'a, Result<Vec<ReadRow>, Fault>> {
        Box::pin(async move {
            let rows = async {
                self.reader().await?.query(sql, &params).await?.iter().map(owned_row).collect::<Result<Vec<_>, _>>()
            };
            rows.await.map_err(|error: PgError| {
                error!(%error, "Cannot read: {error}");
                Fault::Unavailable
            })
        })
    }
}

fn param(value: &OwnedValue) -> Box<dyn ToSql + Sync + Send> {
    match value.clone() {
        OwnedValue::Null => Box::new(None::<i64>),
        OwnedValue::Int(int) => Box::new(int),
        OwnedValue::Bool(bool) => Box::new(bool),
        OwnedValue::Text(text) => Box::new(text),
        OwnedValue::Bytes(bytes) => Box::new(bytes),
        OwnedValue::Uuid(uuid) => Box::new(uuid),
        OwnedValue::Time(time) => Box::new(PgTime(time)),
    }
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
