//! `surehold stock store`, and how commands name a store.

use clap::{Args, Subcommand};
use serde_json::{Value, json};

use super::super::input::{currency, slug};
use super::super::money::Money;
use super::super::pages::show_all;
use super::super::view::{fields, table, text};
use super::Desk;
use super::words::store;
use crate::client::{ClientError, Request};

/// Names a store.
#[derive(Args, Clone, Debug)]
pub(super) struct StoreArgs {
    /// The tenant's slug
    #[arg(value_parser = slug)]
    pub(super) tenant: String,
    /// The store's name: lower-case letters, digits and dashes
    // `--store` names the database.
    #[arg(id = "place", value_name = "STORE", value_parser = store)]
    pub(super) store: String,
}

impl StoreArgs {
    fn path(&self) -> [&str; 4] {
        ["v1", &self.tenant, "stores", &self.store]
    }

    /// In which its costs are.
    pub(super) async fn money(&self, desk: Desk<'_>) -> Result<Money, ClientError> {
        Ok(Money::of(&desk.value(Request::get(&self.path())).await?))
    }
}

#[derive(Subcommand)]
pub(super) enum StoreAction {
    Put(Put),
    /// Show a store
    Show(StoreArgs),
    /// List the stores
    List {
        /// The tenant's slug
        #[arg(value_parser = slug)]
        tenant: String,
    },
}

/// Make a store, or change one; what is left out stays as it is
#[derive(Args)]
pub(super) struct Put {
    #[command(flatten)]
    store: StoreArgs,
    /// What people call it [default: its name]
    #[arg(long)]
    title: Option<String>,
    /// Of all its costs, as in EUR; needed for a new one, and stays for ever
    #[arg(long, value_parser = currency)]
    currency: Option<String>,
}

impl StoreAction {
    pub(super) async fn run(&self, desk: Desk<'_>) -> Result<(), ClientError> {
        match self {
            StoreAction::Put(put) => put.run(desk).await,
            StoreAction::Show(store) => desk.show(Request::get(&store.path()), view).await,
            StoreAction::List { tenant } => {
                let request = Request::get(&["v1", tenant, "stores"]).test(desk.test);
                let none =
                    format!("there are none; `surehold stock store put {tenant} NAME --currency CODE` makes one");
                show_all(desk.client, desk.screen, &request, "stores", list_view, &none).await
            }
        }
    }
}

impl Put {
    async fn run(&self, desk: Desk<'_>) -> Result<(), ClientError> {
        let known = desk.find(Request::get(&self.store.path())).await?;
        let name = &self.store.store;
        let currency = self.currency.as_deref().or(known["currency"].as_str());
        let currency =
            currency.ok_or_else(|| ClientError::Usage(format!("{name} is new: --currency, as in EUR, is needed")))?;
        let title = self.title.as_deref().or(known["title"].as_str()).unwrap_or(name);
        let body = json!({"title": title, "currency": currency});
        desk.show(Request::put(&self.store.path()).json(body), view).await
    }
}

fn view(store: &Value) -> String {
    fields(&[
        ("store", text(&store["name"])),
        ("title", text(&store["title"])),
        ("currency", text(&store["currency"])),
        ("version", text(&store["version"])),
    ])
}

fn list_view(found: &[Value]) -> String {
    let row = |store: &Value| ["name", "title", "currency"].iter().map(|name| text(&store[*name])).collect();
    table(&["STORE", "TITLE", "CURRENCY"], &[], found.iter().map(row))
}
