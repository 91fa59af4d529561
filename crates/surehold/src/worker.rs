//! `surehold worker`: carries operations out without serving the API, beside servers on the same Postgres.

use std::io::Write;
use std::process::ExitCode;
use std::time::Duration;

use anyhow::{Context, Result};
use clap::Args;
use surehold_engine::{Worker, block_on};
use surehold_http::Api;
use surehold_http::server::{Server, bind_tcp};
use tokio_util::sync::CancellationToken;
use tracing::info;

use crate::accounts::Accounts;
use crate::config::{Config, ConfigArgs};
use crate::equipment::Equipment;
use crate::serve::{self, Signals};
use crate::{installation, telemetry};

/// Carry operations out, without serving the API
#[derive(Args)]
pub struct Work {
    #[command(flatten)]
    config: ConfigArgs,
}

impl Work {
    pub fn run(&self, equipment: &dyn Equipment) -> Result<ExitCode> {
        let config = Config::load(&self.config.clone().sources())?;
        // Outlives the runtime: it sends the last traces.
        let _telemetry = telemetry::start(&config)?;
        let runtime = tokio::runtime::Runtime::new()?;
        let worked = block_on(&runtime, work(&config, equipment));
        // A read that nobody waits for any more must not keep the process.
        runtime.shutdown_timeout(Duration::from_secs(1));
        worked.map(|()| ExitCode::SUCCESS)
    }
}

async fn work(config: &Config, equipment: &dyn Equipment) -> Result<()> {
    let accounts = Accounts::load(config)?;
    let metrics = serve::metrics::install()?;
    let engine = installation::open_with(config, &accounts, equipment).await?;
    let stop = CancellationToken::new();
    let api = Api::new(engine.clone(), installation::api_config(config, &accounts), Some(metrics), stop.clone());
    let listener = config.worker.health_listen.map(bind_tcp).transpose()?;
    let signals = tokio::spawn(serve::watch_signals(Signals::listen()?, stop.clone(), None));
    let worker = Worker::start(engine.clone(), equipment.worker_config(installation::worker_config(config)));
    let sweeping = installation::sweep_stripe(&engine, &accounts, equipment);
    announce();
    match listener {
        Some(listener) => {
            let address = listener.local_addr().context("the listener has no address")?;
            info!(%address, "Answering about health on http://{address}");
            let server = Server::new(api.health_router(), serve::server_config(config)).listen_tcp(listener, None);
            server.run(stop.clone()).await;
        }
        None => stop.cancelled().await,
    }
    signals.abort();
    drop(sweeping);
    worker.stop().await;
    engine.stop().await;
    Ok(())
}

/// Whoever stopped reading does not stop it.
fn announce() {
    let mut out = std::io::stdout().lock();
    let _ = writeln!(out, "working");
    let _ = out.flush();
}
