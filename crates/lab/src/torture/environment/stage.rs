//! What is harmed: a store, the nodes on it, and what stands between them. Starts it all, heals it, and ends it.
//!
//! | store | nodes |
//! |---|---|
//! | SQLite | one server with its worker, on a data folder (on a small disk, if that is to be filled) |
//! | Postgres | a private Postgres; two servers, each behind a proxy, the first with a worker in it; a worker |

use std::collections::BTreeMap;
use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use anyhow::{Context, Result, ensure};
use futures_util::future::join_all;
use rustix::process::Signal;
use tokio::sync::Mutex;
use tokio::time::sleep;

use super::clock::{self, FakeClock};
use super::database::Database;
use super::disk::SmallDisk;
use super::fault::{FaultKind, FaultList};
use super::guard::Guard;
use super::launch::{Keys, clocks, make_keys, run, server, server_launch, set, text, worker, write_settings};
use super::ledger::Ledger;
use super::logs::LogReport;
use super::node::{ENDED_BY_ITSELF, Launch, Node, Role};
use super::probe::Prober;
use super::room::Room;
use crate::proxy::Proxy;
use surehold_testkit::fixture::StoreKind;

pub const TENANT: &str = "torture";
const START_PATIENCE: Duration = Duration::from_mins(1);
/// After the last fault everything must work again within this.
pub const CONVERGE_WITHIN: Duration = Duration::from_mins(1);
/// A server is given 10 s for its requests and 10 s for its effects.
const STOP_PATIENCE: Duration = Duration::from_secs(30);
const WRITE_PAUSE: Duration = Duration::from_millis(100);

#[derive(Clone, Debug)]
pub struct StagePlan {
    pub store: StoreKind,
    /// The `surehold` to be tortured.
    pub program: PathBuf,
    /// For data and logs.
    pub folder: PathBuf,
    /// Those that will come: some need preparations.
    pub faults: FaultList,
    /// Where the fake provider listens, if there are to be charges.
    pub bank: Option<SocketAddr>,
    /// Beside [`TENANT`].
    pub tenants: Vec<&'static str>,
    pub settings: Vec<FileSetting>,
}

/// A setting of every node, whose value is a file.
#[derive(Clone, Debug)]
pub struct FileSetting {
    pub setting: &'static str,
    /// Its name in the folder of the run.
    pub file: &'static str,
    pub text: String,
}

/// What can be done here of what is wanted.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Possible {
    pub faults: FaultList,
    /// With the reason.
    pub impossible: Vec<(FaultKind, String)>,
}

impl Possible {
    pub fn of(wanted: &FaultList, store: StoreKind) -> Possible {
        let mut possible = Possible::default();
        for (kind, least) in &wanted.0 {
            match kind.unfit_for(store).map(str::to_owned).or_else(|| unfit_here(*kind)) {
                Some(reason) => possible.impossible.push((*kind, reason)),
                None => _ = possible.faults.0.insert(*kind, *least),
            }
        }
        possible
    }
}

fn unfit_here(kind: FaultKind) -> Option<String> {
    match kind {
        FaultKind::ClockJump => clock::find_library()
            .is_none()
            .then(|| "libfaketime is not installed; on Debian and Ubuntu run `apt-get install faketime`".to_owned()),
        FaultKind::Kill
        | FaultKind::KillWorker
        | FaultKind::Freeze
        | FaultKind::FreezeWorker
        | FaultKind::RestartPostgres
        | FaultKind::TerminateBackend
        | FaultKind::CutBeforeCommit
        | FaultKind::CutAfterCommit
        | FaultKind::CutLateCommit
        | FaultKind::Latency
        | FaultKind::DiskFull
        | FaultKind::RestartStorm
        | FaultKind::Stop => None,
    }
}

/// Ends with everything it started when it is dropped, and also when this process is killed.
#[derive(Debug)]
pub struct Stage {
    pub nodes: Vec<Node>,
    pub api_key: String,
    /// Of the other tenants.
    pub keys: BTreeMap<&'static str, String>,
    pub(super) prober: Prober,
    /// By the server that is behind it.
    pub(super) proxies: Vec<Proxy>,
    pub(super) clocks: Vec<FakeClock>,
    pub(super) database: Option<Database>,
    pub(super) room: Option<Room>,
    /// Held by whoever makes one of two workers stand still: the other must go on, or nobody takes over.
    pub(super) standstill: Mutex<()>,
    /// How to run other commands on the same store, such as `audit`.
    command: Launch,
    data: PathBuf,
    // The last one: it kills whoever is left.
    _guard: Guard,
}

