//! Looks through Stripe's own list of events for those that never arrived: a webhook is given up after three days, and
//! an endpoint may be wrong or missing. What is found takes the way of a webhook.
//!
//! Nothing is written about how far it got: whoever starts looks back over weeks, and an event is kept once, however many
//! nodes find it.

use std::collections::BTreeMap;
use std::time::Duration;

use smol_str::SmolStr;
use surehold_core::kernel::{Invalid, TenantId};
use surehold_core::operations::{InboxEvent, InboxKey, InboxRefusal, ReceiveEvent};
use surehold_engine::{Engine, Failure, Fault, Options};
use thiserror::Error;
use tracing::{info, warn};

use super::arrival::{Arrival, arrival};
use super::calls::{EventsQuery, whole_secs};
use super::client::{CallError, Stripe};
use super::event::{KINDS, ListedEvent};
use super::homes::Homes;

/// Of one look. More than a hundred thousand events are not looked through at once.
const PAGES_MAX: usize = 1_000;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SweepConfig {
    pub pause: Duration,
    /// How far the first look goes back: as far as Stripe's list does. Stripe gives up on a webhook after three days, and
    /// nobody knows for how long nobody was there.
    pub first_secs: i64,
    /// How far a look goes back behind the one before it: events are listed late, and clocks differ.
    pub overlap_secs: i64,
    /// Younger events are still on their way.
    pub grace_secs: i64,
}

impl Default for SweepConfig {
    fn default() -> SweepConfig {
        SweepConfig { pause: Duration::from_mins(5), first_secs: 30 * 86_400, overlap_secs: 3_600, grace_secs: 120 }
    }
}

impl SweepConfig {
    /// How far a look goes back, given when the last one began.
    fn back_to(&self, looked_at: Option<i64>, now_secs: i64) -> i64 {
        match looked_at {
            Some(looked_at) => looked_at.saturating_sub(self.overlap_secs),
            None => now_secs.saturating_sub(self.first_secs),
        }
    }
}

/// Why a look at an account was broken off. What it found so far is kept.
#[derive(Debug, Error)]
pub enum SweepError {
    #[error("the tenant of the account does not exist")]
    TenantUnknown,
    #[error(transparent)]
    Stripe(#[from] CallError),
    #[error(transparent)]
    Store(#[from] Fault),
    #[error("an event cannot be kept because of a defect")]
    Defect,
    #[error("there are too many events to look through; older ones were not looked at")]
    TooMany,
}

#[derive(Debug)]
pub struct Sweeper {
    engine: Engine,
    stripe: Stripe,
    homes: Homes,
    config: SweepConfig,
    /// When the last look at an account began that came to its end, in seconds since 1970.
    looked_at: BTreeMap<SmolStr, i64>,
}

impl Sweeper {
    pub fn new(engine: Engine, stripe: Stripe, homes: Homes, config: SweepConfig) -> Sweeper {
        Sweeper { engine, stripe, homes, config, looked_at: BTreeMap::new() }
    }

    /// For ever. May be dropped at any time: what is kept, is kept.
    pub async fn run(mut self) {
        loop {
            self.look().await;
            tokio::time::sleep(self.config.pause).await;
        }
    }

    /// At all accounts, once. Tells how many events had never arrived; trouble is logged, and the next look goes back
    /// as far.
    pub async fn look(&mut self) -> u64 {
        let accounts: Vec<SmolStr> = self.homes.accounts().cloned().collect();
        let mut found = 0;
        for account in accounts {
            match self.look_at(&account).await {
                Ok(more) => found += more,
                Err(error) => {
                    warn!(%account, %error, "Cannot look for missed events of Stripe account {account}: {error}");
                }
            }
        }
        found
    }

    pub async fn look_at(&mut self, account: &SmolStr) -> Result<u64, SweepError> {
        let tenant = self.homes.tenant(account).await?.ok_or(SweepError::TenantUnknown)?;
        let now_secs = whole_secs(self.engine.views().clock().await?);
        let back_to = self.config.back_to(self.looked_at.get(account).copied(), now_secs);
        let youngest = now_secs.saturating_sub(self.config.grace_secs);
        let mut query = EventsQuery {
            kinds: KINDS.map(SmolStr::new_static).to_vec(),
            created_from: Some(back_to),
            ..EventsQuery::default()
        };
        let mut found = 0;
        for _ in 0..PAGES_MAX {
            let page = self.stripe.events(account, &query).await?;
            for event in &page.data {
                if event.created().is_none_or(|created| created <= youngest) {
                    found += u64::from(self.take(tenant, account, event).await?);
                }
            }
            query.starting_after = page.data.last().and_then(ListedEvent::id).map(SmolStr::new);
            if !page.has_more || query.starting_after.is_none() {
                self.looked_at.insert(account.clone(), now_secs);
                return Ok(found);
            }
        }
        // The next look would not get further either.
        self.looked_at.insert(account.clone(), now_secs);
        Err(SweepError::TooMany)
    }

    /// Tells whether it was news. One that cannot be kept does not hide the others.
    async fn take(&self, tenant: TenantId, account: &SmolStr, event: &ListedEvent) -> Result<bool, SweepError> {
        let body = event.body();
        let id = event.id().unwrap_or("without an id");
        let (key, receive) = match prepare(account, &body) {
            Ok(prepared) => prepared,
            Err(invalid) => {
                warn!(%account, event = id, %invalid, "Stripe lists event {id}, which cannot be kept: {invalid}");
                return Ok(false);
            }
        };
        // Nearly all have arrived, and a look costs nobody their turn.
        if self.engine.views().record::<InboxEvent>(tenant, &key).await?.is_some() {
            return Ok(false);
        }
        let options = Options { background: true, ..Options::default() };
        match self.engine.run_with(tenant, receive, options).await {
            Ok(done) if done.reply.stored => {
                info!(%account, event = id, "Event {id} of Stripe account {account} had never arrived");
                Ok(true)
            }
            Ok(_) => Ok(false),
            Err(Failure::Refused(refusal @ InboxRefusal::OperationConflict { .. })) => {
                warn!(%account, event = id, %refusal, "Event {id} cannot be kept: {refusal}");
                Ok(false)
            }
            Err(Failure::Fault(fault)) => Err(fault.into()),
            Err(Failure::KeyReused | Failure::Defect) => Err(SweepError::Defect),
        }
    }
}

fn prepare(account: &str, body: &[u8]) -> Result<(InboxKey, ReceiveEvent), Invalid> {
    let Arrival { source, external_id, operation } = arrival(account, body)?;
    let key = InboxKey { source: source.clone(), external_id: external_id.clone() };
    Ok((key, ReceiveEvent::new(source, external_id, Some("application/json"), body, operation)?))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Whoever was away for a week, longer than Stripe tries, misses nothing that Stripe still lists.
    #[test]
    fn how_far_a_look_goes_back() {
        const NOW: i64 = 1_800_000_000;
        let config = SweepConfig::default();
        assert_eq!(config.back_to(None, NOW), NOW - 30 * 86_400);
        assert_eq!(config.back_to(Some(NOW - 300), NOW), NOW - 300 - 3_600);
    }
}
