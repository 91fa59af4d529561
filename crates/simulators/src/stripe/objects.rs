//! What Stripe keeps, and how it is shown. No rules: those are in `checkout.rs`, `payments.rs` and `refunds.rs`.

use std::collections::BTreeMap;

use serde::Serialize;
use serde_json::{Value, json};

use super::config::API_VERSION;
use super::table::{AccountNo, Row};

pub(super) type Metadata = BTreeMap<String, String>;

#[derive(Clone, Debug)]
pub(super) struct Session {
    pub(super) id: String,
    pub(super) account: AccountNo,
    pub(super) created: i64,
    pub(super) expires_at: i64,
    pub(super) currency: String,
    pub(super) items: Vec<LineItem>,
    pub(super) amount_total: i64,
    pub(super) client_reference_id: Option<String>,
    pub(super) customer_email: Option<String>,
    pub(super) metadata: Metadata,
    /// Goes to the payment intent.
    pub(super) intent_metadata: Metadata,
    pub(super) success_url: String,
    pub(super) cancel_url: Option<String>,
    pub(super) methods: Vec<String>,
    pub(super) page_url: String,
    pub(super) status: SessionStatus,
    pub(super) paid: bool,
    /// Since the first attempt to pay.
    pub(super) intent: Option<usize>,
    pub(super) intent_id: Option<String>,
}

#[derive(Clone, Debug)]
pub(super) struct LineItem {
    pub(super) name: String,
    pub(super) unit_amount: i64,
    pub(super) quantity: i64,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum SessionStatus {
    Open,
    Complete,
    Expired,
}

#[derive(Clone, Debug)]
pub(super) struct Intent {
    pub(super) id: String,
    pub(super) account: AccountNo,
    pub(super) created: i64,
    pub(super) session: usize,
    pub(super) amount: i64,
    pub(super) currency: String,
    pub(super) metadata: Metadata,
    pub(super) method: Method,
    pub(super) status: IntentStatus,
    pub(super) failure: Option<&'static str>,
    pub(super) charge: Option<usize>,
    pub(super) charge_id: Option<String>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum IntentStatus {
    RequiresPaymentMethod,
    /// A voucher is out.
    RequiresAction,
    Processing,
    Succeeded,
    Canceled,
}

/// How a customer pays.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Method {
    /// At once.
    Card,
    /// Later: somebody goes to a bank with a voucher.
    Boleto,
    /// Later.
    Pix,
}

#[derive(Clone, Debug)]
pub(super) struct Charge {
    pub(super) id: String,
    pub(super) account: AccountNo,
    pub(super) created: i64,
    pub(super) intent_id: String,
    pub(super) amount: i64,
    pub(super) amount_refunded: i64,
    pub(super) currency: String,
    pub(super) metadata: Metadata,
    pub(super) method: Method,
    pub(super) succeeded: bool,
    pub(super) dispute: Option<usize>,
    pub(super) dispute_id: Option<String>,
}

#[derive(Clone, Debug)]
pub(super) struct Refund {
    pub(super) id: String,
    pub(super) account: AccountNo,
    pub(super) created: i64,
    pub(super) charge: usize,
    pub(super) charge_id: String,
    pub(super) intent_id: String,
    pub(super) amount: i64,
    pub(super) currency: String,
    pub(super) reason: Option<String>,
    pub(super) metadata: Metadata,
    pub(super) status: RefundStatus,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum RefundStatus {
    Pending,
    Succeeded,
    /// The money came back to the merchant.
    Failed,
}

#[derive(Clone, Debug)]
pub(super) struct Dispute {
    pub(super) id: String,
    pub(super) account: AccountNo,
    pub(super) created: i64,
    pub(super) charge_id: String,
    pub(super) intent_id: String,
    pub(super) amount: i64,
    pub(super) currency: String,
    pub(super) status: DisputeStatus,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum DisputeStatus {
    NeedsResponse,
    Won,
    Lost,
}

#[derive(Clone, Debug)]
pub(super) struct Event {
    pub(super) id: String,
    pub(super) account: AccountNo,
    pub(super) created: i64,
    pub(super) kind: &'static str,
    /// As it was then.
    pub(super) object: Value,
    pub(super) request_id: Option<String>,
    pub(super) idempotency_key: Option<String>,
    pub(super) pending_webhooks: usize,
}

macro_rules! rows {
    ($($kind:ty),*) => {$(
        impl Row for $kind {
            fn id(&self) -> &str {
                &self.id
            }
            fn account(&self) -> AccountNo {
                self.account
            }
            fn created(&self) -> i64 {
                self.created
            }
        }
    )*};
}

rows!(Session, Intent, Charge, Refund, Dispute, Event);

impl Method {
    pub const ALL: [Method; 3] = [Method::Card, Method::Boleto, Method::Pix];

