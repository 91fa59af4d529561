//! What one side of a measurement over HTTP came to: answers, times, CPU.

use std::collections::BTreeMap;
use std::time::Duration;

use anyhow::Result;
use serde::Serialize;
use surehold_lab::bench::http::{Asks, HttpLoad, HttpMeasured, run};
use surehold_lab::bench::{CPU_TICK, Measured, Process};

use super::ROUNDS;
use super::report::micros;
use super::servers::Server;

/// All rounds of one side.
#[derive(Default)]
pub(super) struct Rounds {
    pub(super) seen: HttpMeasured,
    pub(super) server_cpu: Option<Duration>,
    pub(super) generator_cpu: Duration,
}

/// Per hold, where a hold is an answer as expected: in the case `sold-out`, a refusal.
#[derive(Debug, Serialize)]
pub(super) struct Figures {
    holds: u64,
    errors: u64,
    pub(super) errors_by_status: BTreeMap<u16, u64>,
    reconnects: u64,
    pub(super) rate_per_s: f64,
    pub(super) p50_us: u64,
    pub(super) p99_us: u64,
    p999_us: u64,
    /// Of the server.
    pub(super) cpu_us: Option<f64>,
    pub(super) generator_cpu_us: f64,
    answer_bytes: u64,
}

impl Rounds {
    /// One more turn.
    pub(super) async fn measure<A: Asks>(
        &mut self,
        server: &Server,
        load: &HttpLoad<A>,
        duration: Duration,
    ) -> Result<()> {
        let server_cpu = || server.process.as_ref().map(Process::cpu).transpose();
        let (server_before, generator_before) = (server_cpu()?, Process::myself().cpu()?);
        self.seen.add(&run(load, duration).await?);
        self.generator_cpu += Process::myself().cpu()?.saturating_sub(generator_before);
        let spent = server_before.zip(server_cpu()?).map(|(before, after)| after.saturating_sub(before));
        self.server_cpu = spent.map(|spent| self.server_cpu.unwrap_or_default() + spent);
        Ok(())
    }

    pub(super) fn of_disk(disk: &Measured) -> Rounds {
        Rounds { seen: HttpMeasured { measured: disk.clone(), ..HttpMeasured::default() }, ..Rounds::default() }
    }

    pub(super) fn figures(&self) -> Figures {
        let HttpMeasured { measured, errors_by_status, reconnects, answer_bytes } = &self.seen;
        let per_hold = |cpu: Duration| cpu.as_secs_f64() * 1e6 / divisor(measured.holds);
        Figures {
            holds: measured.holds,
            errors: measured.errors,
            errors_by_status: errors_by_status.clone(),
            reconnects: *reconnects,
            rate_per_s: measured.rate_per_s(),
            p50_us: measured.micros_at(0.5),
            p99_us: measured.micros_at(0.99),
            p999_us: measured.micros_at(0.999),
            cpu_us: self.server_cpu.map(per_hold),
            generator_cpu_us: per_hold(self.generator_cpu),
            answer_bytes: answer_bytes / measured.holds.max(1),
        }
    }

    pub(super) fn cpu_resolution_us(&self) -> f64 {
        (CPU_TICK * ROUNDS).as_secs_f64() * 1e6 / divisor(self.seen.measured.holds)
    }
}

/// A divisor: at least one.
fn divisor(holds: u64) -> f64 {
    u32::try_from(holds.max(1)).map_or(f64::INFINITY, f64::from)
}

/// The heads of the columns of [`Figures::row`].
pub(super) const FIGURES: [&str; 8] = ["", "per s", "p50", "p99", "p99.9", "errors", "CPU each", "bytes"];

impl Figures {
    pub(super) fn row(&self, name: &str) -> [String; 8] {
        [
            name.to_owned(),
            format!("{:.0}", self.rate_per_s),
            micros(self.p50_us),
            micros(self.p99_us),
            micros(self.p999_us),
            self.errors.to_string(),
            self.cpu_us.map(|cpu| format!("{cpu:.1} µs")).unwrap_or_default(),
            if self.answer_bytes > 0 { self.answer_bytes.to_string() } else { String::new() },
        ]
    }
}
