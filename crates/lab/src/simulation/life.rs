//! One life of the simulated process: an engine and two workers on a runtime of their own, whose time stands still
//! unless nobody has anything to do. When it dies, the runtime goes with all that it had in memory.

use std::pin::Pin;
use std::sync::Arc;
use std::task::Poll;
use std::time::Duration;

use surehold_core::kernel::{HoldId, HoldPolicy, Slug};
use surehold_core::operations::commands::{EnqueueOperation, RedriveOperation};
use surehold_core::operations::{Actor, DeadLetter, OperationState, Reason};
use surehold_engine::{
    Engine, EngineConfig, Fault, OperationDepth, Options, Registry, RequestKey, Session, Worker, WorkerConfig, builtin,
};
use surehold_sqlite::MemoryReader;
use tokio::time::sleep;

use super::bank::SimulatedBank;
use super::deed::{Deed, Subject};
use super::dump::Dump;
use super::point::Point;
use super::requests::{Ask, Notebook, Request, Verdict, of_deed, of_task};
use super::script::{Author, TENANTS, supply};
use super::session::SimulatedSession;
use super::shared::{Shared, dice, on_boundary};
use super::store::SimulatedStore;
use surehold_simulators::Dice;
use surehold_simulators::charge::{CHARGE, Charging, NoteCharge, nothing_is_left};
use surehold_simulators::provider::{ProviderFault, RandomFaults};

/// Of all tenants.
pub(super) const POLICY: HoldPolicy =
    HoldPolicy { lifetime_secs_default: 12, lifetime_secs_max: 50, owner_holds_max: 5, owner_lifetime_secs_max: 100 };
/// Commands of one run, repeats not counted.
pub const COMMANDS: usize = 200;
const BURST_MAX: usize = 7;
const WORKERS: usize = 2;
const DAY_SECS: i64 = 25 * 3_600;
/// Then it should have healed.
const HEALING_STEPS_MAX: usize = 200;

/// How a life ended.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum End {
    Dead,
    /// All is done and all has healed.
    Done,
    /// It should have healed by now.
    Stuck(String),
}

/// What outlives the process.
#[derive(Debug)]
pub(super) struct World {
    pub(super) shared: Arc<Shared>,
    pub(super) notes: Notebook,
    author: Author,
    opened: bool,
    asked: usize,
    pub(super) dump: Option<Dump>,
}

/// A call on its way, with the places of its answers.
struct Flight {
    calls: Vec<(usize, usize)>,
    answer: Pin<Box<dyn Future<Output = Vec<Verdict>>>>,
}

/// What cannot be read cannot be judged, and so it is not well.
fn with_dump(end: End, dump: Result<Dump, Fault>) -> (End, Option<Dump>) {
    match (end, dump) {
        (end, Ok(dump)) => (end, Some(dump)),
        (End::Done, Err(fault)) => (End::Stuck(format!("what is stored at the end cannot be read: {fault}")), None),
        (end @ (End::Dead | End::Stuck(_)), Err(_)) => (end, None),
    }
}

fn worker_config() -> WorkerConfig {
    WorkerConfig {
        poll_pause: Duration::from_secs(4),
        watch_pause: Duration::from_secs(3),
        beat_pause: Duration::from_secs(10),
        on_boundary,
        dice,
        ..WorkerConfig::default()
    }
}

fn engine_config() -> EngineConfig {
    EngineConfig {
        sweep_pause: Some(Duration::from_secs(5)),
        schedule_pause: None,
        outbox_pause: None,
        ..EngineConfig::default()
    }
}

fn registry(shared: &Arc<Shared>) -> Registry {
    let bank = Arc::new(SimulatedBank { shared: Arc::clone(shared) });
    builtin(Registry::default())
        .effect(Charging::once(&CHARGE), bank.clone())
        .effect(Charging::with_fee(), bank)
        .state(NoteCharge)
}

impl World {
    pub(super) fn new(seed: u64) -> World {
        let author = Author::new(Dice::new(usize::try_from(seed & 0x7fff_ffff_ffff).expect("below 2^47")));
        let shared = Arc::new(Shared::new(seed));
        World { shared, notes: Notebook::default(), author, opened: false, asked: 0, dump: None }
    }

