//! The two roles that a node works under, whatever it logs in as: one writes, the other reads one tenant at a time. What
//! they may do is granted by the migrations. Roles belong to the server, so databases that migrate at once share them.

use tokio_postgres::error::SqlState;
use tokio_postgres::{Client, GenericClient, Transaction};

use crate::connect::ConnectError;

pub(crate) const WRITER: &str = "surehold_writer";
pub(crate) const READER: &str = "surehold_reader";
const ROLES: [&str; 2] = [WRITER, READER];

/// Makes the roles where they are absent, and the login a member. Belongs into the migration's transaction.
pub(crate) async fn ensure(transaction: &Transaction<'_>) -> Result<(), ConnectError> {
    let login = login(transaction).await?;
    let absent = absent(transaction).await?;
    for role in &absent {
        create(transaction, role).await.map_err(|error| match error.code() {
            Some(&SqlState::INSUFFICIENT_PRIVILEGE) => roles_missing(&login, &absent),
            _ => ConnectError::Migrate(error),
        })?;
    }
    for role in ROLES {
        if !may_act_as(transaction, role).await.map_err(ConnectError::Migrate)? {
            join(transaction, role).await.map_err(|error| match error.code() {
                Some(&SqlState::INSUFFICIENT_PRIVILEGE) => not_a_member(&login, role),
                _ => ConnectError::Migrate(error),
            })?;
        }
    }
    Ok(())
}

/// Whether this login can serve: act as both roles, and find the tables as each of them.
pub(crate) async fn check(client: &mut Client) -> Result<(), ConnectError> {
    let transaction = client.transaction().await.map_err(ConnectError::Connect)?;
    let login = login(&transaction).await?;
    for role in ROLES {
        assume(&transaction, role, &login).await?;
        let sql = "select coalesce(has_table_privilege(to_regclass('tenants')::oid, 'select'), false)";
        let row = transaction.query_one(sql, &[]).await.map_err(ConnectError::Connect)?;
        if !row.get::<_, bool>(0) {
            return Err(ConnectError::TablesClosed { role });
        }
    }
    transaction.rollback().await.map_err(ConnectError::Connect)
}

/// Acts as the role until the transaction ends.
pub(crate) async fn assume(transaction: &Transaction<'_>, role: &'static str, login: &str) -> Result<(), ConnectError> {
    let absent = absent(transaction).await?;
    if !absent.is_empty() {
        return Err(roles_missing(login, &absent));
    }
    let assumed = transaction.batch_execute(&format!("set local role = '{role}'")).await;
    assumed.map_err(|error| match error.code() {
        Some(&SqlState::INSUFFICIENT_PRIVILEGE) => not_a_member(login, role),
        _ => ConnectError::Connect(error),
    })
}

/// As it is written in SQL.
async fn login(client: &impl GenericClient) -> Result<String, ConnectError> {
    let row = client.query_one("select quote_ident(session_user)", &[]).await;
    row.map(|row| row.get(0)).map_err(ConnectError::Connect)
}

async fn absent(client: &impl GenericClient) -> Result<Vec<&'static str>, ConnectError> {
    let sql = "select rolname::text from pg_roles where rolname = any($1)";
    let rows = client.query(sql, &[&ROLES.as_slice()]).await.map_err(ConnectError::Connect)?;
    let there: Vec<&str> = rows.iter().map(|row| row.get(0)).collect();
    Ok(ROLES.into_iter().filter(|role| !there.contains(role)).collect())
}

/// Another database of the server may do the same at this moment. Whoever comes second waits for the first and finds
/// the role there.
async fn create(client: &impl GenericClient, role: &str) -> Result<(), tokio_postgres::Error> {
    let sql = format!(
        "do $$ begin create role {role} nologin; \
         exception when duplicate_object or unique_violation then null; end $$"
    );
    client.batch_execute(&sql).await
}

async fn join(client: &impl GenericClient, role: &str) -> Result<(), tokio_postgres::Error> {
    let sql = format!("do $$ begin grant {role} to session_user; exception when unique_violation then null; end $$");
    client.batch_execute(&sql).await
}

/// From Postgres 16 on there are members who may hand a role on and not use it.
async fn may_act_as(client: &impl GenericClient, role: &str) -> Result<bool, tokio_postgres::Error> {
    let sql = "select pg_has_role(session_user, $1::name, case \
               when current_setting('server_version_num')::int >= 160000 then 'set' else 'member' end)";
    Ok(client.query_one(sql, &[&role]).await?.get(0))
}

fn roles_missing(login: &str, absent: &[&str]) -> ConnectError {
    let create: String = absent.iter().map(|role| format!("CREATE ROLE {role} NOLOGIN; ")).collect();
    ConnectError::RolesMissing { login: login.to_owned(), sql: format!("{create}{}", grant(login)) }
}

fn not_a_member(login: &str, role: &'static str) -> ConnectError {
    ConnectError::NotAMember { login: login.to_owned(), role, sql: grant(login) }
}

fn grant(login: &str) -> String {
    format!("GRANT {WRITER}, {READER} TO {login}")
}
