//! Brings the file's schema up to what this binary needs. Several processes may try: one does, the others find it done.

use std::io::ErrorKind;
use std::path::Path;

use rusqlite::{Connection, TransactionBehavior};
use surehold_engine::{Applied, Migration, pending};

use crate::doctor::open_without_trace;
use crate::store::{OpenError, Opened, named, require_ours};

pub(crate) const MIGRATIONS: &[Migration] = surehold_engine::migrations!();

const CREATE_LIST: &str = "create table if not exists schema_migrations (
  number integer primary key,
  name text not null,
  checksum text not null,
  usable_from integer not null,
  applied_at text not null default current_timestamp
) strict";

/// Makes the file or applies what is pending, and tells the names. Nobody else may write to the file.
pub fn migrate(path: &Path) -> Result<Vec<String>, OpenError> {
    let Opened { applied, .. } = Opened::open(path)?;
    Ok(applied)
}

/// The names of the migrations that this binary knows and the file has not had. Changes nothing; a server may be using
/// the file.
pub fn migrations_pending(path: &Path) -> Result<Vec<String>, OpenError> {
    let applied = match path.metadata() {
        Err(error) if error.kind() == ErrorKind::NotFound => Vec::new(),
        Err(source) => return Err(OpenError::Io { path: path.to_owned(), source }),
        Ok(_) => read_applied(path).map_err(|error| named(path, error))?,
    };
    Ok(pending(MIGRATIONS, &applied)?.iter().map(Migration::title).collect())
}

fn read_applied(path: &Path) -> Result<Vec<Applied>, OpenError> {
    let connection = open_without_trace(path)?;
    require_ours(&connection, path)?;
    let sql = "select count(*) from sqlite_schema where name = 'schema_migrations'";
    let lists: i64 = connection.query_row(sql, [], |row| row.get(0))?;
    if lists == 0 { Ok(Vec::new()) } else { Ok(applied(&connection)?) }
}

/// Tells the names of what it applied.
pub(crate) fn apply_pending(connection: &mut Connection) -> Result<Vec<String>, OpenError> {
    let transaction = connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
    transaction.execute_batch(CREATE_LIST)?;
    let applied = applied(&transaction)?;
    let pending = pending(MIGRATIONS, &applied)?;
    for migration in pending {
        transaction.execute_batch(migration.sql)?;
        transaction.execute(
            "insert into schema_migrations (number, name, checksum, usable_from) values (?1, ?2, ?3, ?4)",
            (migration.number, migration.name, migration.checksum(), migration.usable_from),
        )?;
    }
    transaction.commit()?;
    Ok(pending.iter().map(Migration::title).collect())
}

fn applied(connection: &Connection) -> rusqlite::Result<Vec<Applied>> {
    let mut statement =
        connection.prepare("select number, checksum, usable_from from schema_migrations order by number")?;
    let rows = statement
        .query_map([], |row| Ok(Applied { number: row.get(0)?, checksum: row.get(1)?, usable_from: row.get(2)? }))?;
    rows.collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Tables that are written anew keep what was in them.
    #[test]
    fn keys_survive_a_new_scope() {
        let connection = Connection::open_in_memory().unwrap();
        let (before, after) = MIGRATIONS.split_at(4);
        let run = |migrations: &[Migration]| migrations.iter().for_each(|m| connection.execute_batch(m.sql).unwrap());
        let insert = |tenant: i64, id: i64, scopes: i64| {
            let sql = "insert into api_keys (tenant, id, name, scopes, secret_hash, created_at, version) \
                       values (?1, ?2, 'till', ?3, zeroblob(32), 7, 1)";
            connection.execute(sql, (tenant, id, scopes)).is_ok()
        };
        run(before);
        assert!(insert(1, 1, 7) && insert(0, 2, 8) && !insert(1, 3, 16));
        run(after);
        let mut statement = connection.prepare("select tenant, id, scopes, created_at from api_keys").unwrap();
        let rows = statement.query_map([], |row| row.try_into()).unwrap();
        let rows: Vec<(i64, i64, i64, i64)> = rows.collect::<Result<_, _>>().unwrap();
        assert_eq!(rows, [(0, 2, 8, 7), (1, 1, 7, 7)]);
        for (id, (tenant, scopes, expected)) in (10..).zip([
            (1, 16, true),
            (1, 23, true),
            (0, 8, true),
            (1, 0, false),
            (1, 8, false),
            (0, 16, false),
            (1, 9, false),
            (1, 24, false),
            (0, 24, false),
            (1, 32, false),
        ]) {
            assert_eq!(insert(tenant, id, scopes), expected, "{tenant} {scopes}");
        }
    }
}