    /// Lives until it dies or all is done.
    pub(super) fn live<S: Session>(&mut self, session: &mut S, reader: &MemoryReader) -> End {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_time().start_paused(true).build();
        let runtime = runtime.expect("a runtime without threads needs nothing");
        let shared = Arc::clone(&self.shared);
        let end = runtime.block_on(async {
            // Whatever the one before had begun.
            session.abandon().await;
            shared.be_born();
            let store = Arc::new(SimulatedStore::new(&shared, reader.clone()));
            let engine = Engine::start_with(store.clone(), engine_config(), registry(&shared)).expect("it starts");
            let queue = store.take_queue();
            let workers: Vec<Worker> = (0..WORKERS).map(|_| Worker::start(engine.clone(), worker_config())).collect();
            let mut session = SimulatedSession { inner: session, shared: Arc::clone(&shared), late: false };
            let end = tokio::select! {
                biased;
                () = shared.crashed() => End::Dead,
                _ended = queue.serve(&mut session) => End::Dead,
                end = self.play(engine, workers) => end,
            };
            shared.be_buried();
            end
        });
        drop(runtime);
        let attempts = self.shared.state().attempts.len();
        self.notes.close_calls(attempts);
        end
    }

    async fn play(&mut self, engine: Engine, workers: Vec<Worker>) -> End {
        if !self.opened {
            self.open(&engine).await;
        }
        let mut flights = Vec::new();
        while self.asked < COMMANDS {
            self.send_some(&engine, &mut flights);
            self.pass_time(&mut flights).await;
            if self.shared.strikes(Point::OrderlyRestart) {
                for worker in workers {
                    worker.stop().await;
                }
                engine.stop().await;
                // The lane has ended, and with it this life.
                return std::future::pending().await;
            }
        }
        let end = self.heal(&engine, flights).await;
        let (end, dump) = with_dump(end, Dump::of(&engine).await);
        self.dump = dump;
        end
    }

    /// Makes tenants and pools, while nothing goes wrong yet.
    async fn open(&mut self, engine: &Engine) {
        for tenant in TENANTS {
            let slug = Slug::new(&format!("t{tenant}")).expect("a legal slug");
            engine.create_tenant(slug, POLICY, tenant).await.expect("nothing goes wrong yet");
        }
        let mut flights = Vec::new();
        for (tenant, pool, put) in supply(&mut self.author.dice) {
            let subject = Subject::Pool(pool);
            let ask = Ask::Deed { deed: Deed::from(put), subject };
            self.notes.requests.push(Request { tenant, ask, key: None, repeatable: true, calls: Vec::new() });
            let flight = self.send(engine, self.notes.requests.len() - 1, None);
            flights.push(flight);
        }
        self.land(&mut flights).await;
        let seed = self.author.roll(1 << 20);
        let mut faults = ProviderFault::ALL.to_vec();
        faults.push(ProviderFault::Late { delay_millis: 700 });
        let percent = [0, 30, 60][self.author.roll(3)];
        let mut state = self.shared.state();
        state.provider.set_random_faults(&RandomFaults { seed, percent, faults });
        state.faulty = true;
        self.opened = true;
    }

    fn send(&mut self, engine: &Engine, request: usize, deadline: Option<Duration>) -> Flight {
        let from = self.shared.state().attempts.len();
        let call = self.notes.open_call(request, from);
        let request = &self.notes.requests[request];
        let (engine, tenant) = (engine.clone(), request.tenant);
        let text = request.text();
        let key = request.key.as_ref().map(|key| RequestKey::new(key, text.as_bytes()).expect("a legal key"));
        let options = Options { key, deadline, background: false };
        let answer: Pin<Box<dyn Future<Output = Vec<Verdict>>>> = match &request.ask {
            Ask::Deed { deed, .. } => {
                let deed = deed.clone();
                Box::pin(async move { vec![of_deed(engine.run_with(tenant, deed, options).await)] })
            }
            Ask::Task(task) => {
                let command = EnqueueOperation((**task).clone());
                Box::pin(
                    async move { vec![of_task::<EnqueueOperation>(engine.run_with(tenant, command, options).await)] },
                )
            }
        };
        Flight { calls: vec![call], answer }
    }

    /// Several commands in one request.
    fn send_together(&mut self, engine: &Engine, requests: &[usize]) -> Option<Flight> {
        let from = self.shared.state().attempts.len();
        let tenant = self.notes.requests[*requests.first()?].tenant;
        let (mut calls, mut deeds) = (Vec::new(), Vec::new());
        for index in requests {
            let Ask::Deed { deed, .. } = &self.notes.requests[*index].ask else { continue };
            deeds.push(deed.clone());
            calls.push(self.notes.open_call(*index, from));
        }
        let engine = engine.clone();
        let answer =
            Box::pin(async move { engine.run_all(tenant, deeds).await.into_iter().map(of_deed).collect::<Vec<_>>() });
        Some(Flight { calls, answer })
    }

