//! `surehold explain`

use clap::Args;
use surehold_api::kernel::{self, Explanation, HoldOnPool};

use super::desk::Desk;
use super::hints::Hints;
use super::input::TestMode;
use super::pool::PoolArgs;
use super::show::{Show, column, number, rows, some};
use super::view::instant;
use super::{Act, Common};
use crate::client::ClientError;

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
    const HINTS: Hints = Hints {
        by_code: &[(&["sold-out"], "`surehold explain {tenant} {pool}` says who has it, and when the next is free")],
        names: &[],
    };

    fn common(&self) -> &Common {
        &self.common
    }

    fn test(&self) -> bool {
        self.mode.test
    }

    async fn act(&self, desk: Desk<'_>) -> Result<(), ClientError> {
        let PoolArgs { tenant, resource, .. } = &self.pool;
        desk.present(self.pool.slotted(kernel::explain_pool(tenant, resource)), view).await
    }
}

const HOLDS: &[Show<HoldOnPool>] = &[
    column("hold", |hold, ()| hold.id.to_string()),
    number(column("units", |hold, ()| hold.quantity.to_string())),
    column("expires", |hold, ()| instant(hold.expires_at)),
    column("owner", |hold, ()| some(hold.owner.as_ref())),
    column("reference", |hold, ()| some(hold.reference.as_ref())),
];

fn view(explanation: &Explanation) -> String {
    let mut shown = format!("{}\n", explanation.summary);
    if !explanation.holds.is_empty() {
        shown.push('\n');
        shown += &rows(HOLDS, &explanation.holds, &());
    }
    if explanation.holds_cut {
        shown += "There are more holds than are listed.\n";
    }
    shown
}
