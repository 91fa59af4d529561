//! Counts what lanes found out about commits whose answer was lost, by the metric that they publish.

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, LazyLock};

use metrics::{Counter, Gauge, Histogram, Key, KeyName, Metadata, Recorder, SharedString, Unit};

const NAME: &str = "surehold_unknown_commits_total";

#[derive(Default)]
struct Counts {
    committed: Arc<AtomicU64>,
    absent: Arc<AtomicU64>,
}

static COUNTS: LazyLock<Counts> = LazyLock::new(|| {
    metrics::set_global_recorder(Watcher).unwrap();
    Counts::default()
});

/// So far in this process: found committed, found absent. The first call must come before the first engine.
pub(super) fn found_out() -> (u64, u64) {
    (COUNTS.committed.load(Ordering::Relaxed), COUNTS.absent.load(Ordering::Relaxed))
}

struct Watcher;

impl Recorder for Watcher {
    fn describe_counter(&self, _: KeyName, _: Option<Unit>, _: SharedString) {}
    fn describe_gauge(&self, _: KeyName, _: Option<Unit>, _: SharedString) {}
    fn describe_histogram(&self, _: KeyName, _: Option<Unit>, _: SharedString) {}

    fn register_counter(&self, key: &Key, _: &Metadata<'_>) -> Counter {
        if key.name() != NAME {
            return Counter::noop();
        }
        let committed = key.labels().any(|label| label.key() == "committed" && label.value() == "true");
        Counter::from_arc(Arc::clone(if committed { &COUNTS.committed } else { &COUNTS.absent }))
    }

    fn register_gauge(&self, _: &Key, _: &Metadata<'_>) -> Gauge {
        Gauge::noop()
    }

    fn register_histogram(&self, _: &Key, _: &Metadata<'_>) -> Histogram {
        Histogram::noop()
    }
}
