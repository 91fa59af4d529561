//! How long is measured, in how many rounds: the arguments that the benches share.

use std::path::Path;
use std::time::Duration;

use anyhow::{Context, Result};
use clap::Args;
use surehold_lab::bench::{Measured, fdatasync};

#[derive(Args, Clone, Copy, Debug)]
pub(crate) struct Timing {
    /// Measured time of each side of a comparison, all rounds together
    #[arg(long, default_value_t = 9.0, value_parser = seconds_measured)]
    seconds: f64,
    /// Time before the measurement that does not count
    #[arg(long, default_value_t = 1.0, value_parser = seconds_of_warmup)]
    warmup_seconds: f64,
    /// Both sides of a comparison take turns this often, so that a slow minute of the machine hits both
    #[arg(long, default_value_t = 3, value_parser = clap::value_parser!(u32).range(1..=100))]
    rounds: u32,
    /// How long the disk is measured in each round
    #[arg(long, default_value_t = 0.7, value_parser = seconds_measured)]
    probe_seconds: f64,
}

fn seconds_measured(text: &str) -> Result<f64, String> {
    seconds(text, 0.01, 3_600.0)
}

fn seconds_of_warmup(text: &str) -> Result<f64, String> {
    seconds(text, 0.0, 600.0)
}

fn seconds(text: &str, min: f64, max: f64) -> Result<f64, String> {
    let seconds: f64 = text.parse().map_err(|_| "not a number".to_owned())?;
    if (min..=max).contains(&seconds) { Ok(seconds) } else { Err(format!("{seconds} is not in {min}..={max}")) }
}

impl Timing {
    pub(super) fn rounds(&self) -> u32 {
        self.rounds
    }

    pub(super) fn total(&self) -> Duration {
        Duration::from_secs_f64(self.seconds)
    }

    /// One round.
    pub(super) fn slice(&self) -> Duration {
        self.total() / self.rounds
    }

    pub(super) fn warmup(&self) -> Duration {
        Duration::from_secs_f64(self.warmup_seconds)
    }

    /// How often the folder's disk makes an append durable.
    pub(super) fn probe(&self, folder: &Path) -> Result<Measured> {
        let duration = Duration::from_secs_f64(self.probe_seconds);
        fdatasync(folder, duration).context("cannot measure the disk; choose another --dir")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn seconds_have_limits() {
        let check = |text: &str, expected: Result<f64, &str>| {
            assert_eq!(seconds_measured(text), expected.map_err(str::to_owned), "{text}");
        };
        check("9", Ok(9.0));
        check("0.25", Ok(0.25));
        check("0", Err("0 is not in 0.01..=3600"));
        check("3601", Err("3601 is not in 0.01..=3600"));
        check("NaN", Err("NaN is not in 0.01..=3600"));
        check("soon", Err("not a number"));
        assert_eq!(seconds_of_warmup("0"), Ok(0.0));
    }
}
