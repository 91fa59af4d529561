//! Stores, products, the documents that move goods, and what there is.
//! Start at `documents.rs`.
//! Imports: nothing.

mod books;
mod caller;
mod documents;
#[cfg(feature = "fuzz")]
mod fuzz;
mod import;
mod items;
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
    routes! {
        stores: stores_list, store_get, store_put;
        products: products_list, product_get, product_put, barcodes_put, barcode_get;
        books: books_get, books_close;
        documents: documents_list, document_create, document_preview, document_get, part_put, document_post,
            document_reverse, hold_sell;
        import: document_import;
        items: stock_list, stock_balances, stock_turnover, stock_shortages, stock_get, stock_card;
    }
    .group("Stock", "Stores, products, and what is there of them: how much, what it cost, who has a claim on it")
    .group("Documents", "What moves goods: purchases, sales, returns, recounts, transfers, write-offs")
}

pub(crate) const MODULE: Module = Module {
    public,
    admin: Routes::new,
    state: |_| {},
    refusals: REFUSALS,
    #[cfg(feature = "fuzz")]
    readers: fuzz::READERS,
};
