//! Targets for the fuzzer: every reader of outside input, each with an oracle that says more than that it did not panic.
//! A target is a function of bytes; it knows nothing of the engine that feeds it.
//!
//! Start reading at [`TARGETS`]. `corpus/` holds the inputs that are kept, one folder per target; the test `corpus`
//! replays them without any engine, and `cargo xtask prove fuzz` looks for new ones.

#[path = "../../crates/connect/src/webhooks/answer.rs"]
#[allow(dead_code, unreachable_pub, reason = "a module of the program, of which a part is used here")]
mod answer;
// For the tests of `config`, which are compiled here, and run where they belong.
#[cfg(test)]
#[path = "../../crates/surehold/tests/it/canary.rs"]
mod canary;
#[path = "../../crates/surehold/src/config/mod.rs"]
#[allow(dead_code, unused_imports, reason = "a module of the program, of which a part is used here")]
mod config;
#[path = "../../crates/lab/src/torture/history.rs"]
#[allow(dead_code, unreachable_pub, reason = "a module of the lab, of which a part is used here")]
mod history;
#[path = "../../crates/surehold/src/client/sse.rs"]
mod sse;
mod targets;
#[path = "../../crates/surehold/src/commands/typed.rs"]
#[allow(dead_code, reason = "a module of the program, of which a part is used here")]
mod typed;

/// A reader, and what must hold whatever it reads.
#[derive(Clone, Copy, Debug)]
pub struct Target {
    /// Its word, also for the folder of its corpus.
    pub name: &'static str,
    /// Panics if something that must hold does not.
    pub run: fn(&[u8]),
    /// Inputs that follow from what the program declares; others are kept in `corpus/`.
    pub seeds: fn() -> Vec<Vec<u8>>,
}

impl Target {
    const fn new(name: &'static str, run: fn(&[u8])) -> Target {
        Target { name, run, seeds: Vec::new }
    }
}

pub const TARGETS: &[Target] = &[
    Target::new("addresses", targets::webhooks::addresses),
    Target::new("answers", targets::outside::answers),
    Target { seeds: targets::api::example_batch, ..Target::new("batches", targets::api::batches) },
    Target { seeds: targets::api::examples, ..Target::new("bodies", targets::api::bodies) },
    Target::new("config_file", targets::config::file),
    Target::new("config_values", targets::config::values),
    Target::new("cron", targets::cron::cron),
    Target::new("cursors", targets::api::cursors),
    Target::new("events", targets::stored::events),
    Target::new("headers", targets::api::headers),
    Target::new("history", targets::stored::history),
    Target::new("names", targets::words::names),
    Target::new("providers", targets::outside::providers),
    Target::new("queries", targets::api::queries),
    Target::new("signatures", targets::webhooks::signatures),
    Target::new("streams", targets::outside::streams),
    Target::new("stripe", targets::stripe::stripe),
    Target::new("times", targets::words::times),
    Target::new("typed", targets::words::typed_words),
    Target::new("values", targets::words::values),
];

pub fn target(name: &str) -> Option<Target> {
    TARGETS.iter().copied().find(|target| target.name == name)
}
