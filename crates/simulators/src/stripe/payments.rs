//! What customers and their banks do: pay at once, pay later, fail to, take it back. None of it comes by the API.

use serde_json::Value;

use super::answer::ApiError;
use super::books::Books;
use super::form::Params;
use super::objects::{Charge, Dispute, DisputeStatus, Intent, IntentStatus, Method, SessionStatus};
use super::table::AccountNo;

/// What a customer or a bank cannot do.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Impossible {
    #[error("there is no {id}")]
    NoSuch { id: String },
    #[error("the session is {status}, not open")]
    NotOpen { status: &'static str },
    #[error("the session does not take {method}")]
    MethodNotOffered { method: &'static str },
    #[error("no payment of the session is on its way")]
    NothingToSettle,
    #[error("the charge cannot be disputed")]
    NotDisputable,
    #[error("the dispute is closed")]
    DisputeClosed,
    #[error("the refund has ended")]
    RefundEnded,
    #[error("the refund was refused: {message}")]
    RefundRefused { message: String },
}

/// How a payment ends that is made later.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Settlement {
    Success,
    Failure,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DisputeEnd {
    Won,
    Lost,
}

impl Books {
    /// The page that the customer is sent to.
    pub(super) fn pay(&mut self, session: &str, method: Method) -> Result<String, Impossible> {
        let place = self.open_place(session)?;
        if !self.sessions[place].methods.iter().any(|offered| offered == method.word()) {
            return Err(Impossible::MethodNotOffered { method: method.word() });
        }
        let intent = self.attempt(place, method);
        let now_secs = self.clock.now_secs();
        self.open.remove(&(self.sessions[place].expires_at, place));
        self.sessions[place].status = SessionStatus::Complete;
        match method {
            Method::Card => self.succeed(intent, now_secs),
            Method::Boleto => self.defer(intent, IntentStatus::RequiresAction, "payment_intent.requires_action"),
            Method::Pix => self.defer(intent, IntentStatus::Processing, "payment_intent.processing"),
        }
        let session = &self.sessions[place];
        let (account, json) = (session.account, session.json());
        let url = session.success_url.replace("{CHECKOUT_SESSION_ID}", &session.id);
        self.emit(account, "checkout.session.completed", json);
        Ok(url)
    }

    /// The card is refused; the session stays open.
    pub(super) fn decline(&mut self, session: &str) -> Result<(), Impossible> {
        let place = self.open_place(session)?;
        let intent = self.attempt(place, Method::Card);
        self.charge(intent, false, self.clock.now_secs());
        let intent = &mut self.intents[intent];
        intent.status = IntentStatus::RequiresPaymentMethod;
        intent.failure = Some("card_declined");
        let (account, json) = (intent.account, intent.json());
        self.emit(account, "payment_intent.payment_failed", json);
        Ok(())
    }

    pub(super) fn settle(&mut self, session: &str, settlement: Settlement) -> Result<(), Impossible> {
        let place = self.sessions.place(session).ok_or_else(|| no_such(session))?;
        let pending = self.sessions[place].intent.is_some_and(|intent| match self.intents[intent].status {
            IntentStatus::RequiresAction | IntentStatus::Processing => true,
            IntentStatus::RequiresPaymentMethod | IntentStatus::Succeeded | IntentStatus::Canceled => false,
        });
        if !pending {
            return Err(Impossible::NothingToSettle);
        }
        self.settling.retain(|(_, settling)| *settling != place);
        self.end_payment(place, settlement, self.clock.now_secs());
        Ok(())
    }

    /// By itself, at its time.
    pub(super) fn settle_due(&mut self, place: usize, at_secs: i64) {
        self.settling.remove(&(at_secs, place));
        self.end_payment(place, Settlement::Success, at_secs);
    }

    fn end_payment(&mut self, place: usize, settlement: Settlement, at_secs: i64) {
        let intent = self.sessions[place].intent.expect("a payment on its way has an intent");
        let account = self.sessions[place].account;
        let kind = match settlement {
            Settlement::Success => {
                self.succeed(intent, at_secs);
                "checkout.session.async_payment_succeeded"
            }
            Settlement::Failure => {
                self.intents[intent].status = IntentStatus::RequiresPaymentMethod;
                self.intents[intent].failure = Some("payment_intent_payment_attempt_failed");
                self.emit_at(at_secs, account, "payment_intent.payment_failed", self.intents[intent].json());
                "checkout.session.async_payment_failed"
            }
        };
        self.emit_at(at_secs, account, kind, self.sessions[place].json());
    }

    fn open_place(&self, session: &str) -> Result<usize, Impossible> {
        let place = self.sessions.place(session).ok_or_else(|| no_such(session))?;
        match self.sessions[place].status {
            SessionStatus::Open => Ok(place),
            status @ (SessionStatus::Complete | SessionStatus::Expired) => {
                Err(Impossible::NotOpen { status: status.word() })
            }
        }
    }

    /// The intent of the session, which is made when somebody first tries to pay.
    fn attempt(&mut self, place: usize, method: Method) -> usize {
        if let Some(intent) = self.sessions[place].intent {
            self.intents[intent].method = method;
            return intent;
        }
        let id = self.ids.object("pi");
        let session = &mut self.sessions[place];
        let intent = Intent {
            id: id.clone(),
            account: session.account,
            created: self.clock.now_secs(),
            session: place,
            amount: session.amount_total,
            currency: session.currency.clone(),
            metadata: session.intent_metadata.clone(),
            method,
            status: IntentStatus::RequiresPaymentMethod,
            failure: None,
            charge: None,
            charge_id: None,
        };
        let (account, json) = (intent.account, intent.json());
        let intent = self.intents.push(intent);
        session.intent = Some(intent);
        session.intent_id = Some(id);
        self.emit(account, "payment_intent.created", json);
        intent
    }

    fn defer(&mut self, intent: usize, status: IntentStatus, kind: &'static str) {
        self.intents[intent].status = status;
        self.intents[intent].failure = None;
        let (account, session) = (self.intents[intent].account, self.intents[intent].session);
        self.emit(account, kind, self.intents[intent].json());
        if let Some(secs) = self.settles_after_secs {
            self.settling.insert((self.clock.now_secs() + i64::from(secs), session));
        }
    }

    fn succeed(&mut self, intent: usize, at_secs: i64) {
        self.charge(intent, true, at_secs);
        let row = &mut self.intents[intent];
        row.status = IntentStatus::Succeeded;
        row.failure = None;
        let (account, session, json) = (row.account, row.session, row.json());
        self.sessions[session].paid = true;
        self.emit_at(at_secs, account, "payment_intent.succeeded", json);
    }

    fn charge(&mut self, intent: usize, succeeded: bool, at_secs: i64) {
        let id = self.ids.object("ch");
        let row = &mut self.intents[intent];
        let charge = Charge {
            id: id.clone(),
            account: row.account,
            created: at_secs,
            intent_id: row.id.clone(),
            amount: row.amount,
            amount_refunded: 0,
            currency: row.currency.clone(),
            metadata: row.metadata.clone(),
            method: row.method,
            succeeded,
            dispute: None,
            dispute_id: None,
        };
        row.charge_id = Some(id);
        let (account, json) = (charge.account, charge.json());
        row.charge = Some(self.charges.push(charge));
        let kind = if succeeded { "charge.succeeded" } else { "charge.failed" };
        self.emit_at(at_secs, account, kind, json);
    }

    /// The id of the dispute, over all that was not refunded.
    pub(super) fn dispute(&mut self, charge: &str) -> Result<String, Impossible> {
        let place = self.charges.place(charge).ok_or_else(|| no_such(charge))?;
        let id = self.ids.object("dp");
        let row = &mut self.charges[place];
        if !row.succeeded || row.dispute.is_some() || row.amount_refunded == row.amount {
            return Err(Impossible::NotDisputable);
        }
        let dispute = Dispute {
            id: id.clone(),
            account: row.account,
            created: self.clock.now_secs(),
            charge_id: row.id.clone(),
            intent_id: row.intent_id.clone(),
            amount: row.amount - row.amount_refunded,
            currency: row.currency.clone(),
            status: DisputeStatus::NeedsResponse,
        };
        let (account, json) = (dispute.account, dispute.json());
        row.dispute = Some(self.disputes.push(dispute));
        row.dispute_id = Some(id.clone());
        self.emit(account, "charge.dispute.created", json.clone());
        self.emit(account, "charge.dispute.funds_withdrawn", json);
        Ok(id)
    }

    pub(super) fn close_dispute(&mut self, dispute: &str, end: DisputeEnd) -> Result<(), Impossible> {
        let place = self.disputes.place(dispute).ok_or_else(|| no_such(dispute))?;
        let row = &mut self.disputes[place];
        if row.status != DisputeStatus::NeedsResponse {
            return Err(Impossible::DisputeClosed);
        }
        row.status = match end {
            DisputeEnd::Won => DisputeStatus::Won,
            DisputeEnd::Lost => DisputeStatus::Lost,
        };
        let (account, json) = (row.account, row.json());
        self.emit(account, "charge.dispute.closed", json.clone());
        match end {
            DisputeEnd::Won => self.emit(account, "charge.dispute.funds_reinstated", json),
            DisputeEnd::Lost => {}
        }
        Ok(())
    }

    pub(super) fn get_intent(&self, account: AccountNo, id: &str, params: &Params) -> Result<Value, ApiError> {
        params.only(&["expand"])?;
        let place =
            self.intents.place_of(account, id).ok_or_else(|| ApiError::no_such("payment_intent", "intent", id))?;
        Ok(self.show_intent(place, params.list("expand").iter().any(|path| path == "latest_charge")))
    }

    pub(super) fn show_intent(&self, place: usize, with_charge: bool) -> Value {
        let mut json = self.intents[place].json();
        if let Some(charge) = self.intents[place].charge
            && with_charge
        {
            json["latest_charge"] = self.charges[charge].json();
        }
        json
    }

    pub(super) fn get_charge(&self, account: AccountNo, id: &str, params: &Params) -> Result<Value, ApiError> {
        params.only(&["expand"])?;
        let place = self.charges.place_of(account, id).ok_or_else(|| ApiError::no_such("charge", "id", id))?;
        Ok(self.charges[place].json())
    }
}

pub(super) fn no_such(id: &str) -> Impossible {
    Impossible::NoSuch { id: id.to_owned() }
}
