//! `surehold bench stays`.

use serde_json::Value;
use surehold_lab::fixture::fresh_database;

use crate::{surehold, text};

/// A tiny hotel for a second.
const QUICK: &[&str] = &[
    "bench",
    "stays",
    "--seconds",
    "1",
    "--warmup-seconds",
    "0",
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
    let output = surehold(&[QUICK, &["--json"], args].concat());
    assert!(output.status.success(), "{args:?}: {}", text(&output.stderr));
    serde_json::from_str(&text(&output.stdout)).unwrap()
}

fn check_figures(case: &Value) {
    for field in ["holds", "rate_per_s", "p50_us", "p99_us", "answer_bytes"] {
        assert!(case[field].as_f64().unwrap() > 0.0, "{field} in {case}");
    }
    assert_eq!(case["errors"], 0, "{case}");
}

#[test]
fn sqlite() {
    let report = measure(&[]);
    for case in ["quotes", "calendar", "holds"] {
        check_figures(&report[case]);
    }
    assert_eq!((&report["quotes"]["options"], &report["quotes"]["nights"]), (&6.into(), &9.into()), "{report}");
    assert_eq!((&report["holds"]["options"], &report["holds"]["nights"]), (&6.into(), &3.into()), "{report}");
    assert_eq!(report["holds"]["against"], Value::Null, "{report}");
    assert!(report["holds"]["quotes_per_s"].as_f64().unwrap() > 0.0, "{report}");
}

#[tokio::test]
async fn postgres() {
    let url = fresh_database().await.unwrap();
    let report = measure(&["--store", "postgres", "--url", &url]);
    for case in ["quotes", "calendar", "holds"] {
        check_figures(&report[case]);
    }
    let holds = &report["holds"];
    assert_eq!(holds["against"]["name"], "textbook without HTTP, 4 clients", "{report}");
    for against in ["against", "against_best"] {
        assert!(holds[against]["rate_per_s"].as_f64().unwrap() > 0.0, "{report}");
        assert_eq!(holds[against]["errors"], 0, "{report}");
    }
    for ratio in ["ratio", "ratio_best"] {
        assert!(holds[ratio].as_f64().unwrap() > 0.0, "{report}");
    }
    // The same database once more, and one case alone.
    let again = measure(&["--store", "postgres", "--url", &url, "--case", "quotes"]);
    check_figures(&again["quotes"]);
    assert_eq!((&again["calendar"], &again["holds"]), (&Value::Null, &Value::Null), "{again}");
}

#[test]
fn a_table_for_people() {
    let output = surehold(&[QUICK, &["--case", "holds", "--case", "quotes"]].concat());
    let table = text(&output.stdout);
    for part in ["quotes: 9 nights, 3 room types, 2 plans", "holds on sqlite: 3 nights", "mean batch", "fdatasync"] {
        assert!(table.contains(part), "{part} in {table}");
    }
    assert!(!table.contains("calendar"), "{table}");
}

#[test]
fn wrong_input_says_what_to_do() {
    let check = |args: &[&str], expected: &str| {
        let output = surehold(&[&["bench", "stays"], args].concat());
        assert!(!output.status.success(), "{args:?}");
        assert!(output.stdout.is_empty(), "{args:?}");
        let message = text(&output.stderr);
        assert!(message.contains(expected), "{args:?}: {message}");
    };
    check(&["--case", "other"], "possible values: quotes, calendar, holds");
    check(&["--quote-nights", "91"], "91 is not in 1..=90");
    check(&["--store", "postgres"], "--store postgres needs --url");
    check(&["--url", "postgres://nobody@127.0.0.1:1/x"], "--store postgres needs --url");
    check(&["--dir", "/no/such/folder"], "choose another --dir");
}
