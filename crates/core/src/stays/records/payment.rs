//! What is known of one payment at a provider: a checkout session, and the money that came through it.
//! Invariant: states are ranked and never go back, whatever the order in which the news of them arrives.

use serde::{Deserialize, Serialize};
use smol_str::SmolStr;

use crate::kernel::{
    Column, ColumnType, Columns, Corrupt, Currency, HoldId, Record, Row, Table, Timestamp, Value, words,
};
use crate::operations::{number, versioned};

use super::stored;

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

#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
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

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Payment {
    #[serde(flatten)]
    pub key: PaymentKey,
    /// The hold of the stay that is paid for.
    pub hold: HoldId,
    pub account: SmolStr,
    /// What is asked for.
    pub amount: i64,
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

impl Record for Payment {
    const TABLE: &'static Table = &Table {
        name: "payments",
        columns: &[
            Column::fixed("provider", ColumnType::Text),
            Column::fixed("object", ColumnType::Text),
            Column::fixed("hold", ColumnType::Uuid),
            Column::fixed("account", ColumnType::Text),
            Column::fixed("amount", ColumnType::Int),
            Column::fixed("currency", ColumnType::Text),
            Column::changing("state", ColumnType::Text),
            Column::changing("payment_intent", ColumnType::Text),
            Column::changing("charge", ColumnType::Text),
            Column::changing("received", ColumnType::Int),
            Column::changing("refunded", ColumnType::Int),
            Column::changing("refunded_elsewhere", ColumnType::Int),
            Column::changing("refund_asked", ColumnType::Int),
            Column::changing("refund_confirmed", ColumnType::Int),
            Column::changing("refund_failed", ColumnType::Int),
            Column::changing("refunds", ColumnType::Int),
            Column::changing("dispute", ColumnType::Text),
            Column::changing("resolution", ColumnType::Text),
            Column::fixed("created_at", ColumnType::Time),
            Column::changing("updated_at", ColumnType::Time),
        ],
        key_columns: 2,
        due: None,
    };

    type Key = PaymentKey;

    fn key(&self) -> PaymentKey {
        self.key.clone()
    }

    fn write_key<'a>(key: &'a PaymentKey, out: &mut dyn Columns<'a>) {
        out.put(Value::Text(&key.provider));
        out.put(Value::Text(&key.object));
    }

    fn write<'a>(&'a self, out: &mut dyn Columns<'a>) {
        Payment::write_key(&self.key, out);
        out.put(Value::Uuid(self.hold.uuid()));
        out.put(Value::Text(&self.account));
        out.put(Value::Int(self.amount));
        out.put(Value::Text(self.currency.as_str()));
        out.put(Value::Text(self.state.as_str()));
        out.put_text(self.payment_intent.as_deref());
        out.put_text(self.charge.as_deref());
        out.put(Value::Int(self.received));
        out.put(Value::Int(self.refunded));
        out.put(Value::Int(self.refunded_elsewhere));
        out.put(Value::Int(self.refund_asked));
        out.put(Value::Int(self.refund_confirmed));
        out.put(Value::Int(self.refund_failed));
        out.put(Value::Int(i64::from(self.refunds)));
        out.put_text(self.dispute.map(DisputeState::as_str));
        out.put_text(self.resolution.map(Resolution::as_str));
        out.put(Value::Time(self.created_at));
        out.put(Value::Time(self.updated_at));
    }

    fn read(row: &mut dyn Row) -> Result<Payment, Corrupt> {
        let provider = row.text()?.into();
        let object = row.text()?.into();
        Ok(Payment {
            key: PaymentKey { provider, object },
            hold: stored(HoldId::new(row.uuid()?))?,
            account: row.text()?.into(),
            amount: row.int()?,
            currency: stored(Currency::parse(row.text()?))?,
            state: PaymentState::stored(row.text()?)?,
            payment_intent: row.text_or_null()?.map(SmolStr::new),
            charge: row.text_or_null()?.map(SmolStr::new),
            received: row.int()?,
            refunded: row.int()?,
            refunded_elsewhere: row.int()?,
            refund_asked: row.int()?,
            refund_confirmed: row.int()?,
            refund_failed: row.int()?,
            refunds: number(row.int()?)?,
            dispute: row.text_or_null()?.map(DisputeState::stored).transpose()?,
            resolution: row.text_or_null()?.map(Resolution::stored).transpose()?,
            created_at: row.time()?,
            updated_at: row.time()?,
            version: row.int()?,
        })
    }

    versioned!();
}

/// Finds the payment that news of a payment intent or of a charge are about.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PaymentAlias {
    pub key: PaymentKey,
    /// The session.
    pub payment: SmolStr,
    pub version: i64,
}

impl Record for PaymentAlias {
    const TABLE: &'static Table = &Table {
        name: "payment_aliases",
        columns: &[
            Column::fixed("provider", ColumnType::Text),
            Column::fixed("object", ColumnType::Text),
            Column::fixed("payment", ColumnType::Text),
        ],
        key_columns: 2,
        due: None,
    };

    type Key = PaymentKey;

    fn key(&self) -> PaymentKey {
        self.key.clone()
    }

    fn write_key<'a>(key: &'a PaymentKey, out: &mut dyn Columns<'a>) {
        Payment::write_key(key, out);
    }

    fn write<'a>(&'a self, out: &mut dyn Columns<'a>) {
        Payment::write_key(&self.key, out);
        out.put(Value::Text(&self.payment));
    }

    fn read(row: &mut dyn Row) -> Result<PaymentAlias, Corrupt> {
        let provider = row.text()?.into();
        let object = row.text()?.into();
        let payment = row.text()?.into();
        Ok(PaymentAlias { key: PaymentKey { provider, object }, payment, version: row.int()? })
    }

    versioned!();
}
