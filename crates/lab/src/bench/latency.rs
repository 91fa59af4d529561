//! Latencies and the summary of a measured run.

use std::time::Duration;

use hdrhistogram::Histogram;

/// Up to two minutes, three digits.
const MICROS_MAX: u64 = 120_000_000;

#[derive(Clone, Debug)]
pub struct Latencies(Histogram<u64>);

impl Default for Latencies {
    fn default() -> Latencies {
        Latencies(Histogram::new_with_bounds(1, MICROS_MAX, 3).expect("the bounds are sane"))
    }
}

impl Latencies {
    /// The same latency for several holds that were answered together.
    pub fn record(&mut self, latency: Duration, holds: u64) {
        let micros = u64::try_from(latency.as_micros()).unwrap_or(MICROS_MAX);
        self.0.saturating_record_n(micros, holds);
    }

    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    pub fn add(&mut self, other: &Latencies) {
        self.0.add(&other.0).expect("all have the same bounds");
    }
}

/// What a run came to.
#[derive(Clone, Debug, Default)]
pub struct Measured {
    pub holds: u64,
    pub errors: u64,
    pub elapsed: Duration,
    pub latencies: Latencies,
}

impl Measured {
    pub fn add(&mut self, other: &Measured) {
        self.holds += other.holds;
        self.errors += other.errors;
        self.elapsed += other.elapsed;
        self.latencies.add(&other.latencies);
    }

    pub fn rate_per_s(&self) -> f64 {
        let secs = self.elapsed.as_secs_f64();
        if secs > 0.0 { u32::try_from(self.holds).map_or(f64::INFINITY, f64::from) / secs } else { 0.0 }
    }

    /// The latency that this share of holds did not exceed.
    pub fn micros_at(&self, share: f64) -> u64 {
        self.latencies.0.value_at_quantile(share)
    }
}
