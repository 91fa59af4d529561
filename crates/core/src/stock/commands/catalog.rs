//! Stores, products and barcodes: created or changed, never removed. A repeat changes nothing. And the closing of books.

use std::collections::HashSet;

use super::{Decision, require_tenant};
use crate::kernel::{Command, Currency, Facts, Invalid, Reads, Stop, Tenant, Timestamp, Title, UNITS_MAX};
use crate::stock::post::change_books;
use crate::stock::{
    Barcode, BarcodeText, Books, Pack, PackName, Product, ProductCode, StockEvent, StockRefusal, Store, StoreName,
    Tracking, UnitName,
};

/// A list of them is one column.
pub const PACKS_MAX: usize = 50;
const SCALE_MAX: u32 = 6;
pub const BARCODES_PER_PUT_MAX: usize = 100;

/// Refuses, in this order: no such tenant; another currency than the store has.
#[derive(Clone, Debug)]
pub struct PutStore {
    pub name: StoreName,
    pub title: Title,
    pub currency: Currency,
}

impl Command for PutStore {
    const NAME: &'static str = "put_store";
    type Reply = Store;
    type Refusal = StockRefusal;

    fn reads(&self, reads: &mut Reads<'_>) {
        reads.record::<Tenant>(&());
        reads.record::<Store>(&self.name);
    }

    fn decide(&self, facts: &mut Facts) -> Result<Store, Stop<StockRefusal>> {
        require_tenant(facts)?;
        let (name, title, currency) = (self.name.clone(), self.title.clone(), self.currency);
        let known = facts.get::<Store>(&self.name)?.cloned();
        let store = match known {
            Some(known) if known.currency != currency => {
                return Err(StockRefusal::CurrencyFixed { store: name, currency: known.currency }.into());
            }
            Some(known) if known.title == title => {
                facts.mark_replayed();
                return Ok(known);
            }
            Some(_) => {
                let store = facts.get_mut::<Store>(&self.name)?.expect("just read");
                store.title = title;
                store.clone()
            }
            None => facts.insert(Store { name, title, currency, version: 0 }).clone(),
        };
        facts.emit(&StockEvent::StoreChanged { store: store.name.clone(), version: store.version }.into());
        Ok(store)
    }
}

/// Refuses, in this order: no such tenant; another scale or tracking than the product has; a pack that would be of
/// another size, or gone: documents count in it.
#[derive(Clone, Debug)]
pub struct PutProduct {
    code: ProductCode,
    title: Title,
    unit: UnitName,
    scale: u32,
    packs: Vec<Pack>,
    tracking: Tracking,
}

impl PutProduct {
    pub fn new(code: ProductCode, title: Title, unit: UnitName) -> PutProduct {
        PutProduct { code, title, unit, scale: 0, packs: Vec::new(), tracking: Tracking::Nothing }
    }

    /// Decimals with which quantities are shown, and prices meant: at most 6.
    pub fn scale(self, scale: u32) -> Result<PutProduct, Invalid> {
        if scale > SCALE_MAX {
            let (what, amount, amount_max) = ("scale".to_owned(), i64::from(scale), i64::from(SCALE_MAX));
            return Err(Invalid::Amount { what, amount, amount_min: 0, amount_max });
        }
        Ok(PutProduct { scale, ..self })
    }

    pub fn packs(self, packs: Vec<Pack>) -> Result<PutProduct, Invalid> {
        if packs.len() > PACKS_MAX {
            return Err(Invalid::ItemCount { what: "packs".to_owned(), items: packs.len(), items_max: PACKS_MAX });
        }
        let mut names: HashSet<&PackName> = HashSet::new();
        for pack in &packs {
            if !(1..=UNITS_MAX).contains(&pack.factor) {
                let (what, units) = (format!("pack {}", pack.name), pack.factor);
                return Err(Invalid::Units { what, units, units_min: 1, units_max: UNITS_MAX });
            }
            if !names.insert(&pack.name) {
                return Err(Invalid::ListedTwice { what: format!("pack {}", pack.name) });
            }
        }
        Ok(PutProduct { packs, ..self })
    }

    #[must_use]
    pub fn tracking(self, tracking: Tracking) -> PutProduct {
        PutProduct { tracking, ..self }
    }

    fn require_same_meaning(&self, known: &Product) -> Decision<()> {
        let fixed = |what: String| StockRefusal::ProductFixed { products: [self.code.clone()], what };
        if known.scale != self.scale {
            return Err(fixed("the scale".to_owned()).into());
        }
        if known.tracking != self.tracking {
            return Err(fixed("the tracking".to_owned()).into());
        }
        match known.packs.iter().find(|pack| !self.packs.contains(pack)) {
            Some(pack) => Err(fixed(format!("pack {}", pack.name)).into()),
            None => Ok(()),
        }
    }
}

impl Command for PutProduct {
    const NAME: &'static str = "put_product";
    type Reply = Product;
    type Refusal = StockRefusal;

    fn reads(&self, reads: &mut Reads<'_>) {
        reads.record::<Tenant>(&());
        reads.record::<Product>(&self.code);
    }

    fn decide(&self, facts: &mut Facts) -> Result<Product, Stop<StockRefusal>> {
        require_tenant(facts)?;
        let known = facts.get::<Product>(&self.code)?.cloned();
        if let Some(known) = &known {
            self.require_same_meaning(known)?;
        }
        let wanted = Product {
            code: self.code.clone(),
            title: self.title.clone(),
            unit: self.unit.clone(),
            scale: self.scale,
            packs: self.packs.clone().into(),
            tracking: self.tracking,
            version: known.as_ref().map_or(0, |known| known.version),
        };
        if known.as_ref() == Some(&wanted) {
            facts.mark_replayed();
            return Ok(wanted);
        }
        let product = match facts.get_mut::<Product>(&self.code)? {
            Some(product) => {
                *product = Product { version: product.version, ..wanted };
                product.clone()
            }
            None => facts.insert(wanted).clone(),
        };
        facts.emit(&StockEvent::ProductChanged { product: product.code.clone(), version: product.version }.into());
        Ok(product)
    }
}

