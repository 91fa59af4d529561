//! Stores, products, barcodes and books.

use super::Shop;

#[tokio::test]
async fn stores() {
    let s = Shop::open().await;
    let main = r#"{"name":"main","title":"Main street","currency":"EUR","version":1}"#;
    s.check("GET /v1/casa/stores/main", 200, main).await;
    let again = s.check(r#"PUT /v1/casa/stores/main {"title":"Main street","currency":"EUR"}"#, 200, main).await;
    assert_eq!(again.header("idempotent-replayed"), "true");
    let changed = r#"{"title":"High street","version":2}"#;
    s.check(r#"PUT /v1/casa/stores/main {"title":"High street","currency":"EUR"}"#, 200, changed).await;
    let page = r#"{"stores":[{"name":"depot"},{"name":"far"}],"next":"far"}"#;
    s.check("GET /v1/casa/stores?limit=2", 200, page).await;
    s.check("GET /v1/casa/stores?limit=2&after=far", 200, r#"{"stores":[{"name":"main"}],"next":null}"#).await;
    s.check("GET /v1/other/stores As:other", 200, r#"{"stores":[]}"#).await;
    s.check("GET /v1/casa/stores/nowhere", 404, r#"{"code":"store-not-found","store":"nowhere"}"#).await;
    s.check("GET /v1/casa/stores/No", 400, "malformed-request").await;
    let fixed = r#"{"code":"store-currency-fixed","store":"main"}"#;
    s.check(r#"PUT /v1/casa/stores/main {"title":"High street","currency":"USD"}"#, 409, fixed).await;
}

#[tokio::test]
async fn products_and_barcodes() {
    let s = Shop::open().await;
    let tea = r#"{"code":"tea","title":"Tea","unit":"pcs","scale":0,"packs":[{"name":"box","factor":12}],
        "tracking":"none","barcodes":[],"version":1}"#;
    s.check("GET /v1/casa/products/tea", 200, tea).await;
    let page = r#"{"products":[{"code":"flour","unit":"g","scale":3,"barcodes":null},{"code":"milk","tracking":"lots"}],
        "next":"milk"}"#;
    s.check("GET /v1/casa/products?limit=2", 200, page).await;
    let rest = r#"{"products":[{"code":"phone"},{"code":"tea"}],"next":null}"#;
    s.check("GET /v1/casa/products?limit=9&after=milk", 200, rest).await;
    let missing = r#"{"code":"product-not-found","products":["coffee"]}"#;
    s.check("GET /v1/casa/products/coffee", 404, missing).await;

    // A code may have a slash and a blank.
    let odd = r#"{"code":"a/b c","scale":0,"unit":"pcs"}"#;
    s.check(r#"PUT /v1/casa/products/a%2Fb%20c {"title":"Odd"}"#, 200, odd).await;
    s.check("GET /v1/casa/products/a%2Fb%20c", 200, odd).await;
    s.check("GET /v1/casa/stock/main/a%2Fb%20c", 200, r#"{"product":"a/b c","quantity":0,"seq":0}"#).await;

    for (body, what) in [
        (r#"{"title":"Tea","scale":1,"packs":[{"name":"box","factor":12}]}"#, "the scale of tea cannot be changed"),
        (r#"{"title":"Tea"}"#, "pack box of tea cannot be changed"),
        (
            r#"{"title":"Tea","tracking":"lots","packs":[{"name":"box","factor":12}]}"#,
            "the tracking of tea cannot be changed",
        ),
    ] {
        let expected = format!(r#"{{"code":"product-fixed","products":["tea"],"detail":"{what}"}}"#);
        s.check(&format!("PUT /v1/casa/products/tea {body}"), 409, &expected).await;
    }
    for body in [
        r#"{"title":"Tea","scale":7}"#,
        r#"{"title":"Tea","packs":[{"name":"box","factor":0}]}"#,
        r#"{"title":"Tea","packs":[{"name":"box","factor":2},{"name":"box","factor":2}]}"#,
    ] {
        s.check(&format!("PUT /v1/casa/products/new {body}"), 422, "invalid").await;
    }

    let put = r#"PUT /v1/casa/products/tea/barcodes {"barcodes":[{"code":"4001","pack":"box"},{"code":"4002"}]}"#;
    let barcodes = r#"{"barcodes":[{"code":"4001","product":"tea","pack":"box"},
        {"code":"4002","product":"tea","pack":null}]}"#;
    s.check(put, 200, barcodes).await;
    assert_eq!(s.check(put, 200, barcodes).await.header("idempotent-replayed"), "true");
    s.check("GET /v1/casa/products/tea", 200, barcodes).await;
    s.check("GET /v1/casa/barcodes/4001", 200, r#"{"product":"tea","pack":"box"}"#).await;
    s.check("GET /v1/casa/barcodes/4003", 404, r#"{"code":"barcode-not-found","barcodes":["4003"]}"#).await;
    let taken = r#"{"code":"barcode-taken","barcodes":["4001"],"products":["tea"],"pack":"box"}"#;
    s.check(r#"PUT /v1/casa/products/flour/barcodes {"barcodes":[{"code":"4001"}]}"#, 409, taken).await;
    // What a code means stays: documents that said it may be repeated.
    s.check(r#"PUT /v1/casa/products/tea/barcodes {"barcodes":[{"code":"4001"}]}"#, 409, taken).await;
    let boxed = r#"PUT /v1/casa/products/tea/barcodes {"barcodes":[{"code":"4002","pack":"box"}]}"#;
    s.check(boxed, 409, r#"{"code":"barcode-taken","barcodes":["4002"],"products":["tea"]}"#).await;
    let no_pack = r#"{"code":"pack-not-found","products":["tea"],"pack":"crate"}"#;
    s.check(r#"PUT /v1/casa/products/tea/barcodes {"barcodes":[{"code":"1","pack":"crate"}]}"#, 404, no_pack).await;
    s.check(r#"PUT /v1/casa/products/tea/barcodes {"barcodes":[]}"#, 422, "invalid").await;
}

#[tokio::test]
async fn books_are_closed_for_good() {
    let s = Shop::open().await;
    s.check("GET /v1/casa/books", 200, r#"{"closed_until":null,"posting":0,"revaluing":0}"#).await;
    let close = r#"PUT /v1/casa/books {"closed_until":"~600"}"#;
    s.check(close, 200, r#"{"closed_until":"~600","posting":0}"#).await;
    assert_eq!(s.check(close, 200, "").await.header("idempotent-replayed"), "true");
    s.check("GET /v1/casa/books", 200, r#"{"closed_until":"~600"}"#).await;
    let earlier = r#"{"code":"books-closed","closed_until":"~600"}"#;
    s.check(r#"PUT /v1/casa/books {"closed_until":"~601"}"#, 409, earlier).await;
    s.check(r#"PUT /v1/casa/books {"closed_until":"~-600"}"#, 422, "effective-in-future").await;
    let buy = |at: &str| {
        format!(
            r#""kind":"purchase","store":"main","effective_at":"{at}","lines":[{{"product":"tea","count":1,"amount":1}}]"#
        )
    };
    s.post("early", &buy("~601"), 409, earlier).await;
    s.posted("late", &buy("~600")).await;
}
