//! A worker process for tests: carries charges out at a fake provider, with short beats. Prints `working` when it has
//! begun, `idle` whenever nothing is left to do, and `stale N` when results were refused because the lease was lost.
//! Lives until its standard input is closed, unless it is told where to die.

use std::io::{self, Write};
use std::net::SocketAddr;
use std::path::Path;
use std::process::ExitCode;
use std::sync::atomic::{AtomicI64, AtomicU64, Ordering};
use std::sync::{Arc, OnceLock};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use anyhow::{Context, Result, bail};
use metrics::{Counter, Gauge, Histogram, Key, KeyName, Metadata, Recorder, SharedString, Unit};
use smol_str::SmolStr;
use surehold_core::kernel::Timestamp;
use surehold_core::operations::BreakerPolicy;
use surehold_core::operations::commands::EffectCall;
use surehold_engine::{
    Boundary, BoxFuture, Engine, EngineConfig, Provider, ProviderAnswer, Registry, Store, Worker, WorkerConfig,
};
use surehold_postgres::{PostgresConfig, PostgresStore};
use surehold_simulators::charge::{Bank, CHARGE, Charging, NoteCharge, POISON, nothing_is_left};
use surehold_sqlite::{Clock, OpenError, SqliteStore};

const USAGE: &str =
    "usage: operate sqlite:FILE|postgres://… PROVIDER_ADDRESS [--die-at BOUNDARY:N] [--clock-offset-secs N]";
const LOOK_PAUSE: Duration = Duration::from_millis(20);
const OPEN_TRIES_MAX: usize = 3_000;

#[tokio::main(worker_threads = 2)]
async fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    match run(&arguments).await {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("error: {error:#}");
            ExitCode::FAILURE
        }
    }
}

#[derive(Debug)]
struct Arguments {
    store: String,
    provider: SocketAddr,
    die_at: Option<(Boundary, u64)>,
    clock_offset_secs: i64,
}

fn parse(arguments: &[String]) -> Result<Arguments> {
    let [store, provider, options @ ..] = arguments else { bail!(USAGE) };
    let provider = provider.parse().context(USAGE)?;
    let mut parsed = Arguments { store: store.clone(), provider, die_at: None, clock_offset_secs: 0 };
    for option in options.chunks(2) {
        match option {
            [name, value] if name == "--die-at" => parsed.die_at = Some(place(value).context(USAGE)?),
            [name, value] if name == "--clock-offset-secs" => parsed.clock_offset_secs = value.parse()?,
            _ => bail!(USAGE),
        }
    }
    Ok(parsed)
}

fn place(text: &str) -> Option<(Boundary, u64)> {
    let (name, visit) = text.split_once(':')?;
    let boundary = Boundary::ALL.into_iter().find(|boundary| boundary.as_str() == name)?;
    Some((boundary, visit.parse().ok()?))
}

static DIE_AT: OnceLock<(Boundary, u64)> = OnceLock::new();
static VISITS: AtomicU64 = AtomicU64::new(0);

/// No destructor runs and nothing is flushed: what the disk and the provider know is all that is left.
fn die_there(boundary: Boundary) {
    let Some((place, visit)) = DIE_AT.get() else { return };
    if *place == boundary && VISITS.fetch_add(1, Ordering::SeqCst) + 1 == *visit {
        let killed = rustix::process::kill_process(rustix::process::getpid(), rustix::process::Signal::KILL);
        killed.expect("a process may kill itself");
        loop {
            std::thread::park();
        }
    }
}

async fn run(arguments: &[String]) -> Result<()> {
    let Arguments { store, provider, die_at, clock_offset_secs } = parse(arguments)?;
    if let Some(die_at) = die_at {
        DIE_AT.set(die_at).expect("set once");
    }
    metrics::set_global_recorder(StaleCounter)?;
    let engine = Engine::start_with(
        open(&store, clock_offset_secs).await?,
        EngineConfig { sweep_pause: None, ..EngineConfig::default() },
        registry(provider),
    )?;
    let worker = Worker::start(engine.clone(), config());
    say("working")?;
    let (closed, closing) = tokio::sync::oneshot::channel();
    // Waiting for input cannot be cancelled, so it must not be the runtime's.
    std::thread::spawn(move || {
        let _ = io::copy(&mut io::stdin(), &mut io::sink());
        let _ = closed.send(());
    });
    tokio::select! {
        _ = closing => {}
        told = tell_forever(&engine) => return told,
    }
    worker.stop().await;
    engine.stop().await;
    Ok(())
}

