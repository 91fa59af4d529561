//! How long to wait before trying again. The dice are thrown elsewhere and handed in.
//!
//! Knows nothing of why an attempt failed: whether it is worth another one is decided before this is asked.

use std::time::Duration;

use crate::kernel::Timestamp;

/// A server that asks for more is not obeyed: after a day a person would rather know.
pub const RETRY_AFTER_SECS_MAX: u32 = 24 * 60 * 60;

const MICROS_PER_MILLI: u64 = 1_000;
const MICROS_PER_SEC: u64 = 1_000_000;

/// How often something is tried, and how the pauses between grow.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RetryPolicy {
    /// The first attempt included. Zero is as good as one: what is not to be tried at all is not asked for.
    pub attempts_max: u16,
    pub backoff: Backoff,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Backoff {
    /// Full jitter: anything between nothing and `base * factor^(attempt - 1)`, which stops growing at the cap.
    /// Callers that failed together must not come back together.
    Exponential { base_millis: u32, factor: u16, cap_millis: u32 },
    /// A pause per failed attempt, each up to `jitter_percent` shorter or longer; the last one repeats.
    Schedule { pauses_secs: &'static [u32], jitter_percent: u8 },
}

/// A wait in whole microseconds.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Pause {
    micros: u64,
}

impl RetryPolicy {
    pub const fn exponential(attempts_max: u16, base_millis: u32, factor: u16, cap_millis: u32) -> RetryPolicy {
        RetryPolicy { attempts_max, backoff: Backoff::Exponential { base_millis, factor, cap_millis } }
    }

    /// One attempt more than there are pauses.
    pub const fn schedule(pauses_secs: &'static [u32], jitter_percent: u8) -> RetryPolicy {
        #[expect(clippy::as_conversions, clippy::cast_possible_truncation, reason = "in a const; bounded just before")]
        let pauses = if pauses_secs.len() < 65_535 { pauses_secs.len() as u16 } else { 65_534 };
        let attempts_max = pauses.saturating_add(1);
        RetryPolicy { attempts_max, backoff: Backoff::Schedule { pauses_secs, jitter_percent } }
    }

    /// The pause after the attempt that has just failed, counted from 1; none if it was the last.
    ///
    /// `dice` is uniform over its whole range. `retry_after_secs` is what the other side asked for: the pause is not
    /// shorter, unless more than [`RETRY_AFTER_SECS_MAX`] was asked.
    pub fn pause(&self, attempt: u16, dice: u64, retry_after_secs: Option<u64>) -> Option<Pause> {
        if attempt >= self.attempts_max {
            return None;
        }
        let (least, most) = self.backoff.bounds_micros(attempt.max(1))?;
        let drawn = least.saturating_add(draw(dice, most.saturating_sub(least)));
        let asked = retry_after_secs.unwrap_or(0).min(u64::from(RETRY_AFTER_SECS_MAX)).saturating_mul(MICROS_PER_SEC);
        Some(Pause { micros: drawn.max(asked) })
    }
}

impl Backoff {
    /// Both bounds are included.
    fn bounds_micros(&self, attempt: u16) -> Option<(u64, u64)> {
        match *self {
            Backoff::Exponential { base_millis, factor, cap_millis } => {
                let growth = u64::from(factor).saturating_pow(u32::from(attempt.saturating_sub(1)));
                let most_millis = u64::from(base_millis).saturating_mul(growth).min(u64::from(cap_millis));
                Some((0, most_millis.saturating_mul(MICROS_PER_MILLI)))
            }
            Backoff::Schedule { pauses_secs, jitter_percent } => {
                let place = usize::from(attempt.saturating_sub(1));
                let secs = pauses_secs.get(place).or(pauses_secs.last())?;
                // Ten thousandths of a second per percent of a second: exact, no rounding.
                let percent_micros = u64::from(*secs).saturating_mul(MICROS_PER_SEC / 100);
                let jitter = u64::from(jitter_percent.min(100));
                let least = percent_micros.saturating_mul(100_u64.saturating_sub(jitter));
                Some((least, percent_micros.saturating_mul(100_u64.saturating_add(jitter))))
            }
        }
    }
}

