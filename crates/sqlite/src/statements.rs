//! SQL derived from table descriptors. The writer is alone, so there are no locks; rows go through prepared
//! statements in a loop, because there is no round trip to save.

use surehold_core::TABLES;
use surehold_core::kernel::{Column, Table};

/// Parameters of all statements: the tenant first.
pub(crate) fn load(table: &Table) -> String {
    let columns = list(table.columns);
    let key = conditions(table.key(), 2);
    format!("select {columns}, version from {} where tenant = ?1{key}", table.name)
}

/// Parameters: tenant, instant.
pub(crate) fn load_due(table: &Table) -> Option<String> {
    let due = table.due.as_ref()?;
    let columns = list(table.columns);
    Some(format!(
        "select {columns}, version from {} where tenant = ?1 and {} and {} <= ?2 order by {} limit {}",
        table.name, due.filter, due.column, due.column, due.records_max
    ))
}

/// Parameters, per row: tenant, all columns, version. A key that exists is left alone: the count of rows tells.
pub(crate) fn insert(table: &Table, rows: usize) -> String {
    let columns = list(table.columns);
    let marks = vec!["?"; table.columns.len() + 2].join(", ");
    let values = vec![format!("({marks})"); rows].join(", ");
    format!("insert into {} (tenant, {columns}, version) values {values} on conflict do nothing", table.name)
}

/// Parameters: tenant, all columns, version, stored version, stored counters. Columns that never change are bound and not used.
pub(crate) fn update(table: &Table) -> String {
    let first = 2;
    let changing = table.columns.iter().enumerate().filter(|(_, column)| !column.fixed);
    let sets: String = changing.map(|(index, column)| format!("{} = ?{}, ", column.name, index + first)).collect();
    let (version, stored) = (table.columns.len() + first, table.columns.len() + first + 1);
    let key = conditions(table.key(), first);
    let counters: String = table.counters().zip(stored + 1..).map(|(column, param)| same(column.name, param)).collect();
    format!(
        "update {} set {sets}version = ?{version} where tenant = ?1{key}{}{counters}",
        table.name,
        same("version", stored),
    )
}

/// Parameters: tenant, key, stored version.
pub(crate) fn delete(table: &Table) -> String {
    let key = conditions(table.key(), 2);
    format!("delete from {} where tenant = ?1{key}{}", table.name, same("version", table.key_columns + 2))
}

pub(crate) const JOURNAL_HEAD: &str =
    "select seq, batch_id, at from journal where tenant = ?1 order by seq desc limit 1";
pub(crate) const JOURNAL_INSERT: &str =
    "insert into journal (tenant, seq, batch_id, at, events_count, events) values (?1, ?2, ?3, ?4, ?5, ?6)";
pub(crate) const JOURNAL_TRIM: &str = "delete from journal where tenant = ?1 and seq < ?2";

pub(crate) const JOURNAL_BATCH: &str = "select batch_id from journal where tenant = ?1 and seq = ?2";

/// All statements of the write path with a name, for tests that explain them.
pub fn every_statement() -> Vec<(String, String)> {
    let mut all = Vec::new();
    for table in TABLES {
        let mut add = |what: &str, sql: String| all.push((format!("{what} {}", table.name), sql));
        add("load", load(table));
        add("insert", insert(table, 1));
        add("update", update(table));
        add("delete", delete(table));
        if let Some(sql) = load_due(table) {
            add("load due", sql);
        }
    }
    for (name, sql) in [
        ("journal head", JOURNAL_HEAD),
        ("journal insert", JOURNAL_INSERT),
        ("journal batch", JOURNAL_BATCH),
        ("journal trim", JOURNAL_TRIM),
    ] {
        all.push((name.to_owned(), sql.to_owned()));
    }
    all
}

/// Whether a column is still what was loaded.
fn same(column: &str, param: usize) -> String {
    format!(" and {column} = ?{param}")
}

fn list(columns: &[Column]) -> String {
    columns.iter().map(|column| column.name).collect::<Vec<_>>().join(", ")
}

fn conditions(key: &[Column], first: usize) -> String {
    key.iter().enumerate().map(|(index, column)| format!(" and {} = ?{}", column.name, index + first)).collect()
}
