//! Every setting, with its default and its description. The comments here are what `surehold config` and
//! `docs/configuration.md` show; after a change, renew both as the failing test says.

use std::net::{Ipv4Addr, SocketAddr};
use std::path::PathBuf;
use std::time::Duration;

use super::table::{Share, optional, settings, text, whole};
use super::values::{
    LogFilter, LogFormat, OtlpEndpoint, OtlpHeaders, Secret, StoreUrl, WebhookReach, stays_on_this_machine,
};

const HOUR_SECS: u64 = 3_600;

settings! {
    /// Where the server listens, and what it puts up with.
    [server] Server {
        /// Address and port of the API. Beyond this machine, use TLS or a proxy that does.
        listen: SocketAddr = SocketAddr::from((Ipv4Addr::LOCALHOST, 8000)),
            text("an address with a port, such as 127.0.0.1:8000 or [::]:8000");
        /// When set, the routes under `/admin` answer only here.
        admin_listen: Option<SocketAddr> = None,
            optional("an address with a port", "\"127.0.0.1:8001\"");
        /// Certificate chain in PEM. Read again when the file changes. Needs `tls_key_file`.
        tls_certificate_file: Option<PathBuf> = None,
            optional("the path of a PEM file", "\"/etc/surehold/tls.crt\"");
        /// Private key in PEM.
        tls_key_file: Option<PathBuf> = None,
            optional("the path of a PEM file", "\"/etc/surehold/tls.key\"");
        /// Connections at once; further ones are closed at once. Keep the limit of open files above it.
        connections_max: usize = 10_000, whole(1, 1_000_000);
        /// Time for a client to send the head of a request.
        header_timeout_secs: u64 = 5, whole(1, HOUR_SECS);
        /// Time for a client to send the body of a request.
        body_timeout_secs: u64 = 15, whole(1, HOUR_SECS);
        /// Time that a connection may stay open without a request.
        idle_timeout_secs: u64 = 75, whole(1, 24 * HOUR_SECS);
        /// Time for running requests to end after SIGTERM.
        drain_secs_max: u64 = 10, whole(0, HOUR_SECS);
        /// Whether `/metrics` answers without a key.
        metrics_open: bool = false, text("true or false");
    }

    /// Where the data is.
    [store] Store {
        /// Absent, it is the file `surehold.db` in the data folder. May hold a password: prefer the variable.
        url: Option<StoreUrl> = None,
            optional("postgres://user@host/database or sqlite:PATH", "\"postgres://surehold@127.0.0.1/surehold\"");
        /// Folder of the file, of the lock and of the local socket.
        data_dir: PathBuf = PathBuf::from("surehold-data"), text("the path of a folder");
        /// Writing connections to Postgres. A file has one writer, whatever this says.
        lanes: usize = 4, whole(1, 64);
        /// Reading connections.
        readers: usize = 4, whole(1, 256);
    }

    /// How commands are carried out.
    [engine] Engine {
        /// How long a caller waits for an answer before it is told what is known.
        deadline_secs: u64 = 10, whole(1, HOUR_SECS);
        /// Commands that may wait in front of a lane; beyond that callers are told to come back.
        waiting_commands_max: usize = 32_768, whole(1, 1_000_000);
        /// Pause between sweeps for lapsed holds. 0 leaves them to other nodes; a lapsed hold is dead either way.
        sweep_pause_ms: u64 = 1_000, whole(0, HOUR_SECS * 1_000);
        /// Longest pause between looks for schedules that are due. 0 leaves them to other nodes.
        schedule_pause_ms: u64 = 1_000, whole(0, HOUR_SECS * 1_000);
    }

    /// Carrying operations out.
    [worker] Worker {
        /// Whether `surehold serve` works too. Leave it on unless `surehold worker` runs elsewhere.
        in_server: bool = true, text("true or false");
        /// Operations that reach outside and may run at once in this process.
        effects_max: usize = 256, whole(1, 100_000);
        /// How often a worker says that it is alive.
        beat_secs: u64 = 10, whole(1, HOUR_SECS);
        /// A worker that has been silent for this long has lost its work to others. At least three times `beat_secs`.
        silent_secs: u64 = 30, whole(3, 24 * HOUR_SECS);
        /// Time for running effects to end after SIGTERM.
        drain_secs_max: u64 = 10, whole(0, HOUR_SECS);
        /// Where `surehold worker` answers `/healthz`, `/readyz` and `/metrics`. Absent, it listens nowhere.
        health_listen: Option<SocketAddr> = None,
            optional("an address with a port", "\"127.0.0.1:8002\"");
    }

    /// How much one caller may take.
    [limits] Limits {
        /// Requests per second of a key that has no limit of its own, on this node.
        requests_per_s_default: u32 = 2_000, whole(1, 10_000_000);
        /// How many seconds' worth of requests may come at once.
        burst_secs: u32 = 2, whole(1, 3_600);
        /// Live event streams at once.
        event_streams_max: usize = 1_000, whole(0, 1_000_000);
    }

    /// The event feed.
    [events] Events {
        /// Events older than this may be dropped; a reader that comes later is told so.
        retention_days: u32 = 90, whole(1, 36_500);
    }

    /// Messages to the webhook endpoints of tenants.
    [webhooks] Webhooks {
        /// Which addresses are called: those of the public internet by HTTPS, or every address, also by plain HTTP. A
        /// tenant who may name any address can reach what this machine can reach.
        reach: WebhookReach = WebhookReach::Public, text("\"public\" or \"anywhere\"");
        /// Time for a receiver to answer.
        timeout_secs: u64 = 15, whole(1, 60);
    }

    /// Payments by Stripe.
    [stripe] Stripe {
        /// File with the accounts at Stripe and their keys, apart from everything else. Read at the start. Absent,
        /// nothing can be paid by Stripe.
        accounts_file: Option<PathBuf> = None,
            optional("the path of a TOML file", "\"/etc/surehold/stripe.toml\"");
    }

    /// Log lines, on standard error.
    [log] Log {
        /// Lines for people, or one JSON object a line.
        format: LogFormat = LogFormat::Human, text("\"human\" or \"json\"");
        /// What is written: a level, and exceptions per module, as in `info,surehold_engine=debug`.
        filter: LogFilter = LogFilter::new("info").expect("a level is a filter"),
            text("levels (off, error, warn, info, debug, trace), alone or as module=level, separated by commas");
    }

    /// Traces, sent to an OpenTelemetry collector.
    [telemetry] Telemetry {
        /// Address of the collector (OTLP over HTTP). Absent, no traces are made.
        otlp_endpoint: Option<OtlpEndpoint> = None,
            optional("an address with http:// or https://, without login and parameters", "\"http://127.0.0.1:4318\"");
        /// Headers for the collector, such as a key. A secret: prefer the variable.
        otlp_headers: Option<OtlpHeaders> = None,
            optional("name=value, separated by commas", "\"x-api-key=secret\"");
        /// Share of the requests that are traced, unless the caller has decided.
        sample_ratio: Share = Share(1.0), text("a number from 0.0 to 1.0");
        /// What this process is called in traces.
        service_name: String = "surehold".to_owned(), text("a name");
    }
}

