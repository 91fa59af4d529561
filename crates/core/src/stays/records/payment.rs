//! What is known of one payment at a provider: a checkout session, and the money that came through it.
//! Invariant: states are ranked and never go back, whatever the order in which the news of them arrives.

use serde::{Deserialize, Serialize};
use smol_str::SmolStr;

use crate::kernel::{Columnar, Currency, HoldId, Record, Timestamp, words};

/// The only provider so far.
pub const STRIPE: &str = "stripe";

words!(
    /// In the order of their ranks: a payment only ever goes on to a later one.
    PaymentState {
        /// The session is open.
        Created = "created",
        /// The payer is done, and the money is on its way.
        Awaiting = "awaiting",
        Expired = "expired",
        Failed = "failed",
        Succeeded = "succeeded",
        PartiallyRefunded = "partially_refunded",
        Refunded = "refunded",
    }
);

impl PaymentState {
    pub(crate) fn rank(self) -> u8 {
        match self {
            PaymentState::Created => 0,
            PaymentState::Awaiting => 1,
            PaymentState::Expired => 2,
            PaymentState::Failed => 3,
            PaymentState::Succeeded => 4,
            PaymentState::PartiallyRefunded => 5,
            PaymentState::Refunded => 6,
        }
    }

    /// The money has come, whether or not it went back since.
    pub fn has_succeeded(self) -> bool {
        self.rank() >= PaymentState::Succeeded.rank()
    }
}

words!(
    DisputeState {
        Open = "open",
        Won = "won",
        /// The money is gone.
        Lost = "lost",
    }
);

words!(
    /// What a payment that succeeded has led to: exactly one of these.
    Resolution {
        Reservation = "reservation",
        /// All of it goes back.
        Refund = "refund",
        /// A person has to decide.
        Case = "case",
    }
);

#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, Columnar)]
pub struct PaymentKey {
    pub provider: SmolStr,
    /// The checkout session.
    pub object: SmolStr,
}

impl PaymentKey {
    pub fn stripe(session: &str) -> PaymentKey {
        PaymentKey { provider: SmolStr::new_static(STRIPE), object: session.into() }
    }
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, Record)]
#[record(table = "payments")]
pub struct Payment {
    #[serde(flatten)]
    #[column(key)]
    pub key: PaymentKey,
    /// The hold of the stay that is paid for.
    #[column(fixed)]
    pub hold: HoldId,
    #[column(fixed)]
    pub account: SmolStr,
    /// What is asked for.
    #[column(fixed)]
    pub amount: i64,
    #[column(fixed)]
    pub currency: Currency,
    pub state: PaymentState,
    pub payment_intent: Option<SmolStr>,
    pub charge: Option<SmolStr>,
    /// What came, in the payment's currency; zero if it came in another.
    pub received: i64,
    /// What went back as far as it is known, by whomever; it only ever grows.
    pub refunded: i64,
    /// By others, without us.
    pub refunded_elsewhere: i64,
    /// By refunds that we asked for, done or not.
    pub refund_asked: i64,
    /// By refunds that we asked for and that the provider confirmed.
    pub refund_confirmed: i64,
    /// Went back, did not arrive, and is owed again.
    pub refund_failed: i64,
    /// How many refunds we asked for.
    pub refunds: u32,
    /// Of its latest dispute, or that one was lost.
    pub dispute: Option<DisputeState>,
    pub resolution: Option<Resolution>,
    #[column(fixed)]
    pub created_at: Timestamp,
    pub updated_at: Timestamp,
    pub version: i64,
}

impl Payment {
    /// Goes on to `state`, unless that would be going back.
    pub(crate) fn advance(&mut self, state: PaymentState) {
        if state.rank() > self.state.rank() {
            self.state = state;
        }
    }

    /// How its latest dispute stands. Money that is gone stays gone, whatever else is disputed.
    pub(crate) fn note_dispute(&mut self, dispute: DisputeState) {
        match self.dispute {
            Some(DisputeState::Lost) => {}
            Some(DisputeState::Open | DisputeState::Won) | None => self.dispute = Some(dispute),
        }
    }

    /// The provider says that so much has gone back in all. An older number changes nothing.
    pub(crate) fn note_refunded(&mut self, total: i64) {
        self.refunded = self.refunded.max(total);
        // What is beyond all that we asked for was not ours, whichever came first.
        self.refunded_elsewhere = self.refunded_elsewhere.max(total.saturating_sub(self.refund_asked));
        self.advance_by_refunds();
    }

    /// A refund of ours is done.
    pub(crate) fn note_refund_confirmed(&mut self, amount: i64) {
        self.refund_confirmed = self.refund_confirmed.saturating_add(amount);
        self.refunded = self.refunded.max(self.refund_confirmed.saturating_add(self.refunded_elsewhere));
        self.advance_by_refunds();
    }

    /// A person gives it back in another way: it is not asked for again by itself, so that nobody gets it twice.
    pub(crate) fn note_refund_failed(&mut self, amount: i64) {
        self.refund_failed = self.refund_failed.saturating_add(amount.max(0));
    }

    /// What the payer has back.
    pub fn given_back(&self) -> i64 {
        self.refunded.saturating_sub(self.refund_failed).max(0)
    }

    pub(crate) fn advance_by_refunds(&mut self) {
        // Refunds may be told before the payment itself: then what was asked for is what counts.
        let whole = if self.received > 0 { self.received } else { self.amount };
        match self.refunded {
            ..=0 => {}
            refunded if refunded < whole => self.advance(PaymentState::PartiallyRefunded),
            _ => self.advance(PaymentState::Refunded),
        }
    }

    /// What could still be given back.
    pub fn refundable(&self) -> i64 {
        let promised = self.refund_asked.saturating_add(self.refunded_elsewhere);
        self.received.saturating_sub(self.refunded.max(promised)).max(0)
    }
}

/// Finds the payment that news of a payment intent or of a charge are about.
#[derive(Clone, Debug, PartialEq, Eq, Record)]
#[record(table = "payment_aliases", fixed)]
pub struct PaymentAlias {
    #[column(key)]
    pub key: PaymentKey,
    /// The session.
    pub payment: SmolStr,
    pub version: i64,
}
