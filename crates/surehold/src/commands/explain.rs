//! `surehold explain`

use clap::Args;
use serde_json::Value;

use super::input::TestMode;
use super::pool::PoolArgs;
use super::screen::Screen;
use super::view::{instant, list, table, text};
use super::{Act, Common};
use crate::client::{Client, ClientError, Request};

/// Say why a pool is sold out: who has its units, and when the next is free
#[derive(Args)]
pub(crate) struct Explain {
    #[command(flatten)]
    pool: PoolArgs,
    #[command(flatten)]
    mode: TestMode,
    #[command(flatten)]
    common: Common,
}

impl Act for Explain {
    fn common(&self) -> &Common {
        &self.common
    }

    async fn act(&self, client: &Client, screen: &Screen) -> Result<(), ClientError> {
        let PoolArgs { tenant, resource, .. } = &self.pool;
        let request = Request::get(&["v1", tenant, "pools", resource, "explain"]).test(self.mode.test);
        let answer = client.send(&self.pool.slotted(request)).await?;
        screen.show(&answer, view)
    }
}

fn view(explanation: &Value) -> String {
    let mut shown = format!("{}\n", text(&explanation["summary"]));
    let holds = list(&explanation["holds"]);
    if !holds.is_empty() {
        let row = |hold: &Value| {
            let (owner, reference) = (text(&hold["owner"]), text(&hold["reference"]));
            vec![text(&hold["id"]), text(&hold["quantity"]), instant(&hold["expires_at"]), owner, reference]
        };
        shown.push('\n');
        shown += &table(&["HOLD", "UNITS", "EXPIRES", "OWNER", "REFERENCE"], &[1], holds.iter().map(row));
    }
    if explanation["holds_cut"] == true {
        shown += "There are more holds than are listed.\n";
    }
    shown
}
