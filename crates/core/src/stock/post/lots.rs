//! Lots and single pieces: which of the units move. They are counted in the order of posting only.

use jiff::civil::Date;
use jiff::tz::TimeZone;

use super::Decision;
use crate::kernel::{Facts, Timestamp};
use crate::stock::{
    DocumentId, DocumentKind, DocumentLine, ItemKey, LotCode, LotLeft, LotPick, Place, Product, ProductCode, Serial,
    SerialCode, SerialKey, StockItem, StockRefusal, StoreName, Tracking,
};

/// A list of them is one column.
pub(in crate::stock) const LOTS_PER_ITEM_MAX: usize = 200;

/// What a line says about lots and pieces fits the product.
pub(in crate::stock) fn check_tracking(
    product: &Product,
    line: &DocumentLine,
    quantity: i64,
) -> Result<(), StockRefusal> {
    let code = || product.code.clone();
    if product.tracking != Tracking::Lots && line.lot.is_some() {
        return Err(StockRefusal::LotUnwanted { products: [code()] });
    }
    if product.tracking != Tracking::Serials && !line.serials.is_empty() {
        return Err(StockRefusal::SerialsUnwanted { products: [code()] });
    }
    let listed = i64::try_from(line.serials.len()).unwrap_or(i64::MAX);
    if product.tracking == Tracking::Serials && listed != quantity {
        let listed = line.serials.len();
        return Err(StockRefusal::SerialsMissing { products: [code()], asked: quantity, listed });
    }
    Ok(())
}

/// The lot that comes in.
pub(in crate::stock) fn named_lot(
    product: &Product,
    line: &DocumentLine,
    quantity: i64,
) -> Result<Vec<LotPick>, StockRefusal> {
    match (product.tracking, &line.lot) {
        (Tracking::Lots, Some(lot)) => Ok(vec![LotPick { lot: lot.clone(), expires: line.expires, quantity }]),
        (Tracking::Lots, None) => Err(StockRefusal::LotNeeded { products: [product.code.clone()] }),
        (Tracking::Nothing | Tracking::Serials, _) => Ok(Vec::new()),
    }
}

/// What lots that come in say about their dates of expiry.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::stock) enum Dates {
    /// Somebody says so: a lot has one.
    Stated,
    /// They were here before. Should a lot of that name have come with another date meanwhile, that is the one that counts.
    AsBefore,
}

/// Whether lots can come in.
pub(in crate::stock) fn check_lots(item: &StockItem, picks: &[LotPick], dates: Dates) -> Decision<()> {
    lots_with(item, picks, dates).map(drop)
}

pub(in crate::stock) fn put_lots(facts: &mut Facts, key: &ItemKey, picks: &[LotPick], dates: Dates) -> Decision<()> {
    if !picks.is_empty() {
        let item = facts.get_mut::<StockItem>(key)?.expect("written before");
        item.lots = lots_with(item, picks, dates)?.into();
    }
    Ok(())
}

fn lots_with(item: &StockItem, picks: &[LotPick], dates: Dates) -> Decision<Vec<LotLeft>> {
    let key = &item.key;
    let mut lots = item.lots.to_vec();
    for pick in picks {
        if let Some(known) = lots.iter_mut().find(|known| known.lot == pick.lot) {
            if dates == Dates::Stated && known.expires != pick.expires {
                return Err(StockRefusal::LotDiffers { item: key.clone(), lot: pick.lot.clone() }.into());
            }
            known.quantity = known.quantity.strict_add(pick.quantity);
        } else {
            lots.push(LotLeft { lot: pick.lot.clone(), expires: pick.expires, quantity: pick.quantity });
        }
    }
    if lots.len() > LOTS_PER_ITEM_MAX {
        return Err(StockRefusal::TooManyLots { item: key.clone(), max: LOTS_PER_ITEM_MAX }.into());
    }
    Ok(lots)
}

/// Which units leave: of the lot that is named, or of those that expire first. Nothing is taken yet.
pub(in crate::stock) fn pick_lots(
    item: &StockItem,
    product: &Product,
    line: &DocumentLine,
    quantity: i64,
    (kind, at): (DocumentKind, Timestamp),
) -> Decision<Vec<LotPick>> {
    if product.tracking != Tracking::Lots {
        return Ok(Vec::new());
    }
    let today = utc_date(at);
    let sells = kind == DocumentKind::Sale;
    let expired = |left: &LotLeft| sells && left.expires.is_some_and(|expires| expires < today);
    let named = line.lot.as_ref();
    if let Some(stale) = item.lots.iter().find(|left| named == Some(&left.lot) && expired(left)) {
        return Err(StockRefusal::LotExpired { products: [product.code.clone()], lot: stale.lot.clone() }.into());
    }
    let mut lots: Vec<&LotLeft> = item.lots.iter().filter(|left| !expired(left)).collect();
    lots.retain(|left| named.is_none_or(|lot| *lot == left.lot));
    // What expires first leaves first, whenever it came; what never expires leaves last.
    lots.sort_by_key(|left| (left.expires.is_none(), left.expires, left.lot.clone()));
    let mut wanted = quantity;
    let mut picks = Vec::new();
    for left in lots {
        let taken = left.quantity.min(wanted);
        if taken > 0 {
            picks.push(LotPick { lot: left.lot.clone(), expires: left.expires, quantity: taken });
            wanted = wanted.strict_sub(taken);
        }
    }
    if wanted > 0 {
        let (lot, left) = (line.lot.clone(), quantity.strict_sub(wanted));
        return Err(
            StockRefusal::InsufficientLot { item: item.key.clone(), lot, asked: quantity, left_of_lot: left }.into()
        );
    }
    Ok(picks)
}