async fn open(store: &str, clock_offset_secs: i64) -> Result<Arc<dyn Store>> {
    let offset_micros = clock_offset_secs * 1_000_000;
    if let Some(file) = store.strip_prefix("sqlite:") {
        let clock: Clock = Arc::new(move || {
            let elapsed = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
            let micros = i64::try_from(elapsed.as_micros()).unwrap_or(i64::MAX);
            Timestamp::from_micros(micros.saturating_add(offset_micros))
        });
        // A test that starts many processes at once hands its locks to each of them for the moment before it runs.
        for _ in 0..OPEN_TRIES_MAX {
            match SqliteStore::open_with_clock(Path::new(file), Arc::clone(&clock)) {
                Err(OpenError::InUse { .. }) => tokio::time::sleep(LOOK_PAUSE).await,
                opened => return Ok(Arc::new(opened?)),
            }
        }
        bail!("somebody else keeps {file} open");
    }
    let clock_offset_micros = Arc::new(AtomicI64::new(offset_micros));
    let config = PostgresConfig { clock_offset_micros, lanes: 2, readers: 2, ..PostgresConfig::new(store) };
    Ok(Arc::new(PostgresStore::connect(config).await?))
}

fn registry(provider: SocketAddr) -> Registry {
    let bank = Arc::new(Bank::at(provider));
    Registry::default()
        .state(NoteCharge)
        .effect(Charging::once(&CHARGE), bank.clone())
        .effect(Charging::with_fee(), bank)
        .effect(Charging::once(&POISON), Arc::new(Deadly))
}

fn config() -> WorkerConfig {
    WorkerConfig {
        host: "operate".to_owned(),
        beat_pause: Duration::from_millis(200),
        silent_after: Duration::from_secs(2),
        poll_pause: Duration::from_millis(100),
        watch_pause: Duration::from_millis(200),
        // What a breaker does has tests of its own; here every fault is to be met.
        breaker: BreakerPolicy { failures_max: u16::MAX, open_secs: 1, open_secs_max: 1, probe_secs_max: 5 },
        on_boundary: die_there,
        ..WorkerConfig::default()
    }
}

/// One write, so that a kill cannot tear a line.
fn say(line: &str) -> Result<()> {
    let mut out = io::stdout().lock();
    out.write_all(format!("{line}\n").as_bytes())?;
    Ok(out.flush()?)
}

async fn tell_forever(engine: &Engine) -> Result<()> {
    let (mut was_idle, mut told_stale) = (false, 0);
    loop {
        let is_idle = nothing_is_left(engine.views()).await;
        if is_idle && !was_idle {
            say("idle")?;
        }
        was_idle = is_idle;
        let stale = STALE.get().map_or(0, |count| count.load(Ordering::SeqCst));
        if stale > told_stale {
            say(&format!("stale {stale}"))?;
            told_stale = stale;
        }
        tokio::time::sleep(LOOK_PAUSE).await;
    }
}

/// A call that no process survives.
#[derive(Debug)]
struct Deadly;

impl Provider for Deadly {
    fn account(&self, _: &EffectCall) -> SmolStr {
        SmolStr::default()
    }

    fn call<'a>(&'a self, _: &'a EffectCall) -> BoxFuture<'a, ProviderAnswer> {
        std::process::abort()
    }

    fn probe<'a>(&'a self, _: &'a EffectCall) -> BoxFuture<'a, ProviderAnswer> {
        std::process::abort()
    }
}

static STALE: OnceLock<Arc<AtomicU64>> = OnceLock::new();

/// Counts results that were refused because the lease was lost, of all types together.
struct StaleCounter;

impl Recorder for StaleCounter {
    fn describe_counter(&self, _: KeyName, _: Option<Unit>, _: SharedString) {}
    fn describe_gauge(&self, _: KeyName, _: Option<Unit>, _: SharedString) {}
    fn describe_histogram(&self, _: KeyName, _: Option<Unit>, _: SharedString) {}

    fn register_counter(&self, key: &Key, _: &Metadata<'_>) -> Counter {
        if key.name() != "surehold_operations_stale_total" {
            return Counter::noop();
        }
        Counter::from_arc(Arc::clone(STALE.get_or_init(Arc::default)))
    }

    fn register_gauge(&self, _: &Key, _: &Metadata<'_>) -> Gauge {
        Gauge::noop()
    }

    fn register_histogram(&self, _: &Key, _: &Metadata<'_>) -> Histogram {
        Histogram::noop()
    }
}
