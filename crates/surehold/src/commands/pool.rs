//! `surehold pool`

use clap::{Args, Subcommand};
use surehold_api::Call;
use surehold_api::kernel::{self, AdjustPool, Pool};
use surehold_core::kernel::{ResourceName, Slot, Slug};

use super::desk::Desk;
use super::hints::{Hints, SAYS_ENOUGH};
use super::input::{IdempotencyKey, TestMode, resource, slot};
use super::pool_put::Put;
use super::show::{Show, column, number, rows};
use super::{Act, Common};
use crate::client::ClientError;

/// Put, list, look at and adjust pools
#[derive(Args)]
pub(crate) struct PoolCommand {
    #[command(subcommand)]
    action: Action,
    #[command(flatten)]
    mode: TestMode,
    #[command(flatten)]
    common: Common,
}

#[derive(Subcommand)]
enum Action {
    Put(Put),
    /// List pools, by date and name
    List {
        /// The tenant\'s slug
        tenant: Slug,
        /// Only those of this resource
        #[arg(long, value_parser = resource)]
        resource: Option<ResourceName>,
    },
    /// Show a pool
    Show {
        #[command(flatten)]
        pool: PoolArgs,
    },
    /// Change a pool's total by a difference: deliveries, breakages
    Adjust {
        #[command(flatten)]
        pool: PoolArgs,
        /// As in 10 or -1
        #[arg(allow_negative_numbers = true)]
        delta: i64,
        #[command(flatten)]
        key: IdempotencyKey,
    },
}

/// Names a pool.
#[derive(Args)]
pub(super) struct PoolArgs {
    /// The tenant\'s slug
    pub(super) tenant: Slug,
    /// As in double or t-shirt
    #[arg(value_parser = resource)]
    pub(super) resource: ResourceName,
    /// Its date, for what is sold by the night or day
    #[arg(long, value_name = "DATE", value_parser = slot)]
    pub(super) slot: Option<Slot>,
}

impl PoolArgs {
    pub(super) fn slotted<T>(&self, call: Call<T>) -> Call<T> {
        call.query_if("slot", self.slot)
    }
}

pub(super) const POOLS: &[Show<Pool>] = &[
    column("resource", |pool, ()| pool.resource.to_string()),
    column("slot", |pool, ()| pool.slot.to_string()),
    number(column("available", |pool, ()| pool.available.to_string())),
    number(column("total", |pool, ()| pool.total.to_string())),
    number(column("overbook", |pool, ()| pool.overbook.to_string())),
    number(column("held", |pool, ()| pool.held.to_string())),
    number(column("booked", |pool, ()| pool.booked.to_string())),
    number(column("version", |pool, ()| pool.version.to_string())),
    column("state", |pool, ()| {
        let mut state = vec![if pool.closed { "closed" } else { "open" }.to_owned()];
        for (units, what) in [(pool.granted, "granted"), (pool.oversold, "oversold")] {
            state.extend((units > 0).then(|| format!("{units} {what}")));
        }
        state.join(", ")
    }),
];

pub(super) fn one_pool(pool: &Pool) -> String {
    rows(POOLS, std::slice::from_ref(pool), &())
}

impl Act for PoolCommand {
    const HINTS: Hints = Hints {
        by_code: &[
            (&["pool-closed"], "`surehold pool put {tenant} {pool} --open` opens it"),
            (&["pool-version"], "somebody changed it; look again with `surehold pool show {tenant} {pool}`"),
            (
                &["pool-not-found"],
                "`surehold pool list {tenant}` shows what there is; `surehold pool put {tenant} {pool} --total N` makes it",
            ),
            (&["total-out-of-range", "grant-exceeded"], SAYS_ENOUGH),
        ],
        names: &[],
    };

    fn common(&self) -> &Common {
        &self.common
    }

    fn test(&self) -> bool {
        self.mode.test
    }

    async fn act(&self, desk: Desk<'_>) -> Result<(), ClientError> {
        match &self.action {
            Action::Put(put) => put.run(desk).await,
            Action::List { tenant, resource } => {
                let call = kernel::pools(tenant).query_if("resource", resource.as_ref());
                let none = format!("there are none; `surehold pool put {tenant} RESOURCE --total N` makes one");
                desk.list(call, POOLS, &none).await
            }
            Action::Show { pool } => {
                desk.present(pool.slotted(kernel::pool(&pool.tenant, &pool.resource)), one_pool).await
            }
            Action::Adjust { pool, delta, key } => {
                let adjust = kernel::adjust_pool(&pool.tenant, &pool.resource, &AdjustPool { total_delta: *delta });
                desk.present(key.put_on(pool.slotted(adjust), desk.screen), one_pool).await
            }
        }
    }
}