/// Whether lots can go out.
pub(in crate::stock) fn require_lots(item: &StockItem, picks: &[LotPick]) -> Decision<()> {
    lots_without(item, picks).map(drop)
}

pub(in crate::stock) fn take_lots(facts: &mut Facts, key: &ItemKey, picks: &[LotPick]) -> Decision<()> {
    if !picks.is_empty() {
        let item = facts.get_mut::<StockItem>(key)?.expect("read before");
        item.lots = lots_without(item, picks)?.into();
    }
    Ok(())
}

fn lots_without(item: &StockItem, picks: &[LotPick]) -> Decision<Vec<LotLeft>> {
    let mut lots = item.lots.to_vec();
    for pick in picks {
        let known = lots.iter_mut().find(|known| known.lot == pick.lot);
        let left = known.as_ref().map_or(0, |known| known.quantity);
        match known {
            Some(known) if known.quantity >= pick.quantity => {
                known.quantity = known.quantity.strict_sub(pick.quantity);
            }
            Some(_) | None => {
                let (lot, asked) = (Some(pick.lot.clone()), pick.quantity);
                return Err(
                    StockRefusal::InsufficientLot { item: item.key.clone(), lot, asked, left_of_lot: left }.into()
                );
            }
        }
    }
    lots.retain(|known| known.quantity > 0);
    Ok(lots)
}

/// The first units of these, and the others.
pub(in crate::stock) fn split_picks(picks: &[LotPick], quantity: i64) -> (Vec<LotPick>, Vec<LotPick>) {
    let mut wanted = quantity;
    let (mut first, mut others) = (Vec::new(), Vec::new());
    for pick in picks {
        let taken = pick.quantity.min(wanted);
        wanted = wanted.strict_sub(taken);
        for (quantity, into) in [(taken, &mut first), (pick.quantity.strict_sub(taken), &mut others)] {
            if quantity > 0 {
                into.push(LotPick { quantity, ..pick.clone() });
            }
        }
    }
    (first, others)
}

/// Those that are left and those that come back, in the order in which all of them left.
pub(in crate::stock) fn join_picks(all: &[LotPick], left: &[LotPick], back: &[LotPick]) -> Vec<LotPick> {
    let of = |picks: &[LotPick], lot: &LotCode| {
        picks.iter().filter(|pick| pick.lot == *lot).map(|pick| pick.quantity).fold(0, i64::strict_add)
    };
    let joined = all.iter().map(|pick| {
        let quantity = of(left, &pick.lot).strict_add(of(back, &pick.lot));
        LotPick { quantity, ..pick.clone() }
    });
    joined.filter(|pick| pick.quantity > 0).collect()
}

fn utc_date(at: Timestamp) -> Date {
    let instant = jiff::Timestamp::from_microsecond(at.micros()).unwrap_or(jiff::Timestamp::UNIX_EPOCH);
    instant.to_zoned(TimeZone::UTC).date()
}

/// Asks for all pieces and products of lines at once.
pub(in crate::stock) fn require_pieces<'a>(
    facts: &mut Facts,
    lines: impl Iterator<Item = (&'a ProductCode, &'a DocumentLine)>,
) -> Decision<()> {
    let (mut products, mut pieces) = (Vec::new(), Vec::new());
    for (product, line) in lines {
        products.push(product);
        let piece = |serial: &SerialCode| SerialKey { product: product.clone(), serial: serial.clone() };
        pieces.extend(line.serials.iter().map(piece));
    }
    let (products, pieces) = (facts.require::<Product>(products), facts.require::<Serial>(&pieces));
    Ok(products.and(pieces)?)
}

/// Where pieces are, or nowhere.
pub(in crate::stock) type Whereabouts<'a> = Option<(&'a StoreName, Place)>;

/// Moves pieces from one place to another; refuses all those that are somewhere else.
pub(in crate::stock) fn move_serials(
    facts: &mut Facts,
    document: DocumentId,
    product: &Product,
    serials: &[SerialCode],
    (from, to): (Whereabouts<'_>, Whereabouts<'_>),
) -> Decision<()> {
    if serials.is_empty() {
        return Ok(());
    }
    let key = |serial: &SerialCode| SerialKey { product: product.code.clone(), serial: serial.clone() };
    let keys: Vec<SerialKey> = serials.iter().map(key).collect();
    facts.require::<Serial>(&keys)?;
    let mut elsewhere: Vec<SerialCode> = Vec::new();
    let mut found_in = None;
    for key in &keys {
        let known = facts.get::<Serial>(key)?;
        let is = known.and_then(|known| known.store.as_ref().map(|store| (store, known.place)));
        // What goes out again must have been in: a piece that nobody knows is not there.
        if is != from {
            found_in = found_in.or_else(|| is.map(|(store, _)| store.clone()));
            elsewhere.push(key.serial.clone());
        }
    }
    if !elsewhere.is_empty() {
        let (product, store) = (product.code.clone(), found_in);
        return Err(StockRefusal::SerialsElsewhere { products: [product], serials: elsewhere, store }.into());
    }
    let (store, place) = to.map_or((None, Place::OnHand), |(store, place)| (Some(store.clone()), place));
    for key in keys {
        let store = store.clone();
        match facts.get_mut::<Serial>(&key)? {
            Some(serial) => *serial = Serial { key, store, place, document, version: serial.version },
            None => drop(facts.insert(Serial { key, store, place, document, version: 0 })),
        }
    }
    Ok(())
}
