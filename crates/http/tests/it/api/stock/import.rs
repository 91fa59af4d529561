//! Documents from all the rows of a file: checked as a whole, posted once.

use serde_json::{Value, json};

use super::Shop;

fn import(kind: &str, rows: &Value, dry_run: bool) -> String {
    let header = json!({"kind": kind, "store": "main"});
    let body = json!({"id": "$import", "header": header, "rows": rows, "dry_run": dry_run});
    format!("POST /v1/casa/documents/import {body}")
}

#[tokio::test]
async fn rows_are_checked_before_anything_changes() {
    let s = Shop::open().await;
    let bad = json!([
        {"product": "tea", "count": "2", "amount": 100},
        {"product": "coffee", "count": "1", "amount": 1},
        {"product": "flour", "count": "1.2345", "amount": 1},
        {"product": "milk", "count": "1", "amount": 1},
    ]);
    let wrong = r#"{"document":null,"lines":null,"wrong":[
        {"row":2,"field":"product","reason":"there is no product `coffee`"},
        {"row":3,"field":"count","reason":"`1.2345` has more than 3 decimals"},
        {"row":4,"field":"lot","reason":"lots of milk are told apart; name one","other_row":null}]}"#;
    s.check(&import("purchase", &bad, false), 200, wrong).await;
    let good = json!([
        {"product": "tea", "count": "2", "pack": "box", "amount": 100},
        {"product": "flour", "count": "1.234", "price": "5.5"},
    ]);
    let meant = r#"{"document":null,"wrong":[],"part_count":1,"lines":[{"product":"tea","count":2,"pack":"box","amount":100},
        {"product":"flour","count":1234,"price":"5.5"}]}"#;
    s.check(&import("purchase", &good, true), 200, meant).await;
    s.check("GET /v1/casa/documents/$import", 404, "document-not-found").await;
    let posted = |repeated: bool| {
        format!(
            r#"{{"document":{{"id":"$import","state":"posted","lines":null}},"repeated":{repeated},"rows_in":2,
            "rows_out":0,"wrong":[],"left_out":[]}}"#
        )
    };
    s.check(&import("purchase", &good, false), 200, &posted(false)).await;
    s.check(&import("purchase", &good, false), 200, &posted(true)).await;
    let other = json!([{"product": "tea", "count": "3", "amount": 100}]);
    let reused = r#"{"code":"document-id-reused","document":"$import"}"#;
    s.check(&import("purchase", &other, false), 422, reused).await;
    s.check(&import("opening", &good, false), 422, reused).await;
    s.check("GET /v1/casa/stock/main/tea", 200, r#"{"quantity":24,"seq":1}"#).await;
}

#[tokio::test]
async fn what_cannot_be_imported() {
    let s = Shop::open().await;
    let row = json!({"product": "tea", "count": "1"});
    let rows = |count: usize| json!(vec![row.clone(); count]);
    s.check(&import("sale", &rows(0), false), 422, "invalid").await;
    s.check(&import("sale", &rows(201), false), 422, "invalid").await;
    s.check(&import("sale", &rows(10_001), false), 422, "invalid").await;
    s.check(&import("transfer", &rows(1), false), 422, "invalid").await;
    s.check(&import("sale", &rows(1), false), 409, "insufficient-stock").await;
    let far = r#"POST /v1/casa/documents/import {"id":"$import","header":{"kind":"sale","store":"nowhere"},"dry_run":true,
        "rows":[{"product":"tea","count":"1"}]}"#;
    s.check(&far.replace('\n', ""), 404, "store-not-found").await;
    // Counted against what is there now, unless the row says otherwise.
    s.posted("buy", r#""kind":"purchase","store":"main","lines":[{"product":"tea","count":9,"amount":9}]"#).await;
    let counted = json!([{"product": "tea", "count": "8"}]);
    let meant = r#"{"lines":[{"product":"tea","count":8,"against":{"seq":1}}]}"#;
    s.check(&import("recount", &counted, true), 200, meant).await;
    s.check(&import("recount", &counted, false), 200, r#"{"rows_in":0,"rows_out":1}"#).await;
    s.check(&import("recount", &counted, false), 200, r#"{"repeated":true}"#).await;
    let difference = json!([{"product": "tea", "count": "8", "difference": true}]);
    s.check(&import("recount", &difference, false), 422, "document-id-reused").await;
}

#[tokio::test]
async fn long_ones_go_on_where_they_were_cut_off() {
    let s = Shop::open().await;
    for number in 0..203 {
        s.check(&format!(r#"PUT /v1/casa/products/p{number} {{"title":"P"}}"#), 200, "").await;
    }
    s.posted("before", r#""kind":"purchase","store":"main","lines":[{"product":"p201","count":1,"amount":1}]"#).await;
    let line = |number: usize| json!({"product": format!("p{number}"), "count": 2, "amount": 10});
    let lines: Value = (0..200).map(line).collect();
    let first = format!(r#""kind":"opening","store":"main","post":false,"lines":{lines}"#);
    s.post("import", &first, 201, r#"{"state":"draft","part_count":1}"#).await;
    let row = |number: usize| json!({"product": format!("p{number}"), "count": "2", "amount": 10});
    let all: Value = (0..203).map(row).collect();
    let posting = r#"{"document":{"state":"posting"},"part_count":2,"repeated":false,"rows_in":0}"#;
    s.check(&import("opening", &all, false), 200, posting).await;
    s.check(&import("opening", &all, false), 200, posting).await;
    s.post_part("$import", 0).await;
    s.post_part("$import", 1).await;
    let posted = r#"{"document":{"state":"posted","skipped_count":1},"repeated":true,"rows_in":202,"rows_out":0,
        "left_out":[{"row":202,"reason":"main/p201 has moved already; only what never moved is opened"}]}"#;
    s.check(&import("opening", &all, false), 200, posted).await;
}
