//! What documents come to, worked out naively with fractions: all of them, in the order in which they took effect. Money
//! is in minor units.

use std::cmp::Ordering;
use std::collections::{BTreeMap, HashMap};

use super::fraction::Fraction;
use surehold_core::stock::ItemKey;

/// Costs are kept to the millionth.
const UNITS: i64 = 1_000_000;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Heap {
    pub(super) quantity: i64,
    pub(super) value: Fraction,
}

const NONE: Heap = Heap { quantity: 0, value: Fraction::ZERO };

impl Heap {
    fn worth_of(self, quantity: i64) -> Fraction {
        if quantity == self.quantity {
            self.value
        } else {
            self.value.times(quantity).over(self.quantity).nearest(UNITS)
        }
    }

    fn add(&mut self, quantity: i64, value: Fraction) {
        *self = Heap { quantity: self.quantity + quantity, value: self.value.plus(value) };
    }

    fn remove(&mut self, quantity: i64, value: Fraction) {
        *self = Heap { quantity: self.quantity - quantity, value: self.value.minus(value) };
    }
}

/// A line of a document, by its place among all.
pub(super) type LineOf = (usize, usize);

#[derive(Clone, Debug)]
pub(super) enum Act {
    In {
        item: ItemKey,
        quantity: i64,
        cost: Fraction,
    },
    Out {
        item: ItemKey,
        quantity: i64,
    },
    /// Found on top of others: at their average, or for nothing if they turn out not to have been there.
    Found {
        item: ItemKey,
        quantity: i64,
    },
    /// Found where there was nothing: at the last average that was known, or for nothing.
    FoundAgain {
        item: ItemKey,
        quantity: i64,
    },
    Across {
        from: ItemKey,
        to: ItemKey,
        quantity: i64,
    },
    TakenBack {
        of: LineOf,
        item: ItemKey,
        quantity: i64,
    },
    Arrived {
        of: LineOf,
        from: ItemKey,
        to: ItemKey,
        quantity: i64,
    },
    Lost {
        of: LineOf,
        item: ItemKey,
        quantity: i64,
    },
}

#[derive(Clone, Debug)]
pub(super) enum Paper {
    Acts(Vec<Act>),
    Reverses(usize),
}

/// There would have been less than nothing.
#[derive(Debug)]
pub(super) struct Short;

#[derive(Clone, Debug, Default)]
pub(super) struct Model {
    pub(super) heaps: HashMap<ItemKey, Heap>,
    known: HashMap<ItemKey, Heap>,
    acts: HashMap<usize, Vec<Act>>,
    costs: HashMap<LineOf, Fraction>,
    left: HashMap<LineOf, Heap>,
}

impl Model {
    pub(super) fn heap(&self, item: &ItemKey) -> Heap {
        self.heaps.get(item).copied().unwrap_or(NONE)
    }

    fn put(&mut self, item: &ItemKey, quantity: i64, value: Fraction) {
        self.heaps.entry(item.clone()).or_insert(NONE).add(quantity, value);
    }

    fn take(&mut self, item: &ItemKey, quantity: i64, worth: impl Fn(Heap) -> Fraction) -> Result<Fraction, Short> {
        let heap = self.heap(item);
        if heap.quantity < quantity {
            return Err(Short);
        }
        let value = worth(heap);
        if heap.quantity == quantity {
            self.known.insert(item.clone(), heap);
        }
        self.heaps.get_mut(item).ok_or(Short)?.remove(quantity, value);
        Ok(value)
    }

    fn issue(&mut self, item: &ItemKey, quantity: i64) -> Result<Fraction, Short> {
        self.take(item, quantity, |heap| heap.worth_of(quantity))
    }

    /// Back to where it came from, for what it came for if the others can bear it.
    fn undo_in(&mut self, item: &ItemKey, quantity: i64, came_for: Fraction) -> Result<Fraction, Short> {
        self.take(item, quantity, |heap| {
            let bearable = quantity < heap.quantity && came_for.compare(heap.value) == Ordering::Less;
            if bearable { came_for } else { heap.worth_of(quantity) }
        })
    }

