//! Tables in the language of `surehold-scenario`, played on the pure core.

use std::pin::pin;
use std::task::{self, Poll, Waker};

use surehold_core::kernel::{Command, Event, Hold, HoldId, Owner, OwnerName, Pool, PoolKey, Refusal, TenantId};
use surehold_scenario::{Backend, ClockTurn, Context, Describe, Done, Reply, Request};

pub(crate) use surehold_scenario::pool;

use crate::world::World;

/// A tenant with the default policy, then the scenario.
#[track_caller]
pub(crate) fn check(scenario: &str, expected: &str) {
    let mut world = World::new(TenantId(1));
    world.play("tenant casa");
    assert_eq!(world.play(scenario), expected, "{scenario}");
}

/// The scenario in a place where nothing exists, not even the tenant.
#[track_caller]
pub(crate) fn check_bare(scenario: &str, expected: &str) {
    assert_eq!(World::new(TenantId(1)).play(scenario), expected, "{scenario}");
}

impl World {
    pub(crate) fn play(&mut self, scenario: &str) -> String {
        let playing = pin!(surehold_scenario::play(self, scenario));
        match playing.poll(&mut task::Context::from_waker(Waker::noop())) {
            Poll::Ready(reply) => reply,
            Poll::Pending => panic!("the pure core waits for nothing"),
        }
    }

    /// The id of a hold that the scenario calls by name.
    pub(crate) fn id(&mut self, name: &str) -> HoldId {
        surehold_scenario::hold_id(self, name)
    }
}

impl Backend for World {
    type Failure = Refusal;

    fn context(&self) -> &Context {
        self.names()
    }

    fn context_mut(&mut self) -> &mut Context {
        self.names_mut()
    }

    fn refused(refusal: Refusal) -> Refusal {
        refusal
    }

    fn describe_failure(&self, refusal: &Refusal) -> String {
        refusal.describe(self.names())
    }

    fn new_id(&mut self, made_after_secs: i64) -> HoldId {
        self.make_id(self.now().plus_secs(made_after_secs))
    }

    fn turn_clock(&mut self, turn: ClockTurn) {
        self.set_now(match turn {
            ClockTurn::To(instant) => instant,
            ClockTurn::BySecs(secs) => self.now().plus_secs(secs),
        });
    }

    fn news(&self) -> Vec<Event> {
        self.news().to_vec()
    }

    async fn run<C>(&mut self, command: C, request: Request<'_>) -> Result<Done<C::Reply>, Refusal>
    where
        C: Command<Refusal = Refusal, Reply: Reply>,
    {
        assert_eq!(request.idempotency_key, None, "keys are the engine's");
        self.run(&command)
    }

    async fn pool(&self, key: &PoolKey) -> Pool {
        self.state().pool(key).clone()
    }

    async fn hold(&self, id: HoldId) -> Option<Hold> {
        self.state().holds.get(&id).cloned()
    }

    async fn owner(&self, name: &OwnerName) -> Option<Owner> {
        self.state().owners.get(name).cloned()
    }
}
