//! What the command takes: targets, bounds, and an input to see again.

use std::path::PathBuf;

use anyhow::Result;

use crate::usage::{number, wrong};

const FLAGS: &str = "--seconds, --minutes, --runs, --seed, --replay and --keep";

#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Options {
    /// None for all.
    pub(crate) targets: Vec<String>,
    /// For each target.
    pub(crate) seconds: u64,
    /// For all targets together.
    pub(crate) minutes: Option<u64>,
    pub(crate) runs: Option<u64>,
    /// By the clock if there is none.
    pub(crate) seed: Option<u32>,
    pub(crate) replay: Option<PathBuf>,
    pub(crate) keep: bool,
}

impl Default for Options {
    fn default() -> Options {
        Options { targets: Vec::new(), seconds: 10, minutes: None, runs: None, seed: None, replay: None, keep: false }
    }
}

impl Options {
    pub(crate) fn parse(arguments: &[String]) -> Result<Options> {
        let mut options = Options::default();
        let mut words = arguments.iter();
        while let Some(word) = words.next() {
            match word.as_str() {
                "--seconds" => options.seconds = number(word, words.next())?,
                "--minutes" => options.minutes = Some(number(word, words.next())?),
                "--runs" => options.runs = Some(number(word, words.next())?),
                "--seed" => options.seed = Some(number(word, words.next())?),
                "--replay" => options.replay = Some(words.next().ok_or_else(|| wrong("--replay needs a file"))?.into()),
                "--keep" => options.keep = true,
                flag if flag.starts_with('-') => return Err(wrong(format!("fuzz has no flag {flag}; it has {FLAGS}"))),
                target => options.targets.push(target.to_owned()),
            }
        }
        Ok(options)
    }

    /// So many targets share the minutes, and so many run at a time.
    pub(super) fn for_targets(&self, targets: usize, workers: usize) -> Options {
        let share = |minutes: u64| {
            let workers = u64::try_from(workers.min(targets)).unwrap_or(1);
            (minutes * 60 * workers / u64::try_from(targets).unwrap_or(1).max(1)).max(1)
        };
        Options { seconds: self.minutes.map_or(self.seconds, share), ..self.clone() }
    }

    /// As libFuzzer takes them.
    pub(super) fn engine(&self) -> Vec<String> {
        let mut flags = vec![format!("-max_total_time={}", self.seconds)];
        flags.extend(self.runs.map(|runs| format!("-runs={runs}")));
        flags.extend(self.seed.map(|seed| format!("-seed={seed}")));
        flags
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn arguments() {
        let parse = |text: &str| Options::parse(&text.split_whitespace().map(str::to_owned).collect::<Vec<_>>());
        assert_eq!(parse("").unwrap(), Options::default());
        let all = parse("cron --seconds 60 --runs 7 --seed 3 names --replay a/b --keep").unwrap();
        assert_eq!(all.targets, ["cron", "names"]);
        assert_eq!(all.engine(), ["-max_total_time=60", "-runs=7", "-seed=3"]);
        assert_eq!((all.replay, all.keep), (Some("a/b".into()), true));
        for bad in ["--seconds", "--seconds ten", "--minutes", "--seed 99999999999", "--replay", "--fast"] {
            assert!(parse(bad).unwrap_err().is::<crate::usage::Usage>(), "{bad}");
        }
    }

    #[test]
    fn minutes_are_shared() {
        let check = |minutes: u64, targets: usize, workers: usize, expected: u64| {
            let options = Options { minutes: Some(minutes), ..Options::default() };
            assert_eq!(options.for_targets(targets, workers).seconds, expected, "{minutes} {targets} {workers}");
        };
        check(10, 20, 2, 60);
        check(10, 1, 2, 600);
        check(1, 200, 1, 1);
        assert_eq!(Options::default().for_targets(20, 2).seconds, 10);
    }
}
