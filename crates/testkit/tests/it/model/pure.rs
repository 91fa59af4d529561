//! The pure core as a store: no database, and the clock says what it is told.

use std::collections::BTreeMap;

use serde_json::Value;
use surehold_core::kernel::commands::ExpireLapsedHolds;
use surehold_core::kernel::{
    Change, Command, ConvertMode, Event, Facts, Halt, Hold, HoldId, Kept, Lines, Pool, PoolKey, Record, Stop, Tenant,
    TenantId, Timestamp, decode_events,
};

use super::deed::{Request, Verdict};

/// What is kept under a key.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct KeptAnswer {
    request: String,
    pub(crate) reply: Value,
    pub(crate) at: Timestamp,
}

/// All that was ever asked and when, and what it came to.
#[derive(Debug)]
pub(crate) struct Pure {
    facts: Facts,
    pub(crate) replies: BTreeMap<String, KeptAnswer>,
    history: Vec<(Timestamp, Step)>,
}

#[derive(Clone, Debug)]
enum Step {
    Ask(Request),
    Expire,
}

impl Pure {
    pub(crate) fn new(tenant: TenantId) -> Pure {
        Pure { facts: Facts::complete(tenant), replies: BTreeMap::new(), history: Vec::new() }
    }

    pub(crate) fn history_len(&self) -> usize {
        self.history.len()
    }

    /// The same up to a point, from the beginning.
    pub(crate) fn as_of(&self, steps: usize) -> Pure {
        let mut pure = Pure::new(self.facts.tenant());
        for (at, step) in &self.history[..steps] {
            match step {
                Step::Ask(request) => drop(pure.ask(*at, request)),
                Step::Expire => pure.expire(*at),
            }
        }
        pure
    }

    pub(crate) fn expire(&mut self, at: Timestamp) {
        self.history.push((at, Step::Expire));
        self.facts.set_now(at);
        self.expire_lapsed();
    }

    pub(crate) fn ask(&mut self, at: Timestamp, request: &Request) -> Verdict {
        self.history.push((at, Step::Ask(request.clone())));
        self.facts.set_now(at);
        let kept = request.key.as_ref().and_then(|key| self.replies.get(key));
        match kept {
            Some(kept) if kept.request != request.text() => return Verdict::KeyReused,
            Some(kept) => return Verdict::Done { reply: kept.reply.clone(), replayed: true },
            None => {}
        }
        let verdict = self.decide(request);
        if let (Verdict::Done { reply, .. }, Some(key)) = (&verdict, &request.key) {
            let kept = KeptAnswer { request: request.text(), reply: reply.clone(), at };
            self.replies.insert(key.clone(), kept);
        }
        verdict
    }

    fn decide(&mut self, request: &Request) -> Verdict {
        loop {
            match request.deed.decide(&mut self.facts) {
                Ok(reply) => return Verdict::Done { reply, replayed: self.facts.keep_changes() },
                Err(Stop::Refused(refusal)) => {
                    self.facts.drop_changes();
                    return Verdict::Refused(refusal);
                }
                Err(Stop::Halted(halt)) => {
                    self.facts.drop_changes();
                    assert_eq!(halt, Halt::LapsedHolds, "complete facts lack nothing; a few holds expire at once");
                    self.expire_lapsed();
                }
            }
        }
    }

    fn expire_lapsed(&mut self) {
        ExpireLapsedHolds.decide(&mut self.facts).expect("expiring is never refused");
        self.facts.keep_changes();
    }

    pub(crate) fn record<R: Record>(&mut self, key: &R::Key) -> Option<R> {
        self.facts.get::<R>(key).expect("complete facts lack nothing").cloned()
    }

    pub(crate) fn pool_version(&mut self, key: &PoolKey) -> i64 {
        self.record::<Pool>(key).map_or(0, |pool| pool.version)
    }

    pub(crate) fn tenant(&mut self) -> Tenant {
        self.record::<Tenant>(&()).expect("made first")
    }

    /// What a hold has booked, if anything.
    pub(crate) fn booked(&mut self, id: HoldId) -> Option<Lines> {
        match self.record::<Hold>(&id)?.kept? {
            Kept { mode: ConvertMode::Book, lines, .. } if !lines.is_empty() => Some(lines),
            Kept { .. } => None,
        }
    }

    pub(crate) fn count_of<R: Record>(&self) -> usize {
        let mut count = 0;
        for cells in self.facts.all_cells().filter(|cells| cells.table().name == R::TABLE.name) {
            cells.changes(&mut |change| match change {
                Change::Insert { .. } => count += 1,
                Change::Update { .. } | Change::Delete { .. } => panic!("nothing was loaded, so everything is new"),
            });
        }
        count
    }

    pub(crate) fn events(&self) -> Vec<Event> {
        decode_events(self.facts.events().0).unwrap()
    }
}
