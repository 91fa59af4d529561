//! Refunds: never more than what is left, never of what a bank has taken back. And the list of events.

use serde_json::Value;

use super::answer::ApiError;
use super::books::Books;
use super::form::{Params, not_an_integer};
use super::listing::{PAGING, Page};
use super::objects::{DisputeStatus, Event, Metadata, Refund, RefundStatus};
use super::payments::{Impossible, Settlement, no_such};
use super::table::AccountNo;

const REASONS: [&str; 3] = ["duplicate", "fraudulent", "requested_by_customer"];
/// How far the list of events goes back.
const EVENTS_KEPT_SECS: i64 = 30 * 24 * 60 * 60;

impl Books {
    pub(super) fn create_refund(&mut self, account: AccountNo, params: &Params) -> Result<Value, ApiError> {
        params.only(&["payment_intent", "charge", "amount", "reason", "metadata", "expand", "instructions_email"])?;
        let amount = params.integer("amount")?;
        if let Some(amount) = amount.filter(|amount| *amount < 1) {
            return Err(not_an_integer("amount", &amount.to_string()));
        }
        let reason = params.text("reason")?;
        if let Some(unknown) = reason.filter(|reason| !REASONS.contains(reason)) {
            let message = format!("Invalid reason: {unknown}. It is one of {}.", REASONS.join(", "));
            return Err(ApiError::invalid(None, "reason", message));
        }
        let metadata = params.metadata("metadata")?;
        let charge = self.charge_to_refund(account, params)?;
        let reason = reason.map(str::to_owned);
        let place = self.refund(charge, amount, reason, metadata)?;
        Ok(self.refunds[place].json())
    }

    fn charge_to_refund(&self, account: AccountNo, params: &Params) -> Result<usize, ApiError> {
        match (params.text("payment_intent")?, params.text("charge")?) {
            (Some(id), None) => {
                let missing = || ApiError::no_such_in("payment_intent", "payment_intent", id);
                let intent = self.intents.place_of(account, id).ok_or_else(missing)?;
                self.intents[intent].charge.filter(|charge| self.charges[*charge].succeeded).ok_or_else(|| {
                    let message = format!("This PaymentIntent ({id}) does not have a successful charge to refund.");
                    ApiError::refused(Some("payment_intent_unexpected_state"), message).param("payment_intent")
                })
            }
            (None, Some(id)) => {
                let missing = || ApiError::no_such_in("charge", "charge", id);
                self.charges.place_of(account, id).ok_or_else(missing)
            }
            (Some(_), Some(_)) => {
                let message = "You may only specify one of these parameters: charge, payment_intent.";
                Err(ApiError::invalid(None, "payment_intent", message))
            }
            (None, None) => {
                let message =
                    "One of the following params should be provided for this request: payment_intent or charge.";
                Err(ApiError::invalid(Some("parameter_missing"), "payment_intent", message))
            }
        }
    }

    /// The place of the new refund. Without an amount: all that is left.
    fn refund(
        &mut self,
        place: usize,
        amount: Option<i64>,
        reason: Option<String>,
        metadata: Metadata,
    ) -> Result<usize, ApiError> {
        self.check_refund(place, amount)?;
        let charge = &mut self.charges[place];
        let amount = amount.unwrap_or(charge.amount - charge.amount_refunded);
        charge.amount_refunded += amount;
        debug_assert!(charge.amount_refunded <= charge.amount);
        let refund = Refund {
            id: self.ids.object("re"),
            account: charge.account,
            created: self.clock.now_secs(),
            charge: place,
            charge_id: charge.id.clone(),
            intent_id: charge.intent_id.clone(),
            amount,
            currency: charge.currency.clone(),
            reason,
            metadata,
            status: if self.refunds_pend { RefundStatus::Pending } else { RefundStatus::Succeeded },
        };
        let (account, charge_json, refund_json) = (charge.account, charge.json(), refund.json());
        let refund = self.refunds.push(refund);
        self.emit(account, "refund.created", refund_json);
        self.emit(account, "charge.refunded", charge_json);
        Ok(refund)
    }

