//! The binary as its users meet it.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on should stop there")]

mod bench;
mod bench_http;
mod bench_http_serve;
mod bench_stays;
mod bench_stock;
mod canary;
mod cli;
mod crash;
mod demo;
mod doctor;
mod full_house;
mod full_warehouse;
mod live;
mod malformed;
mod readme;
mod serve;
mod tls;
mod torture;
mod webhooks;

use std::process::{Command, Output};

/// Runs `surehold` in a folder of its own.
fn surehold(args: &[&str]) -> Output {
    let folder = tempfile::tempdir().unwrap();
    Command::new(env!("CARGO_BIN_EXE_surehold")).args(args).current_dir(folder.path()).output().unwrap()
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8(bytes.to_vec()).unwrap()
}
