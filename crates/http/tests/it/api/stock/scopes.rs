//! Who may post what.

use serde_json::json;

use super::Shop;

#[tokio::test]
async fn whoever_sells_posts_sales_and_returns_only() {
    let s = Shop::open().await;
    for scope in ["read", "sell", "manage"] {
        s.w.make_key(scope, json!({"tenant": "casa", "scopes": [scope]})).await;
    }
    s.posted("buy", r#""kind":"purchase","store":"main","lines":[{"product":"tea","count":9,"amount":9}]"#).await;
    s.posted("sold", r#""kind":"sale","store":"main","lines":[{"product":"tea","count":3}]"#).await;
    s.posted(
        "sent",
        r#""kind":"transfer","store":"main","to_store":"depot","in_transit":true,"lines":[{"product":"tea","count":3}]"#,
    )
    .await;
    let line = r#""lines":[{"product":"tea","count":1}]"#;
    let costs = r#""lines":[{"product":"tea","count":1,"amount":1}]"#;
    for (kind, needed, rest) in [
        ("sale", "sell", line.to_owned()),
        ("customer_return", "sell", r#""about":"$sold","lines":[{"of_line":1,"count":1}]"#.to_owned()),
        ("purchase", "manage", costs.to_owned()),
        ("opening", "manage", costs.replace("tea", "flour")),
        ("supplier_return", "manage", line.to_owned()),
        ("write_off", "manage", line.to_owned()),
        (
            "recount",
            "manage",
            r#""lines":[{"product":"tea","count":9,"against":{"seq":1,"difference":true}}]"#.to_owned(),
        ),
        ("transfer", "manage", format!(r#""to_store":"depot",{line}"#)),
        ("receipt", "manage", r#""about":"$sent","lines":[{"of_line":1,"count":1}]"#.to_owned()),
        ("transit_loss", "manage", r#""about":"$sent","lines":[{"of_line":1,"count":1}]"#.to_owned()),
    ] {
        let store = if ["receipt", "transit_loss"].contains(&kind) { "depot" } else { "main" };
        let body = format!(r#""kind":"{kind}","store":"{store}",{rest}"#);
        let name: String = kind.replace('_', "");
        s.post(&format!("{name}draft"), &format!(r#""post":false,{body}"#), 201, r#"{"state":"draft"}"#).await;
        let rows = [
            (format!("POST /v1/casa/documents/preview As:KEY {{{body}}}"), 200),
            (format!(r#"POST /v1/casa/documents As:KEY {{"id":"${name}kept","post":false,{body}}}"#), 201),
            (format!(r#"POST /v1/casa/documents As:KEY {{"id":"${name}",{body}}}"#), 201),
        ];
        for key in ["read", "sell", "manage"] {
            for (row, status) in &rows {
                let row = row.replace("KEY", key);
                let (status, expected) = if key == needed { (*status, "") } else { (403, "scope-missing") };
                s.check(&row, status, expected).await;
            }
            let may = key == needed;
            // Refused or posted: what counts is who asked.
            let answer = s.w.ask(&format!("POST /v1/casa/documents/${name}draft/post As:{key}")).await;
            assert_eq!(answer.status == 403, !may, "{kind} as {key}: {}", answer.text());
        }
    }
    // What there is, and what it cost, is for those who read.
    s.w.make_key("both", json!({"tenant": "casa", "scopes": ["sell", "read"]})).await;
    s.posted("more", &format!(r#""kind":"purchase","store":"main",{costs}"#)).await;
    let preview = format!(r#"{{"kind":"sale","store":"main",{line}}}"#);
    let costs_only = r#"{"document":{"lines":[{"outcome":{"quantity":-1}}]},"items":null}"#;
    s.check(&format!("POST /v1/casa/documents/preview As:sell {preview}"), 200, costs_only).await;
    let all = r#"{"items":[{"store":"main","product":"tea","scale":0}]}"#;
    s.check(&format!("POST /v1/casa/documents/preview As:both {preview}"), 200, all).await;
    // Whoever sells does not get at the draft of a purchase by calling it a sale.
    s.post("order", &format!(r#""post":false,"kind":"purchase","store":"main",{costs}"#), 201, "").await;
    let further = r#"PUT /v1/casa/documents/$order/parts/1 {"lines":[{"product":"flour","count":1,"amount":1}]}"#;
    s.check(further, 200, "").await;
    s.check(r#"POST /v1/casa/holds {"id":"$cart","lines":[{"resource":"main/tea"}]}"#, 201, "").await;
    let reused = r#"{"code":"document-id-reused","document":"$order"}"#;
    for row in [
        format!(
            r#"POST /v1/casa/documents As:sell {{"id":"$order","post":false,"kind":"sale","store":"main",{line}}}"#
        ),
        format!(r#"POST /v1/casa/documents As:sell {{"id":"$order","kind":"sale","store":"main",{line}}}"#),
        format!(r#"POST /v1/casa/holds/$cart/sell As:sell {{"id":"$order","store":"main",{line}}}"#),
    ] {
        s.check(&row, 422, reused).await;
    }
    let kept = r#"{"kind":"purchase","state":"draft","part_count":2,"version":2}"#;
    s.check("GET /v1/casa/documents/$order", 200, kept).await;
    s.check(r#"POST /v1/casa/documents/$sold/reverse As:sell {"id":"$undo"}"#, 403, "scope-missing").await;
    let books = r#"PUT /v1/casa/books As:sell {"closed_until":"~60"}"#;
    s.check(books, 403, "scope-missing").await;
    let missing = r#"{"code":"scope-missing","detail":"the key lacks the scope `manage`"}"#;
    s.check(
        &format!(r#"POST /v1/casa/documents As:sell {{"id":"$x","kind":"purchase","store":"main",{costs}}}"#),
        403,
        missing,
    )
    .await;
}
