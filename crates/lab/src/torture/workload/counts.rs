//! How much came of it. A run in which almost everything was refused proves nothing.

use std::collections::BTreeMap;
use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering};

use super::told::Told;
use crate::torture::history::{Answer, Ask};
use crate::torture::stays::GuestAsk;
use crate::torture::stock::ClerkAsk;

/// As the history calls them.
pub const FUNCTIONS: [&str; 12] = [
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
];

/// What guests of the hotel ask, as they call it.
pub const GUEST_FUNCTIONS: [&str; 10] = [
    "quote",
    "stay",
    "checkout",
    "confirm",
    "cancel_stay",
    "walk_in",
    "change_reservation",
    "cancel_reservation",
    "no_show",
    "read_stay",
];

/// What clerks of the stores ask: documents by their kinds.
pub const CLERK_FUNCTIONS: [&str; 19] = [
    "purchase",
    "sale",
    "customer_return",
    "supplier_return",
    "write_off",
    "recount",
    "transfer",
    "receipt",
    "transit_loss",
    "draft",
    "part",
    "post",
    "reverse",
    "hold_goods",
    "sell_hold",
    "release_hold",
    "book_hold",
    "read_document",
    "read_item",
];

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
/// Who asks what, and of how many of their asks something came of the rarest, in the full runs of tests on either store.
const CROWDS: [(&[&str], u64); 3] = [(&FUNCTIONS, 180), (&GUEST_FUNCTIONS, 400), (&CLERK_FUNCTIONS, 150)];
/// What is rarer than the others of its crowd, mostly because it needs a hotel that is not full, or a late hour.
const RARER: [(&str, u64); 5] =
    [("no_show", 3_200), ("change_reservation", 1_400), ("confirm", 900), ("walk_in", 660), ("release_hold", 240)];

/// Reads and quotes succeed whatever becomes of the world.
fn is_change(function: &str) -> bool {
    !function.starts_with("read_") && function != "quote"
}

fn function(ask: &Ask) -> usize {
    match ask {
        Ask::Place { .. } => 0,
        Ask::Extend { .. } => 1,
        Ask::Convert { .. } => 2,
        Ask::Cancel { .. } => 3,
        Ask::Move { .. } => 4,
        Ask::GiveBack { .. } => 5,
        Ask::PutPool { .. } => 6,
        Ask::Adjust { .. } => 7,
        Ask::ReadHold { .. } => 8,
        Ask::ReadPool { .. } => 9,
        Ask::ExpireTask { .. } => 10,
        Ask::ChargeTask { .. } => 11,
    }
}

fn guest_function(ask: &GuestAsk) -> usize {
    match ask {
        GuestAsk::Quote { .. } => 0,
        GuestAsk::Stay { .. } => 1,
        GuestAsk::Checkout { .. } => 2,
        GuestAsk::Confirm { .. } => 3,
        GuestAsk::CancelStay { .. } => 4,
        GuestAsk::WalkIn { .. } => 5,
        GuestAsk::ChangeReservation { .. } => 6,
        GuestAsk::CancelReservation { .. } => 7,
        GuestAsk::NoShow { .. } => 8,
        GuestAsk::ReadStay { .. } => 9,
    }
}

