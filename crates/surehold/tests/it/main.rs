//! The binary as its users meet it.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on should stop there")]

mod canary;
mod cli;
mod crash;
mod demo;
mod doctor;
mod malformed;
mod readme;
mod serve;
mod tls;
mod webhooks;

use std::path::Path;
use std::process::{Command, Output};

use surehold_testkit::live::Place;

const PROGRAM: &str = env!("CARGO_BIN_EXE_surehold");

/// Runs `surehold` in a folder of its own.
fn surehold(args: &[&str]) -> Output {
    let folder = tempfile::tempdir().unwrap();
    Command::new(PROGRAM).args(args).current_dir(folder.path()).output().unwrap()
}

/// Where a server of `surehold` is served from.
fn place(folder: &Path) -> Place {
    Place::new(PROGRAM, folder)
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8(bytes.to_vec()).unwrap()
}
