//! `surehold op`: what became of operations, and what people do about them.

use clap::{ArgGroup, Args, Subcommand};
use surehold_api::Call;
use surehold_api::operations::{self, Act as ActBody, OperationActed, SettleEffect, Verdict};
use surehold_core::kernel::Slug;
use surehold_core::operations::{Correlation, DedupeKey, OperationState, TypeName};

use super::desk::Desk;
use super::hints::{Hints, SAYS_ENOUGH};
use super::input::{Acting, TestMode, operation_key};
use super::op_view::{ACTED, OPERATIONS, SETTLED, operation};
use super::timeline_view::timeline;
use super::{Act, Common};
use crate::client::ClientError;

/// List and look at operations; run, cancel, redrive and settle them
#[derive(Args)]
pub(crate) struct OpCommand {
    #[command(subcommand)]
    action: Action,
    #[command(flatten)]
    mode: TestMode,
    #[command(flatten)]
    common: Common,
}

#[derive(Subcommand)]
enum Action {
    List(List),
    /// Show an operation with its calls to the outside and its history
    Show(OpArgs),
    /// Run a waiting operation at once
    Retry(OpAct),
    /// Give an operation up: it is not done, and nobody need look at it again
    Cancel(OpAct),
    /// Do a dead operation anew; what is confirmed stays
    Redrive(OpAct),
    Settle(Settle),
    /// Show everything about something as one line of time
    Timeline {
        /// The tenant's slug
        tenant: Slug,
        /// What it is about, as in purchaseId=4711
        #[arg(value_name = "KIND=VALUE", value_parser = Correlation::parse)]
        correlation: Correlation,
    },
}

/// Spelled as people do: any case, `-` for `_`.
fn state(text: &str) -> Result<OperationState, String> {
    let state = OperationState::parse(&text.to_ascii_uppercase().replace('-', "_"));
    let known = OperationState::ALL.iter().map(|state| state.as_str()).collect::<Vec<_>>().join(", ");
    state.ok_or_else(|| format!("the states are {known}"))
}

/// List operations by state, or those that have to do with something
#[derive(Args)]
#[command(group(ArgGroup::new("which").required(true)))]
struct List {
    /// The tenant's slug
    tenant: Slug,
    /// pending, running, failed, dead-letter, or succeeded with a --type
    #[arg(long, group = "which", value_parser = state)]
    state: Option<OperationState>,
    /// Those that have to do with this, as in purchaseId=4711
    #[arg(long, value_name = "KIND=VALUE", group = "which", value_parser = Correlation::parse)]
    correlation: Option<Correlation>,
    /// Only those of this type
    #[arg(long, value_name = "TYPE", requires = "state")]
    r#type: Option<TypeName>,
    /// Dead ones also if somebody has dealt with them
    #[arg(long, requires = "state")]
    include_resolved: bool,
}

