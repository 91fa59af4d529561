//! Connections: accepting, timing out, TLS, draining. Knows nothing of what is said on them: what to answer, also to a
//! body that came too slowly ([`BodyTimeout`]), is the router's business.
//!
//! Start at [`Server::run`]. `accept` lets connections in, `connection` serves one, `watch` knows who is overdue
//! (`docs/adr/0010-own-accept-loop.md` says why there is a watch at all), `io` and `service` tell it what happens.

mod accept;
mod bind;
mod body;
mod connection;
mod io;
mod metrics;
mod service;
mod tls;
mod watch;

use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use axum::Router;
use tokio::net::TcpListener;
use tokio::task::JoinSet;
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;

pub use bind::{BindError, LocalSocket, bind_tcp};
pub use body::BodyTimeout;
pub use tls::{Tls, TlsError};

use accept::{Acceptor, Group};
use connection::Host;
use metrics::Timeouts;
use watch::Watcher;

/// Connections to the local socket have their own limit, so that the network cannot take their places.
const LOCAL_CONNECTIONS_MAX: usize = 1_024;

/// Time that connections get to notice that they were cut. Only a handler that blocks its thread needs more.
const CUT_NOTICED_MAX: Duration = Duration::from_secs(1);

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ServerConfig {
    /// Connections from the network at the same time; more are closed as they come.
    pub connections_max: usize,
    /// From the first byte of a request head to its last; for the first request from the accept, TLS included.
    pub header_timeout: Duration,
    /// From the end of the head to the end of the body.
    pub body_timeout: Duration,
    /// Without any request.
    pub idle_timeout: Duration,
    /// Without the client taking a byte of its answer.
    pub write_stall_timeout: Duration,
    /// From the shutdown to the end of the last request.
    pub drain_max: Duration,
}

impl Default for ServerConfig {
    fn default() -> ServerConfig {
        ServerConfig {
            connections_max: 10_000,
            header_timeout: Duration::from_secs(5),
            body_timeout: Duration::from_secs(15),
            idle_timeout: Duration::from_secs(75),
            write_stall_timeout: Duration::from_secs(30),
            drain_max: Duration::from_secs(10),
        }
    }
}

/// Who is at the other end; in every request's extensions.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Peer {
    Network(SocketAddr),
    /// Whoever may open the data folder's socket.
    Local,
}

/// How a drain went.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Drained {
    /// Connections that were open at the shutdown and ended by themselves.
    pub finished: usize,
    /// Connections that were still busy when the time was over.
    pub cut: usize,
}

/// Several listeners, one router, one shutdown.
#[derive(Debug)]
pub struct Server {
    router: Router,
    config: ServerConfig,
    watcher: Arc<Watcher>,
    network: Arc<Group>,
    local: Arc<Group>,
    tcp: Vec<(TcpListener, Option<Tls>)>,
    unix: Vec<LocalSocket>,
}

impl Server {
    /// Registers the metrics too: install their recorder first.
    pub fn new(router: Router, config: ServerConfig) -> Server {
        Server {
            // Turns every handler into a route now rather than at each request.
            router: router.with_state(()),
            watcher: Arc::new(Watcher::new(&config, Timeouts::register())),
            network: Group::new("network", config.connections_max),
            local: Group::new("local", LOCAL_CONNECTIONS_MAX),
            config,
            tcp: Vec::new(),
            unix: Vec::new(),
        }
    }

    /// Serves HTTP/1.1 and HTTP/2 on a listener, over TLS if given. [`bind_tcp`] makes a fitting one.
    #[must_use]
    pub fn listen_tcp(mut self, listener: TcpListener, tls: Option<Tls>) -> Server {
        self.tcp.push((listener, tls));
        self
    }

    #[must_use]
    pub fn listen_unix(mut self, socket: LocalSocket) -> Server {
        self.unix.push(socket);
        self
    }

    /// Serves until the shutdown, then drains: listeners close, idle connections end at once, requests in flight
    /// finish, and what is left after `drain_max` is cut.
    ///
    /// Endless answers have to watch the same token.
    pub async fn run(self, shutdown: CancellationToken) -> Drained {
        let tasks = TaskTracker::new();
        let host = Arc::new(Host { router: self.router, watcher: Arc::clone(&self.watcher), http: connection::http() });
        let door = |group: &Arc<Group>, tls| {
            let (group, host, tasks) = (Arc::clone(group), Arc::clone(&host), tasks.clone());
            Acceptor { tls, group, host, tasks }
        };
        // Dropping the set at the end stops the patrol and the followers of files.
        let mut helpers = JoinSet::new();
        let watcher = Arc::clone(&self.watcher);
        helpers.spawn(async move { watcher.patrol().await });

        let mut accepting = JoinSet::new();
        for (listener, tls) in self.tcp {
            if let Some(tls) = tls.clone() {
                helpers.spawn(tls.follow_files());
            }
            let door = door(&self.network, tls);
            accepting.spawn(door.attend(listener, shutdown.clone()));
        }
        let mut socket_files = Vec::new();
        for LocalSocket { listener, file } in self.unix {
            socket_files.push(file);
            let door = door(&self.local, None);
            accepting.spawn(door.attend(listener, shutdown.clone()));
        }

        shutdown.cancelled().await;
        while accepting.join_next().await.is_some() {}
        drop(socket_files);
        drain(&self.watcher, &tasks, self.config.drain_max).await
    }
}

async fn drain(watcher: &Watcher, tasks: &TaskTracker, drain_max: Duration) -> Drained {
    tasks.close();
    let open = tasks.len();
    watcher.begin_drain();
    if tokio::time::timeout(drain_max, tasks.wait()).await.is_ok() {
        return Drained { finished: open, cut: 0 };
    }
    let cut = tasks.len();
    tracing::warn!(cut, "Cut {cut} connections that were still busy at the end of the drain");
    watcher.cut_all();
    let _noticed = tokio::time::timeout(CUT_NOTICED_MAX, tasks.wait()).await;
    Drained { finished: open.saturating_sub(cut), cut }
}
