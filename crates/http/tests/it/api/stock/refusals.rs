//! Every refusal about stock, with its code, its status and what it tells.

use std::collections::BTreeSet;

use serde_json::Value;
use surehold_core::stock::StockRefusal;

use super::Shop;

/// What is there before anything is refused.
async fn furnished() -> Shop {
    let s = Shop::open().await;
    s.check(r#"PUT /v1/casa/pools/main%2Fold {"total":5}"#, 200, "").await;
    for (path, body) in [
        ("products/old", r#"{"title":"Old"}"#),
        ("products/crate", r#"{"title":"Crate","packs":[{"name":"ship","factor":1000000000000}]}"#),
        ("products/tea/barcodes", r#"{"barcodes":[{"code":"4001"}]}"#),
    ] {
        s.check(&format!("PUT /v1/casa/{path} {body}"), 200, "").await;
    }
    let lines = r#"[{"product":"tea","count":10,"amount":1000},
        {"product":"milk","count":5,"amount":5,"lot":"A","expires":"2098-01-01"},
        {"product":"milk","count":5,"amount":5,"lot":"Z","expires":"2020-01-01"},
        {"product":"phone","count":1,"amount":1,"serials":["S1"]},
        {"product":"crate","count":1,"pack":"ship","amount":1}]"#;
    s.posted("buy", &format!(r#""kind":"purchase","store":"main","effective_at":"~600","lines":{lines}"#)).await;
    let sale = r#""kind":"sale","store":"main","effective_at":"~300","lines":[{"product":"tea","count":4}]"#;
    s.posted("sale", sale).await;
    s.check(r#"POST /v1/casa/holds {"id":"$cart","lines":[{"resource":"main/tea","quantity":2}]}"#, 201, "").await;
    let draft = r#""kind":"purchase","store":"main","post":false,"lines":[{"product":"tea","count":1,"amount":1}]"#;
    s.post("draft", draft, 201, "").await;
    s.check(r#"PUT /v1/casa/documents/$draft/parts/2 {"lines":[{"product":"tea","count":1,"amount":1}]}"#, 200, "")
        .await;
    s
}

const MILK: &str = r#"{"store":"main","product":"milk","place":"on_hand"}"#;

/// Documents that are refused: kind, lines, what else they say; the status, and what is told.
const DOCUMENTS: &[(&str, &str, &str, u16, &str)] = &[
    (
        "sale",
        r#"{"product":"tea","count":5}"#,
        "",
        409,
        r#"{"code":"insufficient-stock","short":[{"store":"main","product":"tea","asked":5,"available":4,"on_hand":6,"promised":2}]}"#,
    ),
    (
        "sale",
        r#"{"product":"b","count":1},{"product":"a","count":1}"#,
        "",
        404,
        r#"{"code":"product-not-found","products":["a","b"]}"#,
    ),
    (
        "sale",
        r#"{"product":"tea","count":1,"pack":"sack"}"#,
        "",
        404,
        r#"{"code":"pack-not-found","products":["tea"],"pack":"sack"}"#,
    ),
    ("sale", r#"{"barcode":"5","count":1}"#, "", 404, r#"{"code":"barcode-not-found","barcodes":["5"]}"#),
    (
        "purchase",
        r#"{"product":"tea","count":1,"amount":1}"#,
        r#""effective_at":"~-600","#,
        422,
        r#"{"code":"effective-in-future"}"#,
    ),
    (
        "transfer",
        r#"{"product":"tea","count":1}"#,
        r#""to_store":"far","#,
        409,
        r#"{"code":"currencies-differ","store":"main"}"#,
    ),
    (
        "transfer",
        r#"{"product":"tea","count":1}"#,
        r#""to_store":"nowhere","#,
        404,
        r#"{"code":"store-not-found","store":"nowhere"}"#,
    ),
    (
        "customer_return",
        r#"{"of_line":1,"count":1}"#,
        r#""about":"$nothing","#,
        404,
        r#"{"code":"document-not-found","document":"$nothing"}"#,
    ),
    (
        "customer_return",
        r#"{"of_line":1,"count":1}"#,
        r#""about":"$draft","#,
        409,
        r#"{"code":"document-state","document":"$draft","document_state":"draft"}"#,
    ),
    (
        "customer_return",
        r#"{"of_line":1,"count":1}"#,
        r#""about":"$buy","#,
        409,
        r#"{"code":"about-other-kind","document":"$buy","kind":"purchase"}"#,
    ),
    (
        "customer_return",
        r#"{"of_line":2,"count":1}"#,
        r#""about":"$sale","#,
        404,
        r#"{"code":"line-not-found","document":"$sale","line":2}"#,
    ),
    (
        "customer_return",
        r#"{"of_line":1,"count":5}"#,
        r#""about":"$sale","#,
        409,
        r#"{"code":"more-than-left","document":"$sale","left":[{"line":1,"asked":5,"left":4}]}"#,
    ),
    (
        "customer_return",
        r#"{"of_line":1,"count":1}"#,
        r#""about":"$sale","effective_at":"~301","#,
        409,
        r#"{"code":"effective-too-early","document":"$sale","effective_at":"~300"}"#,
    ),
    (
        "recount",
        r#"{"product":"tea","count":9,"against":{"seq":1}}"#,
        "",
        409,
        r#"{"code":"items-moved","moved":[{"store":"main","product":"tea","against":1,"quantity_then":10,"seq":2,"quantity":6}]}"#,
    ),
    (
        "recount",
        r#"{"product":"tea","count":9,"against":{"seq":2}}"#,
        r#""effective_at":"~301","#,
        409,
        r#"{"code":"count-backdated","item":{"store":"main","product":"tea","place":"on_hand"},"effective_at":"~300"}"#,
    ),
    (
        "recount",
        r#"{"product":"phone","count":1,"against":{"seq":1}}"#,
        "",
        422,
        r#"{"code":"serials-not-counted","products":["phone"]}"#,
    ),
    (
        "opening",
        r#"{"product":"tea","count":1,"amount":1}"#,
        "",
        409,
        r#"{"code":"already-open","item":{"store":"main","product":"tea","place":"on_hand"}}"#,
    ),
    (
        "purchase",
        r#"{"product":"old","count":1,"amount":1}"#,
        "",
        409,
        r#"{"code":"not-opened","pools":[{"resource":"main/old","slot":""}]}"#,
    ),
    ("purchase", r#"{"product":"milk","count":1,"amount":1}"#, "", 422, r#"{"code":"lot-needed","products":["milk"]}"#),
    (
        "purchase",
        r#"{"product":"tea","count":1,"amount":1,"lot":"A"}"#,
        "",
        422,
        r#"{"code":"lot-unwanted","products":["tea"]}"#,
    ),
    (
        "purchase",
        r#"{"product":"milk","count":1,"amount":1,"lot":"A"}"#,
        "",
        409,
        r#"{"code":"lot-differs","item":{"store":"main","product":"milk","place":"on_hand"},"lot":"A"}"#,
    ),
    (
        "sale",
        r#"{"product":"milk","count":1,"lot":"Z"}"#,
        "",
        409,
        r#"{"code":"lot-expired","products":["milk"],"lot":"Z"}"#,
    ),
    (
        "sale",
        r#"{"product":"milk","count":6,"lot":"A"}"#,
        "",
        409,
        r#"{"code":"insufficient-lot","item":{"store":"main","product":"milk","place":"on_hand"},"lot":"A","asked":6,"left_of_lot":5}"#,
    ),
    (
        "sale",
        r#"{"product":"milk","count":6}"#,
        "",
        409,
        r#"{"code":"insufficient-lot","item":{"store":"main","product":"milk","place":"on_hand"},"lot":null,"asked":6,"left_of_lot":5}"#,
    ),
    (
        "purchase",
        r#"{"product":"phone","count":2,"amount":1,"serials":["S2"]}"#,
        "",
        422,
        r#"{"code":"serials-missing","products":["phone"]}"#,
    ),
    (
        "sale",
        r#"{"product":"tea","count":1,"serials":["S1"]}"#,
        "",
        422,
        r#"{"code":"serials-unwanted","products":["tea"]}"#,
    ),
    (
        "purchase",
        r#"{"product":"phone","count":1,"amount":1,"serials":["S1"]}"#,
        "",
        409,
        r#"{"code":"serials-elsewhere","products":["phone"],"serials":["S1"],"store":"main"}"#,
    ),
    (
        "purchase",
        r#"{"product":"crate","count":1,"amount":1}"#,
        "",
        422,
        r#"{"code":"item-out-of-range","item":{"store":"main","product":"crate"}}"#,
    ),
    (
        "purchase",
        r#"{"product":"crate","count":2,"pack":"ship","amount":1}"#,
        "",
        422,
        r#"{"code":"document-out-of-range"}"#,
    ),
    (
        "write_off",
        r#"{"product":"tea","count":4}"#,
        r#""effective_at":"~601","#,
        409,
        r#"{"code":"insufficient-in-past","item":{"store":"main","product":"tea","place":"on_hand"},"quantity":-4}"#,
    ),
];

/// Whatever else is refused about stock: the request, the status, and what is told.
const OTHERS: &[(&str, u16, &str)] = &[
    ("GET /v1/casa/stores/nowhere", 404, r#"{"code":"store-not-found","store":"nowhere"}"#),
    (
        r#"PUT /v1/casa/stores/main {"title":"M","currency":"USD"}"#,
        409,
        r#"{"code":"store-currency-fixed","store":"main"}"#,
    ),
    (r#"PUT /v1/casa/products/tea {"title":"Tea"}"#, 409, r#"{"code":"product-fixed","products":["tea"]}"#),
    (
        r#"PUT /v1/casa/products/milk/barcodes {"barcodes":[{"code":"4001"}]}"#,
        409,
        r#"{"code":"barcode-taken","barcodes":["4001"],"products":["tea"]}"#,
    ),
    ("POST /v1/casa/documents/$draft/post", 409, r#"{"code":"part-missing","document":"$draft","part":1}"#),
    (
        r#"POST /v1/casa/documents {"id":"00000000-0000-7000-8000-000000000001","kind":"sale","store":"main",
        "lines":[{"product":"tea","count":1}]}"#,
        422,
        r#"{"code":"document-id-outside-window","document":"00000000-0000-7000-8000-000000000001"}"#,
    ),
    (
        r#"POST /v1/casa/documents {"id":"$sale","kind":"sale","store":"main","lines":[{"product":"tea","count":1}]}"#,
        422,
        r#"{"code":"document-id-reused","document":"$sale"}"#,
    ),
    (
        r#"POST /v1/casa/documents {"id":"$x","kind":"customer_return","store":"depot","about":"$sale",
        "lines":[{"of_line":1,"count":1}]}"#,
        409,
        r#"{"code":"about-other-store","document":"$sale","store":"main"}"#,
    ),
    (
        r#"POST /v1/casa/holds/$cart/sell {"id":"$x","store":"main","lines":[{"product":"milk","count":1}]}"#,
        409,
        r#"{"code":"hold-of-others"}"#,
    ),
];

#[tokio::test]
async fn each_has_its_code() {
    let s = furnished().await;
    let before = s.w.ask("GET /v1/casa/stock").await.json();
    let mut seen = BTreeSet::new();
    for (kind, lines, rest, status, expected) in DOCUMENTS {
        let rest = format!(r#""kind":"{kind}","store":"main",{rest}"lines":[{lines}]"#);
        let (status, expected) = (*status, *expected);
        let told = s.post("x", &rest, status, expected).await.json();
        let preview = format!(r#"POST /v1/casa/documents/preview {{"id":"$x",{rest}}}"#);
        let previewed = s.check(&preview, status, expected).await.json();
        assert_eq!(previewed["code"], told["code"], "{rest}");
        seen.insert(told["code"].as_str().unwrap().to_owned());
    }
    for (row, status, expected) in OTHERS {
        let told = s.check(row, *status, expected).await.json();
        seen.insert(told["code"].as_str().unwrap().to_owned());
    }
    assert_eq!(s.w.ask("GET /v1/casa/stock").await.json(), before, "a refusal changes nothing");
    s.check("GET /v1/casa/documents/$x", 404, "document-not-found").await;

    // What comes after something happened.
    let back = r#""kind":"customer_return","store":"main","about":"$sale","lines":[{"of_line":1,"count":1}]"#;
    s.posted("back", back).await;
    for (row, status, expected) in [
        (
            r#"POST /v1/casa/documents/$sale/reverse {"id":"$y"}"#,
            409,
            r#"{"code":"document-has-followers","document":"$sale"}"#,
        ),
        (r#"POST /v1/casa/documents/$back/reverse {"id":"$undo"}"#, 201, r#"{"kind":"reversal"}"#),
        (r#"POST /v1/casa/documents/$undo/reverse {"id":"$y"}"#, 409, r#"{"code":"not-reversible","kind":"reversal"}"#),
        (r#"PUT /v1/casa/books {"closed_until":"~60"}"#, 200, ""),
        (r#"PUT /v1/casa/books {"closed_until":"~61"}"#, 409, r#"{"code":"books-closed","closed_until":"~60"}"#),
    ] {
        let told: Value = s.check(row, status, expected).await.json();
        seen.extend(told["code"].as_str().map(str::to_owned));
    }
    let lots: Vec<String> =
        (0..198).map(|lot| format!(r#"{{"product":"milk","count":1,"amount":1,"lot":"L{lot}"}}"#)).collect();
    let many = format!(r#""kind":"purchase","store":"main","lines":[{}]"#, lots.join(","));
    s.posted("lots", &many).await;
    let full = format!(r#"{{"code":"too-many-lots","item":{MILK},"max":200}}"#);
    let one_more = r#""kind":"purchase","store":"main","lines":[{"product":"milk","count":1,"amount":1,"lot":"N"}]"#;
    s.post("full", one_more, 409, &full).await;
    seen.insert("too-many-lots".to_owned());

    // Those two are shown where long documents are.
    seen.extend(["books-busy", "document-too-long"].map(str::to_owned));
    // The first says a defect, the other that somebody was faster.
    let codes = StockRefusal::SPECS.iter().map(|spec| spec.code).filter(|code| !["defect", "changed"].contains(code));
    let of_stock: BTreeSet<String> = codes.chain(["barcode-not-found"]).map(str::to_owned).collect();
    assert_eq!(seen, of_stock, "one row for each code");
}
