//! Rows that can be read, and names of what exists: what one question can tell of all tenants.

use surehold_core::kernel::{ColumnType, Record, TenantId};
use uuid::Uuid;

use super::{BY_HAND, NAMES, READABLE, RESTORE};
use crate::SnapshotError;
use crate::audit::Auditing;
use crate::audit::rules::Rule;
use crate::views::{aliased_list, record_columns};

const MISSING: &str = "nothing here removes stores or products: restore it from a backup";

pub(super) fn check(audit: &mut Auditing<'_>) -> Result<(), SnapshotError> {
    super::readable(audit)?;
    let barcodes = Rule {
        key: |code, product| format!("barcode {code} of {product}"),
        ..Rule::new(
            NAMES,
            "there is no such product",
            MISSING,
            "select b.tenant, b.code, b.product from barcodes b where not exists (select 1 from products p \
             where p.tenant = b.tenant and p.code = b.product)",
        )
    };
    barcodes.check(audit)?;
    documents(audit)?;
    sources(audit)?;
    parts(audit)
}

pub(super) fn readable<R: Record>(audit: &mut Auditing<'_>) -> Result<(), SnapshotError> {
    let table = R::TABLE.name;
    let sql = format!("select r.tenant, {} from {table} r", aliased_list("r", R::TABLE));
    let columns: Vec<ColumnType> = [ColumnType::Int].into_iter().chain(record_columns(R::TABLE)).collect();
    audit.each(&sql, &[], &columns, |findings, row| {
        let tenant = TenantId(row.int().unwrap_or_default());
        if let Err(corrupt) = R::read(row) {
            findings.add(READABLE, tenant, || (format!("a row of {table}"), corrupt.to_string(), RESTORE));
        }
    })
}

/// Each answer is a tenant and the id of a document.
fn each_wrong(
    audit: &mut Auditing<'_>,
    invariant: &'static str,
    says: &'static str,
    sql: &str,
) -> Result<(), SnapshotError> {
    audit.each(sql, &[], &[ColumnType::Int, ColumnType::Uuid], |findings, row| {
        let tenant = TenantId(row.int().unwrap_or_default());
        let id: Uuid = row.uuid().unwrap_or_default();
        findings.add(invariant, tenant, || (format!("document {id}"), says.to_owned(), BY_HAND));
    })
}

fn documents(audit: &mut Auditing<'_>) -> Result<(), SnapshotError> {
    let sql = "select d.tenant, d.id from stock_documents d where not exists (select 1 from stores s \
               where s.tenant = d.tenant and s.name = d.store) or (d.to_store is not null and not exists \
               (select 1 from stores s where s.tenant = d.tenant and s.name = d.to_store))";
    each_wrong(audit, NAMES, "its store is not there", sql)?;
    let sql = "select d.tenant, d.id from stock_documents d where d.about is not null and not exists \
               (select 1 from stock_documents a where a.tenant = d.tenant and a.id = d.about)";
    each_wrong(audit, NAMES, "the document that it is about is not there", sql)
}

/// Rows that are about others are of documents about the documents of those.
fn sources(audit: &mut Auditing<'_>) -> Result<(), SnapshotError> {
    let sql = "select m.tenant, m.document from stock_moves m join stock_documents d on d.tenant = m.tenant \
               and d.id = m.document left join stock_moves s on s.tenant = m.tenant and s.store = m.store \
               and s.place = m.place and s.product = m.product and s.seq = m.source where m.source is not null \
               and m.basis <> 'revaluation' and (s.document is null or d.about is null or s.document <> d.about)";
    each_wrong(audit, super::MOVED, "took from rows of another document than the one that it is about", sql)
}

fn parts(audit: &mut Auditing<'_>) -> Result<(), SnapshotError> {
    let sql = "select p.tenant, p.document from stock_document_parts p where not exists (select 1 \
               from stock_documents d where d.tenant = p.tenant and d.id = p.document)";
    each_wrong(audit, super::ADDS_UP, "has lines, and is not there", sql)
}
