//! Stores, products and barcodes as lists.

use surehold_core::kernel::TenantId;
use surehold_core::stock::{Barcode, Product, ProductCode, Store, StoreName};

use super::limit;
use crate::views::Views;
use crate::views::text;
use crate::{Fault, OwnedValue};

/// Beyond that nobody looks at them as a list.
const BARCODES_MAX: i64 = 1_000;

impl Views {
    /// Stores behind `after`, in the order of their names.
    pub async fn stores(
        &self,
        tenant: TenantId,
        after: Option<&StoreName>,
        rows_max: u16,
    ) -> Result<Vec<Store>, Fault> {
        let after = text(after.map_or("", StoreName::as_str));
        self.records(tenant, "and name > $2 order by name limit $3", [after, limit(rows_max)]).await
    }

    /// Products behind `after`, in the order of their codes.
    pub async fn products(
        &self,
        tenant: TenantId,
        after: Option<&ProductCode>,
        rows_max: u16,
    ) -> Result<Vec<Product>, Fault> {
        let after = text(after.map_or("", ProductCode::as_str));
        self.records(tenant, "and code > $2 order by code limit $3", [after, limit(rows_max)]).await
    }

    /// The first barcodes of a product, in their order.
    pub async fn barcodes_of(&self, tenant: TenantId, product: &ProductCode) -> Result<Vec<Barcode>, Fault> {
        // Said as a range: see `holds_by_reference`.
        let condition = "and product >= $2 and product <= $2 order by product, code limit $3";
        self.records(tenant, condition, [text(product), OwnedValue::Int(BARCODES_MAX)]).await
    }
}
