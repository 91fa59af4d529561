//! Lets go of quotes that nobody may come back to, a bounded piece at a time.

use std::time::Duration;

use surehold_core::kernel::TenantId;
use surehold_core::stays::commands::{PurgeQuotes, QUOTES_PER_PURGE_MAX};
use tracing::{info, warn};

use crate::engine::EngineRef;
use crate::module::Background;
use crate::{Engine, Failure, Fault};

const PAUSE: Duration = Duration::from_hours(1);

/// Whoever keeps all events keeps all quotes.
pub(super) const BACKGROUND: Background = Background {
    name: "purging",
    start: |config, engine| {
        config.journal_retention?;
        Some(Box::pin(purge_forever(engine)))
    },
};

/// Ends with the engine, which it does not keep alive.
async fn purge_forever(engine: EngineRef) {
    loop {
        tokio::time::sleep(PAUSE).await;
        let Some(engine) = engine.get() else { return };
        match engine.purge_quotes().await {
            Ok(0) => {}
            Ok(quotes) => info!(quotes, "Let go of {quotes} quotes that were spent"),
            Err(fault) => warn!(%fault, "Cannot let go of quotes: {fault}"),
        }
    }
}

impl Engine {
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
