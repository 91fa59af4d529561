//! The targets under libFuzzer. The engine owns the command line, so the target is named by a variable.

#![no_main]

use std::sync::OnceLock;

use libfuzzer_sys::fuzz_target;
use surehold_fuzz::{TARGETS, Target, target};

const VARIABLE: &str = "SUREHOLD_FUZZ_TARGET";

static CHOSEN: OnceLock<Target> = OnceLock::new();

fn chosen() -> Target {
    *CHOSEN.get_or_init(|| {
        let name = std::env::var(VARIABLE).unwrap_or_default();
        let names = || TARGETS.iter().map(|target| target.name).collect::<Vec<_>>().join(", ");
        target(&name).unwrap_or_else(|| panic!("set {VARIABLE} to one of {}", names()))
    })
}

fuzz_target!(init: { chosen(); }, |data: &[u8]| {
    (chosen().run)(data);
});
