//! What operators read, as the engine asks for it, and tables full of operations to plan it on.

/// A view's statement, what Postgres must look up by, and what SQLite must say it does.
pub(crate) type View = (&'static str, String, &'static str, &'static str);

pub(crate) fn views() -> Vec<View> {
    [of_one_operation(), ended(), of_a_correlation(), not_ended(), of_the_rest()].concat()
}

fn view(name: &'static str, sql: &str, condition: &'static str, plan: &'static str) -> View {
    (name, sql.to_owned(), condition, plan)
}

fn of_one_operation() -> Vec<View> {
    vec![
        view(
            "operation",
            "select o.payload, r.run_at, d.code from operations o \
             left join operation_runs r on r.tenant = o.tenant and r.type = o.type and r.key = o.key \
             left join operation_dead_letters d on d.tenant = o.tenant and d.type = o.type and d.key = o.key \
             where o.tenant = $1 and o.type = $2 and o.key = $3",
            "(type = $2) AND (key = $3)",
            "SEARCH o USING PRIMARY KEY (tenant=? AND type=? AND key=?)",
        ),
        view(
            "effects",
            "select state from operation_effects where tenant = $1 and type = $2 and key = $3 order by step limit $4",
            "(type = $2) AND (key = $3)",
            "SEARCH operation_effects USING PRIMARY KEY (tenant=? AND type=? AND key=?)",
        ),
        view(
            "attempts",
            "select outcome from operation_attempts where tenant = $1 and type = $2 and key = $3 \
             order by number desc limit $4",
            "(type = $2) AND (key = $3)",
            "SEARCH operation_attempts USING PRIMARY KEY (tenant=? AND type=? AND key=?)",
        ),
    ]
}

fn ended() -> Vec<View> {
    vec![
        view(
            "open dead letters",
            "select code from operation_dead_letters where tenant = $1 and resolved_at is null \
             and (dead_at, type, key) > ($2, $3, $4) order by dead_at, type, key limit $5",
            "(ROW(dead_at, type, key) > ROW($2, $3, $4))",
            "SEARCH operation_dead_letters USING INDEX operation_dead_letters_open (tenant=? AND (dead_at,type,key)>(?,?,?))",
        ),
        view(
            "open dead letters of a type",
            "select code from operation_dead_letters where tenant = $1 and resolved_at is null and type = $6 \
             and (dead_at, type, key) > ($2, $3, $4) order by dead_at, type, key limit $5",
            "(ROW(dead_at, type, key) > ROW($2, $3, $4))",
            "SEARCH operation_dead_letters USING ",
        ),
        view(
            "dead letters",
            "select d.code, (select o.outcome from operations o where o.tenant = $1 and o.type = d.type and o.key = d.key) \
             from operation_dead_letters d where d.tenant = $1 and (d.type, d.key) > ($2, $3) \
             order by d.type, d.key limit $4",
            "(ROW(type, key) > ROW($2, $3))",
            "SEARCH d USING PRIMARY KEY (tenant=? AND (type,key)>(?,?))",
        ),
        view(
            "succeeded",
            "select o.generation from operations o where o.tenant = $1 and o.type = $2 and o.key > $3 \
             and o.outcome = 'SUCCEEDED' order by o.key limit $4",
            "(type = $2) AND (key > $3)",
            "SEARCH o USING PRIMARY KEY (tenant=? AND type=? AND key>?)",
        ),
    ]
}

fn of_a_correlation() -> Vec<View> {
    let joined = "join operations o on o.tenant = c.tenant and o.type = c.type and o.key = c.key \
                  left join operation_runs r on r.tenant = c.tenant and r.type = c.type and r.key = c.key \
                  left join operation_dead_letters d on d.tenant = c.tenant and d.type = c.type and d.key = c.key";
    let about = "c.tenant = $1 and c.correlation_kind = $2 and c.correlation_value = $3";
    let mut views = vec![
        view(
            "of a correlation",
            &format!(
                "select o.generation, r.run_at, d.code from operation_correlations c {joined} where {about} \
                 and (c.type, c.key) > ($4, $5) order by c.type, c.key limit $6"
            ),
            "(correlation_value = $3) AND (ROW(type, key) > ROW($4, $5))",
            "SEARCH c USING PRIMARY KEY (tenant=? AND correlation_kind=? AND correlation_value=? AND (type,key)>(?,?))",
        ),
        view(
            "cases of an operation",
            "select x.state from cases x where tenant = $1 and kind = $2 and key = $3",
            "(kind = $2) AND (key = $3)",
            "SEARCH x USING PRIMARY KEY (tenant=? AND kind=? AND key=?)",
        ),
    ];
    for (name, table, order) in [
        ("attempts of a correlation", "operation_attempts", "number"),
        ("effects of a correlation", "operation_effects", "step"),
    ] {
        let sql = format!(
            "select x.generation from operation_correlations c join {table} x on x.tenant = c.tenant and \
             x.type = c.type and x.key = c.key where {about} order by c.type, c.key, x.{order} limit $4"
        );
        let plan = "SEARCH x USING PRIMARY KEY (tenant=? AND type=? AND key=?)";
        views.push((name, sql, "(tenant = $1) AND (type = c.type) AND (key = c.key)", plan));
    }
    views
}

fn not_ended() -> Vec<View> {
    let mut views = Vec::new();
    for (name, state) in [
        ("pending", "worker is null and attempts = 0"),
        ("running", "worker is not null"),
        ("failed", "worker is null and attempts > 0"),
    ] {
        let all = "from operation_runs where tenant = $1 and (type, key) > ($2, $3) order by type, key";
        let sql = format!(
            "select looked_at.run_at from (select * {all} limit $4) looked_at where {state} order by type, key limit $5"
        );
        let plan = "SEARCH operation_runs USING PRIMARY KEY (tenant=? AND (type,key)>(?,?))";
        views.push((name, sql, "(ROW(type, key) > ROW($2, $3))", plan));
        let of_type =
            "from operation_runs where tenant = $1 and type = $6 and (type, key) > ($2, $3) order by type, key";
        let sql = format!(
            "select looked_at.run_at from (select * {of_type} limit $4) looked_at where {state} \
             order by type, key limit $5"
        );
        views.push((name, sql, "(type = $6)", "SEARCH operation_runs USING PRIMARY KEY (tenant=? AND type=?"));
    }
    views
}

fn of_the_rest() -> Vec<View> {
    let instant = |n| format!("select seq, at, events from journal where tenant = $1 and at >= ${n} and at <= ${n}");
    let instants: Vec<String> = (3..23).map(instant).collect();
    vec![
        view(
            "cases",
            "select summary from cases where tenant = $1 and state = 'open' and (opened_at, kind, key) > ($2, $3, $4) \
             order by opened_at, kind, key limit $5",
            "(ROW(opened_at, kind, key) > ROW($2, $3, $4))",
            "SEARCH cases USING INDEX cases_open (tenant=? AND (opened_at,kind,key)>(?,?,?))",
        ),
        view(
            "latest epoch",
            "select reason from epochs where tenant = $1 order by number desc limit $2",
            "(tenant = $1)",
            "SEARCH epochs USING PRIMARY KEY (tenant=?)",
        ),
        view(
            "journal at instants",
            &format!("{} limit $2", instants.join(" union all ")),
            "(at >= $3) AND (at <= $3)",
            "SEARCH journal USING INDEX journal_by_time (tenant=? AND at>? AND at<?)",
        ),
    ]
}

/// Three tenants again. Some thousand operations of three types, a third of them waiting, a tenth dead.
pub(crate) const FILL: &str = "
    create temp table op as select n, 1 + n % 3 as tenant, 'TYPE_' || n % 3 as type, 'key-' || n as key
        from generate_series(0, 19999) n;
    insert into operations select tenant, type, key, 1, decode(repeat('00', 32), 'hex'), '{}', null, null, null,
        case when n % 3 = 0 then null when n % 10 = 0 then 'DEAD_LETTER' else 'SUCCEEDED' end, null, 1, 1, now(),
        case when n % 3 = 0 then null else now() end, 1 from op;
    insert into operation_runs select tenant, type, key, n % 3, n % 2 = 0, now() + n * interval '1 s', n % 5 / 4, 0,
        false, 1, case when n % 10 = 0 then 1 end, case when n % 10 = 0 then now() end,
        case when n % 10 = 0 then now() end, null, null, null, now(), false, 1 from op where n % 3 = 0;
    insert into operation_effects select tenant, type, key, step, 1, 'CONFIRMED', 'none', 1, key || '/' || step, '{}',
        now(), null, null, 1, now(), 1 from op, generate_series(0, 1) step;
    insert into operation_attempts select tenant, type, key, number, 1, now(), now(), null, null, 'failed', null, null,
        null, 1 from op, generate_series(1, 3) number;
    insert into operation_correlations select tenant, 'purchaseId', 'p' || n / 12, type, key, 1 from op;
    insert into operation_dead_letters select tenant, type, key, 1, now() + n * interval '1 s', 'c', 'e',
        case when n % 4 = 0 then now() end, null, null, 1 from op where n % 10 = 0;
    insert into cases select tenant, 'effect-unknown', type || ' ' || key, 'open', 's', null, 1,
        now() + n * interval '1 s', now(), null, null, null, null, 1 from op where n % 4 = 0;
    insert into epochs select 0, n, now(), 'a', 'r', 1 from generate_series(1, 5000) n;
    update journal set at = now() + seq * interval '1 s'";

pub(crate) const SQLITE_FILL: &str = "
    create temp table op as select n, 1 + n % 3 as tenant, 'TYPE_' || n % 3 as type, 'key-' || n as key from temp.n;
    insert into operations select tenant, type, key, 1, zeroblob(32), '{}', null, null, null,
        iif(n % 3 = 0, null, iif(n % 10 = 0, 'DEAD_LETTER', 'SUCCEEDED')), null, 1, 1, 0, iif(n % 3 = 0, null, 0), 1
        from op;
    insert into operation_runs select tenant, type, key, n % 3, 1, n, n % 5 / 4, 0, 0, 1, iif(n % 10 = 0, 1, null),
        iif(n % 10 = 0, 1, null), iif(n % 10 = 0, 1, null), null, null, null, n, 0, 1 from op where n % 3 = 0;
    insert into operation_effects select tenant, type, key, 0, 1, 'CONFIRMED', 'none', 1, key, '{}', 0, null, null, 1, 0,
        1 from op;
    insert into operation_attempts select tenant, type, key, 1, 1, 0, 0, null, null, 'failed', null, null, null, 1
        from op;
    insert into operation_correlations select tenant, 'purchaseId', 'p' || n / 12, type, key, 1 from op;
    insert into operation_dead_letters select tenant, type, key, 1, n, 'c', 'e', iif(n % 4 = 0, 1, null), null, null, 1
        from op where n % 10 = 0;
    insert into cases select tenant, 'effect-unknown', type || ' ' || key, 'open', 's', null, 1, n, 0, null, null, null,
        null, 1 from op where n % 4 = 0;
    insert into epochs select 0, 1 + n, 0, 'a', 'r', 1 from op where n < 5000;
    update journal set at = seq;";