    fn send_some(&mut self, engine: &Engine, flights: &mut Vec<Flight>) {
        let aim = self.aim();
        let mut together: Vec<usize> = Vec::new();
        let burst = 1 + self.author.roll(BURST_MAX);
        let batch = self.author.roll(6) == 0;
        for _ in 0..burst {
            let index = self.next_request(aim, flights);
            let first = together.first().map_or(0, |first| *first);
            let request = &self.notes.requests[index];
            let joins = batch
                && request.key.is_none()
                && matches!(request.ask, Ask::Deed { .. })
                && (together.is_empty() || self.notes.requests[first].tenant == request.tenant);
            if joins {
                together.push(index);
                continue;
            }
            let repeatable = request.key.is_some() || request.repeatable;
            let short = self.shared.strikes(Point::ShortDeadline);
            let deadline = short.then(|| Duration::from_millis(150));
            flights.push(self.send(engine, index, deadline));
            if repeatable && self.shared.strikes(Point::DuplicateDelivery) {
                flights.push(self.send(engine, index, None));
            }
        }
        flights.extend(self.send_together(engine, &together));
    }

    /// A new request, or one whose outcome is unknown.
    fn next_request(&mut self, aim: Option<HoldId>, flights: &[Flight]) -> usize {
        if self.author.roll(4) == 0 {
            let flying = |index: usize| flights.iter().any(|flight| flight.calls.iter().any(|call| call.0 == index));
            let open = self.notes.requests.iter().enumerate().rev().take(60);
            let open = open.filter(|(index, it)| it.is_open() && it.repeatable && !flying(*index));
            let open: Vec<usize> = open.map(|(index, _)| index).collect();
            if !open.is_empty() {
                self.shared.state().coverage.visit(Point::AskedAgain);
                return open[self.author.roll(open.len())];
            }
        }
        let now = self.shared.clock();
        let reuse = self.shared.strikes(Point::KeyReused).then(|| self.author.reuse(&mut self.notes, now)).flatten();
        let request = reuse.unwrap_or_else(|| self.author.next(&mut self.notes, now, aim));
        self.notes.requests.push(request);
        self.asked += 1;
        self.notes.requests.len() - 1
    }

    /// Turns the clock to the very instant at which a hold expires; the hold is then what all are after.
    fn aim(&mut self) -> Option<HoldId> {
        if self.author.roll(8) > 0 {
            return None;
        }
        let now = self.shared.clock();
        let soon = self.notes.holds.iter().rev().take(30).filter(|known| {
            known.state == Some(surehold_core::kernel::HoldState::Active)
                && known.expires_at.is_some_and(|at| at > now && at <= now.plus_secs(40))
        });
        let hold = soon.min_by_key(|known| (known.expires_at, known.id))?;
        let (id, at) = (hold.id, hold.expires_at?);
        self.shared.state().turn_clock_to(at);
        Some(id)
    }

    async fn pass_time(&mut self, flights: &mut Vec<Flight>) {
        // Asked for when first looked at.
        self.collect(flights);
        let millis = match self.author.roll(10) {
            0..7 => 1,
            7 => 40,
            8 => 250,
            _ => 1_000 + self.author.roll(2_000),
        };
        if !flights.is_empty() && self.shared.strikes(Point::ReplyLost) {
            // Given a moment, so that it is on its way.
            tokio::task::yield_now().await;
            let lost = self.author.roll(flights.len());
            drop(flights.swap_remove(lost));
        }
        {
            let mut state = self.shared.state();
            if state.strikes(Point::ClockForward) {
                let secs = [3, 20, 600, 3_000][state.roll(4)];
                state.turn_clock_secs(secs);
            }
            if state.strikes(Point::ClockBack) {
                let secs = [1, 7, 300, 2_000][state.roll(4)];
                state.turn_clock_secs(-secs);
            }
            let now = state.elapsed();
            // No request is on its way for longer than its key is remembered.
            if state.provider.is_idle(now) && state.strikes(Point::DayPasses) {
                state.turn_clock_secs(DAY_SECS);
            }
        }
        sleep(Duration::from_millis(u64::try_from(millis).expect("a few seconds"))).await;
        self.collect(flights);
    }