/// Uniform over `0..=most`: the dice are a fraction of one, scaled. Unlike a remainder this uses the high bits, and no
/// result is more likely than another by more than one throw in 2^64.
fn draw(dice: u64, most: u64) -> u64 {
    let results = u128::from(most).saturating_add(1);
    let scaled = u128::from(dice).saturating_mul(results) >> 64;
    u64::try_from(scaled).expect("a fraction of a u64 is a u64")
}

impl Pause {
    pub fn micros(self) -> u64 {
        self.micros
    }

    pub fn duration(self) -> Duration {
        Duration::from_micros(self.micros)
    }

    /// The instant at which the pause is over. Saturates like every instant.
    pub fn until(self, now: Timestamp) -> Timestamp {
        let micros = i64::try_from(self.micros).unwrap_or(i64::MAX);
        Timestamp::from_micros(now.micros().saturating_add(micros))
    }
}

#[cfg(test)]
#[allow(clippy::arithmetic_side_effects, reason = "a test that overflows has failed, as it should")]
mod tests {
    use proptest::prelude::*;

    use super::*;

    const CALL: RetryPolicy = RetryPolicy::exponential(6, 500, 2, 3_000);
    const DAYS: RetryPolicy =
        RetryPolicy::schedule(&[5, 300, 1_800, 7_200, 18_000, 36_000, 50_400, 72_000, 86_400], 10);

    fn micros(policy: &RetryPolicy, attempt: u16, dice: u64, retry_after_secs: Option<u64>) -> Option<u64> {
        policy.pause(attempt, dice, retry_after_secs).map(Pause::micros)
    }

    #[test]
    fn bounds() {
        let flat = RetryPolicy::exponential(9, 700, 1, 9_000);
        let vanishing = RetryPolicy::exponential(9, 700, 0, 9_000);
        let endless = RetryPolicy { attempts_max: u16::MAX, ..DAYS };
        let wild = RetryPolicy::schedule(&[10], 200);
        for (policy, attempt, least, most) in [
            (CALL, 0, 0, 500_000),
            (CALL, 1, 0, 500_000),
            (CALL, 2, 0, 1_000_000),
            (CALL, 3, 0, 2_000_000),
            (CALL, 4, 0, 3_000_000),
            (CALL, 5, 0, 3_000_000),
            (flat, 8, 0, 700_000),
            (vanishing, 1, 0, 700_000),
            (vanishing, 2, 0, 0),
            (DAYS, 1, 4_500_000, 5_500_000),
            (DAYS, 2, 270_000_000, 330_000_000),
            (DAYS, 9, 77_760_000_000, 95_040_000_000),
            (endless, 65_534, 77_760_000_000, 95_040_000_000),
            (wild, 1, 0, 20_000_000),
        ] {
            assert_eq!(micros(&policy, attempt, 0, None), Some(least), "{policy:?} {attempt}");
            assert_eq!(micros(&policy, attempt, u64::MAX, None), Some(most), "{policy:?} {attempt}");
        }
    }

    #[test]
    fn nothing_after_the_last_attempt() {
        let once = RetryPolicy::exponential(1, 500, 2, 3_000);
        let never = RetryPolicy { attempts_max: 0, ..once };
        let nothing_listed = RetryPolicy::schedule(&[], 10);
        let longer_than_its_list = RetryPolicy { attempts_max: 5, ..nothing_listed };
        for (policy, attempt) in [
            (CALL, 6),
            (CALL, 7),
            (CALL, u16::MAX),
            (once, 1),
            (never, 0),
            (never, 1),
            (DAYS, 10),
            (nothing_listed, 1),
            (longer_than_its_list, 1),
        ] {
            assert_eq!(policy.pause(attempt, 7, None), None, "{policy:?} {attempt}");
            assert_eq!(policy.pause(attempt, 7, Some(60)), None, "{policy:?} {attempt}");
        }
        assert_eq!(DAYS.attempts_max, 10);
    }

