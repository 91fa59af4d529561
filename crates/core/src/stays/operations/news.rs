//! What a provider tells about payments, in our words: made from the provider's own at the edge, and the content of
//! `PROCESS_STRIPE_EVENT`. What the provider repeats of our own data is not among it: it is never trusted.

use serde::{Deserialize, Serialize};
use smol_str::SmolStr;

use super::PROCESS_STRIPE_EVENT;
use crate::kernel::Invalid;
use crate::operations::{Correlation, NewOperation, Payload};
use crate::stays::DisputeState;

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PaymentNews {
    pub about: PaymentObjects,
    pub turn: PaymentTurn,
}

/// The ids by which the provider names the payment: those that the news carry.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PaymentObjects {
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub session: Option<SmolStr>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub payment_intent: Option<SmolStr>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub charge: Option<SmolStr>,
    /// Made without us: it bears no [mark](super::MARK) of ours. Only looked at if our records do not know it.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub is_foreign: bool,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "turn", rename_all = "snake_case", deny_unknown_fields)]
pub enum PaymentTurn {
    /// The money has come. The currency as the provider writes it, in any case.
    Paid {
        amount: i64,
        currency: SmolStr,
    },
    /// The payer is done; the money will come, or not.
    Awaiting,
    /// It will not come.
    Failed,
    SessionExpired,
    /// So much has gone back in all.
    Refunded {
        total: i64,
    },
    /// Money that should have gone back did not arrive.
    RefundFailed {
        refund: SmolStr,
        amount: i64,
    },
    Dispute {
        dispute: SmolStr,
        state: DisputeState,
        amount: i64,
    },
    /// Nothing that matters to a stay.
    OfNoConcern {
        kind: SmolStr,
    },
    /// It may matter, and it cannot be told how.
    NotUnderstood {
        kind: SmolStr,
    },
}

impl PaymentTurn {
    /// Whether money has moved or may move, so that somebody must look if nobody knows what for.
    pub(super) fn is_about_money(&self) -> bool {
        match self {
            PaymentTurn::Paid { .. }
            | PaymentTurn::Awaiting
            | PaymentTurn::Refunded { .. }
            | PaymentTurn::RefundFailed { .. }
            | PaymentTurn::Dispute { .. }
            | PaymentTurn::NotUnderstood { .. } => true,
            PaymentTurn::Failed | PaymentTurn::SessionExpired | PaymentTurn::OfNoConcern { .. } => false,
        }
    }

    pub(super) fn as_str(&self) -> &'static str {
        match self {
            PaymentTurn::Paid { .. } => "paid",
            PaymentTurn::Awaiting => "awaiting",
            PaymentTurn::Failed => "failed",
            PaymentTurn::SessionExpired => "session_expired",
            PaymentTurn::Refunded { .. } => "refunded",
            PaymentTurn::RefundFailed { .. } => "refund_failed",
            PaymentTurn::Dispute { .. } => "dispute",
            PaymentTurn::OfNoConcern { .. } => "of_no_concern",
            PaymentTurn::NotUnderstood { .. } => "not_understood",
        }
    }
}

impl PaymentObjects {
    pub fn session(session: &str) -> PaymentObjects {
        PaymentObjects { session: Some(session.into()), ..PaymentObjects::default() }
    }

    /// The most telling of the ids.
    pub(super) fn name(&self) -> SmolStr {
        let known = [&self.session, &self.payment_intent, &self.charge].into_iter().flatten().next();
        known.cloned().unwrap_or_else(|| SmolStr::new_static("unnamed"))
    }
}

/// The operation that deals with an event of this account, however often it is delivered.
pub fn process_stripe_event(account: &str, event: &str, news: &PaymentNews) -> Result<NewOperation, Invalid> {
    let key = PROCESS_STRIPE_EVENT.key(&[account, event])?;
    let mut correlations = Vec::new();
    for (kind, object) in [
        ("checkoutSession", &news.about.session),
        ("paymentIntent", &news.about.payment_intent),
        ("charge", &news.about.charge),
    ] {
        if let Some(object) = object {
            correlations.push(Correlation::new(kind, object)?);
        }
    }
    Ok(NewOperation { correlations, ..NewOperation::new(&PROCESS_STRIPE_EVENT, key, Payload::of(news)) })
}
