//! The engine: takes commands in, gives outcomes out.

use std::collections::HashMap;
use std::sync::{Arc, Weak};
use std::time::Duration;

use futures_util::future::join_all;
use surehold_core::kernel::{Command, HoldId, Prepared, TenantId};
use tokio::sync::{Notify, oneshot};
use tokio::task::AbortHandle;
use tokio::time::{Instant, timeout_at};
use uuid::Uuid;

use crate::job::{Answer, CommandJob, Outcome, Ticket};
use crate::modules;
use crate::preparation::Preparations;
use crate::queue::{CallerActivity, Ended, LaneSender, lane_queue};
use crate::{
    BATCH_COMMANDS_MAX, EngineConfig, Failure, Fault, Registry, RequestKey, Store, StoreError, Views, Wakeups,
};

/// Nobody waits longer, whatever they ask for.
const DEADLINE_MAX: Duration = Duration::from_hours(1);

/// For whatever is known by an id that its caller did not choose.
pub fn new_uuid_v7() -> Uuid {
    Uuid::now_v7()
}

/// An id for a hold whose caller chose none.
pub fn new_hold_id() -> HoldId {
    HoldId::new(new_uuid_v7()).expect("version 7")
}

/// What a caller may add to a command.
#[derive(Clone, Debug, Default)]
pub struct Options {
    pub key: Option<RequestKey>,
    pub deadline: Option<Duration>,
    /// Nobody waits for the answer: callers come first.
    pub background: bool,
}

/// Cheap to clone; all clones share the lanes.
#[derive(Clone)]
pub struct Engine {
    shared: Arc<Shared>,
}

struct Shared {
    lanes: Vec<LaneSender>,
    views: Views,
    registry: Registry,
    wakeups: Wakeups,
    /// What runs beside the lanes, and can be told that there is something to do.
    alarms: HashMap<&'static str, Notify>,
    config: EngineConfig,
    ended: std::sync::Mutex<Vec<Ended>>,
    /// What runs beside the lanes and ends with them.
    background: std::sync::Mutex<Vec<AbortHandle>>,
}

/// An engine as what runs beside its lanes knows it: it is not kept alive.
pub(crate) struct EngineRef(Weak<Shared>);

impl EngineRef {
    /// `None` when it is time to end.
    pub(crate) fn get(&self) -> Option<Engine> {
        self.0.upgrade().map(|shared| Engine { shared })
    }
}

impl std::fmt::Debug for Engine {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Engine({} lanes)", self.shared.lanes.len())
    }
}

impl Engine {
    /// Starts the store's lanes and what runs beside them. Must be called within a tokio runtime.
    pub fn start(store: Arc<dyn Store>, config: EngineConfig) -> Result<Engine, StoreError> {
        Engine::start_with(store, config, Registry::default())
    }

    /// The same, with types of operations of its own.
    pub fn start_with(store: Arc<dyn Store>, config: EngineConfig, registry: Registry) -> Result<Engine, StoreError> {
        let (wakeups, caller_activity) = (Wakeups::default(), CallerActivity::default());
        let mut lanes = Vec::new();
        let mut queues = Vec::new();
        let mut ended = Vec::new();
        for _ in 0..store.lane_count().max(1) {
            let (sender, queue, lane_ended) =
                lane_queue(config.waiting_commands_max, wakeups.clone(), caller_activity.clone());
            lanes.push(sender);
            queues.push(queue);
            ended.push(lane_ended);
        }
        store.start(queues)?;
        store.share_wakeups(&wakeups);
        let ended = std::sync::Mutex::new(ended);
        let background = std::sync::Mutex::default();
        let views = Views::new(store);
        let alarms = modules::background().map(|work| (work.name, Notify::new())).collect();
        let shared = Shared { lanes, views, registry, wakeups, alarms, config, ended, background };
        let engine = Engine { shared: Arc::new(shared) };
        let started = modules::background().filter_map(|work| (work.start)(&config, engine.downgrade()));
        let tasks = started.map(|work| tokio::spawn(work).abort_handle());
        engine.shared.background.lock().expect("nothing panics while holding it").extend(tasks);
        Ok(engine)
    }

    fn downgrade(&self) -> EngineRef {
        EngineRef(Arc::downgrade(&self.shared))
    }

    pub fn views(&self) -> &Views {
        &self.shared.views
    }

    /// The types of operation that are known here.
    pub fn registry(&self) -> &Registry {
        &self.shared.registry
    }

    /// Tells what runs in the background under this name that it need not wait for its next look.
    pub(crate) fn wake(&self, background: &'static str) {
        self.shared.alarms[background].notify_one();
    }

    /// Waits until it was told so since the last time.
    pub(crate) async fn woken(&self, background: &'static str) {
        self.shared.alarms[background].notified().await;
    }

    /// How long a caller waits that asks for no other time.
    pub(crate) fn patience(&self, options: &Options) -> Duration {
        options.deadline.unwrap_or(self.shared.config.deadline).min(DEADLINE_MAX)
    }