    #[test]
    fn what_the_other_side_asks_for_is_a_floor() {
        for (dice, asked_secs, expected_micros) in [
            (0, 0, 0),
            (0, 2, 2_000_000),
            (u64::MAX, 2, 3_000_000),
            (u64::MAX, 4, 4_000_000),
            (0, 86_400, 86_400_000_000),
            (0, 86_401, 86_400_000_000),
            (0, u64::MAX, 86_400_000_000),
        ] {
            assert_eq!(micros(&CALL, 5, dice, Some(asked_secs)), Some(expected_micros), "{dice} {asked_secs}");
        }
    }

    /// Throws that are spread evenly give every result equally often: counted, not estimated.
    #[test]
    fn every_result_is_as_likely_as_another() {
        const THROWS_EACH: u64 = 50;
        for results in [1_u64, 2, 3, 7, 10, 64, 1_000] {
            let throws = results * THROWS_EACH;
            let mut counts = vec![0_u64; usize::try_from(results).unwrap()];
            for throw in 0..throws {
                // The middle of each of `throws` equal shares of the range.
                let dice = (u128::from(2 * throw + 1) << 63) / u128::from(throws);
                let drawn = draw(u64::try_from(dice).unwrap(), results - 1);
                counts[usize::try_from(drawn).unwrap()] += 1;
            }
            assert!(counts.iter().all(|count| *count == THROWS_EACH), "{results}: {counts:?}");
        }
        assert_eq!(draw(u64::MAX, u64::MAX), u64::MAX);
        assert_eq!(draw(0, u64::MAX), 0);
    }

    #[test]
    fn ends_of_pauses() {
        let pause = CALL.pause(1, u64::MAX, None).unwrap();
        assert_eq!(pause.duration(), Duration::from_millis(500));
        assert_eq!(pause.until(Timestamp::from_micros(1)), Timestamp::from_micros(500_001));
        assert_eq!(pause.until(Timestamp::from_micros(i64::MAX)), Timestamp::from_micros(i64::MAX));
    }

    fn policies() -> impl Strategy<Value = RetryPolicy> {
        const LISTS: [&[u32]; 4] = [&[], &[0], &[u32::MAX], &[5, 300, 86_400]];
        let exponential = (any::<u32>(), any::<u16>(), any::<u32>())
            .prop_map(|(base_millis, factor, cap_millis)| Backoff::Exponential { base_millis, factor, cap_millis });
        let schedule = (0..LISTS.len(), any::<u8>())
            .prop_map(|(list, jitter_percent)| Backoff::Schedule { pauses_secs: LISTS[list], jitter_percent });
        (any::<u16>(), prop_oneof![exponential, schedule])
            .prop_map(|(attempts_max, backoff)| RetryPolicy { attempts_max, backoff })
    }

    proptest! {
        #[test]
        fn any_numbers(
            policy in policies(),
            attempt: u16,
            dice: u64,
            asked in proptest::option::of(any::<u64>()),
            now: i64,
        ) {
            let pause = policy.pause(attempt, dice, asked);
            prop_assert!(attempt < policy.attempts_max || pause.is_none());
            if let Some(pause) = pause {
                let day_micros = 86_400 * MICROS_PER_SEC;
                let floor = asked.unwrap_or(0).min(86_400) * MICROS_PER_SEC;
                let ceiling = match policy.backoff {
                    Backoff::Exponential { cap_millis, .. } => u64::from(cap_millis) * MICROS_PER_MILLI,
                    Backoff::Schedule { .. } => 2 * u64::from(u32::MAX) * MICROS_PER_SEC,
                };
                prop_assert!(pause.micros() >= floor);
                prop_assert!(pause.micros() <= ceiling.max(day_micros));
                prop_assert!(pause.until(Timestamp::from_micros(now)).micros() >= now);
            }
        }

        /// A luckier throw never waits longer, and waiting grows with the attempts when the throw is the same.
        #[test]
        fn monotone(attempt in 1_u16..5, dice: u64, other: u64) {
            let (low, high) = (dice.min(other), dice.max(other));
            prop_assert!(CALL.pause(attempt, low, None) <= CALL.pause(attempt, high, None));
            if attempt < 4 {
                prop_assert!(CALL.pause(attempt, dice, None) <= CALL.pause(attempt + 1, dice, None));
            }
        }
    }
}
