//! How cargo is run, so that nothing is compiled twice: one folder, one set of features, one wrapper of the compiler.
//!
//! Features: cargo unifies them over the selected packages, and includes those of dev-dependencies as soon as tests or
//! examples are selected. So every command selects the whole workspace with `--tests`, `--test` or `--examples`.

use std::env;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use anyhow::{Context, Result, ensure};

use crate::names;

pub(crate) const ROOT: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/..");

/// Warnings of the compiler and of clippy are errors. The separator is that of `cargo clippy`.
const CLIPPY_ARGS: &str = "-D__CLIPPY_HACKERY__warnings__CLIPPY_HACKERY__";

pub(crate) fn cargo() -> Command {
    let mut cargo = Command::new(program());
    cargo.current_dir(ROOT);
    // `cargo run` describes this package to this process. Passed on, that would make
    // build scripts that watch these variables run again on every change of caller.
    for (name, _) in env::vars_os() {
        let name = name.to_string_lossy();
        if name.starts_with("CARGO_PKG_") || name.starts_with("CARGO_MANIFEST_") {
            cargo.env_remove(&*name);
        }
    }
    cargo
}

/// Cargo with clippy in the place of the compiler for the workspace's own crates: one pass builds and lints them.
pub(crate) fn linting_cargo() -> Command {
    let beside_cargo = Path::new(&program()).with_file_name("clippy-driver");
    let driver = if beside_cargo.is_file() { beside_cargo } else { "clippy-driver".into() };
    let mut cargo = cargo();
    cargo.env("RUSTC_WORKSPACE_WRAPPER", driver).env("CLIPPY_ARGS", CLIPPY_ARGS);
    cargo
}

fn program() -> std::ffi::OsString {
    env::var_os("CARGO").unwrap_or_else(|| "cargo".into())
}

/// Runs cargo with the words of `line` behind the arguments that it has.
pub(crate) fn run(mut cargo: Command, line: &str, variables: &[(&'static str, String)]) -> Result<()> {
    cargo.args(line.split_whitespace()).envs(variables.iter().map(|(name, value)| (name, value)));
    let words: Vec<_> = cargo.get_args().map(std::ffi::OsStr::to_string_lossy).collect();
    let shown = words.join(" ");
    let status = cargo.status().with_context(|| format!("cannot run `cargo {shown}`"))?;
    ensure!(status.success(), "`cargo {shown}` failed\nhint: its output is above");
    Ok(())
}

pub(crate) fn is_installed(subcommand: &str) -> bool {
    let version = cargo().args([subcommand, "--version"]).stdout(Stdio::null()).stderr(Stdio::null()).status();
    version.is_ok_and(|status| status.success())
}

/// Builds the executables that proofs start, as the tests build them.
pub(crate) fn build_executables() -> Result<()> {
    let mut build = linting_cargo();
    build.args(["build", "--workspace", "--locked", "--examples", "--bin", names::SERVER, "--bin", names::LAB]);
    run(build, "", &[])
}

/// This program's own folder is where cargo puts the others.
pub(crate) fn executables() -> Result<PathBuf> {
    let this = env::current_exe().context("cannot find the path of this program")?;
    Ok(this.parent().map(Path::to_path_buf).unwrap_or_default())
}

pub(crate) fn build_folder() -> Result<PathBuf> {
    Ok(executables()?.parent().map(Path::to_path_buf).unwrap_or_default())
}

pub(crate) fn executable(name: &str) -> Result<PathBuf> {
    let program = executables()?.join(name);
    ensure!(program.is_file(), "{} is missing\nhint: run `cargo build`", program.display());
    Ok(program)
}
