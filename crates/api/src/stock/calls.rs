//! What can be asked about stock.

use serde::Serialize;
use surehold_core::kernel::{HoldId, Slug};
use surehold_core::stock::{BarcodeText, DocumentId, ProductCode, StoreName};

#[allow(clippy::wildcard_imports, reason = "calls name nearly all types of the module")]
use super::*;
use crate::Call;
use crate::call::{calls, lists, pages};

calls! {
    GET "/v1/{tenant}/stores" stores(tenant: &Slug) -> StorePage;
    GET "/v1/{tenant}/stores/{store}" store(tenant: &Slug, store: &StoreName) -> Store;
    PUT "/v1/{tenant}/stores/{store}" put_store(tenant: &Slug, store: &StoreName; PutStore) -> Store;
    GET "/v1/{tenant}/products" products(tenant: &Slug) -> ProductPage;
    GET "/v1/{tenant}/products/{product}" product(tenant: &Slug, product: &ProductCode) -> Product;
    PUT "/v1/{tenant}/products/{product}" put_product(tenant: &Slug, product: &ProductCode; PutProduct) -> Product;
    PUT "/v1/{tenant}/products/{product}/barcodes"
        put_barcodes(tenant: &Slug, product: &ProductCode; PutBarcodes) -> BarcodeList;
    GET "/v1/{tenant}/barcodes/{barcode}" barcode(tenant: &Slug, barcode: &BarcodeText) -> Barcode;
    GET "/v1/{tenant}/books" books(tenant: &Slug) -> Books;
    PUT "/v1/{tenant}/books" close_books(tenant: &Slug; CloseBooks) -> Books;
    GET "/v1/{tenant}/documents" documents(tenant: &Slug) -> DocumentPage;
    POST "/v1/{tenant}/documents" create_document(tenant: &Slug; NewDocument) -> Document;
    POST "/v1/{tenant}/documents/preview" preview(tenant: &Slug; NewDocument) -> DocumentPreview;
    POST "/v1/{tenant}/documents/import" import(tenant: &Slug; ImportDocument) -> Imported;
    GET "/v1/{tenant}/documents/{document}" document(tenant: &Slug, document: DocumentId) -> Document;
    PUT "/v1/{tenant}/documents/{document}/parts/{number}"
        put_part(tenant: &Slug, document: DocumentId, number: usize; SaveLines) -> Document;
    POST "/v1/{tenant}/documents/{document}/post" post_document(tenant: &Slug, document: DocumentId) -> Document;
    POST "/v1/{tenant}/documents/{document}/reverse"
        reverse_document(tenant: &Slug, document: DocumentId; ReverseDocument) -> Document;
    POST "/v1/{tenant}/holds/{hold}/sell" sell_hold(tenant: &Slug, hold: HoldId; SellHold) -> SoldHold;
    GET "/v1/{tenant}/stock" items(tenant: &Slug) -> ItemPage;
    GET "/v1/{tenant}/stock/balances" balances(tenant: &Slug) -> BalancePage;
    GET "/v1/{tenant}/stock/turnover" turnover(tenant: &Slug) -> TurnoverPage;
    GET "/v1/{tenant}/stock/shortages" shortages(tenant: &Slug) -> ItemPage;
    GET "/v1/{tenant}/stock/{store}/{product}" item(tenant: &Slug, store: &StoreName, product: &ProductCode) -> Item;
    GET "/v1/{tenant}/stock/{store}/{product}/card"
        card(tenant: &Slug, store: &StoreName, product: &ProductCode) -> CardPage;
}

pages! {
    StorePage { stores: Store }
    ProductPage { products: Product }
    DocumentPage { documents: Document }
    ItemPage { items: Item }
    BalancePage { balances: ItemBalance }
    TurnoverPage { items: ItemTurnover }
    CardPage { rows: CardRow }
}

lists! {
    BarcodeList { barcodes: Barcode }
}

/// A preview of a document that somebody else wrote, who may know more of documents than this program.
pub fn preview_given(tenant: &Slug, given: &impl Serialize) -> Call<DocumentPreview> {
    Call::new("POST", "/v1/{tenant}/documents/preview", &[("tenant", &tenant)]).body(given)
}

/// The document itself.
pub fn create_given(tenant: &Slug, given: &impl Serialize) -> Call<Document> {
    Call::new("POST", "/v1/{tenant}/documents", &[("tenant", &tenant)]).body(given)
}
