//! Which tenants have something due when. Learns of it at once from wake-ups, by timer for what is due later, and by
//! looking once in a while, because a wake-up may be lost.

use std::collections::HashMap;
use std::time::Duration;

use surehold_core::kernel::{TenantId, Timestamp};
use tokio::time::{Instant, sleep_until};

use super::WorkerConfig;
use crate::{Engine, Fault, Views, WakeupListener};

const TENANTS_PER_LOOK: u16 = 1_000;
/// Every so many rounds through all tenants, what is believed to be due later is looked at too.
const ROUNDS_PER_RECHECK: u32 = 5;

pub(super) struct Agenda {
    views: Views,
    listener: WakeupListener,
    due: HashMap<TenantId, Timestamp>,
    poll_pause: Duration,
    dice: fn() -> u64,
    look_at: Instant,
    rounds: u32,
    /// Where the next look goes on.
    after: TenantId,
}

impl Agenda {
    pub(super) fn new(engine: &Engine, config: &WorkerConfig) -> Agenda {
        Agenda {
            views: engine.views().clone(),
            listener: engine.wakeups().listen(),
            due: HashMap::new(),
            poll_pause: config.poll_pause,
            dice: config.dice,
            look_at: Instant::now(),
            rounds: 0,
            after: TenantId(i64::MIN),
        }
    }

    pub(super) fn add(&mut self, tenant: TenantId, at: Timestamp) {
        self.due.entry(tenant).and_modify(|known| *known = at.min(*known)).or_insert(at);
    }

    /// Waits until tenants have something due, and takes them off. Returns empty-handed when it is time to look again.
    pub(super) async fn next(&mut self) -> Result<(Timestamp, Vec<TenantId>), Fault> {
        for (tenant, at) in self.listener.take() {
            self.add(tenant, at);
        }
        if self.look_at <= Instant::now() {
            self.look_around().await?;
        }
        let now = self.views.clock().await?;
        let ready = self.due.iter().filter(|(_, at)| **at <= now).map(|(tenant, _)| *tenant);
        let mut ready: Vec<TenantId> = ready.collect();
        // One seed of a simulation is one run, so no order may come from a map.
        ready.sort_unstable();
        for tenant in &ready {
            self.due.remove(tenant);
        }
        if ready.is_empty() {
            self.rest(now).await;
        }
        Ok((now, ready))
    }

    async fn rest(&self, now: Timestamp) {
        let next = self.due.values().min().map(|at| at.micros().saturating_sub(now.micros()));
        let pause = next.and_then(|micros| u64::try_from(micros).ok()).map(Duration::from_micros);
        let until = pause.map_or(self.look_at, |pause| self.look_at.min(Instant::now() + pause.min(self.poll_pause)));
        tokio::select! {
            biased;
            () = self.listener.heard() => {}
            () = sleep_until(until) => {}
        }
    }

    async fn look_around(&mut self) -> Result<(), Fault> {
        let now = Timestamp::from_micros(0);
        let tenants = self.views.tenants_with_operations(self.after, TENANTS_PER_LOOK).await?;
        // Several workers must not look in step.
        let jitter = self.poll_pause.mul_f64(f64::from(self.random_percent()) / 400.0);
        self.look_at = Instant::now() + self.poll_pause + jitter;
        if self.after == TenantId(i64::MIN) {
            self.rounds = self.rounds.wrapping_add(1);
        }
        let recheck = self.rounds.is_multiple_of(ROUNDS_PER_RECHECK);
        let all = tenants.len() < usize::from(TENANTS_PER_LOOK);
        self.after = tenants.last().copied().filter(|_| !all).unwrap_or(TenantId(i64::MIN));
        for tenant in tenants {
            if recheck || !self.due.contains_key(&tenant) {
                self.due.insert(tenant, now);
            }
        }
        Ok(())
    }

    fn random_percent(&self) -> u32 {
        u32::try_from((self.dice)() % 100).expect("below a hundred")
    }
}
