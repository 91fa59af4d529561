//! `surehold stock`: a shop from nothing to its stock cards, as its people do it.

use serde_json::{Value, json};
use uuid::Uuid;

use super::{Place, Ran};

/// A store `main` and a `depot` of the tenant `shop`; tea by the piece and the box of 12, rice by weight, milk in lots,
/// phones by their numbers.
pub(super) fn open_shop(place: &Place) {
    let run = |line: &str| drop(place.run(&line.split(' ').collect::<Vec<_>>()).ok());
    run("tenant create shop");
    run("stock store put shop main --currency EUR");
    run("stock store put shop depot --currency EUR");
    run("stock product put shop tea --pack box=12 --barcode 4006381333931=box --barcode 4006381333948");
    run("stock product put shop rice --unit g --scale 3");
    run("stock product put shop milk --track lots");
    run("stock product put shop phone --track serials");
}

impl Place {
    fn stock(&self, line: &str) -> Ran {
        self.run(&[&["stock"], line.split(' ').collect::<Vec<_>>().as_slice()].concat())
    }

    fn stock_json(&self, line: &str) -> Value {
        self.json(&[&["stock"], line.split(' ').collect::<Vec<_>>().as_slice()].concat())
    }

    fn item(&self, store: &str, product: &str) -> Value {
        self.stock_json(&format!("show shop --in {store} --product {product} --on-hand"))["items"][0].clone()
    }
}

fn id(document: &Value) -> &str {
    document["id"].as_str().unwrap()
}

#[test]
fn from_a_purchase_to_a_card() {
    for place in [Place::file(), Place::socket(), Place::address()] {
        open_shop(&place);
        let bought = place.stock("purchase shop main tea=3/box@24.90 rice=3.25@5.99 --reference INV-17").ok();
        bought.rows(&["purchase", "posted", "INV-17", "EUR 94.17", "3 box 36 74.70", "3.250 3.250 19.47"]);
        place.stock("sale shop main tea=10 rice=1.000").ok().rows(&["-10", "-20.75", "-1.000", "-5.99"]);
        let shown = place.stock("show shop").ok();
        shown.rows(&["main   tea           26     0       0         26  53.95  2.075000  EUR", "2.250", "13.48"]);
        let card = place.stock("card shop main tea").ok();
        let card = card.rows(&["ROW DATE DOCUMENT IN OUT COST BALANCE", "BALANCE  VALUE   AVERAGE", "purchase  36"]);
        card.rows(&["  74.70       36  74.70  2.075000", "sale           10  -20.75       26  53.95  2.075000"]);
        place.stock("card shop main tea --order effect").ok().rows(&["purchase  36", "sale           10"]);
        // A box by its barcode, and a piece by its own.
        place
            .stock("sale shop main barcode:4006381333931=1 barcode:4006381333948=1")
            .ok()
            .shows(&["1 box", "-12", "-1"]);
        assert_eq!(place.item("main", "tea")["quantity"], 13);
        place
            .stock("document list shop --reference INV-17")
            .ok()
            .shows(&["purchase  posted  main", "94.17  EUR  INV-17"]);
        place.stock("store list shop").ok().rows(&["depot", "main"]);
        place.stock("product list shop").ok().rows(&["rice", "box=12", "serials"]);
        place.stock("product show shop rice").ok().rows(&["g (1 is shown as 0.001)"]);
        place.stock("barcode show shop 4006381333931").ok().rows(&["tea      box"]);
    }
}

#[test]
fn a_sale_never_takes_what_a_cart_holds() {
    let place = Place::socket();
    open_shop(&place);
    place.stock("purchase shop main tea=10@1 rice=2@3").ok();
    let hold = place.json(&["hold", "place", "shop", "main/tea=8"]);
    let held = place.stock("sale shop main tea=3 rice=2.5").ended(1);
    let held = held
        .tells(&["not enough: main/rice (2500 asked, 2000 available", "main/tea (3 asked, 2 available, 8 promised"]);
    held.tells(&["hint: `surehold explain shop main/", "more: surehold problem insufficient-stock"]);
    place.stock("show shop --in main --product tea").ok().rows(&["10     8       0          2"]);
    place.run(&["pool", "adjust", "shop", "main/tea", "1"]).ended(1).tells(&["documents move it"]);
    // The cart pays; what it held and does not buy is free again.
    let sold = place.stock(&format!("sale shop main tea=6 --hold {}", id(&hold))).ok().rows(&["sale", "-6", "-6.00"]);
    assert!(sold.out.contains("posted"), "{}", sold.said());
    place.stock("show shop --product tea").ok().rows(&["main   tea            4     0       0          4"]);
    place.stock("shortages shop --below 5").ok().rows(&["tea"]);
    place.stock("shortages shop").ok().tells(&["nothing is short"]);
}

