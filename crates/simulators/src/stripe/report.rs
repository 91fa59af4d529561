//! What auditors are told: every session, payment, refund and dispute, and what happened on the way.

use std::collections::BTreeMap;

use serde::Serialize;

use super::books::Books;
use super::mischief::MischiefDone;
use super::objects::{
    Dispute, DisputeStatus, Intent, IntentStatus, Metadata, Method, Refund, RefundStatus, Session, SessionStatus,
};
use super::post::Deliveries;

#[derive(Clone, Debug, Serialize)]
pub struct StripeReport {
    pub now_secs: i64,
    pub sessions: Vec<SessionLine>,
    /// Of every attempt to pay; see `status`.
    pub payments: Vec<PaymentLine>,
    pub refunds: Vec<RefundLine>,
    pub disputes: Vec<DisputeLine>,
    pub events: u64,
    /// API requests, whatever became of them.
    pub requests: u64,
    /// Kept answers given again, heard or not.
    pub replays: u64,
    /// Refused because the key was in use.
    pub conflicts: u64,
    /// Refused because the key belongs to another request.
    pub mismatches: u64,
    /// What struck, by the name of the fault.
    pub faults: BTreeMap<String, u64>,
    /// Faults that no request has met yet.
    pub faults_queued: usize,
    pub mischief: MischiefDone,
    pub deliveries: Deliveries,
    pub deliveries_pending: u64,
}

#[derive(Clone, Debug, Serialize)]
pub struct SessionLine {
    /// The place of its account in the configuration.
    pub account: usize,
    pub id: String,
    pub status: SessionStatus,
    pub paid: bool,
    pub amount: i64,
    pub currency: String,
    pub created: i64,
    pub expires_at: i64,
    pub client_reference_id: Option<String>,
    pub metadata: Metadata,
    pub payment_intent: Option<String>,
}

#[derive(Clone, Debug, Serialize)]
pub struct PaymentLine {
    pub account: usize,
    pub payment_intent: String,
    /// The last one.
    pub charge: Option<String>,
    pub session: String,
    pub client_reference_id: Option<String>,
    pub session_metadata: Metadata,
    pub metadata: Metadata,
    pub method: Method,
    pub status: IntentStatus,
    /// 0 unless it succeeded.
    pub amount_received: i64,
    pub currency: String,
    /// The sum of the refunds that did not fail.
    pub amount_refunded: i64,
    /// How many they are.
    pub refunds: usize,
    pub disputed: bool,
}

#[derive(Clone, Debug, Serialize)]
pub struct RefundLine {
    pub account: usize,
    pub id: String,
    pub payment_intent: String,
    pub amount: i64,
    pub currency: String,
    pub status: RefundStatus,
    pub metadata: Metadata,
    pub created: i64,
}

#[derive(Clone, Debug, Serialize)]
pub struct DisputeLine {
    pub account: usize,
    pub id: String,
    pub charge: String,
    pub payment_intent: String,
    pub amount: i64,
    pub status: DisputeStatus,
}

impl StripeReport {
    pub fn succeeded(&self) -> impl Iterator<Item = &PaymentLine> {
        self.payments.iter().filter(|payment| payment.status == IntentStatus::Succeeded)
    }

    /// Payments of which more went back than came in. There are none, whatever anybody asked for.
    pub fn refunded_too_much(&self) -> impl Iterator<Item = &PaymentLine> {
        self.payments.iter().filter(|payment| payment.amount_refunded > payment.amount_received)
    }

    /// How many refunds that did not fail bear each value of this metadata key: above one, somebody paid back twice.
    pub fn refunds_by(&self, key: &str) -> BTreeMap<String, usize> {
        let mut counts = BTreeMap::new();
        for refund in self.refunds.iter().filter(|refund| refund.status != RefundStatus::Failed) {
            if let Some(value) = refund.metadata.get(key) {
                *counts.entry(value.clone()).or_default() += 1;
            }
        }
        counts
    }

