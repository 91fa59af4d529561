//! From the quote to the reservation.

use super::Hotel;

const CREATE: &str = r#"POST /v1/casa/stays {"id":"$a","quote":"$q","items":[{"option":2}],"conversation":"chat-1",
    "guest":{"name":"Ann Example","email":"ann@example.org"}}"#;

#[tokio::test]
async fn holding_rooms() {
    let h = Hotel::open().await;
    h.quote("q").await;
    let first = h
        .check(
            CREATE,
            201,
            r#"{"hold":"$a","state":"active","property":"sea","quote":"$q","conversation":"chat-1","checkin":"~1",
                "checkout":"~3","total":20000,"currency":"BRL","awaiting_payment":false,"version":1,"rooms":[
                {"room_type":"double","rate_plan":"flexible","rooms":1,
                 "nights":[{"night":"~1","price":10000},{"night":"~2","price":10000}],
                 "cancellation":{"free_until_hours":48,"penalty":{"nights":1}}}],
                "guest":null,"seconds_left":null,"payment_page":null,"reservation":null}"#,
        )
        .await;
    assert_eq!(first.header("location"), h.w.named("/v1/casa/stays/$a"));
    let again = h.check(CREATE, 201, r#"{"hold":"$a","state":"active"}"#).await;
    assert_eq!(again.header("idempotent-replayed"), "true");
    let seen = h
        .check(
            "GET /v1/casa/stays/$a",
            200,
            r#"{"state":"active","guest":{"name":"Ann Example","email":"ann@example.org","phone":null},"reservation":null}"#,
        )
        .await
        .json();
    assert!((1..=900).contains(&seen["seconds_left"].as_i64().unwrap()), "{seen}");
    h.check("GET /v1/casa/holds/$a", 200, r#"{"state":"active","reference":"chat-1"}"#).await;
    h.check("GET /v1/casa/pools/sea%2Fdouble?slot=~1", 200, r#"{"held":1,"available":1}"#).await;

    let bob = CREATE.replace("Ann Example", "Bob Example");
    h.check(&bob, 422, r#"{"code":"stay-id-reused","hold":"$a"}"#).await;
    let check = async |body: &str, status: u16, expected: &str| {
        h.check(&format!("POST /v1/casa/stays {body}"), status, expected).await;
    };
    check(r#"{"quote":"$q","items":[{"option":2}]}"#, 400, "idempotency-key-missing").await;
    check(r#"{"id":"$b","quote":"$none","items":[{"option":2}]}"#, 404, r#"{"code":"quote-not-found"}"#).await;
    let option = r#"{"code":"option-not-found","quote":"$q","option":9}"#;
    check(r#"{"id":"$b","quote":"$q","items":[{"option":9}]}"#, 404, option).await;
    for bad in [
        r#"{"id":"$b","quote":"$q","items":[]}"#,
        r#"{"id":"$b","quote":"$q","items":[{"option":2,"rooms":2}]}"#,
        r#"{"id":"$b","quote":"$q","items":[{"option":2,"rooms":0}]}"#,
        r#"{"id":"$b","quote":"$q","items":[{"option":2},{"option":2}]}"#,
        r#"{"id":"$b","quote":"$q","items":[{"option":2}],"guest":{"name":" "}}"#,
        r#"{"id":"$b","quote":"$q","items":[{"option":2}],"lifetime_secs":0}"#,
        r#"{"id":"17","quote":"$q","items":[{"option":2}]}"#,
    ] {
        check(bad, 422, "invalid").await;
    }
    check(r#"{"id":"$b","quote":"$q","items":[{"option":1}]}"#, 201, r#"{"total":16000}"#).await;
    let sold_out = r#"{"code":"sold-out","lines":[{"resource":"sea/double","slot":"~1","wanted":1,"available":0},
        {"resource":"sea/double","slot":"~2"}]}"#;
    check(r#"{"id":"$c","quote":"$q","items":[{"option":1}]}"#, 409, sold_out).await;
    h.check("POST /v1/casa/stays/$b/cancel", 200, r#"{"state":"cancelled"}"#).await;
    check(r#"{"id":"$c","quote":"$q","items":[{"option":1}],"lifetime_secs":86401}"#, 422, "lifetime-too-long").await;
    check(r#"{"id":"$c","quote":"$q","items":[{"option":1}],"lifetime_secs":60}"#, 201, "").await;
    h.check("GET /v1/other/stays/$a As:other", 404, r#"{"code":"stay-not-found","hold":"$a"}"#).await;
}

/// Under a key the first answer is repeated; who the guest is, is no part of what is compared or kept.
#[tokio::test]
async fn holding_rooms_under_a_key() {
    let h = Hotel::open().await;
    h.quote("q").await;
    let row = |key: &str, option: u16, name: &str| {
        format!(
            r#"POST /v1/casa/stays Idempotency-Key:{key} {{"quote":"$q","items":[{{"option":{option}}}],
            "guest":{{"name":"{name}"}}}}"#
        )
    };
    let first = h.check(&row("k", 1, "Ann"), 201, "").await;
    for name in ["Ann", "Bob"] {
        let again = h.check(&row("k", 1, name), 201, "").await;
        assert_eq!((&again.body, again.header("idempotent-replayed")), (&first.body, "true"));
    }
    h.check(&row("k", 2, "Ann"), 422, "idempotency-key-reused").await;
    let hold = first.json()["hold"].as_str().unwrap().to_owned();
    h.check(&format!("GET /v1/casa/stays/{hold}"), 200, r#"{"guest":{"name":"Ann"}}"#).await;
}

#[tokio::test]
async fn what_has_changed_since_the_quote() {
    let h = Hotel::open().await;
    h.quote("q").await;
    let set = |change: &str| {
        format!(
            r#"PUT /v1/casa/properties/sea/calendar {{"changes":[{{"room_types":["double"],"from":"~2","until":"~3",
            "rates":[{{"rate_plan":"flexible",{change}}}]}}]}}"#
        )
    };
    h.check(&set("\"price\":11000"), 200, "").await;
    let changed = r#"{"code":"price-changed","room_type":"double","rate_plan":"flexible","price_quoted":20000,
        "price_now":21000}"#;
    h.check(CREATE, 409, changed).await;
    h.check(&set("\"stop_sell\":true"), 200, "").await;
    let stopped = r#"{"code":"not-for-sale","room_type":"double","rate_plan":"flexible",
        "why":{"reason":"stop_sell","night":"~2"}}"#;
    h.check(CREATE, 409, stopped).await;
    h.check(&set("\"stop_sell\":false,\"price\":10000"), 200, "").await;
    let close = r#"PUT /v1/casa/properties/sea/calendar {"changes":[{"room_types":["double"],"from":"~1","until":"~2",
        "inventory":{"closed":true}}]}"#;
    h.check(close, 200, "").await;
    h.check(CREATE, 409, r#"{"code":"pool-closed","pools":[{"resource":"sea/double","slot":"~1"}]}"#).await;
    h.check(&close.replace("true", "false"), 200, "").await;
    h.w.advance_secs(1_800);
    h.check(CREATE, 409, r#"{"code":"quote-expired","quote":"$q"}"#).await;
}

#[tokio::test]
async fn live_stays_of_a_property() {
    let h = Hotel::open().await;
    h.quote("q").await;
    let create = |name: &str, secs: u32| {
        format!(
            r#"POST /v1/casa/stays {{"id":"${name}","quote":"$q","items":[{{"option":{}}}],"lifetime_secs":{secs}}}"#,
            if name == "c" { 3 } else { 1 }
        )
    };
    for (name, secs) in [("a", 300), ("b", 100), ("c", 200)] {
        h.check(&create(name, secs), 201, "").await;
    }
    h.check(r#"PUT /v1/casa/pools/shirt {"total":1}"#, 200, "").await;
    h.check(r#"POST /v1/casa/holds {"id":"$d","lines":[{"resource":"shirt"}],"lifetime_secs":150}"#, 201, "").await;
    let list = "GET /v1/casa/stays?property=sea&state=active";
    h.check(list, 200, r#"{"stays":[{"hold":"$b"},{"hold":"$c"},{"hold":"$a"}],"next":null}"#).await;
    let page = h.check(&format!("{list}&limit=2"), 200, r#"{"stays":[{"hold":"$b"},{"hold":"$c"}]}"#).await.json();
    let next = page["next"].as_str().unwrap();
    h.check(&format!("{list}&limit=2&after={next}"), 200, r#"{"stays":[{"hold":"$a"}],"next":null}"#).await;
    // Dead at the instant, swept or not.
    h.w.advance_secs(150);
    let left = h.check(list, 200, r#"{"stays":[{"hold":"$c"},{"hold":"$a"}]}"#).await.json();
    assert!(left["stays"][0]["seconds_left"].as_i64().unwrap() <= 50, "{left}");
    h.check("GET /v1/casa/stays/$b", 200, r#"{"state":"expired","seconds_left":null}"#).await;
    h.check("POST /v1/casa/stays/$b/confirm {}", 409, r#"{"code":"hold-ended","state":"expired"}"#).await;
    h.check("GET /v1/casa/stays?property=none&state=active", 404, "property-not-found").await;
    for bad in ["", "property=sea", "state=active", "property=sea&state=expired", "property=sea&state=active&after=x"] {
        h.check(&format!("GET /v1/casa/stays?{bad}"), 400, "malformed-request").await;
    }
}

#[tokio::test]
async fn confirming_and_cancelling() {
    let h = Hotel::open().await;
    h.quote("q").await;
    h.check(CREATE, 201, "").await;
    let confirm = r#"POST /v1/casa/stays/$a/confirm {"paid":20000}"#;
    let booked = r#"{"hold":"$a","state":"converted","reservation":{"hold":"$a","booked_by":"$a","state":"confirmed",
        "source":"desk","total":20000,"paid":20000,"balance":0,"refunded":0,"penalty":0,"guest":null,"refund":null}}"#;
    h.check(confirm, 200, booked).await;
    assert_eq!(h.check(confirm, 200, booked).await.header("idempotent-replayed"), "true");
    let other = r#"{"code":"reservation-exists","hold":"$a","source":"desk","paid":20000}"#;
    h.check(r#"POST /v1/casa/stays/$a/confirm {"paid":1}"#, 409, other).await;
    h.check("POST /v1/casa/stays/$a/cancel", 409, r#"{"code":"hold-ended","state":"converted"}"#).await;
    h.check(r#"POST /v1/casa/stays/$a/confirm {"paid":-1}"#, 422, "invalid").await;
    h.check("POST /v1/casa/stays/$none/confirm {}", 404, "stay-not-found").await;
    h.check("POST /v1/casa/stays/$none/cancel", 404, "stay-not-found").await;
    h.check("POST /v1/casa/stays/17/cancel", 400, "malformed-request").await;
    h.check("GET /v1/casa/pools/sea%2Fdouble?slot=~1", 200, r#"{"held":0,"booked":1}"#).await;

    h.check(r#"POST /v1/casa/stays {"id":"$b","quote":"$q","items":[{"option":1}]}"#, 201, "").await;
    h.check("POST /v1/casa/stays/$b/cancel", 200, r#"{"state":"cancelled","reservation":null}"#).await;
    let again = h.check("POST /v1/casa/stays/$b/cancel", 200, r#"{"state":"cancelled"}"#).await;
    assert_eq!(again.header("idempotent-replayed"), "true");
    h.check("POST /v1/casa/stays/$b/confirm {}", 409, r#"{"code":"hold-ended","state":"cancelled"}"#).await;
    h.check("GET /v1/casa/pools/sea%2Fdouble?slot=~1", 200, r#"{"held":0,"booked":1}"#).await;
}

#[tokio::test]
async fn forgetting_the_guest() {
    let h = Hotel::open().await;
    h.quote("q").await;
    h.check(CREATE, 201, "").await;
    let erased = h.check("DELETE /v1/casa/stays/$a/guest", 200, r#"{"hold":"$a"}"#).await;
    let again = h.check("DELETE /v1/casa/stays/$a/guest", 200, "").await;
    assert_eq!((&again.body, again.header("idempotent-replayed")), (&erased.body, "true"));
    let seen = h.check("GET /v1/casa/stays/$a", 200, r#"{"guest":null,"state":"active"}"#).await.json();
    assert_eq!(seen["guest_erased_at"], erased.json()["erased_at"]);
    h.check("DELETE /v1/casa/stays/$none/guest", 404, "stay-not-found").await;
    let events = h.check("GET /v1/casa/events?limit=1000", 200, "").await.text();
    assert!(events.contains("guest_erased") && !events.contains("Ann") && !events.contains("example.org"), "{events}");
}

/// The page is made by a worker, and here is none.
#[tokio::test]
async fn asking_for_a_page() {
    let h = Hotel::open().await;
    h.quote("q").await;
    h.check(CREATE, 201, "").await;
    let body = r#"{"success_url":"https://example.org/a","cancel_url":"https://example.org/b"}"#;
    let ask = format!("POST /v1/casa/stays/$a/checkout {body}");
    let making = r#"{"page":{"url":null,"session":null},
        "operation":{"type":"CREATE_CHECKOUT_SESSION","key":"$a:1"}}"#;
    let first = h.check(&ask, 202, making).await;
    let again = h.check(&ask, 202, making).await;
    assert_eq!((&again.body, again.header("idempotent-replayed")), (&first.body, "true"));
    h.check(&format!("POST /v1/casa/stays/$a/checkout?wait_ms=150 {body}"), 202, making).await;
    let stay = h.check("GET /v1/casa/stays/$a", 200, r#"{"payment_page":{"url":null}}"#).await.json();
    let first = first.json();
    assert_eq!(stay["payment_page"]["expires_at"], first["page"]["expires_at"]);
    assert_eq!(stay["expires_at"], first["hold_expires_at"], "the hold outlives the page");
    h.check("GET /v1/casa/operations/CREATE_CHECKOUT_SESSION/$a:1", 200, r#"{"state":"PENDING"}"#).await;

    for bad in ["wait_ms=10001", "wait_ms=-1", "wait_ms=x", "wait_ms=70000"] {
        h.check(&format!("POST /v1/casa/stays/$a/checkout?{bad} {body}"), 400, "malformed-request").await;
    }
    for bad in [
        r#"{"success_url":"https://example.org/a"}"#,
        r#"{"success_url":"ftp://example.org/a","cancel_url":"https://example.org/b"}"#,
        r#"{"success_url":"https://","cancel_url":"https://example.org/b"}"#,
    ] {
        h.check(&format!("POST /v1/casa/stays/$a/checkout {bad}"), 422, "invalid").await;
    }
    h.check(&format!("POST /v1/casa/stays/$none/checkout {body}"), 404, "stay-not-found").await;
    h.check(r#"POST /v1/casa/stays/$a/confirm {"paid":0}"#, 200, "").await;
    h.check(&ask, 409, r#"{"code":"reservation-exists","source":"desk","paid":0}"#).await;
    let no_account = r#"PUT /v1/casa/properties/sea {"title":"Sea","time_zone":"UTC","currency":"BRL"}"#;
    h.check(no_account, 200, "").await;
    h.check(r#"POST /v1/casa/stays {"id":"$b","quote":"$q","items":[{"option":1}]}"#, 201, "").await;
    let refused = r#"{"code":"payments-not-set-up","property":"sea"}"#;
    h.check(&format!("POST /v1/casa/stays/$b/checkout {body}"), 409, refused).await;
}
