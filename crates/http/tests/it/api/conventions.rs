//! What all routes have in common: limits, content types, request ids, methods, the order of checks.

use axum::body::{Body, Bytes};
use axum::http::Request;
use futures_util::stream;

use super::world::{Answer, World};

async fn put(w: &World, content_type: Option<&str>, body: impl Into<Body>) -> Answer {
    let request = Request::builder().method("PUT").uri("/v1/casa/pools/room");
    let mut request = request.header("authorization", format!("Bearer {}", w.key("casa")));
    if let Some(content_type) = content_type {
        request = request.header("content-type", content_type);
    }
    Answer::of(w.call(request.body(body.into()).unwrap()).await).await
}

#[tokio::test]
async fn content_types() {
    let w = World::new().await;
    for good in ["application/json", "Application/JSON", "application/json; charset=utf-8", "application/json ;x"] {
        assert_eq!(put(&w, Some(good), r#"{"total":1}"#).await.status, 200, "{good}");
    }
    for bad in ["", "text/plain", "application/jsonx", "application/xml", "application/json-patch+json", "json"] {
        let answer = put(&w, Some(bad), r#"{"total":1}"#).await;
        assert_eq!((answer.status.as_u16(), &answer.json()["code"]), (415, &"unsupported-media-type".into()), "{bad}");
    }
    assert_eq!(put(&w, None, r#"{"total":1}"#).await.status, 415);
    // What takes no body needs no type.
    w.check("POST /v1/casa/holds/$a/cancel", 404, "hold-not-found").await;
}

#[tokio::test]
async fn bodies_have_a_limit() {
    let w = World::new().await;
    let body = |bytes: usize| format!("{}{}", r#"{"total":1}"#, " ".repeat(bytes - r#"{"total":1}"#.len()));
    assert_eq!(put(&w, Some("application/json"), body(256 << 10)).await.status, 200);
    let declared = put(&w, Some("application/json"), body((256 << 10) + 1)).await;
    assert_eq!((declared.status.as_u16(), &declared.json()["code"]), (413, &"body-too-large".into()));
    assert_eq!(declared.header("connection"), "close");
    // Without a declared length it is found while reading.
    let parts = body((256 << 10) + 1).into_bytes().chunks(1_000).map(Bytes::copy_from_slice).collect::<Vec<_>>();
    let streamed = Body::from_stream(stream::iter(parts.into_iter().map(Ok::<_, std::io::Error>)));
    assert_eq!(put(&w, Some("application/json"), streamed).await.status, 413);
    let broken = stream::iter([Ok(Bytes::from_static(b"{\"total\"")), Err(std::io::Error::other("cut"))]);
    let broken = put(&w, Some("application/json"), Body::from_stream(broken)).await;
    assert_eq!((broken.status.as_u16(), &broken.json()["code"]), (400, &"malformed-request".into()));
    assert_eq!(put(&w, Some("application/json"), "").await.json()["code"], "malformed-json");
    assert_eq!(put(&w, Some("application/json"), &b"{\"total\":1,\"\xff\":1}"[..]).await.status, 400);
}

#[tokio::test]
async fn request_ids() {
    let w = World::new().await;
    let generated = w.ask("GET /healthz As:nobody").await.header("x-request-id").to_owned();
    assert_eq!(generated.len(), 32);
    assert_ne!(w.ask("GET /healthz As:nobody").await.header("x-request-id"), generated);
    let longest = "x".repeat(128);
    for good in ["a", "5f1d7e9c-8a5b", "<script>", longest.as_str()] {
        let answer = w.ask(&format!("GET /healthz As:nobody X-Request-Id:{good}")).await;
        assert_eq!(answer.header("x-request-id"), good);
    }
    let too_long = "x".repeat(129);
    for absurd in [&b""[..], b"two words", b"tab\there", "é".as_bytes(), too_long.as_bytes()] {
        let request = Request::builder().uri("/healthz").header("x-request-id", absurd).body(Body::empty()).unwrap();
        let answer = Answer::of(w.call(request).await).await;
        let id = answer.header("x-request-id");
        assert!(id.len() == 32 && id.as_bytes() != absurd, "{absurd:?} -> {id}");
    }
    // Also on what is refused, and on what does not exist.
    for row in ["GET /v1/casa As:nobody", "GET /nowhere As:nobody", "DELETE /healthz As:nobody"] {
        assert_eq!(w.ask(&format!("{row} X-Request-Id:mine")).await.header("x-request-id"), "mine", "{row}");
    }
}

#[tokio::test]
async fn methods() {
    let w = World::new().await;
    w.check(r#"PUT /v1/casa/pools/room {"total":1}"#, 200, "").await;
    for path in
        ["/v1/casa", "/v1/casa/pools", "/v1/casa/pools/room", "/v1/casa/events", "/healthz", "/docs/", "/problems"]
    {
        let get = w.ask(&format!("GET {path}")).await;
        let head = w.ask(&format!("HEAD {path}")).await;
        assert_eq!((head.status, head.body.len()), (get.status, 0), "{path}");
        assert_eq!(head.header("content-type"), get.header("content-type"), "{path}");
    }
    w.check("DELETE /v1/casa/pools/room", 405, "method-not-allowed").await;
    w.check("POST /v1/casa/pools/room", 405, "method-not-allowed").await;
    w.check("OPTIONS /v1/casa/pools/room As:nobody", 405, "method-not-allowed").await;
    w.check("PATCH /healthz As:nobody", 405, "method-not-allowed").await;
    w.check("GET /v1/casa/pools/room/adjust", 405, "method-not-allowed").await;
    let refused = w.check("BREW /v1/casa/pools", 405, "method-not-allowed").await;
    let mut allowed: Vec<&str> = refused.header("allow").split(',').map(str::trim).collect();
    allowed.sort_unstable();
    assert_eq!(allowed, ["GET", "HEAD", "PUT"], "RFC 9110 wants to know what is allowed");
    for nowhere in ["/nowhere", "/v1", "/v1/casa/", "/v1/casa/pools/", "/v2/casa", "/admin", "/V1/casa"] {
        w.check(&format!("GET {nowhere} As:nobody"), 404, "not-found").await;
    }
}

/// Who asks comes before what exists, that before what is allowed, and that before what is wrong with the request.
#[tokio::test]
async fn the_order_of_checks() {
    let w = World::new().await;
    w.make_key("reader", serde_json::json!({"tenant": "casa", "scopes": ["read"]})).await;
    let rows = [
        "PUT /v1/TENANT/pools/%20?slot=x {nonsense",
        "PUT /v1/TENANT/policy {nonsense",
        "POST /v1/TENANT/holds {nonsense",
        "POST /v1/TENANT/holds/17/convert {nonsense",
        "POST /v1/TENANT/holds/batch {nonsense",
    ];
    for row in rows {
        let ask = |tenant: &str, key: &str| row.replace("TENANT", tenant).replace(" {", &format!(" As:{key} {{"));
        w.check(&ask("casa", "nobody"), 401, "unauthenticated").await;
        w.check(&ask("nowhere", "nobody"), 401, "unauthenticated").await;
        let foreign = w.check(&ask("other", "reader"), 404, "not-found").await;
        let unknown = w.check(&ask("nowhere", "reader"), 404, "not-found").await;
        assert_eq!(foreign.body, unknown.body);
        w.check(&ask("casa", "reader"), 403, "scope-missing").await;
        let broken = w.ask(&ask("casa", "casa")).await;
        assert_eq!(broken.status, 400, "{row}");
        let admin = w.ask(&ask("nowhere", "admin")).await;
        assert_eq!(admin.body, unknown.body);
    }
    w.check("GET /v1/casa/pools?limit=0 As:nobody", 401, "unauthenticated").await;
    w.check("GET /v1/%ff/pools As:casa", 404, "not-found").await;
    w.check("GET /v1/casa/pools/%ff As:casa", 404, "not-found").await;
    let challenge = w.check("GET /v1/casa As:nobody", 401, "unauthenticated").await;
    assert_eq!(challenge.header("www-authenticate"), "Bearer realm=\"surehold\"");
    assert_eq!(challenge.header("cache-control"), "no-store");
}
