//! `surehold-lab bench stays`.

use serde_json::{Value, json};
use surehold_testkit::fixture::fresh_database;

use crate::bench::{QUICK, case, check_cpu, check_positive, check_refused, report};
use crate::{surehold_lab, text};

/// A tiny hotel.
const STAYS: &[&str] = &[
    "stays",
    "--clients",
    "4",
    "--room-types",
    "3",
    "--rate-plans",
    "2",
    "--quote-nights",
    "9",
    "--calendar-room-types",
    "2",
    "--calendar-nights",
    "40",
];

fn measure(args: &[&str]) -> Value {
    report(&[STAYS, QUICK, args].concat())
}

fn check_figures(report: &Value, name: &str) {
    let case = case(report, name);
    check_positive(case, &["count", "rate_per_s", "p50_us", "p99_us", "answer_bytes"]);
    check_cpu(case, &["cpu_us"]);
    assert_eq!(case["errors"], 0, "{case}");
}

#[test]
fn sqlite() {
    let report = measure(&[]);
    for name in ["quotes", "calendar", "holds"] {
        check_figures(&report, name);
    }
    let (quotes, holds) = (case(&report, "quotes"), case(&report, "holds"));
    assert_eq!((&quotes["options"], &quotes["nights"]), (&6.into(), &9.into()), "{report}");
    assert_eq!((&holds["options"], &holds["nights"]), (&6.into(), &3.into()), "{report}");
    assert_eq!(holds["against"], json!([]), "{report}");
    check_positive(holds, &["quotes_per_s"]);
}

#[tokio::test]
async fn postgres() {
    let url = fresh_database().await.unwrap();
    let report = measure(&["--store", "postgres", "--url", &url]);
    for name in ["quotes", "calendar", "holds"] {
        check_figures(&report, name);
    }
    let against = &case(&report, "holds")["against"];
    assert_eq!(against[0]["name"], "textbook without HTTP, 4 clients", "{report}");
    for side in [&against[0], &against[1]] {
        check_positive(side, &["rate_per_s", "ratio"]);
        assert_eq!(side["errors"], 0, "{report}");
    }
    // The same database once more, and one case alone.
    let again = measure(&["--store", "postgres", "--url", &url, "--case", "quotes"]);
    check_figures(&again, "quotes");
    assert_eq!(again["cases"].as_array().unwrap().len(), 1, "{again}");
}

#[test]
fn a_table_for_people() {
    let output = surehold_lab(&[&["bench"], STAYS, QUICK, &["--case", "holds", "--case", "quotes"]].concat());
    let table = text(&output.stdout);
    for part in ["quotes: 9 nights, 3 room types, 2 plans", "holds on sqlite: 3 nights", "mean batch", "fdatasync"] {
        assert!(table.contains(part), "{part} in {table}");
    }
    assert!(!table.contains("calendar"), "{table}");
}

#[test]
fn wrong_input_says_what_to_do() {
    let check = |args: &[&str], expected: &str| check_refused("stays", args, expected);
    check(&["--case", "other"], "possible values: quotes, calendar, holds");
    check(&["--quote-nights", "91"], "91 is not in 1..=90");
    check(&["--store", "postgres"], "--store postgres needs --url");
    check(&["--url", "postgres://nobody@127.0.0.1:1/x"], "--store postgres needs --url");
    check(&["--dir", "/no/such/folder"], "choose another --dir");
}
