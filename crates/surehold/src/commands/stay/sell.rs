//! Held rooms: hold, list, show, pay, book at the desk, give up, forget the guest.

use clap::Args;
use serde_json::{Value, json};
use uuid::Uuid;

use super::super::input::{duration_secs, slug};
use super::super::money::{DecimalSign, Money};
use super::super::pages::show_all;
use super::super::view::{fields, instant, text};
use super::cases::OpenCases;
use super::guest::GuestArgs;
use super::words::{Chosen, quote_id, stay_id};
use super::{Desk, PropertyArgs, view};
use crate::client::{ClientError, Request};

/// A page at Stripe takes a moment to be made.
const PAGE_WAIT_MS: &str = "10000";

/// Names a stay.
#[derive(Args)]
pub(super) struct StayArgs {
    /// The tenant's slug
    #[arg(value_parser = slug)]
    pub(super) tenant: String,
    /// The stay's id
    #[arg(value_name = "STAY", value_parser = stay_id)]
    pub(super) stay: Uuid,
}

impl StayArgs {
    fn get(&self) -> Request {
        Request::get(&["v1", &self.tenant, "stays", &self.stay.to_string()])
    }

    fn post(&self, what: &str) -> Request {
        Request::post(&["v1", &self.tenant, "stays", &self.stay.to_string(), what])
    }

    /// The reservation that came of it.
    pub(super) fn reservation(&self) -> Request {
        Request::get(&["v1", &self.tenant, "reservations", &self.stay.to_string()])
    }

    pub(super) fn change_reservation(&self, how: &str) -> Request {
        Request::post(&["v1", &self.tenant, "reservations", &self.stay.to_string(), how])
    }
}

/// Hold rooms that were quoted, at that price
#[derive(Args)]
pub(super) struct Hold {
    /// The tenant's slug
    #[arg(value_parser = slug)]
    tenant: String,
    /// The quote's id
    #[arg(value_name = "QUOTE", value_parser = quote_id)]
    quote: Uuid,
    /// An option of the quote, or several: `OPTION[=ROOMS]`, as in 1 or 1=2
    #[arg(value_name = "OPTION", required = true, value_parser = Chosen::parse)]
    options: Vec<Chosen>,
    #[command(flatten)]
    guest: GuestArgs,
    /// Where it was agreed on
    #[arg(long, value_name = "NAME")]
    conversation: Option<String>,
    /// How long they are held, as in 20m [default: the property's terms]
    #[arg(long, value_name = "DURATION", value_parser = duration_secs)]
    lifetime: Option<i64>,
    /// Its id, a UUIDv7; the same id finds the same stay [default: a new one]
    #[arg(long, value_name = "UUID", value_parser = stay_id)]
    id: Option<Uuid>,
}

impl Hold {
    pub(super) async fn run(&self, desk: Desk<'_>) -> Result<(), ClientError> {
        let id = self.id.unwrap_or_else(Uuid::now_v7);
        let items: Vec<Value> = match self.options.as_slice() {
            [Chosen { option, rooms: None }] => {
                vec![json!({"option": option, "rooms": self.rooms_quoted(desk).await?})]
            }
            options => {
                let item = |chosen: &Chosen| json!({"option": chosen.option, "rooms": chosen.rooms.unwrap_or(1)});
                options.iter().map(item).collect()
            }
        };
        let mut body = json!({"id": id, "quote": self.quote, "items": items, "guest": self.guest.json()});
        if let Some(conversation) = &self.conversation {
            body["conversation"] = conversation.as_str().into();
        }
        if let Some(secs) = self.lifetime {
            body["lifetime_secs"] = secs.into();
        }
        let request = Request::post(&["v1", &self.tenant, "stays"]).json(body).repeat_with(format!("--id {id}"));
        desk.show(request, |stay| view::stay(stay, &OpenCases::default())).await?;
        let tenant = &self.tenant;
        desk.screen.note(&format!(
            "`surehold stay checkout {tenant} {id} --success-url URL` asks for a page to pay on, `surehold stay confirm \
             {tenant} {id}` books without one"
        ));
        Ok(())
    }

    /// Who names one option means all rooms that were asked for.
    async fn rooms_quoted(&self, desk: Desk<'_>) -> Result<Value, ClientError> {
        let request = Request::get(&["v1", &self.tenant, "quotes", &self.quote.to_string()]);
        Ok(desk.value(request).await?["rooms"].take())
    }
}

/// List the stays whose rooms are held, the next to expire first
#[derive(Args)]
pub(super) struct List {
    #[command(flatten)]
    property: PropertyArgs,
}

