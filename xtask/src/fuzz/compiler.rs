//! This program in the place of the compiler: the workspace's own crates get coverage counters, and nothing else does.
//! Dependencies stay as the tests have built them, and the fuzzer is led through our code and what is generic in theirs.

use std::env;
use std::ffi::OsString;
use std::process::{Command, ExitCode};

use anyhow::{Context, Result};

/// Set while cargo runs this program as the wrapper of its compiler.
const VARIABLE: &str = "SUREHOLD_XTASK_INSTRUMENTS";

/// As `cargo fuzz` sets them where it runs without a sanitizer: passes of LLVM, which the pinned toolchain has.
/// Optimised a little, or half of the time would go into code that inlining removes.
const FLAGS: [&str; 6] = [
    "-Cpasses=sancov-module",
    "-Cllvm-args=-sanitizer-coverage-level=4",
    "-Cllvm-args=-sanitizer-coverage-inline-8bit-counters",
    "-Cllvm-args=-sanitizer-coverage-pc-table",
    "-Cllvm-args=-sanitizer-coverage-trace-compares",
    "-Copt-level=1",
];

pub(super) fn instrument(cargo: &mut Command) -> Result<()> {
    let this = env::current_exe().context("cannot tell where this program is")?;
    cargo.env("RUSTC_WORKSPACE_WRAPPER", this).env(VARIABLE, "1");
    Ok(())
}

pub(crate) fn is_wanted() -> bool {
    env::var_os(VARIABLE).is_some()
}

/// Runs the compiler that cargo names, with its arguments and ours.
pub(crate) fn run() -> Result<ExitCode> {
    let mut words = env::args_os().skip(1);
    let compiler = words.next().context("cargo names a compiler")?;
    let arguments: Vec<OsString> = words.collect();
    let mut command = Command::new(&compiler);
    command.args(&arguments);
    if compiles_for_the_target(&arguments) {
        command.args(FLAGS);
    }
    let status = command.status().with_context(|| format!("cannot run {}", compiler.display()))?;
    Ok(if status.success() { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

/// Not so questions about the compiler itself, build scripts and macros.
fn compiles_for_the_target(arguments: &[OsString]) -> bool {
    let has = |word: &str| arguments.iter().any(|argument| argument == word);
    has("--crate-name") && !has("build_script_build") && !has("proc-macro")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_gets_counters() {
        let check = |line: &str, expected: bool| {
            let arguments: Vec<OsString> = line.split_whitespace().map(OsString::from).collect();
            assert_eq!(compiles_for_the_target(&arguments), expected, "{line}");
        };
        check("--crate-name surehold_core --crate-type lib src/lib.rs", true);
        check("-vV", false);
        check("--crate-name build_script_build --crate-type bin build.rs", false);
        check("--crate-name macros --crate-type proc-macro src/lib.rs", false);
    }
}
