//! What can be said about lines before anything moves.

use std::collections::{BTreeMap, HashMap};

use super::Decision;
use super::lots::{check_tracking, named_lot};
use crate::kernel::{Facts, Pool, PoolKey};
use crate::stock::refusal::ShortItem;
use crate::stock::rules::{MICROS, OutOfRange, priced};
use crate::stock::{
    DocumentKind, DocumentLine, ItemKey, LineCost, Product, ProductCode, Spread, StockItem, StockRefusal, Tracking,
};

/// As many as a document has lines that is posted whole.
const SHORT_TOLD_MAX: usize = 200;

/// A line whose product is known.
#[derive(Clone, Debug)]
pub(in crate::stock) struct Resolved {
    pub(in crate::stock) product: Product,
    /// In base units.
    pub(in crate::stock) quantity: i64,
}

/// Refuses, in this order: products that do not exist; packs that they do not have; too many units; lots and pieces that
/// do not fit the product.
pub(in crate::stock) fn resolve(
    facts: &mut Facts,
    kind: DocumentKind,
    lines: &[DocumentLine],
) -> Decision<Vec<Resolved>> {
    let codes: Vec<&ProductCode> = lines.iter().filter_map(|line| line.product.as_ref()).collect();
    facts.require::<Product>(codes.iter().copied())?;
    let mut unknown = Vec::new();
    for code in &codes {
        if facts.get::<Product>(code)?.is_none() && !unknown.contains(*code) {
            unknown.push((*code).clone());
        }
    }
    if !unknown.is_empty() {
        unknown.sort();
        return Err(StockRefusal::ProductNotFound { products: unknown }.into());
    }
    let mut resolved = Vec::with_capacity(lines.len());
    for line in lines {
        let Some(code) = &line.product else { continue };
        let product = facts.get::<Product>(code)?.expect("just looked at").clone();
        let quantity = base_units(&product, line)?;
        check_told_apart(kind, &product, line, quantity)?;
        resolved.push(Resolved { product, quantity });
    }
    Ok(resolved)
}

fn check_told_apart(
    kind: DocumentKind,
    product: &Product,
    line: &DocumentLine,
    quantity: i64,
) -> Result<(), StockRefusal> {
    let products = || [product.code.clone()];
    match (kind, product.tracking) {
        (DocumentKind::Recount, Tracking::Serials) => Err(StockRefusal::SerialsNotCounted { products: products() }),
        (DocumentKind::Recount, Tracking::Lots) if line.lot.is_none() => {
            Err(StockRefusal::LotNeeded { products: products() })
        }
        (DocumentKind::Recount, _) => Ok(()),
        _ => check_tracking(product, line, quantity),
    }
}

/// Whether a line could be posted, as far as its product says by itself.
pub(in crate::stock) fn check_line(
    kind: DocumentKind,
    product: &Product,
    line: &DocumentLine,
) -> Result<(), StockRefusal> {
    let quantity = base_units(product, line)?;
    check_told_apart(kind, product, line, quantity)?;
    if matches!(kind, DocumentKind::Purchase | DocumentKind::Opening) {
        named_lot(product, line, quantity)?;
    }
    check_tracking(product, line, quantity)?;
    let resolved = Resolved { product: product.clone(), quantity };
    stated_cost(line, &resolved).map(drop).map_err(|_| StockRefusal::DocumentOutOfRange)
}

fn base_units(product: &Product, line: &DocumentLine) -> Result<i64, StockRefusal> {
    let factor = match &line.pack {
        None => 1,
        Some(name) => {
            let missing = || StockRefusal::PackNotFound { products: [product.code.clone()], pack: name.clone() };
            product.pack(name).ok_or_else(missing)?.factor
        }
    };
    let units = line.count.checked_mul(factor).filter(|units| *units <= crate::kernel::UNITS_MAX);
    units.ok_or(StockRefusal::DocumentOutOfRange)
}

