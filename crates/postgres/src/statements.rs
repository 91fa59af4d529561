//! SQL derived from table descriptors, one statement per kind and batch. Every statement is plan-proof: a plan made
//! while the table was empty is still right when it is full. Keys are looked up one by one through
//! `CROSS JOIN LATERAL (… LIMIT 1)`, which the planner cannot flatten into a scan.

use surehold_core::TABLES;
use surehold_core::kernel::{Column, ColumnType, Table};
use surehold_engine::Scope;

use crate::roles::WRITER;

/// Set on every writing connection: it owns no table, alone may write stock, the planner must not choose scans, and a
/// frozen node must not keep a turn.
pub fn write_settings() -> &'static str {
    "set role = 'surehold_writer'; set surehold.writer = 'engine'; \
     set enable_seqscan = off; set enable_bitmapscan = off; set enable_hashjoin = off; set enable_mergejoin = off; \
     set enable_memoize = off; set jit = off; set plan_cache_mode = force_generic_plan; set synchronous_commit = on; \
     set default_transaction_isolation = 'read committed'; \
     set lock_timeout = '1s'; set statement_timeout = '15s'; set idle_in_transaction_session_timeout = '5s'; \
     set tcp_user_timeout = '10s'; set timezone = 'UTC'"
}

/// Set on every reading connection. Until a tenant is set, it sees nothing. A query whose reader has gone ends within a
/// second, except on a server whose system cannot tell.
pub(crate) const READ_SETTINGS: &str = "set role = 'surehold_reader'; set default_transaction_read_only = on; \
     set statement_timeout = '30s'; set idle_in_transaction_session_timeout = '5s'; set jit = off; \
     set timezone = 'UTC'; \
     do $$ begin set client_connection_check_interval = '1s'; exception when invalid_parameter_value then null; end $$";

/// What it sets ends with the transaction.
pub(crate) fn begin_reading(scope: Scope) -> String {
    match scope {
        Scope::Tenant(tenant) | Scope::Door(tenant) => {
            format!("begin read only; set local surehold.tenant = '{}'", tenant.0)
        }
        Scope::Installation => format!("begin read only; set local role = '{WRITER}'"),
    }
}

/// Parameters: arrays of tenants and keys. Rows: tenant, columns, version.
pub(crate) fn load(table: &Table) -> String {
    let key = table.key();
    format!(
        "select k.tenant, {}, r.version from {} cross join lateral \
         (select {}, version from {} where {} limit 1) r",
        select_list(table, "r."),
        unnest(&all(key), &[], "k"),
        list(table.columns, ""),
        table.name,
        same_key(key, "k"),
    )
}

/// Parameters: tenant, instant. Rows: columns, version.
pub(crate) fn load_due(table: &Table) -> Option<String> {
    let due = table.due.as_ref()?;
    Some(format!(
        "select {}, version from {} where tenant = $1 and {} and {} <= $2 order by {} limit {}",
        select_list(table, ""),
        table.name,
        due.filter,
        due.column,
        due.column,
        due.records_max,
    ))
}

/// Parameters: arrays of tenants, all columns, versions.
pub(crate) fn insert(table: &Table) -> String {
    let value = |(column, number): (&Column, usize)| {
        let cast = if column.kind == ColumnType::Json { "::json" } else { "" };
        format!(", unnest(${number}::{}[]){cast}", array_type(column.kind))
    };
    let values: String = table.columns.iter().zip(2..).map(value).collect();
    format!(
        "insert into {} (tenant, {}, version) select unnest($1::bigint[]){values}, unnest(${}::bigint[])",
        table.name,
        list(table.columns, ""),
        table.columns.len() + 2,
    )
}

/// Parameters: arrays of tenants, keys, changing columns, versions, stored versions, stored counters; the count of rows.
pub(crate) fn update(table: &Table) -> String {
    let columns: Vec<&Column> = table.updated().map(|(_, column)| column).collect();
    let sets: String = table.changing().map(|column| format!("{} = {}, ", column.name, typed(column, "s."))).collect();
    let counters = table.counters().map(|column| format!(" and {0} = u.stored_{0}", column.name));
    let expected = expected(table);
    format!(
        "with done as (update {0} r set {sets}version = s.version from \
         (select u.*, x.row from {1} cross join lateral \
         (select ctid as row from {0} where {2} and version = u.stored_version{4} limit 1) x) s \
         where r.ctid = s.row returning 1) select surehold_expect(count(*), ${3}) from done",
        table.name,
        unnest(&columns, &expected, "u"),
        same_key(table.key(), "u"),
        columns.len() + expected.len() + 2,
        counters.collect::<String>(),
    )
}

/// What follows the columns in an update.
fn expected(table: &Table) -> Vec<String> {
    let versions = ["version".to_owned(), "stored_version".to_owned()];
    versions.into_iter().chain(table.counters().map(|column| format!("stored_{}", column.name))).collect()
}

