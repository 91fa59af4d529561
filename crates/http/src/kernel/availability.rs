//! What is free over a range of nights.

use surehold_core::kernel::{ResourceName, Slot};

use crate::api::{Answer, Api, Caller, Query, Read, Reply, malformed};
use crate::describe;
use crate::problem::{Code, Problem};
use crate::wire::Availability;

const NIGHTS_MAX: usize = 366;
const POOLS_MAX: u16 = 5_000;

#[describe::query]
pub(crate) struct Range {
    /// The first night.
    #[param(format = Date, example = "2026-12-24")]
    from: Slot,
    /// The night after the last one.
    #[param(format = Date, example = "2026-12-27")]
    until: Slot,
    /// Only this resource.
    resource: Option<ResourceName>,
}

impl Range {
    pub(super) fn nights(&self) -> Result<usize, Problem> {
        let (Some(from), Some(until)) = (self.from.date(), self.until.date()) else {
            return Err(malformed("from and until are dates such as 2026-12-24"));
        };
        let nights = from.until(until).map_err(|_| malformed("until is too far from from"))?.get_days();
        match usize::try_from(nights) {
            Ok(0) | Err(_) => Err(malformed("until must be after from")),
            Ok(nights) if nights > NIGHTS_MAX => {
                Err(Problem::new(Code::RangeTooWide, format!("a range has at most {NIGHTS_MAX} nights")))
            }
            Ok(nights) => Ok(nights),
        }
    }
}

/// What is free over a range of nights
#[describe::path(get, "/v1/{tenant}/availability", tag = "Pools")]
pub(super) async fn availability(api: Api, caller: Caller<Read>, Query(range): Query<Range>) -> Answer<Availability> {
    let nights = range.nights()?;
    let (from, until) = (range.from, range.until);
    let views = api.views();
    let pools = views.pools_between(caller.tenant, range.resource.as_ref(), from, until, POOLS_MAX + 1).await?;
    if pools.len() > usize::from(POOLS_MAX) {
        let detail = format!("the range holds more than {POOLS_MAX} pools; narrow it, or name a resource");
        return Err(Problem::new(Code::RangeTooWide, detail));
    }
    Ok(Reply::found(Availability::new(from, until, nights, pools)))
}
