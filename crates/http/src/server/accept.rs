//! Accept loops: one per listener. A loop ends with the shutdown and for no other reason.

use std::io;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};
use std::time::{Duration, Instant};

use tokio::net::{TcpListener, TcpStream, UnixListener, UnixStream};
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;

use super::Peer;
use super::connection::{self, Host};
use super::io::Socket;
use super::metrics::GroupMeters;
use super::tls::Tls;
use super::watch::Watch;

/// How long a loop rests when the process has run out of something, such as file descriptors.
const EXHAUSTED_PAUSE: Duration = Duration::from_millis(100);
/// A trouble that was absent for this long is news again.
const BURST_PAUSE: Duration = Duration::from_secs(10);

/// Where connections come from.
pub(super) trait Listen: Send {
    type Socket: Socket;
    fn accept(&self) -> impl Future<Output = io::Result<(Self::Socket, Peer)>> + Send;
}

impl Listen for TcpListener {
    type Socket = TcpStream;

    async fn accept(&self) -> io::Result<(TcpStream, Peer)> {
        let (socket, address) = TcpListener::accept(self).await?;
        Ok((socket, Peer::Network(address)))
    }
}

impl Listen for UnixListener {
    type Socket = UnixStream;

    async fn accept(&self) -> io::Result<(UnixStream, Peer)> {
        let (socket, _nameless) = UnixListener::accept(self).await?;
        Ok((socket, Peer::Local))
    }
}

/// Listeners that share a limit.
#[derive(Debug)]
pub(super) struct Group {
    pub(super) name: &'static str,
    pub(super) connections_max: usize,
    open: AtomicUsize,
    meters: GroupMeters,
}

impl Group {
    pub(super) fn new(name: &'static str, connections_max: usize) -> Arc<Group> {
        Arc::new(Group { name, connections_max, open: AtomicUsize::new(0), meters: GroupMeters::register(name) })
    }

    /// Refuses beyond the limit by closing at once. The alternative, to leave connections in the backlog, makes new
    /// clients wait for an answer that may never come, fills the backlog against everybody, and shows nothing to the
    /// operator. A closed connection tells the client to try again or elsewhere, costs those that are connected one
    /// system call, and is counted. Room is made by asking connections without a request to leave (`make_room`).
    fn open(self: &Arc<Group>) -> Option<Open> {
        let admitted =
            self.open.fetch_update(Relaxed, Relaxed, |open| (open < self.connections_max).then_some(open + 1));
        if admitted.is_err() {
            self.meters.refused.increment(1);
            return None;
        }
        self.meters.accepted.increment(1);
        self.meters.open.increment(1.0);
        Some(Open { group: Arc::clone(self) })
    }
}

/// A place taken, given back however the connection ends.
#[derive(Debug)]
struct Open {
    group: Arc<Group>,
}

impl Drop for Open {
    fn drop(&mut self) {
        self.group.open.fetch_sub(1, Relaxed);
        self.group.meters.open.decrement(1.0);
    }
}

/// Ends the watch, and says when a panic ended the connection.
struct Attended {
    watch: Arc<Watch>,
    peer: Peer,
    open: Open,
}

impl Drop for Attended {
    fn drop(&mut self) {
        self.watch.has_ended();
        if std::thread::panicking() {
            self.open.group.meters.panicked.increment(1);
            tracing::error!(defect = true, peer = ?self.peer, "A defect ended a connection; the others go on");
        }
    }
}

/// What a listener leads to.
#[derive(Debug)]
pub(super) struct Acceptor {
    pub(super) tls: Option<Tls>,
    pub(super) group: Arc<Group>,
    pub(super) host: Arc<Host>,
    pub(super) tasks: TaskTracker,
}

impl Acceptor {
    /// Accepts until the shutdown. The listener closes when this returns.
    pub(super) async fn attend<L: Listen>(self, listener: L, shutdown: CancellationToken) {
        let (mut exhausted, mut full) = (Burst::default(), Burst::default());
        let mut stopping = std::pin::pin!(shutdown.cancelled());
        loop {
            let accepted = tokio::select! {
                biased;
                () = &mut stopping => return,
                accepted = listener.accept() => accepted,
            };
            match accepted {
                Ok((socket, peer)) => self.admit(socket, peer, &mut full),
                Err(error) if is_of_one_connection(&error) => {}
                Err(error) => {
                    if exhausted.is_news() {
                        let listener = self.group.name;
                        tracing::error!(listener, %error, "Cannot accept connections; trying again. Check `ulimit -n`");
                    }
                    tokio::select! {
                        () = &mut stopping => return,
                        () = tokio::time::sleep(EXHAUSTED_PAUSE) => {}
                    }
                }
            }
        }
    }