/// Parameters: arrays of tenants, keys, stored versions; the count of rows.
pub(crate) fn delete(table: &Table) -> String {
    format!(
        "with done as (delete from {0} where ctid = any(array(select x.row from {1} cross join lateral \
         (select ctid as row from {0} where {2} and version = u.stored_version limit 1) x)) returning 1) \
         select surehold_expect(count(*), ${3}) from done",
        table.name,
        unnest(&all(table.key()), &["stored_version".to_owned()], "u"),
        same_key(table.key(), "u"),
        table.key_columns + 3,
    )
}

/// Parameters: array of tenants, microseconds that the clock is off by. Rows: tenant, seq, at, clock.
pub(crate) const JOURNAL_HEADS: &str = "select k.tenant, j.seq, j.batch_id, j.at, \
     clock_timestamp() + $2::bigint * interval '1 microsecond' from unnest($1::bigint[]) k(tenant) \
     left join lateral (select seq, batch_id, at from journal where tenant = k.tenant order by seq desc limit 1) j on true";

pub(crate) const JOURNAL_INSERT: &str = "insert into journal (tenant, seq, batch_id, at, events_count, events) \
     select u.tenant, u.seq, $3, u.at, u.events_count, u.events \
     from unnest($1::bigint[], $2::bigint[], $4::timestamptz[], $5::bigint[], $6::bytea[]) \
     u(tenant, seq, at, events_count, events)";

pub(crate) const JOURNAL_TRIM: &str = "delete from journal where tenant = $1 and seq < $2";

pub(crate) const JOURNAL_BATCH: &str = "select batch_id from journal where tenant = $1 and seq = $2";

/// Takes the turns that are free. Rows: those that are not. The keys are numbers of our own.
pub(crate) fn begin_at_once(turn_keys: &[i64]) -> String {
    let keys: Vec<String> = turn_keys.iter().map(ToString::to_string).collect();
    format!("begin; select k from unnest('{{{}}}'::bigint[]) k where not pg_try_advisory_xact_lock(k)", keys.join(","))
}

/// Waits for one turn. What else was taken is given up first, so that no two batches wait for each other in a circle.
pub(crate) fn begin_waiting(turn_key: i64) -> String {
    format!("rollback; begin; select pg_advisory_xact_lock({turn_key})")
}

/// All statements of the write path with a name, for tests that explain them.
pub fn every_statement() -> Vec<(String, String)> {
    let mut all = Vec::new();
    for table in TABLES {
        let mut add = |what: &str, sql: String| all.push((format!("{what} {}", table.name), sql));
        add("load", load(table));
        add("insert", insert(table));
        add("update", update(table));
        add("delete", delete(table));
        if let Some(sql) = load_due(table) {
            add("load due", sql);
        }
    }
    for (name, sql) in [
        ("journal heads", JOURNAL_HEADS),
        ("journal insert", JOURNAL_INSERT),
        ("journal batch", JOURNAL_BATCH),
        ("journal trim", JOURNAL_TRIM),
    ] {
        all.push((name.to_owned(), sql.to_owned()));
    }
    all
}

fn all(columns: &[Column]) -> Vec<&Column> {
    columns.iter().collect()
}

/// `(select unnest($1::bigint[]) as tenant, …) u`: the tenant, the columns, then extra integers. Taken apart as values, not
/// as a table: that would be written down in full before its first row is read.
fn unnest(columns: &[&Column], extra: &[String], alias: &str) -> String {
    let columns = columns.iter().map(|column| (column.name, array_type(column.kind)));
    let all = columns.chain(extra.iter().map(|name| (name.as_str(), "bigint")));
    let values = all.zip(2..).map(|((name, kind), number)| format!(", unnest(${number}::{kind}[]) as {name}"));
    format!("(select unnest($1::bigint[]) as tenant{}) {alias}", values.collect::<String>())
}

/// JSON travels as text: it is text in our hands, and arrays of text are cheap.
fn array_type(kind: ColumnType) -> &'static str {
    match kind {
        ColumnType::Int => "bigint",
        ColumnType::Bool => "boolean",
        ColumnType::Text | ColumnType::Json => "text",
        ColumnType::Bytes => "bytea",
        ColumnType::Uuid => "uuid",
        ColumnType::Time => "timestamptz",
    }
}

fn typed(column: &Column, prefix: &str) -> String {
    match column.kind {
        ColumnType::Json => format!("{prefix}{}::json", column.name),
        _ => format!("{prefix}{}", column.name),
    }
}

fn select_list(table: &Table, prefix: &str) -> String {
    let columns = table.columns.iter().map(|column| match column.kind {
        ColumnType::Json => format!("{prefix}{}::text", column.name),
        _ => format!("{prefix}{}", column.name),
    });
    columns.collect::<Vec<_>>().join(", ")
}

fn list(columns: &[Column], prefix: &str) -> String {
    columns.iter().map(|column| format!("{prefix}{}", column.name)).collect::<Vec<_>>().join(", ")
}

fn same_key(key: &[Column], alias: &str) -> String {
    let columns = key.iter().map(|column| format!(" and {0} = {alias}.{0}", column.name));
    format!("tenant = {alias}.tenant{}", columns.collect::<String>())
}
