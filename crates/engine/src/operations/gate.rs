//! Who may call now: limits per type and per provider, and a circuit breaker per provider and account.

use std::collections::{HashMap, HashSet};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use smol_str::SmolStr;
use surehold_core::kernel::{TenantId, Timestamp};
use surehold_core::operations::{Admission, Breaker, BreakerPolicy, Nature, OperationKey, OperationType, Ticket};
use tokio::sync::Notify;
use tokio::time::Instant;

use crate::ProviderAnswer;

/// Breakers that are kept; beyond that those that are closed are let go of.
const BREAKERS_MAX: usize = 10_000;

/// When something that runs elsewhere ends is not known here: it is tried again after so long.
pub(super) const BLOCKED_ELSEWHERE: Duration = Duration::from_millis(50);
/// What has not been tried again by then is not there any more.
const BLOCKED_FORGOTTEN: Duration = Duration::from_mins(10);

#[derive(Debug)]
pub(super) struct Gate {
    effects_max: usize,
    policy: BreakerPolicy,
    inside: Mutex<Inside>,
    breakers: Mutex<HashMap<(&'static str, SmolStr), Breaker>>,
    /// Somebody has left.
    freed: Notify,
}

#[derive(Debug, Default)]
struct Inside {
    running: HashSet<(TenantId, OperationKey)>,
    per_type: HashMap<&'static str, usize>,
    per_provider: HashMap<&'static str, usize>,
    /// Operations whose aggregate another one has to itself.
    blocked: HashMap<(TenantId, OperationKey), Blocked>,
    blocks: u64,
}

#[derive(Debug)]
struct Blocked {
    by: OperationKey,
    since: Instant,
    /// Who was blocked first goes first.
    number: u64,
}

/// The right to carry one effect operation out; given back when dropped.
#[derive(Debug)]
pub(super) struct Pass {
    gate: Arc<Gate>,
    kind: &'static OperationType,
    operation: (TenantId, OperationKey),
}

pub(super) enum Entry {
    Pass(Pass),
    /// It is being carried out here already.
    Inside,
    /// Too many of its kind, of its provider or altogether.
    Full,
    /// Another operation has its aggregate to itself: one that runs here, or elsewhere.
    Blocked {
        here: bool,
    },
}

fn provider_of(kind: &OperationType) -> (&'static str, usize) {
    match kind.nature {
        Nature::State => ("", usize::MAX),
        Nature::Effect { provider, calls_max, .. } => (provider, calls_max),
    }
}

impl Gate {
    pub(super) fn new(effects_max: usize, policy: BreakerPolicy) -> Gate {
        Gate { effects_max, policy, inside: Mutex::default(), breakers: Mutex::default(), freed: Notify::new() }
    }

    pub(super) fn enter(self: &Arc<Gate>, kind: &'static OperationType, tenant: TenantId, key: &OperationKey) -> Entry {
        let mut inside = self.inside.lock().expect("nothing panics while holding it");
        let operation = (tenant, key.clone());
        if inside.running.contains(&operation) {
            return Entry::Inside;
        }
        if let Some(blocked) = inside.blocked.get(&operation) {
            let here = inside.running.contains(&(tenant, blocked.by.clone()));
            if here || blocked.since.elapsed() < BLOCKED_ELSEWHERE {
                return Entry::Blocked { here };
            }
            inside.blocked.remove(&operation);
        }
        let (provider, calls_max) = provider_of(kind);
        let of_type = inside.per_type.get(kind.name).copied().unwrap_or(0);
        let of_provider = inside.per_provider.get(provider).copied().unwrap_or(0);
        if inside.running.len() >= self.effects_max || of_type >= kind.running_max || of_provider >= calls_max {
            return Entry::Full;
        }
        *inside.per_type.entry(kind.name).or_default() += 1;
        *inside.per_provider.entry(provider).or_default() += 1;
        inside.running.insert(operation.clone());
        Entry::Pass(Pass { gate: Arc::clone(self), kind, operation })
    }

