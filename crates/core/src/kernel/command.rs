//! What a command is: it names what it will look at, then decides on it.

use serde::{Serialize, de::DeserializeOwned};

use super::Facts;
use super::record::Record;

/// A request to change what a tenant owns. Pure: may be decided again after a conflict or when a fact was missing.
pub trait Command: Send + Sync + 'static {
    /// The operation's name: the scope of idempotency keys, and how logs call the command.
    const NAME: &'static str;

    type Reply: Serialize + DeserializeOwned + Send + 'static;
    type Refusal: Send + 'static;

    /// Names what the command already knows it will look at, so that it is loaded with everybody else's.
    /// What is forgotten here is found out by `decide` and costs another round.
    fn reads(&self, reads: &mut Reads<'_>);

    /// Decides, in the documented order of refusals. Changes are dropped unless it returns `Ok`.
    fn decide(&self, facts: &mut Facts) -> Result<Self::Reply, Stop<Self::Refusal>>;
}

/// Why `decide` returned without a reply.
#[derive(Debug, PartialEq, Eq)]
pub enum Stop<R> {
    /// The domain says no.
    Refused(R),
    /// The decision has to wait for facts.
    Halted(Halt),
}

/// What a decision waits for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Halt {
    /// Records that were asked for and are not loaded yet.
    Unloaded,
    /// Lapsed holds must be expired first: they might free what is short.
    LapsedHolds,
    /// This batch has done its share of expiring; decide in the next one.
    NextBatch,
    /// What was asked for by [`Facts::prepare`] is prepared outside of the turn.
    Unprepared,
}

impl<R> From<Halt> for Stop<R> {
    fn from(halt: Halt) -> Stop<R> {
        Stop::Halted(halt)
    }
}

/// Collects what a command names.
#[derive(Debug)]
pub struct Reads<'a> {
    facts: &'a mut Facts,
}

impl<'a> Reads<'a> {
    pub fn new(facts: &'a mut Facts) -> Reads<'a> {
        Reads { facts }
    }

    pub fn record<R: Record>(&mut self, key: &R::Key) {
        self.facts.ask::<R>(key);
    }

    /// A record as the store has it, and not as a lane remembers it: for what is said to be wrong in the store.
    pub fn uncached<R: Record>(&mut self, key: &R::Key) {
        self.facts.ask_uncached::<R>(key);
    }

    /// A record that the command expects to insert.
    pub fn expect_absent<R: Record>(&mut self, key: &R::Key) {
        self.facts.ask_expecting_absent::<R>(key);
    }
}