/// What scanners read on a product and its packs. A code means the same for ever: documents say codes, and a repeat of one
/// must say what it said before.
///
/// Refuses, in this order: no such tenant; no such product; a pack that it does not have; a code of another product or of
/// another pack.
#[derive(Clone, Debug)]
pub struct PutBarcodes {
    product: ProductCode,
    codes: Vec<(BarcodeText, Option<PackName>)>,
}

impl PutBarcodes {
    /// 1 to 100 codes, each once.
    pub fn new(product: ProductCode, codes: Vec<(BarcodeText, Option<PackName>)>) -> Result<PutBarcodes, Invalid> {
        if !(1..=BARCODES_PER_PUT_MAX).contains(&codes.len()) {
            let what = "barcodes".to_owned();
            return Err(Invalid::ItemCount { what, items: codes.len(), items_max: BARCODES_PER_PUT_MAX });
        }
        let mut seen: HashSet<&BarcodeText> = HashSet::new();
        match codes.iter().find(|(code, _)| !seen.insert(code)) {
            Some((twice, _)) => Err(Invalid::ListedTwice { what: format!("barcode {twice}") }),
            None => Ok(PutBarcodes { product, codes }),
        }
    }
}

impl Command for PutBarcodes {
    const NAME: &'static str = "put_barcodes";
    type Reply = Vec<Barcode>;
    type Refusal = StockRefusal;

    fn reads(&self, reads: &mut Reads<'_>) {
        reads.record::<Tenant>(&());
        reads.record::<Product>(&self.product);
        for (code, _) in &self.codes {
            reads.record::<Barcode>(code);
        }
    }

    fn decide(&self, facts: &mut Facts) -> Result<Vec<Barcode>, Stop<StockRefusal>> {
        require_tenant(facts)?;
        facts.require::<Barcode>(self.codes.iter().map(|(code, _)| code))?;
        let missing = || StockRefusal::ProductNotFound { products: vec![self.product.clone()] };
        let product = facts.get::<Product>(&self.product)?.ok_or_else(missing)?.clone();
        for pack in self.codes.iter().filter_map(|(_, pack)| pack.as_ref()) {
            let (code, pack_name) = (self.product.clone(), pack.clone());
            product.pack(pack).ok_or(StockRefusal::PackNotFound { products: [code], pack: pack_name })?;
        }
        for (code, pack) in &self.codes {
            match facts.get::<Barcode>(code)? {
                Some(known) if known.product != self.product || known.pack != *pack => {
                    let (code, product, pack) = (code.clone(), known.product.clone(), known.pack.clone());
                    return Err(StockRefusal::BarcodeTaken { barcodes: [code], products: [product], pack }.into());
                }
                Some(_) | None => {}
            }
        }
        let mut barcodes = Vec::with_capacity(self.codes.len());
        let mut changed = false;
        for (code, pack) in &self.codes {
            let (barcode, new) = put_barcode(facts, code, &self.product, pack.as_ref())?;
            changed |= new;
            barcodes.push(barcode);
        }
        if !changed {
            facts.mark_replayed();
        }
        Ok(barcodes)
    }
}

fn put_barcode(
    facts: &mut Facts,
    code: &BarcodeText,
    product: &ProductCode,
    pack: Option<&PackName>,
) -> Decision<(Barcode, bool)> {
    if let Some(known) = facts.get::<Barcode>(code)? {
        return Ok((known.clone(), false));
    }
    let (code, product, pack) = (code.clone(), product.clone(), pack.cloned());
    let barcode = facts.insert(Barcode { code, product, pack, version: 0 }).clone();
    let (code, product, version) = (barcode.code.clone(), barcode.product.clone(), barcode.version);
    facts.emit(&StockEvent::BarcodeChanged { code, product, version }.into());
    Ok((barcode, true))
}

/// From now on nothing takes effect before that instant. What is closed stays closed.
///
/// Refuses, in this order: no such tenant; the future; closed beyond it already; documents and costs that are still on
/// their way into the books.
#[derive(Clone, Debug)]
pub struct CloseBooks {
    pub until: Timestamp,
}

impl Command for CloseBooks {
    const NAME: &'static str = "close_books";
    type Reply = Books;
    type Refusal = StockRefusal;

    fn reads(&self, reads: &mut Reads<'_>) {
        reads.record::<Tenant>(&());
        reads.record::<Books>(&());
    }

    fn decide(&self, facts: &mut Facts) -> Result<Books, Stop<StockRefusal>> {
        require_tenant(facts)?;
        let now = facts.now();
        if self.until > now {
            return Err(StockRefusal::EffectiveInFuture { now }.into());
        }
        let books = facts.get::<Books>(&())?.cloned().unwrap_or_default();
        match books.closed_until {
            Some(closed_until) if self.until < closed_until => {
                return Err(StockRefusal::BooksClosed { closed_until }.into());
            }
            Some(closed_until) if self.until == closed_until => {
                facts.mark_replayed();
                return Ok(books);
            }
            Some(_) | None => {}
        }
        let Books { posting, revaluing, .. } = books;
        if posting > 0 || revaluing > 0 {
            return Err(StockRefusal::BooksBusy { posting, revaluing }.into());
        }
        change_books(facts, |books| books.closed_until = Some(self.until))?;
        facts.emit(&StockEvent::BooksClosed { until: self.until }.into());
        Ok(facts.get::<Books>(&())?.expect("just written").clone())
    }
}
