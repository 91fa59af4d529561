//! What a scenario runs against: the pure core, or an engine on a store.

use surehold_core::kernel::{Command, Event, Hold, HoldId, Owner, OwnerName, Pool, PoolKey, Refusal, Timestamp};

use crate::context::Context;
use crate::describe::Reply;

/// A reply, and whether it only repeats an earlier one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Done<T> {
    pub reply: T,
    pub replayed: bool,
}

/// The statement that asks for a command.
#[derive(Clone, Copy, Debug)]
pub struct Request<'a> {
    pub idempotency_key: Option<&'a str>,
    pub text: &'a str,
}

#[derive(Clone, Copy, Debug)]
pub enum ClockTurn {
    To(Timestamp),
    BySecs(i64),
}

/// Carries commands out for one tenant and looks records up.
pub trait Backend {
    /// Why a command has no reply.
    type Failure;

    fn context(&self) -> &Context;

    fn context_mut(&mut self) -> &mut Context;

    fn refused(refusal: Refusal) -> Self::Failure;

    fn describe_failure(&self, failure: &Self::Failure) -> String;

    /// A new id that was made so many seconds after the present instant.
    fn new_id(&mut self, made_after_secs: i64) -> HoldId;

    fn turn_clock(&mut self, turn: ClockTurn);

    /// The events of the last command.
    fn news(&self) -> Vec<Event>;

    fn run<C>(
        &mut self,
        command: C,
        request: Request<'_>,
    ) -> impl Future<Output = Result<Done<C::Reply>, Self::Failure>>
    where
        C: Command<Refusal = Refusal, Reply: Reply>;

    /// The pool must exist.
    fn pool(&self, key: &PoolKey) -> impl Future<Output = Pool>;

    fn hold(&self, id: HoldId) -> impl Future<Output = Option<Hold>>;

    fn owner(&self, name: &OwnerName) -> impl Future<Output = Option<Owner>>;
}
