//! Brings the schema up to what this binary needs. Several nodes may try: one does, the others wait and find it done.
//! Only who owns the tables can; a login that merely serves checks that nothing is left to do.

use std::time::Duration;

use surehold_engine::{Applied, Migration, pending};
use tokio_postgres::error::SqlState;
use tokio_postgres::{Client, GenericClient};

use crate::connect::{Address, ConnectError};
use crate::roles;

pub(crate) const MIGRATIONS: &[Migration] = surehold_engine::migrations!();

/// The migration that lets those who only serve read the list of migrations.
const LIST_READABLE_SINCE: i64 = 3;

/// Far from the turns of tenants, which are hashed.
const MIGRATION_LOCK: i64 = 5_320_318_642_117;

const CREATE_LIST: &str = "create table if not exists schema_migrations (
  number bigint primary key,
  name text not null,
  checksum text not null,
  usable_from bigint not null,
  applied_at timestamptz not null default now()
)";

const LOCK_TIMEOUT: &str = "set local lock_timeout = '500ms'";
const LOCK_TRIES: u32 = 60;
/// Longer than what was waited for the lock: those who had to wait behind get on.
const LOCK_PAUSE: Duration = Duration::from_secs(1);

const SERVER_VERSION_MIN: i32 = 150_000;

/// Applies what is pending and tells its names. The login has to own the tables, unless nothing is pending.
pub async fn migrate(url: &str) -> Result<Vec<String>, ConnectError> {
    let mut client = Address::parse(url)?.connect().await.map_err(ConnectError::Connect)?;
    migrate_or_check(&mut client).await
}

/// The names of the migrations that this binary knows and the database has not had. Changes nothing.
pub async fn migrations_pending(url: &str) -> Result<Vec<String>, ConnectError> {
    let mut client = Address::parse(url)?.connect().await.map_err(ConnectError::Connect)?;
    require_version(&client).await?;
    names_pending(&mut client).await
}

/// Migrates where the login may, and otherwise makes sure that nothing is pending.
pub(crate) async fn migrate_or_check(client: &mut Client) -> Result<Vec<String>, ConnectError> {
    require_version(client).await?;
    let standing = Standing::of(client).await?;
    if standing.may_migrate {
        return apply_pending(client).await;
    }
    let names = names_pending(client).await?;
    if names.is_empty() { Ok(names) } else { Err(ConnectError::MustMigrate { login: standing.login, names }) }
}

async fn require_version(client: &Client) -> Result<(), ConnectError> {
    let row =
        client.query_one("select current_setting('server_version_num')::int, current_setting('server_version')", &[]);
    let row = row.await.map_err(ConnectError::Connect)?;
    if row.get::<_, i32>(0) < SERVER_VERSION_MIN {
        return Err(ConnectError::ServerTooOld { found: row.get(1) });
    }
    Ok(())
}

/// What the login is to this database.
struct Standing {
    login: String,
    list: List,
    may_migrate: bool,
}

#[derive(Clone, Copy)]
enum List {
    Absent,
    Unreadable,
    Readable,
}

impl Standing {
    async fn of(client: &impl GenericClient) -> Result<Standing, ConnectError> {
        let sql = "select quote_ident(session_user), list is not null, \
             coalesce(has_table_privilege(list, 'select'), false), coalesce(case \
             when list is null then has_schema_privilege(current_schema(), 'create') \
             else (select pg_has_role(relowner, 'usage') from pg_class where oid = list) end, false) \
             from (select to_regclass('schema_migrations')::oid as list) found";
        let row = client.query_one(sql, &[]).await.map_err(ConnectError::Connect)?;
        let list = match (row.get(1), row.get(2)) {
            (false, _) => List::Absent,
            (true, false) => List::Unreadable,
            (true, true) => List::Readable,
        };
        Ok(Standing { login: row.get(0), list, may_migrate: row.get(3) })
    }
}

async fn names_pending(client: &mut Client) -> Result<Vec<String>, ConnectError> {
    let transaction = client.transaction().await.map_err(ConnectError::Connect)?;
    let Standing { mut list, login, .. } = Standing::of(&transaction).await?;
    if let List::Unreadable = list {
        // A member need not inherit what its roles may do.
        match roles::assume(&transaction, roles::WRITER, &login).await {
            Ok(()) => list = Standing::of(&transaction).await?.list,
            // The migration that grants comes after the roles.
            Err(ConnectError::RolesMissing { .. }) => {}
            Err(error) => return Err(error),
        }
    }
    let pending = match list {
        List::Absent => MIGRATIONS,
        List::Unreadable => {
            let granted = MIGRATIONS.partition_point(|migration| migration.number < LIST_READABLE_SINCE);
            &MIGRATIONS[granted..]
        }
        List::Readable => pending(MIGRATIONS, &applied(&transaction).await.map_err(ConnectError::Connect)?)?,
    };
    Ok(pending.iter().map(Migration::title).collect())
}

/// Some migrations need a table for themselves. Whoever waits for that makes everybody else wait behind, so it is given up
/// after a short while and tried again: others get on meanwhile.
async fn apply_pending(client: &mut Client) -> Result<Vec<String>, ConnectError> {
    for _ in 1..LOCK_TRIES {
        match apply_at_once(client).await {
            Err(ConnectError::Migrate(error)) if error.code() == Some(&SqlState::LOCK_NOT_AVAILABLE) => {
                tokio::time::sleep(LOCK_PAUSE).await;
            }
            applied => return applied,
        }
    }
    apply_at_once(client).await
}

async fn apply_at_once(client: &mut Client) -> Result<Vec<String>, ConnectError> {
    let transaction = client.transaction().await.map_err(ConnectError::Migrate)?;
    let lock = transaction.query_one("select pg_advisory_xact_lock($1)", &[&MIGRATION_LOCK]);
    lock.await.map_err(ConnectError::Migrate)?;
    // From here on: who migrates waits for others who do.
    transaction.batch_execute(LOCK_TIMEOUT).await.map_err(ConnectError::Migrate)?;
    // A migration may write what nobody but the engine may.
    transaction.batch_execute("set local surehold.writer = 'engine'").await.map_err(ConnectError::Migrate)?;
    transaction.batch_execute(CREATE_LIST).await.map_err(ConnectError::Migrate)?;
    let applied = applied(&transaction).await.map_err(ConnectError::Migrate)?;
    let pending = pending(MIGRATIONS, &applied)?;
    if !pending.is_empty() {
        roles::ensure(&transaction).await?;
    }
    for migration in pending {
        apply(&transaction, migration).await.map_err(ConnectError::Migrate)?;
    }
    transaction.commit().await.map_err(ConnectError::Migrate)?;
    Ok(pending.iter().map(Migration::title).collect())
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