    fn take_left(&mut self, of: LineOf, quantity: i64) -> Fraction {
        let left = self.left.get_mut(&of).unwrap();
        let value = left.worth_of(quantity);
        left.remove(quantity, value);
        value
    }

    /// All of it, or nothing.
    pub(super) fn apply(&mut self, number: usize, paper: &Paper) -> Result<(), Short> {
        let (heaps, known) = (self.heaps.clone(), self.known.clone());
        let of = match paper {
            Paper::Acts(acts) => acts.iter().filter_map(about).collect(),
            Paper::Reverses(other) => self.acts.get(other).unwrap().iter().filter_map(about).collect::<Vec<LineOf>>(),
        };
        let left: Vec<(LineOf, Heap)> = of.into_iter().map(|of| (of, *self.left.get(&of).unwrap())).collect();
        let applied = self.apply_all(number, paper);
        if applied.is_err() {
            (self.heaps, self.known) = (heaps, known);
            self.left.extend(left);
        }
        applied
    }

    fn apply_all(&mut self, number: usize, paper: &Paper) -> Result<(), Short> {
        match paper {
            Paper::Acts(acts) => {
                for (line, act) in acts.iter().enumerate() {
                    self.act((number, line), act)?;
                }
                self.acts.insert(number, acts.clone());
                Ok(())
            }
            Paper::Reverses(other) => {
                let acts = self.acts.get(other).unwrap().clone();
                for (line, act) in acts.iter().enumerate().rev() {
                    self.reverse((*other, line), act)?;
                }
                Ok(())
            }
        }
    }

    fn act(&mut self, line: LineOf, act: &Act) -> Result<(), Short> {
        let (quantity, cost) = match act {
            Act::In { item, quantity, cost } => {
                self.put(item, *quantity, *cost);
                (*quantity, *cost)
            }
            Act::Found { item, quantity } => self.find(item, *quantity, self.heap(item)),
            Act::FoundAgain { item, quantity } => {
                let known = self.known.get(item).copied().unwrap_or(NONE);
                self.find(item, *quantity, known)
            }
            Act::Out { item, quantity } => (*quantity, self.issue(item, *quantity)?),
            Act::Across { from, to, quantity } => {
                let cost = self.issue(from, *quantity)?;
                self.put(to, *quantity, cost);
                (*quantity, cost)
            }
            Act::TakenBack { of, item, quantity } => {
                let cost = self.take_left(*of, *quantity);
                self.put(item, *quantity, cost);
                (*quantity, cost)
            }
            Act::Arrived { of, from, to, quantity } => {
                let cost = self.take_left(*of, *quantity);
                self.take(from, *quantity, |_| cost)?;
                self.put(to, *quantity, cost);
                (*quantity, cost)
            }
            Act::Lost { of, item, quantity } => {
                let cost = self.take_left(*of, *quantity);
                (*quantity, self.take(item, *quantity, |_| cost)?)
            }
        };
        self.costs.insert(line, cost);
        self.left.insert(line, Heap { quantity, value: cost });
        Ok(())
    }

    fn find(&mut self, item: &ItemKey, quantity: i64, at_average_of: Heap) -> (i64, Fraction) {
        let Heap { quantity: units, value } = at_average_of;
        let cost = if units > 0 { value.times(quantity).over(units).nearest(UNITS) } else { Fraction::ZERO };
        self.put(item, quantity, cost);
        (quantity, cost)
    }

