//! A proxy between an engine and its Postgres that does harm at a chosen message: cuts the connection around COMMIT,
//! or freezes it in the middle of a transaction.
//!
//! Understands where messages begin and end, simple queries, and that every query and sync is answered by one
//! `ReadyForQuery`. Knows nothing of what statements mean, and no TLS. Start reading at [`Harm`].

mod strikes;

use std::collections::BTreeSet;
use std::net::{Ipv4Addr, SocketAddr};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use anyhow::{Context, Result, bail};
use tokio::io::{AsyncReadExt, AsyncWriteExt, BufReader, BufWriter};
use tokio::net::tcp::{OwnedReadHalf, OwnedWriteHalf};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::watch;
use tokio::task::{JoinHandle, JoinSet};
use tokio::time::{sleep, timeout};
use tokio_postgres::config::Host;

use strikes::{Strike, Strikes};

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Harm {
    /// Instead of passing on the message that begins a transaction.
    CutAtBegin,
    /// Everything asked for in a transaction so far has been answered.
    CutInTransaction,
    /// The server gets everything but the commit.
    CutBeforeCommit,
    /// The client is cut off at once; the commit reaches the server a little later.
    CutWithLateCommit,
    /// The server has said that it committed; the client does not hear it.
    CutAfterCommit,
    /// As `CutInTransaction`, but all connections stand still until [`Proxy::thaw`].
    FreezeInTransaction,
}

/// Longer than a client needs to come back and ask.
const COMMIT_DELAY: Duration = Duration::from_millis(200);
const LATE_ANSWER_TIME_MAX: Duration = Duration::from_secs(5);
/// A server whose disk is busy with something else may take long to commit.
const STRIKE_TIME_MAX: Duration = Duration::from_mins(2);
const MESSAGE_BYTES_MAX: usize = 64 << 20;

#[derive(Debug)]
pub struct Proxy {
    address: SocketAddr,
    shared: Arc<Shared>,
    accepting: JoinHandle<()>,
}

#[derive(Debug)]
struct Shared {
    server: (String, u16),
    strikes: Strikes,
    frozen: watch::Sender<bool>,
    latency_micros: AtomicU64,
    /// Its own ends of the connections to the server, as the server sees them.
    ports: Mutex<BTreeSet<u16>>,
}

impl Proxy {
    /// Listens on a free loopback port, for connections to the server that the URL names.
    pub async fn start(server_url: &str) -> Result<Proxy> {
        let config: tokio_postgres::Config = server_url.parse().context("cannot read the server's address")?;
        let (Some(Host::Tcp(host)), Some(port)) = (config.get_hosts().first(), config.get_ports().first()) else {
            bail!("the server's address names no host and port");
        };
        let shared = Arc::new(Shared {
            server: (host.clone(), *port),
            strikes: Strikes::new(),
            frozen: watch::Sender::new(false),
            latency_micros: AtomicU64::new(0),
            ports: Mutex::default(),
        });
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).await.context("cannot listen")?;
        let address = listener.local_addr().context("cannot read the free port")?;
        let accepting = tokio::spawn(accept(listener, Arc::clone(&shared)));
        Ok(Proxy { address, shared, accepting })
    }

    /// The same address by way of the proxy.
    pub fn url(&self, server_url: &str) -> Result<String> {
        let (host, port) = &self.shared.server;
        let server = format!("{host}:{port}/");
        let (before, after) = server_url.split_once(&server).context("not an address of the proxied server")?;
        Ok(format!("{before}{}/{after}", self.address))
    }

    /// Does the harm to the next connection that comes to that point, and waits until it is done.
    pub async fn strike(&self, harm: Harm) -> Result<()> {
        self.strike_within(harm, STRIKE_TIME_MAX).await
    }

    /// As `strike`, with a patience of its own; afterwards nothing more comes of it. Of several at once each waits for its
    /// turn, and then for a harm of its own.
    pub async fn strike_within(&self, harm: Harm, patience: Duration) -> Result<()> {
        self.shared.strikes.strike_within(harm, patience).await
    }

    /// By these the server knows the connections that go through this proxy (`client_port`).
    pub fn ports(&self) -> Vec<u16> {
        self.shared.ports.lock().expect("nothing panics while holding it").iter().copied().collect()
    }

    pub fn thaw(&self) {
        self.shared.frozen.send_replace(false);
    }

    /// Ends whatever harm is planned or lasts.
    pub fn heal(&self) {
        self.shared.strikes.disarm();
        self.set_latency(Duration::ZERO);
        self.thaw();
    }

    /// Added to what the client sends, per flush.
    pub fn set_latency(&self, latency: Duration) {
        let micros = u64::try_from(latency.as_micros()).unwrap_or(u64::MAX);
        self.shared.latency_micros.store(micros, Ordering::Relaxed);
    }
}

impl Drop for Proxy {
    fn drop(&mut self) {
        self.accepting.abort();
    }
}

