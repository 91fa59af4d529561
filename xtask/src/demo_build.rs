//! Measures what somebody waits for who tries the demo: a release build from nothing, with the crates downloaded.

use std::fs;
use std::path::PathBuf;
use std::process::Command;
use std::time::{Duration, Instant};

use anyhow::{Context, Result, ensure};
use serde_json::{Value, json};

use crate::cargo::{ROOT, build_folder, cargo};
use crate::names;
use crate::summary::clock;

pub(crate) struct Measured {
    pub(crate) took: Duration,
    pub(crate) commit: String,
}

pub(crate) fn run() -> Result<()> {
    let status = cargo().args(["fetch", "--locked"]).status().context("cannot run cargo")?;
    ensure!(status.success(), "the crates cannot be downloaded, see above");
    let folder = build_folder()?.join("demo-build");
    remove(&folder)?;
    let begun = Instant::now();
    let mut build = cargo();
    build.args(["build", "--release", "--locked", "--package", names::SERVER, "--bin", names::SERVER, "--target-dir"]);
    let status = build.arg(&folder).status().context("cannot run cargo")?;
    let took = begun.elapsed();
    ensure!(status.success(), "the demo does not build, see above");
    let bytes = fs::metadata(folder.join("release").join(names::SERVER)).map_or(0, |file| file.len());
    remove(&folder)?;
    let commit = commit()?;
    let record = json!({"seconds": took.as_secs(), "commit": commit});
    let path = record_path()?;
    fs::write(&path, record.to_string()).with_context(|| format!("cannot write {}", path.display()))?;
    eprintln!("demo build {} at {commit}; the executable has {} MB", clock(took), bytes / 1_000_000);
    Ok(())
}

/// The last measurement in this build folder.
pub(crate) fn last() -> Option<Measured> {
    let record: Value = serde_json::from_slice(&fs::read(record_path().ok()?).ok()?).ok()?;
    let took = Duration::from_secs(record["seconds"].as_u64()?);
    Some(Measured { took, commit: record["commit"].as_str()?.to_owned() })
}

fn record_path() -> Result<PathBuf> {
    Ok(build_folder()?.join("demo-build.json"))
}

fn remove(folder: &PathBuf) -> Result<()> {
    if folder.exists() {
        fs::remove_dir_all(folder).with_context(|| format!("cannot remove {}", folder.display()))?;
    }
    Ok(())
}

/// With a mark if files differ from it.
fn commit() -> Result<String> {
    let output =
        Command::new("git").args(["describe", "--always", "--dirty", "--exclude=*"]).current_dir(ROOT).output();
    let output = output.context("cannot run git")?;
    Ok(String::from_utf8_lossy(&output.stdout).trim().to_owned())
}
