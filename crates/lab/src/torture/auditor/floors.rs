//! Whether enough was looked at. Nothing was found where nobody looked: a rule that had nothing to judge, and one that
//! gave up on too much of it, have proved nothing.

use super::findings::{Checked, Verdict, Violation};
use super::state::FinalState;

const RULE: &str = "enough-seen";
/// Below this many requests, chance alone may leave something out. The rarest, strangers, come once in 220 of all requests.
/// So at least 20 are expected, and none comes in one of e²⁰ runs.
pub const FLOORS_FROM_REQUESTS: u64 = 5_000;
/// Of refusals and of windows.
const UNDECIDED_PERCENT_MAX: u64 = 5;
/// Where there are few, this many may be.
const UNDECIDED_MAX: u64 = 5;

impl Verdict {
    /// What was not looked at, or too little of it. Runs of less than [`FLOORS_FROM_REQUESTS`] are too short to say.
    /// What the final state does not have to compare with (a clock that nobody looked at), nobody asks for.
    pub fn too_little(&self, final_state: &FinalState) -> Vec<Violation> {
        if self.checked.requests < FLOORS_FROM_REQUESTS {
            return Vec::new();
        }
        let never = floors(&self.checked, final_state).into_iter().filter(|(_, count)| *count == 0);
        let never = never.map(|(what, _)| format!("of {what} there were none"));
        let undecided = undecided(&self.checked).into_iter().filter(|(_, given_up, all)| {
            // Of none at all, the floor tells.
            *given_up > UNDECIDED_MAX && given_up * 100 > all * UNDECIDED_PERCENT_MAX
        });
        let undecided = undecided.map(|(what, given_up, all)| format!("{given_up} of {all} {what} were not decided"));
        never.chain(undecided).map(|detail| Violation { rule: RULE, detail }).collect()
    }
}

/// What must not be zero. Requests of unknown outcome are none of it: without faults there are none.
fn floors(checked: &Checked, last: &FinalState) -> Vec<(&'static str, u64)> {
    let mut floors = vec![
        ("requests that were done", checked.oks),
        ("requests that were refused", checked.fails),
        ("strangers", checked.strangers),
        ("holds", checked.holds),
        ("pools", checked.pools),
        ("events", checked.events),
        ("versions of pools", checked.pool_versions),
        ("effects found in the feed", checked.effects),
        ("versions told in answers", checked.versions_told),
        ("reads", checked.reads),
        ("things in real-time order", checked.real_time),
        ("idempotency keys", checked.keys),
        ("refusals to justify", checked.refusals),
        ("windows searched for an order", checked.windows),
        ("requests in these windows", checked.window_operations),
        ("operations", checked.operations),
        ("tasks", checked.tasks),
    ];
    let when = |is_so: bool, floor: (&'static str, u64)| is_so.then_some(floor);
    floors.extend(when(last.charges.is_some(), ("charges at the provider", checked.charges)));
    floors.extend(when(last.charges.is_some(), ("charges that were done", checked.charges_done)));
    floors.extend(when(last.owner_holds_max.is_some(), ("holds of owners", checked.owners)));
    floors.extend(when(last.began_at.is_some(), ("instants compared", checked.instants)));
    floors.extend(when(last.live.is_some(), ("events told to a live reader", checked.events_live)));
    floors
}

/// What was given up, of how many.
fn undecided(checked: &Checked) -> [(&'static str, u64, u64); 2] {
    [
        ("refusals", checked.refusals_undecided, checked.refusals),
        ("windows", checked.windows_undecided, checked.windows),
    ]
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Enough of everything.
    fn enough() -> Checked {
        let mut value = serde_json::to_value(Checked::default()).unwrap();
        for (name, count) in value.as_object_mut().unwrap() {
            *count = match name.as_str() {
                "requests" => FLOORS_FROM_REQUESTS.into(),
                name if name.ends_with("_undecided") => 100.into(),
                _ => 2_000.into(),
            };
        }
        serde_json::from_value(value).unwrap()
    }

    fn everything() -> FinalState {
        FinalState {
            began_at: Some(0),
            owner_holds_max: Some(3),
            live: Some(Vec::new()),
            charges: Some(Vec::new()),
            ..FinalState::default()
        }
    }

    fn lacks(change: impl FnOnce(&mut Checked), last: &FinalState) -> Vec<String> {
        let mut checked = enough();
        change(&mut checked);
        let verdict = Verdict { checked, ..Verdict::default() };
        verdict.too_little(last).into_iter().map(|violation| violation.detail).collect()
    }

    #[test]
    fn what_was_never_looked_at_is_told() {
        let all = &everything();
        assert_eq!(lacks(|_| {}, all), Vec::<String>::new());
        assert_eq!(lacks(|checked| checked.windows_undecided = 101, all), ["101 of 2000 windows were not decided"]);
        assert_eq!(lacks(|checked| checked.refusals_undecided = 101, all), ["101 of 2000 refusals were not decided"]);
        assert_eq!(lacks(|checked| checked.refusals = 0, all).len(), 2);
        let of_seven = |given_up: u64| {
            move |checked: &mut Checked| {
                (checked.windows, checked.windows_undecided) = (7, given_up);
            }
        };
        assert_eq!(lacks(of_seven(5), all), Vec::<String>::new());
        assert_eq!(lacks(of_seven(6), all), ["6 of 7 windows were not decided"]);
        assert_eq!(lacks(|checked| checked.charges_done = 0, all), ["of charges that were done there were none"]);
        assert_eq!(lacks(|checked| checked.instants = 0, all), ["of instants compared there were none"]);
        let no_clock = &FinalState { began_at: None, ..everything() };
        assert_eq!(lacks(|checked| checked.instants = 0, no_clock), Vec::<String>::new());
        let short = FLOORS_FROM_REQUESTS - 1;
        assert_eq!(lacks(|checked| *checked = Checked { requests: short, ..Checked::default() }, all).len(), 0);
        let nothing = |checked: &mut Checked| *checked = Checked { requests: short + 1, ..Checked::default() };
        assert_eq!(lacks(nothing, all).len(), floors(&Checked::default(), all).len());
    }
}
