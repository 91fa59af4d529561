//! One pool, sequentially: what can be asked of it next, and what it is then.

/// What changes while a window is searched. Overbooking and grants stand still.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct State {
    /// Units beyond the total that may be promised, less those granted.
    pub(super) spare: i64,
    pub(super) total: i64,
    pub(super) held: i64,
    pub(super) booked: i64,
    pub(super) closed: bool,
}

impl State {
    fn left(&self) -> i64 {
        self.total + self.spare - self.held - self.booked
    }
}

/// What an answer shows of the pool afterwards.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Shown {
    pub(super) total: i64,
    pub(super) held: i64,
    pub(super) booked: i64,
    pub(super) closed: bool,
}

#[derive(Clone, Copy, Debug)]
pub(super) enum Action {
    /// Counters change; `claim` is what must be left in an open pool.
    Change {
        claim: i64,
        held: i64,
        booked: i64,
        total: i64,
    },
    Put {
        total: Option<i64>,
        closed: Option<bool>,
    },
    Look,
    /// Refused: fewer are left.
    Short {
        units: i64,
    },
    /// Refused: it is closed.
    Closed,
}

impl Action {
    pub(super) fn only_looks(self) -> bool {
        match self {
            Action::Look | Action::Short { .. } | Action::Closed => true,
            Action::Change { .. } | Action::Put { .. } => false,
        }
    }
}

/// `None` if it cannot come next.
pub(super) fn next(state: State, action: Action, shown: Option<Shown>) -> Option<State> {
    let after = match action {
        Action::Change { claim, held, booked, total } => {
            if claim > 0 && (state.closed || state.left() < claim) {
                return None;
            }
            State { held: state.held + held, booked: state.booked + booked, total: state.total + total, ..state }
        }
        Action::Put { total, closed } => {
            State { total: total.unwrap_or(state.total), closed: closed.unwrap_or(state.closed), ..state }
        }
        Action::Look => state,
        Action::Short { units } => (state.left() < units).then_some(state)?,
        Action::Closed => state.closed.then_some(state)?,
    };
    let State { total, held, booked, closed, .. } = after;
    let agrees = shown.is_none_or(|shown| shown == Shown { total, held, booked, closed });
    (agrees && total >= 0 && held >= 0 && booked >= 0).then_some(after)
}
