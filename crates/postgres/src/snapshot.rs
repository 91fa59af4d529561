//! One consistent read of the database, of a standby too. As long as it lasts, rows that die meanwhile cannot be
//! vacuumed away; nobody waits for it.

use futures_util::TryStreamExt;
use surehold_core::kernel::{ColumnType, Corrupt, Row, Timestamp, Value};
use surehold_engine::{OwnedValue, Snapshot, SnapshotError};
use tokio::runtime::Runtime;
use tokio_postgres::types::ToSql;
use tokio_postgres::{Client, Error as PgError};

use crate::connect::{Address, ConnectError};
use crate::readers::param;
use crate::values::{PgTime, read};

/// As the role that sees everybody's rows, though it can change none of them here. It takes as long as it takes: limits
/// that a login or a server has for ordinary statements do not count.
const BEGIN: &str = "begin isolation level repeatable read read only; set local role = 'surehold_writer'; \
     set local statement_timeout = 0; set local idle_in_transaction_session_timeout = 0; set local jit = off; \
     set local timezone = 'UTC'; \
     do $$ begin set local transaction_timeout = 0; exception when undefined_object then null; end $$; \
     select count(*) from schema_migrations";

pub struct PostgresSnapshot {
    client: Client,
    runtime: Runtime,
}

impl std::fmt::Debug for PostgresSnapshot {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("PostgresSnapshot")
    }
}

impl PostgresSnapshot {
    /// Of a database with the schema that this binary knows. Blocks, as all of it does.
    pub fn connect(url: &str) -> Result<PostgresSnapshot, ConnectError> {
        let address = Address::parse(url)?.of_any_server();
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
        let runtime = runtime.map_err(|source| ConnectError::Address { what: source.to_string() })?;
        let client = runtime.block_on(async {
            let client = address.connect().await?;
            client.batch_execute(BEGIN).await?;
            Ok::<Client, PgError>(client)
        });
        Ok(PostgresSnapshot { client: client.map_err(ConnectError::Connect)?, runtime })
    }

    async fn visit(
        client: &Client,
        sql: &str,
        params: &[OwnedValue],
        columns: &[ColumnType],
        visit: &mut dyn FnMut(&mut dyn Row),
    ) -> Result<(), PgError> {
        let params: Vec<Box<dyn ToSql + Sync + Send>> = params.iter().map(param).collect();
        let params = params.iter().map(|param| -> &(dyn ToSql + Sync) { param.as_ref() });
        let rows = client.query_raw(sql, params).await?;
        let mut rows = std::pin::pin!(rows);
        // Rows wait in the server, not here: the driver takes no more than it can hand over.
        while let Some(row) = rows.try_next().await? {
            visit(&mut SeenRow { row: &row, columns, next: 0 });
        }
        Ok(())
    }
}

impl Snapshot for PostgresSnapshot {
    fn clock(&mut self) -> Result<Timestamp, SnapshotError> {
        let row = self.runtime.block_on(self.client.query_one("select clock_timestamp()", &[]));
        let time = row.and_then(|row| row.try_get::<_, PgTime>(0)).map_err(SnapshotError::new)?;
        Ok(time.0)
    }

    fn each(
        &mut self,
        sql: &str,
        params: &[OwnedValue],
        columns: &[ColumnType],
        visit: &mut dyn FnMut(&mut dyn Row),
    ) -> Result<(), SnapshotError> {
        let visited = PostgresSnapshot::visit(&self.client, sql, params, columns, visit);
        self.runtime.block_on(visited).map_err(SnapshotError::new)
    }
}

struct SeenRow<'r> {
    row: &'r tokio_postgres::Row,
    columns: &'r [ColumnType],
    next: usize,
}

impl Row for SeenRow<'_> {
    fn next_value(&mut self) -> Result<Value<'_>, Corrupt> {
        let kind = self.columns.get(self.next).ok_or_else(|| Corrupt::new("a row that is too short"))?;
        self.next += 1;
        read(self.row, self.next - 1, *kind).map_err(|error| Corrupt::new(error.to_string()))
    }
}
