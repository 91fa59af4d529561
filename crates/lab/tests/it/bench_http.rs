//! `surehold bench http` where it needs no other server than the bare endpoint.

use std::io::{BufRead, BufReader};
use std::process::{Command, Stdio};

use serde_json::Value;

use crate::{surehold, text};

const QUICK: &[&str] = &["bench", "http", "--seconds", "1", "--warmup-seconds", "0", "--connections", "4"];

#[test]
fn the_bare_endpoint_against_itself() {
    let check = |args: &[&str], pace: &str| {
        let output = surehold(&[QUICK, &["--case", "bare", "--json"], args].concat());
        assert!(output.status.success(), "{}", text(&output.stderr));
        let line = text(&output.stdout);
        let report: Value = serde_json::from_str(&line).unwrap();
        let positive = [
            "rate_per_s",
            "p50_us",
            "p99_us",
            "p999_us",
            "cpu_us",
            "generator_cpu_us",
            "answer_bytes",
            "cpu_resolution_us",
            "peak_rss_bytes",
            "fdatasync_per_s",
            "fdatasync_median_us",
            "p99_per_fdatasync",
            "ratio",
            "cpu_ratio",
        ];
        for field in positive {
            assert!(report[field].as_f64().unwrap() > 0.0, "{field} in {line}");
        }
        assert_eq!(report["case"], "bare", "{line}");
        assert_eq!(report["pace"], pace, "{line}");
        assert_eq!(report["errors"], 0, "{line}");
        assert_eq!(report["mean_batch"], Value::Null, "{line}");
        assert_eq!(report["against"]["name"], "bare endpoint", "{line}");
        assert_eq!(report["against"]["answer_bytes"], report["answer_bytes"], "{line}");
        report
    };
    check(&["--closed"], "closed");
    let open = check(&["--rate", "300"], "open");
    assert_eq!(open["holds"], 297, "three rounds of a third of a second, each with 99 whole intervals");
}

#[test]
fn a_table_for_people() {
    let output = surehold(&[QUICK, &["--case", "bare"]].concat());
    let table = text(&output.stdout);
    for part in ["bare endpoint", "p99.9", "CPU each", "ratio", "CPU ratio", "generator CPU", "peak RSS", "fdatasync"] {
        assert!(table.contains(part), "{part} in {table}");
    }
}

/// The servers of an interrupted run are gone when it is.
#[test]
fn an_interrupted_run_leaves_nothing_behind() {
    let folder = tempfile::tempdir().unwrap();
    let mut bench = Command::new(env!("CARGO_BIN_EXE_surehold"));
    let bench = bench.args(["bench", "http", "--case", "bare", "--seconds", "600", "--dir"]).arg(folder.path());
    let mut bench = bench.stderr(Stdio::piped()).spawn().unwrap();
    let children = format!("/proc/{0}/task/{0}/children", bench.id());
    let children = loop {
        let pids = std::fs::read_to_string(&children).unwrap();
        if pids.split_whitespace().count() == 2 {
            break pids;
        }
        assert!(bench.try_wait().unwrap().is_none(), "it runs until it is interrupted");
        std::thread::yield_now();
    };
    let pid = bench.id().to_string();
    assert!(Command::new("kill").args(["-TERM", &pid]).status().unwrap().success());
    let message = BufReader::new(bench.stderr.take().unwrap()).lines().last().unwrap().unwrap();
    assert!(message.contains("terminated; the servers are stopped"), "{message}");
    assert!(!bench.wait().unwrap().success());
    for pid in children.split_whitespace() {
        assert!(!std::fs::exists(format!("/proc/{pid}")).unwrap(), "{pid} is still there");
    }
}

#[test]
fn wrong_input_says_what_to_do() {
    let check = |args: &[&str], expected: &str| {
        let output = surehold(&[&["bench", "http"], args].concat());
        assert!(!output.status.success(), "{args:?}");
        assert!(output.stdout.is_empty(), "{args:?}");
        let message = text(&output.stderr);
        assert!(message.contains(expected), "{args:?}: {message}");
    };
    check(&["--connections", "0"], "0 is not in 1..=10000");
    check(&["--batch", "10001"], "10001 is not in 1..=10000");
    check(&["--case", "other"], "possible values: holds, sold-out, batch, half-max, crowd, start, bare");
    check(&["--closed", "--rate", "5"], "cannot be used with");
    check(&["--case", "crowd", "--rate", "5"], "leave --rate out");
    check(&["--case", "start", "--server-url", "http://127.0.0.1:1", "--key", "x"], "leave --server-url out");
    check(&["--server-url", "https://127.0.0.1:1", "--key", "x"], "--server-url takes http://host:port");
    check(&["--server-url", "http://127.0.0.1:1"], "--key");
    check(&["--case", "crowd", "--idle", "50000", "--slow", "50000"], "run `ulimit -n 100164` first");
    check(&["--case", "bare", "--dir", "/no/such/folder"], "choose another --dir");
}
