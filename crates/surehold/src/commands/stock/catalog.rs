//! What is known of products and barcodes, asked once for all lines of a document.

use std::collections::{BTreeMap, BTreeSet};

use futures_util::{StreamExt, TryStreamExt, stream};
use serde_json::Value;
use surehold_core::stock::ProductCode;

use super::super::desk::Desk;
use super::super::input::shown;
use super::super::view::{list, text};
use super::quantity::Scale;
use super::written::{What, Written};
use crate::client::{ClientError, Request};
use crate::config::Nearest;

/// Beyond this the list of all products is read instead.
const ASKED_MAX: usize = 500;
/// What arrives together is answered together.
const AT_ONCE: usize = 16;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Tracked {
    Nothing,
    Lots,
    Serials,
}

#[derive(Clone, Debug)]
pub(super) struct Known {
    pub(super) code: ProductCode,
    pub(super) scale: Scale,
    /// With the base units in each.
    pub(super) packs: Vec<(String, i64)>,
    pub(super) tracked: Tracked,
}

impl Known {
    fn of(answer: &Value) -> Option<Known> {
        let packs =
            list(&answer["packs"]).iter().map(|pack| (text(&pack["name"]), pack["factor"].as_i64().unwrap_or(1)));
        Some(Known {
            code: ProductCode::new(answer["code"].as_str()?).ok()?,
            scale: Scale::of(answer),
            packs: packs.collect(),
            tracked: match answer["tracking"].as_str() {
                Some("lots") => Tracked::Lots,
                Some("serials") => Tracked::Serials,
                Some(_) | None => Tracked::Nothing,
            },
        })
    }

    /// Base units in what is shown as one.
    pub(super) fn units_shown(&self) -> i64 {
        self.scale.one()
    }
}

/// A barcode, and what it stands for.
#[derive(Clone, Debug)]
pub(super) struct Scanned {
    pub(super) product: String,
    pub(super) pack: Option<String>,
}

#[derive(Debug, Default)]
pub(super) struct Catalog {
    products: BTreeMap<String, Known>,
    barcodes: BTreeMap<String, Scanned>,
}

impl Catalog {
    pub(super) fn product(&self, code: &str) -> Option<&Known> {
        self.products.get(code)
    }

    pub(super) fn barcode(&self, code: &str) -> Option<&Scanned> {
        self.barcodes.get(code)
    }

    /// Quantities of what nobody knows are whole.
    pub(super) fn scale(&self, code: &str) -> Scale {
        self.product(code).map_or(Scale::WHOLE, |known| known.scale)
    }

    pub(super) fn unknown(&self, code: &str) -> String {
        let named = format!("there is no product `{}`", shown(code));
        let nearest = Nearest::to(code, self.products.keys().cloned().collect());
        if nearest.meant.is_some() { format!("{named}; {nearest}") } else { named }
    }

    #[cfg(test)]
    pub(super) fn of_answers(products: &[Value], barcodes: &[Value]) -> Catalog {
        let mut catalog = Catalog::default();
        for answer in products {
            catalog.take_product(answer);
        }
        for answer in barcodes {
            catalog.take_barcode(answer);
        }
        catalog
    }

    fn take_product(&mut self, answer: &Value) {
        if let Some(known) = Known::of(answer) {
            self.products.insert(known.code.to_string(), known);
        }
    }

    fn take_barcode(&mut self, answer: &Value) {
        let (code, product) = (text(&answer["code"]), text(&answer["product"]));
        let pack = answer["pack"].as_str().map(str::to_owned);
        self.barcodes.insert(code, Scanned { product, pack });
    }

    /// Everything that the lines name, as far as it is there.
    pub(super) async fn of_lines<'w>(
        desk: Desk<'_>,
        tenant: &str,
        lines: impl Iterator<Item = &'w Written>,
    ) -> Result<Catalog, ClientError> {
        let (mut products, mut barcodes) = (BTreeSet::new(), BTreeSet::new());
        for line in lines {
            match &line.what {
                What::Product(code) => products.insert(code.clone()),
                What::Barcode(code) => barcodes.insert(code.clone()),
            };
        }
        let mut catalog = Catalog::default();
        for answer in ask_each(desk, tenant, "barcodes", barcodes).await? {
            products.insert(text(&answer["product"]));
            catalog.take_barcode(&answer);
        }
        catalog.add_products(desk, tenant, products).await?;
        Ok(catalog)
    }

    /// Those with these codes, as far as they are there.
    pub(super) async fn of_codes(
        desk: Desk<'_>,
        tenant: &str,
        codes: BTreeSet<String>,
    ) -> Result<Catalog, ClientError> {
        let mut catalog = Catalog::default();
        catalog.add_products(desk, tenant, codes).await?;
        Ok(catalog)
    }

    async fn add_products(&mut self, desk: Desk<'_>, tenant: &str, codes: BTreeSet<String>) -> Result<(), ClientError> {
        if codes.len() > ASKED_MAX {
            return self.add_all(desk, tenant).await;
        }
        for answer in ask_each(desk, tenant, "products", codes).await? {
            self.take_product(&answer);
        }
        Ok(())
    }

    async fn add_all(&mut self, desk: Desk<'_>, tenant: &str) -> Result<(), ClientError> {
        for answer in desk.all(&Request::get(&["v1", tenant, "products"]), "products").await? {
            self.take_product(&answer);
        }
        Ok(())
    }
}

/// What there is of these.
async fn ask_each(
    desk: Desk<'_>,
    tenant: &str,
    what: &str,
    names: BTreeSet<String>,
) -> Result<Vec<Value>, ClientError> {
    // What no product can be called cannot be asked for; it is unknown.
    let names = names.into_iter().filter(|name| super::words::product(name).is_ok());
    // There may be thousands, and a key may have fewer requests a second than that.
    let found = stream::iter(names).map(|name| async move {
        match desk.insist(&Request::get(&["v1", tenant, what, &name])).await {
            Err(error) if error.says_that_it_is_not_there() => Ok(Value::Null),
            answered => answered,
        }
    });
    let found: Vec<Value> = found.buffered(AT_ONCE).try_collect().await?;
    Ok(found.into_iter().filter(|answer| !answer.is_null()).collect())
}
