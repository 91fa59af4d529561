//! `surehold stay rate-plan`

use clap::{Args, Subcommand};
use surehold_api::stays::{self, CancellationPolicy, Penalty, PutRatePlan, RatePlan};
use surehold_core::kernel::Title;
use surehold_core::stays::RatePlanCode;

use super::super::input::titled;
use super::super::show::{Show, both, line};
use super::view::{cancellation, penalty};
use super::{Desk, PropertyArgs, words};
use crate::client::ClientError;

#[derive(Subcommand)]
pub(super) enum RatePlanAction {
    Put(Put),
    /// List the rate plans of a property
    List(PropertyArgs),
}

/// Make a rate plan, or change one; what is left out stays as it is, and so does what was promised
#[derive(Args)]
pub(super) struct Put {
    #[command(flatten)]
    property: PropertyArgs,
    /// As in flexible
    #[arg(value_name = "RATE_PLAN")]
    code: RatePlanCode,
    /// Cancelled free of charge until so many hours before check-in [default: never]
    #[arg(long, value_name = "N", conflicts_with = "never_free")]
    free_until_hours: Option<u32>,
    /// Cancelling always costs the penalty
    #[arg(long)]
    never_free: bool,
    /// What is kept after that: none, nights:N, percent:N or all; needed for a new one
    #[arg(long, value_name = "PENALTY", value_parser = words::penalty)]
    penalty: Option<Penalty>,
    /// What is kept of those who do not come [default: all]
    #[arg(long, value_name = "PENALTY", value_parser = words::penalty)]
    no_show: Option<Penalty>,
    /// What people call it [default: its code]
    #[arg(long)]
    title: Option<Title>,
}

impl RatePlanAction {
    pub(super) async fn run(&self, desk: Desk<'_>) -> Result<(), ClientError> {
        match self {
            RatePlanAction::Put(put) => put.run(desk).await,
            RatePlanAction::List(PropertyArgs { tenant, property }) => {
                let none = format!(
                    "there are none; `surehold stay rate-plan put {tenant} {property} flexible --penalty nights:1` makes one"
                );
                desk.list(stays::rate_plans(tenant, property), RATE_PLAN, &none).await
            }
        }
    }
}

const RATE_PLAN: &[Show<RatePlan>] = &[
    both("rate plan", |plan, ()| plan.code.to_string()),
    line("property", |plan, ()| plan.property.to_string()),
    both("title", |plan, ()| plan.title.to_string()),
    both("cancelled", |plan, ()| cancellation(&plan.cancellation)),
    both("no-show", |plan, ()| penalty(plan.cancellation.no_show)),
    line("version", |plan, ()| plan.version.to_string()),
];

impl Put {
    async fn run(&self, desk: Desk<'_>) -> Result<(), ClientError> {
        let (PropertyArgs { tenant, property }, code) = (&self.property, &self.code);
        let known = desk.find(stays::rate_plan(tenant, property, code)).await?;
        let put = stays::put_rate_plan(tenant, property, code, &self.wanted(known)?);
        desk.detail(put, RATE_PLAN).await
    }

    fn wanted(&self, known: Option<RatePlan>) -> Result<PutRatePlan, ClientError> {
        let (title, was) = known.map(|known| (known.title, known.cancellation)).unzip();
        let penalty = self.penalty.or(was.map(|was| was.penalty)).ok_or_else(|| {
            ClientError::Usage(format!("{} is new: --penalty none, nights:N, percent:N or all is needed", self.code))
        })?;
        let no_show = self.no_show.or(was.map(|was| was.no_show)).unwrap_or(Penalty::All);
        let free = self.free_until_hours.or(was.and_then(|was| was.free_until_hours)).filter(|_| !self.never_free);
        let title = self.title.clone().or(title).unwrap_or_else(|| titled(&self.code));
        Ok(PutRatePlan { title, cancellation: CancellationPolicy { free_until_hours: free, penalty, no_show } })
    }
}
