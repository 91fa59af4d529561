//! The types of operation of this module.

use crate::operations::{FOR_EVER, Mode, Nature, OperationType, Priority, RetryPolicy};
use crate::stays::STRIPE;

const CALLS_MAX: usize = 20;
/// For how long the provider remembers an idempotency key.
const KEY_SECS: u32 = 86_400;

pub static PROCESS_STRIPE_EVENT: OperationType = OperationType {
    name: "PROCESS_STRIPE_EVENT",
    key: &["account", "eventId"],
    mode: Mode::Once,
    priority: Priority::Urgent,
    retry: RetryPolicy::exponential(10, 1_000, 2, 60_000),
    deadline_secs: 30,
    stuck_after_secs: 3_600,
    // While the session that it speaks of is not known yet.
    recheck_secs: 30,
    running_max: 1_000,
    nature: Nature::State,
};

pub static CREATE_CHECKOUT_SESSION: OperationType = OperationType {
    name: "CREATE_CHECKOUT_SESSION",
    key: &["holdId", "checkoutNumber"],
    mode: Mode::Once,
    // Somebody looks at a page and waits.
    priority: Priority::Urgent,
    retry: RetryPolicy::exponential(8, 500, 2, 30_000),
    deadline_secs: 30,
    stuck_after_secs: 600,
    recheck_secs: 30,
    running_max: 100,
    // A second session that nobody was told of cannot be paid, so a repeat does no harm. An error that the provider keeps
    // under the key cannot be repeated away: sessions are listed, and bear the name of their operation.
    nature: Nature::Effect { provider: STRIPE, window_secs: Some(FOR_EVER), probe: true, calls_max: CALLS_MAX },
};

pub static EXPIRE_CHECKOUT_SESSION: OperationType = OperationType {
    name: "EXPIRE_CHECKOUT_SESSION",
    key: &["provider", "checkoutSession"],
    mode: Mode::Once,
    priority: Priority::Normal,
    retry: RetryPolicy::exponential(12, 1_000, 2, 60_000),
    deadline_secs: 30,
    stuck_after_secs: 86_400,
    recheck_secs: 60,
    running_max: 100,
    // The session itself says whether it has ended.
    nature: Nature::Effect { provider: STRIPE, window_secs: Some(FOR_EVER), probe: true, calls_max: CALLS_MAX },
};

pub static REFUND_PAYMENT: OperationType = OperationType {
    name: "REFUND_PAYMENT",
    key: &["provider", "checkoutSession", "refundNumber"],
    mode: Mode::Once,
    priority: Priority::Normal,
    // For weeks: the guest is owed it. After a day somebody is told.
    retry: RetryPolicy::exponential(1_000, 5_000, 2, 3_600_000),
    deadline_secs: 60,
    stuck_after_secs: 86_400,
    recheck_secs: 3_600,
    running_max: 100,
    // Refunds of a payment can be listed, and bear the name of their operation.
    nature: Nature::Effect { provider: STRIPE, window_secs: Some(KEY_SECS), probe: true, calls_max: CALLS_MAX },
};

pub static TYPES: [&OperationType; 4] =
    [&PROCESS_STRIPE_EVENT, &CREATE_CHECKOUT_SESSION, &EXPIRE_CHECKOUT_SESSION, &REFUND_PAYMENT];

#[cfg(test)]
mod tests {
    use super::*;
    use crate::operations::lint;

    /// A refund that died in the night before anybody was told would be silence: the pauses, drawn in the middle, go on
    /// for weeks, and its case is open after a day.
    #[test]
    fn a_refund_is_a_case_long_before_it_is_given_up() {
        let pauses = (1..).map_while(|attempt| REFUND_PAYMENT.retry.pause(attempt, u64::MAX / 2, None));
        let tried_secs: u64 = pauses.map(|pause| pause.duration().as_secs()).sum();
        assert!(tried_secs > 14 * u64::from(REFUND_PAYMENT.stuck_after_secs), "{tried_secs}");
    }

    #[test]
    fn the_types_are_sound() {
        assert_eq!(lint(&TYPES), Vec::<String>::new());
    }
}
