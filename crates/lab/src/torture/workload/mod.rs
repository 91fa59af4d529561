//! Clients that ask over HTTP and write down what they asked and were told. Checks nothing.
//!
//! | file | what it has |
//! |---|---|
//! | `user` | one client: what it does next, repeats, what it makes of answers |
//! | `life`, `races`, `batches`, `keeper` | the things it does |
//! | `world`, `board` | what is for sale; where clients hear of each other's holds |
//! | `asker`, `wire`, `told` | recording and sending; requests and answers; what an answer means |
//! | `counts` | how much came of it |
//! | `feed` | the reader that follows the event feed |
//! | `front`, `caller` | how the people of a crowd ask, once and until there is an answer |
//!
//! A request without an answer is repeated with the same id or key by another process. One that was turned away is not:
//! the client waits a moment, turns to another node and does something else.

mod asker;
mod batches;
mod board;
pub(super) mod caller;
pub(super) mod counts;
mod feed;
pub(super) mod front;
mod keeper;
mod life;
mod races;
pub(super) mod told;
mod user;
mod wire;
pub(super) mod world;

use std::sync::Arc;
use std::time::Duration;

use anyhow::{Context, Result, bail, ensure};
use reqwest::Method;
use serde_json::json;
use tokio::task::JoinSet;
use tokio_util::sync::CancellationToken;

pub use counts::{Counts, FUNCTIONS, Functions, Tally, WorkloadEnd};
pub use feed::{Followed, follow};

use asker::{Asker, Office};
use told::{Asked, Heard, Outcome};
use user::{Surroundings, User};
use wire::Request;
use world::World;

use super::history::{Ask, Recorder};

/// The policy of the tenant while it is tortured: an owner may have this many holds at once.
pub const OWNER_HOLDS_MAX: i64 = 3;
/// And a hold lives this long at most, extensions included.
pub const LIFETIME_SECS_MAX: i64 = 40;
const PREPARE_TIMEOUT: Duration = Duration::from_secs(15);

#[derive(Clone, Debug)]
pub struct WorkloadPlan {
    pub seed: u64,
    pub clients: usize,
    /// Such as `http://127.0.0.1:8000`; the same throughout the run.
    pub nodes: Vec<String>,
    pub tenant: String,
    /// With the scopes `read`, `sell`, `manage` and `tasks`.
    pub api_key: String,
    /// A key of another tenant, if somebody is to ask for what is not theirs.
    pub stranger_key: Option<String>,
    /// Whether the nodes know the task `charge`, with the body `{"purchase": "…", "amount": 1}`.
    pub charges: bool,
}

/// Sets the policy and makes the pools, while nothing is wrong yet.
pub async fn prepare(plan: &WorkloadPlan, recorder: &Arc<Recorder>) -> Result<()> {
    ensure!(!plan.nodes.is_empty(), "a workload needs a node to ask");
    let stop = CancellationToken::new();
    let office = Office::open(plan, Arc::clone(recorder), Arc::default(), stop)?;
    let office = Arc::new(office);
    let policy = Request {
        method: Method::PUT,
        path: "policy".to_owned(),
        body: Some(json!({ "owner_holds_max": OWNER_HOLDS_MAX, "lifetime_secs_max": LIFETIME_SECS_MAX,
            "lifetime_secs_default": LIFETIME_SECS_MAX })),
        task: None,
    };
    match office.send(&policy, None, 0, PREPARE_TIMEOUT).await {
        Heard::Answer { status: 200, .. } => {}
        heard => bail!("cannot set the policy: {heard:?}"),
    }
    let asker = Asker::new(Arc::clone(&office), PREPARE_TIMEOUT);
    for pool in &World::for_clients(plan.clients).pools {
        let put = Ask::PutPool {
            pool: pool.name.clone(),
            total: Some(pool.total),
            closed: Some(false),
            expected_version: None,
        };
        match asker.ask(&Asked::new(put), 0).await? {
            Outcome::Ok(_) => {}
            told => bail!("cannot make the pool {}: {told:?}", pool.name),
        }
    }
    recorder.flush()
}

/// Asks until it is stopped.
pub async fn run(
    plan: WorkloadPlan,
    recorder: Arc<Recorder>,
    counts: Arc<Counts>,
    stop: CancellationToken,
) -> Result<WorkloadEnd> {
    ensure!(!plan.nodes.is_empty(), "a workload needs a node to ask");
    let stop = stop.child_token();
    let around = Surroundings {
        office: Arc::new(Office::open(&plan, Arc::clone(&recorder), Arc::clone(&counts), stop.clone())?),
        world: Arc::new(World::for_clients(plan.clients)),
        board: Arc::default(),
        seed: plan.seed,
        charges: plan.charges,
    };
    let users: Vec<User> = (0..plan.clients).map(|number| User::new(number, &around)).collect();
    let ended = until_all_end(users.into_iter().map(User::live), &stop).await;
    recorder.flush()?;
    ended.map(|()| counts.end())
}

/// Runs clients side by side. One that cannot go on ends the others through `stop`, which is theirs alone.
pub(crate) async fn until_all_end<Life>(lives: impl Iterator<Item = Life>, stop: &CancellationToken) -> Result<()>
where
    Life: Future<Output = Result<()>> + Send + 'static,
{
    let mut clients: JoinSet<Result<()>> = lives.collect();
    let mut ended = Ok(());
    while let Some(client) = clients.join_next().await {
        let client = client.context("a client panicked").flatten();
        if client.is_err() {
            stop.cancel();
            ended = ended.and(client);
        }
    }
    ended
}
