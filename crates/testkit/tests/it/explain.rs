//! The plans of every statement of the write path: whatever was in the tables when they were made, they are index
//! lookups by full key. A plan that reads a whole tenant looks fine in a test and dies in production.

use std::fmt::Write;

use serde_json::Value;
use surehold_core::TABLES;
use surehold_testkit::fixture::{Fixture, StoreKind, connect, open_file};
use tokio_postgres::Client;

/// Three tenants, so that none of them is a small part of a table.
pub(crate) const FILL: &str = "
    insert into tenants select t, 't' || t, 900, 86400, 100, 2592000, 1 from generate_series(1, 3) t;
    insert into slugs select 0, 's' || n, n, 1 from generate_series(1, 5000) n;
    insert into pools select 1 + n % 3, 'r' || n / 30, to_char(date '2026-01-01' + n / 3 % 10, 'YYYY-MM-DD'),
        9, 0, 0, 0, 0, 0, false, 1 from generate_series(0, 4999) n on conflict do nothing;
    insert into holds (tenant, id, state, lines, placed_at, expires_at, ended_at, version)
        select 1 + n % 3, gen_random_uuid(), case when n % 5 = 0 then 'active' else 'cancelled' end, '[]',
        now(), now() + n * interval '1 s', case when n % 5 = 0 then null else now() end, 1
        from generate_series(0, 49999) n;
    insert into owners select 1 + n % 3, 'o' || n, 1, 1, 1 from generate_series(0, 4999) n;
    insert into replies select 1 + n % 3, 'place_hold', 'k' || n, decode(repeat('00', 32), 'hex'), '{}', now(), 1
        from generate_series(0, 4999) n;
    insert into schedules select 1 + n % 3, 'n' || n, '@daily', 'UTC', 'ANNOUNCE', '{}', null, n % 5 <> 0,
        case when n % 5 <> 0 then now() + n * interval '1 min' end, null, now(), 1 from generate_series(0, 4999) n;
    insert into journal select 1 + n % 3, 1 + n / 3, gen_random_uuid(), now(), 0, '' from generate_series(0, 4999) n;";

/// A session as a lane has it, with statements prepared by number.
struct Session {
    client: Client,
    statements: Vec<(String, String)>,
}

impl Session {
    async fn open(fixture: &Fixture, statements: Vec<(String, String)>) -> Session {
        let client = connect(fixture.url()).await.unwrap();
        client.batch_execute(surehold_postgres::write_settings()).await.unwrap();
        for (index, (name, sql)) in statements.iter().enumerate() {
            let prepared = client.batch_execute(&format!("prepare explained_{index} as {sql}")).await;
            prepared.unwrap_or_else(|error| panic!("{name}: {error}"));
        }
        Session { client, statements }
    }

    /// What is wrong with the plans as they are now.
    async fn faults(&self, when: &str) -> String {
        let mut faults = String::new();
        for (index, (name, _)) in self.statements.iter().enumerate() {
            let plan = self.plan(index).await;
            for fault in faults_of(&plan, name) {
                writeln!(faults, "{name}, {when}: {fault}").unwrap();
            }
        }
        faults
    }

    /// A generic plan does not look at parameters, so none are given.
    async fn plan(&self, index: usize) -> Value {
        let count = "select cardinality(parameter_types)::bigint from pg_prepared_statements where name = $1";
        let count: i64 = self.client.query_one(count, &[&format!("explained_{index}")]).await.unwrap().get(0);
        let nulls = vec!["null"; usize::try_from(count).unwrap()].join(", ");
        let explain = format!("explain (format json) execute explained_{index}({nulls})");
        let answer = self.client.simple_query(&explain).await.unwrap();
        let text: String = answer
            .iter()
            .filter_map(|message| match message {
                tokio_postgres::SimpleQueryMessage::Row(row) => row.get(0).map(str::to_owned),
                _ => None,
            })
            .collect();
        serde_json::from_str::<Value>(&text).unwrap()[0]["Plan"].clone()
    }
}

/// Walks the plan; every way to reach a table must be a lookup by all columns of a key.
fn faults_of(plan: &Value, name: &str) -> Vec<String> {
    let text = |field: &str| plan[field].as_str().unwrap_or_default();
    let node = text("Node Type");
    let mut faults = match node {
        "Index Scan" | "Index Only Scan" => lookup_faults(plan, name),
        "Aggregate" | "CTE Scan" | "Function Scan" | "Limit" | "ModifyTable" | "Nested Loop" | "ProjectSet"
        | "Result" | "Subquery Scan" | "Tid Scan" => Vec::new(),
        other => vec![format!("{other} on {:?}", text("Relation Name"))],
    };
    let parts = plan["Plans"].as_array().map(Vec::as_slice).unwrap_or_default();
    faults.extend(parts.iter().flat_map(|part| faults_of(part, name)));
    faults
}

