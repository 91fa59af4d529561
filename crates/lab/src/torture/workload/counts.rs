//! How much came of it. A run in which almost everything was refused proves nothing.

use std::collections::BTreeMap;
use std::iter;
use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering};

use super::told::Outcome;
use crate::torture::crowds::CROWDS;
use crate::torture::history::{Answer, Ask};

/// What somebody asks, and how often something comes of it.
#[derive(Clone, Copy, Debug)]
pub struct Functions {
    /// As the history, or a book, calls them: unlike those of anybody else.
    pub names: &'static [&'static str],
    /// Those that succeed whatever becomes of the world.
    pub reads: &'static [&'static str],
    /// Of how many of all these asks something came of the rarest, in the full runs of tests on either store.
    pub one_in: u64,
    /// The same of those that are rarer than the others.
    pub rarer: &'static [(&'static str, u64)],
}

/// What the clients ask, who are no crowd.
pub const FUNCTIONS: Functions = Functions {
    names: &[
        "place",
        "extend",
        "convert",
        "cancel",
        "move",
        "give_back",
        "put_pool",
        "adjust",
        "read_hold",
        "read_pool",
        "expire_task",
        "charge_task",
    ],
    reads: &["read_hold", "read_pool"],
    one_in: 180,
    rarer: &[],
};

/// A run in which less of the changes than this was useful proves nothing. 56 to 61 % are: of 5,000 changes that do not
/// depend on each other, 16 points less are 22 standard deviations. They do depend on each other; in groups of ten it is 7.
const USEFUL_PERCENT_MIN: u64 = 40;
/// Nor does one in which most were turned away: 4 to 12 % are.
const TURNED_AWAY_PERCENT_MAX: u64 = 50;
/// With fewer changes, or fewer asks, than this, chance may decide. One change must be useful.
const SHARE_FROM_CHANGES: u64 = 5_000;
const ASKED_MIN: u64 = 5_000;

/// So often something is to be expected before a run is blamed that it never came. At the measured rate, it does not come
/// in one of e²⁰, 485 million, runs; at two thirds of that rate in one of 600,000, and each run asks for few such things.
const EXPECTED_MIN: u64 = 20;

fn of_crowds() -> impl Iterator<Item = &'static Functions> {
    CROWDS.iter().map(|crowd| &crowd.functions)
}

fn of_everybody() -> impl Iterator<Item = &'static Functions> {
    iter::once(&FUNCTIONS).chain(of_crowds())
}

fn is_change(function: &str) -> bool {
    !of_everybody().any(|functions| functions.reads.contains(&function))
}

impl Functions {
    /// Those of which nothing came, though something was to be expected.
    fn missed(&self, by_function: &BTreeMap<&'static str, Tally>) -> Vec<&'static str> {
        let ours = || by_function.iter().filter(|(function, _)| self.names.contains(function));
        let asked: u64 = ours().map(|(_, tally)| tally.asked()).sum();
        let is_expected = |function: &str| {
            let rarer = self.rarer.iter().find(|(rare, _)| *rare == function).map(|(_, one_in)| *one_in);
            asked >= EXPECTED_MIN * rarer.unwrap_or(self.one_in)
        };
        let missed = ours().filter(|(function, tally)| tally.useful == 0 && is_expected(function));
        missed.map(|(function, _)| *function).collect()
    }
}

fn function(ask: &Ask) -> &'static str {
    match ask {
        Ask::Place { .. } => "place",
        Ask::Extend { .. } => "extend",
        Ask::Convert { .. } => "convert",
        Ask::Cancel { .. } => "cancel",
        Ask::Move { .. } => "move",
        Ask::GiveBack { .. } => "give_back",
        Ask::PutPool { .. } => "put_pool",
        Ask::Adjust { .. } => "adjust",
        Ask::ReadHold { .. } => "read_hold",
        Ask::ReadPool { .. } => "read_pool",
        Ask::ExpireTask { .. } => "expire_task",
        Ask::ChargeTask { .. } => "charge_task",
    }
}

/// What came of one ask.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Came<'a> {
    Useful,
    Repeated,
    /// With its code.
    Refused(&'a str),
    TurnedAway(&'a str),
    Unknown,
}

/// What became of asks.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Tally {
    /// `ok`, and something changed or was found.
    pub useful: u64,
    /// `ok`, and it had been so before.
    pub repeated: u64,
    /// `fail`: the server understood and said no.
    pub refused: u64,
    /// `fail`: nobody was there, or had time. Says nothing about the world, so it is in no share.
    pub turned_away: u64,
    /// `info`.
    pub unknown: u64,
}

impl Tally {
    pub fn ok(&self) -> u64 {
        self.useful + self.repeated
    }

    pub fn fail(&self) -> u64 {
        self.refused + self.turned_away
    }

    pub fn asked(&self) -> u64 {
        self.ok() + self.fail() + self.unknown
    }

    /// Those that were not turned away: only they say something about the world.
    pub fn heard(&self) -> u64 {
        self.ok() + self.refused + self.unknown
    }

