//! Stock beside the lanes: looks up the past that commands ask for, and works out costs that a change in the past has made
//! provisional, in the background. Nothing depends on when that is done but how soon values are exact.
//! Imports: kernel, operations.

mod audit;
mod histories;
mod revaluation;
mod views;

use surehold_core::kernel::TenantId;
use surehold_core::stock::commands::PreviewDocument;
use surehold_core::stock::operations::PostDocumentPart;
use surehold_core::stock::{DocumentContent, DocumentId, StockRefusal};

pub use surehold_core::stock::commands::{DocumentPreview, ItemPreview};
pub use views::{DocumentsFilter, EffectRow, ItemBalance, ItemView, ItemsFilter, Shortages, Turnover};

use crate::module::Module;
use crate::{Engine, Failure};

pub(crate) const MODULE: Module = Module {
    audits: &[audit::AUDIT],
    background: &[revaluation::BACKGROUND],
    preparers: &[&histories::HistoriesPreparer],
    register: |registry| registry.state(PostDocumentPart),
};

impl Engine {
    /// What posting would come to; changes nothing.
    pub async fn preview_document(
        &self,
        tenant: TenantId,
        id: DocumentId,
        content: DocumentContent,
    ) -> Result<DocumentPreview, Failure<StockRefusal>> {
        self.run(tenant, PreviewDocument::new(id, content)).await.map(|done| done.reply)
    }
}