impl Server {
    pub(crate) fn header_timeout(&self) -> Duration {
        Duration::from_secs(self.header_timeout_secs)
    }

    pub(crate) fn body_timeout(&self) -> Duration {
        Duration::from_secs(self.body_timeout_secs)
    }

    pub(crate) fn idle_timeout(&self) -> Duration {
        Duration::from_secs(self.idle_timeout_secs)
    }

    pub(crate) fn drain_max(&self) -> Duration {
        Duration::from_secs(self.drain_secs_max)
    }

    /// Certificate and key, if the server is to speak TLS; loading has made sure that there are both or none.
    pub(crate) fn tls_files(&self) -> Option<(&PathBuf, &PathBuf)> {
        self.tls_certificate_file.as_ref().zip(self.tls_key_file.as_ref())
    }
}

/// The store to open.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum StoreTarget {
    Sqlite(PathBuf),
    Postgres(Secret),
}

impl Store {
    pub(crate) fn target(&self) -> StoreTarget {
        match &self.url {
            None => StoreTarget::Sqlite(self.data_dir.join("surehold.db")),
            Some(StoreUrl::Sqlite(path)) => StoreTarget::Sqlite(path.clone()),
            Some(StoreUrl::Postgres(url)) => StoreTarget::Postgres(url.clone()),
        }
    }

    /// Whether nothing that is said to the store leaves this machine.
    pub(crate) fn is_local(&self) -> bool {
        match self.target() {
            StoreTarget::Sqlite(_) => true,
            StoreTarget::Postgres(url) => stays_on_this_machine(url.expose()),
        }
    }

    /// Through which local commands reach a server that runs on this folder.
    pub(crate) fn socket(&self) -> PathBuf {
        self.data_dir.join("surehold.sock")
    }
}

impl Engine {
    pub(crate) fn deadline(&self) -> Duration {
        Duration::from_secs(self.deadline_secs)
    }

    pub(crate) fn sweep_pause(&self) -> Option<Duration> {
        (self.sweep_pause_ms > 0).then(|| Duration::from_millis(self.sweep_pause_ms))
    }

    pub(crate) fn schedule_pause(&self) -> Option<Duration> {
        (self.schedule_pause_ms > 0).then(|| Duration::from_millis(self.schedule_pause_ms))
    }
}

impl Events {
    pub(crate) fn retention(&self) -> Duration {
        Duration::from_hours(24 * u64::from(self.retention_days))
    }
}
