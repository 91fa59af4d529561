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

/// Answers that say so although no commit was turned down between asking and answering.
pub(super) fn audit(requests: &[Request], rejections: &[usize]) -> Vec<String> {
    let mut wrong = Vec::new();
    for request in requests {
        for call in request.calls.iter().filter(|call| call.verdict == Verdict::Defect) {
            let to = call.to.unwrap_or(usize::MAX);
            if !rejections.iter().any(|at| (call.from + 1..=to).contains(at)) {
                wrong.push(format!("a defect was answered, and nothing was done to {request:?}"));
            }
        }
    }
    wrong
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
            with_current(|shared| shared.state().hear_of_defect(event.metadata().target(), entry.text));
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
