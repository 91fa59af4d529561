//! `surehold stock product` and `surehold stock barcode`.

use clap::{Args, Subcommand, ValueEnum};
use serde_json::{Value, json};

use super::super::input::slug;
use super::super::money::DecimalSign;
use super::super::pages::show_all;
use super::super::view::{fields, list, table, text};
use super::Desk;
use super::quantity::Scale;
use super::words::{TypedBarcode, TypedPack, barcode, product};
use crate::client::{ClientError, Request};

/// Names a product.
#[derive(Args, Clone, Debug)]
pub(super) struct ProductArgs {
    /// The tenant's slug
    #[arg(value_parser = slug)]
    tenant: String,
    /// The product's code
    #[arg(value_parser = product)]
    product: String,
}

impl ProductArgs {
    fn path<'a>(&'a self, more: &[&'a str]) -> Vec<&'a str> {
        [&["v1", &self.tenant, "products", &self.product], more].concat()
    }
}

#[derive(Subcommand)]
pub(super) enum ProductAction {
    Put(Put),
    /// Show a product with its barcodes
    Show(ProductArgs),
    /// List the products
    List {
        /// The tenant's slug
        #[arg(value_parser = slug)]
        tenant: String,
    },
}

/// Make a product, or change one; what is left out stays as it is
#[derive(Args)]
pub(super) struct Put {
    #[command(flatten)]
    product: ProductArgs,
    /// What people call it [default: its code]
    #[arg(long)]
    title: Option<String>,
    /// What it is counted in, of which there are whole numbers only [default: pcs]
    #[arg(long)]
    unit: Option<String>,
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
    #[arg(long = "barcode", value_name = "CODE[=PACK]", value_parser = TypedBarcode::parse)]
    barcodes: Vec<TypedBarcode>,
}

#[derive(Clone, Copy, Debug, ValueEnum)]
enum Track {
    None,
    Lots,
    Serials,
}

impl Track {
    fn word(self) -> &'static str {
        match self {
            Track::None => "none",
            Track::Lots => "lots",
            Track::Serials => "serials",
        }
    }
}

impl ProductAction {
    pub(super) async fn run(&self, desk: Desk<'_>) -> Result<(), ClientError> {
        match self {
            ProductAction::Put(put) => put.run(desk).await,
            ProductAction::Show(product) => desk.show(Request::get(&product.path(&[])), view).await,
            ProductAction::List { tenant } => {
                let request = Request::get(&["v1", tenant, "products"]).test(desk.test);
                let none =
                    format!("there are none; `surehold stock product put {tenant} CODE --title TITLE` makes one");
                show_all(desk.client, desk.screen, &request, "products", list_view, &none).await
            }
        }
    }
}

impl Put {
    /// The API replaces a product as a whole, so what is there is read first.
    async fn run(&self, desk: Desk<'_>) -> Result<(), ClientError> {
        let known = desk.find(Request::get(&self.product.path(&[]))).await?;
        let body = self.body(&known)?;
        let request = Request::put(&self.product.path(&[])).json(body);
        if self.barcodes.is_empty() {
            return desk.show(request, view).await;
        }
        desk.ask(request).await?;
        desk.ask(put_barcodes(&self.product, &self.barcodes)).await?;
        desk.show(Request::get(&self.product.path(&[])), view).await
    }

    fn body(&self, known: &Value) -> Result<Value, ClientError> {
        let said =
            |given: Option<&str>, name: &str, absent: &str| given.or(known[name].as_str()).unwrap_or(absent).to_owned();
        let scale = self.scale.map_or_else(|| known["scale"].as_u64().unwrap_or(0), u64::from);
        let mut packs: Vec<Value> = list(&known["packs"]).to_vec();
        for TypedPack { name, count } in &self.packs {
            let factor = Scale::of(&json!({ "scale": scale })).parse(count, DecimalSign::Point);
            let factor = factor.map_err(|why| ClientError::Usage(format!("--pack {name}: {why}")))?;
            packs.retain(|pack| pack["name"] != name.as_str());
            packs.push(json!({"name": name, "factor": factor}));
        }
        Ok(json!({
            "title": said(self.title.as_deref(), "title", &self.product.product),
            "unit": said(self.unit.as_deref(), "unit", "pcs"),
            "scale": scale,
            "packs": packs,
            "tracking": said(self.track.map(Track::word), "tracking", "none"),
        }))
    }
}