impl Stage {
    pub async fn start(plan: &StagePlan) -> Result<Stage> {
        std::fs::create_dir_all(&plan.folder).with_context(|| format!("cannot make {}", plan.folder.display()))?;
        let folder = plan.folder.canonicalize().context("cannot find the folder again")?;
        write_settings(plan, &folder)?;
        let stage = match plan.store {
            StoreKind::Sqlite => Stage::prepare_sqlite(plan, &folder).await?,
            StoreKind::Postgres => Stage::prepare_postgres(plan, &folder).await?,
        };
        stage.bring_up(Instant::now() + START_PATIENCE, None).await?;
        ensure!(stage.prober.put_luggage(stage.nodes[0].address).await == Some(200), "the first server refuses a pool");
        Ok(stage)
    }

    async fn prepare_sqlite(plan: &StagePlan, folder: &Path) -> Result<Stage> {
        let guard = Guard::start()?;
        let data = folder.join("data");
        let is_scarce = plan.faults.0.contains_key(&FaultKind::DiskFull);
        let room = is_scarce.then(|| Room::prepare(&data, folder.join("full"), guard.group())).transpose()?;
        let disk = room.as_ref().and_then(Room::disk);
        let base = Launch {
            enter: disk.map(SmallDisk::enter).unwrap_or_default(),
            program: plan.program.clone(),
            args: Vec::new(),
            variables: Vec::new(),
            group: guard.group(),
        };
        let place = vec!["--data".to_owned(), text(&data)?];
        let command = Launch { args: place.clone(), ..base.clone() };
        let Keys { api_key, others: keys, prober } = make_keys(plan, &command).await?;
        let clocks = clocks(plan, folder, 1)?;
        let mut launch = server_launch(plan, folder, &base, &place, clocks.first())?;
        if let Some(room) = &room {
            launch.args.extend(room.args()?);
        }
        let server = server(folder, 0, &mut launch)?;
        let (proxies, database) = (Vec::new(), None);
        let data = disk.map_or(data, SmallDisk::outside);
        Ok(Stage {
            nodes: vec![server],
            api_key,
            keys,
            prober,
            proxies,
            clocks,
            database,
            room,
            standstill: Mutex::default(),
            command,
            data,
            _guard: guard,
        })
    }

    async fn prepare_postgres(plan: &StagePlan, folder: &Path) -> Result<Stage> {
        const SERVERS: usize = 2;
        let guard = Guard::start()?;
        let database = Database::start().await?;
        let (program, group) = (plan.program.clone(), guard.group());
        let base = Launch { enter: Vec::new(), program, args: Vec::new(), variables: Vec::new(), group };
        let place = |name: &str, url: &str| -> Result<Vec<String>> {
            Ok(vec!["--data".to_owned(), text(&folder.join(name))?, "--store".to_owned(), url.to_owned()])
        };
        let command = Launch { args: place("command", &database.url)?, ..base.clone() };
        let Keys { api_key, others: keys, prober } = make_keys(plan, &command).await?;
        let clocks = clocks(plan, folder, SERVERS)?;
        let (mut nodes, mut proxies) = (Vec::new(), Vec::new());
        for index in 0..SERVERS {
            let proxy = Proxy::start(&database.url).await?;
            let place = place(&format!("server-{index}"), &proxy.url(&database.url)?)?;
            let mut launch = server_launch(plan, folder, &base, &place, clocks.get(index))?;
            if index > 0 {
                set(&mut launch.args, "worker.in_server=false");
            }
            nodes.push(server(folder, index, &mut launch)?);
            proxies.push(proxy);
        }
        nodes.push(worker(plan, folder, &base, &place("worker-0", &database.url)?)?);
        Ok(Stage {
            nodes,
            api_key,
            keys,
            prober,
            proxies,
            clocks,
            database: Some(database),
            room: None,
            standstill: Mutex::default(),
            command,
            data: folder.to_owned(),
            _guard: guard,
        })
    }

    /// Whether nobody turns the clock that decides: on a database that is the database's.
    pub fn is_clock_left_alone(&self) -> bool {
        self.database.is_some() || self.clocks.is_empty()
    }

    /// A key of another tenant.
    pub fn stranger_key(&self) -> &str {
        &self.prober.key
    }

    /// The first nodes.
    pub fn servers(&self) -> impl Iterator<Item = &Node> {
        self.nodes.iter().filter(|node| node.role == Role::Server)
    }

