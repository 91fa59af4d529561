//! The targets under libFuzzer. The engine owns the command line, so the target is named by a variable.

#![no_main]

use std::fs;
use std::path::Path;
use std::sync::OnceLock;

use libfuzzer_sys::fuzz_target;
use surehold_fuzz::{TARGETS, Target, target};

const VARIABLE: &str = "SUREHOLD_FUZZ_TARGET";
/// A folder for what follows from the program itself, if wanted; the engine reads it after the start.
const SEEDS: &str = "SUREHOLD_FUZZ_SEEDS";

static CHOSEN: OnceLock<Target> = OnceLock::new();

fn chosen() -> Target {
    *CHOSEN.get_or_init(|| {
        let name = std::env::var(VARIABLE).unwrap_or_default();
        let names = || TARGETS.iter().map(|target| target.name).collect::<Vec<_>>().join(", ");
        target(&name).unwrap_or_else(|| panic!("set {VARIABLE} to one of {}", names()))
    })
}

fn write_seeds() {
    let target = chosen();
    let Some(folder) = std::env::var_os(SEEDS) else { return };
    for (number, seed) in (target.seeds)().iter().enumerate() {
        let path = Path::new(&folder).join(format!("seed-{number}"));
        fs::write(&path, seed).unwrap_or_else(|error| panic!("cannot write {}: {error}", path.display()));
    }
}

fuzz_target!(init: write_seeds(), |data: &[u8]| {
    (chosen().run)(data);
});
