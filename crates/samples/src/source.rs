//! Where samples come from: a source gives values, and remembers what it chose. A reader that refuses what it got is run
//! again with another choice, until it takes everything.

use std::any::type_name;
use std::collections::{BTreeMap, BTreeSet};

/// More attempts mean that a type checks several fields against each other, so that it needs candidates of its own.
const ATTEMPTS_MAX: usize = 100_000;
/// More samples of one type mean that the search goes round in circles.
const RUNS_MAX: usize = 1_000;

/// Types, by their names, whose readers do not tell serde what they are looking for.
pub type Forms = &'static [(&'static str, Form)];

#[derive(Clone, Copy, Debug)]
pub enum Form {
    /// A struct with a flattened member: all that its reader wants. Fields of the flattened member come last, because they
    /// are checked last.
    Flattened(&'static [&'static str]),
    /// An enum with its variant's name beside the fields, which each variant has at the same place.
    Tagged { tag: &'static str, variants: &'static [&'static str], fields: &'static [&'static [&'static str]] },
}

/// A variant of an enum. The names of all its variants say which enum it is.
type Variant = (&'static [&'static str], usize);

/// Gives a reader its values.
#[derive(Debug)]
pub struct Source {
    /// Without what is optional.
    bare: bool,
    choices: Vec<Choice>,
    /// How many of the choices were made in this attempt.
    at: usize,
    /// Makes the values of a sample differ from each other.
    number: u32,
    met_optional: bool,
    pub(crate) inside: Inside,
    pub(crate) forms: Forms,
    visits: Vec<Visit>,
    coverage: Coverage,
}

/// What is being read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Inside {
    /// Something whose reader says what it wants.
    Typed,
    /// An object that may hold anything.
    Any,
    /// What is kept aside until its form is known.
    Aside,
}

#[derive(Debug)]
struct Choice {
    taken: usize,
    of: usize,
}

/// An enum that was read.
#[derive(Debug)]
struct Visit {
    variant: Variant,
    /// Where the visits end that are inside of this one.
    end: usize,
}

/// What samples have shown so far.
#[derive(Debug, Default)]
struct Coverage {
    /// Whether nothing new is left inside of the variant.
    variants: BTreeMap<Variant, bool>,
}

impl Coverage {
    fn is_finished(&self, variants: &'static [&'static str]) -> bool {
        (0..variants.len()).all(|index| self.variants.get(&(variants, index)) == Some(&true))
    }

    /// Whether a sample with these visits shows anything new.
    fn add(&mut self, visits: &[Visit]) -> bool {
        let new: BTreeSet<Variant> =
            visits.iter().map(|visit| visit.variant).filter(|variant| !self.variants.contains_key(variant)).collect();
        // Inner ones come later, and decide about outer ones.
        for (index, visit) in visits.iter().enumerate().rev() {
            let inside = &visits[index + 1..visit.end.max(index + 1)];
            let mut others = inside.iter().filter(|inner| inner.variant.0 != visit.variant.0);
            let done = others.all(|inner| self.is_finished(inner.variant.0));
            let known = self.variants.entry(visit.variant).or_insert(false);
            *known = *known || done;
        }
        !new.is_empty()
    }
}

/// Samples of what `make` makes, so that each variant of each enum that it reads occurs, and each optional value both
/// present and absent.
pub fn explore<T>(mut make: impl FnMut(&mut Source) -> Result<T, String>) -> Vec<T> {
    let mut samples = Vec::new();
    for bare in [false, true] {
        let mut source = Source::new(bare);
        for run in 0.. {
            assert!(run < RUNS_MAX, "{} samples of {} do not show everything", RUNS_MAX, type_name::<T>());
            let sample = source.run(&mut make);
            let is_new = source.coverage.add(&source.visits);
            let is_first = run == 0;
            if (is_new || is_first) && (!bare || source.met_optional) {
                samples.push(sample);
            }
            let visits = &source.visits;
            if visits.iter().all(|visit| source.coverage.is_finished(visit.variant.0)) {
                break;
            }
        }
    }
    samples
}

impl Source {
    fn new(bare: bool) -> Source {
        let coverage = Coverage::default();
        Source {
            bare,
            choices: Vec::new(),
            at: 0,
            number: 0,
            met_optional: false,
            inside: Inside::Typed,
            forms: &[],
            visits: Vec::new(),
            coverage,
        }
    }

