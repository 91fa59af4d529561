//! Every kind of document, and how it is told.

use serde_json::Value;

use super::Shop;

/// One after the other: name, kind and rest of the document; what came of its line; what is there then.
const STEPS: &[(&str, &str, &str, &str, &str)] = &[
    (
        "purchase",
        "purchase",
        r#""store":"main","lines":[{"product":"tea","count":20,"price":"125"}],"extra":{"amount":100},"reference":"INV-17","note":"Tuesday""#,
        r#"{"quantity":20,"value":"2600","seq":2}"#,
        r#"{"quantity":30,"value":"3600","value_rounded":3600,"average":"120.0000","available":30}"#,
    ),
    (
        "sale",
        "sale",
        r#""store":"main","lines":[{"product":"tea","count":15}]"#,
        r#"{"quantity":-15,"value":"-1800","value_rounded":-1800,"seq":3,"left":{"quantity":15,"value":"1800"}}"#,
        r#"{"quantity":15,"value":"1800"}"#,
    ),
    (
        "back",
        "customer_return",
        r#""store":"main","about":"$sale","lines":[{"of_line":1,"count":5}]"#,
        r#"{"quantity":5,"value":"600","seq":4,"left":null}"#,
        r#"{"quantity":20,"value":"2400"}"#,
    ),
    (
        "broken",
        "write_off",
        r#""store":"main","lines":[{"product":"tea","count":5}]"#,
        r#"{"quantity":-5,"value":"-600","seq":5}"#,
        r#"{"quantity":15}"#,
    ),
    (
        "credit",
        "supplier_return",
        r#""store":"main","lines":[{"product":"tea","count":5,"amount":550}]"#,
        r#"{"quantity":-5,"value":"-600","seq":6,"variance":"-50"}"#,
        r#"{"quantity":10,"value":"1200","seq":6}"#,
    ),
    (
        "count",
        "recount",
        r#""store":"main","lines":[{"product":"tea","count":9,"against":{"seq":6}}]"#,
        r#"{"quantity":-1,"value":"-120","seq":7}"#,
        r#"{"quantity":9,"value":"1080"}"#,
    ),
    (
        "move",
        "transfer",
        r#""store":"main","lines":[{"product":"tea","count":3}],"to_store":"depot""#,
        r#"{"quantity":-3,"value":"-360","seq":8,"counter_seq":1,"left":null}"#,
        r#"{"quantity":6,"value":"720"}"#,
    ),
    (
        "send",
        "transfer",
        r#""store":"main","lines":[{"product":"tea","count":2}],"to_store":"depot","in_transit":true"#,
        r#"{"quantity":-2,"value":"-240","seq":9,"counter_seq":1,"left":{"quantity":2,"value":"240"}}"#,
        r#"{"quantity":4,"value":"480"}"#,
    ),
    (
        "arrive",
        "receipt",
        r#""store":"depot","about":"$send","lines":[{"of_line":1,"count":1}]"#,
        r#"{"quantity":1,"value":"120","seq":2,"counter_seq":2}"#,
        r#"{"quantity":4,"value":"480"}"#,
    ),
    (
        "lost",
        "transit_loss",
        r#""store":"depot","about":"$send","lines":[{"of_line":1,"count":1}]"#,
        r#"{"quantity":-1,"value":"-120","seq":3}"#,
        r#"{"quantity":4,"value":"480","average":"120.0000","seq":9,"held":0,"booked":0,"granted":0,"oversold":0}"#,
    ),
];

