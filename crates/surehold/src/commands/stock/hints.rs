//! What to do about problems of stock.

use super::super::hints::{Hints, ID_OUTSIDE_WINDOW, SAYS_ENOUGH};

pub(super) const HINTS: Hints = Hints {
    by_code: &[
        (
            &["store-not-found"],
            "`surehold stock store list {tenant}` shows what there is; `surehold stock store put {tenant} {store} \
             --currency CODE` makes it",
        ),
        (
            &["product-not-found"],
            "`surehold stock product list {tenant}` shows what there is; `surehold stock product put {tenant} {product}` \
             makes it",
        ),
        (
            &["pack-not-found"],
            "`surehold stock product show {tenant} {product}` shows its packs; `surehold stock product put {tenant} \
             {product} --pack NAME=COUNT` adds one",
        ),
        (&["barcode-not-found"], "`surehold stock barcode put {tenant} PRODUCT {barcode}` gives it to a product"),
        (&["barcode-taken"], "`surehold stock product show {tenant} {product}` shows whose it is"),
        (&["document-not-found"], "`surehold stock document list {tenant}` shows what there is"),
        (
            &["line-not-found", "document-state", "part-missing", "about-other-kind", "more-than-left"],
            "`surehold stock document show {tenant} {document}` shows its lines and what is left of them",
        ),
        (&["document-has-followers"], "`surehold stock document list {tenant} --about {document}` shows them"),
        (&["insufficient-stock"], "`surehold explain {tenant} {store}/{product}` says who has it"),
        (
            &["items-moved"],
            "`surehold stock card {tenant} {store} {product}` shows what moved; count again, or let the difference count \
             with --difference",
        ),
        (
            &["already-open", "insufficient-in-past", "count-backdated"],
            "`surehold stock card {tenant} {store} {product} --order effect` shows what moved, and when",
        ),
        (
            &["insufficient-lot", "lot-differs", "too-many-lots"],
            "`surehold stock show {tenant} --in {store} --product {product}` shows its lots",
        ),
        (&["not-opened"], "`surehold stock opening` brings what is there into the books, at what it cost"),
        (&["books-closed"], "post it with a later --at, or without one"),
        (&["books-busy"], "`surehold stock books {tenant}` says what is still on its way; then run it again"),
        (&["store-currency-fixed"], "leave --currency out, or make another store"),
        (&["product-fixed"], "scale, tracking and the size of a pack stay; make another product, or pack"),
        (&["document-id-reused"], "leave --id out to make another document"),
        (&["lot-expired"], "`surehold stock write-off` takes out what has expired"),
        (&["lot-needed"], "name it behind the line, as in milk=5@0.90,lot=L7"),
        (&["serials-missing"], "list every piece behind the line, as in phone=2,serial=A1,serial=A2"),
        (&["tracked-by-stock"], "documents move it: `surehold stock purchase`, `sale`, `recount` and others"),
        (&["document-id-outside-window"], ID_OUTSIDE_WINDOW),
        (
            &[
                // It names the bound.
                "document-too-long",
                "effective-in-future",
                "effective-too-early",
                "item-out-of-range",
                "document-out-of-range",
                // It contradicts what is there, and the sentence names both.
                "currencies-differ",
                "about-other-store",
                "lot-unwanted",
                "serials-unwanted",
                "serials-not-counted",
                "serials-elsewhere",
                "hold-of-others",
                "not-reversible",
            ],
            SAYS_ENOUGH,
        ),
    ],
    names: &[
        ("store", &["/store", "/short/0/store", "/moved/0/store", "/item/store"], "STORE"),
        ("product", &["/products/0", "/short/0/product", "/moved/0/product", "/item/product"], "PRODUCT"),
        ("barcode", &["/barcodes/0"], "CODE"),
        ("document", &["/document"], "DOCUMENT"),
    ],
};
