//! `surehold stock store`, and how commands name a store.

use clap::{Args, Subcommand};
use surehold_api::stock::{self, PutStore, Store};
use surehold_core::kernel::{Currency, Slug, Title};
use surehold_core::stock::StoreName;

use super::super::input::{TenantArgs, currency, titled};
use super::super::money::Money;
use super::super::show::{Show, both, line};
use super::Desk;
use crate::client::ClientError;

/// Names a store.
#[derive(Args, Clone, Debug)]
pub(super) struct StoreArgs {
    /// The tenant's slug
    pub(super) tenant: Slug,
    /// The store's name: lower-case letters, digits and dashes
    // `--store` names the database.
    #[arg(id = "place", value_name = "STORE")]
    pub(super) store: StoreName,
}

impl StoreArgs {
    /// In which its costs are.
    pub(super) async fn money(&self, desk: Desk<'_>) -> Result<Money, ClientError> {
        Ok(Money::of(desk.ask(stock::store(&self.tenant, &self.store)).await?.currency))
    }
}

#[derive(Subcommand)]
pub(super) enum StoreAction {
    Put(Put),
    /// Show a store
    Show(StoreArgs),
    /// List the stores
    List(TenantArgs),
}

/// Make a store, or change one; what is left out stays as it is
#[derive(Args)]
pub(super) struct Put {
    #[command(flatten)]
    store: StoreArgs,
    /// What people call it [default: its name]
    #[arg(long)]
    title: Option<Title>,
    /// Of all its costs, as in EUR; needed for a new one, and stays for ever
    #[arg(long, value_parser = currency)]
    currency: Option<Currency>,
}

const STORE: &[Show<Store>] = &[
    both("store", |store, ()| store.name.to_string()),
    both("title", |store, ()| store.title.to_string()),
    both("currency", |store, ()| store.currency.to_string()),
    line("version", |store, ()| store.version.to_string()),
];

impl StoreAction {
    pub(super) async fn run(&self, desk: Desk<'_>) -> Result<(), ClientError> {
        match self {
            StoreAction::Put(put) => put.run(desk).await,
            StoreAction::Show(StoreArgs { tenant, store }) => desk.detail(stock::store(tenant, store), STORE).await,
            StoreAction::List(TenantArgs { tenant }) => {
                let none =
                    format!("there are none; `surehold stock store put {tenant} NAME --currency CODE` makes one");
                desk.list(stock::stores(tenant), STORE, &none).await
            }
        }
    }
}

impl Put {
    async fn run(&self, desk: Desk<'_>) -> Result<(), ClientError> {
        let StoreArgs { tenant, store } = &self.store;
        let (known_title, known_currency) =
            desk.find(stock::store(tenant, store)).await?.map(|known| (known.title, known.currency)).unzip();
        let currency = self.currency.or(known_currency);
        let currency =
            currency.ok_or_else(|| ClientError::Usage(format!("{store} is new: --currency, as in EUR, is needed")))?;
        let title = self.title.clone().or(known_title).unwrap_or_else(|| titled(store));
        let put = stock::put_store(tenant, store, &PutStore { title, currency });
        desk.detail(put, STORE).await
    }
}
