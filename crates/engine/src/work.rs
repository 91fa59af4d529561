//! The decisions of one batch, without any I/O: who asked for what, who decided, who waits for facts.

use std::collections::HashSet;
use std::panic::{AssertUnwindSafe, catch_unwind};

use surehold_core::kernel::commands::ExpireLapsedHolds;
use surehold_core::kernel::{Command, Facts, Halt, Stop, TenantId};
use tracing::error;

use crate::TenantWork;
use crate::job::{FailReason, Job};
use crate::memory::Memory;

/// A command of a job in the lane.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Item {
    pub(crate) job: usize,
    pub(crate) index: usize,
}

/// A decision may wait for facts this often. Each round loads something new, so more is a defect.
const ROUNDS_MAX: usize = 64;

pub(crate) struct Work {
    pub(crate) tenants: Vec<TenantWork>,
    /// Not decided yet, each with its tenant's position.
    open: Vec<(Item, usize)>,
    /// To be decided in the next batch.
    pub(crate) postponed: Vec<Item>,
    rounds: usize,
}

/// The begun jobs of a lane. A job is to be answered when its last command is settled.
#[derive(Default)]
pub(crate) struct Jobs {
    slots: Vec<Option<Slot>>,
    free: Vec<usize>,
}

struct Slot {
    job: Box<dyn Job>,
    unsettled: usize,
}

impl Jobs {
    pub(crate) fn add(&mut self, job: Box<dyn Job>) -> impl Iterator<Item = Item> + use<> {
        let unsettled = job.command_count();
        let slot = Some(Slot { job, unsettled });
        let position = self.free.pop().unwrap_or_else(|| {
            self.slots.push(None);
            self.slots.len() - 1
        });
        self.slots[position] = slot;
        (0..unsettled).map(move |index| Item { job: position, index })
    }

    pub(crate) fn get(&mut self, item: Item) -> &mut dyn Job {
        let slot = self.slots[item.job].as_mut().expect("a job stays until all its commands are settled");
        slot.job.as_mut()
    }

    /// The job, if this was its last command: it is to be answered.
    #[must_use]
    pub(crate) fn settle(&mut self, item: Item) -> Option<Box<dyn Job>> {
        let slot = self.slots[item.job].as_mut().expect("a command is settled once");
        slot.unsettled -= 1;
        if slot.unsettled > 0 {
            return None;
        }
        self.free.push(item.job);
        self.slots[item.job].take().map(|slot| slot.job)
    }
}

impl Work {
    /// Groups the items by tenant and asks for what they name and is not remembered. Who distrusts does not remember.
    pub(crate) fn new(jobs: &mut Jobs, items: &[Item], distrust: bool, memory: &mut Memory) -> Work {
        let mut ids: Vec<TenantId> = items.iter().map(|item| jobs.get(*item).tenant()).collect();
        ids.sort_unstable();
        ids.dedup();
        let recall = |id: &TenantId| {
            if distrust { TenantWork::new(Facts::new(*id, true), None) } else { memory.recall(*id) }
        };
        let tenants: Vec<TenantWork> = ids.iter().map(recall).collect();
        let mut work = Work { tenants, open: Vec::with_capacity(items.len()), postponed: Vec::new(), rounds: 0 };
        let strangers = work.add(jobs, items);
        debug_assert!(strangers.is_empty(), "all tenants of the items are in the batch");
        work
    }

    /// Asks for what the items name. Items of other tenants than those of the batch are given back.
    pub(crate) fn add(&mut self, jobs: &mut Jobs, items: &[Item]) -> Vec<Item> {
        let mut strangers = Vec::new();
        for item in items {
            let job = jobs.get(*item);
            match self.tenants.binary_search_by_key(&job.tenant(), TenantWork::tenant) {
                Ok(position) => {
                    job.reads(item.index, &mut self.tenants[position].facts);
                    self.open.push((*item, position));
                }
                Err(_) => strangers.push(*item),
            }
        }
        strangers
    }