fn clerk_function(ask: &ClerkAsk) -> usize {
    match ask {
        // Stores are opened before anything is counted.
        ClerkAsk::Document { paper, .. } => CLERK_FUNCTIONS.iter().position(|kind| *kind == paper.kind).unwrap_or(0),
        ClerkAsk::Draft { .. } => 9,
        ClerkAsk::Part { .. } => 10,
        ClerkAsk::Post { .. } => 11,
        ClerkAsk::Reverse { .. } => 12,
        ClerkAsk::HoldGoods { .. } => 13,
        ClerkAsk::SellHold { .. } => 14,
        ClerkAsk::ReleaseHold { .. } => 15,
        ClerkAsk::BookHold { .. } => 16,
        ClerkAsk::ReadDocument { .. } => 17,
        ClerkAsk::ReadItem { .. } => 18,
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
#[derive(Debug, Default)]
pub struct Counts {
    by: [Counter; FUNCTIONS.len()],
    guests: [Counter; GUEST_FUNCTIONS.len()],
    clerks: [Counter; CLERK_FUNCTIONS.len()],
    fails: Mutex<BTreeMap<String, u64>>,
}

impl Counts {
    pub(super) fn count(&self, ask: &Ask, told: &Told) {
        let came = match told {
            Told::Ok(answer) if had_been_so(answer) => Came::Repeated,
            Told::Ok(_) => Came::Useful,
            Told::Refused(code) => Came::Refused(code),
            Told::TurnedAway(code) => Came::TurnedAway(code),
            Told::Unknown(_) => Came::Unknown,
        };
        self.count_in(&self.by[function(ask)], came);
    }

    pub(crate) fn count_guest(&self, ask: &GuestAsk, came: Came<'_>) {
        self.count_in(&self.guests[guest_function(ask)], came);
    }

    pub(crate) fn count_clerk(&self, ask: &ClerkAsk, came: Came<'_>) {
        self.count_in(&self.clerks[clerk_function(ask)], came);
    }

    fn count_in(&self, counter: &Counter, came: Came<'_>) {
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
        self.by.iter().chain(&self.guests).chain(&self.clerks).map(Counter::read).fold(Tally::default(), Tally::plus)
    }

    /// What guests and clerks ask is among it where there are any.
    pub fn by_function(&self) -> BTreeMap<&'static str, Tally> {
        let guests = tallies(&GUEST_FUNCTIONS, &self.guests);
        let clerks = tallies(&CLERK_FUNCTIONS, &self.clerks);
        FUNCTIONS.into_iter().zip(self.by.iter().map(Counter::read)).chain(guests).chain(clerks).collect()
    }

    /// How often each code was the answer.
    pub fn fails(&self) -> BTreeMap<String, u64> {
        self.fails.lock().expect("nothing panics while holding it").clone()
    }

    pub fn end(&self) -> WorkloadEnd {
        WorkloadEnd { by_function: self.by_function(), fails: self.fails() }
    }
}

/// Nothing if nothing was asked.
fn tallies(functions: &[&'static str], counters: &[Counter]) -> Vec<(&'static str, Tally)> {
    let all = functions.iter().copied().zip(counters.iter().map(Counter::read)).collect::<Vec<_>>();
    if all.iter().any(|(_, tally)| tally.asked() > 0) { all } else { Vec::new() }
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
        for (functions, one_in) in CROWDS {
            let of_crowd = || self.by_function.iter().filter(|(function, _)| functions.contains(function));
            let asked: u64 = of_crowd().map(|(_, tally)| tally.asked()).sum();
            let is_expected = |function: &str| {
                let rarer = RARER.iter().find(|(rare, _)| *rare == function).map(|(_, one_in)| *one_in);
                asked >= EXPECTED_MIN * rarer.unwrap_or(one_in)
            };
            let never = of_crowd().filter(|(function, tally)| tally.useful == 0 && is_expected(function));
            short.extend(never.map(|(function, _)| format!("nothing came of any `{function}`")));
        }
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
        let check = |read_stay, expected: &[&str]| {
            let seen = |useful| Tally { useful, ..Tally::default() };
            let by_function = BTreeMap::from([
                ("place", seen(1_000)),
                ("convert", seen(2_000)),
                ("no_show", seen(0)),
                ("read_stay", seen(read_stay)),
            ]);
            assert_eq!(WorkloadEnd { by_function, fails: BTreeMap::new() }.shortcomings(), expected);
        };
        check(63_999, &[]);
        check(64_000, &["nothing came of any `no_show`"]);
    }

    #[test]
    fn functions_are_called_what_the_history_calls_them() {
        let hold = uuid::Uuid::nil();
        let named = |ask: Ask| {
            let written = serde_json::to_value(&ask).unwrap();
            assert_eq!(written["f"], FUNCTIONS[function(&ask)]);
        };
        named(Ask::GiveBack { hold, part: None });
        named(Ask::Move { hold, from: BTreeMap::new(), to: BTreeMap::new() });
        named(Ask::ChargeTask { task: String::new(), purchase: String::new(), amount: 1 });
        named(Ask::ReadPool { pool: String::new() });
        for ask in [
            GuestAsk::Checkout { hold },
            GuestAsk::CancelStay { hold },
            GuestAsk::CancelReservation { hold },
            GuestAsk::NoShow { hold },
            GuestAsk::ReadStay { hold },
        ] {
            assert_eq!(serde_json::to_value(&ask).unwrap()["f"], GUEST_FUNCTIONS[guest_function(&ask)]);
        }
        let document = hold;
        for ask in [
            ClerkAsk::Part { document, number: 1, lines: Vec::new() },
            ClerkAsk::Post { document },
            ClerkAsk::Reverse { document, reverses: hold },
            ClerkAsk::HoldGoods { hold, goods: BTreeMap::new(), lifetime_secs: 1 },
            ClerkAsk::ReleaseHold { hold },
            ClerkAsk::BookHold { hold },
            ClerkAsk::ReadDocument { document },
            ClerkAsk::ReadItem { store: String::new(), product: String::new() },
        ] {
            assert_eq!(serde_json::to_value(&ask).unwrap()["f"], CLERK_FUNCTIONS[clerk_function(&ask)]);
        }
    }
}