    /// Tells when operations were asked for.
    pub fn wakeups(&self) -> &Wakeups {
        &self.shared.wakeups
    }

    pub async fn run<C: Command>(&self, tenant: TenantId, command: C) -> Outcome<C> {
        self.run_with(tenant, command, Options::default()).await
    }

    pub async fn run_with<C: Command>(&self, tenant: TenantId, command: C, options: Options) -> Outcome<C> {
        let outcomes = self.submit(tenant, vec![command], options).await;
        outcomes.map_err(Failure::Fault)?.pop().expect("one command has one outcome")
    }

    /// Many commands in one request, each decided and answered by itself; not atomic as a whole.
    pub async fn run_all<C: Command>(&self, tenant: TenantId, commands: Vec<C>) -> Vec<Outcome<C>> {
        self.run_all_with(tenant, commands, &Options::default()).await
    }

    /// The same, with a deadline or in the background. A key would be one for all of them, so it is not looked at.
    pub async fn run_all_with<C: Command>(
        &self,
        tenant: TenantId,
        commands: Vec<C>,
        options: &Options,
    ) -> Vec<Outcome<C>> {
        let mut commands = commands.into_iter();
        let mut outcomes = Vec::with_capacity(commands.len());
        loop {
            // Not more at once than a batch takes, so that others get in between.
            let part: Vec<C> = commands.by_ref().take(BATCH_COMMANDS_MAX).collect();
            let count = part.len();
            if count == 0 {
                return outcomes;
            }
            match self.submit(tenant, part, Options { key: None, ..options.clone() }).await {
                Ok(part) => outcomes.extend(part),
                Err(fault) => {
                    outcomes.extend((0..count).map(|_| Err(Failure::Fault(fault))));
                    // What follows may build on what was not done.
                    if fault != Fault::OutcomeUnknown {
                        outcomes.extend(commands.map(|_| Err(Failure::Fault(Fault::NotExecuted))));
                        return outcomes;
                    }
                }
            }
        }
    }

    /// One request. What a lone command asks for is prepared outside of the turn.
    async fn submit<C: Command>(
        &self,
        tenant: TenantId,
        commands: Vec<C>,
        options: Options,
    ) -> Result<Vec<Outcome<C>>, Fault> {
        let began = Instant::now();
        let deadline = began + self.patience(&options);
        match self.submit_once(tenant, commands, &options, deadline, Prepared::default()).await? {
            Answer::Decided(outcomes) => Ok(outcomes),
            Answer::Unprepared(command, asked) => {
                // Boxed, because hardly any command gets here.
                let run = Box::pin(Preparations::new(tenant, options, began).run(self, command, asked));
                Ok(vec![run.await?])
            }
        }
    }

    pub(crate) async fn submit_once<C: Command>(
        &self,
        tenant: TenantId,
        commands: Vec<C>,
        options: &Options,
        deadline: Instant,
        prepared: Prepared,
    ) -> Result<Answer<C>, Fault> {
        let (respond, response) = oneshot::channel();
        let ticket = Arc::new(Ticket::default());
        let outcomes = commands.iter().map(|_| None).collect();
        let job = CommandJob {
            tenant,
            commands,
            key: options.key.clone(),
            background: options.background,
            deadline,
            ticket: Arc::clone(&ticket),
            prepared,
            asked: None,
            outcomes,
            respond,
        };
        self.lane(tenant).send(Box::new(job))?;
        match timeout_at(deadline, response).await {
            Ok(Ok(answer)) => Ok(answer),
            // The lane is gone; whether it got to the command is unknown.
            Ok(Err(_)) => Err(Fault::OutcomeUnknown),
            Err(_elapsed) if ticket.give_up() => Err(Fault::NotExecuted),
            Err(_elapsed) => Err(Fault::OutcomeUnknown),
        }
    }

    fn lane(&self, tenant: TenantId) -> &LaneSender {
        // Mixed, so that ids with a common stride do not share a lane.
        let mixed = tenant.0.cast_unsigned().wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 32;
        let lanes = u64::try_from(self.shared.lanes.len()).expect("a handful");
        &self.shared.lanes[usize::try_from(mixed % lanes).expect("below a handful")]
    }

    /// Whether every lane still takes commands.
    pub fn is_serving(&self) -> bool {
        self.shared.lanes.iter().all(LaneSender::is_open)
    }

    /// Serves what was accepted, then ends the lanes. Clones of the engine refuse from then on.
    pub async fn stop(self) {
        for task in self.shared.background.lock().expect("nothing panics while holding it").drain(..) {
            task.abort();
        }
        for lane in &self.shared.lanes {
            lane.stop();
        }
        let ended = std::mem::take(&mut *self.shared.ended.lock().expect("nothing panics while holding it"));
        join_all(ended).await;
    }
}