fn put_barcodes(product: &ProductArgs, barcodes: &[TypedBarcode]) -> Request {
    let barcodes: Vec<Value> = barcodes.iter().map(TypedBarcode::json).collect();
    Request::put(&product.path(&["barcodes"])).json(json!({ "barcodes": barcodes }))
}

#[derive(Subcommand)]
pub(super) enum BarcodeAction {
    /// Give a product barcodes; those that it has stay
    Put {
        #[command(flatten)]
        product: ProductArgs,
        /// The barcodes, each of a unit or of a pack
        #[arg(value_name = "CODE[=PACK]", required = true, value_parser = TypedBarcode::parse)]
        barcodes: Vec<TypedBarcode>,
    },
    /// List the barcodes of a product
    List(ProductArgs),
    /// Show what a barcode stands for
    Show {
        /// The tenant's slug
        #[arg(value_parser = slug)]
        tenant: String,
        /// What a scanner reads
        #[arg(value_parser = barcode)]
        code: String,
    },
}

impl BarcodeAction {
    pub(super) async fn run(&self, desk: Desk<'_>) -> Result<(), ClientError> {
        let all = |answer: &Value| barcodes_view(list(&answer["barcodes"]));
        match self {
            BarcodeAction::Put { product, barcodes } => desk.show(put_barcodes(product, barcodes), all).await,
            BarcodeAction::List(product) => desk.show(Request::get(&product.path(&[])), all).await,
            BarcodeAction::Show { tenant, code } => {
                let request = Request::get(&["v1", tenant, "barcodes", code]);
                desk.show(request, |answer| barcodes_view(std::slice::from_ref(answer))).await
            }
        }
    }
}

fn barcodes_view(barcodes: &[Value]) -> String {
    let row = |barcode: &Value| ["code", "product", "pack"].iter().map(|name| text(&barcode[*name])).collect();
    table(&["BARCODE", "PRODUCT", "PACK"], &[], barcodes.iter().map(row))
}

/// `box=12`
fn packs(product: &Value) -> String {
    let scale = Scale::of(product);
    let pack = |pack: &Value| format!("{}={}", text(&pack["name"]), scale.show(&pack["factor"]));
    list(&product["packs"]).iter().map(pack).collect::<Vec<_>>().join(" ")
}

fn tracking(product: &Value) -> String {
    Some(text(&product["tracking"])).filter(|tracking| tracking != "none").unwrap_or_default()
}

fn view(product: &Value) -> String {
    let code = |barcode: &Value| match barcode["pack"].as_str() {
        Some(pack) => format!("{}={pack}", text(&barcode["code"])),
        None => text(&barcode["code"]),
    };
    let scale = Scale::of(product);
    let example = Some(format!("1 is shown as {}", scale.plain(1))).filter(|_| scale != Scale::WHOLE);
    let unit = text(&product["unit"]);
    fields(&[
        ("product", text(&product["code"])),
        ("title", text(&product["title"])),
        ("counted in", example.map_or_else(|| unit.clone(), |example| format!("{unit} ({example})"))),
        ("packs", packs(product)),
        ("tracked by", tracking(product)),
        ("barcodes", list(&product["barcodes"]).iter().map(code).collect::<Vec<_>>().join(" ")),
        ("version", text(&product["version"])),
    ])
}

fn list_view(found: &[Value]) -> String {
    let row = |product: &Value| {
        let (code, title, unit) = (text(&product["code"]), text(&product["title"]), text(&product["unit"]));
        vec![code, title, unit, text(&product["scale"]), packs(product), tracking(product)]
    };
    table(&["PRODUCT", "TITLE", "UNIT", "SCALE", "PACKS", "TRACKED BY"], &[3], found.iter().map(row))
}
