//! Stores, products, the documents that move goods, and what there is.
//! Start at `documents.rs`.
//! Imports: nothing.

mod books;
mod documents;
#[cfg(feature = "fuzz")]
mod fuzz;
mod items;
mod mover;
mod products;
mod scales;
mod seen;
mod stores;

use surehold_core::stock::StockRefusal;

use crate::api::Module;
use crate::problem::refusals;
use crate::routes::{Routes, routes};

refusals!("Stock": StockRefusal);

fn public() -> Routes {
    Routes::new()
        .routes(routes!(stores::stores_list))
        .routes(routes!(stores::store_get, stores::store_put))
        .routes(routes!(products::products_list))
        .routes(routes!(products::product_get, products::product_put))
        .routes(routes!(products::barcodes_put))
        .routes(routes!(products::barcode_get))
        .routes(routes!(books::books_get, books::books_close))
        .routes(routes!(documents::documents_list, documents::document_create))
        .routes(routes!(documents::document_preview))
        .routes(routes!(documents::document_get))
        .routes(routes!(documents::part_put))
        .routes(routes!(documents::document_post))
        .routes(routes!(documents::document_reverse))
        .routes(routes!(documents::hold_sell))
        .routes(routes!(items::stock_list))
        .routes(routes!(items::stock_balances))
        .routes(routes!(items::stock_turnover))
        .routes(routes!(items::stock_shortages))
        .routes(routes!(items::stock_get))
        .routes(routes!(items::stock_card))
}

pub(crate) const MODULE: Module = Module {
    public,
    admin: Routes::new,
    state: |_| {},
    refusals: REFUSALS,
    #[cfg(feature = "fuzz")]
    readers: fuzz::READERS,
};