fn lookup_faults(plan: &Value, name: &str) -> Vec<String> {
    let text = |field: &str| plan[field].as_str().unwrap_or_default();
    let (table, index, condition) = (text("Relation Name"), text("Index Name"), text("Index Cond"));
    let (expected_index, columns) = match name {
        "load due holds" => ("holds_due".to_owned(), vec!["tenant", "expires_at"]),
        "load due schedules" => ("schedules_due".to_owned(), vec!["tenant", "next_at"]),
        "journal heads" => ("journal_pkey".to_owned(), vec!["tenant"]),
        _ => (format!("{table}_pkey"), key_columns(table)),
    };
    let mut faults = Vec::new();
    if index != expected_index {
        faults.push(format!("goes through {index} instead of {expected_index}"));
    }
    for column in columns {
        if !condition.contains(&format!("({column} ")) {
            faults.push(format!("looks {table} up without {column}: {condition:?}"));
        }
    }
    if name == "journal heads" && text("Scan Direction") != "Backward" {
        faults.push("reads the journal from its beginning".to_owned());
    }
    faults
}

fn key_columns(table: &str) -> Vec<&'static str> {
    let key: &[_] = match TABLES.iter().find(|known| known.name == table) {
        Some(table) => table.key(),
        None => return vec!["tenant", "seq"],
    };
    ["tenant"].into_iter().chain(key.iter().map(|column| column.name)).collect()
}

#[tokio::test]
async fn every_statement_on_postgres_is_a_lookup() {
    let fixture = Fixture::new(StoreKind::Postgres).await.unwrap();
    drop(fixture.store().await.unwrap());
    let early = Session::open(&fixture, surehold_postgres::every_statement()).await;
    assert!(early.statements.len() > 20);
    let mut faults = early.faults("planned on empty tables").await;
    let writer = connect(fixture.url()).await.unwrap();
    writer.batch_execute(FILL).await.unwrap();
    faults += &early.faults("planned before the tables were filled").await;
    let unanalysed = Session::open(&fixture, surehold_postgres::every_statement()).await;
    faults += &unanalysed.faults("planned on full tables without statistics").await;
    writer.batch_execute("analyze").await.unwrap();
    faults += &early.faults("planned again with statistics").await;
    let late = Session::open(&fixture, surehold_postgres::every_statement()).await;
    faults += &late.faults("planned on full tables").await;
    assert_eq!(faults, "");
}

/// The writer's policies are gone before a plan is made: it gets the plans of somebody whom row security does not meet.
#[tokio::test]
async fn row_security_does_not_show_in_the_plans_of_the_writer_on_postgres() {
    let fixture = Fixture::new(StoreKind::Postgres).await.unwrap();
    drop(fixture.store().await.unwrap());
    let writer = Session::open(&fixture, surehold_postgres::every_statement()).await;
    let owner = Session::open(&fixture, surehold_postgres::every_statement()).await;
    owner.client.batch_execute("reset role").await.unwrap();
    for (index, (name, _)) in writer.statements.iter().enumerate() {
        assert_eq!(writer.plan(index).await, owner.plan(index).await, "{name}");
    }
}

/// The tenant's policy is checked once a statement and hinders no index.
#[tokio::test]
async fn a_reader_looks_rows_up_on_postgres() {
    let fixture = Fixture::new(StoreKind::Postgres).await.unwrap();
    drop(fixture.store().await.unwrap());
    connect(fixture.url()).await.unwrap().batch_execute(&format!("{FILL}; analyze")).await.unwrap();
    let reads = [
        ("record", "select state from holds where tenant = $1 and id = $2", "(tenant = $1) AND (id = $2)"),
        ("pool", "select held from pools where tenant = $1 and resource = $2 and slot = $3", "(slot = $3)"),
        (
            "page",
            "select * from pools where tenant = $1 and (resource, slot) > ($2, $3) order by resource, slot limit 9",
            "(ROW(resource, slot) > ROW($2, $3))",
        ),
        ("journal", "select * from journal where tenant = $1 and seq > $2 order by seq limit 9", "(seq > $2)"),
        ("reference", "select id from holds where tenant = $1 and reference = $2", "(reference = $2)"),
        (
            "due",
            "select id from holds where tenant = $1 and state = 'active' and expires_at > $2 \
            order by expires_at limit 9",
            "(expires_at > $2)",
        ),
    ];
    let statements = reads.iter().map(|(name, sql, _)| ((*name).to_owned(), (*sql).to_owned())).collect();
    let session = Session::open(&fixture, statements).await;
    let as_reader = "set role surehold_reader; set enable_seqscan = on; set enable_bitmapscan = on";
    session.client.batch_execute(as_reader).await.unwrap();
    for (index, (name, _, condition)) in reads.iter().enumerate() {
        let plan = session.plan(index).await.to_string();
        assert!(plan.contains("Index") && plan.contains(condition), "{name}: {plan}");
        assert!(plan.contains("\"One-Time Filter\":\"($0 = $1)\""), "{name}: {plan}");
        assert!(!plan.contains("\"Filter\""), "{name}: {plan}");
    }
}

