//! `surehold tenant`

use clap::{Args, Subcommand};
use serde_json::{Map, Value, json};

use super::input::{TestMode, slug};
use super::pages::show_all;
use super::screen::Screen;
use super::view::{fields, table, text};
use super::{Act, Common};
use crate::client::{Client, ClientError, Purpose, Request};

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
        #[arg(value_name = "SLUG", value_parser = slug)]
        tenant: String,
        #[command(flatten)]
        policy: PolicyArgs,
    },
    /// List the tenants
    List,
    /// Show a tenant and its policy
    Show {
        /// The tenant's slug
        #[arg(value_name = "SLUG", value_parser = slug)]
        tenant: String,
        #[command(flatten)]
        mode: TestMode,
    },
    /// Show the policy, or change what is given of it
    Policy {
        /// The tenant's slug
        #[arg(value_name = "SLUG", value_parser = slug)]
        tenant: String,
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
    /// What was given.
    fn given(&self) -> Map<String, Value> {
        let all = [
            ("lifetime_secs_default", self.lifetime_secs_default),
            ("lifetime_secs_max", self.lifetime_secs_max),
            ("owner_holds_max", self.owner_holds_max),
            ("owner_lifetime_secs_max", self.owner_lifetime_secs_max),
        ];
        all.into_iter().filter_map(|(name, value)| Some((name.to_owned(), value?.into()))).collect()
    }
}

impl Act for TenantCommand {
    fn common(&self) -> &Common {
        &self.common
    }

    fn purpose(&self) -> Purpose {
        match self.action {
            Action::Create { .. } => Purpose::Begin,
            Action::List | Action::Show { .. } | Action::Policy { .. } => Purpose::Use,
        }
    }

    async fn act(&self, client: &Client, screen: &Screen) -> Result<(), ClientError> {
        match &self.action {
            Action::Create { tenant, policy } => create(client, *screen, tenant, policy).await,
            Action::List => list_all(client, *screen).await,
            Action::Show { tenant, mode } => show(client, *screen, tenant, *mode).await,
            Action::Policy { tenant, policy, mode } => {
                let given = policy.given();
                if given.is_empty() {
                    return show(client, *screen, tenant, *mode).await;
                }
                change_policy(client, *screen, tenant, given, *mode).await
            }
        }
    }
}

async fn create(client: &Client, screen: Screen, tenant: &str, policy: &PolicyArgs) -> Result<(), ClientError> {
    let wanted = policy.given();
    let request = Request::post(&["admin", "tenants"]).json(json!({"slug": tenant, "policy": wanted}));
    let answer = client.send(&request).await?;
    let policy = &answer.value()?["policy"];
    if wanted.iter().any(|(name, value)| policy[name] != *value) {
        screen.note("the tenant was there already and keeps its policy; `surehold tenant policy` changes it");
    }
    screen.show(&answer, view)
}

async fn list_all(client: &Client, screen: Screen) -> Result<(), ClientError> {
    let view = |tenants: &[Value]| table(&["TENANT"], &[], tenants.iter().map(|tenant| vec![text(tenant)]));
    let none = "there are no tenants; `surehold tenant create SLUG` makes one";
    show_all(client, screen, &Request::get(&["admin", "tenants"]), "tenants", view, none).await
}

async fn show(client: &Client, screen: Screen, tenant: &str, mode: TestMode) -> Result<(), ClientError> {
    let answer = client.send(&Request::get(&["v1", tenant]).test(mode.test)).await?;
    screen.show(&answer, view)
}

/// The API takes a whole policy; what was not given stays as it is.
async fn change_policy(
    client: &Client,
    screen: Screen,
    tenant: &str,
    given: Map<String, Value>,
    mode: TestMode,
) -> Result<(), ClientError> {
    let mut found = client.send(&Request::get(&["v1", tenant]).test(mode.test)).await?.value()?;
    let mut policy = found["policy"].take();
    for (name, value) in given {
        policy[name] = value;
    }
    let request = Request::put(&["v1", tenant, "policy"]).test(mode.test).json(policy);
    let answer = client.send(&request).await?;
    screen.show(&answer, |policy| fields(&policy_fields(policy)))
}

fn view(tenant: &Value) -> String {
    let mut shown =
        vec![("tenant", text(&tenant["slug"])), ("id", text(&tenant["id"])), ("mode", text(&tenant["mode"]))];
    shown.extend(policy_fields(&tenant["policy"]));
    fields(&shown)
}

fn policy_fields(policy: &Value) -> Vec<(&'static str, String)> {
    let names = ["lifetime_secs_default", "lifetime_secs_max", "owner_holds_max", "owner_lifetime_secs_max"];
    names.into_iter().map(|name| (name, text(&policy[name]))).collect()
}
