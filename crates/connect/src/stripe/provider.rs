//! Carries out the effects that Stripe is asked for: sessions made and expired, refunds. Sessions and refunds are found
//! again by their metadata, which are of one request only. A tenant may use the accounts that are its own.

use std::sync::Arc;

use smol_str::{SmolStr, format_smolstr};
use surehold_core::kernel::TenantId;
use surehold_core::operations::commands::EffectCall;
use surehold_core::stays::operations::{
    CreateCheckoutSession, ExpireCheckoutSession, NewRefund, NewSession, PaymentRequest, ProcessStripeEvent,
    RefundPayment, SessionExpiry,
};
use surehold_engine::{BoxFuture, Provider, ProviderAnswer, Registry};

use super::amounts::{refund_in_stripes_units, session_in_stripes_units};
use super::answers::RefusalAnswer;
use super::calls::{SessionsQuery, whole_secs};
use super::client::{CallError, Refusal, Stripe};
use super::homes::Homes;
use super::objects::{CheckoutSession, Metadata, Refund};
use super::told::{
    error_kept, has_ended, is_key_misused, not_done, refund_done, rejected, session_done, told_by_error,
    told_by_unasked, told_by_unprepared, unanswered,
};

/// Of a list that is looked through. Beyond that it cannot be told what became of a request.
pub const PROBE_PAGES_MAX: usize = 20;

/// Our clock and Stripe's may differ by this much before a session is looked for in the wrong place.
const CLOCKS_APART_SECS: i64 = 300;
/// Stripe makes no session that expires sooner than this after it was made.
const SESSION_SECS_MIN: i64 = 1_800;

#[derive(Clone, Debug)]
pub struct StripeProvider {
    stripe: Stripe,
    homes: Homes,
}

impl StripeProvider {
    pub fn new(stripe: Stripe, homes: Homes) -> StripeProvider {
        StripeProvider { stripe, homes }
    }

    /// Adds the types of operation that stays are paid by. Without any account they say so when they are carried out.
    #[must_use]
    pub fn register(self, registry: Registry) -> Registry {
        let provider: Arc<dyn Provider> = Arc::new(self);
        registry
            .state(ProcessStripeEvent)
            .effect(CreateCheckoutSession, Arc::clone(&provider))
            .effect(ExpireCheckoutSession, Arc::clone(&provider))
            .effect(RefundPayment, provider)
    }

    async fn make(&self, call: &EffectCall) -> ProviderAnswer {
        let Ok(request) = call.request.read::<PaymentRequest>() else {
            return rejected("malformed", "the request to Stripe cannot be read", &RefusalAnswer::default());
        };
        if let Err(told) = self.admit(call.tenant, request.account()).await {
            return told;
        }
        let key = &call.idempotency_key;
        match request {
            PaymentRequest::CreateSession(session) => match session_in_stripes_units(session) {
                Some(session) => self.create_session(key, &session).await,
                None => amount_unpayable(),
            },
            PaymentRequest::ExpireSession(expiry) => self.expire(key, &expiry).await,
            PaymentRequest::Refund(refund) => match refund_in_stripes_units(refund) {
                Some(refund) => self.refund(key, &refund).await,
                None => amount_unpayable(),
            },
        }
    }

    /// Names of accounts come out of the tenant's own records: another's must be as good as none.
    async fn admit(&self, tenant: TenantId, account: &str) -> Result<(), ProviderAnswer> {
        match self.homes.tenant(account).await {
            Ok(Some(home)) if home == tenant => Ok(()),
            Ok(_) => {
                let error = format!("no Stripe account `{account}` is configured for this tenant");
                Err(not_done("account-unknown", error, None))
            }
            Err(fault) => Err(not_done("store", fault.to_string(), None)),
        }
    }

    async fn create_session(&self, key: &str, session: &NewSession) -> ProviderAnswer {
        match self.stripe.create_session(key, session).await {
            Ok(session) => session_done(&session),
            Err(error) => told_by_error(&error),
        }
    }

    async fn refund(&self, key: &str, refund: &NewRefund) -> ProviderAnswer {
        let intent = match self.intent_of(refund).await {
            Ok(Some(intent)) => intent,
            Ok(None) => {
                let error = "the session has no payment that could be given back";
                return rejected("nothing-paid", error, &RefusalAnswer::default());
            }
            Err(error) => return told_by_unprepared(&error),
        };
        match self.stripe.create_refund(key, refund, &intent).await {
            Ok(refund) => refund_done(&refund),
            Err(error) => told_by_error(&error),
        }
    }

    /// A session has one payment intent and keeps it, so that a repeat of the request is the same.
    async fn intent_of(&self, refund: &NewRefund) -> Result<Option<SmolStr>, CallError> {
        if let Some(intent) = &refund.payment_intent {
            return Ok(Some(intent.clone()));
        }
        Ok(self.stripe.session(&refund.account, &refund.session).await?.payment_intent)
    }

    async fn expire(&self, key: &str, expiry: &SessionExpiry) -> ProviderAnswer {
        match self.stripe.expire_session(key, &expiry.account, &expiry.session).await {
            Ok(session) if has_ended(&session) == Some(true) => session_done(&session),
            Ok(_) => unanswered("unexpected", "Stripe expired a session that is not expired"),
            Err(CallError::Refused(refusal)) if refusal.status == 400 && !is_key_misused(&refusal) => {
                self.not_expired(expiry, &refusal).await
            }
            Err(error) => told_by_error(&error),
        }
    }

