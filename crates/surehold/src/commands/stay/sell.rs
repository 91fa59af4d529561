//! Held rooms: hold, list, show, pay, book at the desk, give up, forget the guest.

use clap::Args;
use surehold_api::stays::{self, Checkout, ConfirmStay, CreateStay, GuestErased, RequestCheckout, StayItem};
use surehold_core::kernel::{Currency, HoldId, Reference, Slug};
use surehold_core::stays::QuoteId;

use super::super::input::{duration_secs, new_id};
use super::super::money::{DecimalSign, Money};
use super::super::show::{Show, details, line};
use super::super::view::instant;
use super::cases::OpenCases;
use super::guest::GuestArgs;
use super::words::{Chosen, quote_id, stay_id};
use super::{Desk, PropertyArgs, view};
use crate::client::ClientError;

/// A page at Stripe takes a moment to be made.
const PAGE_WAIT_MS: u32 = 10_000;

/// Names a stay.
#[derive(Args)]
pub(super) struct StayArgs {
    /// The tenant's slug
    pub(super) tenant: Slug,
    /// The stay's id
    #[arg(value_name = "STAY", value_parser = stay_id)]
    pub(super) stay: HoldId,
}

/// Hold rooms that were quoted, at that price
#[derive(Args)]
pub(super) struct Hold {
    /// The tenant's slug
    tenant: Slug,
    /// The quote's id
    #[arg(value_name = "QUOTE", value_parser = quote_id)]
    quote: QuoteId,
    /// An option of the quote, or several: `OPTION[=ROOMS]`, as in 1 or 1=2
    #[arg(value_name = "OPTION", required = true, value_parser = Chosen::parse)]
    options: Vec<Chosen>,
    #[command(flatten)]
    guest: GuestArgs,
    /// Where it was agreed on
    #[arg(long, value_name = "NAME")]
    conversation: Option<Reference>,
    /// How long they are held, as in 20m [default: the property's terms]
    #[arg(long, value_name = "DURATION", value_parser = duration_secs)]
    lifetime: Option<i64>,
    /// Its id, a UUIDv7; the same id finds the same stay [default: a new one]
    #[arg(long, value_name = "UUID", value_parser = stay_id)]
    id: Option<HoldId>,
}

impl Hold {
    pub(super) async fn run(&self, desk: Desk<'_>) -> Result<(), ClientError> {
        let (tenant, id) = (&self.tenant, self.id.unwrap_or_else(new_id));
        let items = match self.options.as_slice() {
            // Who names one option means all rooms that were asked for.
            [Chosen { option, rooms: None }] => {
                vec![StayItem { option: *option, rooms: desk.ask(stays::quote(tenant, self.quote)).await?.rooms }]
            }
            options => {
                let item = |chosen: &Chosen| StayItem { option: chosen.option, rooms: chosen.rooms.unwrap_or(1) };
                options.iter().map(item).collect()
            }
        };
        let create = CreateStay {
            id: Some(id),
            quote: self.quote,
            items,
            guest: self.guest.guest(),
            conversation: self.conversation.clone(),
            lifetime_secs: self.lifetime,
        };
        let shown = |stay: &stays::Stay| view::stay(stay, &OpenCases::default());
        desk.repeat_with(&format!("--id {id}")).present(stays::create_stay(tenant, &create), shown).await?;
        desk.screen.note(&format!(
            "`surehold stay checkout {tenant} {id} --success-url URL` asks for a page to pay on, `surehold stay confirm \
             {tenant} {id}` books without one"
        ));
        Ok(())
    }
}

pub(super) async fn list(PropertyArgs { tenant, property }: &PropertyArgs, desk: Desk<'_>) -> Result<(), ClientError> {
    let cases = OpenCases::for_people(desk, tenant).await?;
    let call = stays::stays(tenant).query("property", property).query("state", "active");
    desk.present_all(call, |found| view::stays(found, &cases), "no rooms are held").await
}

pub(super) async fn show(StayArgs { tenant, stay }: &StayArgs, desk: Desk<'_>) -> Result<(), ClientError> {
    let answer = desk.send(&stays::stay(tenant, *stay)).await?;
    let Some(stay) = desk.for_people(&answer).await? else { return Ok(()) };
    let cases = OpenCases::for_people(desk, tenant).await?;
    desk.screen.print(&view::stay(&stay, &cases))
}

