//! Random documents against the model: quantity, value and average equal to the last millionth, whatever took effect when.

use std::collections::BTreeMap;

use super::fraction::Fraction;
use super::model::{Act, Paper, Timeline, micros, priced, spread};
use super::world::{START, World, document, on_hand, product, store};
use surehold_core::kernel::{Timestamp, Title};
use surehold_core::stock::commands::PutProduct;
use surehold_core::stock::history::{Derives, HistoryRow, ROWS_PER_STEP_MAX, Walk, rows_of, sum};
use surehold_core::stock::rules::Balance;
use surehold_core::stock::{
    Against, Basis, DocumentHeader, DocumentKind, DocumentLine, ExtraCost, ItemKey, LineCost, Move, MoveKey, PackName,
    Place, Spread, StockItem, StockRefusal, StoreName, UnitName,
};

const STORES: [&str; 2] = ["a", "b"];
/// The first three have been there before; `rice` is shown by the thousand.
const PRODUCTS: [&str; 11] = ["tea", "cup", "rice", "p1", "p2", "p3", "p4", "p5", "p6", "p7", "p8"];

/// A small generator of its own, so that a seed means the same for ever.
struct Dice(u64);

impl Dice {
    fn roll(&mut self) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0.wrapping_mul(0x2545_f491_4f6c_dd1d) >> 33
    }

    fn below(&mut self, sides: i64) -> i64 {
        i64::try_from(self.roll() % u64::try_from(sides).unwrap()).unwrap()
    }

    fn of<'a>(&mut self, items: &[&'a str]) -> &'a str {
        items[usize::try_from(self.below(i64::try_from(items.len()).unwrap())).unwrap()]
    }
}

/// What was posted, as far as later documents can be about it.
struct Posted {
    header: DocumentHeader,
    /// From then on others may be about it.
    followed_from: Timestamp,
    left: Vec<i64>,
    products: Vec<&'static str>,
    /// What each line moved.
    moved: Vec<i64>,
    followers: u32,
    follows: Option<(usize, usize)>,
    reversed: bool,
}

/// A document, and what the model makes of it.
struct Draft {
    header: DocumentHeader,
    lines: Vec<DocumentLine>,
    acts: Vec<Act>,
    products: Vec<&'static str>,
}

struct Race {
    world: World,
    dice: Dice,
    products: &'static [&'static str],
    timeline: Timeline,
    posted: Vec<Option<Posted>>,
    /// Whether documents take effect in the past.
    backdates: bool,
    refused: usize,
    accepted: BTreeMap<&'static str, usize>,
}

impl Race {
    fn new(mut world: World, seed: u64, backdates: bool, products: usize) -> Race {
        for code in &PRODUCTS[3..] {
            let (title, unit) = (Title::new(code).unwrap(), UnitName::new("pcs").unwrap());
            world.run(&PutProduct::new(product(code), title, unit)).unwrap();
        }
        Race {
            world,
            dice: Dice(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1),
            products: &PRODUCTS[..products],
            timeline: Timeline::default(),
            posted: Vec::new(),
            backdates,
            refused: 0,
            accepted: BTreeMap::new(),
        }
    }

    fn keys(&self) -> Vec<ItemKey> {
        let of = |place: &str, code: &str| [on_hand(place, code), ItemKey::in_transit(&store(place), &product(code))];
        STORES.iter().flat_map(|place| self.products.iter().flat_map(move |code| of(place, code))).collect()
    }

    /// Now, or some minutes ago and seldom many, but not before `earliest`.
    fn instant(&mut self, earliest: Timestamp) -> Option<Timestamp> {
        if !self.backdates || self.dice.below(3) > 0 {
            return None;
        }
        let now = self.world.now;
        let minutes = if self.dice.below(200) == 0 { 3_000 } else { 30 };
        Some(now.plus_secs(-60 * self.dice.below(minutes)).max(earliest))
    }