/// The check above finds what it is there to find.
#[tokio::test]
async fn bad_plans_are_found_on_postgres() {
    let fixture = Fixture::new(StoreKind::Postgres).await.unwrap();
    drop(fixture.store().await.unwrap());
    connect(fixture.url()).await.unwrap().batch_execute(&format!("{FILL}; analyze")).await.unwrap();
    let bad = [
        ("whole tenant", "select * from holds where tenant = $1"),
        ("part of a key", "select * from pools where tenant = $1 and resource = $2"),
        ("no index", "select * from holds where owner = $1"),
        ("other index", "select * from holds where tenant = $1 and reference = $2"),
        ("plain join", "select p.* from unnest($1::text[]) k(r) join pools p on p.tenant = 1 and p.resource = k.r"),
        ("journal heads", "select * from journal where tenant = $1 order by seq limit 1"),
        ("load due holds", "select * from holds where tenant = $1 and expires_at <= $2 order by expires_at limit 9"),
    ];
    let bad: Vec<_> = bad.iter().map(|(name, sql)| ((*name).to_owned(), (*sql).to_owned())).collect();
    let faults = Session::open(&fixture, bad.clone()).await.faults("now").await;
    for (name, _) in bad {
        assert!(faults.contains(&format!("{name}, now: ")), "{name} passes for good in\n{faults}");
    }
}

/// What SQLite says it does, one line per table reached.
pub(crate) fn sqlite_plan(connection: &rusqlite::Connection, sql: &str) -> Vec<String> {
    let mut statement = connection.prepare(&format!("explain query plan {sql}")).unwrap();
    let mut rows = statement.raw_query();
    let mut plan = Vec::new();
    while let Some(row) = rows.next().unwrap() {
        plan.push(row.get(3).unwrap());
    }
    plan
}

fn sqlite_plan_expected(name: &str) -> Vec<String> {
    let Some((verb, table)) = name.rsplit_once(' ') else { unreachable!("statements have two words or more") };
    let table_plan = |table: &str| match table {
        "tenants" => "SEARCH tenants USING INTEGER PRIMARY KEY (rowid=?)".to_owned(),
        // Its rows are long, so the key has an index of its own.
        "inbox_events" => "SEARCH inbox_events USING INDEX sqlite_autoindex_inbox_events_1 \
                           (tenant=? AND source=? AND external_id=?)"
            .to_owned(),
        table => {
            let key: Vec<String> = key_columns(table).iter().map(|column| format!("{column}=?")).collect();
            format!("SEARCH {table} USING PRIMARY KEY ({})", key.join(" AND "))
        }
    };
    match (verb, name) {
        ("insert", _) | (_, "journal insert") => Vec::new(),
        (_, "load due holds") => vec!["SEARCH holds USING INDEX holds_due (tenant=? AND expires_at<?)".to_owned()],
        (_, "load due schedules") => {
            vec!["SEARCH schedules USING INDEX schedules_due (tenant=? AND next_at>? AND next_at<?)".to_owned()]
        }
        (_, "journal head") => vec!["SEARCH journal USING PRIMARY KEY (tenant=?)".to_owned()],
        (_, "journal trim") => vec!["SEARCH journal USING PRIMARY KEY (tenant=? AND seq<?)".to_owned()],
        (_, "journal batch") => vec![table_plan("journal")],
        _ => vec![table_plan(table)],
    }
}

#[tokio::test]
async fn every_statement_on_sqlite_is_a_lookup() {
    let fixture = Fixture::new(StoreKind::Sqlite).await.unwrap();
    drop(fixture.store().await.unwrap());
    let connection = open_file(&fixture.file()).unwrap();
    let check = |when: &str| {
        for (name, sql) in surehold_sqlite::every_statement() {
            assert_eq!(sqlite_plan(&connection, &sql), sqlite_plan_expected(&name), "{name} on {when}");
        }
    };
    check("empty tables");
    connection.execute_batch(SQLITE_FILL).unwrap();
    check("full tables");
    connection.execute_batch("analyze").unwrap();
    check("full tables with statistics");
}

pub(crate) const SQLITE_FILL: &str = "
    create temp table n as
        with recursive n(n) as (select 0 union all select n + 1 from n where n < 19999) select n from n;
    insert into tenants select 1 + n, 't' || n, 900, 86400, 100, 2592000, 1 from n where n < 3;
    insert into pools select 1 + n % 3, 'r' || n, '', 9, 0, 0, 0, 0, 0, 0, 1, 0 from n where n < 5000;
    insert into holds (tenant, id, state, lines, placed_at, expires_at, ended_at, version)
        select 1 + n % 3, randomblob(16), iif(n % 5 = 0, 'active', 'cancelled'), '[]', 0, n, iif(n % 5 = 0, null, 0), 1
        from n;
    insert into owners select 1 + n % 3, 'o' || n, 1, 1, 1 from n where n < 5000;
    insert into schedules select 1 + n % 3, 'n' || n, '@daily', 'UTC', 'ANNOUNCE', '{}', null, n % 5 <> 0,
        iif(n % 5 <> 0, n, null), null, 0, 1 from n where n < 5000;
    insert into journal select 1 + n % 3, 1 + n / 3, randomblob(16), 0, 0, x'' from n where n < 5000;";
