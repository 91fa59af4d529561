//! Scales of products, which averages are shown with: of everything that an answer shows, in one question.

use std::collections::{BTreeSet, HashMap};

use surehold_core::kernel::TenantId;
use surehold_core::stock::{Product, ProductCode};
use surehold_engine::Fault;

use crate::api::Api;

pub(super) struct Scales(HashMap<ProductCode, u32>);

impl Scales {
    pub(super) async fn of(api: &Api, tenant: TenantId, products: BTreeSet<ProductCode>) -> Result<Scales, Fault> {
        let found: Vec<Product> = api.views().records_by_key(tenant, &products).await?;
        Ok(Scales(found.into_iter().map(|product| (product.code, product.scale)).collect()))
    }

    /// 0 of a product that does not exist.
    pub(super) fn scale(&self, product: &ProductCode) -> u32 {
        self.0.get(product).copied().unwrap_or(0)
    }
}