#[tokio::test]
async fn every_kind_of_document() {
    let s = Shop::open().await;
    let opened = r#"{"id":"$opening","kind":"opening","state":"posted","store":"main","currency":"EUR","to_store":null,
        "in_transit":null,"cost":"1000","cost_rounded":1000,"part_count":1,"line_count":1,"skipped_count":0,"part":0,
        "next_part":null,"followers":null,"lines":[{"line":1,"product":"tea","count":10,"amount":1000,"price":null,
        "outcome":{"quantity":10,"value":"1000","value_rounded":1000,"seq":1,"lots":null,"left":null,"variance":null,
        "skipped":null}}]}"#;
    let opening = r#""kind":"opening","store":"main","lines":[{"product":"tea","count":10,"amount":1000}]"#;
    let answer = s.post("opening", opening, 201, opened).await;
    assert_eq!(answer.header("location"), s.w.named("/v1/casa/documents/$opening"));
    assert_eq!(s.w.ask("GET /v1/casa/documents/$opening").await.json(), answer.json());

    for (name, kind, rest, outcome, there) in STEPS {
        let told = format!(
            r#"{{"id":"${name}","kind":"{kind}","state":"posted","lines":[{{"line":1,"product":"tea","outcome":{outcome}}}]}}"#
        );
        let posted = s.post(name, &format!(r#""kind":"{kind}",{rest}"#), 201, &told).await;
        s.check("GET /v1/casa/stock/main/tea", 200, there).await;
        let looked_at = s.check(&format!("GET /v1/casa/documents/${name}"), 200, &told).await;
        assert_eq!(looked_at.json(), posted.json(), "{name}");
    }

    let purchase = r#"{"reference":"INV-17","note":"Tuesday","extra":{"amount":100,"by":"value"},
        "lines":[{"count":20,"price":"125","amount":null}]}"#;
    s.check("GET /v1/casa/documents/$purchase", 200, purchase).await;
    // The sale knows what is left of it, and that somebody came back.
    let sale = r#"{"followers":1,"lines":[{"outcome":{"left":{"quantity":10,"value":"1200"}}}]}"#;
    s.check("GET /v1/casa/documents/$sale", 200, sale).await;
    let depot = r#"{"quantity":4,"value":"480","seq":2,"place":"on_hand"}"#;
    s.check("GET /v1/casa/stock/depot/tea", 200, depot).await;
    let transit =
        r#"{"quantity":0,"value":"0","seq":3,"place":"in_transit","average":null,"available":null,"held":null}"#;
    s.check("GET /v1/casa/stock/depot/tea?place=in_transit", 200, transit).await;
    s.check("GET /v1/casa/pools/main%2Ftea", 200, r#"{"total":4,"tracked":true}"#).await;
}

#[tokio::test]
async fn units_packs_and_barcodes() {
    let s = Shop::open().await;
    s.check(r#"PUT /v1/casa/products/tea/barcodes {"barcodes":[{"code":"4001","pack":"box"}]}"#, 200, "").await;
    let bought = r#"{"cost":"9416.75","cost_rounded":9417,"lines":[
        {"line":1,"product":"flour","price":"599","outcome":{"quantity":3250,"value":"1946.75","value_rounded":1947}},
        {"line":2,"product":"tea","pack":"box","count":3,"outcome":{"quantity":36,"value":"7470"}}]}"#;
    let lines = r#""kind":"purchase","store":"main","lines":[
        {"product":"flour","count":3250,"price":"599.00"},{"barcode":"4001","count":3,"price":"2490"}]"#;
    s.post("buy", lines, 201, bought).await;
    let flour = r#"{"scale":3,"quantity":3250,"value":"1946.75","average":"599.0000"}"#;
    s.check("GET /v1/casa/stock/main/flour", 200, flour).await;
    let sold = r#"{"lines":[{"product":"tea","pack":"box","outcome":{"quantity":-12,"value":"-2490"}}]}"#;
    s.post("sell", r#""kind":"sale","store":"main","lines":[{"barcode":"4001","count":1}]"#, 201, sold).await;

    for (line, why) in [
        (r#"{"barcode":"4001","pack":"box","count":1}"#, "line 1: a barcode says by itself"),
        (r#"{"barcode":"4001","product":"tea","count":1}"#, "line 1: a barcode says by itself"),
        (r#"{"product":"tea","count":1,"amount":1,"price":"1"}"#, "line 1: it has an amount or a price, not both"),
        (r#"{"product":"tea","count":1,"price":"1"}"#, "line 1: it has no cost"),
        (r#"{"product":"tea","count":0}"#, "the count of line 1"),
        (r#"{"product":"tea","count":1,"price":"-1"}"#, "a price is text"),
        (r#"{"product":"tea","count":1,"price":1}"#, "expected a string"),
        (r#"{"product":"tea","count":1.5}"#, "floating point"),
    ] {
        let body = format!(r#""kind":"sale","store":"main","lines":[{line}]"#);
        let answer = s.post("wrong", &body, 422, "invalid").await;
        assert!(answer.text().contains(why), "{}", answer.text());
    }
    let unknown = r#"{"code":"barcode-not-found","barcodes":["1","2"]}"#;
    let lines = r#"[{"barcode":"1","count":1},{"barcode":"2","count":1},{"barcode":"1","count":1}]"#;
    s.post("wrong", &format!(r#""kind":"sale","store":"main","lines":{lines}"#), 404, unknown).await;
}

#[tokio::test]
async fn lots_and_pieces() {
    let s = Shop::open().await;
    let lots = r#"{"lines":[{"lot":"B","expires":"2098-02-01","outcome":{"lots":[{"lot":"B","expires":"2098-02-01","quantity":5}]}},
        {"lot":"A"},{"serials":["S1","S2"]}]}"#;
    let lines = r#""kind":"purchase","store":"main","lines":[
        {"product":"milk","count":5,"amount":500,"lot":"B","expires":"2098-02-01"},
        {"product":"milk","count":3,"amount":300,"lot":"A","expires":"2098-01-01"},
        {"product":"phone","count":2,"amount":80000,"serials":["S1","S2"]}]"#;
    s.post("buy", lines, 201, lots).await;
    let found = s.check("GET /v1/casa/stock/main/milk", 200, "").await.json();
    let lot = |lot: &Value| format!("{} of {} until {}", lot["quantity"], lot["lot"], lot["expires"]).replace('"', "");
    let mut there: Vec<String> = found["lots"].as_array().unwrap().iter().map(lot).collect();
    there.sort();
    assert_eq!(there, ["3 of A until 2098-01-01", "5 of B until 2098-02-01"]);
    // First what expires first.
    let sold = r#"{"lines":[{"lot":null,"outcome":{"quantity":-4,"lots":[{"lot":"A","quantity":3},{"lot":"B","quantity":1}]}},
        {"serials":["S2"],"outcome":{"quantity":-1,"value":"-40000"}}]}"#;
    let lines = r#"[{"product":"milk","count":4},{"product":"phone","count":1,"serials":["S2"]}]"#;
    s.post("sell", &format!(r#""kind":"sale","store":"main","lines":{lines}"#), 201, sold).await;
    let lines = r#"[{"of_line":1,"count":4},{"of_line":2,"count":1,"serials":["S2"]}]"#;
    let back = r#"{"lines":[{"product":"milk","outcome":{"lots":[{"lot":"A","quantity":3},{"lot":"B","quantity":1}]}},
        {"product":"phone"}]}"#;
    let body = format!(r#""kind":"customer_return","store":"main","about":"$sell","lines":{lines}"#);
    s.post("back", &body, 201, back).await;
}

#[tokio::test]
async fn reversals() {
    let s = Shop::open().await;
    let lines = r#"[{"product":"tea","count":10,"amount":1000},{"product":"flour","count":1000,"amount":500}]"#;
    s.posted("buy", &format!(r#""kind":"purchase","store":"main","lines":{lines}"#)).await;
    s.posted("sell", r#""kind":"sale","store":"main","lines":[{"product":"tea","count":4}]"#).await;
    let body = r#""kind":"customer_return","store":"main","about":"$sell","lines":[{"of_line":1,"count":1}]"#;
    s.posted("back", body).await;
    let followed = r#"{"code":"document-has-followers","document":"$sell","followers":1}"#;
    s.check(r#"POST /v1/casa/documents/$sell/reverse {"id":"$undo"}"#, 409, followed).await;
    s.check("GET /v1/casa/documents?about=$sell", 200, r#"{"documents":[{"id":"$back","lines":null}],"next":null}"#)
        .await;

    // The reversal of a return names the product, though neither names it itself.
    let reverse = r#"POST /v1/casa/documents/$back/reverse {"id":"$unback","note":"by mistake","reference":"R-1"}"#;
    let reversal = r#"{"id":"$unback","kind":"reversal","state":"posted","about":"$back","note":"by mistake","reference":"R-1",
        "cost":"100","lines":[{"line":1,"of_line":1,"product":"tea","count":1,"outcome":{"quantity":-1,"value":"-100"}}]}"#;
    let made = s.check(reverse, 201, reversal).await;
    assert_eq!(made.header("location"), s.w.named("/v1/casa/documents/$unback"));
    let again = s.check(reverse, 201, reversal).await;
    assert_eq!((again.header("idempotent-replayed"), again.json()), ("true", made.json()));
    s.check("GET /v1/casa/documents/$unback", 200, reversal).await;
    s.check("GET /v1/casa/documents/$back", 200, r#"{"state":"reversed","reversed_by":"$unback"}"#).await;

    let twice = r#"{"code":"document-state","document":"$back","document_state":"reversed"}"#;
    s.check(r#"POST /v1/casa/documents/$back/reverse {"id":"$twice"}"#, 409, twice).await;
    let never = r#"{"code":"not-reversible","kind":"reversal"}"#;
    s.check(r#"POST /v1/casa/documents/$unback/reverse {"id":"$twice"}"#, 409, never).await;
    let other = r#"{"code":"document-id-reused","document":"$unback"}"#;
    s.check(r#"POST /v1/casa/documents/$sell/reverse {"id":"$unback"}"#, 422, other).await;
    s.check(r"POST /v1/casa/documents/$sell/reverse {}", 400, "idempotency-key-missing").await;
    s.check(r"POST /v1/casa/documents/$sell/reverse Idempotency-Key:undo {}", 201, r#"{"kind":"reversal"}"#).await;
    let all = r#"{"lines":[{"line":1,"product":"tea","outcome":{"quantity":-10,"value":"-1000"}},
        {"line":2,"product":"flour","outcome":{"quantity":-1000,"value":"-500"}}]}"#;
    s.check(r#"POST /v1/casa/documents/$buy/reverse {"id":"$unbuy"}"#, 201, all).await;
    s.check("GET /v1/casa/stock/main/tea", 200, r#"{"quantity":0,"value":"0"}"#).await;
    s.check(r#"POST /v1/casa/documents/$nothing/reverse {"id":"$no"}"#, 404, "document-not-found").await;
    let ancient = r#"POST /v1/casa/documents/$nothing/reverse {"id":"$no","effective_at":"1969-01-01T00:00:00Z"}"#;
    s.check(ancient, 404, "document-not-found").await;
    s.check(&ancient.replace("$nothing", "$buy"), 422, "invalid").await;
}
