//! What the parts of a worker share.

use std::collections::BTreeSet;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use metrics::{counter, histogram};
use smol_str::SmolStr;
use surehold_core::operations::{Correlation, OperationKey, OperationType};
use tracing::warn;

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

/// Scenarios that metrics tell apart. Tenants may name them, so there is an end to it.
const SCENARIOS_MAX: usize = 50;

fn scenario_label(scenario: &SmolStr) -> SmolStr {
    static KNOWN: Mutex<BTreeSet<SmolStr>> = Mutex::new(BTreeSet::new());
    let mut known = KNOWN.lock().expect("nothing panics while holding it");
    if known.contains(scenario) || (known.len() < SCENARIOS_MAX && known.insert(scenario.clone())) {
        return scenario.clone();
    }
    SmolStr::new_static("other")
}

/// What went wrong with an attempt, for the log and the metrics. The scenario is a label; whose it was is for the log
/// alone.
pub(super) fn note_failure(
    kind: &'static OperationType,
    key: &OperationKey,
    correlations: &[Correlation],
    attempt: u32,
    (code, error): (&str, &str),
) {
    let named = |kind: &str| {
        let found = correlations.iter().find(|correlation| correlation.kind == kind);
        found.map(|correlation| correlation.value.clone()).unwrap_or_default()
    };
    let (scenario, owner_key) = (named("scenario"), named("ownerKey"));
    let label = scenario_label(&scenario).to_string();
    histogram!("surehold_operation_failed_attempt", "type" => kind.name, "scenario" => label)
        .record(f64::from(attempt));
    warn!(attemptNo = attempt, %scenario, ownerKey = %owner_key, code, "`{key}` did not succeed: {error}");
}

pub(super) fn background() -> Options {
    Options { key: None, deadline: Some(BACKGROUND_DEADLINE), background: true }
}