    /// Of the asks that were not turned away; rounded down, 0 if there were none.
    pub fn useful_percent(&self) -> u64 {
        (self.useful * 100).checked_div(self.heard()).unwrap_or(0)
    }

    fn turned_away_percent(&self) -> u64 {
        (self.turned_away * 100).checked_div(self.asked()).unwrap_or(0)
    }

    fn plus(self, other: Tally) -> Tally {
        Tally {
            useful: self.useful + other.useful,
            repeated: self.repeated + other.repeated,
            refused: self.refused + other.refused,
            turned_away: self.turned_away + other.turned_away,
            unknown: self.unknown + other.unknown,
        }
    }
}

#[derive(Debug, Default)]
struct Counter {
    useful: AtomicU64,
    repeated: AtomicU64,
    refused: AtomicU64,
    turned_away: AtomicU64,
    unknown: AtomicU64,
}

impl Counter {
    fn read(&self) -> Tally {
        let read = |count: &AtomicU64| count.load(Ordering::Relaxed);
        Tally {
            useful: read(&self.useful),
            repeated: read(&self.repeated),
            refused: read(&self.refused),
            turned_away: read(&self.turned_away),
            unknown: read(&self.unknown),
        }
    }
}

/// Counts while it runs.
#[derive(Debug)]
pub struct Counts {
    by: BTreeMap<&'static str, Counter>,
    fails: Mutex<BTreeMap<String, u64>>,
}

impl Default for Counts {
    fn default() -> Counts {
        let names = of_everybody().flat_map(|functions| functions.names);
        Counts { by: names.map(|name| (*name, Counter::default())).collect(), fails: Mutex::default() }
    }
}

impl Counts {
    pub(super) fn count(&self, ask: &Ask, told: &Outcome) {
        let came = match told {
            Outcome::Ok(answer) if had_been_so(answer) => Came::Repeated,
            Outcome::Ok(_) => Came::Useful,
            Outcome::Refused(code) => Came::Refused(code),
            Outcome::TurnedAway(code) => Came::TurnedAway(code),
            Outcome::Unknown(_) => Came::Unknown,
        };
        self.count_as(function(ask), came);
    }

    pub(super) fn count_as(&self, function: &str, came: Came<'_>) {
        let counter = self.by.get(function).expect("everybody says what they ask");
        let (count, code) = match came {
            Came::Useful => (&counter.useful, None),
            Came::Repeated => (&counter.repeated, None),
            Came::Refused(code) => (&counter.refused, Some(code)),
            Came::TurnedAway(code) => (&counter.turned_away, Some(code)),
            Came::Unknown => (&counter.unknown, None),
        };
        count.fetch_add(1, Ordering::Relaxed);
        if let Some(code) = code {
            let mut fails = self.fails.lock().expect("nothing panics while holding it");
            *fails.entry(code.to_owned()).or_default() += 1;
        }
    }

    pub fn total(&self) -> Tally {
        self.by.values().map(Counter::read).fold(Tally::default(), Tally::plus)
    }

    /// What a crowd asks is among it where there is one.
    pub fn by_function(&self) -> BTreeMap<&'static str, Tally> {
        let crowds = of_crowds().map(|functions| self.tallies(functions));
        let crowds = crowds.filter(|tallies| tallies.iter().any(|(_, tally)| tally.asked() > 0));
        self.tallies(&FUNCTIONS).into_iter().chain(crowds.flatten()).collect()
    }

    fn tallies(&self, functions: &Functions) -> Vec<(&'static str, Tally)> {
        let counters = functions.names.iter().filter_map(|name| self.by.get_key_value(name));
        counters.map(|(name, counter)| (*name, counter.read())).collect()
    }

    /// How often each code was the answer.
    pub fn fails(&self) -> BTreeMap<String, u64> {
        self.fails.lock().expect("nothing panics while holding it").clone()
    }

    pub fn end(&self) -> WorkloadEnd {
        WorkloadEnd { by_function: self.by_function(), fails: self.fails() }
    }
}

fn had_been_so(answer: &Answer) -> bool {
    match answer {
        Answer::Hold { replayed, .. } | Answer::Pool { replayed, .. } | Answer::Task { replayed } => *replayed,
        Answer::Absent => true,
    }
}

/// What a run came to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WorkloadEnd {
    pub by_function: BTreeMap<&'static str, Tally>,
    pub fails: BTreeMap<String, u64>,
}

impl WorkloadEnd {
    pub fn total(&self) -> Tally {
        self.by_function.values().copied().fold(Tally::default(), Tally::plus)
    }

    /// Without the reads.
    pub fn changes(&self) -> Tally {
        let changes = self.by_function.iter().filter(|(function, _)| is_change(function));
        changes.map(|(_, tally)| *tally).fold(Tally::default(), Tally::plus)
    }

