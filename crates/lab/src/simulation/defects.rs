//! Whatever the product calls its own fault must have been done to it.

use std::fmt::Debug;

use tracing::field::{Field, Visit};
use tracing::level_filters::LevelFilter;
use tracing::span::{Attributes, Id, Record};
use tracing::subscriber::DefaultGuard;
use tracing::{Event, Level, Metadata, Subscriber};

use super::requests::{Request, Verdict};
use super::shared::with_current;

/// Listens to what is logged in this thread, until it is dropped. Defects are laid before the run that goes on.
pub(super) fn listen() -> DefaultGuard {
    tracing::subscriber::set_default(Listener)
}

/// What was done, and what came of it.
#[derive(Debug, Default)]
pub(super) struct Defects {
    /// Behind which attempts a commit was turned down on purpose.
    rejections: Vec<usize>,
    /// The last commit was, and what comes of it has not been told.
    rejected_last: bool,
    /// Commands that the lane gave up because of it, and whose results no worker has given up yet.
    given_up: usize,
    unexplained: Vec<String>,
}

impl Defects {
    /// A commit is turned down, as if what was written made no sense.
    pub(super) fn reject(&mut self, attempts: usize) {
        self.rejected_last = true;
        self.rejections.push(attempts);
    }

    /// The process does something else.
    pub(super) fn go_on(&mut self) {
        self.rejected_last = false;
    }

    fn hear(&mut self, target: &str, text: String) {
        let explained = match target {
            // The lane gives a command up right after its commit was turned down.
            "surehold_engine::recovery" => {
                let explained = std::mem::take(&mut self.rejected_last);
                self.given_up += usize::from(explained);
                explained
            }
            // A worker gives a result up when the lane has given up the command that was to write it: each for its own.
            "surehold_engine::operations::effects" => {
                let explained = self.given_up > 0;
                self.given_up -= usize::from(explained);
                explained
            }
            _ => false,
        };
        if !explained {
            self.unexplained.push(text);
        }
    }

    /// Whatever was logged without a reason; and answers that say so although no commit was turned down between asking
    /// and answering.
    pub(super) fn audit(&self, requests: &[Request]) -> Vec<String> {
        let logged = self.unexplained.iter().map(|text| format!("a defect without a reason: {text}"));
        let mut wrong: Vec<String> = logged.collect();
        for request in requests {
            for call in request.calls.iter().filter(|call| call.verdict == Verdict::Defect) {
                let to = call.to.unwrap_or(usize::MAX);
                if !self.rejections.iter().any(|at| (call.from + 1..=to).contains(at)) {
                    wrong.push(format!("a defect was answered, and nothing was done to {request:?}"));
                }
            }
        }
        wrong
    }
}

struct Listener;

#[derive(Default)]
struct Entry {
    defect: bool,
    text: String,
}

impl Visit for Entry {
    fn record_bool(&mut self, field: &Field, value: bool) {
        self.defect |= value && field.name() == "defect";
    }

    fn record_debug(&mut self, field: &Field, value: &dyn Debug) {
        self.text = format!("{}{}: {value:?}; ", self.text, field.name());
    }
}

impl Subscriber for Listener {
    fn enabled(&self, metadata: &Metadata<'_>) -> bool {
        *metadata.level() == Level::ERROR
    }

    fn max_level_hint(&self) -> Option<LevelFilter> {
        Some(LevelFilter::ERROR)
    }

    fn event(&self, event: &Event<'_>) {
        let mut entry = Entry::default();
        event.record(&mut entry);
        if entry.defect {
            with_current(|shared| shared.state().defects.hear(event.metadata().target(), entry.text));
        }
    }

    fn new_span(&self, _: &Attributes<'_>) -> Id {
        Id::from_u64(1)
    }

    fn record(&self, _: &Id, _: &Record<'_>) {}

    fn record_follows_from(&self, _: &Id, _: &Id) {}

    fn enter(&self, _: &Id) {}

    fn exit(&self, _: &Id) {}
}

#[cfg(test)]
mod tests {
    use super::Defects;

    const LANE: &str = "surehold_engine::recovery";
    const WORKER: &str = "surehold_engine::operations::effects";

    fn heard(after: impl FnOnce(&mut Defects), target: &str) -> usize {
        let mut defects = Defects::default();
        after(&mut defects);
        defects.hear(target, "a command cannot be written".to_owned());
        defects.audit(&[]).len()
    }

    #[test]
    fn only_what_was_done_excuses_a_defect() {
        let twice = |defects: &mut Defects| {
            defects.reject(1);
            defects.hear(LANE, String::new());
        };
        let long_ago = |defects: &mut Defects| {
            defects.reject(1);
            defects.go_on();
        };
        assert_eq!(heard(|_| {}, LANE), 1);
        assert_eq!(heard(|defects| defects.reject(1), LANE), 0);
        assert_eq!(heard(twice, LANE), 1);
        assert_eq!(heard(long_ago, LANE), 1);
        assert_eq!(heard(|defects| defects.reject(1), "surehold_engine::job"), 1);
        let worker_too = |defects: &mut Defects| {
            twice(defects);
            defects.hear(WORKER, String::new());
        };
        assert_eq!(heard(twice, WORKER), 0);
        assert_eq!(heard(worker_too, WORKER), 1);
        // It was a part of a batch, and not its fault.
        assert_eq!(heard(long_ago, WORKER), 1);
    }
}