#[test]
fn returns_transfers_and_counts() {
    let place = Place::socket();
    open_shop(&place);
    place.stock("opening shop main tea=10@@10.00 rice=4.000@@12.00").ok();
    let sale = place.stock_json("sale shop main tea=3 rice=1.500");
    place.stock(&format!("return shop {} 1=1 2=0.5", id(&sale))).ok().rows(&["customer return", "1.00", "0.500"]);
    place.stock(&format!("return shop {} --all", id(&sale))).ok().rows(&["of line 1", "1.000  1.000"]);
    place.stock(&format!("return shop {} --all", id(&sale))).ended(2).tells(&["nothing is left of document"]);
    place.stock(&format!("return shop {} 1=1", id(&sale))).ended(1).tells(&["less is left: line 1 (0 of 1)"]);
    assert_eq!(place.item("main", "tea")["value"], "1000");

    let sent = place.stock_json("transfer shop main --to depot tea=4 --in-transit");
    place.stock("show shop --in depot --in-transit").ok().rows(&["depot (in transit)  tea            4"]);
    place.stock(&format!("receive shop {} 1=3", id(&sent))).ok().rows(&["receipt", "3.00"]);
    place.stock(&format!("lose shop {} --all", id(&sent))).ok().rows(&["transit loss", "1.00"]);
    place.stock("transfer shop main --to depot rice=1").ok().rows(&["main to depot", "-1.000"]);
    assert_eq!(
        (&place.item("depot", "tea")["quantity"], &place.item("main", "tea")["quantity"]),
        (&3.into(), &6.into())
    );

    place.stock("supplier-return shop main tea=1@@0.90").ok().rows(&["supplier return", "-1.00"]);
    place.stock("write-off shop main tea=1 --note broken").ok().rows(&["write off", "broken"]);
    place.stock("recount shop main tea=3").ok().rows(&["recount", "-1"]);
    let seq = place.item("main", "tea")["seq"].as_i64().unwrap();
    place.stock("sale shop main tea=1").ok();
    let moved = place.stock(&format!("recount shop main tea=2,against={seq}")).ended(1);
    moved.tells(&["moved since they were counted: main/tea (from 3 to 2)", "`surehold stock card shop main tea`"]);
    // Three were there then, two were counted: one is missing of the two that are left.
    place.stock(&format!("recount shop main tea=2,against={seq} --difference")).ok().rows(&["-1"]);
    assert_eq!(place.item("main", "tea")["quantity"], 1);

    place.stock("purchase shop main milk=5@0.90,lot=L2,expires=2999-03-01 milk=5@0.80,lot=L1,expires=2999-02-01").ok();
    place.stock("sale shop main milk=6").ok().rows(&["lot L1, L2"]);
    place.stock("show shop --product milk").ok().rows(&["4 of lot L2 until 2999-03-01"]);
    place.stock("purchase shop main phone=2@300,serial=A1,serial=A2").ok().rows(&["A1, A2"]);
    place.stock("sale shop main phone=1,serial=A9").ended(1).tells(&["phone A9 in no store"]);
}

#[test]
fn the_past_and_the_books() {
    let place = Place::socket();
    open_shop(&place);
    place.stock("purchase shop main tea=10@1 --at 2026-01-10").ok();
    place.stock("sale shop main tea=5 --at 2026-01-20").ok();
    let late = "purchase shop main tea=10@3 --at 2026-01-15";
    let seen = place.stock(&format!("{late} --preview")).ok();
    let seen = seen.rows(&["ITEM", "main/tea       5   5.00  1.000000     15  30.00  2.000000         1"]);
    seen.tells(&["nothing was changed"]);
    assert_eq!(place.item("main", "tea")["quantity"], 5);
    let late = place.stock_json(late);
    place.stock("card shop main tea").ok().rows(&["revaluation of 2", "-5.00       15  30.00  2.000000"]);
    let by_effect = place.stock("card shop main tea --order effect").ok().rows(&["sale           5  -10.00"]);
    assert!(!by_effect.out.contains("revaluation"), "{}", by_effect.said());
    let then = place.stock("balances shop --at 2026-01-12").ok();
    then.rows(&["main   tea            10  10.00  1.000000  EUR", "together EUR 10.00"]);
    place.stock("balances shop --at 2026-01-01").ok().rows(&["main tea 0 0.00 EUR", "together EUR 0.00"]);
    place.stock("balances shop --in depot").ok().tells(&["nothing was there"]);
    let turned = place.stock("turnover shop --from 2026-01-12 --until 2026-02-01").ok();
    turned.rows(&["main tea 10 10.00 10 30.00 5 5.00 15 30.00 -5.00 EUR"]);
    place.stock(&format!("document reverse shop {} --at 2026-01-16 --note wrong", id(&late))).ok().rows(&["reversal"]);
    place.stock(&format!("document show shop {}", id(&late))).ok().rows(&["reversed", "reversed by"]);
    place.stock(&format!("document list shop --about {}", id(&late))).ok().rows(&["reversal"]);
    place.stock("books shop").ok().rows(&["never closed"]);
    place.stock("close-books shop 2026-01-18").ok().rows(&["2026-01-18T00:00:00Z"]);
    place
        .stock("sale shop main tea=1 --at 2026-01-17")
        .ended(1)
        .tells(&["closed until", "hint: post it with a later --at"]);
    place.stock("sale shop main tea=6 --at 2026-01-18").ended(1).tells(&["insufficient-stock"]);
}