    /// Asks again for what was remembered and turned out to be outdated. Tells whether there was any.
    pub(crate) fn ask_again(&mut self, jobs: &mut Jobs) -> bool {
        let outdated: Vec<bool> = self.tenants.iter_mut().map(TenantWork::take_outdated).collect();
        for (item, position) in self.open.iter().filter(|(_, position)| outdated[*position]) {
            jobs.get(*item).reads(item.index, &mut self.tenants[*position].facts);
        }
        outdated.contains(&true)
    }

    /// Decides what can be decided. What has to wait for facts stays open: load them and call again. The commands of
    /// one job are decided in their order, so those behind one that waits wait with it.
    pub(crate) fn decide(&mut self, jobs: &mut Jobs) {
        self.rounds += 1;
        let mut waiting_jobs = HashSet::new();
        let mut postponed_jobs = HashSet::new();
        for (item, position) in std::mem::take(&mut self.open) {
            let job = jobs.get(item);
            let facts = &mut self.tenants[position].facts;
            if postponed_jobs.contains(&item.job) {
                self.postponed.push(item);
                continue;
            }
            if waiting_jobs.contains(&item.job) {
                // Asked for now, so that a long job does not wait once per command.
                job.rehearse(item.index, facts);
                self.open.push((item, position));
                continue;
            }
            match decide_with_expiry(job, item.index, facts) {
                Ok(()) => {}
                Err(Halt::NextBatch) => {
                    postponed_jobs.insert(item.job);
                    self.postponed.push(item);
                }
                Err(Halt::Unloaded | Halt::LapsedHolds) if self.rounds < ROUNDS_MAX => {
                    waiting_jobs.insert(item.job);
                    self.open.push((item, position));
                }
                // What a job asks for to be prepared it keeps to itself.
                Err(Halt::Unloaded | Halt::LapsedHolds | Halt::Unprepared) => {
                    error!(defect = true, tenant = %job.tenant(), "A decision kept asking for facts after {ROUNDS_MAX} rounds");
                    job.fail(item.index, FailReason::Defect);
                }
            }
        }
    }

    pub(crate) fn is_waiting(&self) -> bool {
        !self.open.is_empty()
    }

    /// Whether a command rests on a record of that table as its maker read it outside of the turn.
    pub(crate) fn has_believed(&self, table: &str) -> bool {
        self.tenants.iter().any(|work| work.facts.has_believed(table))
    }

    /// The first tenant with changes: its journal row stands for the whole batch.
    pub(crate) fn first_changed(&self) -> Option<(TenantId, i64)> {
        let changed = self.tenants.iter().find(|work| work.facts.has_changes());
        changed.map(|work| (work.tenant(), work.journal_seq))
    }
}

fn decide_with_expiry(job: &mut dyn Job, index: usize, facts: &mut Facts) -> Result<(), Halt> {
    match job.decide(index, facts) {
        // A shortage counts only when no lapsed hold is left. Expiring them is a step of its own, so that it stands
        // even if the command is refused after all.
        Err(Halt::LapsedHolds) => match catch_unwind(AssertUnwindSafe(|| expire_lapsed_holds(facts))) {
            Ok(Ok(())) => job.decide(index, facts),
            Ok(Err(halt)) => Err(halt),
            Err(_panic) => {
                facts.drop_changes();
                error!(defect = true, tenant = %job.tenant(), "Expiring lapsed holds panicked: counters and holds disagree");
                job.fail(index, FailReason::Defect);
                Ok(())
            }
        },
        decided => decided,
    }
}

fn expire_lapsed_holds(facts: &mut Facts) -> Result<(), Halt> {
    match ExpireLapsedHolds.decide(facts) {
        Ok(_) => {
            facts.keep_changes();
            Ok(())
        }
        Err(Stop::Halted(halt)) => {
            facts.drop_changes();
            Err(halt)
        }
        Err(Stop::Refused(refusal)) => unreachable!("expiring lapsed holds is never refused: {refusal}"),
    }
}