    fn admit(&self, socket: impl Socket, peer: Peer, full: &mut Burst) {
        let Some(open) = self.group.open() else {
            self.host.watcher.make_room();
            if full.is_news() {
                let (listener, limit) = (self.group.name, self.group.connections_max);
                tracing::warn!(listener, limit, "New connections are refused: {limit} are open already");
            }
            return;
        };
        let (host, tls) = (Arc::clone(&self.host), self.tls.clone());
        let attended = Attended { watch: host.watcher.admit(), peer, open };
        self.tasks.spawn(async move {
            connection::serve(&host, &attended.watch, socket, attended.peer, tls.as_ref()).await;
        });
    }
}

/// Whether only the connection that was to be accepted is lost.
fn is_of_one_connection(error: &io::Error) -> bool {
    matches!(
        error.kind(),
        io::ErrorKind::ConnectionAborted
            | io::ErrorKind::ConnectionReset
            | io::ErrorKind::ConnectionRefused
            | io::ErrorKind::Interrupted
    )
}

/// Says once per burst that there is trouble.
#[derive(Debug, Default)]
struct Burst {
    last_at: Option<Instant>,
}

impl Burst {
    fn is_news(&mut self) -> bool {
        let now = Instant::now();
        self.last_at.replace(now).is_none_or(|last_at| now.duration_since(last_at) >= BURST_PAUSE)
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Mutex;

    use tokio::io::AsyncReadExt;

    use super::*;
    use crate::server::metrics::Timeouts;
    use crate::server::watch::Watcher;
    use crate::server::{ServerConfig, connection};

    /// Fails as told, then delivers one connection, then nothing.
    struct Scripted {
        steps: Mutex<Vec<io::Result<UnixStream>>>,
    }

    impl Listen for Scripted {
        type Socket = UnixStream;

        async fn accept(&self) -> io::Result<(UnixStream, Peer)> {
            let step = self.steps.lock().unwrap().pop();
            match step {
                Some(step) => Ok((step?, Peer::Local)),
                None => std::future::pending().await,
            }
        }
    }

    #[tokio::test]
    async fn accepting_goes_on_after_every_error() {
        const EMFILE: i32 = 24;
        let (mut client, server) = UnixStream::pair().unwrap();
        let mut steps = vec![Ok(server)];
        steps.extend([
            Err(io::Error::from_raw_os_error(EMFILE)),
            Err(io::ErrorKind::ConnectionAborted.into()),
            Err(io::ErrorKind::OutOfMemory.into()),
            Err(io::ErrorKind::Other.into()),
        ]);
        let began_at = Instant::now();
        let config = ServerConfig::default();
        let host = Host {
            router: axum::Router::new(),
            watcher: Arc::new(Watcher::new(&config, Timeouts::register())),
            http: connection::http(),
        };
        let (tasks, shutdown) = (TaskTracker::new(), CancellationToken::new());
        let door = Acceptor { tls: None, group: Group::new("test", 1), host: Arc::new(host), tasks: tasks.clone() };
        let accepting = tokio::spawn(door.attend(Scripted { steps: Mutex::new(steps) }, shutdown.clone()));
        tokio::io::AsyncWriteExt::write_all(&mut client, b"GET / HTTP/1.0\r\n\r\n").await.unwrap();
        let mut answer = String::new();
        client.read_to_string(&mut answer).await.unwrap();
        assert!(answer.contains("404 Not Found"), "{answer}");
        assert!(began_at.elapsed() >= EXHAUSTED_PAUSE * 3, "three errors were no fault of one connection");
        shutdown.cancel();
        accepting.await.unwrap();
        tasks.close();
        tasks.wait().await;
    }

    #[test]
    fn a_burst_is_news_once() {
        let mut burst = Burst::default();
        assert_eq!([burst.is_news(), burst.is_news(), burst.is_news()], [true, false, false]);
        burst.last_at = Instant::now().checked_sub(BURST_PAUSE);
        assert!(burst.is_news());
    }
}
