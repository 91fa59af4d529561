//! Planted bugs: each removes one guard, and the tests have to find it.
//!
//! The tree that is built for use contains none. `crates/lab/planted` describes each bug as edits of the source; here they
//! are applied to a copy of the tree under `target/planted`, which is built once, with all bugs behind a switch. The
//! sample module of docs/adding-a-module.md is built in the same copy. Start at [`run`].

mod catalogue;
mod copy;
mod dependencies;
mod options;
mod proofs;
mod sample;
mod trials;

use std::path::{Path, PathBuf};
use std::time::Instant;

use anyhow::{Result, ensure};

use crate::planted::catalogue::Catalogue;
use crate::planted::options::Options;

type Variables<'a> = &'a [(&'static str, String)];

/// A name beside those of bugs: runs without a bug.
const CONTROL: &str = "control";
/// A name beside those of bugs: the proofs that need no processes.
const IN_PROCESS: &str = "in-process";

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..")
}

/// Wrong names fail before anything starts.
pub(crate) fn check(arguments: &[String]) -> Result<()> {
    Options::parse(arguments, &Catalogue::read(&root())?).map(|_| ())
}

pub(crate) fn run(arguments: &[String], variables: Variables) -> Result<()> {
    let catalogue = Catalogue::read(&root())?;
    let options = Options::parse(arguments, &catalogue)?;
    let tree = copy::make(&root(), &catalogue)?;
    let since = Instant::now();
    let built = copy::build(&tree)?;
    eprintln!("== Built a copy with {} planted bugs in {:.0?}", catalogue.bugs.len(), since.elapsed());
    if options.wants(IN_PROCESS) {
        proofs::run(&tree, &built, variables)?;
    }
    let trials = trials::chosen(&catalogue, &options);
    let failed = trials::run(&trials, &options, &built.torture, variables);
    for bug in catalogue.bugs.iter().filter(|bug| options.wants(&bug.name)) {
        if let Some(place) = &bug.elsewhere {
            eprintln!("{} is found elsewhere: {place}", bug.name);
        }
    }
    ensure!(failed == 0, "{failed} of {} trials of planted bugs did not end as expected, see above", trials.len());
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Builds nothing: a change of the source that an edit no longer fits is noticed by every test run. The edits of the sample
    /// module are among them.
    #[test]
    fn every_planted_bug_still_fits() {
        let fitted = Catalogue::read(&root()).and_then(|catalogue| catalogue.edited(&root()));
        match fitted {
            Ok(edited) => assert!(!edited.is_empty()),
            Err(error) => panic!("{error:#}"),
        }
    }
}
