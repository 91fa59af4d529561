//! `surehold stock import`: files as shops have them, and those that are no good.

use std::fmt::Write;
use std::process::Stdio;
use std::time::{Duration, Instant};

use serde_json::Value;
use uuid::Uuid;

use super::stock::open_shop;
use super::{Place, Ran};

const PATIENCE: Duration = Duration::from_mins(2);

fn put(place: &Place, name: &str, bytes: impl AsRef<[u8]>) {
    std::fs::write(place.folder.path().join(name), bytes).unwrap();
}

fn kept(place: &Place, name: &str) -> String {
    std::fs::read_to_string(place.folder.path().join(name)).unwrap()
}

fn import(place: &Place, line: &str) -> Ran {
    place.run(&[&["stock", "import", "shop"], line.split(' ').collect::<Vec<_>>().as_slice()].concat())
}

fn items(place: &Place) -> Vec<Value> {
    let ran = place.run(&["stock", "show", "shop", "--json"]).ok();
    let pages = ran.out.lines().map(|page| serde_json::from_str::<Value>(page).unwrap());
    pages.flat_map(|page| page["items"].as_array().unwrap().clone()).collect()
}

fn documents(place: &Place) -> usize {
    place.json(&["stock", "document", "list", "shop"])["documents"].as_array().unwrap().len()
}

#[test]
fn every_bad_line_is_named_and_nothing_changes() {
    let place = Place::socket();
    open_shop(&place);
    put(
        &place,
        "p.csv",
        "product,barcode,count,pack,price,amount,lot,expires,serials\n\
         tea,,3,box,24.90,,,,\n\
         teas,,3,,1,,,,\n\
         ,4006381333931,2,,,49.80,,,\n\
         \n\
         rice,,3.2505,,5.99,,,,\n\
         rice,,3.250,,\"1,5\",,,,\n\
         milk,,5,,1,,,,\n\
         phone,,2,,300,,,,A1\n\
         tea,,3,,1\n",
    );
    let ran = import(&place, "main purchase p.csv --report wrong.csv").ended(1);
    let ran = ran.shows(&["p.csv: 8 lines, 6 cannot be used; nothing was posted\n"]);
    let ran = ran.tells(&[
        "LINE  COLUMN   WHY\n",
        "   3  product  there is no product `teas`; did you mean `tea`?\n",
        "   6  count    `3.2505` has more than 3 decimals\n",
        "   7  price    `1,5` is no price; write it like 450.00\n",
        "   8  lot      lots of milk are told apart; name one\n",
        "   9  serials  2 of phone move, with 1 serial numbers\n",
        "  10           the row has 5 cells, and the header 9",
    ]);
    ran.tells(&[
        "error: 6 of 8 lines cannot be used; nothing was posted\n",
        "hint: mend them in p.csv, then import it",
    ]);
    assert!(kept(&place, "wrong.csv").contains("rice,,3.2505,,5.99,,,,,count: `3.2505` has more"), "kept");
    let ran = import(&place, "main purchase p.csv --json").ended(1);
    let told: Value = serde_json::from_str(&ran.out).unwrap();
    assert_eq!((&told["posted"], told["wrong"].as_array().unwrap().len()), (&0.into(), 6), "{told}");
    assert_eq!((items(&place).len(), documents(&place)), (0, 0));

    let mended = "product,barcode,count,pack,price,amount,lot,expires,serials\n\
                  tea,,3,box,24.90,,,,\n,4006381333931,2,,,49.80,,,\nrice,,3.250,,5.99,,,,\n\
                  milk,,5,,1,,L1,2999-01-01,\nphone,,2,,300,,,,A1 A2\n";
    put(&place, "p.csv", mended);
    import(&place, "main purchase p.csv --dry-run").ok().shows(&["5 lines can be posted; nothing was changed"]);
    assert_eq!(documents(&place), 0);
    let ran = import(&place, "main purchase p.csv").ok();
    ran.shows(&["p.csv: 5 lines, 5 posted; 5 in, EUR 748.97\ndocument "]);
    let again = import(&place, "main purchase p.csv --json").ok();
    let told: Value = serde_json::from_str(&again.out).unwrap();
    assert_eq!((&told["repeated"], &told["posted"], &told["lines_in"]), (&true.into(), &5.into(), &5.into()), "{told}");
    import(&place, "main purchase p.csv").ok().tells(&["note: this file was posted before; nothing was changed"]);
    // Wherever it lies, and whatever it is called.
    put(&place, "q.csv", mended);
    import(&place, "main purchase q.csv").ok().tells(&["posted before"]);
    assert_eq!(documents(&place), 1);
    // Another document on purpose.
    put(&place, "tea.csv", "product,count,amount\ntea,1,1\n");
    import(&place, "main purchase tea.csv").ok().shows(&["1 line, 1 posted; 1 in, EUR 1.00"]);
    import(&place, "depot purchase tea.csv").ok().shows(&["1 line, 1 posted"]);
    import(&place, "main purchase tea.csv --reference INV-9").ok().shows(&["1 line, 1 posted"]);
    let again = import(&place, "main purchase tea.csv --reference INV-9").ok();
    again.tells(&["posted before"]);
    let other = Uuid::now_v7();
    import(&place, &format!("main purchase tea.csv --id {other}")).ok().shows(&[&other.to_string()]);
    import(&place, &format!("main purchase tea.csv --id {other}")).ok().tells(&["posted before"]);
    put(&place, "tea.csv", "product,count,amount\ntea,2,1\n");
    let reused = import(&place, &format!("main purchase tea.csv --id {other}")).ended(1);
    reused.tells(&["is not what document", "hint: choose another --id"]);
    assert_eq!(documents(&place), 5);
}