    /// A document that is about nothing else.
    fn fresh(&mut self) -> Draft {
        let (place, other) = if self.dice.below(2) == 0 { ("a", "b") } else { ("b", "a") };
        let effective_at = self.instant(START);
        let header = |kind| DocumentHeader { effective_at, ..DocumentHeader::new(kind, store(place)) };
        let products: Vec<&'static str> = (0..=self.dice.below(2)).map(|_| self.dice.of(self.products)).collect();
        let line = |code: &&str, count: i64| DocumentLine::new(product(code), count + 1);
        let lines: Vec<DocumentLine> = products.iter().map(|code| line(code, self.dice.below(9))).collect();
        let items: Vec<ItemKey> = products.iter().map(|code| on_hand(place, code)).collect();
        let out = |(item, line): (&ItemKey, &DocumentLine)| Act::Out { item: item.clone(), quantity: line.count };
        let outs: Vec<Act> = items.iter().zip(&lines).map(out).collect();
        match self.dice.below(12) {
            0..=3 => self.purchase(header(DocumentKind::Purchase), products, lines, &items),
            4 | 5 => Draft { header: header(DocumentKind::Sale), lines, acts: outs, products },
            6 => Draft { header: header(DocumentKind::WriteOff), lines, acts: outs, products },
            7 => {
                let credited = Some(LineCost::Amount(self.dice.below(500)));
                let lines = lines.into_iter().map(|line| DocumentLine { cost: credited, ..line }).collect();
                Draft { header: header(DocumentKind::SupplierReturn), lines, acts: outs, products }
            }
            8 | 9 => self.recount(place, products[0]),
            way => {
                let in_transit = way == 11;
                let to_place = if in_transit { Place::InTransit } else { Place::OnHand };
                let across = |(item, line): (&ItemKey, &DocumentLine)| Act::Across {
                    from: item.clone(),
                    to: ItemKey { store: store(other), place: to_place, ..item.clone() },
                    quantity: line.count,
                };
                let acts = items.iter().zip(&lines).map(across).collect();
                let header = header(DocumentKind::Transfer);
                let header = DocumentHeader { to_store: Some(store(other)), in_transit, ..header };
                Draft { header, lines, acts, products }
            }
        }
    }

    /// For an amount or at a price, in pieces or boxes, with freight or without; or an opening, where nothing has moved.
    fn purchase(
        &mut self,
        header: DocumentHeader,
        products: Vec<&'static str>,
        mut lines: Vec<DocumentLine>,
        items: &[ItemKey],
    ) -> Draft {
        let (mut costs, mut quantities) = (Vec::new(), Vec::new());
        for (line, code) in lines.iter_mut().zip(&products) {
            let has_boxes = matches!(*code, "tea" | "cup");
            let units_shown = if *code == "rice" { 1_000 } else { 1 };
            let (cost, price, boxes) = (self.dice.below(1_000), self.dice.below(90_000_000), self.dice.below(8) == 0);
            let is_priced = self.dice.below(3) == 0;
            let of_units = if boxes && has_boxes { 1 } else { units_shown };
            line.pack = (boxes && has_boxes).then(|| PackName::new("box").unwrap());
            line.cost = Some(if is_priced { LineCost::Price(price) } else { LineCost::Amount(cost) });
            costs.push(if is_priced { priced(price, line.count, of_units) } else { Fraction::whole(cost) });
            quantities.push(if line.pack.is_some() { line.count * 12 } else { line.count });
        }
        let is_new = items.iter().all(|item| self.world.item(item).seq == 0);
        let kind = if is_new { DocumentKind::Opening } else { DocumentKind::Purchase };
        let mut header = DocumentHeader { kind, ..header };
        if !is_new && self.dice.below(4) == 0 {
            let (amount, by_value) = (self.dice.below(100), self.dice.below(2) == 0);
            let by = if by_value { Spread::ByValue } else { Spread::ByQuantity };
            header.extra = Some(ExtraCost { amount, by }.into());
            let is_free = costs.iter().all(|cost| *cost == Fraction::ZERO);
            let units = || quantities.iter().map(|units| Fraction::whole(*units)).collect();
            let weights: Vec<Fraction> = if by_value && !is_free { costs.clone() } else { units() };
            for (cost, extra) in costs.iter_mut().zip(spread(amount, &weights)) {
                *cost = cost.plus(extra);
            }
        }
        let acts = items.iter().zip(quantities).zip(costs);
        let acts = acts.map(|((item, quantity), cost)| Act::In { item: item.clone(), quantity, cost }).collect();
        Draft { header, lines, acts, products }
    }

