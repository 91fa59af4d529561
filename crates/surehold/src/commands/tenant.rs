//! `surehold tenant`

use clap::{Args, Subcommand};
use surehold_api::kernel::{self, CreateTenant, Policy, Tenant};
use surehold_core::kernel::Slug;

use super::desk::Desk;
use super::hints::{Hints, SAYS_ENOUGH};
use super::input::TestMode;
use super::show::{Show, column, details, line};
use super::{Act, Common};
use crate::client::{ClientError, Purpose};

/// Create, list and look at tenants; change how long and how much they may hold
#[derive(Args)]
pub(crate) struct TenantCommand {
    #[command(subcommand)]
    action: Action,
    #[command(flatten)]
    common: Common,
}

#[derive(Subcommand)]
enum Action {
    /// Create a tenant; one that is there stays as it is
    Create {
        /// Its name in addresses: lower-case letters, digits and dashes
        #[arg(value_name = "SLUG")]
        tenant: Slug,
        #[command(flatten)]
        policy: PolicyArgs,
    },
    /// List the tenants
    List,
    /// Show a tenant and its policy
    Show {
        /// The tenant's slug
        #[arg(value_name = "SLUG")]
        tenant: Slug,
        #[command(flatten)]
        mode: TestMode,
    },
    /// Show the policy, or change what is given of it
    Policy {
        /// The tenant's slug
        #[arg(value_name = "SLUG")]
        tenant: Slug,
        #[command(flatten)]
        policy: PolicyArgs,
        #[command(flatten)]
        mode: TestMode,
    },
}

#[derive(Args)]
struct PolicyArgs {
    /// How long a hold lives unless it says otherwise [default: 900]
    #[arg(long, value_name = "N")]
    lifetime_secs_default: Option<i64>,
    /// How long a hold may live [default: 86400]
    #[arg(long, value_name = "N")]
    lifetime_secs_max: Option<i64>,
    /// Active holds of one owner at once [default: 100]
    #[arg(long, value_name = "N")]
    owner_holds_max: Option<i64>,
    /// Lifetimes of one owner's active holds, summed [default: 2592000]
    #[arg(long, value_name = "N")]
    owner_lifetime_secs_max: Option<i64>,
}

impl PolicyArgs {
    fn is_empty(&self) -> bool {
        let lifetimes = [self.lifetime_secs_default, self.lifetime_secs_max, self.owner_lifetime_secs_max];
        lifetimes.iter().all(Option::is_none) && self.owner_holds_max.is_none()
    }

    /// What is not given stays as it is.
    fn over(&self, policy: Policy) -> Policy {
        Policy {
            lifetime_secs_default: self.lifetime_secs_default.unwrap_or(policy.lifetime_secs_default),
            lifetime_secs_max: self.lifetime_secs_max.unwrap_or(policy.lifetime_secs_max),
            owner_holds_max: self.owner_holds_max.unwrap_or(policy.owner_holds_max),
            owner_lifetime_secs_max: self.owner_lifetime_secs_max.unwrap_or(policy.owner_lifetime_secs_max),
        }
    }
}

impl Act for TenantCommand {
    const HINTS: Hints = Hints {
        by_code: &[
            (
                &["lifetime-too-long", "owner-holds-limit", "owner-lifetime-limit"],
                "`surehold tenant policy {tenant}` shows and changes the limits",
            ),
            (&["tenant-exists"], SAYS_ENOUGH),
        ],
        names: &[],
    };

    fn common(&self) -> &Common {
        &self.common
    }

    fn purpose(&self) -> Purpose {
        match self.action {
            Action::Create { .. } => Purpose::Begin,
            Action::List | Action::Show { .. } | Action::Policy { .. } => Purpose::Use,
        }
    }

    fn test(&self) -> bool {
        match &self.action {
            Action::Create { .. } | Action::List => false,
            Action::Show { mode, .. } | Action::Policy { mode, .. } => mode.test,
        }
    }

    async fn act(&self, desk: Desk<'_>) -> Result<(), ClientError> {
        match &self.action {
            Action::Create { tenant, policy } => create(desk, tenant, policy).await,
            Action::List => {
                let none = "there are no tenants; `surehold tenant create SLUG` makes one";
                desk.list(kernel::tenants(), SLUGS, none).await
            }
            Action::Show { tenant, .. } => show(desk, tenant).await,
            Action::Policy { tenant, policy, .. } => {
                if policy.is_empty() {
                    return show(desk, tenant).await;
                }
                // The API takes a whole policy.
                let known = desk.ask(kernel::tenant(tenant)).await?.policy;
                let put = kernel::put_policy(tenant, &policy.over(known));
                desk.detail(put, POLICY).await
            }
        }
    }
}

async fn create(desk: Desk<'_>, tenant: &Slug, policy: &PolicyArgs) -> Result<(), ClientError> {
    let create = CreateTenant { slug: tenant.clone(), policy: policy.over(Policy::default()) };
    let answer = desk.send(&kernel::create_tenant(&create)).await?;
    let Some(tenant) = desk.for_people(&answer).await? else { return Ok(()) };
    if policy.over(tenant.policy) != tenant.policy {
        desk.screen.note("the tenant was there already and keeps its policy; `surehold tenant policy` changes it");
    }
    desk.screen.print(&tenant_view(&tenant))
}

async fn show(desk: Desk<'_>, tenant: &Slug) -> Result<(), ClientError> {
    desk.present(kernel::tenant(tenant), tenant_view).await
}

const SLUGS: &[Show<String>] = &[column("tenant", |slug, ()| slug.clone())];

const TENANT: &[Show<Tenant>] = &[
    line("tenant", |tenant, ()| tenant.slug.to_string()),
    line("id", |tenant, ()| tenant.id.to_string()),
    line("mode", |tenant, ()| tenant.mode.to_string()),
    line("lifetime_secs_default", |tenant, ()| tenant.policy.lifetime_secs_default.to_string()),
    line("lifetime_secs_max", |tenant, ()| tenant.policy.lifetime_secs_max.to_string()),
    line("owner_holds_max", |tenant, ()| tenant.policy.owner_holds_max.to_string()),
    line("owner_lifetime_secs_max", |tenant, ()| tenant.policy.owner_lifetime_secs_max.to_string()),
];

const POLICY: &[Show<Policy>] = &[
    line("lifetime_secs_default", |policy, ()| policy.lifetime_secs_default.to_string()),
    line("lifetime_secs_max", |policy, ()| policy.lifetime_secs_max.to_string()),
    line("owner_holds_max", |policy, ()| policy.owner_holds_max.to_string()),
    line("owner_lifetime_secs_max", |policy, ()| policy.owner_lifetime_secs_max.to_string()),
];

fn tenant_view(tenant: &Tenant) -> String {
    details(TENANT, tenant, &())
}
