//! `surehold case`: what a person must look at.

use clap::{Args, Subcommand};
use surehold_api::operations::{self, AssignCase, Case};
use surehold_core::kernel::Slug;
use surehold_core::operations::{Actor, CaseState};

use super::desk::Desk;
use super::hints::Hints;
use super::input::{Acting, TestMode, this_user};
use super::show::{Show, both, column, joined, line, number, some};
use super::view::{ago, instant};
use super::{Act, Common};
use crate::client::ClientError;

/// List, look at, assign and resolve cases: what a person must look at
#[derive(Args)]
pub(crate) struct CaseCommand {
    #[command(subcommand)]
    action: Action,
    #[command(flatten)]
    mode: TestMode,
    #[command(flatten)]
    common: Common,
}

#[derive(Subcommand)]
enum Action {
    /// List the open cases, the longest open first
    List {
        /// The tenant's slug
        tenant: Slug,
        /// The resolved ones instead
        #[arg(long)]
        resolved: bool,
    },
    /// Show a case
    Show(CaseArgs),
    /// Give a case to somebody
    Assign {
        #[command(flatten)]
        case: CaseArgs,
        /// To whom [default: $USER]
        #[arg(long, value_name = "NAME")]
        to: Option<Actor>,
    },
    /// Resolve a case
    Resolve {
        #[command(flatten)]
        case: CaseArgs,
        #[command(flatten)]
        acting: Acting,
    },
}

/// Names a case.
#[derive(Args)]
struct CaseArgs {
    /// The tenant's slug
    tenant: Slug,
    /// Its kind, as in effect-unknown
    kind: String,
    /// Its key, as lists show it
    #[arg(id = "case_key", value_name = "KEY", required = true, num_args = 1..)]
    key: Vec<String>,
}

impl CaseArgs {
    /// A key of several words need not be quoted.
    fn key(&self) -> String {
        self.key.join(" ")
    }
}

const CASE: &[Show<Case>] = &[
    line("case", |case, ()| format!("{} {}", case.kind, case.key)),
    column("kind", |case, ()| case.kind.clone()),
    column("key", |case, ()| case.key.clone()),
    line("state", |case, ()| case.state.to_string()),
    line("summary", |case, ()| case.summary.clone()),
    line("about", |case, ()| joined(&case.correlations, " ")),
    line("opened", |case, ()| instant(case.opened_at)),
    column("opened", |case, ()| ago(case.opened_at)),
    number(both("reports", |case, ()| case.reports.to_string())),
    line("last report", |case, ()| instant(case.reported_at)),
    both("assigned", |case, ()| some(case.assigned_to.as_ref())),
    line("resolved", |case, ()| some(case.resolved_at.map(instant))),
    line("resolved by", |case, ()| some(case.resolved_by.as_ref())),
    line("resolution", |case, ()| some(case.resolution.as_ref())),
];

impl Act for CaseCommand {
    const HINTS: Hints = Hints {
        by_code: &[
            (&["case-not-found"], "`surehold case list {tenant}` shows the open ones"),
            (&["case-resolved"], "`surehold case list {tenant} --resolved` shows how it ended"),
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
        let call = match &self.action {
            Action::List { tenant, resolved } => {
                let state = if *resolved { CaseState::Resolved } else { CaseState::Open };
                let call = operations::cases(tenant).query("state", state);
                return desk.list(call, CASE, "there are none").await;
            }
            Action::Show(case) => operations::case(&case.tenant, &case.kind, &case.key()),
            Action::Assign { case, to } => {
                let to = to.clone().map_or_else(this_user, Ok)?;
                operations::assign_case(&case.tenant, &case.kind, &case.key(), &AssignCase { to })
            }
            Action::Resolve { case, acting } => {
                operations::resolve_case(&case.tenant, &case.kind, &case.key(), &acting.act()?)
            }
        };
        desk.detail(call, CASE).await
    }
}