    /// Less or more than the books say, against the last row or an earlier one.
    fn recount(&mut self, place: &str, code: &'static str) -> Draft {
        let key = on_hand(place, code);
        let item = self.world.item(&key);
        let (against, then) = self.counted_against(&item);
        let counted = (then + self.dice.below(5) - 2).max(0);
        // What is missing of what was there then must be there now.
        let counted = counted.max(then - item.quantity);
        let difference = counted - then;
        let mut line = DocumentLine { against: Some(against), ..DocumentLine::new(product(code), counted) };
        let stated = self.dice.below(300);
        let act = match difference {
            0 => None,
            ..0 => Some(Act::Out { item: key, quantity: -difference }),
            // The last known average is that of the order of posting.
            _ if self.dice.below(4) == 0 || (item.quantity == 0 && self.backdates) => {
                line.cost = Some(LineCost::Amount(stated));
                Some(Act::In { item: key, quantity: difference, cost: Fraction::whole(stated) })
            }
            _ if item.quantity == 0 => Some(Act::FoundAgain { item: key, quantity: difference }),
            _ => Some(Act::Found { item: key, quantity: difference }),
        };
        let header = DocumentHeader::new(DocumentKind::Recount, store(place));
        Draft { header, lines: vec![line], acts: act.into_iter().collect(), products: vec![code] }
    }

    fn counted_against(&mut self, item: &StockItem) -> (Against, i64) {
        let seq = (item.seq - self.dice.below(3)).max(1);
        if item.seq == 0 || seq == item.seq {
            return (Against { seq: item.seq, difference: false }, item.quantity);
        }
        let row = self.world.get::<Move>(&MoveKey { item: item.key.clone(), seq }).unwrap();
        (Against { seq, difference: true }, row.quantity_after)
    }

    /// Returns, receipts and losses of what is left of an earlier line.
    fn about(&mut self) -> Option<(usize, usize, DocumentHeader, DocumentLine, Act)> {
        let some = usize::try_from(self.dice.below(i64::try_from(self.posted.len()).unwrap().max(1))).unwrap();
        let recent = self.posted.len().saturating_sub(1 + some % 40);
        let earlier = self.posted.get(recent)?.as_ref().filter(|earlier| !earlier.reversed)?;
        let kind = earlier.header.kind;
        let line = earlier.left.iter().position(|left| *left > 0)?;
        let (left, took_effect, code) = (earlier.left[line], earlier.followed_from, earlier.products[line]);
        let (from, to) = (earlier.header.store.clone(), earlier.header.to_store.clone());
        let in_transit = earlier.header.in_transit;
        let effective_at = self.instant(took_effect);
        let quantity = self.dice.below(left) + 1;
        let of = (recent, line);
        let lost = self.dice.below(4) == 0;
        let on_hand_of = |place: &StoreName| ItemKey::on_hand(place, &product(code));
        let (kind, place, act) = match (kind, to) {
            (DocumentKind::Sale, _) => {
                let item = on_hand_of(&from);
                (DocumentKind::CustomerReturn, from, Act::TakenBack { of, item, quantity })
            }
            (DocumentKind::Transfer, Some(to)) if in_transit => {
                let (item, transit) = (on_hand_of(&to), ItemKey::in_transit(&to, &product(code)));
                if lost {
                    (DocumentKind::TransitLoss, to, Act::Lost { of, item: transit, quantity })
                } else {
                    (DocumentKind::Receipt, to, Act::Arrived { of, from: transit, to: item, quantity })
                }
            }
            _ => return None,
        };
        let about = Some(document(u64::try_from(recent).unwrap() + 1));
        let header = DocumentHeader { effective_at, about, ..DocumentHeader::new(kind, place) };
        let of_line = u32::try_from(line).unwrap() + 1;
        Some((recent, line, header, DocumentLine::of_line(of_line, quantity), act))
    }

