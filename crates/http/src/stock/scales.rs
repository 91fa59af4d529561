//! What averages are shown with: the scales of all products that an answer shows, in one question.

use std::collections::{BTreeSet, HashMap};

use surehold_core::kernel::TenantId;
use surehold_core::stock::{Product, ProductCode};
use surehold_engine::Fault;

use crate::api::Api;

/// Shows each with the scale of its product; 0 for a product that does not exist.
pub(super) async fn with_scales<V, T>(
    api: &Api,
    tenant: TenantId,
    found: Vec<V>,
    product: fn(&V) -> &ProductCode,
    show: fn(V, u32) -> T,
) -> Result<Vec<T>, Fault> {
    let products: BTreeSet<ProductCode> = found.iter().map(product).cloned().collect();
    let products: Vec<Product> = api.views().records_by_key(tenant, &products).await?;
    let scales: HashMap<ProductCode, u32> = products.into_iter().map(|known| (known.code, known.scale)).collect();
    let shown = |value: V| {
        let scale = scales.get(product(&value)).copied().unwrap_or(0);
        show(value, scale)
    };
    Ok(found.into_iter().map(shown).collect())
}
