//! What the command takes: targets, bounds, and an input to see again.

use std::path::PathBuf;

use anyhow::{Context, Result, bail};

#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Options {
    /// None for all.
    pub(crate) targets: Vec<String>,
    /// For each target.
    pub(crate) seconds: u64,
    pub(crate) runs: Option<u64>,
    /// By the clock, if not told.
    pub(crate) seed: Option<u32>,
    pub(crate) replay: Option<PathBuf>,
    pub(crate) keep: bool,
}

impl Default for Options {
    fn default() -> Options {
        Options { targets: Vec::new(), seconds: 10, runs: None, seed: None, replay: None, keep: false }
    }
}

impl Options {
    pub(crate) fn parse(arguments: &[String]) -> Result<Options> {
        let mut options = Options::default();
        let mut words = arguments.iter();
        while let Some(word) = words.next() {
            let mut number =
                || words.next().and_then(|text| text.parse().ok()).with_context(|| format!("{word} NUMBER"));
            match word.as_str() {
                "--seconds" => options.seconds = number()?,
                "--runs" => options.runs = Some(number()?),
                "--seed" => options.seed = Some(u32::try_from(number()?)?),
                "--replay" => options.replay = Some(words.next().context("--replay FILE")?.into()),
                "--keep" => options.keep = true,
                flag if flag.starts_with('-') => bail!("there is no flag {flag}"),
                target => options.targets.push(target.to_owned()),
            }
        }
        Ok(options)
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
        for bad in ["--seconds", "--seconds ten", "--replay", "--fast"] {
            assert!(parse(bad).is_err(), "{bad}");
        }
    }
}
