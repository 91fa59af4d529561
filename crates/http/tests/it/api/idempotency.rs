//! `Idempotency-Key`: who repeats a request gets the first answer.

use axum::body::Body;
use axum::http::Request;

use super::world::{Answer, World};

async fn shirts() -> World {
    let w = World::new().await;
    w.check(r#"PUT /v1/casa/pools/shirt {"total":100}"#, 200, "").await;
    w.check(r#"PUT /v1/casa/pools/mug {"total":100}"#, 200, "").await;
    w
}

#[tokio::test]
async fn a_repeat_gets_the_first_answer() {
    let w = shirts().await;
    let place = "POST /v1/casa/holds Idempotency-Key:k1";
    let body = r#"{"lines":[{"resource":"shirt","quantity":1}],"owner":"ann","metadata":{"a":1,"b":{"c":2,"d":3}}}"#;
    let first = w.check(&format!("{place} {body}"), 201, "").await;
    assert_eq!(first.header("idempotent-replayed"), "");
    let same = [
        body,
        r#"{"metadata":{"b":{"d":3,"c":2},"a":1},"owner":"ann","lines":[{"quantity":1,"resource":"shirt"}]}"#,
        r#"{"lines":[{"resource":"shirt"}],"owner":"ann","metadata":{"a":1,"b":{"c":2,"d":3}}}"#,
        r#"{"lines":[{"resource":"\u0073hirt","slot":""}],"owner":"ann","metadata":{"a":1,"b":{"c":2,"d":3}},"id":null}"#,
    ];
    for body in same {
        let again = w.check(&format!("{place} {body}"), 201, "").await;
        assert_eq!(again.header("idempotent-replayed"), "true", "{body}");
        assert_eq!(again.body, first.body, "{body}");
        assert_eq!(again.header("location"), first.header("location"));
    }
    let others = [
        r#"{"lines":[{"resource":"shirt","quantity":2}],"owner":"ann","metadata":{"a":1,"b":{"c":2,"d":3}}}"#,
        r#"{"lines":[{"resource":"shirt"}],"owner":"bob","metadata":{"a":1,"b":{"c":2,"d":3}}}"#,
        r#"{"lines":[{"resource":"shirt"}],"owner":"ann","metadata":{"a":1,"b":{"c":2,"d":4}}}"#,
        r#"{"lines":[{"resource":"shirt"}],"owner":"ann"}"#,
    ];
    for body in others {
        w.check(&format!("{place} {body}"), 422, "idempotency-key-reused").await;
    }
    w.check("GET /v1/casa/pools/shirt", 200, r#"{"held":1}"#).await;
    // The first answer, whatever has happened since.
    let id = first.json()["id"].as_str().unwrap().to_owned();
    w.check(&format!("POST /v1/casa/holds/{id}/cancel"), 200, "").await;
    assert_eq!(w.ask(&format!("{place} {body}")).await.body, first.body);
}

#[tokio::test]
async fn scoped_by_operation_path_and_tenant() {
    let w = shirts().await;
    w.check(r#"PUT /v1/other/pools/shirt As:other {"total":100}"#, 200, "").await;
    let fresh = async |row: &str, status: u16| {
        let answer = w.check(row, status, "").await;
        assert_eq!(answer.header("idempotent-replayed"), "", "{row}");
    };
    fresh(r#"POST /v1/casa/holds Idempotency-Key:k {"id":"$a","lines":[{"resource":"shirt"}]}"#, 201).await;
    fresh(r#"POST /v1/casa/pools/shirt/adjust Idempotency-Key:k {"total_delta":1}"#, 200).await;
    fresh(r#"POST /v1/casa/holds/$a/extend Idempotency-Key:k {"by_secs":1}"#, 200).await;
    fresh(r#"POST /v1/casa/holds/$a/convert Idempotency-Key:k {"mode":"book"}"#, 200).await;
    fresh(
        r#"POST /v1/casa/holds/$a/move Idempotency-Key:k {"from":[{"resource":"shirt"}],"to":[{"resource":"mug"}]}"#,
        200,
    )
    .await;
    fresh("POST /v1/casa/holds/$a/give-back Idempotency-Key:k {}", 200).await;
    fresh(r#"POST /v1/other/holds As:other Idempotency-Key:k {"id":"$b","lines":[{"resource":"shirt"}]}"#, 201).await;
    w.check(r#"POST /v1/casa/pools/mug/adjust Idempotency-Key:k {"total_delta":1}"#, 422, "idempotency-key-reused")
        .await;
    let dated = r#"POST /v1/casa/pools/shirt/adjust?slot=2026-12-24 Idempotency-Key:k {"total_delta":1}"#;
    w.check(dated, 422, "idempotency-key-reused").await;
    w.check(r#"POST /v1/casa/holds {"id":"$c","lines":[{"resource":"shirt"}]}"#, 201, "").await;
    w.check(r#"POST /v1/casa/holds/$c/extend Idempotency-Key:k {"by_secs":1}"#, 422, "idempotency-key-reused").await;
    // The address in another spelling is the same request.
    let spelled = r#"POST /v1/casa/pools/%73hirt/adjust?slot= Idempotency-Key:k {"total_delta":1}"#;
    assert_eq!(w.check(spelled, 200, "").await.header("idempotent-replayed"), "true");
}

#[tokio::test]
async fn keys_that_cannot_be_used() {
    let w = shirts().await;
    let ask = async |keys: &[&[u8]]| {
        let mut request = Request::builder().method("POST").uri("/v1/casa/pools/shirt/adjust");
        for key in keys {
            request = request.header("idempotency-key", *key);
        }
        let request = request
            .header("authorization", format!("Bearer {}", w.key("casa")))
            .header("content-type", "application/json");
        Answer::of(w.call(request.body(Body::from(r#"{"total_delta":1}"#)).unwrap()).await).await
    };
    let long = "k".repeat(201);
    let bad: [&[&[u8]]; 7] =
        [&[b"a", b"a"], &[b"a", b"b"], &[b""], &[b" k"], &[b"k\t"], &[long.as_bytes()], &["é".as_bytes()]];
    for keys in bad {
        let answer = ask(keys).await;
        assert_eq!(answer.status, 400, "{keys:?}: {}", answer.text());
        assert_eq!(answer.json()["code"], "idempotency-key-malformed", "{keys:?}");
    }
    assert_eq!(ask(&[]).await.json()["code"], "idempotency-key-missing");
    let longest = "k".repeat(200);
    for good in [longest.as_bytes(), b"two words", b"\"quoted\"", b"'; drop table replies; --"] {
        assert_eq!(ask(&[good]).await.json()["code"], serde_json::Value::Null, "{good:?}");
        assert_eq!(ask(&[good]).await.header("idempotent-replayed"), "true", "{good:?}");
    }
    // Checked also where it is not needed.
    let long = "k".repeat(201);
    let place = format!(r#"POST /v1/casa/holds Idempotency-Key:{long} {{"id":"$a","lines":[{{"resource":"shirt"}}]}}"#);
    w.check(&place, 400, "idempotency-key-malformed").await;
}

#[tokio::test]
async fn the_id_of_a_hold_is_an_identity_of_its_own() {
    let w = shirts().await;
    let place = |key: &str, id: &str, quantity: u32| {
        format!(r#"POST /v1/casa/holds{key} {{"id":"{id}","lines":[{{"resource":"shirt","quantity":{quantity}}}]}}"#)
    };
    w.check(&place("", "$a", 1), 201, "").await;
    // Under a key the hold that is there is found all the same.
    let found = w.check(&place(" Idempotency-Key:k", "$a", 1), 201, r#"{"id":"$a"}"#).await;
    assert_eq!(found.header("idempotent-replayed"), "true");
    w.check(&place(" Idempotency-Key:k", "$b", 1), 422, "idempotency-key-reused").await;
    w.check(&place(" Idempotency-Key:other", "$a", 2), 422, "hold-id-reused").await;
    w.check("GET /v1/casa/pools/shirt", 200, r#"{"held":1}"#).await;
    // Another tenant's hold with the same id is another hold.
    w.check(r#"PUT /v1/other/pools/shirt As:other {"total":1}"#, 200, "").await;
    let elsewhere = r#"POST /v1/other/holds As:other {"id":"$a","lines":[{"resource":"shirt"}]}"#;
    assert_eq!(w.check(elsewhere, 201, "").await.header("idempotent-replayed"), "");
}
