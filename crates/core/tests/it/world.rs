//! One tenant without a store. Every command that runs here is audited: a refusal, a halt or a replay changed nothing,
//! and what did change is explained by events.

use surehold_core::kernel::commands::ExpireLapsedHolds;
use surehold_core::kernel::{Command, Event, Facts, Halt, HoldId, Refusal, Stop, TenantId, Timestamp, decode_events};
use surehold_scenario::{Context, Done};
use uuid::Builder;

use crate::state::{State, dump};
use crate::{audit, codec};

/// 2026-12-01T00:00:00Z.
pub(crate) const START: Timestamp = Timestamp::from_micros(1_796_083_200_000_000);
/// More than any test needs; a decision that never ends is a failure.
const BATCHES_MAX: usize = 20;

#[derive(Debug)]
pub(crate) struct World {
    facts: Facts,
    state: State,
    journal: Vec<Event>,
    journal_bytes: usize,
    /// What the last command, and whatever had to expire for it, told the journal.
    news: Vec<Event>,
    names: Context,
    ids_made: u32,
}

impl World {
    pub(crate) fn new(tenant: TenantId) -> World {
        let mut facts = Facts::complete(tenant);
        facts.set_now(START);
        let (state, journal, news) = <_>::default();
        World { facts, state, journal, journal_bytes: 0, news, names: Context::starting_at(START), ids_made: 0 }
    }

    pub(crate) fn now(&self) -> Timestamp {
        self.facts.now()
    }

    pub(crate) fn set_now(&mut self, now: Timestamp) {
        assert!(self.now() <= now, "the clock never goes back");
        self.facts.set_now(now);
    }

    pub(crate) fn state(&self) -> &State {
        &self.state
    }

    pub(crate) fn news(&self) -> &[Event] {
        &self.news
    }

    pub(crate) fn journal(&self) -> &[Event] {
        &self.journal
    }

    pub(crate) fn dump(&self) -> Vec<String> {
        let mut records: Vec<String> = dump(&self.facts).iter().map(|record| format!("{record:?}")).collect();
        records.sort();
        records
    }

    /// Runs a command as the engine does: lapsed holds are expired before they can be the reason for a refusal, over
    /// as many batches as it takes.
    pub(crate) fn run<C: Command<Refusal = Refusal>>(&mut self, command: &C) -> Result<Done<C::Reply>, Refusal> {
        self.news.clear();
        let mut batches = 0;
        loop {
            match self.attempt(command) {
                Ok(done) => return Ok(done),
                Err(Stop::Refused(refusal)) => return Err(refusal),
                Err(Stop::Halted(Halt::LapsedHolds)) => {
                    self.attempt(&ExpireLapsedHolds).expect("expiring is not refused");
                }
                Err(Stop::Halted(Halt::NextBatch)) => self.facts.set_now(self.facts.now()),
                Err(Stop::Halted(halt @ (Halt::Unloaded | Halt::Unprepared))) => {
                    panic!("{} halts for {halt:?} with complete facts", C::NAME)
                }
            }
            batches += 1;
            assert!(batches < BATCHES_MAX, "{} is never decided", C::NAME);
        }
    }

    fn attempt<C: Command<Refusal = Refusal>>(&mut self, command: &C) -> Result<Done<C::Reply>, Stop<Refusal>> {
        let decision = command.decide(&mut self.facts);
        let replayed = if decision.is_ok() {
            self.facts.keep_changes()
        } else {
            self.facts.drop_changes();
            false
        };
        let events = self.take_events();
        let after = State::read(&mut self.facts, &self.state, &events);
        if decision.is_ok() && !replayed {
            audit::check_step(&self.state, &events, &after);
        } else {
            assert_eq!(after, self.state, "{} changed what it must not", C::NAME);
            assert_eq!(events, [], "{} told of nothing", C::NAME);
        }
        self.state = after;
        self.journal.extend_from_slice(&events);
        self.news.extend(events);
        decision.inspect(codec::check_reply).map(|reply| Done { reply, replayed })
    }

    fn take_events(&mut self) -> Vec<Event> {
        let (packed, count) = self.facts.events();
        let events = decode_events(&packed[self.journal_bytes..]).unwrap();
        assert_eq!(self.journal.len() + events.len(), usize::try_from(count).unwrap());
        self.journal_bytes = packed.len();
        events
    }

    pub(crate) fn names(&self) -> &Context {
        &self.names
    }

    pub(crate) fn names_mut(&mut self) -> &mut Context {
        &mut self.names
    }

    /// The same instant and the same count make the same id; tenants do not share ids.
    pub(crate) fn make_id(&mut self, made_at: Timestamp) -> HoldId {
        self.ids_made += 1;
        let mut bytes = [0; 10];
        bytes[2..6].copy_from_slice(&self.ids_made.to_be_bytes());
        bytes[6..].copy_from_slice(&i32::try_from(self.facts.tenant().0).unwrap().to_be_bytes());
        let millis = u64::try_from(made_at.micros().div_euclid(1_000)).unwrap();
        HoldId::new(Builder::from_unix_timestamp_millis(millis, &bytes).into_uuid()).unwrap()
    }
}
