//! What guests of the hotel asked and what they were told, as it is written down in their [`Book`](crate::torture::book::Book).

use serde::{Deserialize, Serialize};
use uuid::Uuid;

use crate::torture::book::BookEntry;

pub type GuestEntry = BookEntry<GuestAsk, GuestAnswer>;

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
