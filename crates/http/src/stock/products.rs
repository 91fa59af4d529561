//! Products and their barcodes: list, look, put, look up.

use std::collections::BTreeSet;

use surehold_core::kernel::TenantId;
use surehold_core::stock::{self, BarcodeText, ProductCode, StockRefusal};

use crate::api::{Answer, Api, Caller, InPath, Json, Manage, Query, Read, Reply, from_path, next_page, page_items};
use crate::describe;
use crate::problem::{Code, Problem};
use crate::wire::stock::{Barcode, BarcodeList, Barcodes, Product, ProductPage, PutBarcodes, PutProduct};

from_path!(ProductCode: ProductCode::new, BarcodeText: BarcodeText::new);

pub(super) async fn find_product(api: &Api, tenant: TenantId, code: ProductCode) -> Result<stock::Product, Problem> {
    let found = api.views().record::<stock::Product>(tenant, &code).await?;
    found.ok_or_else(|| StockRefusal::ProductNotFound { products: vec![code] }.into())
}

/// What barcodes mean. Refuses with all that nobody has put.
pub(super) async fn look_up(
    api: &Api,
    tenant: TenantId,
    codes: impl Iterator<Item = &BarcodeText>,
) -> Result<Barcodes, Problem> {
    let asked: BTreeSet<BarcodeText> = codes.cloned().collect();
    let found: Vec<stock::Barcode> = api.views().records_by_key(tenant, &asked).await?;
    let found: Barcodes = found.into_iter().map(|barcode| (barcode.code.clone(), barcode)).collect();
    let unknown: Vec<BarcodeText> = asked.into_iter().filter(|code| !found.contains_key(code)).collect();
    if unknown.is_empty() { Ok(found) } else { Err(barcodes_not_found(&unknown)) }
}

fn barcodes_not_found(barcodes: &[BarcodeText]) -> Problem {
    let listed: Vec<&str> = barcodes.iter().map(BarcodeText::as_str).collect();
    let detail = format!("no such barcode: {}", listed.join(", "));
    Problem::new(Code::BarcodeNotFound, detail).with("barcodes", &barcodes)
}

#[describe::query(page after ProductCode)]
pub(crate) struct ListProducts {}

/// List products
#[describe::path(get, "/v1/{tenant}/products", tag = "Stock")]
pub(super) async fn products_list(
    api: Api,
    caller: Caller<Read>,
    Query(query): Query<ListProducts>,
) -> Answer<ProductPage> {
    let limit = page_items(query.limit)?;
    let found = api.views().products(caller.tenant, query.after.as_ref(), limit).await?;
    let next = next_page(&found, limit, |last| last.code.clone());
    Ok(Reply::found(ProductPage { products: found.into_iter().map(Product::from).collect(), next }))
}

/// Look at a product
///
/// With its barcodes.
#[describe::path(get, "/v1/{tenant}/products/{product}", tag = "Stock")]
pub(super) async fn product_get(api: Api, caller: Caller<Read>, InPath(code): InPath<ProductCode>) -> Answer<Product> {
    let found = find_product(&api, caller.tenant, code).await?;
    let barcodes = api.views().barcodes_of(caller.tenant, &found.code).await?;
    let barcodes = Some(barcodes.into_iter().map(Barcode::from).collect());
    Ok(Reply::found(Product { barcodes, ..Product::from(found) }))
}

/// Put a product
///
/// Creates it, or replaces what it was. Scale, tracking and the packs that it has stay: documents count in them. Safe to
/// repeat.
#[describe::path(put, "/v1/{tenant}/products/{product}", tag = "Stock")]
pub(super) async fn product_put(
    api: Api,
    caller: Caller<Manage>,
    InPath(code): InPath<ProductCode>,
    Json(body): Json<PutProduct>,
) -> Answer<Product> {
    api.run(caller.tenant, body.into_command(code)?, None).await
}

/// Put barcodes of a product
///
/// All or none. Others that it has stay. Safe to repeat.
#[describe::path(put, "/v1/{tenant}/products/{product}/barcodes", tag = "Stock")]
pub(super) async fn barcodes_put(
    api: Api,
    caller: Caller<Manage>,
    InPath(code): InPath<ProductCode>,
    Json(body): Json<PutBarcodes>,
) -> Answer<BarcodeList> {
    api.run(caller.tenant, body.into_command(code)?, None).await
}

/// Look up a barcode
#[describe::path(get, "/v1/{tenant}/barcodes/{barcode}", tag = "Stock")]
pub(super) async fn barcode_get(api: Api, caller: Caller<Read>, InPath(code): InPath<BarcodeText>) -> Answer<Barcode> {
    let found = api.views().record::<stock::Barcode>(caller.tenant, &code).await?;
    Ok(Reply::found(found.ok_or_else(|| barcodes_not_found(&[code]))?.into()))
}