    fn step(&mut self) {
        self.world.clock(60);
        match self.dice.below(10) {
            0 | 1 => self.post_about(),
            2 => self.post_reversal(),
            _ => {
                let draft = self.fresh();
                let has_left = draft.header.in_transit || draft.header.kind == DocumentKind::Sale;
                let left = draft.lines.iter().map(|line| if has_left { line.count } else { 0 }).collect();
                self.post(draft, left, None);
            }
        }
        let posted = self.posted.len();
        assert_eq!(u64::try_from(posted).unwrap(), self.world.documents, "every document has its number");
    }

    fn post_about(&mut self) {
        if let Some((earlier, line, header, wanted, act)) = self.about() {
            let (quantity, code) = (wanted.count, self.posted[earlier].as_ref().unwrap().products[line]);
            let draft = Draft { header, lines: vec![wanted], acts: vec![act], products: vec![code] };
            let accepted = self.post(draft, vec![0], Some((earlier, line)));
            if accepted {
                let effective_at = self.posted.last().unwrap().as_ref().unwrap().followed_from;
                let earlier = self.posted[earlier].as_mut().unwrap();
                earlier.left[line] -= quantity;
                earlier.followers += 1;
                earlier.followed_from = earlier.followed_from.max(effective_at);
            }
        }
    }

    fn post(&mut self, draft: Draft, left: Vec<i64>, follows: Option<(usize, usize)>) -> bool {
        let Draft { header, lines, acts, products } = draft;
        let effective_at = header.effective_at.unwrap_or(self.world.now);
        let moved = acts.iter().map(quantity_of).collect();
        let outcome = self.world.post(header.clone(), lines).map(drop);
        let accepted = self.compare(outcome, effective_at, header.kind, Paper::Acts(acts));
        let followed_from = effective_at;
        let posted = Posted { header, followed_from, left, products, moved, followers: 0, follows, reversed: false };
        self.posted.push(accepted.then_some(posted));
        accepted
    }

    fn post_reversal(&mut self) {
        let some = usize::try_from(self.dice.below(40)).unwrap();
        let number = self.posted.len().saturating_sub(1 + some);
        let Some(Some(reversed)) = self.posted.get(number) else { return };
        if reversed.reversed || reversed.followers > 0 || reversed.moved.is_empty() {
            return;
        }
        let (earliest, follows, back) = (reversed.followed_from, reversed.follows, reversed.moved[0]);
        let followed = follows.map(|(earlier, _)| self.posted[earlier].as_ref().unwrap().followed_from);
        let earliest = followed.map_or(earliest, |from| from.max(earliest));
        let at = self.instant(earliest);
        let effective_at = at.unwrap_or(self.world.now);
        let outcome = self.world.reverse(u64::try_from(number).unwrap() + 1, at).map(drop);
        let accepted = self.compare(outcome, effective_at, DocumentKind::Reversal, Paper::Reverses(number));
        self.posted.push(None);
        if accepted {
            self.posted[number].as_mut().unwrap().reversed = true;
            if let Some((earlier, line)) = follows {
                let earlier = self.posted[earlier].as_mut().unwrap();
                earlier.left[line] += back;
                earlier.followers -= 1;
                earlier.followed_from = earlier.followed_from.max(effective_at);
            }
        }
    }

