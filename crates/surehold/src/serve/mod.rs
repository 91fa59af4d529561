//! `surehold serve`: opens the store, listens, and ends without losing anything.

mod demo;
pub(crate) mod metrics;

use std::io::Write;
use std::net::SocketAddr;
use std::process::ExitCode;
use std::time::Duration;

use anyhow::{Context, Result};
use clap::Args;
use surehold_engine::{Engine, Worker, block_on};
use surehold_http::Api;
use surehold_http::server::{Drained, LocalSocket, Server, ServerConfig, Tls, bind_tcp};
use tokio::net::TcpListener;
use tokio::signal::unix::{Signal, SignalKind, signal};
use tokio_util::sync::CancellationToken;
use tracing::{info, warn};

use crate::accounts::Accounts;
use crate::config::{Config, ConfigArgs};
use crate::equipment::Equipment;
use crate::{installation, telemetry};
use demo::Simulator;

/// Serve the API
#[derive(Args)]
pub struct Serve {
    #[command(flatten)]
    config: ConfigArgs,
    /// Address and port of the API [default: 127.0.0.1:8000]
    #[arg(long, value_name = "ADDRESS")]
    listen: Option<SocketAddr>,
    /// Sample data in a folder of its own (surehold-demo), a key to try it with, and a Stripe that is simulated
    #[arg(long)]
    demo: bool,
}

impl Serve {
    pub fn run(&self, equipment: &dyn Equipment) -> Result<ExitCode> {
        let config = self.load()?;
        // Outlives the runtime: it sends the last traces.
        let _telemetry = telemetry::start(&config)?;
        let runtime = tokio::runtime::Runtime::new()?;
        let served = block_on(&runtime, serve(&config, self.demo, equipment));
        // A read that nobody waits for any more must not keep the process.
        runtime.shutdown_timeout(Duration::from_secs(1));
        served.map(|()| ExitCode::SUCCESS)
    }

    fn load(&self) -> Result<Config> {
        let mut args = self.config.clone();
        if self.demo && args.data.is_none() {
            args.data = Some(demo::FOLDER.into());
        }
        let mut sources = args.sources();
        if self.demo {
            sources = sources.flag("--demo", "server.metrics_open", "true");
        }
        if let Some(listen) = self.listen {
            sources = sources.flag("--listen", "server.listen", &listen.to_string());
        }
        Ok(Config::load(&sources)?)
    }
}

/// What is bound before anything is promised.
struct Doors {
    public: TcpListener,
    admin: Option<TcpListener>,
    local: LocalSocket,
    tls: Option<Tls>,
}

impl Doors {
    async fn open(config: &Config) -> Result<Doors> {
        let tls = config.server.tls_files().map(|(certificate, key)| Tls::load(certificate, key)).transpose()?;
        Ok(Doors {
            public: bind_tcp(config.server.listen)?,
            admin: config.server.admin_listen.map(bind_tcp).transpose()?,
            local: LocalSocket::bind(&config.store.socket()).await?,
            tls,
        })
    }

    fn address(&self, listener: &TcpListener) -> Result<String> {
        let scheme = if self.tls.is_some() { "https" } else { "http" };
        Ok(format!("{scheme}://{}", listener.local_addr().context("the listener has no address")?))
    }
}

async fn serve(config: &Config, demo: bool, equipment: &dyn Equipment) -> Result<()> {
    // Outlives the engine: a call that has begun is answered.
    let simulator = if demo { Simulator::start(config).await? } else { None };
    let mut config = config.clone();
    if let Some(simulator) = &simulator {
        config.stripe.accounts_file = Some(simulator.accounts_file.clone());
    }
    let config = &config;
    let accounts = Accounts::load(config)?;
    let metrics = metrics::install()?;
    let engine = installation::open_with(config, &accounts, equipment).await?;
    let doors = Doors::open(config).await?;
    let work = || Worker::start(engine.clone(), equipment.worker_config(installation::worker_config(config)));
    let worker = config.worker.in_server.then(work);
    let stop = CancellationToken::new();
    let api_config = equipment.api_config(installation::api_config(config, &accounts));
    let api = Api::new(engine.clone(), api_config, Some(metrics), stop.clone());
    let address = doors.address(&doors.public)?;
    let welcome = if demo { Some(open_demo(config, &api, &address, simulator.as_ref()).await?) } else { None };
    let sweeping = config.worker.in_server.then(|| installation::sweep_stripe(&engine, &accounts, equipment)).flatten();
    let signals = tokio::spawn(watch_signals(Signals::listen()?, stop.clone(), doors.tls.clone()));
    announce(&address, welcome.as_deref());
    info!(%address, "Listening on {address}");

    let drained = run_servers(config, &api, doors, &stop).await;
    signals.abort();
    drop(sweeping);
    if let Some(worker) = worker {
        worker.stop().await;
    }
    finish(engine, drained).await;
    Ok(())
}

