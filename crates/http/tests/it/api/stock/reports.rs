//! Previews, cards, balances, turnover, shortages, and pages of them.

use serde_json::Value;

use super::Shop;

const LATE: &str =
    r#""kind":"purchase","store":"main","effective_at":"~2400","lines":[{"product":"tea","count":10,"amount":3000}]"#;

async fn with_a_past() -> Shop {
    let s = Shop::open().await;
    let of_tea = |kind: &str, at: &str, rest: &str| {
        format!(r#""kind":"{kind}","store":"main","effective_at":"{at}","lines":[{{"product":"tea",{rest}}}]"#)
    };
    s.posted("first", &of_tea("purchase", "~3600", r#""count":10,"amount":1000"#)).await;
    s.posted("five", &of_tea("sale", "~1800", r#""count":5"#)).await;
    s.posted("two", &of_tea("sale", "~1200", r#""count":2"#)).await;
    s
}

#[tokio::test]
async fn a_preview_is_what_posting_does() {
    let s = with_a_past().await;
    let preview = r#"{"document":{"kind":"purchase","state":"posted","cost":"3000","lines":[{"product":"tea",
        "outcome":{"quantity":10,"value":"3000"}}]},"items":[{"store":"main","product":"tea","place":"on_hand","scale":0,
        "before":{"quantity":3,"value":"300","average":"100.0000"},
        "after":{"quantity":13,"value":"2600","value_rounded":2600,"average":"200.0000"},
        "revalued_rows":2,"revalued_by":"-700","exact":true}]}"#;
    let ask = format!("POST /v1/casa/documents/preview {{{LATE}}}");
    s.check(&ask, 200, preview).await;
    s.check(&ask, 200, preview).await;
    s.check("GET /v1/casa/stock/main/tea", 200, r#"{"quantity":3,"value":"300","seq":3}"#).await;
    s.posted("late", LATE).await;
    s.check("GET /v1/casa/stock/main/tea", 200, r#"{"quantity":13,"value":"2600","average":"200.0000","seq":6}"#).await;

    // Refused as posting would be.
    let short = r#""kind":"write_off","store":"main","effective_at":"~3000","lines":[{"product":"tea","count":11}]"#;
    let past = r#"{"code":"insufficient-in-past","item":{"store":"main","product":"tea","place":"on_hand"}}"#;
    s.check(&format!("POST /v1/casa/documents/preview {{{short}}}"), 409, past).await;
    s.post("no", short, 409, past).await;
    let greedy = r#"{"kind":"sale","store":"main","lines":[{"product":"tea","count":14}]}"#;
    s.check(&format!("POST /v1/casa/documents/preview {greedy}"), 409, "insufficient-stock").await;
    s.check(r#"POST /v1/casa/documents/preview {"kind":"reversal","store":"main","lines":[]}"#, 422, "invalid").await;
}

#[tokio::test]
async fn cards_in_both_orders() {
    let s = with_a_past().await;
    s.posted("late", LATE).await;
    let posting = r#"{"order":"posting","scale":0,"rows":[
        {"seq":1,"document":"$first","line":1,"kind":"purchase","basis":"given","quantity":10,"value":"1000","value_rounded":1000,
         "balance":{"quantity":10,"value":"1000","average":"100.0000"},"effective_at":"~3600","source":null,"counter":null},
        {"seq":2,"document":"$five","kind":"sale","basis":"average","quantity":-5,"value":"-500","balance":{"quantity":5}},
        {"seq":3,"document":"$two","quantity":-2,"value":"-200","balance":{"quantity":3,"value":"300"}},
        {"seq":4,"document":"$late","quantity":10,"value":"3000","balance":{"quantity":13,"value":"3300"}},
        {"seq":5,"document":"$late","basis":"revaluation","source":2,"quantity":0,"value":"-500","effective_at":"~1800"},
        {"seq":6,"document":"$late","basis":"revaluation","source":3,"quantity":0,"value":"-200",
         "balance":{"quantity":13,"value":"2600","average":"200.0000"}}],"next":null}"#;
    s.check("GET /v1/casa/stock/main/tea/card", 200, posting).await;
    let effect = r#"{"order":"effect","rows":[
        {"seq":1,"value":"1000","balance":{"quantity":10,"value":"1000"}},
        {"seq":4,"value":"3000","balance":{"quantity":20,"value":"4000","average":"200.0000"}},
        {"seq":2,"value":"-1000","balance":{"quantity":15,"value":"3000"}},
        {"seq":3,"value":"-400","balance":{"quantity":13,"value":"2600"}}],"next":null}"#;
    s.check("GET /v1/casa/stock/main/tea/card?order=effect", 200, effect).await;
    for (order, seqs) in [("posting", vec![1, 2, 3, 4, 5, 6]), ("effect", vec![1, 4, 2, 3])] {
        let found = walk(&s, &format!("/v1/casa/stock/main/tea/card?order={order}&limit=2"), "rows").await;
        let found: Vec<i64> = found.iter().map(|row| row["seq"].as_i64().unwrap()).collect();
        assert_eq!(found, seqs, "{order}");
        s.check(&format!("GET /v1/casa/stock/main/tea/card?order={order}&after=x"), 400, "malformed-request").await;
    }
    s.check("GET /v1/casa/stock/main/milk/card", 200, r#"{"rows":[],"next":null}"#).await;
    s.check("GET /v1/casa/stock/main/coffee/card", 404, "product-not-found").await;
    s.check("GET /v1/casa/stock/nowhere/tea/card", 404, "store-not-found").await;
    s.check("GET /v1/casa/stock/main/tea/card?order=date", 400, "malformed-request").await;
}

/// All pages, one after the other.
async fn walk(s: &Shop, path: &str, list: &str) -> Vec<Value> {
    let mut all = Vec::new();
    let mut after = String::new();
    loop {
        let page = s.check(&format!("GET {path}{after}"), 200, "").await.json();
        all.extend(page[list].as_array().unwrap().clone());
        assert!(all.len() <= 1_000, "it does not end");
        let Some(next) = page["next"].as_str() else { return all };
        after = format!("&after={}", next.replace(' ', "%20"));
    }
}

#[tokio::test]
async fn balances_and_turnover_at_a_date() {
    let s = with_a_past().await;
    s.posted("late", LATE).await;
    let depot = r#""kind":"opening","store":"depot","effective_at":"~60","lines":[{"product":"flour","count":1500,"amount":300}]"#;
    s.posted("depot", depot).await;
    for (at, quantity, value) in
        [("~3601", 0, "0"), ("~3600", 10, "1000"), ("~2400", 20, "4000"), ("~1300", 15, "3000")]
    {
        let expected = format!(
            r#"{{"at":"{at}","balances":[{{"store":"main","product":"tea","place":"on_hand","quantity":{quantity},"value":"{value}"}}]}}"#
        );
        s.check(&format!("GET /v1/casa/stock/balances?at={at}&store=main"), 200, &expected).await;
    }
    let all = r#"{"balances":[{"store":"depot","product":"flour","scale":3,"quantity":1500,"average":"200.0000"},
        {"store":"main","product":"tea","quantity":13,"value":"2600"}],"next":null}"#;
    s.check("GET /v1/casa/stock/balances?at=~0", 200, all).await;
    let turnover = r#"{"from":"~2000","until":"~1000","items":[{"store":"main","product":"tea","scale":0,
        "opening":{"quantity":20,"value":"4000"},"incoming":{"quantity":0,"value":"0","average":null},
        "outgoing":{"quantity":7,"value":"700"},"revalued":"-700","closing":{"quantity":13,"value":"2600"}}],"next":null}"#;
    s.check("GET /v1/casa/stock/turnover?from=~2000&until=~1000&product=tea", 200, turnover).await;
    for row in [
        "balances",
        "balances?at=yesterday",
        "balances?at=~0&after=x",
        "turnover?from=~60",
        "turnover?from=~60&until=~60",
        "shortages?below=0",
        "shortages?below=x",
        "shortages?limit=0",
        "main/tea?place=here",
    ] {
        s.check(&format!("GET /v1/casa/stock/{row}"), 400, "malformed-request").await;
    }
}

