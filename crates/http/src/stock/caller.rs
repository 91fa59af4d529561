//! Who may move goods: it depends on what is moved, and why.

use axum::extract::FromRequestParts;
use axum::http::request::Parts;
use surehold_core::kernel::{KeyScope, KeyScopes, Slug, TenantId};
use surehold_core::stock::{DocumentId, DocumentKind, StockDocument, StockRefusal};

use crate::api::{Api, admit_to_tenant, scope_missing};
use crate::problem::Problem;

/// Somebody who may move goods by some kinds of documents. The tenant is told only together with a kind, so that a
/// handler cannot forget to ask whether it is one of them.
pub(crate) struct StockCaller {
    tenant: TenantId,
    scopes: KeyScopes,
    pub(crate) slug: Slug,
}

/// Whoever sells moves what customers buy and bring back. Everything else changes what the books say that there is and
/// what it cost, and is for those who manage.
fn scope_of(kind: DocumentKind) -> KeyScope {
    match kind {
        DocumentKind::Sale | DocumentKind::CustomerReturn => KeyScope::Sell,
        DocumentKind::Purchase
        | DocumentKind::SupplierReturn
        | DocumentKind::WriteOff
        | DocumentKind::Opening
        | DocumentKind::Recount
        | DocumentKind::Transfer
        | DocumentKind::Receipt
        | DocumentKind::TransitLoss
        | DocumentKind::Reversal => KeyScope::Manage,
    }
}

impl StockCaller {
    pub(crate) fn tenant_for(&self, kind: DocumentKind) -> Result<TenantId, Problem> {
        let scope = scope_of(kind);
        if self.scopes.allow(scope) { Ok(self.tenant) } else { Err(scope_missing(scope)) }
    }

    /// Whether they may see what there is, and what it cost.
    pub(crate) fn may_read(&self) -> bool {
        self.scopes.allow(KeyScope::Read)
    }

    /// A document that is kept, if its kind is one of theirs.
    pub(crate) async fn document(&self, api: &Api, id: DocumentId) -> Result<(TenantId, StockDocument), Problem> {
        let found = api.views().record::<StockDocument>(self.tenant, &id).await?;
        let found = found.ok_or(StockRefusal::DocumentNotFound { document: id })?;
        Ok((self.tenant_for(found.header.kind)?, found))
    }
}

impl FromRequestParts<Api> for StockCaller {
    type Rejection = Problem;

    async fn from_request_parts(parts: &mut Parts, api: &Api) -> Result<StockCaller, Problem> {
        let (admitted, tenant, slug) = admit_to_tenant(parts, api).await?;
        let scopes = admitted.scopes;
        if !scopes.allow(KeyScope::Sell) && !scopes.allow(KeyScope::Manage) {
            return Err(scope_missing(KeyScope::Sell));
        }
        Ok(StockCaller { tenant, scopes, slug })
    }
}
