//! What a document says.

use uuid::Uuid;

use super::{LAMP, MILK, PRODUCTS};
use crate::torture::stock::book::{CountedAgainst, Paper, PaperLine};
use crate::torture::workload::world::{between, one_in};
use surehold_simulators::Dice;

const LOTS: usize = 3;
const OPENING_COUNT: i64 = 40;

fn paper(kind: &str, store: &str, lines: Vec<PaperLine>) -> Paper {
    Paper { kind: kind.to_owned(), store: store.to_owned(), lines, ..Paper::default() }
}

fn line(product: &str, count: i64) -> PaperLine {
    PaperLine { product: Some(product.to_owned()), count, ..PaperLine::default() }
}

/// Whatever is bought, at a cost that cannot be divided.
fn bought(product: &str, count: i64, amount: i64, lot: usize) -> PaperLine {
    let is_milk = product == MILK;
    PaperLine {
        amount: Some(amount),
        lot: is_milk.then(|| format!("L{lot}")),
        expires: is_milk.then(|| format!("2040-01-{:02}", 1 + lot)),
        ..line(product, count)
    }
}

/// Single lamps are bought later.
pub(super) fn opening(store: &str, number: usize) -> Paper {
    let lines = PRODUCTS.iter().map(|(product, _)| *product).filter(|product| *product != LAMP);
    let lines = lines.map(|product| bought(product, OPENING_COUNT, 1_000 + 7 * i64::from(number > 0), 0));
    paper("opening", store, lines.collect())
}

/// Some of the products, in any order. The first ones are wanted most.
fn some_products(dice: &mut Dice, products_max: usize) -> Vec<&'static str> {
    let mut shelf: Vec<&'static str> = PRODUCTS.iter().map(|(product, _)| *product).filter(|it| *it != LAMP).collect();
    let wanted = 1 + dice.roll(products_max.min(shelf.len()));
    let mut some = Vec::new();
    while some.len() < wanted {
        let at = dice.roll(shelf.len()).min(dice.roll(shelf.len()));
        some.push(shelf.remove(at));
    }
    some
}

pub(super) fn purchase(dice: &mut Dice, store: &str) -> Paper {
    let products = some_products(dice, 4);
    let lines = products.into_iter().map(|product| {
        let (count, amount) = (between(dice, 2, 12), between(dice, 101, 3_333));
        bought(product, count, amount, dice.roll(LOTS))
    });
    let lines = lines.collect();
    let extra = one_in(dice, 4).then(|| between(dice, 1, 200));
    Paper { extra, ..paper("purchase", store, lines) }
}

/// One single piece, which nobody else knows of.
pub(super) fn purchase_of_a_lamp(dice: &mut Dice, store: &str) -> (Paper, String) {
    let serial = Uuid::now_v7().simple().to_string();
    let amount = Some(between(dice, 1_000, 9_999));
    let lamp = PaperLine { amount, serials: vec![serial.clone()], ..line(LAMP, 1) };
    (paper("purchase", store, vec![lamp]), serial)
}

pub(super) fn sale_of_a_lamp(store: &str, serial: &str) -> Paper {
    paper("sale", store, vec![PaperLine { serials: vec![serial.to_owned()], ..line(LAMP, 1) }])
}

/// Out: a sale, a write-off.
pub(super) fn leaving(dice: &mut Dice, kind: &str, store: &str) -> Paper {
    let products = some_products(dice, 4);
    let lines = products.into_iter().map(|product| line(product, between(dice, 1, 3))).collect();
    paper(kind, store, lines)
}

/// At the counter.
pub(super) fn sale_of(store: &str, product: &str, count: i64) -> Paper {
    paper("sale", store, vec![line(product, count)])
}

pub(super) fn transfer(dice: &mut Dice, from: &str, to: &str) -> Paper {
    let in_transit = !one_in(dice, 3);
    Paper { to_store: Some(to.to_owned()), in_transit, ..leaving(dice, "transfer", from) }
}

/// About a line of another document.
pub(super) fn about(kind: &str, store: &str, about: Uuid, of_line: u32, count: i64) -> Paper {
    let line = PaperLine { of_line: Some(of_line), count, ..PaperLine::default() };
    Paper { about: Some(about), ..paper(kind, store, vec![line]) }
}

pub(super) fn recount(store: &str, product: &str, counted: i64, against: CountedAgainst) -> Paper {
    paper("recount", store, vec![PaperLine { against: Some(against), ..line(product, counted) }])
}

/// A product whose lots and pieces are not told apart.
pub(super) fn plain_product(dice: &mut Dice) -> &'static str {
    let plain: Vec<&'static str> =
        PRODUCTS.iter().filter(|(_, tracking)| *tracking == "none").map(|(product, _)| *product).collect();
    plain[dice.roll(plain.len())]
}

/// A part of a long purchase.
pub(super) fn part(dice: &mut Dice) -> Vec<PaperLine> {
    purchase(dice, "").lines
}