async fn accept(listener: TcpListener, shared: Arc<Shared>) {
    let mut links = JoinSet::new();
    while let Ok((client, _)) = listener.accept().await {
        while links.try_join_next().is_some() {}
        links.spawn(carry(client, Arc::clone(&shared)));
    }
}

impl Shared {
    async fn thawed(&self) {
        // The sender lives as long as `self`.
        let _ = self.frozen.subscribe().wait_for(|frozen| !frozen).await;
    }

    async fn delay(&self) {
        let micros = self.latency_micros.load(Ordering::Relaxed);
        if micros > 0 {
            sleep(Duration::from_micros(micros)).await;
        }
    }
}

/// What both directions of one connection know of each other. Requests are numbered from 1, the start-up being one.
struct Link {
    shared: Arc<Shared>,
    asked: AtomicU64,
    /// The request that began the last transaction.
    begun_by: AtomicU64,
    /// The request whose answer the client must not hear.
    withheld: AtomicU64,
    /// For whom it is withheld.
    withheld_for: Mutex<Option<Strike>>,
}

enum Ending {
    Cut,
    LateCommit(Message, Strike),
}

async fn carry(client: TcpStream, shared: Arc<Shared>) {
    let (host, port) = &shared.server;
    let Ok(server) = TcpStream::connect((host.as_str(), *port)).await else { return };
    // Small messages must not wait for each other. Without it the proxy is only slower.
    let _ = (client.set_nodelay(true), server.set_nodelay(true));
    let port = server.local_addr().map_or(0, |address| address.port());
    shared.ports.lock().expect("nothing panics while holding it").insert(port);
    let zero = || AtomicU64::new(0);
    let link = Link {
        shared: Arc::clone(&shared),
        asked: zero(),
        begun_by: zero(),
        withheld: zero(),
        withheld_for: Mutex::default(),
    };
    let (mut client_in, mut client_out) = client.into_split();
    let (mut server_in, mut server_out) = server.into_split();
    let ending = tokio::select! {
        ending = link.carry_up(&mut client_in, &mut server_out) => ending,
        ending = link.carry_down(&mut server_in, &mut client_out) => ending,
    };
    shared.ports.lock().expect("nothing panics while holding it").remove(&port);
    drop((client_in, client_out));
    if let Ok(Ending::LateCommit(commit, strike)) = ending {
        sleep(COMMIT_DELAY).await;
        let committed = commit_late(&commit, &mut server_in, &mut server_out).await;
        link.done_or_given_back(strike, Harm::CutWithLateCommit, committed);
    }
}

/// Whether the server says that it committed. It is read from anywhere in the middle of messages.
async fn commit_late(commit: &Message, server_in: &mut OwnedReadHalf, server_out: &mut OwnedWriteHalf) -> bool {
    let mut answers = Vec::new();
    let says = |answers: &[u8], word: &[u8]| answers.windows(word.len()).any(|window| window == word);
    let answered = async {
        server_out.write_all(&commit.bytes).await?;
        while !says(&answers, b"COMMIT\0") && !says(&answers, b"ROLLBACK\0") {
            if server_in.read_buf(&mut answers).await? == 0 {
                break;
            }
        }
        Ok::<(), std::io::Error>(())
    };
    // A server that does not answer has not committed, as far as anybody can tell.
    let _ = timeout(LATE_ANSWER_TIME_MAX, answered).await;
    says(&answers, b"COMMIT\0")
}

impl Link {
    /// From the client to the server.
    async fn carry_up(&self, client: &mut OwnedReadHalf, server: &mut OwnedWriteHalf) -> std::io::Result<Ending> {
        let mut client = BufReader::new(client);
        let mut server = BufWriter::new(server);
        server.write_all(&Message::read_startup(&mut client).await?.bytes).await?;
        self.asked.fetch_add(1, Ordering::AcqRel);
        loop {
            if client.buffer().is_empty() {
                self.shared.delay().await;
                server.flush().await?;
            }
            let message = Message::read(&mut client).await?;
            self.shared.thawed().await;
            if let Some((harm, strike)) = self.harm_up(&message) {
                server.flush().await?;
                if harm == Harm::CutWithLateCommit {
                    return Ok(Ending::LateCommit(message, strike));
                }
                self.shared.strikes.done(strike);
                return Ok(Ending::Cut);
            }
            server.write_all(&message.bytes).await?;
        }
    }