impl List {
    pub(super) async fn run(&self, desk: Desk<'_>) -> Result<(), ClientError> {
        let PropertyArgs { tenant, property } = &self.property;
        let cases = for_people(desk, tenant).await?;
        let request = Request::get(&["v1", tenant, "stays"]).query("property", property).query("state", "active");
        let request = request.test(desk.test);
        let shown = |found: &[Value]| view::stays(found, &cases);
        show_all(desk.client, desk.screen, &request, "stays", shown, "no rooms are held").await
    }
}

/// Machines get what they asked for and nothing else.
pub(super) async fn for_people(desk: Desk<'_>, tenant: &str) -> Result<OpenCases, ClientError> {
    if desk.screen.json { Ok(OpenCases::default()) } else { OpenCases::find(desk, tenant).await }
}

/// Show a stay, with its payment page, its guest and its reservation
#[derive(Args)]
pub(super) struct Show {
    #[command(flatten)]
    stay: StayArgs,
}

impl Show {
    pub(super) async fn run(&self, desk: Desk<'_>) -> Result<(), ClientError> {
        let answer = desk.ask(self.stay.get()).await?;
        let cases = for_people(desk, &self.stay.tenant).await?;
        desk.screen.show(&answer, |stay| view::stay(stay, &cases))
    }
}

/// Ask for the page on which a stay can be paid
#[derive(Args)]
pub(super) struct Checkout {
    #[command(flatten)]
    stay: StayArgs,
    /// Where the payer is sent afterwards
    #[arg(long, value_name = "URL")]
    success_url: String,
    /// Where the payer is sent who goes back [default: the same]
    #[arg(long, value_name = "URL")]
    cancel_url: Option<String>,
}

impl Checkout {
    pub(super) async fn run(&self, desk: Desk<'_>) -> Result<(), ClientError> {
        let cancel_url = self.cancel_url.as_ref().unwrap_or(&self.success_url);
        let body = json!({"success_url": self.success_url, "cancel_url": cancel_url});
        let wait_ms = if desk.client.has_workers() { PAGE_WAIT_MS } else { "0" };
        let request = self.stay.post("checkout").query("wait_ms", wait_ms).json(body);
        let answer = desk.ask(request).await?;
        desk.screen.show(&answer, |checkout| {
            let page = &checkout["page"];
            let url = page["url"].as_str().unwrap_or("the page is being made");
            fields(&[
                ("pay at", url.to_owned()),
                ("until", instant(&page["expires_at"])),
                ("held until", text(&checkout["hold_expires_at"])),
            ])
        })?;
        let checkout = answer.value()?;
        if checkout["page"]["url"].is_null() {
            desk.screen.note(&self.what_is_missing(desk, &checkout));
        }
        Ok(())
    }

    fn what_is_missing(&self, desk: Desk<'_>, checkout: &Value) -> String {
        let StayArgs { tenant, stay } = &self.stay;
        if !desk.client.has_workers() {
            return format!(
                "no server runs here: `surehold serve` makes the page, `surehold stay show {tenant} {stay}` has it then"
            );
        }
        let (kind, key) = (text(&checkout["operation"]["type"]), text(&checkout["operation"]["key"]));
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
        let known = desk.value(self.stay.get()).await?;
        let body = json!({"paid": amount(&self.paid, "--paid", &known)?});
        desk.show(self.stay.post("confirm").json(body), |stay| view::stay(stay, &OpenCases::default())).await
    }
}

/// As typed, in the currency that an answer names.
pub(super) fn amount(typed: &str, flag: &str, answer: &Value) -> Result<i64, ClientError> {
    let amount = Money::of(answer).parse(typed, DecimalSign::Point);
    amount.map_err(|why| ClientError::Usage(format!("{flag}: {why}")))
}

/// Give held rooms up
#[derive(Args)]
pub(super) struct Cancel {
    #[command(flatten)]
    stay: StayArgs,
}

impl Cancel {
    pub(super) async fn run(&self, desk: Desk<'_>) -> Result<(), ClientError> {
        desk.show(self.stay.post("cancel"), |stay| view::stay(stay, &OpenCases::default())).await
    }
}

/// Erase a guest's name, email and phone for good
#[derive(Args)]
pub(super) struct EraseGuest {
    #[command(flatten)]
    stay: StayArgs,
}

impl EraseGuest {
    pub(super) async fn run(&self, desk: Desk<'_>) -> Result<(), ClientError> {
        let StayArgs { tenant, stay } = &self.stay;
        let request = Request::delete(&["v1", tenant, "stays", &stay.to_string(), "guest"]);
        desk.show(request, |erased| {
            fields(&[("stay", text(&erased["hold"])), ("guest erased", text(&erased["erased_at"]))])
        })
        .await
    }
}
