//! The proofs that need no processes: each bug does harm in a small scenario, and the simulation finds those it can meet.

use std::path::Path;
use std::process::Command;

use anyhow::{Context, Result, ensure};

use super::Variables;
use super::copy::Built;

pub(super) fn run(tree: &Path, built: &Built, variables: Variables) -> Result<()> {
    for proof in &built.proofs {
        let shown = proof.display();
        eprintln!("== {shown}");
        let status = Command::new(proof)
            .current_dir(tree.join("crates/lab"))
            .envs(variables.iter().map(|(name, value)| (name, value)))
            .status()
            .with_context(|| format!("cannot run {shown}"))?;
        ensure!(status.success(), "a planted bug was not found, see above; `{shown} NAME` runs one test");
    }
    Ok(())
}
