//! Lets go of events that are older than what is promised to be kept, a bounded piece at a time.

use std::time::Duration;

use surehold_core::kernel::commands::{JOURNAL_ROWS_PER_TRIM_MAX, TrimJournal};
use surehold_core::kernel::{TenantId, Timestamp};
use tracing::{info, warn};

use crate::engine::EngineRef;
use crate::module::Background;
use crate::{Engine, Failure, Fault};

const PAUSE: Duration = Duration::from_hours(1);

pub(super) const BACKGROUND: Background = Background {
    name: "trimming",
    start: |config, engine| Some(Box::pin(trim_forever(engine, config.journal_retention?))),
};

/// Ends with the engine, which it does not keep alive.
async fn trim_forever(engine: EngineRef, retention: Duration) {
    loop {
        tokio::time::sleep(PAUSE).await;
        let Some(engine) = engine.get() else { return };
        match engine.trim_journals(retention).await {
            Ok(0) => {}
            Ok(rows) => info!(rows, "Let go of {rows} journal rows that were older than the retention"),
            Err(fault) => warn!(%fault, "Cannot trim the journal: {fault}"),
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
}