    /// Trying again is useless until the other has ended.
    pub(super) fn block(&self, tenant: TenantId, key: &OperationKey, by: &OperationKey) {
        let mut inside = self.inside.lock().expect("nothing panics while holding it");
        inside.blocks += 1;
        let blocked = Blocked { by: by.clone(), since: Instant::now(), number: inside.blocks };
        inside.blocked.insert((tenant, key.clone()), blocked);
    }

    pub(super) fn is_full(&self) -> bool {
        self.inside.lock().expect("nothing panics while holding it").running.len() >= self.effects_max
    }

    /// Waits until somebody has left since the last time.
    pub(super) async fn freed(&self) {
        self.freed.notified().await;
    }

    /// `Err` says when to try again.
    pub(super) fn admit(&self, provider: &'static str, account: &SmolStr, now: Timestamp) -> Result<Ticket, Timestamp> {
        let mut breakers = self.breakers.lock().expect("nothing panics while holding it");
        if breakers.len() >= BREAKERS_MAX {
            let closed = surehold_core::operations::Standing::Closed { failures: 0 };
            breakers.retain(|_, breaker| breaker.standing() != closed);
        }
        let breaker = breakers.entry((provider, account.clone())).or_insert_with(|| Breaker::new(self.policy));
        match breaker.admit(now) {
            Admission::Go(ticket) | Admission::Probe(ticket) => Ok(ticket),
            Admission::Wait { until } => Err(until),
        }
    }

    /// Nothing was called.
    pub(super) fn abandon(&self, provider: &'static str, account: &SmolStr, ticket: Ticket) {
        let mut breakers = self.breakers.lock().expect("nothing panics while holding it");
        if let Some(breaker) = breakers.get_mut(&(provider, account.clone())) {
            breaker.abandoned(ticket);
        }
    }

    /// What the provider told says whether it works. A no is an answer like any other.
    pub(super) fn report(
        &self,
        provider: &'static str,
        account: &SmolStr,
        ticket: Ticket,
        told: &ProviderAnswer,
        now: Timestamp,
    ) {
        let mut breakers = self.breakers.lock().expect("nothing panics while holding it");
        let Some(breaker) = breakers.get_mut(&(provider, account.clone())) else { return };
        match told {
            ProviderAnswer::Done { .. }
            | ProviderAnswer::Rejected { .. }
            | ProviderAnswer::Absent
            | ProviderAnswer::Undecidable { .. } => {
                breaker.succeeded(ticket);
            }
            ProviderAnswer::NotDone { .. } | ProviderAnswer::Unanswered { .. } | ProviderAnswer::ErrorKept { .. } => {
                breaker.failed(ticket, now);
            }
        }
    }
}

impl Inside {
    /// Of those who waited for it one may go; the others wait for that one.
    fn unblock(&mut self, ended: &(TenantId, OperationKey)) {
        let waited =
            |(tenant, _): &(TenantId, OperationKey), blocked: &Blocked| *tenant == ended.0 && blocked.by == ended.1;
        let waiting = self.blocked.iter().filter(|(key, blocked)| waited(key, blocked));
        let Some(first) = waiting.min_by_key(|(_, blocked)| blocked.number).map(|(key, _)| key.clone()) else { return };
        self.blocked.remove(&first);
        self.blocked.retain(|_, blocked| blocked.since.elapsed() < BLOCKED_FORGOTTEN);
        for (key, blocked) in &mut self.blocked {
            if waited(key, blocked) {
                blocked.by = first.1.clone();
                blocked.since = Instant::now();
            }
        }
    }
}

impl Drop for Pass {
    fn drop(&mut self) {
        let mut inside = self.gate.inside.lock().expect("nothing panics while holding it");
        inside.running.remove(&self.operation);
        inside.unblock(&self.operation);
        let (provider, _) = provider_of(self.kind);
        let inside = &mut *inside;
        for count in [inside.per_type.get_mut(self.kind.name), inside.per_provider.get_mut(provider)] {
            *count.expect("counted when it entered") -= 1;
        }
        self.gate.freed.notify_one();
    }
}
