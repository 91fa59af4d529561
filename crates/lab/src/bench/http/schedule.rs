//! When each request of an open loop is meant to be sent, whether or not somebody is free to send it.

use std::sync::Arc;
use std::time::{Duration, Instant};

use tokio::sync::Semaphore;

/// The runtime's timers tick once a millisecond, too coarse for rates above a thousand; a thread that wakes this often
/// costs little and is late by little. What it is late counts as latency.
const TICK: Duration = Duration::from_micros(200);

#[derive(Clone, Copy, Debug)]
pub struct Schedule {
    started: Instant,
    rate_per_s: u32,
    /// Requests in all.
    pub total: u64,
}

impl Schedule {
    pub fn new(started: Instant, rate_per_s: u32, duration: Duration) -> Schedule {
        let total = u128::from(rate_per_s) * duration.as_nanos() / 1_000_000_000;
        Schedule { started, rate_per_s, total: u64::try_from(total).unwrap_or(u64::MAX) }
    }

    pub fn intended_at(&self, request: u64) -> Instant {
        let nanos = u128::from(request) * 1_000_000_000 / u128::from(self.rate_per_s);
        self.started + Duration::from_nanos(u64::try_from(nanos).unwrap_or(u64::MAX))
    }

    /// Requests whose time has come.
    pub fn due(&self, now: Instant) -> u64 {
        let elapsed_nanos = now.saturating_duration_since(self.started).as_nanos();
        let due = elapsed_nanos * u128::from(self.rate_per_s) / 1_000_000_000 + 1;
        u64::try_from(due).unwrap_or(u64::MAX).min(self.total)
    }

    /// Gives one permit per request when its time comes, in a thread that ends when all are given or the semaphore is
    /// closed. `extra` permits follow the last request, to tell everybody who waits that there is none.
    pub fn give(self, permits: Arc<Semaphore>, extra: usize) -> std::thread::JoinHandle<()> {
        std::thread::spawn(move || {
            let mut given = 0;
            while given < self.total && !permits.is_closed() {
                let now = Instant::now();
                let due = self.due(now);
                permits.add_permits(usize::try_from(due - given).expect("a usize is large"));
                given = due;
                std::thread::sleep(self.intended_at(given).saturating_duration_since(now).max(TICK));
            }
            permits.add_permits(extra);
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn requests_are_due_at_even_distances() {
        let started = Instant::now();
        let schedule = Schedule::new(started, 400, Duration::from_millis(500));
        assert_eq!(schedule.total, 200);
        let check = |micros: u64, due: u64| {
            assert_eq!(schedule.due(started + Duration::from_micros(micros)), due, "after {micros} µs");
        };
        check(0, 1);
        check(2_499, 1);
        check(2_500, 2);
        check(100_000, 41);
        check(497_500, 200);
        check(9_000_000, 200);
        for request in 0..200 {
            let intended_at = schedule.intended_at(request);
            assert_eq!(intended_at - started, Duration::from_micros(2_500 * request));
            assert_eq!(schedule.due(intended_at), request + 1);
        }
    }

    #[tokio::test]
    async fn permits_follow_the_schedule() {
        let permits = Arc::new(Semaphore::new(0));
        let schedule = Schedule::new(Instant::now(), 10_000, Duration::from_millis(50));
        schedule.give(Arc::clone(&permits), 3).join().unwrap();
        assert!(Instant::now() >= schedule.intended_at(499));
        assert_eq!(permits.available_permits(), 503);
    }

    #[tokio::test]
    async fn nobody_is_left_to_wait_for() {
        let permits = Arc::new(Semaphore::new(0));
        let giver = Schedule::new(Instant::now(), 1_000, Duration::from_hours(1)).give(Arc::clone(&permits), 0);
        permits.close();
        giver.join().unwrap();
    }
}