    fn reverse(&mut self, line: LineOf, act: &Act) -> Result<(), Short> {
        let cost = *self.costs.get(&line).unwrap();
        match act {
            Act::In { item, quantity, .. } | Act::Found { item, quantity } | Act::FoundAgain { item, quantity } => {
                self.undo_in(item, *quantity, cost)?;
            }
            Act::Out { item, quantity } => self.put(item, *quantity, cost),
            Act::Across { from, to, quantity } => {
                match to.place {
                    surehold_core::stock::Place::OnHand => self.undo_in(to, *quantity, cost)?,
                    surehold_core::stock::Place::InTransit => self.take(to, *quantity, |_| cost)?,
                };
                self.put(from, *quantity, cost);
            }
            Act::TakenBack { of, item, quantity } => {
                self.undo_in(item, *quantity, cost)?;
                self.left.get_mut(of).unwrap().add(*quantity, cost);
            }
            Act::Arrived { of, from, to, quantity } => {
                self.undo_in(to, *quantity, cost)?;
                self.put(from, *quantity, cost);
                self.left.get_mut(of).unwrap().add(*quantity, cost);
            }
            Act::Lost { of, item, quantity } => {
                self.put(item, *quantity, cost);
                self.left.get_mut(of).unwrap().add(*quantity, cost);
            }
        }
        Ok(())
    }
}

/// All papers in the order in which they took effect; of those at one instant, in the order of posting.
#[derive(Default)]
pub(super) struct Timeline {
    papers: BTreeMap<(i64, usize), Paper>,
    /// What everything came to that took effect up to an instant: so that not all has to be gone through again.
    kept: Vec<(i64, Model)>,
    /// What everything comes to.
    pub(super) model: Model,
}

/// Papers between two that are kept.
const KEPT_EVERY: usize = 250;

impl Timeline {
    /// Adds a paper, or refuses it.
    pub(super) fn add(&mut self, number: usize, at: i64, paper: Paper) -> Result<(), Short> {
        let last = self.papers.last_key_value().map(|(key, _)| *key);
        if last.is_none_or(|last| last < (at, number)) {
            self.model.apply(number, &paper)?;
            self.papers.insert((at, number), paper);
            return Ok(());
        }
        self.papers.insert((at, number), paper);
        let replayed = self.replay(at);
        if replayed.is_err() {
            self.papers.remove(&(at, number));
        }
        replayed
    }

    /// Goes through all papers again that may follow from one at this instant.
    fn replay(&mut self, at: i64) -> Result<(), Short> {
        let known = self.kept.iter().rposition(|(instant, _)| *instant < at).map_or(0, |last| last + 1);
        let mut kept = self.kept[..known].to_vec();
        let (from, mut model) = kept.last().cloned().unwrap_or((i64::MIN, Model::default()));
        let (mut before, mut count) = (from, 0);
        for ((at, number), paper) in self.papers.range((from.saturating_add(1), 0)..) {
            if before < *at && count >= KEPT_EVERY {
                kept.push((before, model.clone()));
                count = 0;
            }
            model.apply_all(*number, paper)?;
            (before, count) = (*at, count + 1);
        }
        (self.kept, self.model) = (kept, model);
        Ok(())
    }
}

/// What falls to each of some weights, which is the difference of what falls to all up to it and to all before it.
pub(super) fn spread(extra: i64, weights: &[Fraction]) -> Vec<Fraction> {
    let total = weights.iter().fold(Fraction::ZERO, |sum, weight| sum.plus(*weight));
    let (mut sum, mut due_before, mut parts) = (Fraction::ZERO, Fraction::ZERO, Vec::new());
    for weight in weights {
        sum = sum.plus(*weight);
        let due = sum.times(extra).by(total).below(UNITS);
        parts.push(due.minus(due_before));
        due_before = due;
    }
    parts
}

/// The line from whose leftovers it takes.
fn about(act: &Act) -> Option<LineOf> {
    match act {
        Act::TakenBack { of, .. } | Act::Arrived { of, .. } | Act::Lost { of, .. } => Some(*of),
        Act::In { .. } | Act::Out { .. } | Act::Found { .. } | Act::FoundAgain { .. } | Act::Across { .. } => None,
    }
}

/// The value in millionths.
pub(super) fn micros(value: Fraction) -> i64 {
    value.in_units(UNITS)
}

/// A price in millionths for so many units, times a count: to the nearest millionth.
pub(super) fn priced(price: i64, count: i64, units: i64) -> Fraction {
    Fraction::new(i128::from(price), i128::from(UNITS)).times(count).over(units).nearest(UNITS)
}
