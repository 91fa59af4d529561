//! `surehold-lab bench http` where it needs no other server than the bare endpoint.

use std::io::{BufRead, BufReader};
use std::process::{Command, Stdio};

use serde_json::Value;

use crate::bench::{QUICK, case, check_cpu, check_positive, check_refused, report};
use crate::{surehold_lab, text};

const BARE: &[&str] = &["http", "--case", "bare", "--connections", "4"];

#[test]
fn the_bare_endpoint_against_itself() {
    let check = |args: &[&str], pace: &str| {
        let report = report(&[BARE, QUICK, args].concat());
        let bare = case(&report, "bare");
        check_positive(bare, &["rate_per_s", "p50_us", "p99_us", "p999_us", "answer_bytes"]);
        check_cpu(bare, &["cpu_us", "generator_cpu_us"]);
        check_positive(bare, &["cpu_resolution_us", "peak_rss_bytes"]);
        check_positive(bare, &["fdatasync_per_s", "fdatasync_median_us", "p99_per_fdatasync"]);
        let against = &bare["against"][0];
        check_positive(against, &["ratio"]);
        assert_eq!(bare["pace"], pace, "{report}");
        assert_eq!(bare["errors"], 0, "{report}");
        assert_eq!(bare["mean_batch"], Value::Null, "{report}");
        assert_eq!(against["name"], "bare endpoint", "{report}");
        assert_eq!(against["answer_bytes"], bare["answer_bytes"], "{report}");
        bare.clone()
    };
    check(&["--closed"], "closed");
    let open = check(&["--rate", "1000"], "open");
    assert_eq!(open["count"], 300, "two rounds of 150 ms, each with 150 whole intervals");
}

#[test]
fn a_table_for_people() {
    let output = surehold_lab(&[&["bench"], BARE, QUICK].concat());
    let table = text(&output.stdout);
    for part in ["bare endpoint", "p99.9", "CPU each", "ratio", "CPU ratio", "generator CPU", "peak RSS", "fdatasync"] {
        assert!(table.contains(part), "{part} in {table}");
    }
}

/// The servers of an interrupted run are gone when it is.
#[test]
fn an_interrupted_run_leaves_nothing_behind() {
    let folder = tempfile::tempdir().unwrap();
    let mut bench = Command::new(crate::PROGRAM);
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
    let check = |args: &[&str], expected: &str| check_refused("http", args, expected);
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