    /// What did not happen, or not enough, for the run to prove something.
    pub fn shortcomings(&self) -> Vec<String> {
        let mut short = Vec::new();
        let changes = self.changes();
        let useful = changes.useful_percent();
        if changes.useful == 0 {
            short.push("nothing came of any change".to_owned());
        } else if changes.heard() >= SHARE_FROM_CHANGES && useful < USEFUL_PERCENT_MIN {
            short.push(format!("{useful} % of the changes were useful; {USEFUL_PERCENT_MIN} % are wanted"));
        }
        let total = self.total();
        let turned_away = total.turned_away_percent();
        if total.asked() >= ASKED_MIN && turned_away > TURNED_AWAY_PERCENT_MAX {
            short.push(format!("{turned_away} % of the requests were turned away; {TURNED_AWAY_PERCENT_MAX} % may be"));
        }
        let missed = of_everybody().flat_map(|functions| functions.missed(&self.by_function));
        short.extend(missed.map(|function| format!("nothing came of any `{function}`")));
        short
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shares() {
        let check = |useful, repeated, refused, turned_away, unknown, percent| {
            let tally = Tally { useful, repeated, refused, turned_away, unknown };
            assert_eq!(tally.useful_percent(), percent, "{tally:?}");
        };
        check(0, 0, 0, 0, 0, 0);
        check(0, 0, 0, 9, 0, 0);
        check(40, 20, 30, 1_000, 10, 40);
        check(1, 0, 2, 0, 0, 33);
    }

    #[test]
    fn what_a_run_lacks() {
        let check = |place: Tally, read_hold: Tally, cancel: Tally, expected: &[&str]| {
            let by_function = BTreeMap::from([("place", place), ("read_hold", read_hold), ("cancel", cancel)]);
            let end = WorkloadEnd { by_function, fails: BTreeMap::new() };
            assert_eq!(end.shortcomings(), expected, "{end:?}");
        };
        let tally = |useful, refused, turned_away| Tally { useful, refused, turned_away, ..Tally::default() };
        let nothing = Tally::default();
        let one = tally(1, 0, 0);
        check(tally(1_999, 3_000, 0), one, one, &[]);
        // Reads make no share better.
        let few = "39 % of the changes were useful; 40 % are wanted";
        check(tally(1_998, 3_001, 0), tally(10_000, 0, 0), one, &[few]);
        // Of few, chance decides.
        check(tally(1_998, 3_000, 0), tally(10_000, 0, 0), one, &[]);
        check(tally(1, 498, 0), nothing, nothing, &[]);
        let none = "nothing came of any change";
        check(tally(0, 499, 0), tally(1_000, 0, 0), nothing, &[none]);
        check(tally(0, 0, 3), nothing, nothing, &[none]);
        check(nothing, nothing, nothing, &[none]);
        check(tally(0, 900, 0), nothing, nothing, &[none]);
        check(tally(2_600, 0, 0), tally(999, 0, 0), nothing, &[]);
        check(tally(2_600, 0, 0), tally(1_000, 0, 0), nothing, &["nothing came of any `cancel`"]);
        check(tally(2_000, 0, 1_000), tally(1_000, 0, 1_000), tally(1, 0, 0), &[]);
        let away = "60 % of the requests were turned away; 50 % may be";
        check(tally(1_998, 0, 3_000), tally(1, 0, 0), tally(1, 0, 0), &[away]);
    }

    /// Each by itself: what is plenty for one is little for another.
    #[test]
    fn what_a_crowd_lacks() {
        let functions =
            Functions { names: &["look", "enter", "leave"], reads: &["look"], one_in: 400, rarer: &[("leave", 3_200)] };
        let check = |looks, enter, expected: &[&str]| {
            let seen = |useful| Tally { useful, ..Tally::default() };
            let by_function = BTreeMap::from([
                ("place", seen(1_000_000)),
                ("look", seen(looks)),
                ("enter", seen(enter)),
                ("leave", seen(0)),
            ]);
            assert_eq!(functions.missed(&by_function), expected);
        };
        check(7_999, 0, &[]);
        check(8_000, 0, &["enter"]);
        check(63_998, 1, &[]);
        check(63_999, 1, &["leave"]);
    }

    #[test]
    fn names_are_used_once() {
        let names: Vec<&str> = of_everybody().flat_map(|functions| functions.names).copied().collect();
        assert_eq!(Counts::default().by.len(), names.len(), "{names:?}");
        for functions in of_everybody() {
            let rarer = functions.rarer.iter().map(|(name, _)| name);
            let unknown: Vec<&&str> =
                functions.reads.iter().chain(rarer).filter(|name| !functions.names.contains(name)).collect();
            assert_eq!(unknown, [&""; 0]);
        }
    }

    #[test]
    fn functions_are_called_what_the_history_calls_them() {
        let hold = uuid::Uuid::nil();
        let named = |ask: Ask| {
            let written = serde_json::to_value(&ask).unwrap();
            assert_eq!(written["f"], function(&ask));
            assert!(FUNCTIONS.names.contains(&function(&ask)));
        };
        named(Ask::GiveBack { hold, part: None });
        named(Ask::Move { hold, from: BTreeMap::new(), to: BTreeMap::new() });
        named(Ask::ChargeTask { task: String::new(), purchase: String::new(), amount: 1 });
        named(Ask::ReadPool { pool: String::new() });
    }
}