#[test]
fn counts_from_a_sheet() {
    let place = Place::socket();
    open_shop(&place);
    put(&place, "o.csv", "product;count;amount;lot\ntea;20;20,00;\nrice;3,5;7,00;\nmilk;4;4,00;L1\nmilk;6;6,00;L2\n");
    import(&place, "main opening o.csv").ok().shows(&["4 lines, 4 posted; 4 in, EUR 37.00"]);
    let sheet = place.run(&["stock", "count-sheet", "shop", "main"]).ok();
    let sheet = sheet.shows(&["product,title,lot,on_hand,count,against\n\
        milk,milk,L1,4,,2\nmilk,milk,L2,6,,2\nrice,rice,,3.500,,1\ntea,tea,,20,,1\n"]);
    let sheet = sheet.tells(&["fill in count", "`surehold stock import shop main recount FILE`"]);
    let counted = sheet.out.replace("L1,4,,", "L1,4,3,").replace("L2,6,,", "L2,6,6,").replace("3.500,,", "3.500,3.25,");
    let counted = counted.replace("20,,", "20,21,");
    put(&place, "count.csv", &counted);
    place.run(&["stock", "sale", "shop", "main", "tea=1"]).ok();
    // A short document is posted as a whole or not at all.
    import(&place, "main recount count.csv").ended(1).tells(&["main/tea (from 20 to 19)"]);
    import(&place, "main recount count.csv --difference").ok().shows(&["; 1 in, 2 out"]);
    // What was posted must not count twice: with another meaning it is not sent again, and not passed off as done.
    let otherwise = import(&place, "main recount count.csv").ended(1);
    otherwise.tells(&["count.csv was posted with --difference, as document", "hint: run it as before with --report"]);
    import(&place, "main recount count.csv --difference").ok().tells(&["posted before"]);
    let quantity =
        |product: &str| items(&place).iter().find(|item| item["product"] == product).unwrap()["quantity"].clone();
    assert_eq!((quantity("tea"), quantity("rice"), quantity("milk")), (20.into(), 3_250.into(), 9.into()));
    // Without the row that it was counted against, a count is of now; and the second run finds the first.
    put(&place, "now.csv", "product,count\ntea,18\n");
    import(&place, "main recount now.csv").ok().shows(&["1 posted; 1 out, EUR 2.00"]);
    import(&place, "main recount now.csv").ok().tells(&["posted before"]);
    assert_eq!(quantity("tea"), 18);
    put(&place, "van.csv", "product,count\ntea,3\nrice,1.25\n");
    let sent = import(&place, "main transfer van.csv --to depot").ok().shows(&["2 lines, 2 posted; 2 out"]);
    let sent = sent.out.lines().last().unwrap().strip_prefix("document ").unwrap().to_owned();
    place.run(&["stock", "document", "reverse", "shop", &sent]).ok();
    let again = import(&place, "main transfer van.csv --to depot").ok();
    again.tells(&["posted before, and reversed; another --reference makes another document of it"]);
    import(&place, "main transfer van.csv --to depot --reference again").ok().shows(&["2 posted"]);
    import(&place, "main transfer van.csv").ended(1).tells(&["a transfer names the store it goes to"]);
    put(&place, "twice.csv", "product,count\ntea,18\nrice,1\ntea,17\n");
    import(&place, "main recount twice.csv").ended(1).tells(&["   4  product  tea is counted before, on line 2"]);
}

