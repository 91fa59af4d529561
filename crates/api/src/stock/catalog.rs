//! Stores, products, barcodes and the books on the wire.

use surehold_core::kernel::{Currency, Invalid, Timestamp, Title};
use surehold_core::stock::commands;
use surehold_core::stock::{self, BarcodeText, PackName, ProductCode, StoreName, Tracking, UnitName};

use crate::describe::wire;

/// A store as a whole.
#[wire]
#[schema(example = json!({"title": "Main street", "currency": "EUR"}))]
pub struct PutStore {
    pub title: Title,
    /// What its goods cost is counted in. Cannot be changed later.
    pub currency: Currency,
}

impl PutStore {
    pub fn into_command(self, name: StoreName) -> commands::PutStore {
        commands::PutStore { name, title: self.title, currency: self.currency }
    }
}

/// A place with goods.
#[wire]
pub struct Store {
    pub name: StoreName,
    #[schema(example = "Main street")]
    pub title: Title,
    #[schema(example = "EUR")]
    pub currency: Currency,
    pub version: i64,
}

impl From<stock::Store> for Store {
    fn from(store: stock::Store) -> Store {
        let stock::Store { name, title, currency, version } = store;
        Store { name, title, currency, version }
    }
}

#[wire(page after StoreName)]
pub struct StorePage {
    pub stores: Vec<Store>,
}

/// Several base units that come together.
#[wire]
pub struct Pack {
    #[schema(example = "box")]
    pub name: PackName,
    /// Base units in it. Cannot be changed later.
    #[schema(minimum = 1, maximum = 1_000_000_000_000_i64, example = 12)]
    pub factor: i64,
}

/// A product as a whole. Scale, tracking and the packs that it has cannot be changed later: documents count in them.
#[wire]
#[schema(example = json!({
    "title": "Green tea", "unit": "pcs", "scale": 0, "packs": [{"name": "box", "factor": 12}], "tracking": "none"
}))]
pub struct PutProduct {
    pub title: Title,
    /// The base unit, of which there are whole numbers only: `pcs` unless told.
    #[serde(default = "pieces")]
    #[schema(required = false, default = "pcs")]
    pub unit: UnitName,
    /// Decimals with which quantities are shown and prices are meant: with 3, 3,250 g are 3.250 kg, at a price per kg.
    #[serde(default)]
    #[schema(minimum = 0, maximum = 6, default = 0)]
    pub scale: u32,
    #[serde(default)]
    #[schema(max_items = 50)]
    pub packs: Vec<Pack>,
    #[serde(default = "nothing")]
    #[schema(default = "none")]
    pub tracking: Tracking,
}

fn pieces() -> UnitName {
    UnitName::new("pcs").expect("a good name")
}

fn nothing() -> Tracking {
    Tracking::Nothing
}

impl PutProduct {
    /// Counted in pieces, with no packs.
    pub fn new(title: Title) -> PutProduct {
        PutProduct { title, unit: pieces(), scale: 0, packs: Vec::new(), tracking: nothing() }
    }

    pub fn into_command(self, code: ProductCode) -> Result<commands::PutProduct, Invalid> {
        let packs = self.packs.into_iter().map(|Pack { name, factor }| stock::Pack { name, factor }).collect();
        let put = commands::PutProduct::new(code, self.title, self.unit).tracking(self.tracking);
        put.scale(self.scale)?.packs(packs)
    }
}

/// What is bought and sold.
#[wire]
pub struct Product {
    pub code: ProductCode,
    #[schema(example = "Green tea")]
    pub title: Title,
    #[schema(example = "g")]
    pub unit: UnitName,
    pub scale: u32,
    pub packs: Vec<Pack>,
    pub tracking: Tracking,
    /// Where the product is looked at.
    pub barcodes: Option<Vec<Barcode>>,
    pub version: i64,
}

impl From<stock::Product> for Product {
    fn from(product: stock::Product) -> Product {
        let stock::Product { code, title, unit, scale, packs, tracking, version } = product;
        let packs = packs.iter().map(|pack| Pack { name: pack.name.clone(), factor: pack.factor }).collect();
        Product { code, title, unit, scale, packs, tracking, barcodes: None, version }
    }
}

#[wire(page after ProductCode)]
pub struct ProductPage {
    pub products: Vec<Product>,
}

#[wire]
pub struct NewBarcode {
    pub code: BarcodeText,
    /// Left out, it means one base unit.
    pub pack: Option<PackName>,
}

/// 1 to 100 barcodes, put all together or not at all. Others that the product has stay.
#[wire]
#[schema(example = json!({
    "barcodes": [{"code": "4006381333931", "pack": "box"}, {"code": "4006381333948"}]
}))]
pub struct PutBarcodes {
    #[schema(min_items = 1, max_items = 100)]
    pub barcodes: Vec<NewBarcode>,
}

impl PutBarcodes {
    pub fn into_command(self, product: ProductCode) -> Result<commands::PutBarcodes, Invalid> {
        let codes = self.barcodes.into_iter().map(|NewBarcode { code, pack }| (code, pack)).collect();
        commands::PutBarcodes::new(product, codes)
    }
}

/// What a scanner reads, and what it means.
#[wire]
pub struct Barcode {
    pub code: BarcodeText,
    pub product: ProductCode,
    /// Absent where it means one base unit.
    #[schema(example = "box")]
    pub pack: Option<PackName>,
}

impl From<stock::Barcode> for Barcode {
    fn from(barcode: stock::Barcode) -> Barcode {
        let stock::Barcode { code, product, pack, version: _ } = barcode;
        Barcode { code, product, pack }
    }
}

#[wire]
pub struct BarcodeList {
    pub barcodes: Vec<Barcode>,
}

impl From<Vec<stock::Barcode>> for BarcodeList {
    fn from(barcodes: Vec<stock::Barcode>) -> BarcodeList {
        BarcodeList { barcodes: barcodes.into_iter().map(Barcode::from).collect() }
    }
}

#[wire(Copy)]
#[schema(example = json!({"closed_until": "2026-01-01T00:00:00Z"}))]
pub struct CloseBooks {
    /// From now on nothing takes effect before this instant. What is closed stays closed.
    pub closed_until: Timestamp,
}

/// How far the books of all stores are closed.
#[wire(Copy)]
pub struct Books {
    /// Nothing takes effect before this instant any more; absent if they were never closed.
    #[schema(example = "2026-01-01T00:00:00Z")]
    pub closed_until: Option<Timestamp>,
    /// Long documents that are being posted.
    pub posting: i64,
    /// Items whose costs are being worked out anew.
    pub revaluing: i64,
}

impl From<stock::Books> for Books {
    fn from(books: stock::Books) -> Books {
        let stock::Books { closed_until, posting, revaluing, version: _ } = books;
        Books { closed_until, posting, revaluing }
    }
}
