//! The plans of what people read: lists and ranges find their rows through an index, however large the tables are.

use serde_json::Value;
use surehold_testkit::fixture::{Fixture, StoreKind, connect, open_file};

use super::explain::{FILL, SQLITE_FILL, sqlite_plan};
use super::explain_operations;

/// A view's statement as the engine writes it, what Postgres must look up by, and what SQLite must say it does.
const VIEWS: [(&str, &str, &str, &str); 22] = [
    (
        "pools",
        "select total from pools where tenant = $1 and (resource, slot) > ($2, $3) order by resource, slot limit $4",
        "(ROW(resource, slot) > ROW($2, $3))",
        "SEARCH pools USING PRIMARY KEY (tenant=? AND (resource,slot)>(?,?))",
    ),
    (
        "pools of a resource",
        "select total from pools where tenant = $1 and resource = $2 and (resource, slot) > ($3, $4) \
         order by resource, slot limit $5",
        "(resource = $2)",
        "SEARCH pools USING PRIMARY KEY (tenant=? AND resource=?",
    ),
    (
        "pools between",
        "select total from pools where tenant = $1 and slot >= $2 and slot < $3 and resource <> '' \
         order by slot, resource limit $4",
        "(slot >= $2) AND (slot < $3)",
        "SEARCH pools USING INDEX pools_by_slot (tenant=? AND slot>? AND slot<?)",
    ),
    (
        "a resource's pools between",
        "select total from pools where tenant = $1 and slot >= $2 and slot < $3 and resource = $5 order by slot limit $4",
        "(slot >= $2) AND (slot < $3)",
        "SEARCH pools USING ",
    ),
    (
        "holds by reference",
        "select lines from holds where tenant = $1 and reference >= $2 and reference <= $2 and \
         (reference, id) > ($2, $3) order by reference, id limit $4",
        "(reference >= $2) AND (reference <= $2)",
        "SEARCH holds USING INDEX holds_by_reference (tenant=? AND reference>? AND reference<?)",
    ),
    (
        "active holds",
        "select lines from holds where tenant = $1 and state = 'active' and (expires_at > $2 or (expires_at = $2 and \
         id > $3)) and expires_at >= $2 order by expires_at, id limit $4",
        "(expires_at >= $2)",
        "SEARCH holds USING INDEX holds_due (tenant=? AND expires_at>?)",
    ),
    (
        "schedules",
        "select cron from schedules where tenant = $1 and name > $2 order by name limit $3",
        "(name > $2)",
        "SEARCH schedules USING PRIMARY KEY (tenant=? AND name>?)",
    ),
    (
        "tenants with due schedules",
        "select tenant, next_at from schedules where enabled and next_at <= $1 order by next_at limit $2",
        "(next_at <= $1)",
        "SEARCH schedules USING INDEX schedules_next (next_at<?)",
    ),
    (
        "next schedule",
        "select next_at from schedules where enabled and next_at > $1 order by next_at limit 1",
        "(next_at > $1)",
        "SEARCH schedules USING INDEX schedules_next (next_at>?)",
    ),
    (
        "journal",
        "select at from journal where tenant = $1 and seq > $2 order by seq limit $3",
        "(seq > $2)",
        "SEARCH journal USING PRIMARY KEY (tenant=? AND seq>?)",
    ),
    (
        "journal tail",
        "select coalesce((select seq from journal where tenant = $1 order by seq limit 1), 0), \
         coalesce((select seq from journal where tenant = $1 order by seq desc limit 1), 0)",
        "(tenant = $1)",
        "SEARCH journal USING PRIMARY KEY (tenant=?)",
    ),
    (
        "key",
        "select name from api_keys where tenant = $1 and id = $2",
        "(id = $2)",
        "SEARCH api_keys USING PRIMARY KEY (tenant=? AND id=?)",
    ),
    (
        "properties",
        "select title from properties where tenant = $1 and name > $2 order by name limit $3",
        "(name > $2)",
        "SEARCH properties USING PRIMARY KEY (tenant=? AND name>?)",
    ),
    (
        "rates of months",
        "select nights from rate_months where tenant = $1 and property = $2 and month >= $3 and month <= $4 \
         order by month, rate_plan, room_type limit $5",
        "(month >= $3) AND (month <= $4)",
        "SEARCH rate_months USING PRIMARY KEY (tenant=? AND property=? AND month>? AND month<?)",
    ),
    (
        "rooms of a type",
        "select p.total from pools p where p.tenant = $1 and p.resource = $2 and p.slot >= $3 and p.slot < $4 \
         order by p.slot limit $5",
        "(resource = $2) AND (slot >= $3) AND (slot < $4)",
        "SEARCH p USING PRIMARY KEY (tenant=? AND resource=? AND slot>? AND slot<?)",
    ),
    (
        "spent quotes",
        "select id from quotes where tenant = $1 and id < $2 and valid_until <= $3 order by id limit $4",
        "(id < $2)",
        "SEARCH quotes USING PRIMARY KEY (tenant=? AND id<?)",
    ),
    (
        "a stay",
        "select s.total, h.state, g.name, r.paid from stays s join holds h on h.tenant = $1 and h.id = s.hold \
         left join guests g on g.tenant = $1 and g.hold = s.hold \
         left join reservations r on r.tenant = $1 and r.hold = s.hold where s.tenant = $1 and s.hold = $2",
        "(hold = $2)",
        "SEARCH s USING PRIMARY KEY (tenant=? AND hold=?)",
    ),
    (
        "active stays",
        "select s.total, h.lines, g.name, r.paid from (select h.id from holds h where h.tenant = $1 and h.state = 'active' and h.expires_at >= $3 \
         and (h.expires_at > $3 or h.id > $4) \
         and (select s.property from stays s where s.tenant = $1 and s.hold = h.id) = $2 \
         order by h.expires_at, h.id limit $5) looked_at join holds h on h.tenant = $1 and h.id = looked_at.id \
         join stays s on s.tenant = $1 and s.hold = h.id \
         left join guests g on g.tenant = $1 and g.hold = s.hold \
         left join reservations r on r.tenant = $1 and r.hold = s.hold order by h.expires_at, h.id",
        "(expires_at >= $3)",
        "SEARCH h USING COVERING INDEX holds_due (tenant=? AND expires_at>?)",
    ),
    (
        // The engine knows a payment by its session; people know the hold.
        "payments of a stay",
        "select state from payments where tenant = $1 and hold = $2",
        "(hold = $2)",
        "SEARCH payments USING COVERING INDEX payments_by_hold (tenant=? AND hold=?)",
    ),
    (
        "arrivals",
        "select r.paid, g.name, p.state from reservations r left join guests g on g.tenant = $1 and g.hold = r.hold \
         left join payments p on p.tenant = $1 and p.provider = $2 and p.object = r.payment \
         where r.tenant = $1 and r.property = $5 and r.checkin >= $3 and r.checkin <= $4 \
         and (r.checkin, r.hold) > ($6, $7) and r.state = $8 order by r.checkin, r.hold limit $9",
        "(checkin >= $3) AND (checkin <= $4)",
        "SEARCH r USING INDEX reservations_by_arrival (tenant=? AND property=? AND checkin>? AND checkin<?)",
    ),
    (
        "departures",
        "select r.paid, g.name, p.state from reservations r left join guests g on g.tenant = $1 and g.hold = r.hold \
         left join payments p on p.tenant = $1 and p.provider = $2 and p.object = r.payment \
         where r.tenant = $1 and r.property = $5 and r.checkout >= $3 and r.checkout <= $4 \
         and (r.checkout, r.hold) > ($6, $7) and r.state = $8 order by r.checkout, r.hold limit $9",
        "(checkout >= $3) AND (checkout <= $4)",
        "SEARCH r USING INDEX reservations_by_departure (tenant=? AND property=? AND checkout>? AND checkout<?)",
    ),
    (
        "guests of a night",
        "select r.paid, g.name, p.state from reservations r left join guests g on g.tenant = $1 and g.hold = r.hold \
         left join payments p on p.tenant = $1 and p.provider = $2 and p.object = r.payment \
         where r.tenant = $1 and r.property = $5 and r.checkin >= $3 and r.checkin <= $4 \
         and (r.checkin, r.hold) > ($6, $7) and r.state = $8 and r.checkout > $4 order by r.checkin, r.hold limit $9",
        "(checkin >= $3) AND (checkin <= $4)",
        "SEARCH r USING INDEX reservations_by_arrival (tenant=? AND property=? AND checkin>? AND checkin<?)",
    ),
];