    /// Stripe refuses to expire what has ended, without a code that says so: the session itself is asked.
    async fn not_expired(&self, expiry: &SessionExpiry, refusal: &Refusal) -> ProviderAnswer {
        match self.stripe.session(&expiry.account, &expiry.session).await {
            Ok(session) if has_ended(&session) == Some(true) => session_done(&session),
            // It can still be paid, so this is not the end of it. The key repeats the refusal; another one may not.
            Ok(_) => error_kept(refusal),
            Err(error) => told_by_unasked(&error),
        }
    }

    async fn ask(&self, call: &EffectCall) -> ProviderAnswer {
        let Ok(request) = call.request.read::<PaymentRequest>() else {
            return ProviderAnswer::Undecidable { error: "the request to Stripe cannot be read".into() };
        };
        if let Err(told) = self.admit(call.tenant, request.account()).await {
            return told;
        }
        match request {
            PaymentRequest::CreateSession(session) => self.find_session(&session).await,
            PaymentRequest::ExpireSession(expiry) => self.look_at_session(&expiry).await,
            PaymentRequest::Refund(refund) => self.find_refund(&refund).await,
        }
    }

    async fn look_at_session(&self, expiry: &SessionExpiry) -> ProviderAnswer {
        match self.stripe.session(&expiry.account, &expiry.session).await {
            Ok(session) => match has_ended(&session) {
                Some(true) => session_done(&session),
                Some(false) => ProviderAnswer::Absent,
                None => {
                    ProviderAnswer::Undecidable { error: "the session is in a state that is not known here".into() }
                }
            },
            Err(error) => told_by_unasked(&error),
        }
    }

    /// Sessions cannot be searched by metadata, but when ours was made is known well enough to go through those of that
    /// time.
    async fn find_session(&self, wanted: &NewSession) -> ProviderAnswer {
        let mut query = SessionsQuery {
            created_from: Some(whole_secs(wanted.asked_at).saturating_sub(CLOCKS_APART_SECS)),
            created_to: Some(whole_secs(wanted.expires_at).saturating_sub(SESSION_SECS_MIN - CLOCKS_APART_SECS)),
            starting_after: None,
        };
        let mut oldest: Option<CheckoutSession> = None;
        for _ in 0..PROBE_PAGES_MAX {
            let page = match self.stripe.sessions(&wanted.account, &query).await {
                Ok(page) => page,
                Err(error) => return told_by_unasked(&error),
            };
            query.starting_after = page.data.last().map(|session| session.id.clone());
            let is_wanted = |session: &CheckoutSession| bears(&session.metadata, &wanted.metadata);
            oldest = page.data.into_iter().rfind(is_wanted).or(oldest);
            if !page.has_more || query.starting_after.is_none() {
                return oldest.as_ref().map_or(ProviderAnswer::Absent, session_done);
            }
        }
        oldest.as_ref().map_or_else(too_many, session_done)
    }

    async fn find_refund(&self, wanted: &NewRefund) -> ProviderAnswer {
        let intent = match self.intent_of(wanted).await {
            Ok(Some(intent)) => intent,
            // What was never paid was never given back.
            Ok(None) => return ProviderAnswer::Absent,
            Err(error) => return told_by_unasked(&error),
        };
        let mut starting_after: Option<SmolStr> = None;
        let mut oldest: Option<Refund> = None;
        for _ in 0..PROBE_PAGES_MAX {
            let page = match self.stripe.refunds(&wanted.account, &intent, starting_after.as_deref()).await {
                Ok(page) => page,
                Err(error) => return told_by_unasked(&error),
            };
            starting_after = page.data.last().map(|refund| refund.id.clone());
            oldest = page.data.into_iter().rfind(|refund| bears(&refund.metadata, &wanted.metadata)).or(oldest);
            if !page.has_more || starting_after.is_none() {
                return oldest.as_ref().map_or(ProviderAnswer::Absent, refund_done);
            }
        }
        oldest.as_ref().map_or_else(too_many, refund_done)
    }
}

/// Others may have added to them.
fn bears(metadata: &Metadata, wanted: &Metadata) -> bool {
    !wanted.is_empty() && wanted.iter().all(|(name, value)| metadata.get(name) == Some(value))
}

fn amount_unpayable() -> ProviderAnswer {
    let error = "Stripe takes only whole amounts of this currency, or whole tens of its smallest unit";
    rejected("amount-unpayable", error, &RefusalAnswer::default())
}

fn too_many() -> ProviderAnswer {
    ProviderAnswer::Undecidable { error: "there are too many at Stripe to look through".into() }
}

impl Provider for StripeProvider {
    /// Each tenant by itself: who names another's account gets into trouble alone.
    fn account(&self, call: &EffectCall) -> SmolStr {
        let account = call.request.read::<PaymentRequest>().map(|request| request.account().clone());
        format_smolstr!("{}/{}", call.tenant, account.unwrap_or_default())
    }

    fn call<'a>(&'a self, call: &'a EffectCall) -> BoxFuture<'a, ProviderAnswer> {
        Box::pin(self.make(call))
    }

    fn probe<'a>(&'a self, call: &'a EffectCall) -> BoxFuture<'a, ProviderAnswer> {
        Box::pin(self.ask(call))
    }
}