    pub fn word(self) -> &'static str {
        match self {
            Method::Card => "card",
            Method::Boleto => "boleto",
            Method::Pix => "pix",
        }
    }
}

impl Session {
    pub(super) fn json(&self) -> Value {
        json!({
            "id": self.id, "object": "checkout.session", "livemode": false, "mode": "payment",
            "amount_subtotal": self.amount_total, "amount_total": self.amount_total, "currency": self.currency,
            "cancel_url": self.cancel_url, "success_url": self.success_url, "client_reference_id": self.client_reference_id,
            "created": self.created, "expires_at": self.expires_at,
            "customer": null, "customer_email": self.customer_email,
            "metadata": self.metadata, "payment_intent": self.intent_id,
            "payment_method_types": self.methods, "payment_status": if self.paid { "paid" } else { "unpaid" },
            "status": self.status, "url": (self.status == SessionStatus::Open).then_some(&self.page_url),
        })
    }
}

impl Intent {
    pub(super) fn json(&self) -> Value {
        let error =
            self.failure.map(|code| json!({ "type": "card_error", "code": code, "message": "It was declined." }));
        let received = if self.status == IntentStatus::Succeeded { self.amount } else { 0 };
        json!({
            "id": self.id, "object": "payment_intent", "livemode": false, "amount": self.amount,
            "amount_received": received, "currency": self.currency, "created": self.created,
            "capture_method": "automatic", "last_payment_error": error, "latest_charge": self.charge_id,
            "metadata": self.metadata, "payment_method_types": [self.method], "status": self.status,
        })
    }
}

impl Charge {
    pub(super) fn json(&self) -> Value {
        json!({
            "id": self.id, "object": "charge", "livemode": false, "amount": self.amount,
            "amount_captured": if self.succeeded { self.amount } else { 0 }, "amount_refunded": self.amount_refunded,
            "captured": self.succeeded, "paid": self.succeeded, "created": self.created, "currency": self.currency,
            "disputed": self.dispute_id.is_some(), "dispute": self.dispute_id,
            "failure_code": (!self.succeeded).then_some("card_declined"), "metadata": self.metadata,
            "payment_intent": self.intent_id, "payment_method_details": { "type": self.method },
            "refunded": self.succeeded && self.amount_refunded == self.amount,
            "status": if self.succeeded { "succeeded" } else { "failed" },
        })
    }
}

impl Refund {
    pub(super) fn json(&self) -> Value {
        let failure = (self.status == RefundStatus::Failed).then_some("expired_or_canceled_card");
        let mut json = json!({
            "id": self.id, "object": "refund", "amount": self.amount, "charge": self.charge_id, "created": self.created,
            "currency": self.currency, "metadata": self.metadata, "payment_intent": self.intent_id,
            "reason": self.reason, "status": self.status,
        });
        if let Some(failure) = failure {
            json["failure_reason"] = failure.into();
        }
        json
    }
}

impl Dispute {
    pub(super) fn json(&self) -> Value {
        json!({
            "id": self.id, "object": "dispute", "livemode": false, "amount": self.amount, "charge": self.charge_id,
            "created": self.created, "currency": self.currency, "is_charge_refundable": self.status == DisputeStatus::Won,
            "metadata": {}, "payment_intent": self.intent_id, "reason": "fraudulent", "status": self.status,
        })
    }
}

impl Event {
    pub(super) fn json(&self) -> Value {
        json!({
            "id": self.id, "object": "event", "api_version": API_VERSION, "created": self.created, "livemode": false,
            "data": { "object": self.object }, "pending_webhooks": self.pending_webhooks,
            "request": { "id": self.request_id, "idempotency_key": self.idempotency_key }, "type": self.kind,
        })
    }
}
