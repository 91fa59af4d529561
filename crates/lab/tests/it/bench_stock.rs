//! `surehold-lab bench stock`.

use serde_json::{Value, json};
use surehold_testkit::fixture::fresh_database;

use crate::bench::{QUICK, case, check_cpu, check_positive, check_refused, report};
use crate::{surehold_lab, text};

/// A small shop.
const STOCK: &[&str] =
    &["stock", "--clients", "4", "--documents", "400", "--rows", "5000", "--later-rows", "1200", "--holders", "2"];

fn measure(args: &[&str]) -> Value {
    report(&[STOCK, QUICK, args].concat())
}

fn check_side(side: &Value) {
    check_positive(side, &["count", "rate_per_s", "p50_us", "p99_us"]);
    assert_eq!(side["errors"], 0, "{side}");
}

fn check_ledgers(report: &Value) {
    let (replay, late) = (case(report, "replay"), case(report, "backdated"));
    assert_eq!(replay["rows"], 5_000, "{report}");
    assert!(replay["audit_rows_read"].as_u64().unwrap() >= 5_000, "{report}");
    assert_eq!((&late["later_rows"], &late["revalued_rows"]), (&1_200.into(), &1_200.into()), "{report}");
    check_side(late);
    check_side(&late["against"][0]);
}

#[test]
fn sqlite() {
    let report = measure(&[]);
    for (name, products) in [("hot", 1), ("hundred", 100), ("uniform", 1_000)] {
        let sales = case(&report, name);
        check_side(sales);
        check_cpu(sales, &["cpu_us"]);
        assert_eq!((&sales["products"], &sales["against"]), (&products.into(), &json!([])), "{report}");
    }
    assert_eq!(case(&report, "deadlock"), &Value::Null, "{report}");
    check_ledgers(&report);
    let met =
        |what: &str| report["bars"].as_array().unwrap().iter().find(|bar| bar["what"] == what).unwrap()["met"] == true;
    assert!(met("one product, errors") && met("late document, errors of holds"), "{report}");
}

#[tokio::test]
async fn postgres() {
    let url = fresh_database().await.unwrap();
    let report = measure(&["--store", "postgres", "--url", &url]);
    for name in ["hot", "hundred", "uniform"] {
        let sales = case(&report, name);
        check_side(sales);
        assert!(sales["against"][0]["name"].as_str().unwrap().ends_with("textbook, 4 clients"), "{report}");
        for side in [&sales["against"][0], &sales["against"][1]] {
            check_side(side);
            check_positive(side, &["ratio", "p99_ratio"]);
        }
    }
    check_ledgers(&report);
    let trap = case(&report, "deadlock");
    check_side(trap);
    assert_eq!((&trap["count"], &trap["deadlocks"]), (&400.into(), &0.into()), "{report}");
    assert!(trap["against_deadlocks"].as_i64().unwrap() > 0, "{report}");
    assert!(trap["against_deadlocks_answered"].as_i64().unwrap() > 0, "{report}");
    // The same database once more, and one case alone.
    let again = measure(&["--store", "postgres", "--url", &url, "--case", "hundred"]);
    check_side(case(&again, "hundred"));
    assert_eq!(again["cases"].as_array().unwrap().len(), 1, "{again}");
}

#[test]
fn a_table_for_people() {
    let output = surehold_lab(&[&["bench"], STOCK, QUICK, &["--case", "hot", "--case", "backdated"]].concat());
    let table = text(&output.stdout);
    for part in ["one product: surehold, 4 clients", "mean batch", "1200 later rows", "✓ one product, errors"] {
        assert!(table.contains(part), "{part} in {table}");
    }
    assert!(!table.contains("100 products") && !table.contains("audit"), "{table}");
}

#[test]
fn wrong_input_says_what_to_do() {
    let check = |args: &[&str], expected: &str| check_refused("stock", args, expected);
    check(&["--case", "other"], "possible values: hot, hundred, uniform, deadlock, replay, backdated");
    check(&["--clients", "0"], "0 is not in 1..=10000");
    check(&["--store", "postgres"], "--store postgres needs --url");
    check(&["--url", "postgres://nobody@127.0.0.1:1/x"], "--store postgres needs --url");
    check(&["--case", "deadlock"], "the trap is one of Postgres");
    check(&["--dir", "/no/such/folder"], "choose another --dir");
}
