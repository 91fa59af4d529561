//! `surehold stay property`

use clap::{Args, Subcommand};
use serde_json::{Value, json};

use super::super::input::{currency, duration_secs, slug, zone};
use super::super::pages::show_all;
use super::super::view::{fields, table, text};
use super::words::local_time;
use super::{Desk, PropertyArgs};
use crate::client::{ClientError, Request};

#[derive(Subcommand)]
pub(super) enum PropertyAction {
    Put(Box<Put>),
    /// Show a property
    Show(PropertyArgs),
    /// List the properties
    List {
        /// The tenant's slug
        #[arg(value_parser = slug)]
        tenant: String,
    },
}

/// Make a property, or change one; what is left out stays as it is
#[derive(Args)]
pub(super) struct Put {
    #[command(flatten)]
    property: PropertyArgs,
    /// What people call it [default: its name]
    #[arg(long)]
    title: Option<String>,
    /// Its time zone, as in `America/Sao_Paulo`; needed for a new one
    #[arg(long, value_parser = zone)]
    zone: Option<String>,
    /// Of all its prices, as in BRL; needed for a new one, and stays for ever
    #[arg(long, value_parser = currency)]
    currency: Option<String>,
    /// From when on rooms are ready [default: 15:00]
    #[arg(long, value_name = "TIME", value_parser = local_time)]
    check_in: Option<String>,
    /// The account that guests pay to, as the accounts file of the server names it
    #[arg(long, value_name = "NAME", conflicts_with = "no_payment_account")]
    payment_account: Option<String>,
    /// Take no online payments any more
    #[arg(long)]
    no_payment_account: bool,
    /// A quote is good for so long [default: 30m]
    #[arg(long, value_name = "DURATION", value_parser = duration_secs)]
    quote_for: Option<i64>,
    /// Rooms are held for so long while a guest decides [default: 15m]
    #[arg(long, value_name = "DURATION", value_parser = duration_secs)]
    hold_for: Option<i64>,
    /// The hold outlives the payment page by this [default: 5m]
    #[arg(long, value_name = "DURATION", value_parser = duration_secs)]
    page_grace: Option<i64>,
    /// Rooms are held for so long for a payment that takes days [default: 5d]
    #[arg(long, value_name = "DURATION", value_parser = duration_secs)]
    slow_payment_for: Option<i64>,
}

impl PropertyAction {
    pub(super) async fn run(&self, desk: Desk<'_>) -> Result<(), ClientError> {
        match self {
            PropertyAction::Put(put) => put.run(desk).await,
            PropertyAction::Show(property) => desk.show(property.get(&[]), view).await,
            PropertyAction::List { tenant } => {
                let request = Request::get(&["v1", tenant, "properties"]).test(desk.test);
                let none = format!(
                    "there are none; `surehold stay property put {tenant} NAME --zone ZONE --currency CODE` makes one"
                );
                show_all(desk.client, desk.screen, &request, "properties", list_view, &none).await
            }
        }
    }
}

impl Put {
    /// The API replaces a property as a whole, so what is there is read first.
    async fn run(&self, desk: Desk<'_>) -> Result<(), ClientError> {
        let known = desk.find(self.property.get(&[])).await?;
        let body = self.body(&known)?;
        desk.show(self.property.put(&[]).json(body), view).await
    }

    fn body(&self, known: &Value) -> Result<Value, ClientError> {
        let name = &self.property.property;
        let needed = |flag: &str, given: Option<&String>, known: &Value| match (given, known.as_str()) {
            (Some(given), _) => Ok(given.clone()),
            (None, Some(known)) => Ok(known.to_owned()),
            (None, None) => Err(ClientError::Usage(format!("{name} is new: {flag} is needed"))),
        };
        let mut body = json!({
            "time_zone": needed("--zone, as in America/Sao_Paulo,", self.zone.as_ref(), &known["time_zone"])?,
            "currency": needed("--currency, as in BRL,", self.currency.as_ref(), &known["currency"])?,
            "title": self.title.as_deref().or(known["title"].as_str()).unwrap_or(name),
        });
        if let Some(check_in) = self.check_in.as_deref().or(known["check_in"].as_str()) {
            body["check_in"] = check_in.into();
        }
        let account = self.payment_account.as_deref().or(known["payment_account"].as_str());
        if let Some(account) = account.filter(|_| !self.no_payment_account) {
            body["payment_account"] = account.into();
        }
        let mut terms = if known["terms"].is_object() { known["terms"].clone() } else { json!({}) };
        let changes = [
            ("quote_secs", self.quote_for),
            ("hold_secs", self.hold_for),
            ("session_grace_secs", self.page_grace),
            ("async_payment_secs", self.slow_payment_for),
        ];
        for (name, secs) in changes {
            if let Some(secs) = secs {
                terms[name] = secs.into();
            }
        }
        body["terms"] = terms;
        Ok(body)
    }
}

fn view(property: &Value) -> String {
    let terms = &property["terms"];
    fields(&[
        ("property", text(&property["name"])),
        ("title", text(&property["title"])),
        ("time zone", text(&property["time_zone"])),
        ("currency", text(&property["currency"])),
        ("check-in", text(&property["check_in"])),
        ("pays to", text(&property["payment_account"])),
        ("room types", text(&property["room_types"])),
        ("rate plans", text(&property["rate_plans"])),
        ("quote good for", span(&terms["quote_secs"])),
        ("rooms held for", span(&terms["hold_secs"])),
        ("page grace", span(&terms["session_grace_secs"])),
        ("slow payment for", span(&terms["async_payment_secs"])),
        ("version", text(&property["version"])),
    ])
}

/// `30m`, as it would be typed.
fn span(secs: &Value) -> String {
    const UNITS: [(i64, char); 4] = [(86_400, 'd'), (3_600, 'h'), (60, 'm'), (1, 's')];
    let Some(secs) = secs.as_i64() else { return String::new() };
    let unit = UNITS.into_iter().find(|(unit, _)| secs != 0 && secs % unit == 0);
    unit.map_or_else(|| format!("{secs}s"), |(unit, letter)| format!("{}{letter}", secs / unit))
}

fn list_view(found: &[Value]) -> String {
    let row = |property: &Value| {
        let names = ["name", "title", "time_zone", "currency", "room_types", "rate_plans", "payment_account"];
        names.iter().map(|name| text(&property[*name])).collect()
    };
    let header = ["PROPERTY", "TITLE", "TIME ZONE", "CURRENCY", "ROOM TYPES", "RATE PLANS", "PAYS TO"];
    table(&header, &[4, 5], found.iter().map(row))
}