/// Properties with 20 room types each, two years of rates, and reservations.
const STAYS_FILL: &str = "
    insert into stays select tenant, id, 'h' || row_number() over () % 50, null, null, '2026-01-01', '2026-01-03', '[]', 1,
        'BRL', null, false, now(), now(), 1 from holds;
    insert into reservations select 1 + n % 3, gen_random_uuid(), gen_random_uuid(), 'h' || n % 50, 'confirmed',
        to_char(date '2026-01-01' + n % 300, 'YYYY-MM-DD'), to_char(date '2026-01-03' + n % 300, 'YYYY-MM-DD'), '[]', 1,
        0, 0, 0, null, 'BRL', 'desk', null, now(), now(), null, 1 from generate_series(0, 19999) n;
    insert into guests select tenant, hold, null, null, null, null, 1 from stays;
    insert into guests select tenant, hold, null, null, null, null, 1 from reservations;
    insert into payments select tenant, 'stripe', 'cs_' || hold, hold, 'a', 1, 'BRL', 'succeeded', null, null, 1, 0, 0, 0, 0,
        0, 0, null, 'reservation', now(), now(), 1 from reservations;
    insert into properties select 1 + n % 3, 'h' || n, 't', 'UTC', 'BRL', '15:00', '{}', null, 20, 1, 1
        from generate_series(0, 999) n;
    insert into room_types select 1 + n % 3, 'h' || n / 20, 'r' || n % 20, 't', 2, 1
        from generate_series(0, 9999) n on conflict do nothing;
    insert into rate_months select 1 + n % 3, 'h' || n / 480, '20' || 26 + n / 12 % 2 || '-' || 10 + n % 12, 'flex',
        'r' || n / 24 % 20, null, 1 from generate_series(0, 19999) n on conflict do nothing;
    insert into quotes select 1 + n % 3, gen_random_uuid(), 'h' || n % 50, '2026-01-01', '2026-01-03', 2, 1, 'BRL', null,
        now(), now(), 1 from generate_series(0, 9999) n;
    insert into pools select 1 + n % 3, 'h' || n / 600 || '/r' || n / 30 % 20,
        to_char(date '2026-01-01' + n % 30, 'YYYY-MM-DD'), 9, 0, 0, 0, 0, 0, false, 1
        from generate_series(0, 19999) n on conflict do nothing";