/// What to say to those who try it.
async fn open_demo(config: &Config, api: &Api, address: &str, simulator: Option<&Simulator>) -> Result<String> {
    let key = demo::prepare(api, simulator).await?;
    if let Some(simulator) = simulator {
        simulator.tell(address);
    }
    Ok(demo::welcome(address, &key, &config.store.data_dir, simulator))
}

/// Where it listens is what this command has to say; whoever stopped reading does not stop it.
fn announce(address: &str, welcome: Option<&str>) {
    let mut out = std::io::stdout().lock();
    let _ = writeln!(out, "listening on {address}");
    if let Some(welcome) = welcome {
        let _ = writeln!(out, "{welcome}");
    }
    let _ = out.flush();
}

/// Administration has a listener of its own where one is configured, and the local socket always.
async fn run_servers(config: &Config, api: &Api, doors: Doors, stop: &CancellationToken) -> Drained {
    let Doors { public, admin, local, tls } = doors;
    let settings = server_config(config);
    let Some(admin) = admin else {
        let server = Server::new(api.router(), settings).listen_tcp(public, tls).listen_unix(local);
        return server.run(stop.clone()).await;
    };
    let public = Server::new(api.public_router(), settings.clone()).listen_tcp(public, tls.clone());
    let admin = Server::new(api.router(), settings).listen_tcp(admin, tls).listen_unix(local);
    let (public, admin) = tokio::join!(public.run(stop.clone()), admin.run(stop.clone()));
    Drained { finished: public.finished + admin.finished, cut: public.cut + admin.cut }
}

pub(crate) fn server_config(config: &Config) -> ServerConfig {
    ServerConfig {
        connections_max: config.server.connections_max,
        header_timeout: config.server.header_timeout(),
        body_timeout: config.server.body_timeout(),
        idle_timeout: config.server.idle_timeout(),
        drain_max: config.server.drain_max(),
        ..ServerConfig::default()
    }
}

/// Listened to before the address is announced: whoever reads it may stop the server.
pub(crate) struct Signals {
    terminate: Signal,
    interrupt: Signal,
    hangup: Signal,
}

impl Signals {
    pub(crate) fn listen() -> Result<Signals> {
        let listen = |kind| signal(kind).context("cannot listen for signals");
        Ok(Signals {
            terminate: listen(SignalKind::terminate())?,
            interrupt: listen(SignalKind::interrupt())?,
            hangup: listen(SignalKind::hangup())?,
        })
    }
}

/// The first signal asks for an orderly end, the second insists.
pub(crate) async fn watch_signals(mut signals: Signals, stop: CancellationToken, tls: Option<Tls>) {
    loop {
        tokio::select! {
            _ = signals.terminate.recv() => {}
            _ = signals.interrupt.recv() => {}
            _ = signals.hangup.recv() => {
                // Trouble is logged, and the old certificate stays.
                if let Some(tls) = tls.clone() {
                    let _ = tokio::task::spawn_blocking(move || tls.reload()).await;
                }
                continue;
            }
        }
        if stop.is_cancelled() {
            warn!("Stopping at once; requests in flight get no answer, what was acknowledged stays");
            std::process::exit(130);
        }
        info!("Stopping: requests in flight are finished; a second signal ends at once");
        stop.cancel();
    }
}

async fn finish(engine: Engine, drained: Drained) {
    engine.stop().await;
    let Drained { finished, cut } = drained;
    info!(finished, cut, "Stopped: {finished} connections ended by themselves, {cut} were cut");
}
