//! The requests that are made of Stripe, each as one call. Whatever changes something bears an idempotency key.

use smol_str::SmolStr;
use surehold_core::kernel::Timestamp;
use surehold_core::stays::operations::{NewRefund, NewSession};

use super::client::{CallError, Stripe, Way};
use super::event::ListedEvent;
use super::form::Form;
use super::objects::{CheckoutSession, List, Metadata, Refund};

/// Stripe's own bound.
pub const PAGE_ROWS_MAX: u32 = 100;

/// Which events are listed; the newest come first. Stripe keeps them for 30 days.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct EventsQuery {
    /// All if empty. Stripe takes at most 20.
    pub kinds: Vec<SmolStr>,
    /// In seconds since 1970.
    pub created_from: Option<i64>,
    /// The page of those that are older than this event.
    pub starting_after: Option<SmolStr>,
    /// The page of those that are newer than this event.
    pub ending_before: Option<SmolStr>,
}

/// Which sessions are listed; the newest come first.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SessionsQuery {
    /// In seconds since 1970, both included.
    pub created_from: Option<i64>,
    pub created_to: Option<i64>,
    pub starting_after: Option<SmolStr>,
}

impl Stripe {
    pub async fn create_session(&self, key: &str, session: &NewSession) -> Result<CheckoutSession, CallError> {
        let way = Way::Change { idempotency_key: key };
        self.send(&session.account, way, &["checkout", "sessions"], session_form(session)).await
    }

    /// Only an open session can be expired; Stripe refuses to expire any other.
    pub async fn expire_session(&self, key: &str, account: &str, session: &str) -> Result<CheckoutSession, CallError> {
        let way = Way::Change { idempotency_key: key };
        self.send(account, way, &["checkout", "sessions", session, "expire"], Form::new()).await
    }

    pub async fn session(&self, account: &str, session: &str) -> Result<CheckoutSession, CallError> {
        self.send(account, Way::Ask, &["checkout", "sessions", session], Form::new()).await
    }

    pub async fn sessions(&self, account: &str, query: &SessionsQuery) -> Result<List<CheckoutSession>, CallError> {
        self.send(account, Way::Ask, &["checkout", "sessions"], sessions_form(query)).await
    }

    pub async fn create_refund(
        &self,
        key: &str,
        refund: &NewRefund,
        payment_intent: &str,
    ) -> Result<Refund, CallError> {
        let way = Way::Change { idempotency_key: key };
        self.send(&refund.account, way, &["refunds"], refund_form(refund, payment_intent)).await
    }

    pub async fn refunds(
        &self,
        account: &str,
        payment_intent: &str,
        starting_after: Option<&str>,
    ) -> Result<List<Refund>, CallError> {
        let mut form = Form::new();
        form.put(&["payment_intent"], payment_intent);
        form.put_some(&["starting_after"], starting_after);
        form.put(&["limit"], PAGE_ROWS_MAX);
        self.send(account, Way::Ask, &["refunds"], form).await
    }

    pub async fn events(&self, account: &str, query: &EventsQuery) -> Result<List<ListedEvent>, CallError> {
        self.send(account, Way::Ask, &["events"], events_form(query)).await
    }
}

fn session_form(session: &NewSession) -> Form {
    let mut form = Form::new();
    let currency = session.currency.as_str().to_ascii_lowercase();
    form.put(&["mode"], "payment");
    for (index, item) in session.items.iter().enumerate() {
        let index = index.to_string();
        let line_items = ["line_items", index.as_str()];
        let mut put = |path: &[&str], value: &str| form.put(&[&line_items, path].concat(), value);
        put(&["price_data", "currency"], &currency);
        put(&["price_data", "unit_amount"], &item.amount.to_string());
        put(&["price_data", "product_data", "name"], &item.name);
        put(&["quantity"], &item.quantity.to_string());
    }
    form.put(&["success_url"], &session.success_url);
    form.put(&["cancel_url"], &session.cancel_url);
    form.put(&["client_reference_id"], session.reference);
    form.put(&["expires_at"], whole_secs(session.expires_at));
    form.put_all(&["metadata"], texts(&session.metadata));
    form.put_all(&["payment_intent_data", "metadata"], texts(&session.metadata));
    form
}

fn refund_form(refund: &NewRefund, payment_intent: &str) -> Form {
    let mut form = Form::new();
    form.put(&["payment_intent"], payment_intent);
    form.put(&["amount"], refund.amount);
    form.put_all(&["metadata"], texts(&refund.metadata));
    form
}

/// Stripe counts whole seconds. Rounded down: a page never outlives its hold.
pub(super) fn whole_secs(at: Timestamp) -> i64 {
    at.micros().div_euclid(1_000_000)
}

fn sessions_form(query: &SessionsQuery) -> Form {
    let mut form = Form::new();
    form.put_some(&["created", "gte"], query.created_from);
    form.put_some(&["created", "lte"], query.created_to);
    form.put_some(&["starting_after"], query.starting_after.as_ref());
    form.put(&["limit"], PAGE_ROWS_MAX);
    form
}

fn events_form(query: &EventsQuery) -> Form {
    let mut form = Form::new();
    for kind in &query.kinds {
        form.put(&["types", ""], kind);
    }
    form.put_some(&["created", "gte"], query.created_from);
    form.put_some(&["starting_after"], query.starting_after.as_ref());
    form.put_some(&["ending_before"], query.ending_before.as_ref());
    form.put(&["limit"], PAGE_ROWS_MAX);
    form
}

fn texts(metadata: &Metadata) -> impl Iterator<Item = (&str, &str)> {
    metadata.iter().map(|(name, value)| (name.as_str(), value.as_str()))
}
