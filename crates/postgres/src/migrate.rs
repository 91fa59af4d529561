//! Brings the schema up to what this binary needs. Several nodes may try: one does, the others wait and find it done.

use surehold_engine::{Applied, Migration, pending};
use tokio_postgres::{Client, GenericClient};

use crate::connect::ConnectError;

pub(crate) const MIGRATIONS: &[Migration] = &[
    Migration { number: 1, name: "kernel", sql: include_str!("../migrations/0001_kernel.sql"), usable_from: 1 },
    Migration { number: 2, name: "keys", sql: include_str!("../migrations/0002_keys.sql"), usable_from: 1 },
];

/// Far from the turns of tenants, which are hashed.
const MIGRATION_LOCK: i64 = 5_320_318_642_117;

const CREATE_LIST: &str = "create table if not exists schema_migrations (
  number bigint primary key,
  name text not null,
  checksum text not null,
  usable_from bigint not null,
  applied_at timestamptz not null default now()
)";

const SERVER_VERSION_MIN: i32 = 150_000;

pub(crate) async fn migrate(client: &mut Client) -> Result<(), ConnectError> {
    let row =
        client.query_one("select current_setting('server_version_num')::int, current_setting('server_version')", &[]);
    let row = row.await.map_err(ConnectError::Connect)?;
    if row.get::<_, i32>(0) < SERVER_VERSION_MIN {
        return Err(ConnectError::ServerTooOld { found: row.get(1) });
    }
    let transaction = client.transaction().await.map_err(ConnectError::Migrate)?;
    let lock = transaction.query_one("select pg_advisory_xact_lock($1)", &[&MIGRATION_LOCK]);
    lock.await.map_err(ConnectError::Migrate)?;
    transaction.batch_execute(CREATE_LIST).await.map_err(ConnectError::Migrate)?;
    let applied = applied(&transaction).await.map_err(ConnectError::Migrate)?;
    for migration in pending(MIGRATIONS, &applied)? {
        apply(&transaction, migration).await.map_err(ConnectError::Migrate)?;
    }
    transaction.commit().await.map_err(ConnectError::Migrate)
}

async fn apply(client: &impl GenericClient, migration: &Migration) -> Result<(), tokio_postgres::Error> {
    client.batch_execute(migration.sql).await?;
    let sql = "insert into schema_migrations (number, name, checksum, usable_from) values ($1, $2, $3, $4)";
    let checksum = migration.checksum();
    client.execute(sql, &[&migration.number, &migration.name, &checksum, &migration.usable_from]).await?;
    Ok(())
}

async fn applied(client: &impl GenericClient) -> Result<Vec<Applied>, tokio_postgres::Error> {
    let rows = client.query("select number, checksum, usable_from from schema_migrations order by number", &[]).await?;
    let read =
        |row: &tokio_postgres::Row| Applied { number: row.get(0), checksum: row.get(1), usable_from: row.get(2) };
    Ok(rows.iter().map(read).collect())
}
