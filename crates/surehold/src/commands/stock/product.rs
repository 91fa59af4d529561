//! `surehold stock product` and `surehold stock barcode`.

use clap::{Args, Subcommand, ValueEnum};
use surehold_api::stock::{self, Barcode, NewBarcode, Pack, Product, PutBarcodes, PutProduct};
use surehold_core::kernel::{Slug, Title};
use surehold_core::stock::{BarcodeText, ProductCode, Tracking, UnitName};

use super::super::input::{TenantArgs, titled};
use super::super::show::{Show, both, column, joined, line, number, rows, some};
use super::Desk;
use super::quantity::Scale;
use super::words::{TypedPack, barcode, new_barcode, product};
use crate::client::ClientError;

/// Names a product.
#[derive(Args, Clone, Debug)]
pub(super) struct ProductArgs {
    /// The tenant's slug
    tenant: Slug,
    /// The product's code
    #[arg(value_parser = product)]
    product: ProductCode,
}

#[derive(Subcommand)]
pub(super) enum ProductAction {
    Put(Put),
    /// Show a product with its barcodes
    Show(ProductArgs),
    /// List the products
    List(TenantArgs),
}

/// Make a product, or change one; what is left out stays as it is
#[derive(Args)]
pub(super) struct Put {
    #[command(flatten)]
    product: ProductArgs,
    /// What people call it [default: its code]
    #[arg(long)]
    title: Option<Title>,
    /// What it is counted in, of which there are whole numbers only [default: pcs]
    #[arg(long)]
    unit: Option<UnitName>,
    /// Decimals of its quantities: with 3 and the unit g, 3.250 is 3250 g, and prices are for 1000 g; stays for ever
    #[arg(long, value_name = "0..6")]
    scale: Option<u32>,
    /// Units that come together, as in box=12; may be repeated, and stays for ever
    #[arg(long = "pack", value_name = "NAME=COUNT", value_parser = TypedPack::parse)]
    packs: Vec<TypedPack>,
    /// What is told apart among its units; stays for ever
    #[arg(long, value_name = "WHAT")]
    track: Option<Track>,
    /// A barcode, of a unit or of a pack; may be repeated
    #[arg(long = "barcode", value_name = "CODE[=PACK]", value_parser = new_barcode)]
    barcodes: Vec<NewBarcode>,
}

#[derive(Clone, Copy, Debug, ValueEnum)]
enum Track {
    None,
    Lots,
    Serials,
}

impl From<Track> for Tracking {
    fn from(track: Track) -> Tracking {
        match track {
            Track::None => Tracking::Nothing,
            Track::Lots => Tracking::Lots,
            Track::Serials => Tracking::Serials,
        }
    }
}

const PRODUCT: &[Show<Product>] = &[
    both("product", |product, ()| product.code.to_string()),
    both("title", |product, ()| product.title.to_string()),
    line("counted in", |product, ()| match Scale::of(product.scale) {
        Scale::WHOLE => product.unit.to_string(),
        scale => format!("{} (1 is shown as {})", product.unit, scale.plain(1)),
    }),
    column("unit", |product, ()| product.unit.to_string()),
    number(column("scale", |product, ()| product.scale.to_string())),
    both("packs", |product, ()| {
        let scale = Scale::of(product.scale);
        joined(product.packs.iter().map(|pack| format!("{}={}", pack.name, scale.plain(pack.factor))), " ")
    }),
    both("tracked by", |product, ()| some(Some(product.tracking).filter(|tracking| *tracking != Tracking::Nothing))),
    line("barcodes", |product, ()| {
        let code = |barcode: &Barcode| match &barcode.pack {
            Some(pack) => format!("{}={pack}", barcode.code),
            None => barcode.code.to_string(),
        };
        joined(product.barcodes.iter().flatten().map(code), " ")
    }),
    line("version", |product, ()| product.version.to_string()),
];

const BARCODE: &[Show<Barcode>] = &[
    both("barcode", |barcode, ()| barcode.code.to_string()),
    both("product", |barcode, ()| barcode.product.to_string()),
    both("pack", |barcode, ()| some(barcode.pack.as_ref())),
];

