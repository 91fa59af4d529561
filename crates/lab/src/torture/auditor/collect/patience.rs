//! How long something may be unfinished: a minute after everything was healed. What only began to wait later (a hold
//! lapses while others are read) has a few seconds of its own; what waits all the time has not, however long reading
//! takes.

use std::collections::{BTreeSet, HashMap};
use std::time::{Duration, Instant};

/// Everything must have come to rest by then.
const CONVERGENCE_MAX: Duration = Duration::from_mins(1);
/// What is due later is seen to at the next round of whoever looks after it.
const LATER_MAX: Duration = Duration::from_secs(10);

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Rest {
    /// Nothing is unfinished.
    Settled,
    /// Something is, and may be.
    Still,
    /// Something has been for too long, once.
    Overdue,
}

#[derive(Debug)]
pub(super) struct Patience {
    until: Instant,
    /// When each was first found unfinished, of those that still are.
    since: HashMap<String, Instant>,
    /// Something was not finished in time, though it may be by now.
    overdue: bool,
}

impl Patience {
    pub(super) fn since(healed: Instant) -> Patience {
        Patience { until: healed + CONVERGENCE_MAX, since: HashMap::new(), overdue: false }
    }

    /// What is unfinished now, by its name.
    pub(super) fn look(&mut self, unfinished: BTreeSet<String>, now: Instant) -> Rest {
        self.since.retain(|name, _| unfinished.contains(name));
        for name in unfinished {
            self.since.entry(name).or_insert(now);
        }
        self.overdue |= self.since.values().any(|since| now >= self.until.max(*since + LATER_MAX));
        match (self.overdue, self.since.is_empty()) {
            (true, _) => Rest::Overdue,
            (false, true) => Rest::Settled,
            (false, false) => Rest::Still,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Each look: seconds after healing, what is unfinished, and what comes of it.
    fn check(looks: &[(u64, &str, Rest)]) {
        let healed = Instant::now();
        let mut patience = Patience::since(healed);
        for (secs, unfinished, expected) in looks {
            let unfinished = unfinished.split_whitespace().map(str::to_owned).collect();
            let found = patience.look(unfinished, healed + Duration::from_secs(*secs));
            assert_eq!(found, *expected, "{secs} s after healing, of {looks:?}");
        }
    }

    #[test]
    fn a_minute_and_no_more() {
        check(&[(0, "", Rest::Settled)]);
        check(&[(0, "a", Rest::Still), (59, "a", Rest::Still), (60, "a", Rest::Overdue), (61, "", Rest::Overdue)]);
        check(&[(0, "a", Rest::Still), (50, "", Rest::Settled), (70, "", Rest::Settled)]);
        // Reading took long: what waited before has had its time, what is new has not.
        check(&[(0, "a", Rest::Still), (90, "a", Rest::Overdue)]);
        check(&[(0, "a", Rest::Still), (90, "b", Rest::Still), (99, "b", Rest::Still), (100, "b", Rest::Overdue)]);
        check(&[(90, "a", Rest::Still), (95, "a b", Rest::Still), (99, "b", Rest::Still), (104, "", Rest::Settled)]);
        check(&[(90, "a", Rest::Still), (95, "", Rest::Settled), (101, "a", Rest::Still)]);
    }
}
