//! `surehold bench http` against `surehold serve`.

use serde_json::Value;

use crate::{surehold, text};

fn measure(args: &[&str]) -> Value {
    let quick = ["bench", "http", "--seconds", "1", "--warmup-seconds", "0", "--json"];
    let output = surehold(&[&quick, args].concat());
    assert!(output.status.success(), "{args:?}: {}", text(&output.stderr));
    serde_json::from_str(&text(&output.stdout)).unwrap()
}

#[test]
fn every_case_gives_figures_without_errors() {
    let check = |args: &[&str], against: &str| {
        let report = measure(args);
        for field in ["rate_per_s", "p99_us", "cpu_us", "peak_rss_bytes", "p99_per_fdatasync", "ratio"] {
            assert!(report[field].as_f64().unwrap() > 0.0, "{args:?}: {field} in {report}");
        }
        assert_eq!(report["errors"], 0, "{args:?}: {report}");
        assert_eq!(report["against"]["errors"], 0, "{args:?}: {report}");
        assert_eq!(report["against"]["name"], against, "{args:?}: {report}");
        report
    };
    let holds = check(&["--case", "holds", "--connections", "8", "--pools", "20"], "bare endpoint");
    assert!(holds["mean_batch"].as_f64().unwrap() >= 1.0, "{holds}");
    check(&["--case", "holds", "--rate", "200"], "bare endpoint");
    check(&["--case", "sold-out", "--connections", "8"], "bare endpoint");
    let batches = check(&["--case", "batch", "--batch", "500"], "fdatasync");
    assert!(batches["holds"].as_u64().unwrap() % 500 == 0, "{batches}");
    let half = check(&["--case", "half-max", "--connections", "8"], "maximum");
    assert_eq!(half["pace"], "open", "{half}");
    assert!(half["ratio"].as_f64().unwrap() < 0.6, "{half}");
    let crowd = check(&["--case", "crowd", "--connections", "4", "--idle", "40", "--slow", "5"], "without the crowd");
    assert!(crowd["crowd_cuts"].is_u64(), "{crowd}");
}

/// The rival is fair only while it answers as much.
#[test]
fn the_bare_endpoint_answers_as_many_bytes() {
    let report = measure(&["--case", "holds", "--connections", "2"]);
    let bytes = |report: &Value| report["answer_bytes"].as_f64().unwrap();
    let (ours, bare) = (bytes(&report), bytes(&report["against"]));
    assert!((bare / ours - 1.0).abs() < 0.05, "ours {ours}, bare {bare}: adjust the answer in bare.rs");
}

#[test]
fn starts_are_timed() {
    let report = measure(&["--case", "start"]);
    assert_eq!(report["starts_ms"].as_array().unwrap().len(), 5);
    assert!(report["median_ms"].as_f64().unwrap() > 0.0);
}