#[test]
fn files_that_are_no_use() {
    let place = Place::socket();
    open_shop(&place);
    let check = |bytes: &[u8], line: &str, error: &str, hint: &str| {
        put(&place, "f.csv", bytes);
        let ran = import(&place, line).ended(1);
        ran.tells(&[&format!("error: f.csv {error}"), &format!("hint: {hint}")]);
    };
    let bought = "main purchase f.csv";
    check(b"", bought, "is empty", "begin it with a line that names the columns, as in product,count,price");
    check(b"product,count\n", bought, "has a header and no rows", "add a row for each line");
    check(b"product,cuont\ntea,1\n", bought, "line 1: there is no column `cuont`; did you mean `count`?", "begin it");
    check(b"product,price\ntea,1\n", bought, "line 1: there is no column count", "begin it");
    check(b"count,price\n1,1\n", bought, "line 1: there is no column product, nor barcode", "begin it");
    let mut sold = "product,count\n".to_owned();
    (0..201).for_each(|_| sold.push_str("tea,1\n"));
    check(sold.as_bytes(), "main sale f.csv", "is too long for one sale", "cut it");
    let mut bought_too_much = "product,count,amount\n".to_owned();
    (0..10_001).for_each(|_| bought_too_much.push_str("tea,1,1\n"));
    check(bought_too_much.as_bytes(), bought, "has more than 10000 rows", "import it in parts");
    import(&place, "main purchase f.csv --report f.csv").ended(2).tells(&["would overwrite"]);
    put(&place, "f.csv", "product,count,amount\ntea,1,1\n");
    import(&place, "attic purchase f.csv").ended(1).tells(&["no store attic"]);
    import(&place, "main gift f.csv").ended(2).tells(&["purchase, opening, recount, sale"]);
    // Whoever is short says so for the document as a whole.
    put(&place, "s.csv", "product,count\ntea,1\nrice,1\n");
    import(&place, "main sale s.csv").ended(1).tells(&["not enough: main/rice (1000 asked", "main/tea (1 asked"]);
    assert_eq!(items(&place).len(), 0);
    // Long ones are posted by a server.
    let alone = Place::file();
    open_shop(&alone);
    let mut long = "product,count,amount\n".to_owned();
    (0..201).for_each(|_| long.push_str("tea,1,1\n"));
    put(&alone, "long.csv", &long);
    import(&alone, "main purchase long.csv").ended(1).tells(&["no server runs here", "start `surehold serve`"]);
    assert_eq!(documents(&alone), 0);
    put(&alone, "short.csv", "product,count,amount\ntea,1,1\n");
    import(&alone, "main purchase short.csv").ok().shows(&["1 line, 1 posted; 1 in, EUR 1.00"]);
}

const LINES: usize = 10_000;
/// Opened before, so that their lines are left out.
const OPEN: [usize; 3] = [0, 4_321, 9_999];

/// So many products, made through the API at once.
fn many_products(place: &Place) {
    let Place { way: super::Way::Address(server, key), .. } = place else { panic!("a server is needed") };
    let _ = rustls::crypto::ring::default_provider().install_default();
    let runtime = tokio::runtime::Runtime::new().unwrap();
    runtime.block_on(async {
        use futures_util::{StreamExt, stream};
        let client = reqwest::Client::builder().no_proxy().build().unwrap();
        let put = |number: usize| {
            let url = format!("{}/v1/shop/products/p{number:05}", server.address);
            let request =
                client.put(url).bearer_auth(key).json(&serde_json::json!({"title": "x", "scale": number % 4}));
            async move {
                // A quick machine comes to the limit of the key.
                loop {
                    let answer = request.try_clone().unwrap().send().await.unwrap();
                    let Some(secs) = answer.headers().get("retry-after") else {
                        break assert_eq!(answer.status(), 200);
                    };
                    tokio::time::sleep(Duration::from_secs(secs.to_str().unwrap().parse().unwrap())).await;
                }
            }
        };
        stream::iter(0..LINES).map(put).buffer_unordered(64).collect::<()>().await;
    });
}

