//! What the parts of a worker share.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use metrics::counter;

use super::WorkerConfig;
use super::gate::Gate;
use super::pulse::Pulse;
use crate::{Engine, Options};

/// Work in the background may wait behind callers for a while; what was not begun by then is found again.
const BACKGROUND_DEADLINE: Duration = Duration::from_mins(1);

#[derive(Debug)]
pub(super) struct Context {
    pub(super) engine: Engine,
    pub(super) config: WorkerConfig,
    pub(super) pulse: Pulse,
    pub(super) gate: Arc<Gate>,
    pub(super) succeeded: AtomicU64,
}

impl Context {
    pub(super) fn count_succeeded(&self, kind: &'static str, count: u64) {
        counter!("surehold_operations_total", "type" => kind, "outcome" => "succeeded").increment(count);
        self.succeeded.fetch_add(count, Ordering::Relaxed);
    }
}

pub(super) fn background() -> Options {
    Options { key: None, deadline: Some(BACKGROUND_DEADLINE), background: true }
}