    /// What has been answered by now, in any order.
    fn collect(&mut self, flights: &mut Vec<Flight>) {
        let mut arrived = Vec::new();
        let waker = std::task::Waker::noop();
        let mut context = std::task::Context::from_waker(waker);
        flights.retain_mut(|flight| match flight.answer.as_mut().poll(&mut context) {
            Poll::Ready(verdicts) => {
                arrived.push((std::mem::take(&mut flight.calls), verdicts));
                false
            }
            Poll::Pending => true,
        });
        if arrived.len() > 1 && self.shared.strikes(Point::RepliesReordered) {
            let turn = self.author.roll(arrived.len());
            arrived.rotate_left(turn);
        }
        let to = self.shared.state().attempts.len();
        for (calls, verdicts) in arrived {
            for (call, verdict) in calls.into_iter().zip(verdicts) {
                self.notes.answer(call, to, verdict);
            }
        }
    }
}

impl World {
    /// Nothing goes wrong any more: everything that was asked gets an answer, and everything that was begun an end.
    async fn heal(&mut self, engine: &Engine, mut flights: Vec<Flight>) -> End {
        {
            let mut state = self.shared.state();
            state.faulty = false;
            state.provider.set_random_faults(&RandomFaults { seed: 0, percent: 0, faults: Vec::new() });
        }
        self.land(&mut flights).await;
        let open = self.notes.requests.iter().enumerate().filter(|(_, it)| it.is_open() && it.repeatable);
        let open: Vec<usize> = open.map(|(index, _)| index).collect();
        for index in open {
            flights.push(self.send(engine, index, None));
        }
        self.land(&mut flights).await;
        if let Some(open) = self.notes.requests.iter().find(|request| request.is_open() && request.repeatable) {
            return End::Stuck(format!("nobody can tell what became of {open:?}"));
        }
        // Charges first: in their time, as the provider forgets its keys after a day.
        for _ in 0..HEALING_STEPS_MAX {
            sleep(Duration::from_secs(3)).await;
            if self.charges_are_done(engine).await {
                break;
            }
        }
        // Then tasks that wait for holds, some of which will never be there; and the sweeper.
        for _ in 0..HEALING_STEPS_MAX {
            self.shared.state().turn_clock_secs(12 * 3_600);
            sleep(Duration::from_secs(6)).await;
            if nothing_is_left(engine.views()).await {
                return End::Done;
            }
        }
        End::Stuck(format!("operations are left: {:?}", engine.views().operation_depths().await))
    }

    /// Whether all charges have ended. What was put aside because too many of its workers died goes on.
    async fn charges_are_done(&mut self, engine: &Engine) -> bool {
        let mut done = true;
        for tenant in TENANTS {
            let letters: Vec<DeadLetter> = engine.views().all_records(tenant).await.unwrap_or_default();
            for letter in letters.into_iter().filter(|it| it.resolved_at.is_none() && it.code == "quarantined") {
                let kind = engine.registry().kind_of(&letter.key).expect("a type of ours");
                let actor = Actor::new("ann").expect("a legal name");
                let reason = Reason::new("the workers live").expect("a legal reason");
                let redrive = RedriveOperation { key: letter.key, kind, actor, reason };
                engine.run(tenant, redrive).await.expect("nothing goes wrong any more");
                self.shared.state().coverage.visit(Point::Redriven);
                done = false;
            }
        }
        let is_open = |depth: &OperationDepth| {
            depth.state != OperationState::DeadLetter && depth.kind.as_str().starts_with("CHARGE")
        };
        done && engine.views().operation_depths().await.is_ok_and(|depths| !depths.iter().any(is_open))
    }

    async fn land(&mut self, flights: &mut Vec<Flight>) {
        for _ in 0..HEALING_STEPS_MAX {
            self.collect(flights);
            if flights.is_empty() {
                return;
            }
            sleep(Duration::from_millis(50)).await;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_cannot_be_read_is_not_well() {
        let read = || Dump { tenants: Vec::new(), findings: Vec::new() };
        let check = |end: End, dump: Result<Dump, Fault>| {
            let (end, dump) = with_dump(end, dump);
            (end == End::Done, dump.is_some())
        };
        assert_eq!(check(End::Done, Ok(read())), (true, true));
        assert_eq!(check(End::Done, Err(Fault::Unavailable)), (false, false));
        assert_eq!(check(End::Stuck(String::new()), Ok(read())), (false, true));
        assert_eq!(check(End::Stuck(String::new()), Err(Fault::Corrupt)), (false, false));
    }
}
