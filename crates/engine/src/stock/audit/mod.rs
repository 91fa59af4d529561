//! Stock: every ledger replays to the last millionth, items say what their ledgers come to, pools what is on hand, and
//! documents what they moved. Nothing of it is put right without a person: it is about goods and what they cost.
//!
//! Memory, of one tenant at a time: its items, about 50 bytes for each of its documents, and about 50 for each row of the
//! longest ledger. Rows are read once, in the order of their keys.

mod documents;
mod items;
mod ledgers;
mod moved;
mod names;

use std::collections::BTreeSet;
use std::hash::{DefaultHasher, Hash, Hasher};

use surehold_core::kernel::{ColumnType, TenantId};
use surehold_core::stock::{Barcode, Books, Product, Serial, Store};

use crate::SnapshotError;
use crate::audit::findings::Findings;
use crate::audit::{Audit, Auditing, Invariant, Remedy};
use items::Items;

const READABLE: &str = "stock-rows-readable";
const NAMES: &str = "stock-names-known";
const LEDGER: &str = "stock-ledger-replays";
const ITEM: &str = "stock-item-matches-ledger";
const POOL: &str = "stock-item-matches-pool";
const LOTS: &str = "stock-lots-add-up";
const SERIALS: &str = "stock-pieces-add-up";
const TRANSIT: &str = "stock-transit-matches-transfers";
const MOVED: &str = "stock-document-moved-as-said";
const ADDS_UP: &str = "stock-document-adds-up";
const REVERSED: &str = "stock-document-reversed-once";
const LEFT: &str = "stock-returns-match-what-is-left";
const CARRIED: &str = "stock-cost-carried-across";
const POSTING: &str = "stock-posting-goes-on";
const BOOKS: &str = "stock-books-count-their-work";

pub(crate) const AUDIT: Audit = Audit {
    invariants: &[
        Invariant { name: READABLE, says: "everything that is kept of stores, products and documents can be read" },
        Invariant { name: NAMES, says: "items, documents and barcodes are of stores and products that exist" },
        Invariant { name: LEDGER, says: "every ledger replays exactly, as it was posted and as it took effect" },
        Invariant { name: ITEM, says: "an item says what its ledger comes to; each has the other" },
        Invariant { name: POOL, says: "the total of a tracked pool is the quantity of its item; each has the other" },
        Invariant { name: LOTS, says: "the lots of an item are as many units as it has" },
        Invariant { name: SERIALS, says: "there are as many single pieces in a store as its item has units" },
        Invariant { name: TRANSIT, says: "what is in transit is what is left of transfers" },
        Invariant {
            name: MOVED,
            says: "a posted document has exactly the rows that it tells of, and a draft has none",
        },
        Invariant { name: ADDS_UP, says: "parts, lines and costs of a document are what it says of them" },
        Invariant { name: REVERSED, says: "a reversed document has one reversal, which moves everything back" },
        Invariant { name: LEFT, says: "what is left of sales and transfers is what was not returned or received" },
        Invariant { name: CARRIED, says: "what a transfer gives away arrives, at the same cost" },
        Invariant { name: POSTING, says: "a document that is being posted has an operation, or a person knows of it" },
        Invariant { name: BOOKS, says: "the books count the documents being posted and the items being revalued" },
    ],
    check,
};

const RESTORE: Remedy = Remedy::Person("restore the row from a backup, or find out who wrote it");
const BY_HAND: Remedy = Remedy::Person(
    "somebody wrote to the store by hand: compare with a backup; then correct what is there by a recount, not by rows",
);

fn check(audit: &mut Auditing<'_>) -> Result<(), SnapshotError> {
    names::check(audit)?;
    let mut tenants = BTreeSet::new();
    for table in
        ["stock_items", "stock_moves", "stock_documents", "stock_document_parts", "stock_books", "stock_serials"]
    {
        tenants.extend(audit.tenants_in(table)?);
    }
    // Whoever has nothing of this, and pools that say they are stock's.
    let sql = "select p.tenant from pools p where p.tracked group by p.tenant";
    audit.each(sql, &[], &[ColumnType::Int], |_, row| tenants.extend(row.int().ok().map(TenantId)))?;
    for tenant in tenants {
        check_tenant(audit, tenant)?;
    }
    Ok(())
}

fn check_tenant(audit: &mut Auditing<'_>, tenant: TenantId) -> Result<(), SnapshotError> {
    let mut items = Items::read(audit, tenant)?;
    let moved = ledgers::check(audit, tenant, &mut items)?;
    let counted = documents::check(audit, tenant, moved, &items)?;
    items.check_pools(audit, tenant)?;
    items.check_pieces(audit, tenant)?;
    items.check_rest(&mut audit.findings, tenant);
    items.check_books(audit, tenant, counted)
}

/// What tells apart what nobody wants to keep: the same for the same, and otherwise almost never.
fn print_of(what: &impl Hash) -> u64 {
    let mut hasher = DefaultHasher::new();
    what.hash(&mut hasher);
    hasher.finish()
}

fn found(findings: &mut Findings, invariant: &'static str, tenant: TenantId, key: String, detail: String) {
    findings.add(invariant, tenant, || (key, detail, BY_HAND));
}

/// The tables that are read for nothing else.
fn readable(audit: &mut Auditing<'_>) -> Result<(), SnapshotError> {
    names::readable::<Store>(audit)?;
    names::readable::<Product>(audit)?;
    names::readable::<Barcode>(audit)?;
    names::readable::<Serial>(audit)?;
    names::readable::<Books>(audit)
}
