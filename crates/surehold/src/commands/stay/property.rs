//! `surehold stay property`

use clap::{Args, Subcommand};
use surehold_api::stays::{self, Property, PropertyTerms, PutProperty};
use surehold_core::kernel::{Currency, Title};
use surehold_core::operations::TimeZoneName;
use surehold_core::stays::{LocalTime, PaymentAccount};

use super::super::input::{TenantArgs, currency, duration_secs, titled};
use super::super::show::{Show, both, column, line, number, some};
use super::words::local_time;
use super::{Desk, PropertyArgs};
use crate::client::ClientError;

#[derive(Subcommand)]
pub(super) enum PropertyAction {
    Put(Box<Put>),
    /// Show a property
    Show(PropertyArgs),
    /// List the properties
    List(TenantArgs),
}

/// Make a property, or change one; what is left out stays as it is
#[derive(Args)]
pub(super) struct Put {
    #[command(flatten)]
    property: PropertyArgs,
    /// What people call it [default: its name]
    #[arg(long)]
    title: Option<Title>,
    /// Its time zone, as in `America/Sao_Paulo`; needed for a new one
    #[arg(long, value_parser = TimeZoneName::parse)]
    zone: Option<TimeZoneName>,
    /// Of all its prices, as in BRL; needed for a new one, and stays for ever
    #[arg(long, value_parser = currency)]
    currency: Option<Currency>,
    /// From when on rooms are ready [default: 15:00]
    #[arg(long, value_name = "TIME", value_parser = local_time)]
    check_in: Option<LocalTime>,
    /// The account that guests pay to, as the accounts file of the server names it
    #[arg(long, value_name = "NAME", conflicts_with = "no_payment_account")]
    payment_account: Option<PaymentAccount>,
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
            PropertyAction::Show(PropertyArgs { tenant, property }) => {
                desk.detail(stays::property(tenant, property), PROPERTY).await
            }
            PropertyAction::List(TenantArgs { tenant }) => {
                let none = format!(
                    "there are none; `surehold stay property put {tenant} NAME --zone ZONE --currency CODE` makes one"
                );
                desk.list(stays::properties(tenant), PROPERTY, &none).await
            }
        }
    }
}

impl Put {
    /// The API replaces a property as a whole, so what is there is read first.
    async fn run(&self, desk: Desk<'_>) -> Result<(), ClientError> {
        let PropertyArgs { tenant, property } = &self.property;
        let known = desk.find(stays::property(tenant, property)).await?;
        let put = stays::put_property(tenant, property, &self.wanted(known.as_ref())?);
        desk.detail(put, PROPERTY).await
    }

    fn wanted(&self, known: Option<&Property>) -> Result<PutProperty, ClientError> {
        let name = &self.property.property;
        let needed = |flag: &str| ClientError::Usage(format!("{name} is new: {flag} is needed"));
        let zone = self.zone.as_ref().or(known.map(|known| &known.time_zone)).cloned();
        let currency = self.currency.or(known.map(|known| known.currency));
        let title = self.title.as_ref().or(known.map(|known| &known.title)).cloned();
        let check_in = self.check_in.or(known.map(|known| known.check_in));
        let account = self.payment_account.as_ref().or(known.and_then(|known| known.payment_account.as_ref()));
        let terms = known.map(|known| known.terms).unwrap_or_default();
        Ok(PutProperty {
            time_zone: zone.ok_or_else(|| needed("--zone, as in America/Sao_Paulo,"))?,
            currency: currency.ok_or_else(|| needed("--currency, as in BRL,"))?,
            title: title.unwrap_or_else(|| titled(name)),
            check_in: check_in.unwrap_or(LocalTime::CHECK_IN),
            payment_account: account.filter(|_| !self.no_payment_account).cloned(),
            terms: PropertyTerms {
                quote_secs: self.quote_for.unwrap_or(terms.quote_secs),
                hold_secs: self.hold_for.unwrap_or(terms.hold_secs),
                session_grace_secs: self.page_grace.unwrap_or(terms.session_grace_secs),
                async_payment_secs: self.slow_payment_for.unwrap_or(terms.async_payment_secs),
            },
        })
    }
}

const PROPERTY: &[Show<Property>] = &[
    both("property", |property, ()| property.name.to_string()),
    both("title", |property, ()| property.title.to_string()),
    both("time zone", |property, ()| property.time_zone.to_string()),
    both("currency", |property, ()| property.currency.to_string()),
    line("check-in", |property, ()| property.check_in.to_string()),
    line("pays to", |property, ()| some(property.payment_account.as_ref())),
    number(both("room types", |property, ()| property.room_types.to_string())),
    number(both("rate plans", |property, ()| property.rate_plans.to_string())),
    column("pays to", |property, ()| some(property.payment_account.as_ref())),
    line("quote good for", |property, ()| span(property.terms.quote_secs)),
    line("rooms held for", |property, ()| span(property.terms.hold_secs)),
    line("page grace", |property, ()| span(property.terms.session_grace_secs)),
    line("slow payment for", |property, ()| span(property.terms.async_payment_secs)),
    line("version", |property, ()| property.version.to_string()),
];

/// `30m`, as it would be typed.
fn span(secs: i64) -> String {
    const UNITS: [(i64, char); 4] = [(86_400, 'd'), (3_600, 'h'), (60, 'm'), (1, 's')];
    let unit = UNITS.into_iter().find(|(unit, _)| secs != 0 && secs % unit == 0);
    unit.map_or_else(|| format!("{secs}s"), |(unit, letter)| format!("{}{letter}", secs / unit))
}
