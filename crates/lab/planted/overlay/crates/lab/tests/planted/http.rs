//! Bugs behind the door: what the API itself does wrong.

use axum::Router;
use axum::body::Body;
use axum::http::Request;
use http_body_util::BodyExt;
use serde_json::{Value, json};
use surehold_engine::new_hold_id;
use surehold_http::server::Peer;
use surehold_http::{Api, ApiConfig};
use tokio_util::sync::CancellationToken;
use tower::ServiceExt;

use super::Harm;
use super::shop::Shop;

struct Door(Router);

impl Door {
    fn of(shop: &Shop) -> Door {
        Door(Api::new(shop.engine.clone(), ApiConfig::default(), None, CancellationToken::new()).router())
    }

    /// Without a key as whoever may open the local socket.
    async fn ask(&self, method: &str, path: &str, key: Option<&str>, body: &Value) -> (u16, Value) {
        let request = Request::builder().method(method).uri(path).header("content-type", "application/json");
        let request = match key {
            Some(key) => request.header("authorization", format!("Bearer {key}")),
            None => request.extension(Peer::Local),
        };
        let body = if body.is_null() { Body::empty() } else { Body::from(body.to_string()) };
        let response = self.0.clone().oneshot(request.body(body).unwrap()).await.unwrap();
        let status = response.status().as_u16();
        let bytes = response.into_body().collect().await.unwrap().to_bytes();
        (status, serde_json::from_slice(&bytes).unwrap())
    }

    async fn must(&self, method: &str, path: &str, body: &Value) -> Value {
        let (status, answer) = self.ask(method, path, None, body).await;
        assert!((200..300).contains(&status), "{method} {path}: {status} {answer}");
        answer
    }

    /// The cursors of all events, by pages of so many.
    async fn cursors(&self, limit: usize) -> Vec<String> {
        let (mut cursors, mut after) = (Vec::new(), String::new());
        loop {
            let page = self.must("GET", &format!("/v1/shop/events?limit={limit}{after}"), &Value::Null).await;
            let events = page["events"].as_array().unwrap();
            cursors.extend(events.iter().map(|event| event["cursor"].as_str().unwrap().to_owned()));
            if page["more"] == json!(false) {
                return cursors;
            }
            after = format!("&after={}", page["next"].as_str().unwrap());
        }
    }
}

/// Three events of one batch, read one by one.
pub(super) async fn a_missed_event() -> Harm {
    let shop = Shop::open(&[("room", 9)]).await;
    let door = Door::of(&shop);
    let place = || json!({"place": {"id": new_hold_id().to_string(), "lines": [{"resource": "room", "quantity": 1}]}});
    door.must("POST", "/v1/shop/holds/batch", &json!({"commands": [place(), place(), place()]})).await;
    let (all, one_by_one) = (door.cursors(1_000).await, door.cursors(1).await);
    shop.close().await;
    (all != one_by_one).then(|| format!("of {} events {} were read", all.len(), one_by_one.len()))
}

pub(super) async fn a_foreign_tenant() -> Harm {
    let shop = Shop::open(&[("room", 9)]).await;
    let door = Door::of(&shop);
    door.must("POST", "/admin/tenants", &json!({"slug": "other"})).await;
    let key = json!({"tenant": "other", "name": "till", "scopes": ["read"]});
    let made = door.must("POST", "/admin/keys", &key).await;
    let (status, answer) = door.ask("GET", "/v1/shop/pools", made["key"].as_str(), &Value::Null).await;
    shop.close().await;
    (status != 404).then(|| format!("a key of another tenant is answered {status}: {answer}"))
}
