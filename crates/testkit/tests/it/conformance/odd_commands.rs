//! Commands that only tests have: one that keeps a lane busy until told, and some that misbehave.

use std::future::poll_fn;
use std::pin::{Pin, pin};
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Arc, Condvar, Mutex};
use std::task::Poll;

use futures_util::future::join_all;
use surehold_core::kernel::commands::PlaceHold;
use surehold_core::kernel::{
    Command, Event, Facts, Hold, HoldId, HoldState, Line, Lines, Owner, OwnerName, Pool, PoolKey, Reads, Refusal,
    ResourceName, Slot, Stop, TenantId, Timestamp,
};
use surehold_engine::{Engine, Failure};
use tokio::sync::Notify;

use super::new_id;

/// Decides only when it is opened: until then the lane is in the middle of a batch.
#[derive(Clone, Debug, Default)]
pub(crate) struct Gate {
    state: Arc<GateState>,
    then: Option<PlaceHold>,
}

#[derive(Debug, Default)]
struct GateState {
    entered: Notify,
    is_open: Mutex<bool>,
    opened: Condvar,
}

impl Gate {
    /// Places a hold when it is opened.
    pub(crate) fn before(place: PlaceHold) -> Gate {
        Gate { then: Some(place), ..Gate::default() }
    }

    pub(crate) async fn entered(&self) {
        self.state.entered.notified().await;
    }

    pub(crate) fn open(&self) {
        *self.state.is_open.lock().unwrap() = true;
        self.state.opened.notify_all();
    }
}

impl Command for Gate {
    const NAME: &'static str = "gate";
    type Reply = ();
    type Refusal = Refusal;

    fn reads(&self, reads: &mut Reads<'_>) {
        if let Some(place) = &self.then {
            place.reads(reads);
        }
    }

    fn decide(&self, facts: &mut Facts) -> Result<(), Stop<Refusal>> {
        self.state.entered.notify_one();
        let closed = self.state.is_open.lock().unwrap();
        drop(self.state.opened.wait_while(closed, |is_open| !*is_open).unwrap());
        self.then.as_ref().map_or(Ok(()), |place| place.decide(facts).map(drop))
    }
}

/// A request whose reply does not matter.
pub(crate) type Pending<'e> = Pin<Box<dyn Future<Output = Result<(), Failure<Refusal>>> + 'e>>;

/// Sends all while the lane is busy, so that they form one batch.
pub(crate) async fn together(engine: &Engine, tenant: TenantId, requests: Vec<Pending<'_>>) -> Vec<Outcome> {
    let gate = Gate::default();
    let holding = (engine.clone(), gate.clone());
    let holding = tokio::spawn(async move { holding.0.run(tenant, holding.1).await });
    gate.entered().await;
    let mut all = pin!(join_all(requests));
    poll_fn(|context| {
        assert!(all.as_mut().poll(context).is_pending(), "nothing is answered while the gate is closed");
        Poll::Ready(())
    })
    .await;
    gate.open();
    let outcomes = all.await;
    holding.await.unwrap().unwrap();
    outcomes
}

pub(crate) type Outcome = Result<(), Failure<Refusal>>;

/// Sends the request and leaves it pending.
pub(crate) async fn send(request: &mut Pending<'_>) {
    poll_fn(|context| {
        assert!(request.as_mut().poll(context).is_pending());
        Poll::Ready(())
    })
    .await;
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum OddWay {
    PanicsInDecide,
    PanicsInReads,
    ChangesThenRefuses,
    ChangesThenPanics,
    /// Fewer than none are held: no database takes it.
    WritesTheImpossible,
    /// An instant before all calendars: an integer to one store, nothing that can be said to the other.
    WritesTheUnspeakable,
    AsksForever,
}

#[derive(Debug)]
pub(crate) struct Odd {
    way: OddWay,
    /// Something that exists.
    pool: PoolKey,
    id: HoldId,
    asked: AtomicU32,
}

impl Odd {
    pub(crate) fn new(way: OddWay, pool: PoolKey) -> Odd {
        Odd { way, pool, id: new_id(), asked: AtomicU32::new(0) }
    }

    fn pool_named(&self, suffix: &str) -> PoolKey {
        assert_ne!(self.way, OddWay::PanicsInReads, "this command cannot even name what it reads");
        let name = format!("{}-{}{suffix}", self.pool.resource, self.id);
        PoolKey { resource: ResourceName::new(&name).unwrap(), slot: Slot::NONE }
    }

    /// A changed pool, a new pool, a new owner, an event.
    fn change(&self, facts: &mut Facts) -> Result<(), Stop<Refusal>> {
        let pool = facts.get_mut::<Pool>(&self.pool)?.expect("exists");
        pool.total += 1_000;
        let new = self.pool_named("-new");
        facts.insert(Pool { total: 5, ..Pool::new(new.clone()) });
        let name = OwnerName::new(&self.id.to_string()).unwrap();
        facts.insert(Owner { name, holds: 1, lifetime_secs: 1, version: 0 });
        facts.emit(&Event::PoolOversold { pool: new, oversold: 1 });
        facts.mark_replayed();
        Ok(())
    }

    fn hold_from_before_time(&self) -> Hold {
        let lines = Lines::new(vec![Line { pool: self.pool.clone(), quantity: 1 }]).unwrap();
        let never = Timestamp::from_micros(i64::MIN);
        Hold {
            id: self.id,
            state: HoldState::Active,
            lines,
            kept: None,
            owner: None,
            reference: None,
            metadata: None,
            lifetime_secs: None,
            placed_at: never,
            expires_at: never,
            ended_at: None,
            version: 0,
        }
    }
}

impl Command for Odd {
    const NAME: &'static str = "odd";
    type Reply = ();
    type Refusal = Refusal;

    fn reads(&self, reads: &mut Reads<'_>) {
        reads.record::<Pool>(&self.pool);
        reads.record::<Pool>(&self.pool_named("-new"));
    }

    fn decide(&self, facts: &mut Facts) -> Result<(), Stop<Refusal>> {
        match self.way {
            OddWay::PanicsInDecide => panic!("this command always panics"),
            OddWay::PanicsInReads => drop(self.pool_named("-new")),
            OddWay::ChangesThenRefuses => {
                self.change(facts)?;
                return Err(Refusal::NothingBooked.into());
            }
            OddWay::ChangesThenPanics => {
                self.change(facts)?;
                panic!("this command panics after changing things");
            }
            OddWay::WritesTheImpossible => {
                self.change(facts)?;
                facts.insert(Pool { held: -1, ..Pool::new(self.pool_named("-impossible")) });
            }
            OddWay::WritesTheUnspeakable => {
                self.change(facts)?;
                facts.insert(self.hold_from_before_time());
            }
            OddWay::AsksForever => {
                let question = self.asked.fetch_add(1, Ordering::Relaxed);
                facts.get::<Pool>(&self.pool_named(&format!("-{question}")))?;
            }
        }
        Ok(())
    }
}
