//! Finds the Postgres server programs, a C++ compiler and npm, and installs them where that needs no questions.

use std::env;
use std::path::PathBuf;
use std::process::{Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail, ensure};
use surehold_private_servers::{account, programs};

const INSTALL: &str = "apt-get install -y --no-install-recommends postgresql openssl curl strace faketime";
const INSTALL_TOOLS: &str = "apt-get install -y --no-install-recommends openssl curl strace faketime";
const INSTALL_NPM: &str = "apt-get install -y --no-install-recommends nodejs npm";
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
        programs::NAMES.join(", ")
    );
    install("Postgres", INSTALL)?;
    match find() {
        Some(folder) => Ok(folder),
        None => bail!("`{INSTALL}` ran, yet {} are still missing", programs::NAMES.join(", ")),
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

/// It installs the generators of clients, and the Node.js that they run on. A missing one is a failure, never a skip.
pub(crate) fn find_or_install_npm() -> Result<()> {
    if on_path("npm").is_some() {
        return Ok(());
    }
    ensure!(
        account::is_root()? && on_path("apt-get").is_some(),
        "generated clients need npm\nhint: run `sudo {INSTALL_NPM}`, or put it on the PATH"
    );
    install("npm", INSTALL_NPM)
}

fn find() -> Option<PathBuf> {
    has_tools().then(|| programs::find().ok()).flatten()
}

fn on_path(program: &str) -> Option<PathBuf> {
    let path = env::var_os("PATH")?;
    env::split_paths(&path).map(|folder| folder.join(program)).find(|file| file.is_file())
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
    use super::is_locked;

    #[test]
    fn a_lock_is_no_failure() {
        let check = |errors: &str, expected: bool| assert_eq!(is_locked(errors), expected, "{errors}");
        check("E: Could not get lock /var/lib/apt/lists/lock. It is held by process 77 (apt-get)\n", true);
        check("E: Unable to lock directory /var/lib/apt/lists/\n", true);
        check("E: Could not get lock /var/lib/dpkg/lock-frontend. It is held by process 77 (dpkg)\n", true);
        check("E: Unable to locate package postgresql\n", false);
        check("", false);
    }
}
