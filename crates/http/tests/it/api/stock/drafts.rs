//! Drafts, and documents that are longer than a request.

use std::sync::Arc;

use serde_json::{Value, json};
use surehold_core::kernel::Slug;
use surehold_core::operations::commands::{RunStateOperation, StateRun};
use surehold_core::stock::operations::{POST_DOCUMENT, PostDocumentPart};

use super::Shop;

impl Shop {
    /// As a worker would.
    pub(super) async fn post_part(&self, document: &str, part: u32) {
        let key = POST_DOCUMENT.key(&[&self.w.named(document), &part.to_string()]).unwrap();
        let tenant = self.w.engine.views().tenant_of(&Slug::new("casa").unwrap()).await.unwrap().unwrap();
        let run = RunStateOperation { key, handler: Arc::new(PostDocumentPart), found: None };
        let done = self.w.engine.run(tenant, run).await.unwrap_or_else(|failure| panic!("{failure:?}"));
        assert_eq!(done.reply, StateRun::Done);
    }
}

#[tokio::test]
async fn drafts() {
    let s = Shop::open().await;
    let draft = |count: u32| {
        format!(
            r#""kind":"purchase","store":"main","post":false,"effective_at":"~60",
            "lines":[{{"product":"tea","count":{count},"amount":100}}]"#
        )
    };
    let kept = r#"{"id":"$a","state":"draft","cost":null,"posted_at":null,"effective_at":"~60","version":1,
        "lines":[{"line":1,"count":1,"amount":100,"outcome":null}]}"#;
    s.post("a", &draft(1), 201, kept).await;
    assert_eq!(s.post("a", &draft(1), 201, kept).await.header("idempotent-replayed"), "true");
    s.post("a", &draft(2), 201, r#"{"version":2,"lines":[{"count":2,"outcome":null}]}"#).await;
    s.check("GET /v1/casa/stock/main/tea", 200, r#"{"quantity":0,"seq":0,"available":null}"#).await;
    // What is in a draft has to be meant.
    let missing = r#"{"code":"product-not-found","products":["coffee"]}"#;
    s.post("a", &draft(1).replace("tea", "coffee"), 404, missing).await;

    let posted =
        r#"{"id":"$a","state":"posted","cost":"100","lines":[{"count":2,"outcome":{"quantity":2,"value":"100"}}]}"#;
    let first = s.check("POST /v1/casa/documents/$a/post", 200, posted).await;
    let again = s.check("POST /v1/casa/documents/$a/post", 200, posted).await;
    assert_eq!((again.header("idempotent-replayed"), again.json()), ("true", first.json()));
    // The draft is what was posted; it is not one any more.
    s.post("a", &draft(2), 201, posted).await;
    s.post("a", &draft(3), 422, r#"{"code":"document-id-reused","document":"$a"}"#).await;
    s.check("POST /v1/casa/documents/$no/post", 404, r#"{"code":"document-not-found","document":"$no"}"#).await;
    s.check("GET /v1/casa/documents/$no", 404, r#"{"code":"document-not-found","document":"$no"}"#).await;
    s.check("GET /v1/casa/documents/1", 400, "malformed-request").await;
    s.check("GET /v1/casa/documents/$a?part=1", 404, "not-found").await;
}

#[tokio::test]
async fn a_draft_is_refused_as_a_document_is() {
    let s = Shop::open().await;
    let sale = r#""kind":"sale","store":"main","lines":[{"product":"tea","count":1}]"#;
    s.post("sale", &format!(r#""post":false,{sale}"#), 201, r#"{"state":"draft"}"#).await;
    let short = r#"{"code":"insufficient-stock","short":[{"store":"main","product":"tea","place":"on_hand","asked":1,"available":0,
        "on_hand":0,"promised":0}]}"#;
    s.check("POST /v1/casa/documents/$sale/post Idempotency-Key:k", 409, short).await;
    s.check("GET /v1/casa/documents/$sale", 200, r#"{"state":"draft"}"#).await;
    // Given as a whole, a draft is posted too.
    let buy = r#""kind":"purchase","store":"main","lines":[{"product":"tea","count":1,"amount":1}]"#;
    s.posted("buy", buy).await;
    s.posted("sale", sale).await;
    s.check("POST /v1/casa/documents/$sale/post Idempotency-Key:k", 200, r#"{"state":"posted"}"#).await;
}

fn lines(from: usize, count: usize) -> Value {
    let line = |number| json!({"product": format!("p{number}"), "count": 2, "amount": 10});
    (from..from + count).map(line).collect()
}

#[tokio::test]
async fn long_documents_are_posted_part_by_part() {
    let s = Shop::open().await;
    for number in 0..203 {
        s.check(&format!(r#"PUT /v1/casa/products/p{number} {{"title":"P"}}"#), 200, "").await;
    }
    s.posted("before", r#""kind":"purchase","store":"main","lines":[{"product":"p201","count":1,"amount":1}]"#).await;
    let first = format!(r#""kind":"opening","store":"main","post":false,"lines":{}"#, lines(0, 200));
    s.post("long", &first, 201, r#"{"state":"draft","part_count":1,"line_count":200,"next_part":null}"#).await;

    let part =
        |number: u32, lines: &Value| format!(r#"PUT /v1/casa/documents/$long/parts/{number} {{"lines":{lines}}}"#);
    let saved = r#"{"state":"draft","part_count":3,"lines":null,"part":null}"#;
    s.check(&part(2, &lines(202, 1)), 200, saved).await;
    let gap = r#"{"code":"part-missing","document":"$long","part":1}"#;
    s.check("POST /v1/casa/documents/$long/post", 409, gap).await;
    s.check("GET /v1/casa/documents/$long?part=1", 200, r#"{"part":1,"next_part":2,"lines":[]}"#).await;
    s.check(&part(1, &lines(200, 2)), 200, saved).await;
    assert_eq!(s.check(&part(1, &lines(200, 2)), 200, saved).await.header("idempotent-replayed"), "true");
    s.check(&part(50, &lines(0, 1)), 422, "invalid").await;
    s.check(&part(1, &lines(0, 201)), 422, "invalid").await;
    s.check(&part(1, &json!([])), 422, "invalid").await;
    s.check(r#"PUT /v1/casa/documents/$long/parts/x {"lines":[]}"#, 400, "malformed-request").await;
    s.check(r#"PUT /v1/casa/documents/$no/parts/1 {"lines":[]}"#, 404, "document-not-found").await;

    let posting = r#"{"state":"posting","part_count":3,"line_count":203,"posted_at":null}"#;
    s.check("POST /v1/casa/documents/$long/post", 200, posting).await;
    let busy = r#"{"code":"books-busy","posting":1,"revaluing":0}"#;
    s.check(r#"PUT /v1/casa/books {"closed_until":"~60"}"#, 409, busy).await;
    let too_late = r#"{"code":"document-state","document":"$long","document_state":"posting"}"#;
    s.check(&part(1, &lines(0, 1)), 409, too_late).await;
    s.post_part("$long", 0).await;
    let shown = s.check("GET /v1/casa/documents/$long", 200, posting).await.json();
    assert_eq!(shown["lines"].as_array().unwrap().len(), 200);
    assert_eq!(shown["lines"][199]["outcome"]["value"], "10");
    let waits = r#"{"part":1,"next_part":2,"lines":[{"line":201,"product":"p200","outcome":null},{"line":202}]}"#;
    s.check("GET /v1/casa/documents/$long?part=1", 200, waits).await;
    s.post_part("$long", 1).await;
    s.post_part("$long", 2).await;
    let done = r#"{"state":"posted","line_count":203,"skipped_count":1,"cost":"2020","next_part":1}"#;
    s.check("GET /v1/casa/documents/$long", 200, done).await;
    let skipped = r#"{"next_part":2,"lines":[{"line":201,"outcome":{"quantity":2,"skipped":null}},
        {"line":202,"product":"p201","outcome":{"quantity":0,"seq":0,
        "skipped":"main/p201 has moved already; only what never moved is opened"}}]}"#;
    s.check("GET /v1/casa/documents/$long?part=1", 200, skipped).await;
    s.check("GET /v1/casa/documents/$long?part=2", 200, r#"{"next_part":null,"lines":[{"line":203}]}"#).await;
    s.check("GET /v1/casa/documents/$long?part=3", 404, "not-found").await;
    s.check("POST /v1/casa/documents/$long/post", 200, r#"{"state":"posted"}"#).await;

    let sale = r#""kind":"sale","store":"main","post":false,"lines":[{"product":"p1","count":1}]"#;
    s.post("sale", sale, 201, "").await;
    let short_only = r#"{"code":"document-too-long","kind":"sale"}"#;
    let further = r#"PUT /v1/casa/documents/$sale/parts/1 {"lines":[{"product":"p1","count":1}]}"#;
    s.check(further, 422, short_only).await;
}

#[tokio::test]
async fn long_documents_are_reversed_part_by_part() {
    let s = Shop::open().await;
    for number in 0..201 {
        s.check(&format!(r#"PUT /v1/casa/products/p{number} {{"title":"P"}}"#), 200, "").await;
    }
    let first = format!(r#""kind":"purchase","store":"main","post":false,"lines":{}"#, lines(0, 200));
    s.post("long", &first, 201, "").await;
    s.check(&format!(r#"PUT /v1/casa/documents/$long/parts/1 {{"lines":{}}}"#, lines(200, 1)), 200, "").await;
    s.check("POST /v1/casa/documents/$long/post", 200, r#"{"state":"posting"}"#).await;
    s.post_part("$long", 0).await;
    s.post_part("$long", 1).await;

    let past = r#"POST /v1/casa/documents/$long/reverse {"id":"$undo","effective_at":"~0"}"#;
    s.check(past, 409, r#"{"code":"effective-too-early","document":"$long"}"#).await;
    // What came last goes first, under the number that it had.
    let undo = r#"POST /v1/casa/documents/$long/reverse {"id":"$undo"}"#;
    let begun = r#"{"kind":"reversal","state":"posting","part_count":2,"line_count":201,"part":0,"next_part":1,
        "lines":[{"line":201,"of_line":201,"product":"p200","count":2,"amount":null,"outcome":null}]}"#;
    s.check(undo, 201, begun).await;
    s.check("GET /v1/casa/documents/$long", 200, r#"{"state":"reversed","reversed_by":"$undo"}"#).await;
    s.post_part("$undo", 0).await;
    let gone = r#"{"state":"posting","lines":[{"line":201,"outcome":{"quantity":-2,"value":"-10"}}]}"#;
    s.check("GET /v1/casa/documents/$undo", 200, gone).await;
    s.post_part("$undo", 1).await;
    let rest =
        s.check("GET /v1/casa/documents/$undo?part=1", 200, r#"{"state":"posted","next_part":null}"#).await.json();
    let listed = rest["lines"].as_array().unwrap();
    assert_eq!((listed.len(), &listed[0]["line"], &listed[199]["product"]), (200, &json!(1), &json!("p199")));
    assert_eq!(listed[199]["outcome"]["value"], "-10");
    s.check("GET /v1/casa/stock?limit=1000", 200, "").await;
    s.check("GET /v1/casa/stock/main/p0", 200, r#"{"quantity":0,"value":"0"}"#).await;
    assert_eq!(s.check(undo, 201, r#"{"state":"posted"}"#).await.header("idempotent-replayed"), "true");
}
