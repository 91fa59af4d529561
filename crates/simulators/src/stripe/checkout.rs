//! Checkout sessions: made, looked at, expired by command or by the clock. Paying is in `payments.rs`.

use serde_json::Value;

use super::answer::ApiError;
use super::books::Books;
use super::form::{Params, not_an_integer};
use super::listing::{PAGING, Page};
use super::objects::{IntentStatus, LineItem, Method, Session, SessionStatus};
use super::table::AccountNo;

const LIFETIME_SECS_MIN: i64 = 30 * 60;
const LIFETIME_SECS_MAX: i64 = 24 * 60 * 60;
const LINE_ITEMS_MAX: usize = 100;
/// Of the smallest unit. Stripe's differs by currency; this is what most have.
const AMOUNT_MIN: i64 = 50;
const AMOUNT_MAX: i64 = 99_999_999;
const REFERENCE_CHARS_MAX: usize = 200;

/// The last ones are known and change nothing here.
const CREATE: [&str; 18] = [
    "mode",
    "success_url",
    "cancel_url",
    "client_reference_id",
    "currency",
    "customer_email",
    "expires_at",
    "line_items",
    "metadata",
    "payment_intent_data",
    "payment_method_types",
    "expand",
    "billing_address_collection",
    "customer_creation",
    "locale",
    "payment_method_options",
    "submit_type",
    "ui_mode",
];

impl Books {
    pub(super) fn create_session(&mut self, account: AccountNo, params: &Params) -> Result<Value, ApiError> {
        params.only(&CREATE)?;
        if params.required("mode")? != "payment" {
            return Err(ApiError::invalid(None, "mode", "Only `payment` is simulated."));
        }
        let now_secs = self.clock.now_secs();
        let items = read_items(params)?;
        let currency = read_currency(params, "line_items[0][price_data][currency]")?;
        let amount_total = items.iter().map(|item| item.unit_amount.saturating_mul(item.quantity)).sum();
        if amount_total < AMOUNT_MIN {
            let message = "The Checkout Session's total amount must convert to at least 50 cents.";
            return Err(ApiError::invalid(Some("amount_too_small"), "line_items", message));
        }
        if amount_total > AMOUNT_MAX {
            let message = "The Checkout Session's total amount is too large.";
            return Err(ApiError::invalid(Some("amount_too_large"), "line_items", message));
        }
        let client_reference_id = params.text("client_reference_id")?.map(str::to_owned);
        if client_reference_id.as_ref().is_some_and(|id| id.chars().count() > REFERENCE_CHARS_MAX) {
            let message = "Invalid string: client_reference_id has up to 200 characters.";
            return Err(ApiError::invalid(None, "client_reference_id", message));
        }
        let session = Session {
            account,
            created: now_secs,
            expires_at: read_expiry(params, now_secs)?,
            currency,
            items,
            amount_total,
            client_reference_id,
            customer_email: params.text("customer_email")?.map(str::to_owned),
            metadata: params.metadata("metadata")?,
            intent_metadata: params.metadata("payment_intent_data[metadata]")?,
            success_url: read_url(params, "success_url")?.ok_or_else(|| ApiError::missing_param("success_url"))?,
            cancel_url: read_url(params, "cancel_url")?,
            methods: read_methods(params)?,
            status: SessionStatus::Open,
            paid: false,
            intent: None,
            intent_id: None,
            page_url: String::new(),
            id: String::new(),
        };
        Ok(self.open_session(session))
    }

    fn open_session(&mut self, session: Session) -> Value {
        let id = self.ids.object("cs_test");
        let page_url = format!("{}/{id}", self.page_url);
        let session = Session { id, page_url, ..session };
        let (json, expires_at) = (session.json(), session.expires_at);
        let place = self.sessions.push(session);
        self.open.insert((expires_at, place));
        json
    }

    pub(super) fn get_session(&self, account: AccountNo, id: &str, params: &Params) -> Result<Value, ApiError> {
        params.only(&["expand"])?;
        let place = self.sessions.place_of(account, id).ok_or_else(|| no_such(id))?;
        Ok(self.show_session(&self.sessions[place], &params.list("expand")))
    }

    fn show_session(&self, session: &Session, expand: &[String]) -> Value {
        let mut json = session.json();
        let wants = |name: &str| expand.iter().any(|path| path == name || path.starts_with(&format!("{name}.")));
        if let Some(intent) = session.intent
            && wants("payment_intent")
        {
            let charge = expand.iter().any(|path| path == "payment_intent.latest_charge");
            json["payment_intent"] = self.show_intent(intent, charge);
        }
        json
    }

    pub(super) fn list_sessions(&self, account: AccountNo, params: &Params) -> Result<Value, ApiError> {
        params.only(&[&PAGING[..], &["payment_intent", "status"]].concat())?;
        let intent = params.text("payment_intent")?;
        let status = params.text("status")?;
        let wanted = |session: &Session| {
            intent.is_none_or(|id| session.intent_id.as_deref() == Some(id))
                && status.is_none_or(|status| session.status.word() == status)
        };
        Page::read(params)?.of(&self.sessions, account, "/v1/checkout/sessions", wanted, Session::json)
    }

