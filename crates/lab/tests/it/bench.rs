//! `surehold-lab bench`: the report of every bench, and those of holds, operations and audits.

use std::path::Path;

use serde_json::Value;
use surehold_testkit::fixture::fresh_database;

use crate::{surehold_lab, text};

/// As short as a measurement can be: these tests look at what is reported, not at how fast it is.
pub(crate) const QUICK: &[&str] =
    &["--seconds", "0.3", "--warmup-seconds", "0", "--rounds", "2", "--probe-seconds", "0.05"];

/// The report, and its cases by name.
pub(crate) fn report(args: &[&str]) -> Value {
    let output = surehold_lab(&[&["bench"], args, &["--json"]].concat());
    assert!(output.status.success(), "{args:?}: {}", text(&output.stderr));
    let report: Value = serde_json::from_str(&text(&output.stdout)).unwrap();
    assert_eq!(report["bench"], args[0], "{report}");
    check_build(&report["build"]);
    report
}

pub(crate) fn case<'a>(report: &'a Value, name: &str) -> &'a Value {
    report["cases"].as_array().unwrap().iter().find(|case| case["name"] == name).unwrap_or(&Value::Null)
}

pub(crate) fn check_positive(side: &Value, fields: &[&str]) {
    for field in fields {
        assert!(side[field].as_f64().is_some_and(|value| value > 0.0), "{field} in {side}");
    }
}

/// Linux counts in hundredths of a second: a case that is as short as in tests may have taken none.
pub(crate) fn check_cpu(side: &Value, fields: &[&str]) {
    for field in fields {
        assert!(side[field].as_f64().is_some_and(|value| value >= 0.0), "{field} in {side}");
    }
}

/// The bench measures nothing and says what to do.
pub(crate) fn check_refused(bench: &str, args: &[&str], expected: &str) {
    let output = surehold_lab(&[&["bench", bench], args].concat());
    assert!(!output.status.success(), "{args:?}");
    assert!(output.stdout.is_empty(), "{args:?}");
    let message = text(&output.stderr);
    assert!(message.contains(expected), "{args:?}: {message}");
}

/// Cargo puts executables into a folder of the profile's name; that of `dev` is `debug`.
fn profile() -> &'static str {
    let folder = Path::new(crate::PROGRAM).parent().unwrap().file_name().unwrap().to_str().unwrap();
    if folder == "debug" { "dev" } else { folder }
}

fn check_build(build: &Value) {
    assert_eq!(build["profile"], profile(), "{build}");
    assert!(["0", "1", "2", "3", "s", "z"].contains(&build["opt_level"].as_str().unwrap()), "{build}");
    assert_eq!(build["debug_assertions"], cfg!(debug_assertions), "{build}");
}

fn measure(args: &[&str]) -> Value {
    let report = report(&[&["holds"], QUICK, args].concat());
    let holds = case(&report, "holds");
    check_positive(holds, &["rate_per_s", "p50_us", "p99_us", "p999_us", "mean_batch", "fdatasync_per_s"]);
    check_positive(&holds["against"][0], &["rate_per_s", "ratio"]);
    assert_eq!(holds["errors"], 0, "{report}");
    let mut holds = holds.clone();
    holds["store"] = report["store"].clone();
    holds
}

#[test]
fn sqlite() {
    let single = measure(&[]);
    check_cpu(&single, &["cpu_us"]);
    check_positive(&single, &["cpu_resolution_us"]);
    assert_eq!(single["against"][0]["name"], "fdatasync");
    let batched = measure(&["--batch", "500", "--clients", "2", "--pools", "20", "--tenants", "2", "--nights", "1"]);
    check_cpu(&batched, &["cpu_us"]);
    assert!(batched["mean_batch"].as_f64().unwrap() >= 500.0);
    assert_eq!(measure(&["--against", "undisturbed"])["against"][0]["name"], "undisturbed");
    assert_eq!(measure(&["--against", "small", "--prefill", "20000"])["prefilled"], 20_000);
}

#[tokio::test]
async fn postgres() {
    let url = fresh_database().await.unwrap();
    let postgres = |args: &[&str]| measure(&[&["--store", "postgres", "--url", &url], args].concat());
    assert_eq!(postgres(&[])["store"], "postgres");
    let textbook = postgres(&["--against", "textbook", "--clients", "8", "--against-clients", "4"]);
    check_cpu(&textbook, &["cpu_us"]);
    assert_eq!(textbook["against"][0]["name"], "textbook, 4 clients");
    assert_eq!(postgres(&["--against", "one-engine", "--engines", "2"])["engines"], 2);
    assert_eq!(postgres(&["--against", "undisturbed"])["against"][0]["name"], "undisturbed");
}

#[test]
fn a_table_for_people() {
    let output = surehold_lab(&[&["bench", "holds", "--clients", "4"], QUICK].concat());
    let table = text(&output.stdout);
    for part in ["surehold on sqlite", "per s", "p99.9", "CPU each", "fdatasync", "ratio", "mean batch"] {
        assert!(table.contains(part), "{part} in {table}");
    }
    assert!(table.starts_with(&format!("build: profile {}, opt-level ", profile())), "{table}");
}

#[test]
fn operations() {
    let quick = &["operations", "--operations", "1000", "--rounds", "2"];
    let drained = report(quick);
    for name in ["drain", "enqueue"] {
        let case = case(&drained, name);
        check_positive(case, &["rate_per_s"]);
        check_cpu(case, &["cpu_us"]);
        assert_eq!((&case["count"], case["rounds_per_s"].as_array().unwrap().len()), (&2_000.into(), 2), "{drained}");
    }
    let flow = report(&[quick, &["--case", "flow"][..]].concat());
    check_positive(case(&flow, "flow"), &["rate_per_s"]);
    check_cpu(case(&flow, "flow"), &["cpu_us"]);
    let finished = report(&[quick, &["--case", "finished", "--finished", "1000"][..]].concat());
    check_positive(&case(&finished, "drain")["against"][0], &["rate_per_s", "ratio"]);
}

#[test]
fn audits() {
    let args = ["audit", "--holds", "2000", "--pools", "10", "--clients", "4", "--seconds", "1"];
    let report = report(&args);
    for name in ["audit-alone", "audit-beside-clients"] {
        check_positive(case(&report, name), &["audit_seconds", "peak_rss_mib", "rows_read"]);
    }
    check_positive(&case(&report, "holds")["against"][0], &["rate_per_s", "p99_us"]);
}

#[test]
fn wrong_input_says_what_to_do() {
    let check = |args: &[&str], expected: &str| check_refused("holds", args, expected);
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
