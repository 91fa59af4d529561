//! The search: operations are put in an order one by one, each only if nothing that is still left was over before it
//! began; dead ends are remembered by what has been put in order and the state that this led to.

use std::collections::HashSet;

use super::pool::{Action, Shown, State, next};

/// Beyond this a window is left undecided.
const STATES_MAX: usize = 100_000;
pub(super) const OPERATIONS_MAX: usize = 256;
const WORDS: usize = OPERATIONS_MAX / 64;

#[derive(Clone, Debug)]
pub(super) struct Operation {
    pub(super) begun: u64,
    /// `u64::MAX`: it may have happened at any time, or not yet.
    pub(super) done: u64,
    pub(super) action: Action,
    pub(super) shown: Option<Shown>,
    /// What happened to the same hold just before.
    pub(super) after: Option<usize>,
    /// For messages.
    pub(super) request: Option<usize>,
}

#[derive(Debug)]
pub(super) struct Window {
    pub(super) start: State,
    /// In the order in which they are tried.
    pub(super) operations: Vec<Operation>,
}

#[derive(Debug)]
pub(super) enum Outcome {
    Ordered,
    /// The requests that were next when the longest order came to its end.
    NoOrder {
        best: Vec<usize>,
    },
    Undecided,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
struct Taken([u64; WORDS]);

impl Taken {
    fn has(&self, place: usize) -> bool {
        self.0[place / 64] & (1 << (place % 64)) != 0
    }

    fn with(mut self, place: usize) -> Taken {
        self.0[place / 64] |= 1 << (place % 64);
        self
    }
}

struct Search<'a> {
    window: &'a Window,
    dead: HashSet<(Taken, i64, bool)>,
    best: (usize, Vec<usize>),
}

enum Step {
    Ordered,
    DeadEnd,
    Undecided,
}

/// Whether there is an order, and how many states were looked at.
pub(super) fn search(window: &Window) -> (Outcome, usize) {
    let mut search = Search { window, dead: HashSet::new(), best: (0, Vec::new()) };
    let step = search.go(Taken::default(), 0, window.start);
    let outcome = match step {
        Step::Ordered => Outcome::Ordered,
        Step::DeadEnd => Outcome::NoOrder { best: search.best.1 },
        Step::Undecided => Outcome::Undecided,
    };
    (outcome, search.dead.len())
}

impl Search<'_> {
    fn go(&mut self, taken: Taken, depth: usize, state: State) -> Step {
        let left = || self.window.operations.iter().enumerate().filter(|(place, _)| !taken.has(*place));
        let soonest = left().map(|(_, operation)| operation.done).min().unwrap_or(u64::MAX);
        if soonest == u64::MAX {
            // What is left need not have happened.
            return Step::Ordered;
        }
        if self.dead.len() >= STATES_MAX {
            return Step::Undecided;
        }
        // Held and booked follow from what was taken; totals that were set do not.
        if !self.dead.insert((taken, state.total, state.closed)) {
            return Step::DeadEnd;
        }
        let ready: Vec<usize> = left()
            .filter(|(_, operation)| operation.begun <= soonest && operation.after.is_none_or(|after| taken.has(after)))
            .map(|(place, _)| place)
            .collect();
        if depth >= self.best.0 {
            let requests = ready.iter().filter_map(|place| self.window.operations[*place].request);
            self.best = (depth, requests.take(8).collect());
        }
        // What changes nothing and can come now may as well come now.
        let seen = ready.iter().copied().find(|place| {
            let operation = &self.window.operations[*place];
            operation.action.only_looks() && next(state, operation.action, operation.shown).is_some()
        });
        if let Some(place) = seen {
            return self.go(taken.with(place), depth + 1, state);
        }
        for place in ready {
            let operation = &self.window.operations[place];
            let Some(after) = next(state, operation.action, operation.shown) else { continue };
            match self.go(taken.with(place), depth + 1, after) {
                Step::DeadEnd => {}
                step @ (Step::Ordered | Step::Undecided) => return step,
            }
        }
        Step::DeadEnd
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn operation(begun: u64, done: u64, action: Action) -> Operation {
        Operation { begun, done, action, shown: None, after: None, request: None }
    }

    fn place(units: i64) -> Action {
        Action::Change { claim: units, held: units, booked: 0, total: 0 }
    }

    fn free(units: i64) -> Action {
        Action::Change { claim: 0, held: -units, booked: 0, total: 0 }
    }

    #[test]
    fn orders() {
        let check = |name: &str, operations: &[Operation], ordered: bool| {
            let start = State { spare: 0, total: 1, held: 0, booked: 0, closed: false };
            let (outcome, _) = search(&Window { start, operations: operations.to_vec() });
            assert_eq!(matches!(outcome, Outcome::Ordered), ordered, "{name}: {outcome:?}");
        };
        let look = |begun: u64, done: u64, held: i64| Operation {
            shown: Some(Shown { total: 1, held, booked: 0, closed: false }),
            ..operation(begun, done, Action::Look)
        };
        check("one unit is sold once", &[operation(0, 9, place(1)), operation(0, 9, place(1))], false);
        check(
            "and again when it is free",
            &[operation(0, 9, place(1)), operation(0, 9, place(1)), operation(0, 9, free(1))],
            true,
        );
        check(
            "but not before",
            &[operation(0, 1, place(1)), operation(2, 3, place(1)), operation(4, 9, free(1))],
            false,
        );
        check(
            "a refusal before the claim",
            &[operation(0, 1, Action::Short { units: 1 }), operation(2, 3, place(1))],
            false,
        );
        check(
            "a refusal beside the claim",
            &[operation(0, 3, Action::Short { units: 1 }), operation(2, 4, place(1))],
            true,
        );
        check(
            "nobody knows of the claim",
            &[operation(2, 3, Action::Short { units: 1 }), operation(0, u64::MAX, place(1))],
            true,
        );
        check("a read of the past", &[operation(0, 1, place(1)), look(2, 3, 0)], false);
        check("two reads, newest first", &[operation(0, 9, place(1)), look(1, 2, 1), look(3, 4, 0)], false);
        check("two reads, oldest first", &[operation(0, 9, place(1)), look(1, 2, 0), look(3, 4, 1)], true);
        let closing = Operation {
            shown: Some(Shown { total: 1, held: 0, booked: 0, closed: true }),
            ..operation(0, 1, Action::Put { total: None, closed: Some(true) })
        };
        check("closed is closed", &[closing.clone(), operation(2, 3, place(1))], false);
        check("and says so", &[closing, operation(2, 3, Action::Closed)], true);
    }
}
