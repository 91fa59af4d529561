//! What a run must reach, beside finding nothing: how soon killed servers are back, and that workers lost leases.

use std::time::Duration;

use surehold_lab::torture::environment::{FaultKind, FaultList, Recovery};

/// With fewer, one that was unlucky decides.
const RECOVERIES_MIN: usize = 10;
/// Now and then a worker has nothing to say when it wakes: 3 of 61 in a run of eight minutes. That all of six have nothing to
/// say happens in one of 70 million runs; in one of a million if it were one worker of ten.
const WORKERS_FROZEN_MIN: u32 = 6;

/// Whether 95 of 100 killed servers were back in time, where no other fault was at work.
pub(super) fn late(recoveries: &[Recovery], goal: Duration) -> Option<String> {
    let mut alone: Vec<Duration> = recoveries.iter().filter(|one| one.alone).map(|one| one.took).collect();
    if alone.len() < RECOVERIES_MIN {
        return None;
    }
    alone.sort_unstable();
    let slow = alone[(alone.len() * 95).div_ceil(100) - 1];
    let count = alone.len();
    (slow > goal).then(|| format!("the 95th percentile of {count} is {} ms; the goal is {goal:?}", slow.as_millis()))
}

/// Whether no worker had its result refused when it was woken, although several were frozen until they had lost their
/// leases.
pub(super) fn unfenced(wanted: &FaultList, came_too_late: u32) -> Option<String> {
    let least = wanted.0.get(&FaultKind::FreezeWorker).copied().unwrap_or(0);
    let expected = least >= WORKERS_FROZEN_MIN && came_too_late == 0;
    expected.then(|| format!("{least} workers were to lose their leases, and none came too late"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn how_late_is_late() {
        let check = |took_ms: &[u64], others_ms: &[u64], expected: bool| {
            let one = |millis: u64, alone: bool| Recovery {
                node: "server-0".to_owned(),
                took: Duration::from_millis(millis),
                restarted_after: Duration::ZERO,
                alone,
            };
            let alone = took_ms.iter().map(|millis| one(*millis, true));
            let recoveries: Vec<Recovery> = alone.chain(others_ms.iter().map(|millis| one(*millis, false))).collect();
            let late = late(&recoveries, Duration::from_secs(1));
            assert_eq!(late.is_some(), expected, "{took_ms:?} {others_ms:?}: {late:?}");
        };
        check(&[], &[5_000; 20], false);
        check(&[5_000; 9], &[], false);
        check(&[1_001; 10], &[], true);
        check(&[1_000; 10], &[], false);
        let one_of_20: Vec<u64> = [5_000].into_iter().chain([100; 19]).collect();
        check(&one_of_20, &[], false);
        let two_of_20: Vec<u64> = [5_000, 5_000].into_iter().chain([100; 18]).collect();
        check(&two_of_20, &[], true);
    }

    #[test]
    fn whether_a_fence_was_met() {
        let check = |wanted: &str, late: u32, expected: bool| {
            assert_eq!(unfenced(&wanted.parse().unwrap(), late).is_some(), expected, "{wanted} {late}");
        };
        check("freeze-worker=6", 0, true);
        check("freeze-worker=6", 1, false);
        check("freeze-worker=5", 0, false);
        check("freeze-worker", 0, false);
        check("kill=9", 0, false);
    }
}
