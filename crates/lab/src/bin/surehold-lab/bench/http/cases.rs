//! The cases: who is asked what, in which turns.

use anyhow::Result;
use surehold_core::kernel::UNITS_MAX;
use surehold_lab::bench::http::{Crowd, CrowdSize, Expected, HoldAsks, HttpLoad, Pace, run};
use surehold_lab::bench::{Measured, Process};

use super::super::batches::mean_batch;
use super::super::figures::Rounds;
use super::super::report::{self, micros};
use super::super::servers::Server;
use super::{Case, Http};

/// What was measured beside the two sides.
struct Aside {
    disk: Measured,
    pace: Pace,
    mean_batch: Option<f64>,
    crowd_cuts: Option<u64>,
}

impl Http {
    /// Ours and the bare endpoint in turns, both at the same pace.
    pub(super) async fn against_bare(&self, server: &Server) -> Result<report::Case> {
        let bare = Server::bare().await?;
        let bare_load = self.load(&bare, Expected::Placed)?;
        let our_load = match self.case {
            Case::SoldOut => {
                server.put_pools(&self.shape()?, 0).await?;
                self.load(server, Expected::SoldOut)?
            }
            // The bare endpoint needs no pools.
            Case::Bare => self.load(server, Expected::Placed)?,
            Case::Holds | Case::Batch | Case::HalfMax | Case::Crowd | Case::Start => {
                server.put_pools(&self.shape()?, UNITS_MAX).await?;
                self.load(server, Expected::Placed)?
            }
        };
        run(&bare_load, self.timing.warmup()).await?;
        run(&our_load, self.timing.warmup()).await?;
        let before = server.batches().await;
        let (mut ours, mut theirs, mut disk) = (Rounds::default(), Rounds::default(), Measured::default());
        for _ in 0..self.timing.rounds() {
            disk.add(&self.timing.probe(&self.dir)?);
            theirs.ask(&bare, &bare_load, self.timing.slice()).await?;
            ours.ask(server, &our_load, self.timing.slice()).await?;
        }
        let mean_batch = mean_batch(before, server.batches().await);
        let aside = Aside { disk, pace: self.pace(), mean_batch, crowd_cuts: None };
        self.report(server, &ours, "bare endpoint", &theirs, &aside)
    }

    pub(super) async fn batches(&self, server: &Server) -> Result<report::Case> {
        server.put_pools(&self.shape()?, UNITS_MAX).await?;
        let load = self.load(server, Expected::Placed)?;
        run(&load, self.timing.warmup()).await?;
        let before = server.batches().await;
        let (mut ours, mut disk) = (Rounds::default(), Measured::default());
        for _ in 0..self.timing.rounds() {
            disk.add(&self.timing.probe(&self.dir)?);
            ours.ask(server, &load, self.timing.slice()).await?;
        }
        let mean_batch = mean_batch(before, server.batches().await);
        let theirs = Rounds::of(&disk);
        let aside = Aside { disk, pace: Pace::Closed, mean_batch, crowd_cuts: None };
        self.report(server, &ours, "fdatasync", &theirs, &aside)
    }

    /// The maximum first, then half of it at fixed times.
    pub(super) async fn half_max(&self, server: &Server) -> Result<report::Case> {
        server.put_pools(&self.shape()?, UNITS_MAX).await?;
        let closed = self.load(server, Expected::Placed)?;
        run(&closed, self.timing.warmup()).await?;
        let mut max = Rounds::default();
        let mut disk = self.timing.probe(&self.dir)?;
        for _ in 0..self.timing.rounds() {
            max.ask(server, &closed, self.timing.slice()).await?;
        }
        let rate_per_s = half_rate_per_s(max.measured())?;
        let open = HttpLoad { pace: Pace::Open { rate_per_s }, ..closed };
        let before = server.batches().await;
        let mut ours = Rounds::default();
        for _ in 0..self.timing.rounds() {
            disk.add(&self.timing.probe(&self.dir)?);
            ours.ask(server, &open, self.timing.slice()).await?;
        }
        let mean_batch = mean_batch(before, server.batches().await);
        let aside = Aside { disk, pace: open.pace, mean_batch, crowd_cuts: None };
        self.report(server, &ours, "maximum", &max, &aside)
    }