/// What a line says that it costs, in millionths.
pub(in crate::stock) fn stated_cost(line: &DocumentLine, resolved: &Resolved) -> Result<Option<i64>, OutOfRange> {
    match line.cost {
        None => Ok(None),
        Some(LineCost::Amount(amount)) => amount.checked_mul(MICROS).map(Some).ok_or(OutOfRange),
        Some(LineCost::Price(price)) => {
            let units = if line.pack.is_some() { 1 } else { resolved.product.units_shown() };
            priced(price, line.count, units).map(Some)
        }
    }
}

/// What lines cost and how many units they have, all together.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(in crate::stock) struct Weight {
    pub(in crate::stock) cost: i64,
    pub(in crate::stock) quantity: i64,
}

impl Weight {
    pub(in crate::stock) fn by(self, spread: Spread) -> i64 {
        match spread {
            Spread::ByValue => self.cost,
            Spread::ByQuantity => self.quantity,
        }
    }
}

pub(in crate::stock) fn weigh(lines: &[DocumentLine], resolved: &[Resolved]) -> Decision<Weight> {
    let mut sum = Weight::default();
    for (line, resolved) in lines.iter().zip(resolved) {
        let weight = weigh_line(line, resolved)?;
        let cost = sum.cost.checked_add(weight.cost).filter(|cost| *cost <= crate::stock::rules::VALUE_MAX);
        sum.cost = cost.ok_or(StockRefusal::DocumentOutOfRange)?;
        sum.quantity = sum.quantity.strict_add(weight.quantity);
    }
    Ok(sum)
}

pub(in crate::stock) fn weigh_line(line: &DocumentLine, resolved: &Resolved) -> Decision<Weight> {
    let cost = stated_cost(line, resolved).map_err(|_| StockRefusal::DocumentOutOfRange)?.unwrap_or(0);
    Ok(Weight { cost, quantity: resolved.quantity })
}

/// Refuses with every product of which more is asked than nobody has a claim on, but only after lapsed holds have given
/// back what they had. `taken` units have left the pools already, with the hold that had them.
pub(in crate::stock) fn require_available(
    facts: &mut Facts,
    wanted: &BTreeMap<ItemKey, i64>,
    taken: &HashMap<PoolKey, i64>,
) -> Decision<()> {
    let mut items = Vec::new();
    for (item, units) in wanted {
        let Some(key) = item.pool() else { continue };
        let asked = units.strict_sub(taken.get(&key).copied().unwrap_or(0));
        let (on_hand, promised) = facts.get::<Pool>(&key)?.map_or((0, 0), |pool| (pool.total, pool.promised()));
        items.extend(shortage(item, asked, on_hand, promised));
    }
    if items.is_empty() {
        return Ok(());
    }
    facts.require_no_lapsed_holds()?;
    // Who reverses thousands of lines need not be told of all that are short.
    items.truncate(SHORT_TOLD_MAX);
    Err(StockRefusal::InsufficientStock { short: items }.into())
}

/// The same for a line of a part, of which others may have moved the item already: pools are told at the end.
pub(in crate::stock) fn require_unclaimed(facts: &mut Facts, item: &ItemKey, asked: i64) -> Decision<()> {
    let Some(key) = item.pool() else { return Ok(()) };
    let on_hand = facts.get::<StockItem>(item)?.map_or(0, |item| item.quantity);
    let promised = facts.get::<Pool>(&key)?.map_or(0, Pool::promised);
    let Some(short) = shortage(item, asked, on_hand, promised) else { return Ok(()) };
    facts.require_no_lapsed_holds()?;
    Err(StockRefusal::InsufficientStock { short: vec![short] }.into())
}

/// Overbooking is for promises; goods that leave must be there.
fn shortage(item: &ItemKey, asked: i64, on_hand: i64, promised: i64) -> Option<ShortItem> {
    let available = on_hand.strict_sub(promised).max(0);
    let ItemKey { store, place, product } = item.clone();
    (available < asked).then_some(ShortItem { store, product, place, asked, available, on_hand, promised })
}
