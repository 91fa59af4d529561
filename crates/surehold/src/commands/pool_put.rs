//! `surehold pool put`: one pool, or one for each date of a range.

use clap::Args;
use indicatif::ProgressBar;
use jiff::{ToSpan, civil::Date};
use surehold_api::Page;
use surehold_api::kernel::{self, PoolPut, PutPool, PutPools};
use surehold_core::kernel::{ResourceName, Slot, Slug};

use super::desk::Desk;
use super::input::{date, resource, slot};
use super::pool::{POOLS, one_pool};
use super::screen::progress;
use super::show::rows;
use crate::client::ClientError;

/// What the API takes at once: so many pools, and so many bytes.
const POOLS_PER_REQUEST_MAX: usize = 1_000;
const REQUEST_BYTES_MAX: usize = 250_000;
/// A hundred years; more is a typing mistake.
const DAYS_MAX: usize = 36_525;
/// Beyond this a table says less than a sentence.
const LISTED_MAX: usize = 31;

/// Put a pool, or one for each date of a range; what is left out stays as it is
#[derive(Args)]
#[command(group(clap::ArgGroup::new("what").required(true).multiple(true)))]
pub(super) struct Put {
    /// The tenant\'s slug
    tenant: Slug,
    /// As in double or t-shirt
    #[arg(value_parser = resource)]
    resource: ResourceName,
    /// Its date, for what is sold by the night or day
    #[arg(long, value_name = "DATE", value_parser = slot, conflicts_with_all = ["from", "until"])]
    slot: Option<Slot>,
    /// The first date of a range
    #[arg(long, value_name = "DATE", value_parser = date, requires = "until")]
    from: Option<Date>,
    /// The date after the last one of the range
    #[arg(long, value_name = "DATE", value_parser = date, requires = "from")]
    until: Option<Date>,
    /// Units there are; needed for a new pool
    #[arg(long, value_name = "N", group = "what")]
    total: Option<i64>,
    /// Units that may be promised beyond the total
    #[arg(long, value_name = "N", group = "what")]
    overbook: Option<i64>,
    /// Take no new claims
    #[arg(long, group = "what", conflicts_with = "open")]
    close: bool,
    /// Take claims again
    #[arg(long, group = "what")]
    open: bool,
    /// Only if the pool has this version; 0: only if it is new
    #[arg(long, value_name = "N")]
    expected_version: Option<i64>,
}

impl Put {
    pub(super) async fn run(&self, desk: Desk<'_>) -> Result<(), ClientError> {
        if let (Some(from), Some(until)) = (self.from, self.until) {
            return self.put_range(desk, from, until).await;
        }
        let put = kernel::put_pool(&self.tenant, &self.resource, &self.settings());
        desk.present(put.query_if("slot", self.slot), one_pool).await
    }

    /// In pieces, each all or none. Running it again puts the same.
    async fn put_range(&self, desk: Desk<'_>, from: Date, until: Date) -> Result<(), ClientError> {
        let items = dates(from, until)?.into_iter().map(|date| self.item(date)).collect::<Result<Vec<_>, _>>()?;
        let bytes_each = items.first().and_then(|item| serde_json::to_vec(item).ok()).map_or(1, |item| item.len() + 1);
        let at_once = (REQUEST_BYTES_MAX / bytes_each).clamp(1, POOLS_PER_REQUEST_MAX);
        let bar = if items.len() > at_once { progress(items.len(), "pools") } else { ProgressBar::hidden() };
        let mut put = Vec::new();
        for chunk in items.chunks(at_once) {
            let call = kernel::put_pools(&self.tenant, &PutPools { pools: chunk.to_vec() });
            let answer = desk.send(&call).await.inspect_err(|_| {
                bar.abandon();
                if !put.is_empty() {
                    desk.screen.note(&format!("{} of {} pools were put before this", put.len(), items.len()));
                }
            })?;
            bar.inc(chunk.len().try_into().unwrap_or(u64::MAX));
            if let Some(page) = desk.for_people(&answer).await? {
                put.extend(page.into_parts().0);
            }
        }
        bar.finish_and_clear();
        match (desk.screen.json, put.len()) {
            (true, _) => Ok(()),
            (false, 0..=LISTED_MAX) => desk.screen.print(&rows(POOLS, &put, &())),
            (false, count) => {
                desk.screen.print(&format!("{count} pools put: {} from {from} until {until}", self.resource))
            }
        }
    }

    fn settings(&self) -> PutPool {
        PutPool {
            total: self.total,
            overbook: self.overbook,
            closed: (self.close || self.open).then_some(self.close),
            expected_version: self.expected_version,
        }
    }

    fn item(&self, date: Date) -> Result<PoolPut, ClientError> {
        let slot = Slot::night(date).map_err(|invalid| ClientError::Usage(invalid.to_string()))?;
        let PutPool { total, overbook, closed, expected_version } = self.settings();
        Ok(PoolPut { resource: self.resource.clone(), slot, total, overbook, closed, expected_version })
    }
}

fn dates(from: Date, until: Date) -> Result<Vec<Date>, ClientError> {
    if until <= from {
        return Err(ClientError::Usage(format!(
            "--until {until} is not after --from {from}; it is the date after the last one"
        )));
    }
    let dates: Vec<Date> = from.series(1.day()).take_while(|date| *date < until).take(DAYS_MAX + 1).collect();
    if dates.len() > DAYS_MAX {
        return Err(ClientError::Usage(format!("the range has more than {DAYS_MAX} dates; put it in parts")));
    }
    Ok(dates)
}