#[test]
fn a_document_as_the_api_takes_it() {
    let place = Place::socket();
    open_shop(&place);
    let id = Uuid::now_v7().to_string();
    let lines = json!([{"product": "tea", "count": 2, "pack": "box", "amount": 2400}]);
    let document = json!({"id": id, "kind": "purchase", "store": "main", "lines": lines});
    std::fs::write(place.folder.path().join("d.json"), document.to_string()).unwrap();
    place.stock("post shop d.json --preview").ok().tells(&["nothing was changed"]);
    let draft = place.stock("post shop d.json --draft").ok().rows(&["draft"]);
    draft.tells(&[&format!("`surehold stock document post shop {id}` posts it")]);
    place.stock(&format!("document post shop {id}")).ok().rows(&["posted", "EUR 24.00"]);
    place.stock("post shop d.json").ok().tells(&["this repeats an earlier request"]);
    assert_eq!(place.item("main", "tea")["quantity"], 24);
    let sell = r#"echo '{"kind": "sale", "store": "main", "lines": [{"product": "tea", "count": 1}]}' | "$0" stock post shop - --data data"#;
    let mut shell = std::process::Command::new("sh");
    let output =
        shell.args(["-c", sell, env!("CARGO_BIN_EXE_surehold")]).current_dir(place.folder.path()).output().unwrap();
    Ran::new(&["stock post shop -"], &output).ok().rows(&["posted"]).tells(&["document id: 0"]);
    let check = |text: &str, expected: &str| {
        std::fs::write(place.folder.path().join("d.json"), text).unwrap();
        place.stock("post shop d.json").ended(1).tells(&[expected]);
    };
    check("{", "error: d.json is no JSON: ");
    check("[]", "error: d.json is no document");
    check(r#"{"kind": "sale", "store": "main", "lines": []}"#, "lines");
    place.stock("post shop none.json").ended(1).tells(&["none.json cannot be read"]);
}

#[test]
fn what_cannot_be_done_says_what_to_do() {
    let place = Place::socket();
    open_shop(&place);
    let usage = |line: &str, expected: &str| drop(place.stock(line).ended(2).tells(&[expected]));
    usage("store put shop new", "new is new: --currency");
    usage("product put shop tea --pack box=1.5", "--pack box: `1.5` is no whole number");
    usage("sale shop main tea", "write a line like");
    usage("sale shop main tea=1.5", "line 1: `1.5` is no whole number");
    usage("sale shop main tea=1 rice=1.2345", "line 2: `1.2345` has more than 3 decimals");
    usage("sale shop main coffee=1", "line 1: there is no product `coffee`; `surehold stock product put shop CODE`");
    usage("purchase shop main tea=1", "line 1: it needs a cost");
    usage("sale shop main tea=1@1", "line 1: it has no cost");
    usage("purchase shop main milk=1@1", "lots of milk are told apart; name one");
    usage("purchase shop main tea=1@1 --extra 1,50", "--extra: `1,50` is no amount");
    usage("balances shop --at yesterday", "or a date like 2026-12-24");
    usage("sale shop main tea=1 --preview --draft", "cannot be used with");
    let refused = |line: &str, parts: &[&str]| drop(place.stock(line).ended(1).tells(parts));
    refused("store show shop attic", &["no store attic", "`surehold stock store put shop attic --currency CODE`"]);
    refused("sale shop attic tea=1", &["no store attic"]);
    refused("product show shop coffee", &["no such product: coffee", "`surehold stock product list shop`"]);
    refused("barcode show shop 1", &["surehold stock barcode put shop PRODUCT 1"]);
    refused("store put shop main --currency usd", &["EUR", "leave --currency out"]);
    refused("product put shop tea --scale 2", &["cannot be changed", "make another product"]);
    let other = Uuid::now_v7();
    refused(&format!("document show shop {other}"), &["no document", "`surehold stock document list shop`"]);
    refused(&format!("return shop {other} 1=1"), &["no document"]);
    place.stock("opening shop main tea=1@1").ok();
    refused("opening shop main tea=1@1", &["has moved already", "`surehold stock card shop main tea --order effect`"]);
    place.run(&["pool", "put", "shop", "main/rice", "--total", "500"]).ok();
    refused("purchase shop main rice=1@1", &["that no document brought", "`surehold stock opening`"]);
    place.stock("opening shop main rice=0.5@1").ok();
    place.stock("card shop depot tea").ok().tells(&["nothing has moved"]);
    place.stock("document list shop --in depot").ok().tells(&["there are none"]);
}
