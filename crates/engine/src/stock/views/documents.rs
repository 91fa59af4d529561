//! Documents and their parts.

use surehold_core::kernel::{Reference, TenantId};
use surehold_core::stock::{DocumentId, DocumentPart, StockDocument, StoreName};
use uuid::Uuid;

use super::limit;
use crate::views::Views;
use crate::views::text;
use crate::{Fault, OwnedValue};

/// Which documents, the newest id first.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct DocumentsFilter {
    pub store: Option<StoreName>,
    pub reference: Option<Reference>,
    pub about: Option<DocumentId>,
    pub after: Option<DocumentId>,
}

impl DocumentsFilter {
    /// The column that they are looked up by, and those that are looked at besides.
    fn columns(&self) -> Vec<(&'static str, OwnedValue)> {
        let about = self.about.map(|about| ("about", OwnedValue::Uuid(about.uuid())));
        let reference = self.reference.as_ref().map(|reference| ("reference", text(reference)));
        let store = self.store.as_ref().map(|store| ("store", text(store)));
        [about, reference, store].into_iter().flatten().collect()
    }
}

impl Views {
    pub async fn stock_documents(
        &self,
        tenant: TenantId,
        filter: &DocumentsFilter,
        rows_max: u16,
    ) -> Result<Vec<StockDocument>, Fault> {
        let before = OwnedValue::Uuid(filter.after.map_or(Uuid::max(), DocumentId::uuid));
        let mut params = vec![before, limit(rows_max)];
        let mut columns = filter.columns().into_iter();
        let Some((column, value)) = columns.next() else {
            return self.records(tenant, "and id < $2 order by id desc limit $3", params).await;
        };
        params.push(value);
        // Said as a range: see `holds_by_reference`.
        let mut condition = vec![format!("and {column} >= $4 and {column} <= $4 and ({column}, id) < ($4, $2) ")];
        for (column, value) in columns {
            params.push(value);
            condition.push(format!("and {column} = ${} ", params.len() + 1));
        }
        condition.push(format!("order by {column} desc, id desc limit $3"));
        self.records(tenant, &condition.concat(), params).await
    }

    /// Parts of a document, from one on.
    pub async fn document_parts(
        &self,
        tenant: TenantId,
        id: DocumentId,
        from: u32,
        parts_max: u16,
    ) -> Result<Vec<DocumentPart>, Fault> {
        let condition = "and document = $2 and number >= $3 order by number limit $4";
        let params = [OwnedValue::Uuid(id.uuid()), OwnedValue::Int(i64::from(from)), limit(parts_max)];
        self.records(tenant, condition, params).await
    }
}