    /// `POST …/expire`
    pub(super) fn expire_by_request(
        &mut self,
        account: AccountNo,
        id: &str,
        params: &Params,
    ) -> Result<Value, ApiError> {
        params.only(&["expand"])?;
        let place = self.sessions.place_of(account, id).ok_or_else(|| no_such(id))?;
        match self.sessions[place].status {
            SessionStatus::Open => {}
            SessionStatus::Complete | SessionStatus::Expired => {
                let status = self.sessions[place].status.word();
                let message = format!(
                    "Only Checkout Sessions with a status in [\"open\"] can be expired. This Checkout Session has a \
                     status of `{status}`."
                );
                return Err(ApiError::refused(None, message));
            }
        }
        self.expire_session(place, self.clock.now_secs());
        Ok(self.sessions[place].json())
    }

    /// Of an open session.
    pub(super) fn expire_session(&mut self, place: usize, at_secs: i64) {
        let session = &mut self.sessions[place];
        debug_assert_eq!(session.status, SessionStatus::Open);
        session.status = SessionStatus::Expired;
        self.open.remove(&(session.expires_at, place));
        let (account, intent, json) = (session.account, session.intent, session.json());
        if let Some(intent) = intent {
            self.intents[intent].status = IntentStatus::Canceled;
            self.emit_at(at_secs, account, "payment_intent.canceled", self.intents[intent].json());
        }
        self.emit_at(at_secs, account, "checkout.session.expired", json);
    }
}

impl SessionStatus {
    pub(super) fn word(self) -> &'static str {
        match self {
            SessionStatus::Open => "open",
            SessionStatus::Complete => "complete",
            SessionStatus::Expired => "expired",
        }
    }
}

fn no_such(id: &str) -> ApiError {
    ApiError::no_such("checkout.session", "session", id)
}

fn read_expiry(params: &Params, now_secs: i64) -> Result<i64, ApiError> {
    let Some(expires_at) = params.integer("expires_at")? else { return Ok(now_secs + LIFETIME_SECS_MAX) };
    let message = if expires_at < now_secs + LIFETIME_SECS_MIN {
        "The `expires_at` timestamp must be at least 30 minutes from Checkout Session creation."
    } else if expires_at > now_secs + LIFETIME_SECS_MAX {
        "The `expires_at` timestamp must be less than 24 hours from Checkout Session creation."
    } else {
        return Ok(expires_at);
    };
    Err(ApiError::invalid(None, "expires_at", message))
}

fn read_items(params: &Params) -> Result<Vec<LineItem>, ApiError> {
    let indexes = params.indexes("line_items");
    if indexes.is_empty() {
        return Err(ApiError::missing_param("line_items"));
    }
    if indexes.len() > LINE_ITEMS_MAX {
        return Err(ApiError::invalid(None, "line_items", "There are up to 100 line items."));
    }
    indexes.into_iter().map(|index| read_item(params, index)).collect()
}

fn read_item(params: &Params, index: usize) -> Result<LineItem, ApiError> {
    let name = |rest: &str| format!("line_items[{index}]{rest}");
    if let Some(price) = params.text(&name("[price]"))? {
        return Err(ApiError::no_such_in("price", &name("[price]"), price));
    }
    let at_least = |rest: &str, least: i64| {
        let name = name(rest);
        let number = params.integer(&name)?.ok_or_else(|| ApiError::missing_param(&name))?;
        if number < least { Err(not_an_integer(&name, &number.to_string())) } else { Ok(number) }
    };
    let currency = read_currency(params, &name("[price_data][currency]"))?;
    if currency != read_currency(params, "line_items[0][price_data][currency]")? {
        let message = "All line items have the same currency.";
        return Err(ApiError::invalid(None, &name("[price_data][currency]"), message));
    }
    Ok(LineItem {
        name: params.required(&name("[price_data][product_data][name]"))?.to_owned(),
        unit_amount: at_least("[price_data][unit_amount]", 0)?,
        quantity: at_least("[quantity]", 1)?,
    })
}

fn read_currency(params: &Params, name: &str) -> Result<String, ApiError> {
    let currency = params.required(name)?;
    if currency.len() != 3 || !currency.bytes().all(|byte| byte.is_ascii_alphabetic()) {
        return Err(ApiError::invalid(None, name, format!("Invalid currency: {currency}.")));
    }
    Ok(currency.to_ascii_lowercase())
}

fn read_url(params: &Params, name: &str) -> Result<Option<String>, ApiError> {
    let Some(url) = params.text(name)? else { return Ok(None) };
    if !url.starts_with("http://") && !url.starts_with("https://") {
        let message = "Not a valid URL. URLs have an explicit scheme, such as https.";
        return Err(ApiError::invalid(Some("url_invalid"), name, message));
    }
    Ok(Some(url.to_owned()))
}

/// All that are simulated when none is named, as if the account had switched them on.
fn read_methods(params: &Params) -> Result<Vec<String>, ApiError> {
    let named = params.list("payment_method_types");
    let known = Method::ALL.map(Method::word);
    if let Some(unknown) = named.iter().find(|name| !known.contains(&name.as_str())) {
        let message = format!("The payment method type provided: {unknown} is invalid.");
        return Err(ApiError::invalid(None, "payment_method_types", message));
    }
    Ok(if named.is_empty() { known.map(str::to_owned).to_vec() } else { named })
}