#[tokio::test]
async fn lists_come_in_pages() {
    let s = Shop::open().await;
    let lines = r#"[{"product":"tea","count":5,"amount":5},{"product":"flour","count":5,"amount":5}]"#;
    for store in ["main", "depot"] {
        s.posted(store, &format!(r#""kind":"purchase","store":"{store}","lines":{lines}"#)).await;
    }
    s.posted(
        "sent",
        r#""kind":"transfer","store":"main","to_store":"depot","in_transit":true,"lines":[{"product":"tea","count":5}]"#,
    )
    .await;
    let names = |found: Vec<Value>| -> Vec<String> {
        let name = |item: &Value| format!("{}/{}/{}", item["store"], item["place"], item["product"]).replace('"', "");
        found.iter().map(name).collect()
    };
    let on_hand = ["depot/on_hand/flour", "depot/on_hand/tea", "main/on_hand/flour", "main/on_hand/tea"];
    let mut all: Vec<&str> = vec!["depot/in_transit/tea"];
    all.extend(on_hand);
    for (path, expected) in [
        ("stock?limit=1", all.clone()),
        ("stock?limit=2&store=main", on_hand[2..].to_vec()),
        ("stock?limit=1&product=tea&place=on_hand", vec![on_hand[1], on_hand[3]]),
        ("stock?limit=1&place=in_transit", vec![all[0]]),
        ("stock/shortages?limit=1&below=6", on_hand.to_vec()),
        ("stock/shortages?limit=2", vec![on_hand[3]]),
        ("stock/shortages?limit=2&store=depot&below=5", vec![]),
    ] {
        assert_eq!(names(walk(&s, &format!("/v1/casa/{path}"), "items").await), expected, "{path}");
    }
    let by_date = walk(&s, &s.dated("/v1/casa/stock/balances?limit=2&at=~-600"), "balances").await;
    assert_eq!(names(by_date), all);
    let turnover = s.dated("/v1/casa/stock/turnover?limit=2&from=~600&until=~-600");
    assert_eq!(names(walk(&s, &turnover, "items").await), all);

    let ids = |found: Vec<Value>| -> Vec<String> {
        found.iter().map(|document| document["id"].as_str().unwrap().to_owned()).collect()
    };
    let mut made = ["$main", "$depot", "$sent"].map(|name| s.w.named(name));
    made.sort();
    made.reverse();
    assert_eq!(ids(walk(&s, "/v1/casa/documents?limit=1", "documents").await), made);
    let of_main = ids(walk(&s, "/v1/casa/documents?limit=1&store=main", "documents").await);
    assert_eq!(of_main, [s.w.named("$sent"), s.w.named("$main")]);
    s.check("GET /v1/other/documents As:other", 200, r#"{"documents":[],"next":null}"#).await;
    s.check("GET /v1/other/documents/$main As:other", 404, "document-not-found").await;
    s.check("GET /v1/casa/documents?after=x", 400, "malformed-request").await;
    s.check("GET /v1/casa/stock?after=x", 400, "malformed-request").await;
}