    /// The model refuses what the world refuses, and nothing else.
    fn compare(
        &mut self,
        outcome: Result<(), StockRefusal>,
        effective_at: Timestamp,
        kind: DocumentKind,
        paper: Paper,
    ) -> bool {
        let number = self.posted.len();
        match (outcome, self.timeline.add(number, effective_at.micros(), paper)) {
            (Ok(()), Ok(())) => {
                *self.accepted.entry(kind.as_str()).or_insert(0) += 1;
                true
            }
            (Err(StockRefusal::InsufficientStock { .. } | StockRefusal::InsufficientInPast { .. }), Err(_)) => {
                self.refused += 1;
                false
            }
            (outcome, expected) => {
                panic!("document {}: a {kind}: {outcome:?}, but the model says {expected:?}", number + 1)
            }
        }
    }

    fn check_balances(&mut self) {
        for key in self.keys() {
            let item = self.world.item(&key);
            let heap = self.timeline.model.heap(&key);
            assert_eq!((item.quantity, item.value), (heap.quantity, micros(heap.value)), "{key}");
            if item.quantity > 0 {
                let average = heap.value.over(heap.quantity).nearest(10_000).in_units(10_000);
                let shown = Balance { quantity: item.quantity, value: item.value }.average_shown(1);
                assert_eq!(shown, Some(average), "{key}");
            }
        }
    }

    fn settle(&mut self) {
        self.world.revalue_all(&self.keys());
        self.check_balances();
    }

    /// So many documents, looked at again and again.
    fn run(&mut self, documents: usize) {
        while self.posted.len() < documents {
            self.step();
            if self.dice.below(12) == 0 {
                self.settle();
            }
        }
        self.settle();
        self.world.check(&self.keys());
        let share = documents / self.refused.max(1);
        assert!((2..50).contains(&share), "{} refused: some are, most are not", self.refused);
        assert_eq!(self.accepted.len(), 11, "all kinds: {:?}", self.accepted);
    }
}

fn quantity_of(act: &Act) -> i64 {
    match act {
        Act::In { quantity, .. }
        | Act::Out { quantity, .. }
        | Act::Found { quantity, .. }
        | Act::FoundAgain { quantity, .. }
        | Act::Across { quantity, .. }
        | Act::TakenBack { quantity, .. }
        | Act::Arrived { quantity, .. }
        | Act::Lost { quantity, .. } => *quantity,
    }
}

#[test]
fn ten_thousand_documents_cost_what_the_model_says() {
    Race::new(World::new(), 7, false, PRODUCTS.len()).run(10_000);
}

/// A third of them take effect before others that are there; some of these before thousands.
#[test]
fn ten_thousand_documents_and_their_past_cost_what_the_model_says() {
    let mut race = Race::new(World::new(), 8, true, PRODUCTS.len());
    race.run(10_000);
    let revalued = race.keys().into_iter().filter(|key| race.world.item(key).revalued_seq > 0).count();
    assert!(revalued > 20, "{revalued}: costs did change");
}

/// Few products, so that much follows from each other. After each document, or after some, all costs are those of a history
/// in which everything was known in time, however few rows are worked out in a step.
#[test]
fn the_past_costs_what_the_model_says() {
    let mut revalued = 0;
    for seed in 1..=90 {
        let mut race = Race::new(World::new(), seed, true, 2);
        race.world.step_rows = [ROWS_PER_STEP_MAX, 1, 2, 5, 20][usize::try_from(seed % 5).unwrap()];
        let at_once = seed % 2 == 0;
        while race.posted.len() < 120 {
            race.step();
            if at_once || race.dice.below(6) == 0 {
                race.settle();
            }
            race.world.check(&race.keys());
        }
        race.settle();
        race.world.check(&race.keys());
        revalued += race.keys().iter().filter(|key| race.world.item(key).revalued_seq > 0).count();
    }
    assert!(revalued > 100, "{revalued}: costs did change");
}

