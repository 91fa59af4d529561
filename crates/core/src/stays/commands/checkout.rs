//! Asking for a page on which a held stay can be paid.

use serde::{Deserialize, Serialize};
use smol_str::SmolStr;

use super::Decision;
use super::create_stay::{StayReply, stay_reply};
use crate::kernel::{Command, Facts, Hold, HoldId, Invalid, Reads, Refusal, Stop, Timestamp};
use crate::operations::{Operation, OperationKey, enqueue};
use crate::stays::booking::{change_stay, property_of};
use crate::stays::operations::{checkout_key, create_checkout_session, outlive, session_end};
use crate::stays::{
    Checkout, CheckoutPage, Payment, PaymentKey, PaymentState, Property, Reservation, Stay, StayRefusal,
};

const URL_BYTES_MAX: usize = 2_000;
/// Each page prolongs the hold, whatever the tenant's ceiling is: without an end to them nobody would ever have to pay.
pub const PAGES_MAX: u32 = 10;

/// Asks for the page. One that is open, or on its way, is told again instead of made twice. The hold outlives the page.
///
/// Refuses, in this order: no such stay; booked already; the hold has ended; no payment account; nothing to pay; the
/// money is on its way; as many pages as a stay may have; a lifetime beyond all limits.
#[derive(Clone, Debug)]
pub struct RequestCheckout {
    hold: HoldId,
    success_url: SmolStr,
    cancel_url: SmolStr,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct CheckoutReply {
    /// `None` while it is being made, by the operation.
    pub page: Option<CheckoutPage>,
    pub operation: OperationKey,
    /// The page's.
    pub expires_at: Timestamp,
    pub hold_expires_at: Timestamp,
}

impl RequestCheckout {
    /// Where the payer is sent afterwards.
    pub fn new(hold: HoldId, success_url: &str, cancel_url: &str) -> Result<RequestCheckout, Invalid> {
        check_url("success_url", success_url)?;
        check_url("cancel_url", cancel_url)?;
        Ok(RequestCheckout { hold, success_url: success_url.into(), cancel_url: cancel_url.into() })
    }
}

fn check_url(what: &str, url: &str) -> Result<(), Invalid> {
    let what = || what.to_owned();
    if url.len() > URL_BYTES_MAX {
        return Err(Invalid::NameTooLong { what: what(), bytes: url.len(), bytes_max: URL_BYTES_MAX });
    }
    let rest = url.strip_prefix("https://").or_else(|| url.strip_prefix("http://")).unwrap_or_default();
    let legal = !rest.is_empty() && !url.chars().any(|c| c.is_control() || c.is_whitespace());
    if legal { Ok(()) } else { Err(Invalid::NameMalformed { what: what() }) }
}

impl Command for RequestCheckout {
    const NAME: &'static str = "request_checkout";
    type Reply = CheckoutReply;
    type Refusal = StayRefusal;

    fn reads(&self, reads: &mut Reads<'_>) {
        reads.record::<Stay>(&self.hold);
        reads.record::<Hold>(&self.hold);
        reads.record::<Reservation>(&self.hold);
    }

    fn decide(&self, facts: &mut Facts) -> Result<CheckoutReply, Stop<StayRefusal>> {
        let known = stay_reply(facts, self.hold)?;
        let property = property_of(facts, &known.stay.property)?;
        require_payable(facts, &known, &property)?;
        if let Some(reply) = open_checkout(facts, &known)? {
            facts.mark_replayed();
            return Ok(reply);
        }
        let number = known.stay.checkout.as_ref().map_or(0, |checkout| checkout.number).strict_add(1);
        if number > PAGES_MAX {
            return Err(StayRefusal::TooManyPages { max: PAGES_MAX }.into());
        }
        let expires_at = session_end(known.hold.expires_at, facts.now());
        outlive(facts, &known.hold, expires_at, property.terms.session_grace_secs)?;
        let checkout = Checkout { number, page: None, expires_at };
        change_stay(facts, self.hold, |stay| stay.checkout = Some(checkout.into()))?;
        let (success_url, cancel_url) = (self.success_url.clone(), self.cancel_url.clone());
        let operation = create_checkout_session(self.hold, number, success_url, cancel_url);
        enqueue(facts, &operation)?;
        let hold_expires_at = stay_reply(facts, self.hold)?.hold.expires_at;
        Ok(CheckoutReply { page: None, operation: operation.key, expires_at, hold_expires_at })
    }
}

fn require_payable(facts: &Facts, known: &StayReply, property: &Property) -> Decision<()> {
    if let Some(reservation) = &known.reservation {
        let (hold, made_by, paid) = (known.stay.hold, reservation.source, reservation.paid);
        return Err(StayRefusal::ReservationExists { hold, source: made_by, paid }.into());
    }
    if !known.hold.is_live(facts.now()) {
        return Err(Refusal::HoldEnded { state: known.hold.state }.into());
    }
    if property.payment_account.is_none() {
        return Err(StayRefusal::PaymentsNotSetUp { property: property.name.clone() }.into());
    }
    if known.stay.total == 0 {
        return Err(StayRefusal::NothingToPay.into());
    }
    if known.stay.awaiting_payment {
        return Err(StayRefusal::PaymentOnItsWay.into());
    }
    Ok(())
}

/// The page that is there, or that is being made.
fn open_checkout(facts: &mut Facts, known: &StayReply) -> Decision<Option<CheckoutReply>> {
    let Some(checkout) = &known.stay.checkout else { return Ok(None) };
    let (hold, now) = (known.stay.hold, facts.now());
    let operation = checkout_key(hold, checkout.number);
    let is_open = match &checkout.page {
        Some(page) => {
            let payment = facts.get::<Payment>(&PaymentKey::stripe(&page.session))?;
            now < checkout.expires_at && payment.is_some_and(|payment| payment.state == PaymentState::Created)
        }
        None => facts.get::<Operation>(&operation)?.is_some_and(|operation| operation.outcome.is_none()),
    };
    let (page, expires_at, hold_expires_at) = (checkout.page.clone(), checkout.expires_at, known.hold.expires_at);
    Ok(is_open.then_some(CheckoutReply { page, operation, expires_at, hold_expires_at }))
}
