//! Pools, availability, tenants: what is answered, and what is refused.

use super::world::World;

#[tokio::test]
async fn putting_and_looking() {
    let w = World::new().await;
    let put = "PUT /v1/casa/pools/double?slot=2026-12-24";
    w.check(
        &format!("{put} {{\"total\":2}}"),
        200,
        r#"{"resource":"double","slot":"2026-12-24","available":2,"total":2,"overbook":0,"held":0,"booked":0,
            "granted":0,"oversold":0,"closed":false,"version":1}"#,
    )
    .await;
    let again = w.check(&format!("{put} {{\"total\":2}}"), 200, r#"{"version":1}"#).await;
    assert_eq!(again.header("idempotent-replayed"), "true");
    w.check("GET /v1/casa/pools/double?slot=2026-12-24", 200, r#"{"total":2}"#).await;
    w.check("GET /v1/casa/pools/double", 404, r#"{"code":"pool-not-found","pools":[{"resource":"double","slot":""}]}"#)
        .await;
    w.check(&format!("{put} {{\"closed\":true}}"), 200, r#"{"total":2,"closed":true,"version":2}"#).await;
    w.check(&format!("{put} {{\"overbook\":3}}"), 200, r#"{"overbook":3,"closed":true,"available":5}"#).await;
    w.check(
        &format!("{put} {{\"total\":9,\"expected_version\":1}}"),
        409,
        r#"{"code":"pool-version","version":3,"pools":[{"resource":"double","slot":"2026-12-24"}]}"#,
    )
    .await;
    w.check(&format!("{put} {{\"total\":9,\"expected_version\":3}}"), 200, r#"{"total":9,"version":4}"#).await;
    w.check(r#"PUT /v1/casa/pools/bar {"closed":true}"#, 404, "pool-not-found").await;
    w.check(r#"PUT /v1/casa/pools/bar {"total":1,"expected_version":7}"#, 409, r#"{"version":0}"#).await;
    for bad in [r#"{"total":-1}"#, r#"{"total":1000000000001}"#, r#"{"total":1,"overbook":-1}"#] {
        w.check(&format!("{put} {bad}"), 422, "invalid").await;
    }
    w.check(&format!("{put} {{\"total\":1000000000000}}"), 200, "").await;
    for bad in ["2026-13-01", "20261224", "2026-12-24T00:00", "x", "2026-2-1"] {
        w.check(&format!("PUT /v1/casa/pools/double?slot={bad} {{\"total\":1}}"), 400, "malformed-request").await;
    }
    let long = "x".repeat(201);
    w.check(&format!("PUT /v1/casa/pools/{long} {{\"total\":1}}"), 400, "malformed-request").await;
}

#[tokio::test]
async fn putting_many() {
    let w = World::new().await;
    w.check(
        r#"PUT /v1/casa/pools {"pools":[{"resource":"b","total":1},{"resource":"a","slot":"2026-12-24","total":2}]}"#,
        200,
        r#"{"pools":[{"resource":"b","slot":"","total":1},{"resource":"a","slot":"2026-12-24","total":2}],"next":null}"#,
    )
    .await;
    let all_or_none = r#"{"pools":[{"resource":"new","total":1},{"resource":"missing","closed":true}]}"#;
    w.check(&format!("PUT /v1/casa/pools {all_or_none}"), 404, "pool-not-found").await;
    w.check("GET /v1/casa/pools/new", 404, "pool-not-found").await;
    let version =
        r#"{"pools":[{"resource":"new","total":1},{"resource":"a","slot":"2026-12-24","expected_version":9}]}"#;
    w.check(&format!("PUT /v1/casa/pools {version}"), 409, r#"{"code":"pool-version","version":1}"#).await;
    w.check("GET /v1/casa/pools/new", 404, "pool-not-found").await;
    w.check(r#"PUT /v1/casa/pools {"pools":[]}"#, 422, "invalid").await;
    let twice = r#"{"pools":[{"resource":"a","total":1},{"resource":"a","total":2}]}"#;
    w.check(&format!("PUT /v1/casa/pools {twice}"), 422, "invalid").await;
    let many = |count: usize| {
        let pools: Vec<String> = (0..count).map(|n| format!(r#"{{"resource":"m{n:04}","total":{n}}}"#)).collect();
        format!("PUT /v1/casa/pools {{\"pools\":[{}]}}", pools.join(","))
    };
    w.check(&many(1_001), 422, "invalid").await;
    let answer = w.check(&many(1_000), 200, "").await;
    assert_eq!(answer.json()["pools"].as_array().unwrap().len(), 1_000);
    assert_eq!(w.check(&many(1_000), 200, "").await.header("idempotent-replayed"), "true");
}

#[tokio::test]
async fn adjusting() {
    let w = World::new().await;
    w.check(r#"PUT /v1/casa/pools/shirt {"total":10}"#, 200, "").await;
    let adjust = "POST /v1/casa/pools/shirt/adjust";
    w.check(&format!("{adjust} {{\"total_delta\":-1}}"), 400, "idempotency-key-missing").await;
    let first = w.check(&format!("{adjust} Idempotency-Key:a {{\"total_delta\":-1}}"), 200, r#"{"total":9}"#).await;
    assert_eq!(first.header("idempotent-replayed"), "");
    let again = w.check(&format!("{adjust} Idempotency-Key:a {{\"total_delta\":-1}}"), 200, r#"{"total":9}"#).await;
    assert_eq!(again.header("idempotent-replayed"), "true");
    assert_eq!(again.body, first.body);
    w.check(&format!("{adjust} Idempotency-Key:b {{\"total_delta\":-10}}"), 422, "total-out-of-range").await;
    // A refusal is not kept: the same key may try again.
    w.check(&format!("{adjust} Idempotency-Key:b {{\"total_delta\":-9}}"), 200, r#"{"total":0}"#).await;
    w.check(&format!("{adjust} Idempotency-Key:c {{\"total_delta\":1000000000001}}"), 422, "invalid").await;
    w.check(r#"POST /v1/casa/pools/none/adjust Idempotency-Key:d {"total_delta":1}"#, 404, "pool-not-found").await;
}

#[tokio::test]
async fn pages_join_without_gap_or_overlap_while_pools_come() {
    let w = World::new().await;
    let names = ["a", "a b", "a@b", "b", "ç%41", "z"];
    let put = |name: &str, slot: &str| {
        let name = percent(name);
        format!("PUT /v1/casa/pools/{name}?slot={slot} {{\"total\":1}}")
    };
    for name in names {
        for slot in ["", "2026-12-24", "2026-12-25"] {
            w.check(&put(name, slot), 200, "").await;
        }
    }
    for limit in [1, 2, 5, 7, 1000] {
        let mut seen: Vec<(String, String)> = Vec::new();
        let mut after = String::new();
        for page in 0.. {
            let asked = format!("GET /v1/casa/pools?limit={limit}{after}");
            let answer = w.check(&asked, 200, "").await.json();
            let text = |pool: &serde_json::Value, member: &str| pool[member].as_str().unwrap().to_owned();
            let pools = answer["pools"].as_array().unwrap();
            seen.extend(pools.iter().map(|pool| (text(pool, "resource"), text(pool, "slot"))));
            let Some(next) = answer["next"].as_str() else { break };
            after = format!("&after={}", percent(next));
            // What comes before the cursor is not seen, and moves nothing that is.
            w.check(&put(&format!("A{limit}-{page}"), ""), 200, "").await;
        }
        assert!(seen.windows(2).all(|pair| pair[0] < pair[1]), "{limit}: {seen:?}");
        let old = seen.iter().filter(|(name, _)| names.contains(&name.as_str())).count();
        assert_eq!(old, names.len() * 3, "{limit}: {seen:?}");
    }
    let of_one = w.check(&format!("GET /v1/casa/pools?resource={}&limit=2", percent("ç%41")), 200, "").await.json();
    assert_eq!(of_one["pools"].as_array().unwrap().len(), 2);
    let next = percent(of_one["next"].as_str().unwrap());
    let rest = format!("GET /v1/casa/pools?resource={}&limit=2&after={next}", percent("ç%41"));
    w.check(&rest, 200, r#"{"pools":[{"resource":"ç%41","slot":"2026-12-25"}],"next":null}"#).await;
    for bad in ["limit=0", "limit=1001", "limit=-1", "limit=x", "limit=99999999999", "after=x", "after=@", "after=x@a"]
    {
        w.check(&format!("GET /v1/casa/pools?{bad}"), 400, "malformed-request").await;
    }
}

/// Every byte but letters and digits, percent-encoded.
pub(super) fn percent(text: &str) -> String {
    let encoded = text.bytes().map(|byte| match byte {
        byte if byte.is_ascii_alphanumeric() => char::from(byte).to_string(),
        byte => format!("%{byte:02X}"),
    });
    encoded.collect()
}

#[tokio::test]
async fn availability() {
    let w = World::new().await;
    for (night, total) in [("2026-12-24", 3), ("2026-12-25", 1), ("2026-12-26", 2)] {
        w.check(&format!("PUT /v1/casa/pools/double?slot={night} {{\"total\":{total}}}"), 200, "").await;
    }
    w.check(r#"PUT /v1/casa/pools/suite?slot=2026-12-24 {"total":9}"#, 200, "").await;
    w.check(r#"PUT /v1/casa/pools/shirt {"total":9}"#, 200, "").await;
    w.check(
        r#"POST /v1/casa/holds {"id":"$a","lines":[{"resource":"double","slot":"2026-12-24","quantity":2}]}"#,
        201,
        "",
    )
    .await;
    let range = "GET /v1/casa/availability?from=2026-12-24&until=2026-12-27";
    w.check(
        range,
        200,
        r#"{"from":"2026-12-24","until":"2026-12-27","resources":[
            {"resource":"double","available_throughout":1,"slots":[
                {"slot":"2026-12-24","available":1,"closed":false,"version":2},
                {"slot":"2026-12-25","available":1},{"slot":"2026-12-26","available":2}]},
            {"resource":"suite","available_throughout":0,"slots":[{"slot":"2026-12-24","available":9}]}]}"#,
    )
    .await;
    let one = "GET /v1/casa/availability?from=2026-12-24&until=2026-12-25&resource=suite";
    w.check(one, 200, r#"{"resources":[{"resource":"suite","available_throughout":9}]}"#).await;
    w.check("PUT /v1/casa/pools/double?slot=2026-12-25 {\"closed\":true}", 200, "").await;
    let closed = w.check(range, 200, "").await.json();
    assert_eq!(closed["resources"][0]["available_throughout"], 0);
    assert_eq!(closed["resources"][0]["slots"][1]["available"], 0);
    let empty = "GET /v1/casa/availability?from=2027-12-24&until=2027-12-25";
    w.check(empty, 200, r#"{"resources":[]}"#).await;
    let check = async |query: &str, status: u16, code: &str| {
        w.check(&format!("GET /v1/casa/availability?{query}"), status, code).await;
    };
    check("", 400, "malformed-request").await;
    check("from=2026-12-24", 400, "malformed-request").await;
    check("from=2026-12-24&until=2026-12-24", 400, "malformed-request").await;
    check("from=2026-12-25&until=2026-12-24", 400, "malformed-request").await;
    check("from=&until=2026-12-24", 400, "malformed-request").await;
    check("from=2026-02-30&until=2026-12-24", 400, "malformed-request").await;
    check("from=2026-01-01&until=2027-01-02", 200, "").await;
    check("from=2026-01-01&until=2027-01-03", 422, "range-too-wide").await;
    check("from=-009999-01-01&until=9999-12-31", 400, "malformed-request").await;
    check("from=0000-01-01&until=9999-12-31", 422, "range-too-wide").await;
}

#[tokio::test]
async fn tenants_and_policies() {
    let w = World::new().await;
    let defaults = r#"{"slug":"casa","mode":"live","policy":{"lifetime_secs_default":900,"lifetime_secs_max":86400,
        "owner_holds_max":100,"owner_lifetime_secs_max":2592000}}"#;
    w.check("GET /v1/casa", 200, defaults).await;
    let policy = "PUT /v1/casa/policy";
    w.check(&format!("{policy} {{\"lifetime_secs_max\":1000}}"), 200, r#"{"lifetime_secs_default":900}"#).await;
    w.check(&format!("{policy} {{\"lifetime_secs_max\":899}}"), 422, "invalid").await;
    w.check(&format!("{policy} {{\"lifetime_secs_max\":0}}"), 422, "invalid").await;
    w.check(&format!("{policy} {{\"owner_holds_max\":0}}"), 422, "invalid").await;
    let again = w.check(&format!("{policy} {{\"lifetime_secs_max\":1000}}"), 200, "").await;
    assert_eq!(again.header("idempotent-replayed"), "true");
    w.check("GET /v1/casa", 200, r#"{"policy":{"lifetime_secs_max":1000}}"#).await;
    w.check(&format!("{policy} {{}}"), 200, r#"{"lifetime_secs_max":86400}"#).await;

    w.check("GET /admin/tenants", 200, r#"{"tenants":["casa","other"],"next":null}"#).await;
    w.check("GET /admin/tenants?limit=1", 200, r#"{"tenants":["casa"],"next":"casa"}"#).await;
    w.check("GET /admin/tenants?limit=1&after=casa", 200, r#"{"tenants":["other"],"next":"other"}"#).await;
    w.check("GET /admin/tenants?after=other", 200, r#"{"tenants":[],"next":null}"#).await;
    w.check("GET /admin/tenants?limit=0", 400, "malformed-request").await;
    w.check("GET /admin/tenants?after=%00", 400, "malformed-request").await;
    let made = w.check(r#"POST /admin/tenants {"slug":"third"}"#, 201, r#"{"slug":"third","mode":"live"}"#).await;
    let again = r#"POST /admin/tenants {"slug":"third","policy":{"owner_holds_max":1}}"#;
    assert_eq!(w.check(again, 201, "").await.json(), made.json(), "a repeat finds what is there");
    for bad in ["", "-a", "a-", "A", "a b", "ü", "a/b", &"a".repeat(64)] {
        w.check(&format!("POST /admin/tenants {{\"slug\":\"{bad}\"}}"), 422, "invalid").await;
    }
    w.check(r#"POST /admin/tenants {"slug":"ok","policy":{"lifetime_secs_default":0}}"#, 422, "invalid").await;
}
