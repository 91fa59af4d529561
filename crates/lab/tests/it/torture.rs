//! Short runs of `surehold-lab torture`: every fault does what it says, and whatever ends the run, nothing stays behind.

use std::io::Read;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output, Stdio};
use std::time::{Duration, Instant};

use serde_json::Value;
use tempfile::TempDir;

use crate::{surehold_lab, text};

/// Far beyond anything a test waits for.
const PATIENCE: Duration = Duration::from_mins(1);
/// Over as soon as every fault has been done.
const AT_ONCE: &str = "0.01";

fn torture(folder: &Path, store: &str, minutes: &str, faults: &str) -> Command {
    let mut command = Command::new(crate::PROGRAM);
    command.args(["torture", "--store", store, "--minutes", minutes, "--seed", "7", "--clients", "4"]);
    command.args(["--faults", faults, "--folder"]).arg(folder);
    command
}

/// What was done, by the names of faults and in this order.
fn faults_done(folder: &Path) -> Vec<(String, Value)> {
    let lines = std::fs::read_to_string(folder.join("faults.jsonl")).unwrap();
    let lines = lines.lines().map(|line| serde_json::from_str::<Value>(line).unwrap());
    let done = lines.filter(|line| line["done"] == true);
    done.map(|line| (line["kind"].as_str().unwrap().to_owned(), line["detail"].clone())).collect()
}

/// Commands of processes in which the folder is named, this one excepted.
fn processes_of(folder: &Path) -> Vec<String> {
    let folder = folder.to_str().unwrap();
    let processes = std::fs::read_dir("/proc").unwrap().flatten();
    let commands = processes.filter_map(|process| std::fs::read(process.path().join("cmdline")).ok());
    let commands = commands.map(|command| String::from_utf8_lossy(&command).replace('\0', " "));
    commands.filter(|command| command.contains(folder)).collect()
}

fn wait_until(what: &str, mut is_so: impl FnMut() -> bool) {
    let begun = Instant::now();
    while !is_so() {
        assert!(begun.elapsed() < PATIENCE, "not in time: {what}");
        std::thread::sleep(Duration::from_millis(20));
    }
}

/// Each of them is done.
fn check_faults(store: &str, faults: &[&str]) -> Vec<(String, Value)> {
    let place = RunFolder::new();
    let folder = place.folder();
    let once: Vec<String> = faults.iter().map(|fault| format!("{fault}=1")).collect();
    let output = torture(&folder, store, AT_ONCE, &once.join(",")).output().unwrap();
    let (page, said) = (text(&output.stdout), text(&output.stderr));
    assert_eq!(output.status.code(), Some(0), "{page}\n{said}");
    assert_eq!(std::fs::read_to_string(folder.join("report.md")).unwrap(), page);
    let done = faults_done(&folder);
    for fault in faults {
        assert!(done.iter().any(|(kind, _)| kind == fault), "{fault}: {done:?}");
    }
    assert_eq!(processes_of(&folder), Vec::<String>::new());
    done
}

fn check_every_fault(store: &str, faults: &[&str]) {
    let done = check_faults(store, faults);
    let details = |fault: &str| done.iter().find(|(kind, _)| kind == fault).map(|(_, detail)| detail.clone()).unwrap();
    assert_eq!(details("freeze")["in_batch"], true, "{done:?}");
    assert!(details("kill")["recovery"]["took_ms"].is_u64(), "{done:?}");
}

#[test]
fn every_fault_on_sqlite() {
    check_every_fault("sqlite", &["kill", "freeze", "restart-storm", "stop"]);
}

#[test]
fn every_fault_on_postgres() {
    let faults = [
        "kill",
        "kill-worker",
        "freeze",
        "freeze-worker",
        "restart-postgres",
        "terminate-backend",
        "cut-before-commit",
        "cut-after-commit",
        "cut-late-commit",
        "latency",
        "restart-storm",
        "stop",
    ];
    check_every_fault("postgres", &faults);
}

