//! A stay that was booked. Its id is that of the hold that it came from, so that a hold has one at most.

use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};
use smol_str::SmolStr;

use crate::kernel::{Currency, HoldId, JsonList, Record, Timestamp, words};
use crate::operations::Actor;
use crate::stays::{PropertyName, StayDates};

use super::{Payment, StayRoom};

words!(ReservationState {
    Confirmed = "confirmed",
    Cancelled = "cancelled",
    NoShow = "no_show",
});

words!(
    /// How it came about.
    ReservationSource {
        Payment = "payment",
        /// Paid after the hold had ended, and booked anew.
        LatePayment = "late_payment",
        Desk = "desk",
        WalkIn = "walk_in",
    }
);

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, Record)]
#[record(table = "reservations")]
pub struct Reservation {
    /// The hold of the stay.
    #[column(key)]
    pub hold: HoldId,
    /// The hold that has the booked units: another one if the first had ended when the money came.
    #[column(fixed)]
    pub booked_by: HoldId,
    #[column(fixed)]
    pub property: PropertyName,
    pub state: ReservationState,
    #[serde(flatten)]
    pub dates: StayDates,
    pub rooms: JsonList<StayRoom>,
    pub total: i64,
    pub paid: i64,
    pub refunded: i64,
    /// What is kept of a reservation that was cancelled or not used.
    pub penalty: i64,
    /// Who let the guest go without the penalty.
    pub waived_by: Option<Actor>,
    #[column(fixed)]
    pub currency: Currency,
    #[column(fixed)]
    pub source: ReservationSource,
    /// The session through which it was paid, if it was paid online.
    #[column(fixed)]
    pub payment: Option<SmolStr>,
    #[column(fixed)]
    pub created_at: Timestamp,
    pub updated_at: Timestamp,
    pub ended_at: Option<Timestamp>,
    pub version: i64,
}

impl Reservation {
    /// What is still owed; below zero, what was paid too much.
    pub fn balance(&self) -> i64 {
        let due = match self.state {
            ReservationState::Confirmed => self.total,
            ReservationState::Cancelled | ReservationState::NoShow => self.penalty,
        };
        due.saturating_sub(self.paid).saturating_add(self.refunded)
    }

    /// What is still owed when the refunds are done that were asked for. `payment` is the one that it was paid with.
    pub fn balance_after_refunds(&self, payment: Option<&Payment>) -> i64 {
        let on_the_way = payment.map_or(0, |payment| {
            payment.refund_asked.saturating_add(payment.refunded_elsewhere).saturating_sub(payment.refunded).max(0)
        });
        self.balance().saturating_add(on_the_way)
    }

    pub fn code(&self) -> SmolStr {
        confirmation_code(self.hold)
    }
}

const CODE_LETTERS: usize = 8;
const CROCKFORD: &[u8; 32] = b"0123456789ABCDEFGHJKMNPQRSTVWXYZ";

/// What people read to each other. For show only: two reservations may share one.
pub fn confirmation_code(hold: HoldId) -> SmolStr {
    let hash = Sha256::digest(hold.uuid().as_bytes());
    hash.iter().take(CODE_LETTERS).map(|byte| char::from(CROCKFORD[usize::from(byte & 31)])).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn codes_are_stable() {
        let code = |id: &str| confirmation_code(HoldId::parse(id).unwrap());
        let (one, other) = (code("01980000-0000-7000-8000-000000000001"), code("01980000-0000-7000-8000-000000000002"));
        assert_ne!(one, other);
        assert_eq!(one, code("01980000-0000-7000-8000-000000000001"));
        assert!(one.len() == CODE_LETTERS && one.bytes().all(|byte| CROCKFORD.contains(&byte)), "{one}");
    }
}
