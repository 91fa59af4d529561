//! Finds the Postgres server programs and a C++ compiler, and installs them where that needs no questions.

use std::env;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail, ensure};
use surehold_private_servers::account;

/// The server's own, and those that tests run.
const SERVER_PROGRAMS: [&str; 5] = ["initdb", "postgres", "pg_ctl", "pg_dump", "pgbench"];

/// Debian keeps the server programs off the PATH, in a folder per version.
const DEBIAN_ROOT: &str = "/usr/lib/postgresql";

const INSTALL: &str = "apt-get install -y --no-install-recommends postgresql openssl curl strace faketime";
const INSTALL_TOOLS: &str = "apt-get install -y --no-install-recommends openssl curl strace faketime";
const INSTALL_CPP: &str = "apt-get install -y --no-install-recommends g++";

/// What tests run beside the stores.
const TOOLS: [&str; 4] = ["openssl", "curl", "strace", "faketime"];

/// Another process that installs packages is waited for. apt itself waits only for one of its three locks.
const WAIT_FOR_DPKG: &str = "DPkg::Lock::Timeout=600";
const LOCKED_MAX: Duration = Duration::from_mins(10);
const LOCKED_PAUSE: Duration = Duration::from_secs(5);

/// The folder of the server programs. A missing server is a failure, never a skip.
pub(crate) fn find_or_install() -> Result<PathBuf> {
    if let Some(folder) = find() {
        return Ok(folder);
    }
    ensure!(
        account::is_root()? && on_path("apt-get").is_some(),
        "the tests need the Postgres server programs ({}), openssl, curl, strace and faketime\n\
         hint: run `sudo {INSTALL}`, or put the programs on the PATH",
        SERVER_PROGRAMS.join(", ")
    );
    install("Postgres", INSTALL)?;
    match find() {
        Some(folder) => Ok(folder),
        None => bail!("`{INSTALL}` ran, yet {} are still missing", SERVER_PROGRAMS.join(", ")),
    }
}

/// For tests without Postgres.
pub(crate) fn find_or_install_tools() -> Result<()> {
    if has_tools() {
        return Ok(());
    }
    ensure!(
        account::is_root()? && on_path("apt-get").is_some(),
        "the tests need {}\nhint: run `sudo {INSTALL_TOOLS}`, or put the programs on the PATH",
        TOOLS.join(", ")
    );
    install("tools of the tests", INSTALL_TOOLS)
}

fn has_tools() -> bool {
    TOOLS.iter().all(|tool| on_path(tool).is_some())
}

/// The fuzzer's engine is written in C++. A missing compiler is a failure, never a skip.
pub(crate) fn find_or_install_cpp() -> Result<()> {
    if env::var_os("CXX").is_some() || on_path("c++").is_some() {
        return Ok(());
    }
    ensure!(
        account::is_root()? && on_path("apt-get").is_some(),
        "fuzzing needs a C++ compiler\nhint: run `sudo {INSTALL_CPP}`, or put `c++` on the PATH"
    );
    install("a C++ compiler", INSTALL_CPP)
}

fn find() -> Option<PathBuf> {
    if !has_tools() {
        return None;
    }
    // Links are followed because a PATH folder may hold only some of the programs.
    let linked = on_path("initdb").and_then(|path| fs::canonicalize(path).ok());
    let from_path = linked.as_deref().and_then(Path::parent).map(Path::to_path_buf);
    from_path.into_iter().chain(debian_folders()).find(|folder| has_all_programs(folder))
}

fn on_path(program: &str) -> Option<PathBuf> {
    let path = env::var_os("PATH")?;
    env::split_paths(&path).map(|folder| folder.join(program)).find(|file| file.is_file())
}

fn has_all_programs(folder: &Path) -> bool {
    SERVER_PROGRAMS.iter().all(|program| folder.join(program).is_file())
}

/// Highest version first.
fn debian_folders() -> Vec<PathBuf> {
    let entries = fs::read_dir(DEBIAN_ROOT).into_iter().flatten().flatten();
    let mut names: Vec<String> = entries.filter_map(|entry| entry.file_name().into_string().ok()).collect();
    names.sort_by_key(|name| version(name));
    names.iter().rev().map(|name| Path::new(DEBIAN_ROOT).join(name).join("bin")).collect()
}

/// Numbers rather than text, or 9 would come after 17.
fn version(name: &str) -> Vec<u32> {
    name.split('.').filter_map(|part| part.parse().ok()).collect()
}

/// The package may also start a system-wide server; nothing here uses it.
fn install(what: &str, by: &str) -> Result<()> {
    eprintln!("== Installing {what}");
    for line in ["apt-get update", by] {
        let begun = Instant::now();
        while run_apt(line)? == Installed::Locked {
            ensure!(
                begun.elapsed() < LOCKED_MAX,
                "another process holds the package lock for {LOCKED_MAX:?}: `{line}`"
            );
            eprintln!("== Waiting for the package lock");
            thread::sleep(LOCKED_PAUSE);
        }
    }
    Ok(())
}

#[derive(PartialEq, Eq)]
enum Installed {
    Done,
    Locked,
}

fn run_apt(line: &str) -> Result<Installed> {
    let mut words = line.split_whitespace();
    let program = words.next().expect("the lines above are not empty");
    let apt = Command::new(program)
        .args(["-o", WAIT_FOR_DPKG])
        .args(words)
        .env("DEBIAN_FRONTEND", "noninteractive")
        .env("LC_ALL", "C")
        .stderr(Stdio::piped())
        .spawn()
        .and_then(std::process::Child::wait_with_output);
    let output = apt.with_context(|| format!("cannot run `{line}`"))?;
    let errors = String::from_utf8_lossy(&output.stderr);
    eprint!("{errors}");
    if output.status.success() {
        return Ok(Installed::Done);
    }
    ensure!(is_locked(&errors), "`{line}` failed\nhint: run it by hand, then start again");
    Ok(Installed::Locked)
}

/// The lists and the archives have locks of their own, for which apt does not wait.
fn is_locked(errors: &str) -> bool {
    ["Could not get lock ", "Unable to lock directory "].iter().any(|message| errors.contains(message))
}

#[cfg(test)]
mod tests {
    use super::{is_locked, version};

    #[test]
    fn a_lock_is_no_failure() {
        let check = |errors: &str, expected: bool| assert_eq!(is_locked(errors), expected, "{errors}");
        check("E: Could not get lock /var/lib/apt/lists/lock. It is held by process 77 (apt-get)\n", true);
        check("E: Unable to lock directory /var/lib/apt/lists/\n", true);
        check("E: Could not get lock /var/lib/dpkg/lock-frontend. It is held by process 77 (dpkg)\n", true);
        check("E: Unable to locate package postgresql\n", false);
        check("", false);
    }

    #[test]
    fn versions_compare_by_number() {
        let check = |lower: &str, higher: &str| assert!(version(lower) < version(higher), "{lower} < {higher}");
        check("9.6", "17");
        check("9.5", "9.10");
        check("15", "16");
        check("not a version", "15");
    }
}