/// Where the machine does not allow it, it says so and goes on without.
#[test]
fn what_depends_on_the_machine() {
    let place = RunFolder::new();
    let folder = place.folder();
    let output = torture(&folder, "sqlite", AT_ONCE, "disk-full,clock-jump,kill=1").output().unwrap();
    let page = text(&output.stdout);
    assert_eq!(output.status.code(), Some(0), "{page}\n{}", text(&output.stderr));
    let machine = ["disk-full", "clock-jump"];
    let (impossible, possible): (Vec<&str>, Vec<&str>) =
        machine.into_iter().partition(|fault| page.contains(&format!("not possible: {fault}")));
    for fault in impossible {
        let said = surehold_lab(&["torture", "--store", "sqlite", "--faults", &format!("{fault}=1")]);
        assert_eq!(said.status.code(), Some(2), "{fault}: {}", text(&said.stderr));
    }
    if !possible.is_empty() {
        check_faults("sqlite", &possible);
    }
}

/// Where a run is kept, also afterwards if the test fails.
struct RunFolder(Option<TempDir>);

impl RunFolder {
    fn new() -> RunFolder {
        RunFolder(Some(tempfile::tempdir().unwrap()))
    }

    fn folder(&self) -> PathBuf {
        self.0.as_ref().unwrap().path().canonicalize().unwrap().join("run")
    }
}

impl Drop for RunFolder {
    fn drop(&mut self) {
        if std::thread::panicking() {
            eprintln!("everything is in {}", self.0.take().unwrap().keep().display());
        }
    }
}

struct Running(Child);

impl Drop for Running {
    fn drop(&mut self) {
        // Most have ended.
        let _ = self.0.kill();
    }
}

impl Running {
    /// Waits until the first server listens.
    fn start(folder: &Path, faults: &str) -> Running {
        let mut command = torture(folder, "sqlite", "5", faults);
        let running = Running(command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap());
        let faults = folder.join("faults.jsonl");
        wait_until("a fault was done", || std::fs::read_to_string(&faults).is_ok_and(|faults| !faults.is_empty()));
        running
    }

    fn signal(&self, name: &str) {
        let id = self.0.id().to_string();
        assert!(Command::new("kill").args([&format!("-{name}"), &id]).status().unwrap().success());
    }

    fn output(mut self) -> Output {
        // Both are short.
        let read = |mut from: Box<dyn Read>| {
            let mut bytes = Vec::new();
            from.read_to_end(&mut bytes).unwrap();
            bytes
        };
        let stderr = read(Box::new(self.0.stderr.take().unwrap()));
        let stdout = read(Box::new(self.0.stdout.take().unwrap()));
        Output { status: self.0.wait().unwrap(), stdout, stderr }
    }
}

#[test]
fn interrupted_it_heals_and_judges() {
    let place = RunFolder::new();
    let folder = place.folder();
    let running = Running::start(&folder, "kill");
    running.signal("INT");
    let output = running.output();
    assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
    assert!(text(&output.stdout).contains("no violations, stopped early"), "{}", text(&output.stdout));
    assert_eq!(processes_of(&folder), Vec::<String>::new());
}

#[test]
fn killed_it_leaves_nobody_behind() {
    let place = RunFolder::new();
    let folder = place.folder();
    // A frozen server listens to no other signal than the one that it gets then.
    let running = Running::start(&folder, "kill=1,freeze=1000");
    assert_ne!(processes_of(&folder), Vec::<String>::new());
    running.signal("KILL");
    running.output();
    wait_until("everybody has ended", || processes_of(&folder).is_empty());
}

#[test]
fn what_cannot_be_is_refused() {
    let check = |args: &[&str], expected: &str| {
        let output = surehold_lab(&[&["torture"], args].concat());
        let said = text(&output.stderr);
        assert_eq!((output.status.code(), said.contains(expected)), (Some(2), true), "{args:?}: {said}");
    };
    check(&["--store", "sqlite", "--faults", "murder"], "there is no fault `murder`");
    check(&["--store", "sqlite", "--faults", "restart-postgres=1"], "not possible here: there is no Postgres");
    check(&["--store", "sqlite", "--minutes", "0"], "more than 0");
    check(&["--store", "sqlite", "--folder", "/proc"], "no earlier run left it");
}