    pub(super) async fn crowd(&self, server: &Server) -> Result<report::Case> {
        server.put_pools(&self.shape()?, UNITS_MAX).await?;
        let load = self.load(server, Expected::Placed)?;
        run(&load, self.timing.warmup()).await?;
        let size = CrowdSize { idle: self.idle, slow: self.slow };
        let (mut ours, mut calm, mut disk) = (Rounds::default(), Rounds::default(), Measured::default());
        let mut cuts = 0;
        for _ in 0..self.timing.rounds() {
            disk.add(&self.timing.probe(&self.dir)?);
            calm.ask(server, &load, self.timing.slice()).await?;
            let crowd = Crowd::gather(&server.target, size).await?;
            ours.ask(server, &load, self.timing.slice()).await?;
            cuts += crowd.cuts();
        }
        let aside = Aside { disk, pace: Pace::Closed, mean_batch: None, crowd_cuts: Some(cuts) };
        self.report(server, &ours, "without the crowd", &calm, &aside)
    }

    fn load(&self, server: &Server, expected: Expected) -> Result<HttpLoad<HoldAsks>> {
        Ok(HttpLoad {
            target: server.target.clone(),
            connections: self.connections()?,
            asks: HoldAsks { shape: self.shape()?, expected },
            pace: self.pace(),
        })
    }

    fn report(
        &self,
        server: &Server,
        ours: &Rounds,
        name: &str,
        theirs: &Rounds,
        aside: &Aside,
    ) -> Result<report::Case> {
        let shape = self.shape()?;
        let peak_rss_bytes = server.process.as_ref().map(Process::peak_rss_bytes).transpose()?;
        let figures = ours.figures();
        let median_us = aside.disk.micros_at(0.5);
        let p99_per_fdatasync = report::times(figures.p99_us, Some(median_us));
        let (resolution, generator) =
            (figures.cpu_resolution_us, figures.http.as_ref().map(|http| http.generator_cpu_us));
        let case = report::Case::new(self.case.name(), self.case.name(), figures)
            .against(name, theirs.figures())
            .field(
                "pace",
                match aside.pace {
                    Pace::Closed => "closed",
                    Pace::Open { .. } => "open",
                },
            )
            .field("connections", self.connections()?)
            .field("pools", shape.pools)
            .field("nights", shape.nights)
            .field("batch", shape.batch.unwrap_or(1))
            .notes(resolution.map(|resolution| format!("CPU of the server, ± {resolution:.1} µs each")))
            .notes(generator.map(|cpu| format!("generator CPU {cpu:.1} µs")))
            .field("peak_rss_bytes", peak_rss_bytes)
            .notes(peak_rss_bytes.map(|bytes| format!("peak RSS {} MB", bytes / 1_000_000)))
            .mean_batch(aside.mean_batch)
            .fdatasync_per_s(aside.disk.rate_per_s())
            .field("fdatasync_median_us", median_us)
            .note(format!("fdatasync median {}", micros(median_us)))
            .value("p99_per_fdatasync", p99_per_fdatasync, |times| format!("p99 = {times:.1} × fdatasync"))
            .field("crowd_cuts", aside.crowd_cuts)
            .notes(aside.crowd_cuts.map(|cuts| format!("{cuts} of the crowd cut off")));
        Ok(case)
    }
}

/// At least one a second, so that something is sent.
fn half_rate_per_s(max: &Measured) -> Result<u32> {
    let micros = max.elapsed.as_micros().max(1);
    Ok(u32::try_from(u128::from(max.holds) * 1_000_000 / micros / 2)?.max(1))
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;

    #[test]
    fn half_of_the_maximum() {
        let check = |holds: u64, millis: u64, half: u32| {
            let max = Measured { holds, elapsed: Duration::from_millis(millis), ..Measured::default() };
            assert_eq!(half_rate_per_s(&max).unwrap(), half, "{holds} in {millis} ms");
        };
        check(20_000, 1_000, 10_000);
        check(20_001, 500, 20_001);
        check(1, 1_000, 1);
        check(0, 0, 1);
    }
}
