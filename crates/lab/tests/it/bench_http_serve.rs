//! `surehold-lab bench http` against `surehold serve`.

use serde_json::Value;

use crate::bench::{QUICK, check_cpu, check_positive, report};

/// The one case that was measured.
fn measure(args: &[&str]) -> Value {
    report(&[&["http"], QUICK, args].concat())["cases"][0].clone()
}

#[test]
fn every_case_gives_figures_without_errors() {
    let check = |args: &[&str], against: &str| {
        let report = measure(args);
        check_positive(&report, &["rate_per_s", "p99_us", "peak_rss_bytes", "p99_per_fdatasync"]);
        check_cpu(&report, &["cpu_us"]);
        check_positive(&report["against"][0], &["ratio"]);
        assert_eq!(report["errors"], 0, "{args:?}: {report}");
        assert_eq!(report["against"][0]["errors"], 0, "{args:?}: {report}");
        assert_eq!(report["against"][0]["name"], against, "{args:?}: {report}");
        report
    };
    let holds = check(&["--case", "holds", "--connections", "8", "--pools", "20"], "bare endpoint");
    assert!(holds["mean_batch"].as_f64().unwrap() >= 1.0, "{holds}");
    check(&["--case", "holds", "--rate", "700"], "bare endpoint");
    check(&["--case", "sold-out", "--connections", "8"], "bare endpoint");
    let batches = check(&["--case", "batch", "--batch", "500"], "fdatasync");
    assert!(batches["count"].as_u64().unwrap() % 500 == 0, "{batches}");
    let half = check(&["--case", "half-max", "--connections", "8"], "maximum");
    assert_eq!(half["pace"], "open", "{half}");
    assert!(half["against"][0]["ratio"].as_f64().unwrap() < 0.6, "{half}");
    let crowd = check(&["--case", "crowd", "--connections", "4", "--idle", "40", "--slow", "5"], "without the crowd");
    assert!(crowd["crowd_cuts"].is_u64(), "{crowd}");
}

/// The rival is fair only while it answers as much.
#[test]
fn the_bare_endpoint_answers_as_many_bytes() {
    let report = measure(&["--case", "holds", "--connections", "2"]);
    let bytes = |report: &Value| report["answer_bytes"].as_f64().unwrap();
    let (ours, bare) = (bytes(&report), bytes(&report["against"][0]));
    assert!((bare / ours - 1.0).abs() < 0.05, "ours {ours}, bare {bare}: adjust the answer in bare.rs");
}

#[test]
fn starts_are_timed() {
    let report = measure(&["--case", "start"]);
    assert_eq!(report["starts_ms"].as_array().unwrap().len(), 5);
    assert!(report["median_ms"].as_f64().unwrap() > 0.0);
}