    /// How many sessions bear each value of this metadata key.
    pub fn sessions_by(&self, key: &str) -> BTreeMap<String, usize> {
        let mut counts = BTreeMap::new();
        for value in self.sessions.iter().filter_map(|session| session.metadata.get(key)) {
            *counts.entry(value.clone()).or_default() += 1;
        }
        counts
    }

    pub fn faults_total(&self) -> u64 {
        self.faults.values().sum()
    }
}

impl Books {
    pub(super) fn report(&self, deliveries: Deliveries, deliveries_pending: u64) -> StripeReport {
        StripeReport {
            now_secs: self.clock.now_secs(),
            sessions: self.session_lines(),
            payments: self.payment_lines(),
            refunds: self.refund_lines(),
            disputes: self.dispute_lines(),
            events: u64::try_from(self.events.rows().len()).expect("a usize fits"),
            requests: self.counts.requests,
            replays: self.counts.replays,
            conflicts: self.counts.conflicts,
            mismatches: self.counts.mismatches,
            faults: self.counts.faults.clone(),
            faults_queued: self.faults.queued(),
            mischief: self.troublemaker.done,
            deliveries,
            deliveries_pending,
        }
    }

    fn session_lines(&self) -> Vec<SessionLine> {
        let line = |session: &Session| SessionLine {
            account: session.account,
            id: session.id.clone(),
            status: session.status,
            paid: session.paid,
            amount: session.amount_total,
            currency: session.currency.clone(),
            created: session.created,
            expires_at: session.expires_at,
            client_reference_id: session.client_reference_id.clone(),
            metadata: session.metadata.clone(),
            payment_intent: session.intent_id.clone(),
        };
        self.sessions.rows().iter().map(line).collect()
    }

    fn payment_lines(&self) -> Vec<PaymentLine> {
        // Summed from the refunds themselves, so that it does not rest on what the charges say.
        let mut refunded: BTreeMap<&str, (i64, usize)> = BTreeMap::new();
        for refund in self.refunds.rows().iter().filter(|refund| refund.status != RefundStatus::Failed) {
            let (sum, count) = refunded.entry(&refund.intent_id).or_default();
            *sum += refund.amount;
            *count += 1;
        }
        let line = |intent: &Intent| {
            let session = &self.sessions[intent.session];
            let (amount_refunded, refunds) = refunded.get(intent.id.as_str()).copied().unwrap_or_default();
            PaymentLine {
                account: intent.account,
                payment_intent: intent.id.clone(),
                charge: intent.charge_id.clone(),
                session: session.id.clone(),
                client_reference_id: session.client_reference_id.clone(),
                session_metadata: session.metadata.clone(),
                metadata: intent.metadata.clone(),
                method: intent.method,
                status: intent.status,
                amount_received: if intent.status == IntentStatus::Succeeded { intent.amount } else { 0 },
                currency: intent.currency.clone(),
                amount_refunded,
                refunds,
                disputed: intent.charge.is_some_and(|charge| self.charges[charge].dispute.is_some()),
            }
        };
        self.intents.rows().iter().map(line).collect()
    }

    fn refund_lines(&self) -> Vec<RefundLine> {
        let line = |refund: &Refund| RefundLine {
            account: refund.account,
            id: refund.id.clone(),
            payment_intent: refund.intent_id.clone(),
            amount: refund.amount,
            currency: refund.currency.clone(),
            status: refund.status,
            metadata: refund.metadata.clone(),
            created: refund.created,
        };
        self.refunds.rows().iter().map(line).collect()
    }

    fn dispute_lines(&self) -> Vec<DisputeLine> {
        let line = |dispute: &Dispute| DisputeLine {
            account: dispute.account,
            id: dispute.id.clone(),
            charge: dispute.charge_id.clone(),
            payment_intent: dispute.intent_id.clone(),
            amount: dispute.amount,
            status: dispute.status,
        };
        self.disputes.rows().iter().map(line).collect()
    }
}