/// 1.5 of each where it has decimals, else 2; for one cent more than the one before.
fn a_long_opening() -> String {
    let mut text = "product,count,amount\n".to_owned();
    for number in 0..LINES {
        let count = if number % 4 == 0 { "2" } else { "1.5" };
        writeln!(text, "p{number:05},{count},{}.{:02}", number / 100, number % 100).unwrap();
    }
    text
}

fn units_of(number: usize) -> i64 {
    match number % 4 {
        0 => 2,
        1 => 15,
        2 => 150,
        _ => 1_500,
    }
}

#[test]
fn ten_thousand_lines_cut_off_and_repeated() {
    let place = Place::address();
    open_shop(&place);
    many_products(&place);
    for number in OPEN {
        place.run(&["stock", "opening", "shop", "main", &format!("p{number:05}=1@@7")]).ok();
    }
    let good = a_long_opening();
    // With bad lines in it nothing is sent.
    let bad = good.replace("p00007,1.5,", "p00007,1.55555,").replace("\np09000,2,", "\nq09000,2,");
    put(&place, "o.csv", &bad);
    let ran = import(&place, "main opening o.csv").ended(1);
    ran.shows(&["10000 lines, 2 cannot be used"])
        .tells(&["   9  count", "9002  product  there is no product `q09000`"]);
    assert_eq!(documents(&place), OPEN.len());

    put(&place, "o.csv", &good);
    let mut cut = place.command(&["stock", "import", "shop", "main", "opening", "o.csv"]);
    let mut cut = cut.stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
    let begun_at = Instant::now();
    while documents(&place) == OPEN.len() {
        assert!(begun_at.elapsed() < PATIENCE, "nothing is sent");
    }
    let interrupt = std::process::Command::new("kill").args(["-INT", &cut.id().to_string()]).status().unwrap();
    let code = cut.wait().unwrap().code();
    // A very fast machine may have been done.
    assert!(interrupt.success() && matches!(code, Some(130 | 1)), "{code:?}");

    let ran = import(&place, "main opening o.csv --report left.csv").ended(1);
    let ran = ran.shows(&["o.csv: 10000 lines, 9997 posted, 3 left out; "]);
    let ran = ran.tells(&[
        "   2          main/p00000 has moved already",
        "4323  ",
        "10001  ",
        "3 of 10000 lines were left out",
    ]);
    ran.tells(&["hint: mend the rows in left.csv, then import that file"]);
    assert!(kept(&place, "left.csv").starts_with("product,count,amount,reason\np00000,2,0.00,main/p00000 has moved"));

    let again = import(&place, "main opening o.csv --json").ended(1);
    let told: Value = serde_json::from_str(&again.out).unwrap();
    assert_eq!((&told["posted"], &told["repeated"], &told["state"]), (&9_997.into(), &true.into(), &"posted".into()));
    let lines = told["left_out"].as_array().unwrap().iter().map(|left| left["line"].as_u64().unwrap());
    assert_eq!(lines.collect::<Vec<_>>(), [2, 4_323, 10_001]);
    let posted = || (0..LINES).filter(|number| !OPEN.contains(number));
    let value: i64 = posted().map(|number| i64::try_from(number).unwrap()).sum();
    assert_eq!((&told["lines_in"], &told["value_rounded"]), (&posted().count().into(), &value.into()));
    assert_eq!(told["value"], value.to_string());

    assert_eq!(documents(&place), OPEN.len() + 1);
    let items = items(&place);
    assert_eq!(items.len(), LINES);
    for (number, item) in items.iter().enumerate() {
        let (quantity, value) = if OPEN.contains(&number) {
            (10_i64.pow(u32::try_from(number % 4).unwrap()), 700)
        } else {
            (units_of(number), i64::try_from(number).unwrap())
        };
        assert_eq!(item["product"], format!("p{number:05}"));
        let (is, was) = ((&item["quantity"], &item["value_rounded"], &item["seq"]), (quantity, value));
        assert_eq!(is, (&quantity.into(), &value.into(), &1.into()), "{number} {was:?}");
    }
}
