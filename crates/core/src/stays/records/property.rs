//! A property: one place, one time zone, one currency.

use serde::{Deserialize, Serialize};

use crate::kernel::{Currency, Invalid, Json, Record, Title};
use crate::operations::TimeZoneName;
use crate::stays::{LocalTime, PaymentAccount, PropertyName};

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, Record)]
#[record(table = "properties")]
pub struct Property {
    #[column(key)]
    pub name: PropertyName,
    pub title: Title,
    pub time_zone: TimeZoneName,
    #[column(fixed)]
    pub currency: Currency,
    /// From when on rooms are ready.
    pub check_in: LocalTime,
    pub terms: Json<PropertyTerms>,
    pub payment_account: Option<PaymentAccount>,
    /// Counted, so that what a quote has to read is bounded.
    pub room_types: u32,
    pub rate_plans: u32,
    pub version: i64,
}

/// How long things last.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct PropertyTerms {
    /// A quote is good for so long.
    pub quote_secs: i64,
    /// Rooms are held for so long while a guest decides.
    pub hold_secs: i64,
    /// The hold outlives the provider's payment page by this.
    pub session_grace_secs: i64,
    /// Rooms are held for so long while a payment is on its way that takes days.
    pub async_payment_secs: i64,
}

impl Default for PropertyTerms {
    fn default() -> PropertyTerms {
        PropertyTerms { quote_secs: 1_800, hold_secs: 900, session_grace_secs: 300, async_payment_secs: 5 * 86_400 }
    }
}

impl PropertyTerms {
    pub fn check(&self) -> Result<(), Invalid> {
        const DAY: i64 = 86_400;
        for (what, amount, amount_min, amount_max) in [
            ("quote_secs", self.quote_secs, 60, 30 * DAY),
            ("hold_secs", self.hold_secs, 60, 30 * DAY),
            ("session_grace_secs", self.session_grace_secs, 0, DAY),
            ("async_payment_secs", self.async_payment_secs, 0, 30 * DAY),
        ] {
            if !(amount_min..=amount_max).contains(&amount) {
                return Err(Invalid::Amount { what: what.to_owned(), amount, amount_min, amount_max });
            }
        }
        Ok(())
    }
}
