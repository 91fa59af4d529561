//! `surehold pool`

use clap::{Args, Subcommand};
use jiff::civil::Date;
use serde_json::json;

use super::input::{IdempotencyKey, TestMode, date, resource, slug};
use super::pages::show_all;
use super::pool_put::Put;
use super::screen::Screen;
use super::view::pools;
use super::{Act, Common};
use crate::client::{Client, ClientError, Request};

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
        #[arg(value_parser = slug)]
        tenant: String,
        /// Only those of this resource
        #[arg(long, value_parser = resource)]
        resource: Option<String>,
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
    #[arg(value_parser = slug)]
    pub(super) tenant: String,
    /// As in double or t-shirt
    #[arg(value_parser = resource)]
    pub(super) resource: String,
    /// Its date, for what is sold by the night or day
    #[arg(long, value_name = "DATE", value_parser = date)]
    pub(super) slot: Option<Date>,
}

impl PoolArgs {
    /// Puts the slot on a request for the pool.
    pub(super) fn slotted(&self, request: Request) -> Request {
        request.query_if("slot", self.slot.map(|slot| slot.to_string()).as_deref())
    }
}

impl Act for PoolCommand {
    fn common(&self) -> &Common {
        &self.common
    }

    async fn act(&self, client: &Client, screen: &Screen) -> Result<(), ClientError> {
        let test = self.mode.test;
        match &self.action {
            Action::Put(put) => put.run(client, *screen, test).await,
            Action::List { tenant, resource } => {
                let request = Request::get(&["v1", tenant, "pools"]).test(test);
                let request = request.query_if("resource", resource.as_deref());
                let none = format!("there are none; `surehold pool put {tenant} RESOURCE --total N` makes one");
                show_all(client, *screen, &request, "pools", |found| pools(found), &none).await
            }
            Action::Show { pool } => {
                let request = Request::get(&["v1", &pool.tenant, "pools", &pool.resource]).test(test);
                let answer = client.send(&pool.slotted(request)).await?;
                screen.show(&answer, |pool| pools([pool]))
            }
            Action::Adjust { pool, delta, key } => {
                let request = Request::post(&["v1", &pool.tenant, "pools", &pool.resource, "adjust"]).test(test);
                let request = pool.slotted(request).json(json!({"total_delta": delta}));
                let answer = client.send(&key.put_on(request, *screen)).await?;
                screen.show(&answer, |pool| pools([pool]))
            }
        }
    }
}
