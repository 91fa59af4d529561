//! What a lane does when a batch does not go through. Every way ends: with an answer that is true, or with another try.

use std::time::Duration;

use metrics::counter;
use surehold_core::kernel::TenantId;
use tokio::time::{Instant, sleep};
use tracing::{error, warn};
use uuid::Uuid;

use crate::job::FailReason;
use crate::lane::{Lane, Part, Setback};
use crate::session::with_causes;
use crate::work::Item;
use crate::{Fault, Session, StoreError};

const CONFLICTS_MAX: u32 = 3;
/// A batch that is lost this often may itself be what breaks the store.
const LOSSES_MAX: u32 = 3;
const RECONNECT_PAUSE: Duration = Duration::from_millis(50);
const RECONNECT_PAUSE_MAX: Duration = Duration::from_secs(1);
/// How long an engine that is stopping waits to find out about a commit.
const STOP_PATIENCE: Duration = Duration::from_secs(10);

impl Lane {
    pub(crate) async fn recover<S: Session>(
        &mut self,
        session: &mut S,
        part: Part,
        setback: Setback,
        parts: &mut Vec<Part>,
    ) {
        self.metrics.retries.increment(1);
        match setback {
            Setback::Store(StoreError::Conflict(_) | StoreError::Changed { .. }) if part.conflicts < CONFLICTS_MAX => {
                parts.push(Part { conflicts: part.conflicts + 1, ..part });
            }
            Setback::Store(
                error @ (StoreError::Conflict(_)
                | StoreError::Changed { .. }
                | StoreError::Rejected(_)
                | StoreError::Corrupt(_)),
            ) => self.halve(part, &error, parts),
            Setback::Store(StoreError::Unavailable(source) | StoreError::Unknown(source)) => {
                let waiting = part.items.len();
                warn!(error = with_causes(source.as_ref()), "The store cannot be used; {waiting} commands wait");
                sleep(RECONNECT_PAUSE).await;
                self.try_again(part, parts);
            }
            Setback::Store(StoreError::TurnTaken) => {
                let items = self.without_overdue(part.items, Fault::Busy);
                // Behind all others: who has the turn must not stop tenants that have nothing to do with it.
                let later = self.take_later(&items, parts);
                for item in items.into_iter().chain(later) {
                    self.waiting.push_back(item, &mut self.jobs);
                }
            }
            Setback::Taken(tenants) => self.split_off(part, &tenants, parts),
            Setback::Unknown { tenant, seq, batch, postponed } => {
                match self.find_out(session, tenant, seq, batch).await {
                    Some(true) => self.settle(&part.items, &postponed, parts),
                    Some(false) => self.try_again(Part { losses: part.losses + 1, ..part }, parts),
                    None => {
                        for item in part.items {
                            self.fail(item, FailReason::Fault(Fault::OutcomeUnknown));
                        }
                    }
                }
            }
        }
    }

    /// Once more, for those whose deadline allows it.
    fn try_again(&mut self, part: Part, parts: &mut Vec<Part>) {
        // A commit whose fate was once in doubt is never called undone.
        let fault = if part.losses > 0 { Fault::OutcomeUnknown } else { Fault::Unavailable };
        let Part { conflicts, losses, .. } = part;
        let mut items = self.without_overdue(part.items, fault);
        if losses >= LOSSES_MAX && items.len() > 1 {
            let second = items.split_off(items.len() / 2);
            parts.push(Part { items: second, conflicts, losses });
        }
        if !items.is_empty() {
            parts.push(Part { items, conflicts, losses });
        }
    }

    /// Told a little before their time is up, callers still learn what is known.
    fn without_overdue(&mut self, items: Vec<Item>, fault: Fault) -> Vec<Item> {
        let soon = Instant::now() + 2 * RECONNECT_PAUSE;
        let (overdue, patient): (Vec<_>, Vec<_>) =
            items.into_iter().partition(|item| self.jobs.get(*item).deadline() <= soon);
        for item in overdue {
            self.fail(item, FailReason::Fault(fault));
        }
        patient
    }

    /// Tenants whose turn is free go on at once; each of the others waits by itself.
    fn split_off(&mut self, part: Part, taken: &[TenantId], parts: &mut Vec<Part>) {
        let Part { conflicts, losses, items } = part;
        let mut free = Vec::new();
        let mut waiting: Vec<Vec<Item>> = taken.iter().map(|_| Vec::new()).collect();
        for item in items {
            let tenant = self.jobs.get(item).tenant();
            match taken.iter().position(|other| *other == tenant) {
                Some(position) => waiting[position].push(item),
                None => free.push(item),
            }
        }
        parts.extend(waiting.into_iter().map(|items| Part { items, conflicts, losses }));
        if !free.is_empty() {
            parts.push(Part { items: free, conflicts, losses });
        }
    }

    /// Narrows a batch down until the guilty command is alone.
    fn halve(&mut self, part: Part, error: &StoreError, parts: &mut Vec<Part>) {
        let Part { mut items, losses, .. } = part;
        if let [item] = items[..] {
            let (defect, reason) = match error {
                StoreError::Conflict(_) | StoreError::Changed { .. } | StoreError::TurnTaken => {
                    (false, FailReason::Fault(Fault::Busy))
                }
                StoreError::Corrupt(_) => (true, FailReason::Fault(Fault::Corrupt)),
                StoreError::Rejected(_) | StoreError::Unavailable(_) | StoreError::Unknown(_) => {
                    (true, FailReason::Defect)
                }
            };
            error!(defect, error = with_causes(error), "A command cannot be written");
            self.fail(item, reason);
            return;
        }
        let second = items.split_off(items.len() / 2);
        // The first half is on top and runs first; both go on without assumptions.
        parts.push(Part { items: second, conflicts: 1, losses });
        parts.push(Part { items, conflicts: 1, losses });
    }

    /// Asks until the store answers: an unknown commit is never guessed. `None` if the engine would not wait any longer.
    async fn find_out<S: Session>(&self, session: &mut S, tenant: TenantId, seq: i64, batch: Uuid) -> Option<bool> {
        let mut pause = RECONNECT_PAUSE;
        let mut stopping_since = None;
        loop {
            match session.has_committed(tenant, seq, batch).await {
                Ok(committed) => {
                    let label = if committed { "true" } else { "false" };
                    counter!("surehold_unknown_commits_total", "committed" => label).increment(1);
                    warn!(%batch, committed, "Found out about batch `{batch}`: committed = {committed}");
                    return Some(committed);
                }
                Err(error) => {
                    let error = with_causes(&error);
                    warn!(%batch, error, "Cannot ask yet whether batch `{batch}` committed");
                }
            }
            if self.queue.is_stopping() {
                let since = *stopping_since.get_or_insert_with(Instant::now);
                if since.elapsed() > STOP_PATIENCE {
                    error!(%batch, "Stopped without finding out whether batch `{batch}` committed");
                    return None;
                }
            }
            sleep(pause).await;
            pause = (pause * 2).min(RECONNECT_PAUSE_MAX);
        }
    }
}
