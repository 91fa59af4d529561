//! `surehold pool put`: one pool, or one for each date of a range.

use clap::Args;
use indicatif::{ProgressBar, ProgressStyle};
use jiff::{ToSpan, civil::Date};
use serde_json::{Value, json};

use super::input::{date, resource, slug};
use super::screen::Screen;
use super::view::{list, pools};
use crate::client::{Client, ClientError, Request};

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
    #[arg(value_parser = slug)]
    tenant: String,
    /// As in double or t-shirt
    #[arg(value_parser = resource)]
    resource: String,
    /// Its date, for what is sold by the night or day
    #[arg(long, value_name = "DATE", value_parser = date, conflicts_with_all = ["from", "until"])]
    slot: Option<Date>,
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
    pub(super) async fn run(&self, client: &Client, screen: Screen, test: bool) -> Result<(), ClientError> {
        match (self.from, self.until) {
            (Some(from), Some(until)) => self.put_range(client, screen, test, from, until).await,
            _ => self.put_one(client, screen, test).await,
        }
    }

    async fn put_one(&self, client: &Client, screen: Screen, test: bool) -> Result<(), ClientError> {
        let request = Request::put(&["v1", &self.tenant, "pools", &self.resource]).test(test);
        let request = request.query_if("slot", self.slot.map(|slot| slot.to_string()).as_deref());
        let answer = client.send(&request.json(self.settings())).await?;
        screen.show(&answer, |pool| pools([pool]))
    }

    /// In pieces, each all or none. Running it again puts the same.
    async fn put_range(
        &self,
        client: &Client,
        screen: Screen,
        test: bool,
        from: Date,
        until: Date,
    ) -> Result<(), ClientError> {
        let dates = dates(from, until)?;
        let items: Vec<Value> = dates.iter().map(|date| self.item(*date)).collect();
        let bytes_each = items.first().map_or(1, |item| item.to_string().len() + 1);
        let at_once = (REQUEST_BYTES_MAX / bytes_each).clamp(1, POOLS_PER_REQUEST_MAX);
        let bar = progress(items.len(), at_once);
        let mut put = Vec::new();
        for chunk in items.chunks(at_once) {
            let request = Request::put(&["v1", &self.tenant, "pools"]).test(test).json(json!({"pools": chunk}));
            let answer = client.send(&request).await.inspect_err(|_| {
                bar.abandon();
                if !put.is_empty() {
                    screen.note(&format!("{} of {} pools were put before this", put.len(), items.len()));
                }
            })?;
            bar.inc(chunk.len().try_into().unwrap_or(u64::MAX));
            if screen.json {
                screen.raw(&answer)?;
            }
            put.extend_from_slice(list(&answer.value()?["pools"]));
        }
        bar.finish_and_clear();
        match (screen.json, put.len()) {
            (true, _) => Ok(()),
            (false, 0..=LISTED_MAX) => screen.print(&pools(&put)),
            (false, count) => screen.print(&format!("{count} pools put: {} from {from} until {until}", self.resource)),
        }
    }

    fn settings(&self) -> Value {
        let mut settings = json!({});
        let numbers = [("total", self.total), ("overbook", self.overbook), ("expected_version", self.expected_version)];
        for (name, value) in numbers {
            if let Some(value) = value {
                settings[name] = value.into();
            }
        }
        if self.close || self.open {
            settings["closed"] = self.close.into();
        }
        settings
    }

    fn item(&self, date: Date) -> Value {
        let mut item = self.settings();
        item["resource"] = self.resource.as_str().into();
        item["slot"] = date.to_string().into();
        item
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

/// On standard error, and only if somebody watches and there is something to watch.
fn progress(pools: usize, at_once: usize) -> ProgressBar {
    if pools <= at_once {
        return ProgressBar::hidden();
    }
    let style = ProgressStyle::with_template("{bar:40} {pos}/{len} pools, {eta} left");
    let bar = ProgressBar::new(pools.try_into().unwrap_or(u64::MAX));
    bar.with_style(style.unwrap_or_else(|_| ProgressStyle::default_bar()))
}
