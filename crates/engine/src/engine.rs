//! The engine: takes commands in, gives outcomes out.

use std::sync::Arc;
use std::time::Duration;

use futures_util::future::join_all;
use surehold_core::kernel::commands::{ClaimSlug, CreateTenant};
use surehold_core::kernel::{Command, HoldId, HoldPolicy, Invalid, Refusal, Slug, Tenant, TenantId};
use tokio::sync::{Notify, oneshot};
use tokio::task::AbortHandle;
use tokio::time::{Instant, timeout_at};
use uuid::Uuid;

use crate::job::{CommandJob, Outcome, Ticket};
use crate::kernel::retention::trim_forever;
use crate::kernel::sweeper::sweep_forever;
use crate::operations::outbox::fan_out_forever;
use crate::operations::scheduler::fire_forever;
use crate::queue::{Bustle, Ended, LaneSender, lane_queue};
use crate::stock::revalue_forever;
use crate::{BATCH_COMMANDS_MAX, Failure, Fault, Registry, RenderEvent, RequestKey, Store, StoreError, Views, Wakeups};

#[derive(Clone, Copy, Debug)]
pub struct EngineConfig {
    /// Commands that may wait in front of a lane; beyond that callers are told to come back.
    pub waiting_commands_max: usize,
    /// How long a caller waits for an answer unless it says otherwise.
    pub deadline: Duration,
    /// The pause between sweeps for lapsed holds; `None` leaves it to others.
    pub sweep_pause: Option<Duration>,
    /// The longest pause between looks for schedules that are due; `None` leaves them to others.
    pub schedule_pause: Option<Duration>,
    /// The pause between looks for items whose costs have to be worked out anew; `None` leaves them to others.
    pub revalue_pause: Option<Duration>,
    /// How long events are kept; `None` keeps them for ever.
    pub journal_retention: Option<Duration>,
    /// The pause between looks for events that webhook endpoints have not been told; `None` leaves it to others.
    pub outbox_pause: Option<Duration>,
    /// The wire form of events; without one nothing can be told to anybody.
    pub render_event: Option<RenderEvent>,
}

impl Default for EngineConfig {
    fn default() -> EngineConfig {
        EngineConfig {
            waiting_commands_max: 32_768,
            deadline: Duration::from_secs(10),
            sweep_pause: Some(Duration::from_secs(1)),
            schedule_pause: Some(Duration::from_secs(1)),
            revalue_pause: Some(Duration::from_secs(1)),
            journal_retention: None,
            outbox_pause: Some(Duration::from_millis(200)),
            render_event: None,
        }
    }
}

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
    /// Something has taken effect in the past of an item: costs may have to be worked out anew.
    past_changed: Notify,
    config: EngineConfig,
    ended: std::sync::Mutex<Vec<Ended>>,
    /// What runs beside the lanes and ends with them.
    background: std::sync::Mutex<Vec<AbortHandle>>,
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
        let (wakeups, bustle) = (Wakeups::default(), Bustle::default());
        let mut lanes = Vec::new();
        let mut queues = Vec::new();
        let mut ended = Vec::new();
        for _ in 0..store.lane_count().max(1) {
            let (sender, queue, lane_ended) = lane_queue(config.waiting_commands_max, wakeups.clone(), bustle.clone());
            lanes.push(sender);
            queues.push(queue);
            ended.push(lane_ended);
        }
        store.start(queues)?;
        store.share_wakeups(&wakeups);
        let ended = std::sync::Mutex::new(ended);
        let background = std::sync::Mutex::default();
        let views = Views::new(store);
        let past_changed = Notify::new();
        let shared = Shared { lanes, views, registry, wakeups, past_changed, config, ended, background };
        let engine = Engine { shared: Arc::new(shared) };
        let sweeping = config.sweep_pause.map(|pause| tokio::spawn(sweep_forever(engine.downgrade(), pause)));
        let firing = config.schedule_pause.map(|pause| tokio::spawn(fire_forever(engine.downgrade(), pause)));
        let revaluing = config.revalue_pause.map(|pause| tokio::spawn(revalue_forever(engine.downgrade(), pause)));
        let trimming = config.journal_retention.map(|kept| tokio::spawn(trim_forever(engine.downgrade(), kept)));
        let telling = config.outbox_pause.zip(config.render_event);
        let telling = telling.map(|(pause, render)| tokio::spawn(fan_out_forever(engine.downgrade(), pause, render)));
        let tasks = [sweeping, firing, revaluing, trimming, telling];
        let tasks = tasks.into_iter().flatten().map(|task| task.abort_handle());
        engine.shared.background.lock().expect("nothing panics while holding it").extend(tasks);
        Ok(engine)
    }

    fn downgrade(&self) -> impl Fn() -> Option<Engine> + Send + 'static {
        let shared = Arc::downgrade(&self.shared);
        move || shared.upgrade().map(|shared| Engine { shared })
    }

    pub fn views(&self) -> &Views {
        &self.shared.views
    }

    /// The types of operation that are known here.
    pub fn registry(&self) -> &Registry {
        &self.shared.registry
    }

    pub(crate) fn past_changed(&self) -> &Notify {
        &self.shared.past_changed
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

    async fn submit<C: Command>(
        &self,
        tenant: TenantId,
        commands: Vec<C>,
        options: Options,
    ) -> Result<Vec<Outcome<C>>, Fault> {
        let deadline = Instant::now() + self.patience(&options);
        let (respond, response) = oneshot::channel();
        let ticket = Arc::new(Ticket::default());
        let outcomes = commands.iter().map(|_| None).collect();
        let job = CommandJob {
            tenant,
            commands,
            key: options.key,
            background: options.background,
            deadline,
            ticket: Arc::clone(&ticket),
            outcomes,
            respond,
        };
        self.lane(tenant).send(Box::new(job))?;
        match timeout_at(deadline, response).await {
            Ok(Ok(outcomes)) => Ok(outcomes),
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

    /// Finds or makes the tenant with this slug. Safe to repeat, also after a crash halfway.
    pub async fn create_tenant(
        &self,
        slug: Slug,
        policy: HoldPolicy,
        candidate: TenantId,
    ) -> Result<TenantId, Failure<Refusal>> {
        let create = CreateTenant::new(slug.clone(), policy).map_err(|e: Invalid| Failure::Refused(e.into()))?;
        // A tenant that exists under another name must not take this one away from everybody.
        let known = self.views().record::<Tenant>(candidate, &()).await?;
        if known.is_some_and(|tenant| tenant.slug != slug) {
            return Err(Failure::Refused(Refusal::TenantExists));
        }
        let claim = self.run(TenantId::DIRECTORY, ClaimSlug { slug, claimed_by: candidate }).await?;
        self.run(claim.reply, create).await?;
        Ok(claim.reply)
    }

    /// Makes the tenant's test twin unless it exists, with the tenant's policy. Safe to repeat.
    pub async fn create_test_twin(&self, tenant: TenantId) -> Result<TenantId, Failure<Refusal>> {
        let live = self.views().record::<Tenant>(tenant, &()).await?;
        let live = live.ok_or(Failure::Refused(Refusal::TenantNotFound))?;
        let create = CreateTenant::new(live.slug, live.policy).map_err(|e: Invalid| Failure::Refused(e.into()))?;
        self.run(tenant.twin(), create).await?;
        Ok(tenant.twin())
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
