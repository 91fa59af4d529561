//! The cases: who is asked what, in which turns.

use std::time::Duration;

use anyhow::{Context, Result};
use surehold_core::kernel::UNITS_MAX;
use surehold_lab::bench::http::{Crowd, CrowdSize, Expected, HoldAsks, HttpLoad, Pace, run};
use surehold_lab::bench::{Measured, Process, fdatasync};

use super::super::batches::mean_batch;
use super::super::figures::Rounds;
use super::super::servers::Server;
use super::super::{PROBE, ROUNDS};
use super::report::{Against, Report};
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
    pub(super) async fn against_bare(&self, server: &Server) -> Result<Report> {
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
        run(&bare_load, self.warmup()).await?;
        run(&our_load, self.warmup()).await?;
        let before = server.batches().await;
        let (mut ours, mut theirs, mut disk) = (Rounds::default(), Rounds::default(), Measured::default());
        for _ in 0..ROUNDS {
            disk.add(&self.probe()?);
            theirs.measure(&bare, &bare_load, self.slice()).await?;
            ours.measure(server, &our_load, self.slice()).await?;
        }
        let mean_batch = mean_batch(before, server.batches().await);
        let aside = Aside { disk, pace: self.pace(), mean_batch, crowd_cuts: None };
        self.report(server, &ours, "bare endpoint", &theirs, &aside)
    }

    pub(super) async fn batches(&self, server: &Server) -> Result<Report> {
        server.put_pools(&self.shape()?, UNITS_MAX).await?;
        let load = self.load(server, Expected::Placed)?;
        run(&load, self.warmup()).await?;
        let before = server.batches().await;
        let (mut ours, mut disk) = (Rounds::default(), Measured::default());
        for _ in 0..ROUNDS {
            disk.add(&self.probe()?);
            ours.measure(server, &load, self.slice()).await?;
        }
        let mean_batch = mean_batch(before, server.batches().await);
        let theirs = Rounds::of_disk(&disk);
        let aside = Aside { disk, pace: Pace::Closed, mean_batch, crowd_cuts: None };
        self.report(server, &ours, "fdatasync", &theirs, &aside)
    }

    /// The maximum first, then half of it at fixed times.
    pub(super) async fn half_max(&self, server: &Server) -> Result<Report> {
        server.put_pools(&self.shape()?, UNITS_MAX).await?;
        let closed = self.load(server, Expected::Placed)?;
        run(&closed, self.warmup()).await?;
        let mut max = Rounds::default();
        let mut disk = self.probe()?;
        for _ in 0..ROUNDS {
            max.measure(server, &closed, self.slice()).await?;
        }
        let rate_per_s = half_rate_per_s(&max.seen.measured)?;
        let open = HttpLoad { pace: Pace::Open { rate_per_s }, ..closed };
        let before = server.batches().await;
        let mut ours = Rounds::default();
        for _ in 0..ROUNDS {
            disk.add(&self.probe()?);
            ours.measure(server, &open, self.slice()).await?;
        }
        let mean_batch = mean_batch(before, server.batches().await);
        let aside = Aside { disk, pace: open.pace, mean_batch, crowd_cuts: None };
        self.report(server, &ours, "maximum", &max, &aside)
    }

    pub(super) async fn crowd(&self, server: &Server) -> Result<Report> {
        server.put_pools(&self.shape()?, UNITS_MAX).await?;
        let load = self.load(server, Expected::Placed)?;
        run(&load, self.warmup()).await?;
        let size = CrowdSize { idle: self.idle, slow: self.slow };
        let (mut ours, mut calm, mut disk) = (Rounds::default(), Rounds::default(), Measured::default());
        let mut cuts = 0;
        for _ in 0..ROUNDS {
            disk.add(&self.probe()?);
            calm.measure(server, &load, self.slice()).await?;
            let crowd = Crowd::gather(&server.target, size).await?;
            ours.measure(server, &load, self.slice()).await?;
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

    fn probe(&self) -> Result<Measured> {
        fdatasync(&self.dir, PROBE).context("cannot measure the disk; choose another --dir")
    }

    fn slice(&self) -> Duration {
        Duration::from_secs(u64::from(self.seconds)) / ROUNDS
    }

    fn report(&self, server: &Server, ours: &Rounds, name: &str, theirs: &Rounds, aside: &Aside) -> Result<Report> {
        let shape = self.shape()?;
        let peak_rss_bytes = server.process.as_ref().map(Process::peak_rss_bytes).transpose()?;
        let figures = ours.figures();
        let against = Against { name: name.to_owned(), figures: theirs.figures() };
        let fdatasync_median_us = aside.disk.micros_at(0.5);
        let micros = |micros: u64| Duration::from_micros(micros).as_secs_f64();
        Ok(Report {
            case: self.case.name(),
            pace: match aside.pace {
                Pace::Closed => "closed",
                Pace::Open { .. } => "open",
            },
            connections: self.connections()?,
            pools: shape.pools,
            nights: shape.nights,
            batch: shape.batch.unwrap_or(1),
            seconds: ours.seen.measured.elapsed.as_secs_f64(),
            cpu_resolution_us: ours.cpu_resolution_us(),
            peak_rss_bytes,
            mean_batch: aside.mean_batch,
            fdatasync_per_s: aside.disk.rate_per_s(),
            fdatasync_median_us,
            p99_per_fdatasync: micros(figures.p99_us) / micros(fdatasync_median_us.max(1)),
            crowd_cuts: aside.crowd_cuts,
            ratio: figures.rate_per_s / against.figures.rate_per_s,
            cpu_ratio: figures.cpu_us.zip(against.figures.cpu_us).map(|(ours, theirs)| ours / theirs),
            ours: figures,
            against,
        })
    }
}

/// At least one a second, so that something is sent.
fn half_rate_per_s(max: &Measured) -> Result<u32> {
    let micros = max.elapsed.as_micros().max(1);
    Ok(u32::try_from(u128::from(max.holds) * 1_000_000 / micros / 2)?.max(1))
}

#[cfg(test)]
mod tests {
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
