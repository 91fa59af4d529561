//! Carries out the effects that Stripe is asked for: sessions made and expired, refunds. Every type of operation that
//! uses it has a probe: sessions and refunds are found again by the operation's name in their metadata.

use smol_str::SmolStr;
use surehold_core::operations::commands::EffectCall;
use surehold_engine::{BoxFuture, Provider, Told};

use super::calls::SessionsQuery;
use super::client::{CallError, Refusal, Stripe};
use super::objects::{CheckoutSession, Metadata, Refund};
use super::request::{NewRefund, NewSession, OPERATION, RefusalAnswer, SessionExpiry, StripeRequest};
use super::told::{
    error_kept, has_ended, is_key_misused, refund_done, rejected, session_done, told_by_error, told_by_unasked,
    unanswered,
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
}

impl StripeProvider {
    pub fn new(stripe: Stripe) -> StripeProvider {
        StripeProvider { stripe }
    }

    async fn make(&self, call: &EffectCall) -> Told {
        let key = &call.idempotency_key;
        match call.request.read() {
            Ok(StripeRequest::CreateSession(session)) => match self.stripe.create_session(key, &session).await {
                Ok(session) => session_done(&session),
                Err(error) => told_by_error(&error),
            },
            Ok(StripeRequest::ExpireSession(expiry)) => self.expire(key, &expiry).await,
            Ok(StripeRequest::Refund(refund)) => match self.stripe.create_refund(key, &refund).await {
                Ok(refund) => refund_done(&refund),
                Err(error) => told_by_error(&error),
            },
            Err(_) => rejected("malformed", "the request to Stripe cannot be read", &RefusalAnswer::default()),
        }
    }

    async fn expire(&self, key: &str, expiry: &SessionExpiry) -> Told {
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
    async fn not_expired(&self, expiry: &SessionExpiry, refusal: &Refusal) -> Told {
        match self.stripe.session(&expiry.account, &expiry.session).await {
            Ok(session) if has_ended(&session) == Some(true) => session_done(&session),
            // It can still be paid, so this is not the end of it. The key repeats the refusal; another one may not.
            Ok(_) => error_kept(refusal),
            Err(error) => told_by_unasked(&error),
        }
    }

    async fn ask(&self, call: &EffectCall) -> Told {
        match call.request.read() {
            Ok(StripeRequest::CreateSession(session)) => self.find_session(&session).await,
            Ok(StripeRequest::ExpireSession(expiry)) => self.look_at_session(&expiry).await,
            Ok(StripeRequest::Refund(refund)) => self.find_refund(&refund).await,
            Err(_) => Told::Undecidable { error: "the request to Stripe cannot be read".into() },
        }
    }

    async fn look_at_session(&self, expiry: &SessionExpiry) -> Told {
        match self.stripe.session(&expiry.account, &expiry.session).await {
            Ok(session) => match has_ended(&session) {
                Some(true) => session_done(&session),
                Some(false) => Told::Absent,
                None => Told::Undecidable { error: "the session is in a state that is not known here".into() },
            },
            Err(error) => told_by_unasked(&error),
        }
    }

    /// Sessions cannot be searched by metadata, but when ours was made is known well enough to go through those of that
    /// time.
    async fn find_session(&self, wanted: &NewSession) -> Told {
        let mut query = SessionsQuery {
            created_from: Some(wanted.asked_at.saturating_sub(CLOCKS_APART_SECS)),
            created_to: Some(wanted.expires_at.saturating_sub(SESSION_SECS_MIN - CLOCKS_APART_SECS)),
            starting_after: None,
        };
        let mut oldest: Option<CheckoutSession> = None;
        for _ in 0..PROBE_PAGES_MAX {
            let page = match self.stripe.sessions(&wanted.account, &query).await {
                Ok(page) => page,
                Err(error) => return told_by_unasked(&error),
            };
            query.starting_after = page.data.last().map(|session| session.id.clone());
            let is_wanted = |session: &CheckoutSession| bears(&session.metadata, &wanted.operation);
            oldest = page.data.into_iter().rfind(is_wanted).or(oldest);
            if !page.has_more || query.starting_after.is_none() {
                return oldest.as_ref().map_or(Told::Absent, session_done);
            }
        }
        oldest.as_ref().map_or_else(too_many, session_done)
    }

    async fn find_refund(&self, wanted: &NewRefund) -> Told {
        let mut starting_after: Option<SmolStr> = None;
        let mut oldest: Option<Refund> = None;
        for _ in 0..PROBE_PAGES_MAX {
            let (account, intent) = (&wanted.account, &wanted.payment_intent);
            let page = match self.stripe.refunds(account, intent, starting_after.as_deref()).await {
                Ok(page) => page,
                Err(error) => return told_by_unasked(&error),
            };
            starting_after = page.data.last().map(|refund| refund.id.clone());
            oldest = page.data.into_iter().rfind(|refund| bears(&refund.metadata, &wanted.operation)).or(oldest);
            if !page.has_more || starting_after.is_none() {
                return oldest.as_ref().map_or(Told::Absent, refund_done);
            }
        }
        oldest.as_ref().map_or_else(too_many, refund_done)
    }
}

fn bears(metadata: &Metadata, operation: &SmolStr) -> bool {
    metadata.get(OPERATION) == Some(operation)
}

fn too_many() -> Told {
    Told::Undecidable { error: "there are too many at Stripe to look through".into() }
}

impl Provider for StripeProvider {
    fn account(&self, call: &EffectCall) -> SmolStr {
        call.request.read::<StripeRequest>().map(|request| request.account().clone()).unwrap_or_default()
    }

    fn call<'a>(&'a self, call: &'a EffectCall) -> BoxFuture<'a, Told> {
        Box::pin(self.make(call))
    }

    fn probe<'a>(&'a self, call: &'a EffectCall) -> BoxFuture<'a, Told> {
        Box::pin(self.ask(call))
    }
}