fn views() -> Vec<explain_operations::View> {
    VIEWS.iter().map(|&(name, sql, condition, plan)| (name, sql.to_owned(), condition, plan)).collect()
}

fn conditions(plan: &Value, found: &mut Vec<String>) {
    let node = plan["Node Type"].as_str().unwrap_or_default();
    // A whole correlation or a single instant is all that is wanted, so a bitmap of it holds no row too many.
    let whole = |field: &str| {
        let condition = plan[field].as_str().unwrap_or_default();
        condition.contains("(correlation_value = $3)") || condition.contains("(at >= $")
    };
    let bitmap = node.contains("Bitmap") && !whole("Index Cond") && !whole("Recheck Cond");
    assert!(!node.contains("Seq Scan") && !bitmap, "{plan}");
    found.extend(plan["Index Cond"].as_str().map(str::to_owned));
    for part in plan["Plans"].as_array().into_iter().flatten() {
        conditions(part, found);
    }
}

#[tokio::test]
async fn every_view_on_postgres_uses_an_index() {
    let fixture = Fixture::new(StoreKind::Postgres).await.unwrap();
    drop(fixture.store().await.unwrap());
    let client = connect(fixture.url()).await.unwrap();
    let more = "insert into api_keys select 1 + n % 3, n, 'k', 1, decode(repeat('00', 32), 'hex'), null, now(), null, \
                null, null, 1 from generate_series(0, 4999) n; \
                update holds set reference = 'r' || extract(epoch from expires_at)::bigint / 4";
    client.batch_execute(&format!("{FILL}; {more}; analyze; set plan_cache_mode = force_generic_plan")).await.unwrap();
    client.batch_execute(&format!("{}; {STAYS_FILL}; analyze", explain_operations::FILL)).await.unwrap();
    // Row-level security decides what may be looked up by, so the plans are those of the role that reads.
    client.batch_execute("set role surehold_reader").await.unwrap();
    check_plans(&client, views()).await;
    check_plans(&client, explain_operations::views()).await;
}

async fn check_plans(client: &tokio_postgres::Client, views: Vec<explain_operations::View>) {
    for (name, sql, condition, _) in views {
        let parameters = (1..99).take_while(|n| sql.contains(&format!("${n}"))).count();
        client.batch_execute(&format!("deallocate all; prepare view as {sql}")).await.unwrap();
        let nulls = vec!["null"; parameters].join(", ");
        let explained = client.simple_query(&format!("explain (format json) execute view({nulls})")).await.unwrap();
        let text: String = explained
            .iter()
            .filter_map(|message| match message {
                tokio_postgres::SimpleQueryMessage::Row(row) => row.get(0),
                _ => None,
            })
            .collect();
        let plan: Value = serde_json::from_str(&text).unwrap();
        let mut found = Vec::new();
        conditions(&plan[0]["Plan"], &mut found);
        assert!(found.iter().any(|found| found.contains(condition)), "{name}: {found:?} in {plan}");
    }
}

#[tokio::test]
async fn every_view_on_sqlite_uses_an_index() {
    let fixture = Fixture::new(StoreKind::Sqlite).await.unwrap();
    drop(fixture.store().await.unwrap());
    let connection = open_file(&fixture.file()).unwrap();
    let check = |when: &str| {
        for (name, sql, _, expected) in views().into_iter().chain(explain_operations::views()) {
            let plan = sqlite_plan(&connection, &sql);
            assert!(plan.iter().any(|step| step.starts_with(expected)), "{name} on {when}: {plan:?}");
            // What a bounded subquery gave may be read as a whole.
            let bounded = |step: &str| step.contains("CONSTANT ROW") || step == "SCAN looked_at";
            let scans = plan.iter().any(|step| step.starts_with("SCAN") && !bounded(step));
            assert!(!scans, "{name} on {when}: {plan:?}");
        }
    };
    check("empty tables");
    connection.execute_batch(SQLITE_FILL).unwrap();
    connection.execute_batch(explain_operations::SQLITE_FILL).unwrap();
    connection.execute_batch("update holds set reference = 'r' || expires_at / 4; analyze").unwrap();
    check("full tables with statistics");
}
