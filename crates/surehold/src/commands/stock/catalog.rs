//! The decimals with which quantities of products are shown.

use std::collections::{BTreeMap, BTreeSet};

use futures_util::{StreamExt, TryStreamExt, stream};
use surehold_api::stock::{self, Product};
use surehold_core::kernel::Slug;
use surehold_core::stock::ProductCode;

use super::super::desk::Desk;
use super::quantity::Scale;
use crate::client::ClientError;

/// What arrives together is answered together.
const AT_ONCE: usize = 16;

#[derive(Debug, Default)]
pub(super) struct Catalog(BTreeMap<ProductCode, Scale>);

impl Catalog {
    pub(super) fn new(products: impl IntoIterator<Item = Product>) -> Catalog {
        Catalog(products.into_iter().map(|product| (product.code, Scale::of(product.scale))).collect())
    }

    /// Quantities of what nobody knows are whole.
    pub(super) fn scale(&self, code: &ProductCode) -> Scale {
        self.0.get(code).copied().unwrap_or(Scale::WHOLE)
    }

    /// Of the products with these codes, as far as they are there.
    pub(super) async fn of_codes(
        desk: Desk<'_>,
        tenant: &Slug,
        codes: BTreeSet<ProductCode>,
    ) -> Result<Catalog, ClientError> {
        // A key may have fewer requests a second than there are products.
        let find = |code: ProductCode| async move {
            match desk.insist(&stock::product(tenant, &code)).await {
                Err(error) if error.says_that_it_is_not_there() => Ok(None),
                answered => answered.map(Some),
            }
        };
        let found: Vec<Option<Product>> = stream::iter(codes).map(find).buffered(AT_ONCE).try_collect().await?;
        Ok(Catalog::new(found.into_iter().flatten()))
    }
}
