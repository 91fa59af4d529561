//! `surehold bench stock`.

use serde_json::Value;
use surehold_lab::fixture::fresh_database;

use crate::{surehold, text};

/// A small shop for a second.
const QUICK: &[&str] = &[
    "bench",
    "stock",
    "--seconds",
    "1",
    "--warmup-seconds",
    "0",
    "--clients",
    "4",
    "--documents",
    "400",
    "--rows",
    "5000",
    "--later-rows",
    "1200",
    "--holders",
    "2",
];

fn measure(args: &[&str]) -> Value {
    let output = surehold(&[QUICK, &["--json"], args].concat());
    assert!(output.status.success(), "{args:?}: {}", text(&output.stderr));
    serde_json::from_str(&text(&output.stdout)).unwrap()
}

fn check_side(side: &Value) {
    for field in ["done", "rate_per_s", "p50_us", "p99_us"] {
        assert!(side[field].as_f64().unwrap() > 0.0, "{field} in {side}");
    }
    assert_eq!(side["errors"], 0, "{side}");
}

fn check_ledgers(report: &Value) {
    let (replay, late) = (&report["replay"], &report["backdated"]);
    assert_eq!(replay["rows"], 5_000, "{report}");
    assert!(replay["audit_rows_read"].as_u64().unwrap() >= 5_000, "{report}");
    assert_eq!((&late["later_rows"], &late["revalued_rows"]), (&1_200.into(), &1_200.into()), "{report}");
    check_side(&late["holds_before"]);
    check_side(&late["holds_meanwhile"]);
}

#[test]
fn sqlite() {
    let report = measure(&[]);
    for (case, products) in [("hot", 1), ("hundred", 100), ("uniform", 1_000)] {
        check_side(&report[case]["ours"]);
        assert_eq!(report[case]["products"], products, "{report}");
        assert_eq!(report[case]["against"], Value::Null, "{report}");
    }
    assert_eq!(report["deadlock"], Value::Null, "{report}");
    check_ledgers(&report);
    let met =
        |what: &str| report["bars"].as_array().unwrap().iter().find(|bar| bar["what"] == what).unwrap()["met"] == true;
    assert!(met("one product, errors") && met("late document, errors of holds"), "{report}");
}

#[tokio::test]
async fn postgres() {
    let url = fresh_database().await.unwrap();
    let report = measure(&["--store", "postgres", "--url", &url]);
    for case in ["hot", "hundred", "uniform"] {
        for side in ["ours", "against", "against_best"] {
            check_side(&report[case][side]);
        }
        assert_eq!(report[case]["against"]["clients"], 4, "{report}");
        for ratio in ["ratio", "ratio_best", "p99_ratio"] {
            assert!(report[case][ratio].as_f64().unwrap() > 0.0, "{report}");
        }
    }
    check_ledgers(&report);
    let trap = &report["deadlock"];
    check_side(&trap["ours"]);
    assert_eq!((&trap["ours"]["done"], &trap["ours_deadlocks"]), (&400.into(), &0.into()), "{report}");
    assert!(trap["against_deadlocks"].as_i64().unwrap() > 0, "{report}");
    assert!(trap["against_deadlocks_answered"].as_i64().unwrap() > 0, "{report}");
    // The same database once more, and one case alone.
    let again = measure(&["--store", "postgres", "--url", &url, "--case", "hundred"]);
    check_side(&again["hundred"]["ours"]);
    assert_eq!((&again["hot"], &again["replay"]), (&Value::Null, &Value::Null), "{again}");
}

#[test]
fn a_table_for_people() {
    let output = surehold(&[QUICK, &["--case", "hot", "--case", "backdated"]].concat());
    let table = text(&output.stdout);
    for part in ["one product: surehold, 4 clients", "mean batch", "1200 later rows", "✓ one product, errors"] {
        assert!(table.contains(part), "{part} in {table}");
    }
    assert!(!table.contains("100 products") && !table.contains("audit"), "{table}");
}

#[test]
fn wrong_input_says_what_to_do() {
    let check = |args: &[&str], expected: &str| {
        let output = surehold(&[&["bench", "stock"], args].concat());
        assert!(!output.status.success(), "{args:?}");
        assert!(output.stdout.is_empty(), "{args:?}");
        let message = text(&output.stderr);
        assert!(message.contains(expected), "{args:?}: {message}");
    };
    check(&["--case", "other"], "possible values: hot, hundred, uniform, deadlock, replay, backdated");
    check(&["--clients", "0"], "0 is not in 1..=10000");
    check(&["--store", "postgres"], "--store postgres needs --url");
    check(&["--url", "postgres://nobody@127.0.0.1:1/x"], "--store postgres needs --url");
    check(&["--case", "deadlock"], "the trap is one of Postgres");
    check(&["--dir", "/no/such/folder"], "choose another --dir");
}
