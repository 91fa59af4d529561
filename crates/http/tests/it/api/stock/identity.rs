//! A document is one, however often it is sent.

use super::Shop;

const BUY: &str = r#""kind":"purchase","store":"main","lines":[{"product":"tea","count":10,"amount":1000}]"#;
const SELL: &str = r#""kind":"sale","store":"main","lines":[{"product":"tea","count":1}]"#;

#[tokio::test]
async fn by_its_id() {
    let s = Shop::open().await;
    let first = s.posted("buy", BUY).await;
    let again = s.posted("buy", BUY).await;
    assert_eq!((first.header("idempotent-replayed"), again.header("idempotent-replayed")), ("", "true"));
    assert_eq!(first.json(), again.json());
    assert_eq!(again.header("location"), s.w.named("/v1/casa/documents/$buy"));
    s.check("GET /v1/casa/stock/main/tea", 200, r#"{"quantity":10,"seq":1}"#).await;
    let other = r#"{"code":"document-id-reused","document":"$buy"}"#;
    s.post("buy", &BUY.replace("1000", "1001"), 422, other).await;
    s.post("buy", &BUY.replace(r#""store""#, r#""note":"x","store""#), 422, other).await;
    // As it is now: the sale is told with what is left of it.
    s.posted("sale", SELL).await;
    s.posted("back", r#""kind":"customer_return","store":"main","about":"$sale","lines":[{"of_line":1,"count":1}]"#)
        .await;
    s.post("sale", SELL, 201, r#"{"followers":1,"lines":[{"outcome":{"left":{"quantity":0}}}]}"#).await;

    for (id, code) in [("00000000-0000-7000-8000-000000000001", "document-id-outside-window"), ("1", "invalid")] {
        let row = format!(r#"POST /v1/casa/documents {{"id":"{id}",{BUY}}}"#);
        s.check(&row, 422, code).await;
    }
}

#[tokio::test]
async fn by_a_key() {
    let s = Shop::open().await;
    s.posted("buy", BUY).await;
    s.check(&format!("POST /v1/casa/documents {{{SELL}}}"), 400, "idempotency-key-missing").await;
    let keyed = |key: &str, rest: &str| format!("POST /v1/casa/documents Idempotency-Key:{key} {{{rest}}}");
    let first = s.check(&keyed("k", SELL), 201, "").await;
    let id = first.json()["id"].as_str().unwrap().to_owned();
    assert_eq!(first.header("location"), format!("/v1/casa/documents/{id}"));
    let back = format!(r#""kind":"customer_return","store":"main","about":"{id}","lines":[{{"of_line":1,"count":1}}]"#);
    let returned = s.check(&keyed("back", &back), 201, r#"{"lines":[{"product":"tea"}]}"#).await;
    // Under a key the first answer is given word for word.
    for (key, rest, before) in [("k", SELL, &first), ("back", &back, &returned)] {
        let again = s.check(&keyed(key, rest), 201, "").await;
        assert_eq!((again.header("idempotent-replayed"), &again.body), ("true", &before.body));
        assert_eq!(again.header("location"), before.header("location"));
    }
    s.check(&keyed("k", &SELL.replace(r#""count":1"#, r#""count":2"#)), 422, "idempotency-key-reused").await;
    // Defaults are part of what is meant.
    let spelled = SELL.replace(r#""store""#, r#""post":true,"in_transit":false,"store""#);
    assert_eq!(s.check(&keyed("k", &spelled), 201, "").await.header("idempotent-replayed"), "true");
    s.check("GET /v1/casa/stock/main/tea", 200, r#"{"quantity":10,"seq":3}"#).await;
}
