//! Keys: made, replaced, taken back; what they open, and for how long.

use std::time::{Duration, Instant};

use axum::body::Body;
use axum::http::Request;
use serde_json::{Value, json};
use surehold_http::{Api, ApiConfig, RateLimit};
use tokio_util::sync::CancellationToken;
use tower::ServiceExt;

use super::world::{Answer, World, in_secs, patiently};

/// No request that begins later is let in.
const REVOKED_MAX: Duration = Duration::from_secs(1);

#[tokio::test]
async fn made_and_shown_once() {
    let w = World::new().await;
    let wanted = r#"{"tenant":"casa","name":"till","scopes":["sell","read","read"],"requests_per_s":7}"#;
    let made = w.check(&format!("POST /admin/keys {wanted}"), 201, "").await.json();
    let (key, id) = (made["key"].as_str().unwrap(), made["id"].as_str().unwrap());
    assert!(key.starts_with(&format!("sh_{id}_")) && key.len() == id.len() + 4 + 64, "{key}");
    assert_eq!(made["scopes"], json!(["read", "sell"]));
    assert_eq!((made["mode"].as_str(), &made["requests_per_s"]), (Some("live"), &json!(7)));
    let list = w.check("GET /admin/keys?tenant=casa", 200, "").await;
    let secret = key.rsplit_once('_').unwrap().1;
    assert!(!list.text().contains(secret) && !list.text().contains("hash"));
    let listed = list.json()["keys"].as_array().unwrap().iter().find(|other| other["id"] == id).cloned().unwrap();
    let mut about = made.clone();
    about.as_object_mut().unwrap().remove("key");
    assert_eq!(listed, about);

    let check = async |body: &str, status: u16, code: &str| {
        w.check(&format!("POST /admin/keys {body}"), status, code).await;
    };
    check(r#"{"tenant":"casa","name":"x","scopes":[]}"#, 422, "invalid").await;
    check(r#"{"tenant":"casa","name":"x","scopes":["admin"]}"#, 422, "invalid").await;
    check(r#"{"tenant":"casa","name":"x","scopes":["admin","read"]}"#, 422, "invalid").await;
    check(r#"{"tenant":"casa","name":"x","scopes":["root"]}"#, 422, "invalid").await;
    check(r#"{"name":"x","scopes":["read"]}"#, 422, "invalid").await;
    check(r#"{"tenant":"casa","name":"","scopes":["read"]}"#, 422, "invalid").await;
    check(r#"{"tenant":"casa","name":"x","scopes":["read"],"requests_per_s":0}"#, 422, "invalid").await;
    check(
        r#"{"tenant":"casa","name":"x","scopes":["read"],"expires_at":"2020-01-01T00:00:00Z"}"#,
        422,
        "key-expiry-past",
    )
    .await;
    check(r#"{"tenant":"nowhere","name":"x","scopes":["read"]}"#, 404, "not-found").await;
    check(r#"{"name":"second","scopes":["admin"]}"#, 201, r#"{"mode":"live","scopes":["admin"]}"#).await;
    w.check("GET /admin/keys?tenant=nowhere", 404, "not-found").await;
    w.check("GET /admin/keys?mode=prod", 400, "malformed-request").await;
    let admins = w.check("GET /admin/keys", 200, "").await.json();
    assert_eq!(admins["keys"].as_array().unwrap().len(), 2);
}

/// The file holds the hash and never the secret, in no form in which it could be used.
#[tokio::test]
async fn the_store_has_no_secret() {
    let w = World::new().await;
    let made = w.check(r#"POST /admin/keys {"tenant":"casa","name":"needle","scopes":["read"]}"#, 201, "").await.json();
    let key = made["key"].as_str().unwrap();
    let digits = key.rsplit_once('_').unwrap().1;
    let bytes: Vec<u8> =
        (0..32).map(|index| u8::from_str_radix(&digits[2 * index..2 * index + 2], 16).unwrap()).collect();
    w.add_key("needle", key);
    w.check("GET /v1/casa As:needle", 200, "").await;
    let mut seen_name = false;
    for file in w.data_files() {
        let content = std::fs::read(&file).unwrap_or_default();
        let has = |needle: &[u8]| content.windows(needle.len()).any(|window| window == needle);
        assert!(!has(digits.as_bytes()) && !has(&bytes) && !has(key.as_bytes()), "{}", file.display());
        assert!(!has(&digits.as_bytes()[..32]), "half of it");
        seen_name |= has(b"needle");
    }
    assert!(seen_name, "the key's row is in these files");
}

#[tokio::test]
async fn what_opens_nothing() {
    let w = World::new().await;
    let key = w.key("casa");
    let (front, digits) = key.rsplit_once('_').unwrap();
    let flipped = format!("{front}_{}{}", if digits.starts_with('0') { '1' } else { '0' }, &digits[1..]);
    let of_other = format!("{}_{digits}", w.key("other").rsplit_once('_').unwrap().0);
    let ask = async |header: &[u8]| {
        let request = Request::builder().uri("/v1/casa").header("authorization", header);
        Answer::of(w.call(request.body(Body::empty()).unwrap()).await).await
    };
    for good in [format!("Bearer {key}"), format!("bearer {key}"), format!("BEARER  {key} ")] {
        assert_eq!(ask(good.as_bytes()).await.status, 200, "{good}");
    }
    let unauthenticated = ask(b"").await.body;
    for bad in [
        format!("Basic {key}"),
        key.clone(),
        "Bearer".to_owned(),
        "Bearer ".to_owned(),
        format!("Bearer {flipped}"),
        format!("Bearer {of_other}"),
        format!("Bearer {key}0"),
        format!("Bearer {}", &key[..key.len() - 1]),
        format!("Bearer {}", key.to_uppercase()),
        format!("Bearer {}", key.replace("live", "test")),
        format!("Bearer {front}"),
        format!("Bearer {key}, Bearer {key}"),
        "Bearer é".to_owned(),
        format!("Bearer sh_live_99999999_00000000000000ff_{digits}"),
        format!("Bearer sh_live_0_00000000000000ff_{digits}"),
    ] {
        let answer = ask(bad.as_bytes()).await;
        assert_eq!(answer.status, 401, "{bad}");
        assert_eq!(answer.body, unauthenticated, "the caller is not told what is wrong: {bad}");
    }
}

#[tokio::test]
async fn test_and_live_are_apart() {
    let w = World::new().await;
    w.check("GET /v1/casa As:admin Surehold-Mode:test", 404, "not-found").await;
    let made =
        w.make_key("test", json!({"tenant": "casa", "mode": "test", "scopes": ["read", "sell", "manage"]})).await;
    assert!(made["key"].as_str().unwrap().starts_with("sh_test_"));
    assert_eq!(made["mode"], "test");
    w.check("GET /v1/casa As:test", 200, r#"{"slug":"casa","mode":"test"}"#).await;
    w.check(r#"PUT /v1/casa/pools/room As:casa {"total":1}"#, 200, "").await;
    w.check("GET /v1/casa/pools/room As:test", 404, "pool-not-found").await;
    w.check(r#"PUT /v1/casa/pools/room As:test {"total":7}"#, 200, "").await;
    w.check(r#"POST /v1/casa/holds As:test {"id":"$a","lines":[{"resource":"room"}]}"#, 201, "").await;
    w.check("GET /v1/casa/holds/$a As:casa", 404, "hold-not-found").await;
    w.check("GET /v1/casa/pools/room As:casa", 200, r#"{"total":1,"held":0}"#).await;
    w.check("GET /v1/casa/pools/room As:admin", 200, r#"{"total":1}"#).await;
    w.check("GET /v1/casa/pools/room As:admin Surehold-Mode:live", 200, r#"{"total":1}"#).await;
    w.check("GET /v1/casa/pools/room As:admin Surehold-Mode:test", 200, r#"{"total":7,"held":1}"#).await;
    w.check("GET /v1/casa/pools/room As:admin Surehold-Mode:prod", 400, "malformed-request").await;
    // The header is for the installation's keys; a key's own mode cannot be left, only said.
    w.check("GET /v1/casa/pools/room As:casa Surehold-Mode:test", 400, "malformed-request").await;
    w.check("GET /v1/casa/pools/room As:test Surehold-Mode:live", 400, "malformed-request").await;
    w.check("GET /v1/casa/pools/room As:test Surehold-Mode:test", 200, r#"{"total":7}"#).await;
    w.check("GET /admin/tenants", 200, r#"{"tenants":["casa","other"]}"#).await;
    let keys = w.check("GET /admin/keys?tenant=casa&mode=test", 200, "").await.json();
    assert_eq!(keys["keys"][0]["id"], made["id"]);
    assert_eq!(keys["keys"].as_array().unwrap().len(), 1);
    let events = w.check("GET /v1/casa/events As:casa", 200, "").await.text();
    assert!(!events.contains("hold_placed"));
}

#[tokio::test]
async fn rotated_with_an_overlap() {
    let w = World::new().await;
    let old = w.make_key("old", json!({"tenant": "casa", "scopes": ["read"], "requests_per_s": 50})).await;
    let id = old["id"].as_str().unwrap();
    let rotate = format!("POST /admin/keys/{id}/rotate {{\"overlap_secs\":5}}");
    let new = w.check(&rotate, 201, r#"{"name":"old","scopes":["read"],"requests_per_s":50}"#).await.json();
    let rotated_at = Instant::now();
    w.add_key("new", new["key"].as_str().unwrap());
    assert_ne!(new["id"], old["id"]);
    w.check("GET /v1/casa As:old", 200, "").await;
    w.check("GET /v1/casa As:new", 200, "").await;
    let listed = w.check("GET /admin/keys?tenant=casa", 200, "").await.json();
    let listed = listed["keys"].as_array().unwrap().iter().find(|key| key["id"] == id).cloned().unwrap();
    assert!(listed["expires_at"].is_string() && listed["revoked_at"].is_null(), "{listed}");
    tokio::time::sleep(Duration::from_secs(5).saturating_sub(rotated_at.elapsed()) + Duration::from_millis(20)).await;
    w.check("GET /v1/casa As:old", 401, "unauthenticated").await;
    w.check("GET /v1/casa As:new", 200, "").await;
    w.check(&format!("POST /admin/keys/{}/rotate {{}}", new["id"].as_str().unwrap()), 201, "").await;
    w.check(
        &format!("POST /admin/keys/{}/rotate {{\"overlap_secs\":-1}}", new["id"].as_str().unwrap()),
        422,
        "invalid",
    )
    .await;
    for (path, status, code) in [
        ("live_1_00000000000000ff", 404, "key-not-found"),
        ("test_1_00000000000000ff", 404, "key-not-found"),
        ("live_1_ff", 400, "malformed-request"),
        ("nonsense", 400, "malformed-request"),
    ] {
        w.check(&format!("POST /admin/keys/{path}/rotate {{}}"), status, code).await;
        w.check(&format!("POST /admin/keys/{path}/revoke"), status, code).await;
    }
}

#[tokio::test]
async fn ended_keys_stay_ended() {
    let w = World::new().await;
    let made = w.make_key("till", json!({"tenant": "casa", "scopes": ["read"]})).await;
    let id = made["id"].as_str().unwrap();
    let revoked = w.check(&format!("POST /admin/keys/{id}/revoke"), 200, "").await;
    assert!(revoked.json()["revoked_at"].is_string());
    let again = w.check(&format!("POST /admin/keys/{id}/revoke"), 200, "").await;
    assert_eq!((again.header("idempotent-replayed"), &again.body), ("true", &revoked.body));
    w.check(&format!("POST /admin/keys/{id}/rotate {{}}"), 409, "key-ended").await;
}

#[tokio::test]
async fn expired_at_the_instant() {
    let w = World::new().await;
    let expires_at = Instant::now() + Duration::from_secs(4);
    w.make_key("short", json!({"tenant": "casa", "scopes": ["read"], "expires_at": in_secs(4)})).await;
    w.check("GET /v1/casa As:short", 200, "").await;
    tokio::time::sleep(expires_at.saturating_duration_since(Instant::now()) + Duration::from_millis(20)).await;
    w.check("GET /v1/casa As:short", 401, "unauthenticated").await;
}

/// Two nodes share a store and nothing else.
#[tokio::test]
async fn revoked_within_a_second_on_every_node() {
    let w = World::new().await;
    let second = Api::new(w.engine.clone(), ApiConfig::default(), None, CancellationToken::new()).router();
    let made = w.make_key("till", json!({"tenant": "casa", "scopes": ["read"]})).await;
    let opens = async || {
        let there = second.clone().oneshot(w.request("GET /v1/casa As:till")).await.unwrap().status() == 200;
        (w.ask("GET /v1/casa As:till").await.status == 200, there)
    };
    assert_eq!(opens().await, (true, true));
    // In use all the time, so that it is known by heart.
    let warm = Instant::now();
    while warm.elapsed() < Duration::from_millis(700) {
        opens().await;
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
    w.check(&format!("POST /admin/keys/{}/revoke", made["id"].as_str().unwrap()), 200, "").await;
    let revoked_at = Instant::now();
    loop {
        let begun_after = revoked_at.elapsed();
        if opens().await == (false, false) {
            break;
        }
        assert!(begun_after <= REVOKED_MAX, "let in {begun_after:?} after it was revoked");
    }
    tokio::time::sleep(Duration::from_millis(400)).await;
    assert_eq!(opens().await, (false, false), "and stays so");
}

#[tokio::test]
async fn rate_limits() {
    let config =
        ApiConfig { rate_limit: RateLimit { requests_per_s_default: 5, burst_secs: 1 }, ..ApiConfig::default() };
    let w = World::with(config).await;
    w.make_key("quick", json!({"tenant": "casa", "scopes": ["read"], "requests_per_s": 1_000_000})).await;
    // Sooner or later they come faster than five a second, however busy the machine is.
    let refused = patiently(async {
        loop {
            let answer = w.ask("GET /v1/casa").await;
            if answer.status == 429 {
                break answer;
            }
        }
    });
    let refused: Answer = refused.await;
    let problem: Value = refused.json();
    assert_eq!(problem["code"], "too-many-requests");
    assert_eq!(refused.header("retry-after"), problem["retry_after_secs"].to_string());
    // Neither another key of the tenant nor another tenant is held up.
    for _ in 0..20 {
        w.check("GET /v1/casa As:quick", 200, "").await;
    }
    w.check("GET /v1/other As:other", 200, "").await;
    w.check("GET /healthz", 200, "").await;
    let wait = Duration::from_secs(problem["retry_after_secs"].as_u64().unwrap());
    tokio::time::sleep(wait).await;
    w.check("GET /v1/casa", 200, "").await;
}

/// Whoever makes keys up shares a few lookups a second with others who do; known keys are not held up.
#[tokio::test]
async fn made_up_keys_do_not_keep_the_store_busy() {
    let w = World::new().await;
    w.check("GET /v1/casa", 200, "").await;
    let digits = "0".repeat(64);
    let mut refused = 0;
    for number in 0..3_000 {
        let header = format!("Bearer sh_live_1_{number:016x}_{digits}");
        let request = Request::builder().uri("/v1/casa").header("authorization", header);
        let status = w.call(request.body(Body::empty()).unwrap()).await.status();
        assert!(status == 401 || status == 429, "{status}");
        refused += u32::from(status == 429);
    }
    assert!(refused > 0, "three thousand lookups at once are more than a few");
    w.check("GET /v1/casa", 200, "").await;
}

#[tokio::test]
async fn making_a_key_cannot_be_repeated() {
    let w = World::new().await;
    let wanted = r#"{"name":"till","tenant":"casa","scopes":["read"]}"#;
    let row = format!("POST /admin/keys Idempotency-Key:once {wanted}");
    w.check(&row, 400, "idempotency-key-malformed").await;
    let keys = w.check("GET /admin/keys?tenant=casa", 200, "").await.json();
    assert!(keys["keys"].as_array().unwrap().iter().all(|key| key["name"] != "till"));
}