/// Ask for the page on which a stay can be paid
#[derive(Args)]
pub(super) struct AskCheckout {
    #[command(flatten)]
    stay: StayArgs,
    /// Where the payer is sent afterwards
    #[arg(long, value_name = "URL")]
    success_url: String,
    /// Where the payer is sent who goes back [default: the same]
    #[arg(long, value_name = "URL")]
    cancel_url: Option<String>,
}

const CHECKOUT: &[Show<Checkout>] = &[
    line("pay at", |checkout, ()| checkout.page.url.clone().unwrap_or_else(|| "the page is being made".to_owned())),
    line("until", |checkout, ()| instant(checkout.page.expires_at)),
    line("held until", |checkout, ()| checkout.hold_expires_at.to_string()),
];

impl AskCheckout {
    pub(super) async fn run(&self, desk: Desk<'_>) -> Result<(), ClientError> {
        let StayArgs { tenant, stay } = &self.stay;
        let cancel_url = self.cancel_url.as_ref().unwrap_or(&self.success_url).clone();
        let body = RequestCheckout { success_url: self.success_url.clone(), cancel_url };
        let wait_ms = if desk.client.has_workers() { PAGE_WAIT_MS } else { 0 };
        let answer = desk.send(&stays::checkout(tenant, *stay, &body).query("wait_ms", wait_ms)).await?;
        let Some(checkout) = desk.for_people(&answer).await? else { return Ok(()) };
        desk.screen.print(&details(CHECKOUT, &checkout, &()))?;
        if checkout.page.url.is_none() {
            desk.screen.note(&self.what_is_missing(desk, &checkout));
        }
        Ok(())
    }

    fn what_is_missing(&self, desk: Desk<'_>, checkout: &Checkout) -> String {
        let StayArgs { tenant, stay } = &self.stay;
        if !desk.client.has_workers() {
            return format!(
                "no server runs here: `surehold serve` makes the page, `surehold stay show {tenant} {stay}` has it then"
            );
        }
        let (kind, key) = (&checkout.operation.r#type, &checkout.operation.key);
        format!(
            "`surehold op show {tenant} {kind} {key}` says how far it is; `surehold stay show {tenant} {stay}` has the page \
             when it is there"
        )
    }
}

/// Book held rooms without an online payment
#[derive(Args)]
pub(super) struct Confirm {
    #[command(flatten)]
    stay: StayArgs,
    /// So much was paid at the desk, as in 450.00
    #[arg(long, value_name = "AMOUNT", default_value = "0")]
    paid: String,
}

impl Confirm {
    pub(super) async fn run(&self, desk: Desk<'_>) -> Result<(), ClientError> {
        let StayArgs { tenant, stay } = &self.stay;
        let currency = desk.ask(stays::stay(tenant, *stay)).await?.currency;
        let body = ConfirmStay { paid: amount(&self.paid, "--paid", currency)? };
        let confirm = stays::confirm_stay(tenant, *stay, &body);
        desk.present(confirm, |stay| view::stay(stay, &OpenCases::default())).await
    }
}

/// As typed.
pub(super) fn amount(typed: &str, flag: &str, currency: Currency) -> Result<i64, ClientError> {
    let amount = Money::of(currency).parse(typed, DecimalSign::Point);
    amount.map_err(|why| ClientError::Usage(format!("{flag}: {why}")))
}

pub(super) async fn cancel(StayArgs { tenant, stay }: &StayArgs, desk: Desk<'_>) -> Result<(), ClientError> {
    desk.present(stays::cancel_stay(tenant, *stay), |stay| view::stay(stay, &OpenCases::default())).await
}

pub(super) async fn erase_guest(StayArgs { tenant, stay }: &StayArgs, desk: Desk<'_>) -> Result<(), ClientError> {
    desk.detail(stays::erase_guest(tenant, *stay), ERASED).await
}

const ERASED: &[Show<GuestErased>] = &[
    line("stay", |erased, ()| erased.hold.to_string()),
    line("guest erased", |erased, ()| erased.erased_at.to_string()),
];
