//! Why a pool is sold out.

use surehold_core::kernel::{self, Refusal};

use super::pools::PoolPath;
use crate::api::{Answer, Api, Caller, Read, Reply};
use crate::describe;
use crate::wire::Explanation;

const HOLDS_READ_MAX: u16 = 1_000;
const HOLDS_LISTED_MAX: usize = 100;

/// Why is this pool sold out?
///
/// Which holds have its units, and when the next one is free at the latest.
#[describe::path(get, "/v1/{tenant}/pools/{resource}/explain", tag = "Pools", params(PoolPath))]
pub(super) async fn pool_explain(api: Api, caller: Caller<Read>, PoolPath(key): PoolPath) -> Answer<Explanation> {
    let views = api.views();
    let pool = views.record::<kernel::Pool>(caller.tenant, &key).await?;
    let pool = pool.ok_or_else(|| Refusal::PoolNotFound { pools: vec![key.clone()] })?;
    let holds = views.active_holds_on(caller.tenant, &key, HOLDS_READ_MAX).await?;
    let now = views.time_for(caller.tenant).await?;
    // Every held unit belongs to a hold: if some do not show, holds are missing here.
    let shown: i64 = holds.iter().map(|hold| hold.lines.quantity_of(&key)).sum();
    let cut = shown < pool.held;
    Ok(Reply::found(Explanation::new(pool, &holds, cut, now, HOLDS_LISTED_MAX)))
}
