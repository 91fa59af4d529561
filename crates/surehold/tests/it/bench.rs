//! `surehold bench holds`.

use serde_json::Value;
use surehold_lab::fixture::fresh_database;

use crate::{surehold, text};

fn measure(args: &[&str]) -> Value {
    let quick = ["bench", "holds", "--seconds", "1", "--warmup-seconds", "0", "--json"];
    let output = surehold(&[&quick, args].concat());
    assert!(output.status.success(), "{}", text(&output.stderr));
    let line = text(&output.stdout);
    let report: Value = serde_json::from_str(&line).unwrap();
    for field in ["rate_per_s", "p50_us", "p99_us", "p999_us", "mean_batch", "fdatasync_per_s", "ratio"] {
        assert!(report[field].as_f64().unwrap() > 0.0, "{field} in {line}");
    }
    assert_eq!(report["errors"], 0, "{line}");
    assert!(report["against"]["rate_per_s"].as_f64().unwrap() > 0.0, "{line}");
    report
}

#[test]
fn sqlite() {
    assert_eq!(measure(&[])["against"]["name"], "fdatasync");
    let batched = measure(&["--batch", "500", "--clients", "2", "--pools", "20", "--tenants", "2", "--nights", "1"]);
    assert!(batched["mean_batch"].as_f64().unwrap() >= 500.0);
    assert_eq!(measure(&["--against", "undisturbed"])["against"]["name"], "undisturbed");
    assert_eq!(measure(&["--against", "small", "--prefill", "20000"])["prefilled"], 20_000);
}

#[tokio::test]
async fn postgres() {
    let url = fresh_database().await.unwrap();
    let postgres = |args: &[&str]| measure(&[&["--store", "postgres", "--url", &url], args].concat());
    assert_eq!(postgres(&[])["store"], "postgres");
    let textbook = postgres(&["--against", "textbook", "--clients", "8", "--against-clients", "4"]);
    assert_eq!(textbook["against"]["name"], "textbook, 4 clients");
    assert_eq!(postgres(&["--against", "one-engine", "--engines", "2"])["engines"], 2);
    assert_eq!(postgres(&["--against", "undisturbed"])["against"]["name"], "undisturbed");
}

#[test]
fn a_table_for_people() {
    let output = surehold(&["bench", "holds", "--seconds", "1", "--warmup-seconds", "0", "--clients", "4"]);
    let table = text(&output.stdout);
    for part in ["surehold on sqlite", "holds/s", "p99.9", "fdatasync", "ratio", "mean batch"] {
        assert!(table.contains(part), "{part} in {table}");
    }
}

#[test]
fn wrong_input_says_what_to_do() {
    let check = |args: &[&str], expected: &str| {
        let output = surehold(&[&["bench", "holds"], args].concat());
        assert!(!output.status.success(), "{args:?}");
        assert!(output.stdout.is_empty(), "{args:?}");
        let message = text(&output.stderr);
        assert!(message.contains(expected), "{args:?}: {message}");
    };
    check(&["--clients", "0"], "0 is not in 1..=10000");
    check(&["--nights", "101"], "101 is not in 1..=100");
    check(&["--store", "oracle"], "possible values: sqlite, postgres");
    check(&["--store", "postgres"], "--store postgres needs --url");
    check(&["--against", "textbook"], "--against textbook runs on Postgres; add --store postgres --url");
    check(&["--engines", "2"], "an SQLite file has one writer; --engines needs --store postgres");
    check(&["--hot", "--pools", "3"], "cannot be used with");
    check(&["--dir", "/no/such/folder"], "choose another --dir");
    check(&["--store", "postgres", "--url", "nonsense"], "the address is not one");
    check(&["--store", "postgres", "--url", "postgres://nobody@127.0.0.1:1/x"], "cannot connect to Postgres");
}
