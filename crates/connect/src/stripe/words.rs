//! Stripe's words for the states of things. Stripe adds words without a new version, so a word that is not known here is
//! kept as it came; nothing that bears it becomes unreadable.

use std::fmt;

use serde::{Deserialize, Serialize};
use smol_str::SmolStr;

macro_rules! words {
    ($(#[$doc:meta])* $name:ident { $($variant:ident = $word:literal,)* }) => {
        $(#[$doc])*
        #[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
        #[serde(from = "SmolStr", into = "SmolStr")]
        pub enum $name {
            $($variant,)*
            /// A word that is not known here.
            Other(SmolStr),
        }

        impl $name {
            pub fn as_str(&self) -> &str {
                match self {
                    $($name::$variant => $word,)*
                    $name::Other(word) => word,
                }
            }
        }

        impl From<SmolStr> for $name {
            fn from(word: SmolStr) -> $name {
                match word.as_str() {
                    $($word => $name::$variant,)*
                    _ => $name::Other(word),
                }
            }
        }

        impl From<$name> for SmolStr {
            fn from(word: $name) -> SmolStr {
                word.as_str().into()
            }
        }

        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str(self.as_str())
            }
        }
    };
}

words! {
    /// Of a checkout session. Complete is not paid: see [`PaymentStatus`].
    SessionStatus {
        Open = "open",
        Complete = "complete",
        Expired = "expired",
    }
}

words! {
    /// Of a checkout session. A complete one stays unpaid while a slow way of paying is under way.
    PaymentStatus {
        Paid = "paid",
        Unpaid = "unpaid",
        NoPaymentRequired = "no_payment_required",
    }
}

words! {
    RefundStatus {
        Pending = "pending",
        RequiresAction = "requires_action",
        Succeeded = "succeeded",
        Failed = "failed",
        Canceled = "canceled",
    }
}

words! {
    /// Those that begin with `warning` are inquiries: no money has moved.
    DisputeStatus {
        WarningNeedsResponse = "warning_needs_response",
        WarningUnderReview = "warning_under_review",
        WarningClosed = "warning_closed",
        NeedsResponse = "needs_response",
        UnderReview = "under_review",
        Won = "won",
        Lost = "lost",
        Prevented = "prevented",
    }
}

words! {
    IntentStatus {
        RequiresPaymentMethod = "requires_payment_method",
        RequiresConfirmation = "requires_confirmation",
        RequiresAction = "requires_action",
        Processing = "processing",
        RequiresCapture = "requires_capture",
        Canceled = "canceled",
        Succeeded = "succeeded",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_come_back_as_they_came() {
        let check = |word: &str, expected: &SessionStatus| {
            let status: SessionStatus = serde_json::from_value(word.into()).unwrap();
            assert_eq!(&status, expected);
            assert_eq!(status.to_string(), word);
            assert_eq!(serde_json::to_value(&status).unwrap(), word);
        };
        check("open", &SessionStatus::Open);
        check("complete", &SessionStatus::Complete);
        check("expired", &SessionStatus::Expired);
        check("on_the_moon", &SessionStatus::Other("on_the_moon".into()));
        check("Open", &SessionStatus::Other("Open".into()));
        check("", &SessionStatus::Other("".into()));
    }
}
