//! What is known of products and barcodes, asked once for all lines of a document.

use std::collections::{BTreeMap, BTreeSet};
use std::future::ready;

use futures_util::{StreamExt, TryStreamExt, stream};
use serde::de::DeserializeOwned;
use surehold_api::Call;
use surehold_api::stock::{self, Barcode, Product};
use surehold_core::kernel::Slug;
use surehold_core::stock::ProductCode;

use super::super::desk::Desk;
use super::super::input::shown;
use super::quantity::Scale;
use super::words::{barcode, product};
use super::written::{What, Written};
use crate::client::ClientError;
use crate::config::Nearest;

/// Beyond this the list of all products is read instead.
const ASKED_MAX: usize = 500;
/// What arrives together is answered together.
const AT_ONCE: usize = 16;

/// By what people write, which need not be a name that a product can have.
#[derive(Debug, Default)]
pub(super) struct Catalog {
    products: BTreeMap<String, Product>,
    barcodes: BTreeMap<String, Barcode>,
}

impl Catalog {
    pub(super) fn new(
        products: impl IntoIterator<Item = Product>,
        barcodes: impl IntoIterator<Item = Barcode>,
    ) -> Catalog {
        Catalog {
            products: products.into_iter().map(|product| (product.code.to_string(), product)).collect(),
            barcodes: barcodes.into_iter().map(|barcode| (barcode.code.to_string(), barcode)).collect(),
        }
    }

    pub(super) fn product(&self, code: &str) -> Option<&Product> {
        self.products.get(code)
    }

    pub(super) fn barcode(&self, code: &str) -> Option<&Barcode> {
        self.barcodes.get(code)
    }

    /// Quantities of what nobody knows are whole.
    pub(super) fn scale(&self, code: &ProductCode) -> Scale {
        self.product(code.as_str()).map_or(Scale::WHOLE, |product| Scale::of(product.scale))
    }

    pub(super) fn unknown(&self, code: &str) -> String {
        let named = format!("there is no product `{}`", shown(code));
        let nearest = Nearest::to(code, self.products.keys().cloned().collect());
        if nearest.meant.is_some() { format!("{named}; {nearest}") } else { named }
    }

    /// Everything that the lines name, as far as it is there. What no product can be called is unknown.
    pub(super) async fn of_lines<'w>(
        desk: Desk<'_>,
        tenant: &Slug,
        lines: impl Iterator<Item = &'w Written>,
    ) -> Result<Catalog, ClientError> {
        let (mut products, mut barcodes) = (BTreeSet::new(), BTreeSet::new());
        for line in lines {
            match &line.what {
                What::Product(code) => products.extend(product(code)),
                What::Barcode(code) => barcodes.extend(barcode(code)),
            }
        }
        let barcodes = ask_each(desk, barcodes.iter().map(|code| stock::barcode(tenant, code))).await?;
        products.extend(barcodes.iter().map(|barcode| barcode.product.clone()));
        Ok(Catalog::new(find_products(desk, tenant, products).await?, barcodes))
    }

    /// Those with these codes, as far as they are there.
    pub(super) async fn of_codes(
        desk: Desk<'_>,
        tenant: &Slug,
        codes: BTreeSet<ProductCode>,
    ) -> Result<Catalog, ClientError> {
        Ok(Catalog::new(find_products(desk, tenant, codes).await?, []))
    }
}

async fn find_products(
    desk: Desk<'_>,
    tenant: &Slug,
    codes: BTreeSet<ProductCode>,
) -> Result<Vec<Product>, ClientError> {
    if codes.len() > ASKED_MAX {
        return desk.all(stock::products(tenant)).await;
    }
    ask_each(desk, codes.iter().map(|code| stock::product(tenant, code))).await
}

/// What there is of these. There may be thousands, and a key may have fewer requests a second than that.
async fn ask_each<T: DeserializeOwned>(
    desk: Desk<'_>,
    calls: impl Iterator<Item = Call<T>>,
) -> Result<Vec<T>, ClientError> {
    let find = |call: Call<T>| async move {
        match desk.insist(&call).await {
            Err(error) if error.says_that_it_is_not_there() => Ok(None),
            answered => answered.map(Some),
        }
    };
    stream::iter(calls).map(find).buffered(AT_ONCE).try_filter_map(|found| ready(Ok(found))).try_collect().await
}
