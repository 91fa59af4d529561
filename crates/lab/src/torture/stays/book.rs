//! What guests of the hotel asked and what they were told, as it is written down in their [`Book`](crate::torture::book::Book).

use serde::{Deserialize, Serialize};
use uuid::Uuid;

use crate::torture::book::BookEntry;
use crate::torture::workload::Functions;

pub type GuestEntry = BookEntry<GuestAsk, GuestAnswer>;

pub(super) const FUNCTIONS: Functions = Functions {
    names: &[
        "quote",
        "stay",
        "checkout",
        "confirm",
        "cancel_stay",
        "walk_in",
        "change_reservation",
        "cancel_reservation",
        "no_show",
        "read_stay",
    ],
    reads: &["quote", "read_stay"],
    one_in: 400,
    // They need a hotel that is not full, or a late hour.
    rarer: &[("no_show", 3_200), ("change_reservation", 1_400), ("confirm", 900), ("walk_in", 660)],
};

/// Dates are written as the API has them: `2027-03-01`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Nights {
    pub checkin: String,
    pub checkout: String,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "f", content = "value", rename_all = "snake_case")]
pub enum GuestAsk {
    Quote {
        quote: Uuid,
        nights: Nights,
    },
    Stay {
        hold: Uuid,
        quote: Uuid,
        option: u64,
        lifetime_secs: Option<i64>,
    },
    /// A page to pay on.
    Checkout {
        hold: Uuid,
    },
    /// Paid at the desk.
    Confirm {
        hold: Uuid,
    },
    CancelStay {
        hold: Uuid,
    },
    WalkIn {
        hold: Uuid,
        nights: Nights,
        rate_plan: String,
    },
    ChangeReservation {
        hold: Uuid,
        nights: Nights,
        rate_plan: String,
        refund_excess: bool,
    },
    CancelReservation {
        hold: Uuid,
    },
    NoShow {
        hold: Uuid,
    },
    ReadStay {
        hold: Uuid,
    },
}

impl GuestAsk {
    /// The stay that it is about.
    pub fn hold(&self) -> Option<Uuid> {
        match self {
            GuestAsk::Quote { .. } => None,
            GuestAsk::Stay { hold, .. }
            | GuestAsk::Checkout { hold }
            | GuestAsk::Confirm { hold }
            | GuestAsk::CancelStay { hold }
            | GuestAsk::WalkIn { hold, .. }
            | GuestAsk::ChangeReservation { hold, .. }
            | GuestAsk::CancelReservation { hold }
            | GuestAsk::NoShow { hold }
            | GuestAsk::ReadStay { hold } => Some(*hold),
        }
    }

    /// One of [`FUNCTIONS`].
    pub(super) fn function(&self) -> &'static str {
        match self {
            GuestAsk::Quote { .. } => "quote",
            GuestAsk::Stay { .. } => "stay",
            GuestAsk::Checkout { .. } => "checkout",
            GuestAsk::Confirm { .. } => "confirm",
            GuestAsk::CancelStay { .. } => "cancel_stay",
            GuestAsk::WalkIn { .. } => "walk_in",
            GuestAsk::ChangeReservation { .. } => "change_reservation",
            GuestAsk::CancelReservation { .. } => "cancel_reservation",
            GuestAsk::NoShow { .. } => "no_show",
            GuestAsk::ReadStay { .. } => "read_stay",
        }
    }
}

/// What an `ok` said, as far as it matters; what the answer does not have is left out.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct GuestAnswer {
    /// It had been so before.
    #[serde(default)]
    pub replayed: bool,
    /// How many options a quote has.
    #[serde(default)]
    pub options: usize,
    /// Of the hold: `active`, `converted`, `cancelled` or `expired`.
    #[serde(default)]
    pub state: Option<String>,
    #[serde(default)]
    pub awaiting_payment: bool,
    /// Of the page: the provider's name for it, and where it is.
    #[serde(default)]
    pub session: Option<String>,
    #[serde(default)]
    pub page: Option<String>,
    #[serde(default)]
    pub reservation: Option<ReservationSeen>,
}

/// A reservation as the API shows it.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct ReservationSeen {
    /// `confirmed`, `cancelled` or `no_show`.
    pub state: String,
    /// `payment`, `late_payment`, `desk` or `walk_in`.
    pub source: String,
    pub booked_by: Uuid,
    pub checkin: String,
    pub checkout: String,
    pub paid: i64,
    pub refunded: i64,
    pub penalty: i64,
    /// Where it is looked at, if it was paid online.
    #[serde(default)]
    pub payment: Option<PaidBy>,
}

impl ReservationSeen {
    pub fn nights(&self) -> Nights {
        Nights { checkin: self.checkin.clone(), checkout: self.checkout.clone() }
    }
}

#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct PaidBy {
    pub session: String,
    /// By refunds that were asked for, done or not.
    pub refund_asked: i64,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn functions_are_called_what_the_book_calls_them() {
        let hold = Uuid::nil();
        let nights = || Nights { checkin: String::new(), checkout: String::new() };
        for ask in [
            GuestAsk::Quote { quote: hold, nights: nights() },
            GuestAsk::Stay { hold, quote: hold, option: 1, lifetime_secs: None },
            GuestAsk::Checkout { hold },
            GuestAsk::Confirm { hold },
            GuestAsk::CancelStay { hold },
            GuestAsk::WalkIn { hold, nights: nights(), rate_plan: String::new() },
            GuestAsk::ChangeReservation { hold, nights: nights(), rate_plan: String::new(), refund_excess: false },
            GuestAsk::CancelReservation { hold },
            GuestAsk::NoShow { hold },
            GuestAsk::ReadStay { hold },
        ] {
            assert_eq!(serde_json::to_value(&ask).unwrap()["f"], ask.function());
            assert!(FUNCTIONS.names.contains(&ask.function()), "{ask:?}");
        }
    }
}
