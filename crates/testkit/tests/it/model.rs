//! Random sequences of commands, on the pure core and on each store at once: the same verdicts, the same records, the
//! same events.
//!
//! The core is told the instants of the store's journal. Commands of one request may be decided in any order, so
//! an order has to be found in which the core agrees.

mod deed;
mod pure;
mod requests;
mod runner;
mod workload;

use std::cell::{Cell, RefCell};

use proptest::test_runner::{Config, RngAlgorithm, TestRng, TestRunner};
use surehold_testkit::fixture::StoreKind;
use tokio::runtime::Runtime;

use runner::{Stage, Tally};
use workload::actions;

const SEED: u8 = 42;
/// Another seed tries other sequences.
const SEED_VARIABLE: &str = "SUREHOLD_MODEL_SEED";
/// A workload that only ever gets refused proves nothing.
const DONE_PERCENT_MIN: u32 = 25;

#[test]
fn sqlite_agrees_with_the_pure_core() {
    check(StoreKind::Sqlite, 300);
}

#[test]
fn postgres_agrees_with_the_pure_core() {
    check(StoreKind::Postgres, 150);
}

fn check(store: StoreKind, cases: u32) {
    let seed = std::env::var(SEED_VARIABLE).map_or(SEED, |text| text.parse().unwrap());
    let runtime = Runtime::new().unwrap();
    let stage = RefCell::new(runtime.block_on(Stage::new(store)));
    let tally = Cell::new(Tally::default());
    let config = Config { cases, failure_persistence: None, max_shrink_iters: 300, ..Config::default() };
    let rng = TestRng::from_seed(RngAlgorithm::ChaCha, &[seed; 32]);
    let outcome = TestRunner::new_with_rng(config, rng).run(&actions(), |actions| {
        let new = runtime.block_on(stage.borrow_mut().play(&actions));
        tally.set(tally.get() + new);
        Ok(())
    });
    if let Err(error) = outcome {
        panic!("with {SEED_VARIABLE}={seed}: {error}");
    }
    let Tally { done, refused } = tally.get();
    eprintln!("{done} done, {refused} refused");
    assert!(done * 100 >= (done + refused) * DONE_PERCENT_MIN, "{done} done, {refused} refused");
}
