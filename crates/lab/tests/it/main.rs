//! Faults, torture and benches as their users meet them.
#![allow(clippy::unwrap_used, reason = "a test that unwraps what is not there has failed, as it should")]

mod bench;
mod bench_http;
mod bench_http_serve;
mod bench_stays;
mod bench_stock;
mod faults;
mod full_house;
mod full_warehouse;
mod http_load;
mod readme;
mod torture;
mod torture_auditor;
mod torture_workload;

use std::path::Path;
use std::process::{Command, Output};

use surehold_testkit::fixture::{StoreKind, fresh_database};
use surehold_testkit::live::Place;

const PROGRAM: &str = env!("CARGO_BIN_EXE_surehold-lab");

/// Runs `surehold-lab` in a folder of its own.
fn surehold_lab(args: &[&str]) -> Output {
    let folder = tempfile::tempdir().unwrap();
    Command::new(PROGRAM).args(args).current_dir(folder.path()).output().unwrap()
}

/// Where a node of `surehold-lab` is served from.
fn place(folder: &Path) -> Place {
    Place::new(PROGRAM, folder)
}

/// The same with a store of the kind, that is the test's own.
async fn place_on(store: StoreKind, folder: &Path) -> Place {
    match store {
        StoreKind::Sqlite => place(folder),
        StoreKind::Postgres => Place { store: Some(fresh_database().await.unwrap()), ..place(folder) },
    }
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8(bytes.to_vec()).unwrap()
}
