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
}

pub const TARGETS: &[Target] = &[
    Target { name: "addresses", run: targets::webhooks::addresses },
    Target { name: "answers", run: targets::outside::answers },
    Target { name: "batches", run: targets::api::batches },
    Target { name: "bodies", run: targets::api::bodies },
    Target { name: "config_file", run: targets::config::file },
    Target { name: "config_values", run: targets::config::values },
    Target { name: "cron", run: targets::cron::cron },
    Target { name: "cursors", run: targets::api::cursors },
    Target { name: "events", run: targets::stored::events },
    Target { name: "headers", run: targets::api::headers },
    Target { name: "history", run: targets::stored::history },
    Target { name: "names", run: targets::words::names },
    Target { name: "providers", run: targets::outside::providers },
    Target { name: "queries", run: targets::api::queries },
    Target { name: "signatures", run: targets::webhooks::signatures },
    Target { name: "streams", run: targets::outside::streams },
    Target { name: "stripe", run: targets::stripe::stripe },
    Target { name: "times", run: targets::words::times },
    Target { name: "typed", run: targets::words::typed_words },
    Target { name: "values", run: targets::words::values },
];

pub fn target(name: &str) -> Option<Target> {
    TARGETS.iter().copied().find(|target| target.name == name)
}