    /// Numbers the request; tells if the link ends in front of it.
    fn harm_up(&self, message: &Message) -> Option<(Harm, Strike)> {
        let strikes = &self.shared.strikes;
        let take = |harm: Harm| strikes.take(harm).map(|strike| (harm, strike));
        if message.is_begin()
            && let Some(cut) = take(Harm::CutAtBegin)
        {
            return Some(cut);
        }
        if message.is_commit() {
            let cuts = [Harm::CutBeforeCommit, Harm::CutWithLateCommit];
            if let Some(cut) = cuts.into_iter().find_map(take) {
                return Some(cut);
            }
        }
        if message.is_request() {
            let request = self.asked.fetch_add(1, Ordering::AcqRel) + 1;
            if message.is_begin() {
                self.begun_by.store(request, Ordering::Release);
            }
            if message.is_commit()
                && let Some(strike) = strikes.take(Harm::CutAfterCommit)
            {
                *self.withheld_for.lock().expect("nothing panics while holding it") = Some(strike);
                self.withheld.store(request, Ordering::Release);
            }
        }
        None
    }

    /// From the server to the client.
    async fn carry_down(&self, server: &mut OwnedReadHalf, client: &mut OwnedWriteHalf) -> std::io::Result<Ending> {
        let mut server = BufReader::new(server);
        let mut client = BufWriter::new(client);
        let mut answered = 0;
        let mut committed = false;
        loop {
            if server.buffer().is_empty() {
                client.flush().await?;
            }
            let message = Message::read(&mut server).await?;
            self.shared.thawed().await;
            let withheld = self.withheld.load(Ordering::Acquire) == answered + 1;
            if message.is_ready() {
                answered += 1;
            }
            if withheld {
                committed |= message.says_committed();
                if message.is_ready() {
                    let strike = self.withheld_for.lock().expect("nothing panics while holding it").take();
                    let strike = strike.expect("it was put there before the request was named");
                    self.done_or_given_back(strike, Harm::CutAfterCommit, committed);
                    return Ok(Ending::Cut);
                }
                continue;
            }
            client.write_all(&message.bytes).await?;
            if message.is_ready_in_transaction() && self.first_round_is_over(answered) {
                if let Some(strike) = self.shared.strikes.take(Harm::CutInTransaction) {
                    client.flush().await?;
                    self.shared.strikes.done(strike);
                    return Ok(Ending::Cut);
                }
                if let Some(strike) = self.shared.strikes.take(Harm::FreezeInTransaction) {
                    client.flush().await?;
                    self.shared.frozen.send_replace(true);
                    self.shared.strikes.done(strike);
                }
            }
        }
    }

    /// A commit may answer that it rolled back, which is not the harm that was asked for: the next one may do.
    fn done_or_given_back(&self, strike: Strike, harm: Harm, committed: bool) {
        if committed {
            self.shared.strikes.done(strike);
        } else {
            self.shared.strikes.give_back(strike, harm);
        }
    }

    /// Begin, journal heads and at least one load have been answered, and nothing more was asked.
    fn first_round_is_over(&self, answered: u64) -> bool {
        let begun_by = self.begun_by.load(Ordering::Acquire);
        answered == self.asked.load(Ordering::Acquire) && answered >= begun_by + 2
    }
}

/// A message with its tag and length, as it came.
struct Message {
    bytes: Vec<u8>,
}

impl Message {
    /// The first message has no tag.
    async fn read_startup(stream: &mut (impl AsyncReadExt + Unpin)) -> std::io::Result<Message> {
        Message::read_rest(stream, Vec::new()).await
    }

    async fn read(stream: &mut (impl AsyncReadExt + Unpin)) -> std::io::Result<Message> {
        let tag = stream.read_u8().await?;
        Message::read_rest(stream, vec![tag]).await
    }

    /// The length counts itself and what follows.
    async fn read_rest(stream: &mut (impl AsyncReadExt + Unpin), mut bytes: Vec<u8>) -> std::io::Result<Message> {
        let length = stream.read_u32().await?;
        let rest = usize::try_from(length).ok().and_then(|length| length.checked_sub(4));
        let rest = rest.filter(|rest| *rest <= MESSAGE_BYTES_MAX).ok_or(std::io::ErrorKind::InvalidData)?;
        bytes.extend(length.to_be_bytes());
        let start = bytes.len();
        bytes.resize(start + rest, 0);
        stream.read_exact(&mut bytes[start..]).await?;
        Ok(Message { bytes })
    }

    fn tag(&self) -> u8 {
        self.bytes[0]
    }

    fn body(&self) -> &[u8] {
        &self.bytes[5..]
    }

    fn is_begin(&self) -> bool {
        let begins = [&b"begin"[..], b"rollback; begin"];
        self.tag() == b'Q' && begins.iter().any(|begin| self.body().starts_with(begin))
    }

    fn is_commit(&self) -> bool {
        self.tag() == b'Q' && self.body() == b"commit\0"
    }

    /// A simple query or a sync: answered by one `ReadyForQuery`.
    fn is_request(&self) -> bool {
        matches!(self.tag(), b'Q' | b'S')
    }

    fn is_ready(&self) -> bool {
        self.tag() == b'Z'
    }

    fn is_ready_in_transaction(&self) -> bool {
        self.is_ready() && self.body() == b"T"
    }

    fn says_committed(&self) -> bool {
        self.tag() == b'C' && self.body() == b"COMMIT\0"
    }
}