    /// One sample, after as many attempts as it takes.
    fn run<T>(&mut self, make: &mut impl FnMut(&mut Source) -> Result<T, String>) -> T {
        self.choices.clear();
        let mut refusal = String::new();
        for _ in 0..ATTEMPTS_MAX {
            (self.at, self.number, self.met_optional) = (0, 0, false);
            self.inside = Inside::Typed;
            self.visits.clear();
            match make(self) {
                Ok(sample) => return sample,
                Err(reason) => refusal = reason,
            }
            if !self.choose_otherwise() {
                break;
            }
        }
        panic!("no sample can be made of {}: {refusal}", type_name::<T>());
    }

    /// The last choice is most likely what was refused.
    fn choose_otherwise(&mut self) -> bool {
        self.choices.truncate(self.at);
        while let Some(last) = self.choices.last_mut() {
            if last.taken + 1 < last.of {
                last.taken += 1;
                return true;
            }
            self.choices.pop();
        }
        false
    }

    pub(crate) fn choose(&mut self, of: usize) -> usize {
        if self.at == self.choices.len() {
            self.choices.push(Choice { taken: 0, of });
        }
        self.at += 1;
        self.choices[self.at - 1].taken
    }

    /// The name of a derived visitor has that of the type in it.
    pub(crate) fn form_of(&self, visitor: &str) -> Option<Form> {
        let is_read = |name: &str| visitor.contains(&format!("::{name}>::deserialize"));
        self.forms.iter().find(|(name, _)| is_read(name)).map(|(_, form)| *form)
    }

    /// Like a number; a small one first.
    pub(crate) fn place(&mut self) -> u64 {
        let number = u64::from(self.next_number());
        let candidates = [0, 1, number, 60];
        candidates[self.choose(candidates.len())]
    }

    fn next_number(&mut self) -> u32 {
        self.number += 1;
        self.number
    }

    /// A number up to `max`.
    pub fn int(&mut self, max: u64) -> u64 {
        let number = u64::from(self.next_number());
        let candidates = [if number <= max { number } else { number % max.max(1) }, 1, 0, 60.min(max)];
        candidates[self.choose(candidates.len())]
    }

    pub fn bool(&self) -> bool {
        !self.bare
    }

    pub fn bytes(&mut self) -> Vec<u8> {
        let number = u8::try_from(self.next_number() % 256).unwrap_or_default();
        let lengths = [32, 16, 0];
        vec![number; lengths[self.choose(lengths.len())]]
    }

    /// Whether an optional value is there.
    pub fn is_present(&mut self) -> bool {
        self.met_optional = true;
        (self.choose(2) == 0) != self.bare
    }

    pub(crate) fn length(&mut self) -> usize {
        self.met_optional = true;
        let lengths = if self.bare { [0, 1, 2] } else { [2, 1, 0] };
        lengths[self.choose(lengths.len())]
    }

    /// A variant that samples have to show yet. Returns it with the number of the visit.
    pub(crate) fn enter(&mut self, variants: &'static [&'static str]) -> (usize, usize) {
        let is_closed = |index: &usize| self.coverage.variants.get(&(variants, *index)) == Some(&true);
        let is_used = |index: &usize| self.visits.iter().any(|visit| visit.variant == (variants, *index));
        let open = || (0..variants.len()).filter(|index| !is_closed(index));
        let index = open().find(|index| !is_used(index)).or_else(|| open().next()).unwrap_or(0);
        self.visits.push(Visit { variant: (variants, index), end: usize::MAX });
        (index, self.visits.len() - 1)
    }

    pub(crate) fn leave(&mut self, visit: usize) {
        self.visits[visit].end = self.visits.len();
    }

    /// A text that says something, in one of many forms, or one of `others`.
    pub fn text(&mut self, others: &[&str]) -> String {
        const FORMS: usize = 20;
        let number = self.next_number();
        let choice = self.choose(FORMS + others.len());
        match choice {
            0 => format!("a{number}"),
            1 => format!("2026-12-{:02}", number % 31 + 1),
            2 => format!("2026-12-24T10:{:02}:{:02}Z", number / 60 % 60, number % 60),
            3 => format!("01980000-0000-7000-8000-{number:012x}"),
            4 => format!("{number:016x}"),
            5 => format!("15:{:02}", number % 60),
            6 => format!("2026-{:02}", number % 12 + 1),
            7 => "BRL".to_owned(),
            8 => format!("TYPE_{number}"),
            9 => format!("{number}.5"),
            10 => format!("{{\"k\":{number}}}"),
            11 => "America/Sao_Paulo".to_owned(),
            12 => format!("kind{number}=value"),
            13 => format!("https://example.com/{number}"),
            14 => "hold_placed".to_owned(),
            15 => "@daily".to_owned(),
            16 => format!("{number:064x}"),
            17 => number.to_string(),
            18 => "[]".to_owned(),
            19 => String::new(),
            _ => others[choice - FORMS].to_owned(),
        }
    }
}