impl List {
    async fn run(&self, desk: Desk<'_>) -> Result<(), ClientError> {
        let call = operations::operations(&self.tenant).query_if("state", self.state);
        let call = call.query_if("type", self.r#type.as_ref()).query_if("correlation", self.correlation.as_ref());
        let call = call.query_if("include_resolved", self.include_resolved.then_some(true));
        desk.list(call, OPERATIONS, "there are none").await
    }
}

/// Names an operation.
#[derive(Args)]
struct OpArgs {
    /// The tenant's slug
    tenant: Slug,
    /// Its type, as lists show it
    #[arg(value_name = "TYPE")]
    kind: TypeName,
    /// Its key, as lists show it
    #[arg(id = "operation_key", value_name = "KEY", value_parser = operation_key)]
    key: DedupeKey,
}

#[derive(Args)]
struct OpAct {
    #[command(flatten)]
    operation: OpArgs,
    #[command(flatten)]
    acting: Acting,
}

impl OpAct {
    async fn run(
        &self,
        desk: Desk<'_>,
        call: fn(&Slug, &TypeName, &DedupeKey, &ActBody) -> Call<OperationActed>,
    ) -> Result<(), ClientError> {
        let OpArgs { tenant, kind, key } = &self.operation;
        desk.detail(call(tenant, kind, key, &self.acting.act()?), ACTED).await
    }
}

/// Say what became of a call to the outside that is in doubt
#[derive(Args)]
#[command(group(ArgGroup::new("verdict").required(true)))]
struct Settle {
    #[command(flatten)]
    operation: OpArgs,
    /// Which of its calls, counted from 0
    #[arg(long, value_name = "N", default_value_t = 0)]
    step: u16,
    /// It happened; the provider calls it this
    #[arg(long, value_name = "REF", group = "verdict")]
    happened: Option<String>,
    /// It did not happen, and will not
    #[arg(long, group = "verdict")]
    did_not_happen: bool,
    #[command(flatten)]
    acting: Acting,
}

impl Settle {
    async fn run(&self, desk: Desk<'_>) -> Result<(), ClientError> {
        let (OpArgs { tenant, kind, key }, ActBody { actor, reason }) = (&self.operation, self.acting.act()?);
        let provider_ref = self.happened.clone();
        let verdict = if provider_ref.is_some() { Verdict::Happened } else { Verdict::DidNotHappen };
        let settle = SettleEffect { step: self.step, verdict, provider_ref, actor, reason };
        let call = operations::settle(tenant, kind, key, &settle);
        desk.detail(call, SETTLED).await
    }
}

impl Act for OpCommand {
    const HINTS: Hints = Hints {
        by_code: &[
            (
                &["operation-not-found"],
                "`surehold op list {tenant} --correlation KIND=VALUE` finds operations without their keys",
            ),
            (
                &["operation-state", "effect-not-in-doubt"],
                "`surehold op show {tenant} {type} {key}` says how it stands",
            ),
            (
                &["effect-in-doubt"],
                "look at the provider's, then `surehold op settle {tenant} {type} {key} --step {step}` with what you found",
            ),
            (&["changed"], "somebody else was faster; look again, then decide"),
            (&["operation-conflict"], SAYS_ENOUGH),
        ],
        names: &[
            ("type", &["/operation/type"], "TYPE"),
            ("key", &["/operation/key"], "KEY"),
            ("step", &["/step"], "STEP"),
        ],
    };

    fn common(&self) -> &Common {
        &self.common
    }

    fn test(&self) -> bool {
        self.mode.test
    }

    async fn act(&self, desk: Desk<'_>) -> Result<(), ClientError> {
        match &self.action {
            Action::List(list) => list.run(desk).await,
            Action::Show(OpArgs { tenant, kind, key }) => {
                desk.present(operations::operation(tenant, kind, key), operation).await
            }
            Action::Retry(act) => act.run(desk, operations::retry).await,
            Action::Cancel(act) => act.run(desk, operations::cancel).await,
            Action::Redrive(act) => act.run(desk, operations::redrive).await,
            Action::Settle(settle) => settle.run(desk).await,
            Action::Timeline { tenant, correlation } => {
                let answer = desk.send(&operations::timeline(tenant).query("correlation", correlation)).await?;
                let Some(found) = desk.for_people(&answer).await? else { return Ok(()) };
                if found.entries.is_empty() {
                    desk.screen.note("nothing is known of it");
                } else if found.cut {
                    desk.screen.note("there is more than is shown");
                }
                desk.screen.print(&timeline(&found))
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn states_as_people_write_them() {
        for (text, expected) in [("FAILED", "FAILED"), ("dead-letter", "DEAD_LETTER"), ("Dead_Letter", "DEAD_LETTER")] {
            assert_eq!(state(text).unwrap().as_str(), expected);
        }
        assert!(state("dead").unwrap_err().contains("PENDING, RUNNING"));
    }
}