/// The cost of a row changes, and those behind it are worked out: in one walk, in two that meet at any row, and in many
/// short ones. Between two walks what the first one found is written down, as a step of a long revaluation does.
#[test]
fn a_walk_may_be_cut_anywhere() {
    let (mut walks, mut put_back) = (0, 0);
    for seed in 1..=40 {
        let mut race = Race::new(World::new(), seed, true, 1);
        while race.posted.len() < 120 {
            // Much is received, returned and undone, so that rows put back what others have taken.
            match race.dice.below(4) {
                0 => race.step(),
                1 | 2 => race.post_about(),
                _ => race.post_reversal(),
            }
        }
        race.settle();
        for key in race.keys() {
            let ledger = race.world.ledger(&key);
            let rows = rows_of(&ledger);
            put_back += rows.iter().filter(|row| is_taken_again(row, &rows)).count();
            for changed in rows.iter().filter(|row| row.quantity > 0 && row.derives == Derives::Not).take(4) {
                let change = if walks % 2 == 0 { 15_743_205 } else { -changed.value / 2 };
                let ledger = with_revaluations(ledger.clone(), &[(changed.seq, change)]);
                let from = rows.iter().position(|row| row.seq == changed.seq).unwrap() + 1;
                let uncut = walk_in_steps(&ledger, &[from, rows.len()]);
                for cut in from..rows.len() {
                    assert_eq!(walk_in_steps(&ledger, &[from, cut, rows.len()]), uncut, "seed {seed}: {key} at {cut}");
                }
                for step in [1, 2, 3, 7] {
                    let cuts: Vec<usize> = (from..rows.len()).step_by(step).chain([rows.len()]).collect();
                    assert_eq!(walk_in_steps(&ledger, &cuts), uncut, "seed {seed}: {key} in steps of {step}");
                }
                walks += 1;
            }
        }
    }
    assert!(walks > 300 && put_back > 30, "{walks} walks, {put_back} rows whose goods were taken again");
}

/// The row gives back to another what it had taken from it, and a later row takes from that other again.
fn is_taken_again(row: &HistoryRow, rows: &[HistoryRow]) -> bool {
    let Some(from) = row.puts_back else { return false };
    let takes = |other: &HistoryRow| matches!(other.derives, Derives::FromSource { source, .. } if source == from);
    rows.iter().skip_while(|other| other.seq != row.seq).skip(1).any(takes)
}

/// What the rows between the first cut and the last are worth after one walk from each cut to the next.
fn walk_in_steps(ledger: &[Move], cuts: &[usize]) -> Vec<(i64, i64)> {
    let mut ledger = ledger.to_vec();
    for pair in cuts.windows(2) {
        let rows = rows_of(&ledger);
        let mut walk = Walk::new(sum(&rows[..pair[0]]));
        let changes: Vec<(i64, i64)> =
            rows[pair[0]..pair[1]].iter().map(|row| (row.seq, walk.step(row).unwrap())).collect();
        ledger = with_revaluations(ledger, &changes);
    }
    rows_of(&ledger).iter().map(|row| (row.seq, row.value)).collect()
}

fn with_revaluations(mut ledger: Vec<Move>, changes: &[(i64, i64)]) -> Vec<Move> {
    for (source, change) in changes {
        let about = ledger.iter().find(|row| row.key.seq == *source).unwrap().clone();
        let seq = i64::try_from(ledger.len()).unwrap() + 1;
        let key = MoveKey { seq, ..about.key };
        ledger.push(Move { key, basis: Basis::Revaluation, source: Some(*source), value: *change, ..about });
    }
    ledger
}

/// The same with a store: everything that is decided on is asked for, written and read again.
#[test]
fn random_documents_in_a_store() {
    for (seed, backdates) in [(3, false), (4, true), (5, true)] {
        let mut race = Race::new(World::stored(), seed, backdates, 3);
        while race.posted.len() < 150 {
            race.step();
            race.settle();
        }
        race.world.check(&race.keys());
    }
}
