//! Counters and carts compete for one number.

use super::Shop;

async fn with_tea() -> Shop {
    let s = Shop::open().await;
    s.posted("buy", r#""kind":"purchase","store":"main","lines":[{"product":"tea","count":10,"amount":1000}]"#).await;
    s
}

const HOLD: &str = r#"POST /v1/casa/holds {"id":"$cart","lines":[{"resource":"main/tea","quantity":4}]}"#;

#[tokio::test]
async fn a_counter_never_sells_what_a_cart_holds() {
    let s = with_tea().await;
    s.check(HOLD, 201, "").await;
    s.check("GET /v1/casa/stock/main/tea", 200, r#"{"quantity":10,"available":6,"held":4}"#).await;
    let short = r#"{"code":"insufficient-stock","short":[{"store":"main","product":"tea","place":"on_hand","asked":7,"available":6,
        "on_hand":10,"promised":4}]}"#;
    s.post("greedy", r#""kind":"sale","store":"main","lines":[{"product":"tea","count":7}]"#, 409, short).await;
    s.posted("sale", r#""kind":"sale","store":"main","lines":[{"product":"tea","count":6}]"#).await;
    let out = r#"POST /v1/casa/holds {"id":"$late","lines":[{"resource":"main/tea"}]}"#;
    s.check(out, 409, "sold-out").await;
    // A hold that has lapsed is in nobody's way.
    s.w.advance_secs(1_000);
    s.posted("more", r#""kind":"sale","store":"main","lines":[{"product":"tea","count":4}]"#).await;

    for (row, body) in [
        ("PUT /v1/casa/pools/main%2Ftea", r#"{"total":5}"#),
        ("POST /v1/casa/pools/main%2Ftea/adjust Idempotency-Key:a", r#"{"total_delta":1}"#),
    ] {
        s.check(&format!("{row} {body}"), 409, "tracked-by-stock").await;
    }
    s.check(r#"PUT /v1/casa/pools/main%2Ftea {"closed":true}"#, 200, r#"{"closed":true,"tracked":true}"#).await;
}

#[tokio::test]
async fn what_a_hold_has_is_sold() {
    let s = with_tea().await;
    s.check(HOLD, 201, "").await;
    s.check(r#"POST /v1/casa/holds/$cart/convert {"mode":"consume"}"#, 409, "tracked-by-stock").await;
    let sell = |rest: &str| format!(r#"POST /v1/casa/holds/$cart/sell {{"store":"main",{rest}}}"#);
    let other = sell(r#""id":"$no","lines":[{"product":"flour","count":1}]"#);
    s.check(&other, 409, "hold-of-others").await;
    s.check(&sell(r#""lines":[{"product":"tea","count":1}]"#), 400, "idempotency-key-missing").await;
    s.check(&sell(r#""id":"$no","lines":[{"product":"tea","count":11}]"#), 409, "insufficient-stock").await;

    // Two more than it holds.
    let row = sell(r#""id":"$sale","reference":"cart-1","lines":[{"product":"tea","count":6}]"#);
    let sold = r#"{"hold":{"id":"$cart","state":"converted"},"document":{"id":"$sale","kind":"sale","state":"posted","hold":"$cart",
        "reference":"cart-1","lines":[{"product":"tea","outcome":{"quantity":-6,"value":"-600"}}]}}"#;
    let first = s.check(&row, 201, sold).await;
    assert_eq!(first.header("location"), s.w.named("/v1/casa/documents/$sale"));
    let again = s.check(&row, 201, sold).await;
    assert_eq!(again.header("idempotent-replayed"), "true");
    s.check("GET /v1/casa/stock/main/tea", 200, r#"{"quantity":4,"available":4,"held":0}"#).await;
    s.check(&sell(r#""id":"$again","lines":[{"product":"tea","count":1}]"#), 409, "hold-ended").await;
    // The id of a sale that did not sell the hold.
    s.check(r#"POST /v1/casa/holds {"id":"$next","lines":[{"resource":"main/tea","quantity":1}]}"#, 201, "").await;
    s.posted("counter", r#""kind":"sale","store":"main","lines":[{"product":"tea","count":1}]"#).await;
    for (sale, rest) in [
        ("sale", r#""reference":"cart-1","lines":[{"product":"tea","count":6}]"#),
        ("counter", r#""lines":[{"product":"tea","count":1}]"#),
    ] {
        let row = format!(r#"POST /v1/casa/holds/$next/sell {{"id":"${sale}","store":"main",{rest}}}"#);
        s.check(&row, 422, &format!(r#"{{"code":"document-id-reused","document":"${sale}"}}"#)).await;
    }
    s.check("GET /v1/casa/holds/$next", 200, r#"{"state":"active"}"#).await;
    let nobody = r#"POST /v1/casa/holds/$nobody/sell {"id":"$x","store":"main","lines":[{"product":"tea","count":1}]}"#;
    s.check(nobody, 404, "hold-not-found").await;
    s.check("GET /v1/casa/documents?reference=cart-1", 200, r#"{"documents":[{"id":"$sale"}]}"#).await;
}

/// A paid order is delivered in two pieces, and the counter never gets at it.
#[tokio::test]
async fn what_is_booked_is_delivered() {
    let s = with_tea().await;
    s.check(HOLD, 201, "").await;
    s.check(r#"POST /v1/casa/holds/$cart/convert {"mode":"book"}"#, 200, "").await;
    let deliver = |id: &str, count: i64| {
        let lines = format!(r#""lines":[{{"product":"tea","count":{count}}}]"#);
        format!(r#"POST /v1/casa/holds/$cart/sell {{"id":"${id}","store":"main",{lines}}}"#)
    };
    let first = r#"{"hold":{"state":"converted","kept":{"mode":"book","lines":[{"resource":"main/tea","quantity":1}]}},"document":{"hold":"$cart"}}"#;
    s.check(&deliver("first", 3), 201, first).await;
    s.check(&deliver("first", 3), 201, first).await;
    s.check("GET /v1/casa/stock/main/tea", 200, r#"{"quantity":7,"available":6,"booked":1}"#).await;
    s.post(
        "greedy",
        r#""kind":"sale","store":"main","lines":[{"product":"tea","count":7}]"#,
        409,
        "insufficient-stock",
    )
    .await;
    s.check(&deliver("second", 1), 201, "").await;
    s.check("GET /v1/casa/stock/main/tea", 200, r#"{"quantity":6,"available":6,"booked":0}"#).await;
    s.check(&deliver("third", 1), 409, "hold-of-others").await;
}

#[tokio::test]
async fn a_count_may_take_what_is_promised() {
    let s = with_tea().await;
    s.check(HOLD, 201, "").await;
    let count = r#""kind":"recount","store":"main","lines":[{"product":"tea","count":3,"against":{"seq":1}}]"#;
    s.posted("count", count).await;
    let oversold = r#"{"quantity":3,"available":0,"held":4,"oversold":1}"#;
    s.check("GET /v1/casa/stock/main/tea", 200, oversold).await;
    s.check("GET /v1/casa/stock/shortages", 200, &format!(r#"{{"items":[{oversold}],"next":null}}"#)).await;
}
