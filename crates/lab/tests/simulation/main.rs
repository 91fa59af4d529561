//! Thousands of seeds of the simulation: nothing is lost, doubled or oversold, whatever fails and wherever it dies.

use std::num::NonZero;
use std::ops::ControlFlow;
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::Duration;

use surehold_lab::simulation::{COMMANDS, Coverage, Outcome, run_seed, run_seeds};

/// How many seeds are run.
const SEEDS_VARIABLE: &str = "SUREHOLD_SIMULATION_SEEDS";
/// Runs this one alone, and says what it finds.
const SEED_VARIABLE: &str = "SUREHOLD_SIMULATION_SEED";
const SEEDS: u64 = 10_000;
/// With so many seeds, every point is visited for certain.
const SEEDS_FOR_COVERAGE: u64 = 2_000;
/// A workload that only ever gets refused proves nothing.
const USEFUL_PERCENT_MIN: u64 = 40;
const SEEDS_RUN_TWICE: u64 = 20;
/// A long run says how far it is after so many.
const SEEDS_BETWEEN_LINES: u64 = 1_000;

fn variable(name: &str) -> Option<u64> {
    std::env::var(name).ok().map(|text| text.parse().expect("a number"))
}

fn complain(outcome: &Outcome) -> String {
    let seed = outcome.seed;
    let violations = outcome.violations.join("\n");
    format!("cargo xtask prove simulation --seed {seed}\n{violations}")
}

#[derive(Default)]
struct Sum {
    coverage: Coverage,
    seeds: u64,
    commands: u64,
    useful: u64,
    lived: Duration,
}

impl Sum {
    fn add(&mut self, outcome: &Outcome) {
        self.seeds += 1;
        self.coverage.merge(&outcome.coverage);
        self.commands += outcome.commands;
        self.useful += outcome.useful;
        self.lived += outcome.lived;
    }
}

#[test]
fn whatever_fails_nothing_is_lost_doubled_or_oversold() {
    if let Some(seed) = variable(SEED_VARIABLE) {
        let outcome = run_seed(seed);
        assert!(outcome.violations.is_empty(), "{}", complain(&outcome));
        return;
    }
    let seeds = variable(SEEDS_VARIABLE).unwrap_or(SEEDS);
    let (next, failed) = (AtomicU64::new(0), AtomicBool::new(false));
    let sum = Mutex::new(Sum::default());
    let failures = Mutex::new(Vec::new());
    let work = || {
        let mine = std::iter::repeat_with(|| next.fetch_add(1, Ordering::Relaxed)).take_while(|seed| *seed < seeds);
        run_seeds(mine, |outcome| {
            let done = {
                let mut sum = sum.lock().expect("nobody panics");
                sum.add(&outcome);
                sum.seeds
            };
            if done % SEEDS_BETWEEN_LINES == 0 {
                eprintln!("{done} of {seeds} seeds");
            }
            assert!(outcome.commands >= u64::try_from(COMMANDS).expect("a few hundred"), "{}", complain(&outcome));
            if !outcome.violations.is_empty() {
                failures.lock().expect("nobody panics").push(complain(&outcome));
                failed.store(true, Ordering::Relaxed);
            }
            if failed.load(Ordering::Relaxed) { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
        });
    };
    std::thread::scope(|scope| {
        for _ in 0..std::thread::available_parallelism().map_or(1, NonZero::get) {
            scope.spawn(work);
        }
    });
    let failures = failures.into_inner().expect("nobody panics");
    assert!(failures.is_empty(), "{}", failures.join("\n\n"));
    let Sum { coverage, commands, useful, lived, .. } = sum.into_inner().expect("nobody panics");
    let hours = lived.as_secs() / 3_600;
    eprintln!("{seeds} seeds, {commands} commands, {useful} useful, in {hours} h of their own time; {coverage}");
    assert!(useful * 100 >= commands * USEFUL_PERCENT_MIN, "{useful} of {commands} were carried out");
    let never = coverage.never_visited();
    assert!(seeds < SEEDS_FOR_COVERAGE || never.is_empty(), "never visited: {never:?}");
}

#[test]
fn one_seed_is_one_run() {
    for seed in 0..SEEDS_RUN_TWICE {
        let (once, again) = (run_seed(seed), run_seed(seed));
        assert_eq!(once.digest, again.digest, "seed {seed} differs from itself");
        assert_eq!(once.coverage, again.coverage, "seed {seed} differs from itself");
    }
}
