//! What is asked of a payment provider, and what it answers: in our words, so that the handlers here and the adapter
//! that makes the calls agree on one form.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use smol_str::{SmolStr, format_smolstr};

use crate::kernel::{Currency, HoldId, TenantId, Timestamp};
use crate::operations::OperationKey;

/// The request of an effect, as the adapter reads it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "request", rename_all = "snake_case", deny_unknown_fields)]
pub enum PaymentRequest {
    CreateSession {
        account: SmolStr,
        currency: Currency,
        items: Vec<CheckoutItem>,
        expires_at: Timestamp,
        success_url: SmolStr,
        cancel_url: SmolStr,
        /// The hold that is paid for.
        reference: HoldId,
        metadata: BTreeMap<SmolStr, SmolStr>,
    },
    ExpireSession {
        account: SmolStr,
        session: SmolStr,
    },
    Refund {
        account: SmolStr,
        session: SmolStr,
        /// As far as it is known; else the session has to be asked for it.
        payment_intent: Option<SmolStr>,
        amount: i64,
        currency: Currency,
        metadata: BTreeMap<SmolStr, SmolStr>,
    },
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct CheckoutItem {
    pub name: SmolStr,
    pub quantity: i64,
    /// Of one.
    pub amount: i64,
}

/// The answer to [`PaymentRequest::CreateSession`]. The other answers are not looked into.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct SessionCreated {
    pub session: SmolStr,
    pub url: SmolStr,
    #[serde(default)]
    pub payment_intent: Option<SmolStr>,
}

/// By these the provider's books can be searched by people, and by the adapter after an answer was lost.
pub(super) fn metadata(tenant: TenantId, hold: HoldId, operation: &OperationKey) -> BTreeMap<SmolStr, SmolStr> {
    BTreeMap::from([
        (SmolStr::new_static("tenant"), format_smolstr!("{tenant}")),
        (SmolStr::new_static("hold"), format_smolstr!("{hold}")),
        (SmolStr::new_static("operation"), format_smolstr!("{operation}")),
    ])
}
