//! `surehold bench`: numbers that anybody can measure again.

mod holds;
mod report;
mod stores;

use anyhow::Result;
use clap::Subcommand;

#[derive(Subcommand)]
pub(crate) enum Bench {
    /// Place holds as fast as they are answered, in process
    Holds(holds::Holds),
}

impl Bench {
    pub(crate) fn run(self) -> Result<()> {
        let runtime = tokio::runtime::Runtime::new()?;
        match self {
            Bench::Holds(holds) => runtime.block_on(holds.run()),
        }
    }
}
