//! The life of a hold over HTTP.

use super::world::{World, in_secs};

async fn rooms(total: u32) -> World {
    let w = World::new().await;
    w.check(&format!("PUT /v1/casa/pools/room {{\"total\":{total}}}"), 200, "").await;
    w
}

#[tokio::test]
async fn placing() {
    let w = rooms(2).await;
    let place = r#"POST /v1/casa/holds {"id":"$a","lines":[{"resource":"room","quantity":2}],"lifetime_secs":60,
        "owner":"ann","reference":"cart-1","metadata":{"b":1,"a":[1.5,"é"]}}"#;
    let first = w
        .check(
            place,
            201,
            r#"{"id":"$a","state":"active","lines":[{"resource":"room","slot":"","quantity":2}],"owner":"ann",
                "reference":"cart-1","metadata":{"a":[1.5,"é"],"b":1},"version":1,"pool_versions":[2],"kept":null,
                "ended_at":null}"#,
        )
        .await;
    assert_eq!(first.header("location"), w.named("/v1/casa/holds/$a"));
    assert_eq!(first.header("idempotent-replayed"), "");
    let again = w.check(place, 201, r#"{"id":"$a","state":"active"}"#).await;
    assert_eq!(again.header("idempotent-replayed"), "true");
    assert_eq!(again.header("location"), first.header("location"));
    w.check("GET /v1/casa/holds/$a", 200, r#"{"id":"$a","owner":"ann","metadata":{"a":[1.5,"é"],"b":1}}"#).await;
    w.check("GET /v1/casa/pools/room", 200, r#"{"held":2,"available":0}"#).await;

    let other = r#"POST /v1/casa/holds {"id":"$a","lines":[{"resource":"room"}]}"#;
    w.check(other, 422, r#"{"code":"hold-id-reused","hold":"$a"}"#).await;
    w.check(
        r#"POST /v1/casa/holds {"id":"$b","lines":[{"resource":"room","quantity":3}]}"#,
        409,
        r#"{"code":"sold-out","lines":[{"resource":"room","slot":"","wanted":3,"available":0}]}"#,
    )
    .await;
    let missing = r#"POST /v1/casa/holds {"id":"$b","lines":[{"resource":"none"},{"resource":"room"}]}"#;
    w.check(missing, 404, r#"{"code":"pool-not-found","pools":[{"resource":"none","slot":""}]}"#).await;
    w.check(r#"PUT /v1/casa/pools/room {"closed":true}"#, 200, "").await;
    let closed = r#"POST /v1/casa/holds {"id":"$b","lines":[{"resource":"room"}]}"#;
    w.check(closed, 409, r#"{"code":"pool-closed","pools":[{"resource":"room","slot":""}]}"#).await;
    w.check(
        r#"POST /v1/casa/holds {"id":"$b","lines":[{"resource":"room"}],"lifetime_secs":86401}"#,
        422,
        r#"{"code":"lifetime-too-long","max":86400}"#,
    )
    .await;
}

#[tokio::test]
async fn what_is_wrong_with_a_hold() {
    let w = rooms(1).await;
    let check = async |body: &str, status: u16, code: &str| {
        w.check(&format!("POST /v1/casa/holds {body}"), status, code).await;
    };
    let line = r#""lines":[{"resource":"room"}]"#;
    check(r#"{"id":"$a","lines":[]}"#, 422, "invalid").await;
    check(r#"{"id":"$a"}"#, 422, "invalid").await;
    check(r#"{"id":"$a","lines":[{"resource":"room","quantity":0}]}"#, 422, "invalid").await;
    check(r#"{"id":"$a","lines":[{"resource":"room","quantity":-1}]}"#, 422, "invalid").await;
    check(r#"{"id":"$a","lines":[{"resource":"room","quantity":1000001}]}"#, 422, "invalid").await;
    check(r#"{"id":"$a","lines":[{"resource":"room"},{"resource":"room"}]}"#, 422, "invalid").await;
    check(r#"{"id":"$a","lines":[{"resource":""}]}"#, 422, "invalid").await;
    check(r#"{"id":"$a","lines":[{"resource":" room"}]}"#, 422, "invalid").await;
    check(r#"{"id":"$a","lines":[{"resource":"ro\u0000om"}]}"#, 422, "invalid").await;
    check(r#"{"id":"$a","lines":[{"resource":"room","slot":"tomorrow"}]}"#, 422, "invalid").await;
    check(&format!(r#"{{"id":"$a",{line},"lifetime_secs":0}}"#), 422, "invalid").await;
    check(&format!(r#"{{"id":"$a",{line},"owner":""}}"#), 422, "invalid").await;
    check(&format!(r#"{{"id":"$a",{line},"metadata":[1]}}"#), 422, "invalid").await;
    let big = "x".repeat(17_000);
    check(&format!(r#"{{"id":"$a",{line},"metadata":{{"a":"{big}"}}}}"#), 422, "invalid").await;
    check(&format!(r#"{{"id":"not-a-uuid",{line}}}"#), 422, "invalid").await;
    check(&format!(r#"{{"id":"5f1d7e9c-8a5b-4c3d-9e2f-1a2b3c4d5e6f",{line}}}"#), 422, "invalid").await;
    check(&format!(r#"{{"id":"00000000-0000-7000-8000-000000000000",{line}}}"#), 422, "hold-id-outside-window").await;
    check(&format!(r#"{{"id":"ffffffff-ffff-7fff-bfff-ffffffffffff",{line}}}"#), 422, "hold-id-outside-window").await;
    let lines = |count: usize| {
        let lines: Vec<String> = (0..count).map(|n| format!(r#"{{"resource":"r{n}"}}"#)).collect();
        format!(r#"{{"id":"$a","lines":[{}]}}"#, lines.join(","))
    };
    check(&lines(101), 422, "invalid").await;
    check(&lines(100), 404, "pool-not-found").await;
    w.check("GET /v1/casa/pools/room", 200, r#"{"held":0,"version":1}"#).await;
}

#[tokio::test]
async fn owners() {
    let w = rooms(9).await;
    w.check(r#"PUT /v1/casa/policy {"owner_holds_max":1,"owner_lifetime_secs_max":1000}"#, 200, "").await;
    let place = |id: &str, owner: &str, secs: u32| {
        format!(
            r#"POST /v1/casa/holds {{"id":"{id}","lines":[{{"resource":"room"}}],"owner":"{owner}","lifetime_secs":{secs}}}"#
        )
    };
    w.check(&place("$a", "ann", 10), 201, "").await;
    w.check(&place("$b", "ann", 10), 409, r#"{"code":"owner-holds-limit","max":1}"#).await;
    w.check(&place("$c", "bob", 1001), 409, r#"{"code":"owner-lifetime-limit","max":1000}"#).await;
    w.advance_secs(10);
    w.check(&place("$b", "ann", 10), 201, "").await;
}

#[tokio::test]
async fn ends() {
    let w = rooms(5).await;
    let place =
        |id: &str| format!(r#"POST /v1/casa/holds {{"id":"{id}","lines":[{{"resource":"room","quantity":2}}]}}"#);
    for id in ["$a", "$b"] {
        w.check(&place(id), 201, "").await;
    }
    w.check("POST /v1/casa/holds/$a/cancel", 200, r#"{"state":"cancelled","version":2,"pool_versions":[4]}"#).await;
    let again = w.check("POST /v1/casa/holds/$a/cancel", 200, r#"{"state":"cancelled"}"#).await;
    assert_eq!(again.header("idempotent-replayed"), "true");
    let convert = "POST /v1/casa/holds/$b/convert";
    let part = r#"{"mode":"book","lines":[{"resource":"room"}]}"#;
    w.check(
        &format!("{convert} {{\"mode\":\"book\",\"lines\":[{{\"resource\":\"room\",\"quantity\":3}}]}}"),
        422,
        "lines-exceed-hold",
    )
    .await;
    w.check(
        &format!("{convert} {{\"mode\":\"book\",\"lines\":[{{\"resource\":\"bar\"}}]}}"),
        422,
        r#"{"code":"lines-exceed-hold","pools":[{"resource":"bar","slot":""}]}"#,
    )
    .await;
    w.check(
        &format!("{convert} {part}"),
        200,
        r#"{"state":"converted","kept":{"mode":"book","lines":[{"resource":"room","slot":"","quantity":1}]}}"#,
    )
    .await;
    assert_eq!(w.check(&format!("{convert} {part}"), 200, "").await.header("idempotent-replayed"), "true");
    w.check(&format!("{convert} {{\"mode\":\"book\"}}"), 409, r#"{"code":"hold-ended","state":"converted"}"#).await;
    w.check("POST /v1/casa/holds/$b/cancel", 409, r#"{"code":"hold-ended","state":"converted"}"#).await;
    w.check("GET /v1/casa/pools/room", 200, r#"{"held":0,"booked":1}"#).await;
    for (verb, body) in [
        ("extend", r#" {"until":"2030-01-01T00:00:00Z"}"#),
        ("convert", r#" {"mode":"book"}"#),
        ("cancel", ""),
        ("move", r#" Idempotency-Key:m {"from":[{"resource":"room"}],"to":[{"resource":"bar"}]}"#),
        ("give-back", " Idempotency-Key:g {}"),
    ] {
        let row = format!("POST /v1/casa/holds/$nowhere/{verb}{body}");
        w.check(&row, 404, r#"{"code":"hold-not-found","hold":"$nowhere"}"#).await;
        let malformed = format!("POST /v1/casa/holds/17/{verb}{body}");
        w.check(&malformed, 400, "malformed-request").await;
    }
    w.check("GET /v1/casa/holds/$nowhere", 404, r#"{"code":"hold-not-found","hold":"$nowhere"}"#).await;
    w.check("GET /v1/casa/holds/17", 400, "malformed-request").await;
}

#[tokio::test]
async fn lapsed_holds_are_dead_before_anything_sweeps_them() {
    let w = rooms(1).await;
    w.check(
        r#"POST /v1/casa/holds {"id":"$a","lines":[{"resource":"room"}],"lifetime_secs":60,"reference":"r"}"#,
        201,
        "",
    )
    .await;
    w.check("GET /v1/casa/holds?state=active", 200, r#"{"holds":[{"id":"$a"}],"next":null}"#).await;
    w.advance_secs(60);
    w.check("GET /v1/casa/holds/$a", 200, r#"{"state":"expired"}"#).await;
    w.check("GET /v1/casa/holds?reference=r", 200, r#"{"holds":[{"id":"$a","state":"expired"}]}"#).await;
    w.check("GET /v1/casa/holds?state=active", 200, r#"{"holds":[]}"#).await;
    for (verb, body) in
        [("cancel", ""), ("convert", r#" {"mode":"book"}"#), ("extend", r#" {"until":"2099-01-01T00:00:00Z"}"#)]
    {
        let row = format!("POST /v1/casa/holds/$a/{verb}{body}");
        w.check(&row, 409, r#"{"code":"hold-ended","state":"expired"}"#).await;
    }
    w.check(r#"POST /v1/casa/holds {"id":"$b","lines":[{"resource":"room"}]}"#, 201, "").await;
}

#[tokio::test]
async fn extending() {
    let w = rooms(1).await;
    w.check(r#"POST /v1/casa/holds {"id":"$a","lines":[{"resource":"room"}],"lifetime_secs":60}"#, 201, "").await;
    let extend = "POST /v1/casa/holds/$a/extend";
    w.check(&format!("{extend} {{\"by_secs\":60}}"), 400, "idempotency-key-missing").await;
    w.check(&format!("{extend} {{}}"), 422, "invalid").await;
    let both = format!("{extend} Idempotency-Key:both {{\"by_secs\":60,\"until\":\"2030-01-01T00:00:00Z\"}}");
    w.check(&both, 422, "invalid").await;
    let by = w.check(&format!("{extend} Idempotency-Key:k {{\"by_secs\":60}}"), 200, r#"{"version":2}"#).await;
    let again = w.check(&format!("{extend} Idempotency-Key:k {{\"by_secs\":60}}"), 200, r#"{"version":2}"#).await;
    assert_eq!(again.body, by.body);
    w.check(&format!("{extend} Idempotency-Key:z {{\"by_secs\":0}}"), 422, "invalid").await;
    // The same instant in two spellings.
    let until = in_secs(3_600);
    let plus_two = format!("{}+00:00", until.trim_end_matches('Z'));
    let first = w.check(&format!("{extend} {{\"until\":\"{until}\"}}"), 200, r#"{"version":3}"#).await.json();
    assert_eq!(first["expires_at"], until);
    let second = w.check(&format!("{extend} {{\"until\":\"{plus_two}\"}}"), 200, r#"{"version":3}"#).await.json();
    assert_eq!(second["expires_at"], until);
    w.check(&format!("{extend} {{\"until\":\"1999-01-01T00:00:00+05:30\"}}"), 200, r#"{"version":3}"#).await;
    w.check(&format!("{extend} {{\"until\":\"2099-01-01T00:00:00Z\"}}"), 422, "lifetime-too-long").await;
    let payment = format!("{extend} {{\"until\":\"{}\",\"for_payment\":true}}", in_secs(100_000));
    w.check(&payment, 200, r#"{"version":4}"#).await;
    for bad in ["2026-12-24", "2026-12-24T10:00:00", "tomorrow", "1700000000", "2026-12-24T25:00:00Z", ""] {
        w.check(&format!("{extend} {{\"until\":\"{bad}\"}}"), 422, "invalid").await;
    }
    w.check(&format!("{extend} {{\"until\":1700000000}}"), 422, "invalid").await;
    w.check(&format!("{extend} {{\"until\":\"9999-12-30T22:00:00Z\"}}"), 422, "lifetime-too-long").await;
    w.check(&format!("{extend} {{\"until\":\"-009999-01-02T02:00:00Z\"}}"), 200, r#"{"version":4}"#).await;
}

#[tokio::test]
async fn moving_and_giving_back() {
    let w = rooms(2).await;
    w.check(r#"PUT /v1/casa/pools/suite {"total":1}"#, 200, "").await;
    w.check(r#"POST /v1/casa/holds {"id":"$a","lines":[{"resource":"room","quantity":2}]}"#, 201, "").await;
    let exchange = r#"{"from":[{"resource":"room"}],"to":[{"resource":"suite"}]}"#;
    w.check(&format!("POST /v1/casa/holds/$a/move Idempotency-Key:m {exchange}"), 409, "nothing-booked").await;
    w.check("POST /v1/casa/holds/$a/give-back Idempotency-Key:g {}", 409, "nothing-booked").await;
    w.check(r#"POST /v1/casa/holds/$a/convert {"mode":"book"}"#, 200, "").await;
    w.check(&format!("POST /v1/casa/holds/$a/move {exchange}"), 400, "idempotency-key-missing").await;
    w.check("POST /v1/casa/holds/$a/give-back {}", 400, "idempotency-key-missing").await;
    let moved =
        r#"{"kept":{"mode":"book","lines":[{"resource":"room","quantity":1},{"resource":"suite","quantity":1}]}}"#;
    w.check(&format!("POST /v1/casa/holds/$a/move Idempotency-Key:m {exchange}"), 200, moved).await;
    let again = w.check(&format!("POST /v1/casa/holds/$a/move Idempotency-Key:m {exchange}"), 200, moved).await;
    assert_eq!(again.header("idempotent-replayed"), "true");
    let full = format!("POST /v1/casa/holds/$a/move Idempotency-Key:n {exchange}");
    w.check(&full, 409, r#"{"code":"sold-out","lines":[{"resource":"suite","wanted":1,"available":0}]}"#).await;
    let nowhere = r#"{"from":[{"resource":"room"}],"to":[{"resource":"moon"}]}"#;
    w.check(&format!("POST /v1/casa/holds/$a/move Idempotency-Key:o {nowhere}"), 404, "pool-not-found").await;
    let back = |key: &str, lines: &str| format!("POST /v1/casa/holds/$a/give-back Idempotency-Key:{key} {lines}");
    w.check(&back("p", r#"{"lines":[{"resource":"room","quantity":2}]}"#), 422, "lines-exceed-hold").await;
    w.check(&back("q", r#"{"lines":[{"resource":"room"}]}"#), 200, r#"{"kept":{"lines":[{"resource":"suite"}]}}"#)
        .await;
    w.check(&back("r", "{}"), 200, r#"{"kept":{"lines":[]}}"#).await;
    w.check(&back("s", "{}"), 409, "nothing-booked").await;
    w.check("GET /v1/casa/pools/suite", 200, r#"{"booked":0,"available":1}"#).await;

    w.check(r#"PUT /v1/casa/pools/shirt {"total":1,"overbook":1}"#, 200, "").await;
    w.check(r#"POST /v1/casa/holds {"id":"$b","lines":[{"resource":"shirt","quantity":2}]}"#, 201, "").await;
    w.check(r#"POST /v1/casa/holds/$b/convert {"mode":"consume"}"#, 422, "total-out-of-range").await;
    w.check(
        r#"POST /v1/casa/holds/$b/convert {"mode":"consume","lines":[{"resource":"shirt"}]}"#,
        200,
        r#"{"kept":{"mode":"consume"}}"#,
    )
    .await;
    w.check("GET /v1/casa/pools/shirt", 200, r#"{"total":0,"held":0,"booked":0}"#).await;
}

#[tokio::test]
async fn lists_join_without_gap_or_overlap() {
    let w = rooms(100).await;
    for n in 0..10 {
        // Several with the same lifetime, so that expiry alone does not order them.
        let secs = 100 + n / 4;
        let hold = format!(
            r#"POST /v1/casa/holds Idempotency-Key:k{n} {{"lines":[{{"resource":"room"}}],"lifetime_secs":{secs},"reference":"cart"}}"#
        );
        w.check(&hold, 201, "").await;
    }
    for list in ["reference=cart", "state=active"] {
        for limit in [1, 3, 10, 11] {
            let mut seen: Vec<String> = Vec::new();
            let mut after = String::new();
            loop {
                let page = w.check(&format!("GET /v1/casa/holds?{list}&limit={limit}{after}"), 200, "").await.json();
                seen.extend(page["holds"].as_array().unwrap().iter().map(|hold| hold["id"].to_string()));
                let Some(next) = page["next"].as_str() else { break };
                after = format!("&after={next}");
            }
            let mut once = seen.clone();
            once.sort();
            once.dedup();
            assert_eq!((seen.len(), once.len()), (10, 10), "{list} by {limit}");
        }
    }
    for bad in [
        "",
        "reference=cart&state=active",
        "state=expired",
        "state=x",
        "state=active&after=x",
        "state=active&after=12-x",
        "reference=cart&after=12",
        "reference=",
        "reference=cart&limit=0",
        "refrence=cart",
    ] {
        w.check(&format!("GET /v1/casa/holds?{bad}"), 400, "malformed-request").await;
    }
}
