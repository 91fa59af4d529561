//! Lets go of events that are older than what is promised to be kept, and of quotes that nobody may come back to, a
//! bounded piece at a time.

use std::time::Duration;

use surehold_core::kernel::commands::{JOURNAL_ROWS_PER_TRIM_MAX, TrimJournal};
use surehold_core::kernel::{TenantId, Timestamp};
use surehold_core::stays::commands::{PurgeQuotes, QUOTES_PER_PURGE_MAX};
use tracing::{info, warn};

use crate::{Engine, Failure, Fault};

const PAUSE: Duration = Duration::from_hours(1);

/// Ends with the engine, which it does not keep alive.
pub(crate) async fn trim_forever(engine: impl Fn() -> Option<Engine>, retention: Duration) {
    loop {
        tokio::time::sleep(PAUSE).await;
        let Some(engine) = engine() else { return };
        match engine.trim_journals(retention).await {
            Ok(0) => {}
            Ok(rows) => info!(rows, "Let go of {rows} journal rows that were older than the retention"),
            Err(fault) => warn!(%fault, "Cannot trim the journal: {fault}"),
        }
        match engine.purge_quotes().await {
            Ok(0) => {}
            Ok(quotes) => info!(quotes, "Let go of {quotes} quotes that were spent"),
            Err(fault) => warn!(%fault, "Cannot let go of quotes: {fault}"),
        }
    }
}

impl Engine {
    /// Deletes journal rows older than the retention, of all tenants. Tells how many.
    pub async fn trim_journals(&self, retention: Duration) -> Result<i64, Fault> {
        let now = self.views().clock().await?;
        let secs = i64::try_from(retention.as_secs()).unwrap_or(i64::MAX);
        let kept_from = Timestamp::from_micros(now.micros().saturating_sub(secs.saturating_mul(1_000_000)));
        let mut rows = 0;
        for tenant in self.views().journal_tenants().await? {
            rows += self.trim_journal(tenant, kept_from).await?;
        }
        Ok(rows)
    }

    async fn trim_journal(&self, tenant: TenantId, kept_from: Timestamp) -> Result<i64, Fault> {
        let mut rows = 0;
        loop {
            let old = self.views().journal_older_than(tenant, kept_from, JOURNAL_ROWS_PER_TRIM_MAX).await?;
            let Some((oldest_seq, last_seq)) = old else { return Ok(rows) };
            match self.run(tenant, TrimJournal { before_seq: last_seq + 1 }).await {
                Ok(_) => rows += last_seq + 1 - oldest_seq,
                Err(Failure::Fault(fault)) => return Err(fault),
                Err(failure) => {
                    warn!(%tenant, ?failure, "Cannot trim the journal");
                    return Ok(rows);
                }
            }
        }
    }
    /// Deletes quotes that are spent, of all tenants. Tells how many.
    pub async fn purge_quotes(&self) -> Result<u64, Fault> {
        let mut purged = 0;
        for tenant in self.views().journal_tenants().await? {
            purged += self.purge_quotes_of(tenant).await?;
        }
        Ok(purged)
    }

    async fn purge_quotes_of(&self, tenant: TenantId) -> Result<u64, Fault> {
        let mut purged = 0;
        loop {
            let now = self.views().time_for(tenant).await?;
            let quotes = self.views().spent_quotes(tenant, now, QUOTES_PER_PURGE_MAX).await?;
            if quotes.is_empty() {
                return Ok(purged);
            }
            match self.run(tenant, PurgeQuotes { quotes }).await {
                // Somebody else lets go of them too.
                Ok(done) if done.reply == 0 => return Ok(purged),
                Ok(done) => purged += u64::from(done.reply),
                Err(Failure::Fault(fault)) => return Err(fault),
                Err(failure) => {
                    warn!(%tenant, ?failure, "Cannot let go of quotes");
                    return Ok(purged);
                }
            }
        }
    }
}
