//! `surehold-lab bench`: numbers that anybody can measure again.

mod audit;
mod bare;
mod batches;
mod build;
mod figures;
mod holds;
mod http;
mod operations;
mod report;
mod rival;
mod servers;
mod stays;
mod stock;
mod stores;
mod timing;

use anyhow::Result;
use clap::Subcommand;
use tokio::runtime;

#[derive(Subcommand)]
pub(crate) enum Bench {
    /// Place holds as fast as they are answered, in process
    Holds(holds::Holds),
    /// Run operations as fast as they go, in process
    Operations(operations::Operations),
    /// Quote, read a calendar and hold rooms over HTTP, against the textbook's transaction in the same run
    Stays(stays::Stays),
    /// Sell goods, audit and backdate ledgers, in process, against the textbook's transaction in the same run
    Stock(stock::Stock),
    /// Audit many holds, alone and beside clients that place more
    Audit(audit::AuditBench),
    /// Ask a server over HTTP, and a bare endpoint in the same run
    Http(http::Http),
    /// Serve the endpoint that `bench http` compares with
    #[command(hide = true)]
    Bare(bare::Bare),
}

impl Bench {
    pub(crate) fn run(self) -> Result<()> {
        match self {
            Bench::Holds(holds) => runtime::Runtime::new()?.block_on(holds.run()),
            // One thread asks more often than two cores can answer; with a second one, each request was measured to cost
            // the generator a fifth more CPU, which the server then lacks.
            Bench::Http(http) => runtime::Builder::new_current_thread().enable_all().build()?.block_on(http.run()),
            Bench::Stays(stays) => runtime::Builder::new_current_thread().enable_all().build()?.block_on(stays.run()),
            Bench::Stock(stock) => runtime::Runtime::new()?.block_on(stock.run()),
            Bench::Operations(operations) => runtime::Runtime::new()?.block_on(operations.run()),
            Bench::Audit(audit) => runtime::Runtime::new()?.block_on(audit.run()),
            Bench::Bare(bare) => runtime::Runtime::new()?.block_on(bare.run()),
        }
    }
}
