//! Where the programs of a Postgres server are: `cargo xtask test` looks here before it installs them, tests when they
//! start a server of their own.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::{env, fs};

use anyhow::{Context, Result};

/// The folder that `cargo xtask test` found, for the tests that it runs.
pub const VARIABLE: &str = "SUREHOLD_TEST_POSTGRES_BIN";

/// The server's own, and those that tests run.
pub const NAMES: [&str; 7] = ["initdb", "postgres", "pg_ctl", "createdb", "dropdb", "pg_dump", "pgbench"];

/// Debian keeps the server programs off the PATH, in a folder per version.
const DEBIAN_ROOT: &str = "/usr/lib/postgresql";

/// The folder that holds all of them: the one that [`VARIABLE`] names, that of the PATH, the one that `pg_config` knows, or
/// that of the newest version that Debian installed.
pub fn find() -> Result<PathBuf> {
    let named = env::var_os(VARIABLE).map(PathBuf::from);
    let mut folders = named.into_iter().chain(folder_on_path()).chain(configured()).chain(debian_folders());
    folders.find(|folder| NAMES.iter().all(|program| folder.join(program).is_file())).with_context(|| {
        format!(
            "no Postgres server is installed ({}): run `cargo xtask test`, which installs one on Debian, or install the \
             server and put `pg_config` into the PATH",
            NAMES.join(", ")
        )
    })
}

fn folder_on_path() -> Option<PathBuf> {
    let found =
        env::split_paths(&env::var_os("PATH")?).map(|folder| folder.join("initdb")).find(|file| file.is_file())?;
    // Links are followed because a PATH folder may hold only some of the programs.
    Some(fs::canonicalize(found).ok()?.parent()?.to_path_buf())
}

fn configured() -> Option<PathBuf> {
    let output = Command::new("pg_config").arg("--bindir").output().ok()?;
    Some(PathBuf::from(String::from_utf8(output.stdout).ok()?.trim_end()))
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