impl ProductAction {
    pub(super) async fn run(&self, desk: Desk<'_>) -> Result<(), ClientError> {
        match self {
            ProductAction::Put(put) => put.run(desk).await,
            ProductAction::Show(ProductArgs { tenant, product }) => {
                desk.detail(stock::product(tenant, product), PRODUCT).await
            }
            ProductAction::List(TenantArgs { tenant }) => {
                let none =
                    format!("there are none; `surehold stock product put {tenant} CODE --title TITLE` makes one");
                desk.list(stock::products(tenant), PRODUCT, &none).await
            }
        }
    }
}

impl Put {
    /// The API replaces a product as a whole, so what is there is read first.
    async fn run(&self, desk: Desk<'_>) -> Result<(), ClientError> {
        let ProductArgs { tenant, product } = &self.product;
        let known = desk.find(stock::product(tenant, product)).await?;
        let put = stock::put_product(tenant, product, &self.wanted(known)?);
        if self.barcodes.is_empty() {
            return desk.detail(put, PRODUCT).await;
        }
        desk.ask(put).await?;
        desk.ask(stock::put_barcodes(tenant, product, &PutBarcodes { barcodes: self.barcodes.clone() })).await?;
        desk.detail(stock::product(tenant, product), PRODUCT).await
    }

    fn wanted(&self, known: Option<Product>) -> Result<PutProduct, ClientError> {
        let mut wanted = match known {
            Some(Product { title, unit, scale, packs, tracking, .. }) => {
                PutProduct { title, unit, scale, packs, tracking }
            }
            None => PutProduct::new(titled(&self.product.product)),
        };
        wanted.title = self.title.clone().unwrap_or(wanted.title);
        wanted.unit = self.unit.clone().unwrap_or(wanted.unit);
        wanted.scale = self.scale.unwrap_or(wanted.scale);
        wanted.tracking = self.track.map_or(wanted.tracking, Tracking::from);
        for TypedPack { name, count } in &self.packs {
            let factor = Scale::of(wanted.scale).parse(count);
            let factor = factor.map_err(|why| ClientError::Usage(format!("--pack {name}: {why}")))?;
            wanted.packs.retain(|pack| pack.name != *name);
            wanted.packs.push(Pack { name: name.clone(), factor });
        }
        Ok(wanted)
    }
}

#[derive(Subcommand)]
pub(super) enum BarcodeAction {
    /// Give a product barcodes; those that it has stay
    Put {
        #[command(flatten)]
        product: ProductArgs,
        /// The barcodes, each of a unit or of a pack
        #[arg(value_name = "CODE[=PACK]", required = true, value_parser = new_barcode)]
        barcodes: Vec<NewBarcode>,
    },
    /// List the barcodes of a product
    List(ProductArgs),
    /// Show what a barcode stands for
    Show {
        /// The tenant's slug
        tenant: Slug,
        /// What a scanner reads
        #[arg(value_parser = barcode)]
        code: BarcodeText,
    },
}

impl BarcodeAction {
    pub(super) async fn run(&self, desk: Desk<'_>) -> Result<(), ClientError> {
        match self {
            BarcodeAction::Put { product: ProductArgs { tenant, product }, barcodes } => {
                let put = stock::put_barcodes(tenant, product, &PutBarcodes { barcodes: barcodes.clone() });
                desk.present(put, |all| rows(BARCODE, &all.barcodes, &())).await
            }
            BarcodeAction::List(ProductArgs { tenant, product }) => {
                let all = |product: &Product| rows(BARCODE, product.barcodes.as_deref().unwrap_or_default(), &());
                desk.present(stock::product(tenant, product), all).await
            }
            BarcodeAction::Show { tenant, code } => {
                let one = |barcode: &Barcode| rows(BARCODE, std::slice::from_ref(barcode), &());
                desk.present(stock::barcode(tenant, code), one).await
            }
        }
    }
}