    pub(super) fn workers(&self) -> impl Iterator<Item = &Node> {
        self.nodes.iter().filter(|node| node.role == Role::Worker)
    }

    /// The SQLite file.
    pub(super) fn file(&self) -> PathBuf {
        self.data.join("surehold.db")
    }

    /// Such as the version of Postgres.
    pub fn store_version(&self) -> Result<String> {
        match &self.database {
            Some(database) => database.version(),
            None => Ok(format!("SQLite {}", rusqlite::version())),
        }
    }

    async fn bring_up(&self, until: Instant, ledger: Option<&Ledger>) -> Result<()> {
        let up = self.nodes.iter().map(|node| async {
            let mut life = node.hold().await;
            // It may have been left frozen; one that has ended cannot be woken.
            let _ = life.signal(Signal::CONT);
            node.bring_up(&mut life, until, ledger).await
        });
        join_all(up).await.into_iter().collect()
    }

    /// Ends all harm and waits until everything works. What does not is a finding. Tells when the harm ended: that is when
    /// the time begins that everything has, whoever waits for it.
    pub async fn heal(&self, ledger: &Ledger) -> Instant {
        const RULE: &str = "everything works again within 60 s of the last fault";
        self.proxies.iter().for_each(Proxy::heal);
        let emptied = self.room.iter().map(Room::give_back);
        let set = self.clocks.iter().map(|clock| clock.set(0));
        for error in emptied.chain(set).filter_map(Result::err) {
            ledger.find(RULE, format!("{error:#}"));
        }
        let since = Instant::now();
        let until = since + CONVERGE_WITHIN;
        if let Err(error) = self.bring_up(until, Some(ledger)).await {
            ledger.find(RULE, format!("{error:#}"));
        }
        let writes = self.servers().map(|server| async move {
            // Whatever a fault has left on its way may still be in it.
            while self.prober.write(server.address).await != Some(200) {
                if Instant::now() > until {
                    ledger.find(RULE, format!("{} answers no write", server.name));
                    break;
                }
                sleep(WRITE_PAUSE).await;
            }
        });
        join_all(writes).await;
        since
    }

    /// Starts nodes again that have ended.
    pub async fn look_after_nodes(&self, ledger: &Ledger) {
        const PAUSE: Duration = Duration::from_millis(100);
        loop {
            for node in &self.nodes {
                let Some(mut life) = node.try_hold() else { continue };
                if let Err(error) = node.look_after(&mut life, Some(ledger)) {
                    ledger.find(ENDED_BY_ITSELF, format!("{error:#}"));
                }
                node.look_if_ready(&mut life).await;
            }
            sleep(PAUSE).await;
        }
    }

    /// Asks all nodes to end. Afterwards the logs are complete.
    pub async fn stop_nodes(&self, ledger: &Ledger) {
        let stopped = self.nodes.iter().map(|node| async {
            let mut life = node.hold().await;
            match life.stop(STOP_PATIENCE).await {
                Ok(Some(status)) if status.success() => {}
                Ok(Some(status)) => {
                    ledger.find("a node that is asked to ends well", format!("{}: {status}", node.name));
                }
                Ok(None) => ledger.find("a node that is asked to ends in time", node.name.clone()),
                Err(error) => ledger.find("a node that is asked to ends well", format!("{}: {error:#}", node.name)),
            }
            // Whoever did not listen.
            let _ = life.kill().await;
        });
        join_all(stopped).await;
    }

    pub fn logs(&self) -> Result<LogReport> {
        let mut report = LogReport::default();
        for node in &self.nodes {
            report.read(&node.name, &node.log)?;
        }
        Ok(report)
    }

    /// Runs another command of the same program on the store, such as `audit`, to its end.
    pub async fn run(&self, words: &[&str]) -> Result<std::process::Output> {
        run(&self.command, words).await
    }

    /// What is on a small disk, or in a private Postgres, would be gone with it.
    pub async fn rescue_data(&self, to: &Path) -> Result<()> {
        let is_on_disk = self.room.as_ref().is_some_and(|room| room.disk().is_some());
        if !is_on_disk && self.database.is_none() {
            return Ok(());
        }
        std::fs::create_dir_all(to).context("cannot make a folder for the data")?;
        if let Some(database) = &self.database {
            return database.rescue(to.to_owned()).await;
        }
        for name in ["surehold.db", "surehold.db-wal", "surehold.db-shm"] {
            let from = self.data.join(name);
            if from.is_file() {
                std::fs::copy(&from, to.join(name)).with_context(|| format!("cannot rescue {name}"))?;
            }
        }
        Ok(())
    }
}
