//! What one side of a measurement came to: answers, times, CPU.

use std::collections::BTreeMap;
use std::future::Future;
use std::time::Duration;

use anyhow::Result;
use serde::Serialize;
use surehold_lab::bench::http::{Asks, HttpLoad, HttpMeasured, run};
use surehold_lab::bench::{CPU_TICK, Measured, Process};

use super::servers::Server;

/// All rounds of one side.
#[derive(Default)]
pub(super) struct Rounds {
    seen: HttpMeasured,
    rates_per_s: Vec<f64>,
    /// Of the process that does the work, where it is known.
    cpu: Option<Duration>,
    /// Of the load generator, where it is another process.
    generator_cpu: Option<Duration>,
}

/// An operation is an answer as expected: a hold, a sale, or in the case `sold-out` a refusal. `None` is not measured.
#[derive(Clone, Debug, Default, Serialize)]
pub(super) struct Figures {
    pub(super) count: Option<u64>,
    pub(super) errors: Option<u64>,
    pub(super) seconds: Option<f64>,
    pub(super) rate_per_s: Option<f64>,
    /// Where `rate_per_s` is their median.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(super) rounds_per_s: Vec<f64>,
    pub(super) p50_us: Option<u64>,
    pub(super) p99_us: Option<u64>,
    pub(super) p999_us: Option<u64>,
    /// Per operation, of the process that does the work: the server, or the engine with its clients.
    pub(super) cpu_us: Option<f64>,
    /// What one tick of the CPU clock per round comes to.
    pub(super) cpu_resolution_us: Option<f64>,
    #[serde(flatten)]
    pub(super) http: Option<HttpFigures>,
}

#[derive(Clone, Debug, Serialize)]
pub(super) struct HttpFigures {
    pub(super) errors_by_status: BTreeMap<u16, u64>,
    reconnects: u64,
    pub(super) generator_cpu_us: f64,
    pub(super) answer_bytes: u64,
}

impl Rounds {
    pub(super) fn of(measured: &Measured) -> Rounds {
        let mut rounds = Rounds::default();
        rounds.add(measured);
        rounds
    }

    pub(super) fn measured(&self) -> &Measured {
        &self.seen.measured
    }

    /// One more round, whose CPU time is not known.
    pub(super) fn add(&mut self, measured: &Measured) {
        self.rates_per_s.push(measured.rate_per_s());
        self.seen.measured.add(measured);
    }

    /// One more round, of work that this process does.
    pub(super) async fn measure(&mut self, work: impl Future<Output = Result<Measured>>) -> Result<()> {
        let before = Process::myself().cpu()?;
        let measured = work.await?;
        self.add_cpu(Process::myself().cpu()?.saturating_sub(before));
        self.add(&measured);
        Ok(())
    }

    /// One more round, of work that a server does.
    pub(super) async fn ask<A: Asks>(&mut self, server: &Server, load: &HttpLoad<A>, duration: Duration) -> Result<()> {
        let server_cpu = || server.process.as_ref().map(Process::cpu).transpose();
        let (server_before, generator_before) = (server_cpu()?, Process::myself().cpu()?);
        let seen = run(load, duration).await?;
        let generator_cpu = Process::myself().cpu()?.saturating_sub(generator_before);
        self.generator_cpu = Some(self.generator_cpu.unwrap_or_default() + generator_cpu);
        if let Some((before, after)) = server_before.zip(server_cpu()?) {
            self.add_cpu(after.saturating_sub(before));
        }
        self.rates_per_s.push(seen.measured.rate_per_s());
        self.seen.add(&seen);
        Ok(())
    }

    fn add_cpu(&mut self, cpu: Duration) {
        self.cpu = Some(self.cpu.unwrap_or_default() + cpu);
    }

    pub(super) fn figures(&self) -> Figures {
        let measured = self.measured();
        let latency = |share: f64| (!measured.latencies.is_empty()).then(|| measured.micros_at(share));
        let resolution = || CPU_TICK * u32::try_from(self.rates_per_s.len()).unwrap_or(u32::MAX);
        Figures {
            count: Some(measured.holds),
            errors: Some(measured.errors),
            seconds: Some(measured.elapsed.as_secs_f64()),
            rate_per_s: Some(measured.rate_per_s()),
            rounds_per_s: Vec::new(),
            p50_us: latency(0.5),
            p99_us: latency(0.99),
            p999_us: latency(0.999),
            cpu_us: self.cpu.map(|cpu| self.per_operation_us(cpu)),
            cpu_resolution_us: self.cpu.map(|_| self.per_operation_us(resolution())),
            http: self.generator_cpu.map(|cpu| self.http_figures(cpu)),
        }
    }

    /// The rate is the median of the rounds.
    pub(super) fn median_figures(&self) -> Figures {
        let mut sorted = self.rates_per_s.clone();
        sorted.sort_by(f64::total_cmp);
        let median = sorted.get(sorted.len() / 2).copied();
        Figures { rate_per_s: median, rounds_per_s: self.rates_per_s.clone(), ..self.figures() }
    }

    fn http_figures(&self, generator_cpu: Duration) -> HttpFigures {
        let HttpMeasured { measured, errors_by_status, reconnects, answer_bytes } = &self.seen;
        HttpFigures {
            errors_by_status: errors_by_status.clone(),
            reconnects: *reconnects,
            generator_cpu_us: self.per_operation_us(generator_cpu),
            answer_bytes: answer_bytes / measured.holds.max(1),
        }
    }

    fn per_operation_us(&self, cpu: Duration) -> f64 {
        let operations = u32::try_from(self.measured().holds.max(1)).map_or(f64::INFINITY, f64::from);
        cpu.as_secs_f64() * 1e6 / operations
    }
}

impl Figures {
    /// A number without rate, times or errors.
    pub(super) fn latencies(p50_us: u64, p99_us: Option<u64>) -> Figures {
        Figures { p50_us: Some(p50_us), p99_us, ..Figures::default() }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn rounds_are_summed_and_their_median_is_known() {
        let measured = |holds: u64| Measured { holds, elapsed: Duration::from_secs(1), ..Measured::default() };
        let mut rounds = Rounds::default();
        for holds in [300, 100, 500] {
            rounds.measure(async { Ok(measured(holds)) }).await.unwrap();
        }
        let (whole, median) = (rounds.figures(), rounds.median_figures());
        assert_eq!((whole.count, whole.rate_per_s, whole.p99_us), (Some(900), Some(300.0), None));
        assert_eq!((median.rate_per_s, median.rounds_per_s), (Some(300.0), vec![300.0, 100.0, 500.0]));
        assert_eq!(whole.cpu_resolution_us.map(f64::round), Some(33.0), "three ticks of 10 ms over 900 operations");
        assert!(whole.cpu_us.is_some() && whole.http.is_none());
    }

    #[test]
    fn cpu_that_was_not_measured_is_absent() {
        let figures =
            Rounds::of(&Measured { holds: 5, elapsed: Duration::from_secs(1), ..Measured::default() }).figures();
        assert_eq!((figures.count, figures.cpu_us, figures.cpu_resolution_us), (Some(5), None, None));
    }
}
