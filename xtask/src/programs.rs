//! Finds the Postgres server programs and a C++ compiler, and installs them where that needs no questions.

use std::env;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result, bail, ensure};

use crate::account;

/// The server's own, and those that tests run.
const SERVER_PROGRAMS: [&str; 5] = ["initdb", "postgres", "pg_ctl", "pg_dump", "pgbench"];

/// Debian keeps the server programs off the PATH, in a folder per version.
const DEBIAN_ROOT: &str = "/usr/lib/postgresql";

const INSTALL: &str = "apt-get install -y --no-install-recommends postgresql openssl curl strace faketime";
const INSTALL_CPP: &str = "apt-get install -y --no-install-recommends g++";

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
    on_path("openssl")?;
    on_path("curl")?;
    on_path("strace")?;
    on_path("faketime")?;
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
        let mut words = line.split_whitespace();
        let program = words.next().expect("the lines above are not empty");
        let status = Command::new(program)
            .args(words)
            .env("DEBIAN_FRONTEND", "noninteractive")
            .status()
            .with_context(|| format!("cannot run `{line}`"))?;
        ensure!(status.success(), "`{line}` failed\nhint: run it by hand, then start again");
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::version;

    #[test]
    fn versions_compare_by_number() {
        let check = |lower: &str, higher: &str| assert!(version(lower) < version(higher), "{lower} < {higher}");
        check("9.6", "17");
        check("9.5", "9.10");
        check("15", "16");
        check("not a version", "15");
    }
}
