//! What libFuzzer says about a run, in numbers.

use std::fmt;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Stats {
    pub(super) runs: u64,
    runs_per_s: u64,
    /// Places in the code that were reached.
    reached: u64,
    /// Combinations of places and how often they were passed.
    features: u64,
    inputs: u64,
    memory_mib: u64,
}

impl Stats {
    pub(super) fn read(log: &str) -> Option<Stats> {
        let stat = |name: &str| {
            let line = log.lines().find_map(|line| line.strip_prefix("stat::")?.strip_prefix(name));
            line?.trim_start_matches(':').trim().parse().ok()
        };
        let last = log.lines().rev().find(|line| line.starts_with('#') && line.contains(" cov: "))?;
        let after = |name: &str| {
            let rest = last.split_once(name)?.1.trim_start();
            let digits = rest.split(|c: char| !c.is_ascii_digit()).next()?;
            digits.parse().ok()
        };
        Some(Stats {
            runs: stat("number_of_executed_units")?,
            runs_per_s: stat("average_exec_per_sec")?,
            reached: after(" cov:")?,
            features: after(" ft:")?,
            inputs: after(" corp:")?,
            memory_mib: stat("peak_rss_mb")?,
        })
    }
}

impl fmt::Display for Stats {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Stats { runs, runs_per_s, reached, features, inputs, memory_mib } = self;
        write!(f, "{runs:>9} runs, {runs_per_s:>6}/s, {reached:>5} places, {features:>6} features, ")?;
        write!(f, "{inputs:>4} inputs, {memory_mib:>4} MiB")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_end_of_a_log() {
        let log = "INFO: Seed: 3\n\
            #2\tINITED cov: 8 ft: 8 corp: 1/1b exec/s: 0 rss: 27Mb\n\
            #1000\tDONE   cov: 91 ft: 205 corp: 12/90b lim: 4096 exec/s: 500 rss: 30Mb\n\
            Done 1000 runs in 2 second(s)\n\
            stat::number_of_executed_units: 1000\n\
            stat::average_exec_per_sec:     500\n\
            stat::new_units_added:          11\n\
            stat::slowest_unit_time_sec:    0\n\
            stat::peak_rss_mb:              30\n";
        let stats = Stats::read(log).unwrap();
        let expected = Stats { runs: 1_000, runs_per_s: 500, reached: 91, features: 205, inputs: 12, memory_mib: 30 };
        assert_eq!(stats, expected);
        assert_eq!(Stats::read("INFO: Seed: 3\n"), None);
    }
}