    fn check_refund(&self, place: usize, amount: Option<i64>) -> Result<(), ApiError> {
        let charge = &self.charges[place];
        let id = &charge.id;
        if !charge.succeeded {
            return Err(ApiError::refused(None, format!("Charge {id} was not successful.")));
        }
        let charged_back = charge.dispute.is_some_and(|dispute| match self.disputes[dispute].status {
            DisputeStatus::NeedsResponse | DisputeStatus::Lost => true,
            DisputeStatus::Won => false,
        });
        if charged_back {
            let message = format!("Charge {id} has been charged back; cannot issue a refund.");
            return Err(ApiError::refused(Some("charge_disputed"), message));
        }
        let left = charge.amount - charge.amount_refunded;
        if left == 0 {
            let message = format!("Charge {id} has already been refunded.");
            return Err(ApiError::refused(Some("charge_already_refunded"), message));
        }
        if let Some(amount) = amount.filter(|amount| *amount > left) {
            let message = format!("Refund amount ({amount}) is greater than unrefunded amount on charge ({left})");
            return Err(ApiError::refused(Some("amount_too_large"), message).param("amount"));
        }
        Ok(())
    }

    /// By the merchant, on Stripe's own pages: nobody asked by the API.
    pub(super) fn refund_by_hand(&mut self, intent: &str, amount: Option<i64>) -> Result<String, Impossible> {
        let place = self.intents.place(intent).ok_or_else(|| no_such(intent))?;
        let charge = self.intents[place].charge.ok_or(Impossible::NothingToSettle)?;
        let refund = self.refund(charge, amount, None, Metadata::new());
        let refund = refund.map_err(|error| Impossible::RefundRefused { message: error.message().to_owned() })?;
        Ok(self.refunds[refund].id.clone())
    }

    /// A pending refund ends, or one that had succeeded turns out to have failed.
    pub(super) fn finish_refund(&mut self, refund: &str, end: Settlement) -> Result<(), Impossible> {
        let place = self.refunds.place(refund).ok_or_else(|| no_such(refund))?;
        let row = &mut self.refunds[place];
        let (status, kind) = match (row.status, end) {
            (RefundStatus::Pending, Settlement::Success) => (RefundStatus::Succeeded, None),
            (RefundStatus::Pending | RefundStatus::Succeeded, Settlement::Failure) => {
                self.charges[row.charge].amount_refunded -= row.amount;
                (RefundStatus::Failed, Some("refund.failed"))
            }
            (RefundStatus::Succeeded, Settlement::Success) | (RefundStatus::Failed, _) => {
                return Err(Impossible::RefundEnded);
            }
        };
        row.status = status;
        let (account, json) = (row.account, row.json());
        for kind in ["refund.updated", "charge.refund.updated"].into_iter().chain(kind) {
            self.emit(account, kind, json.clone());
        }
        Ok(())
    }

    pub(super) fn get_refund(&self, account: AccountNo, id: &str, params: &Params) -> Result<Value, ApiError> {
        params.only(&["expand"])?;
        let place = self.refunds.place_of(account, id).ok_or_else(|| ApiError::no_such("refund", "id", id))?;
        Ok(self.refunds[place].json())
    }

    pub(super) fn list_refunds(&self, account: AccountNo, params: &Params) -> Result<Value, ApiError> {
        params.only(&[&PAGING[..], &["payment_intent", "charge"]].concat())?;
        let (intent, charge) = (params.text("payment_intent")?, params.text("charge")?);
        let wanted = |refund: &Refund| {
            intent.is_none_or(|id| refund.intent_id == id) && charge.is_none_or(|id| refund.charge_id == id)
        };
        Page::read(params)?.of(&self.refunds, account, "/v1/refunds", wanted, Refund::json)
    }

    pub(super) fn get_event(&self, account: AccountNo, id: &str, params: &Params) -> Result<Value, ApiError> {
        params.only(&["expand"])?;
        let place = self.events.place_of(account, id).ok_or_else(|| ApiError::no_such("event", "id", id))?;
        Ok(self.events[place].json())
    }

    pub(super) fn list_events(&self, account: AccountNo, params: &Params) -> Result<Value, ApiError> {
        params.only(&[&PAGING[..], &["type", "types", "delivery_success"]].concat())?;
        let kind = params.text("type")?;
        let kinds = params.list("types");
        if kind.is_some() && !kinds.is_empty() {
            let message = "You may only specify one of these parameters: type, types.";
            return Err(ApiError::invalid(None, "types", message));
        }
        let oldest = self.clock.now_secs() - EVENTS_KEPT_SECS;
        let wanted = |event: &Event| {
            event.created >= oldest
                && kind.is_none_or(|pattern| matches_kind(pattern, event.kind))
                && (kinds.is_empty() || kinds.iter().any(|kind| kind == event.kind))
        };
        Page::read(params)?.of(&self.events, account, "/v1/events", wanted, Event::json)
    }
}

/// `charge.*` means all that begin so.
fn matches_kind(pattern: &str, kind: &str) -> bool {
    pattern.strip_suffix('*').map_or(pattern == kind, |beginning| kind.starts_with(beginning))
}
