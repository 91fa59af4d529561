//! Brings the file's schema up to what this binary needs. Several processes may try: one does, the others find it done.

use rusqlite::{Connection, TransactionBehavior};
use surehold_engine::{Applied, Migration, pending};

use crate::store::OpenError;

pub(crate) const MIGRATIONS: &[Migration] = &[
    Migration { number: 1, name: "kernel", sql: include_str!("../migrations/0001_kernel.sql"), usable_from: 1 },
    Migration { number: 2, name: "keys", sql: include_str!("../migrations/0002_keys.sql"), usable_from: 1 },
];

const CREATE_LIST: &str = "create table if not exists schema_migrations (
  number integer primary key,
  name text not null,
  checksum text not null,
  usable_from integer not null,
  applied_at text not null default current_timestamp
) strict";

pub(crate) fn migrate(connection: &mut Connection) -> Result<(), OpenError> {
    let transaction = connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
    transaction.execute_batch(CREATE_LIST)?;
    let applied = applied(&transaction)?;
    for migration in pending(MIGRATIONS, &applied)? {
        transaction.execute_batch(migration.sql)?;
        transaction.execute(
            "insert into schema_migrations (number, name, checksum, usable_from) values (?1, ?2, ?3, ?4)",
            (migration.number, migration.name, migration.checksum(), migration.usable_from),
        )?;
    }
    transaction.commit()?;
    Ok(())
}

fn applied(connection: &Connection) -> rusqlite::Result<Vec<Applied>> {
    let mut statement =
        connection.prepare("select number, checksum, usable_from from schema_migrations order by number")?;
    let rows = statement
        .query_map([], |row| Ok(Applied { number: row.get(0)?, checksum: row.get(1)?, usable_from: row.get(2)? }))?;
    rows.collect()
}
