//! Stripe's events: `/webhooks/stripe/{account}`, signed with one of the account's secrets. Whose an account is comes
//! from the configuration, so the address has no tenant and its `mode` is not asked.

use std::collections::BTreeMap;

use axum::http::HeaderMap;
use smol_str::SmolStr;
use surehold_connect::stripe::{AccountHome, Arrival, SIGNATURE_HEADER, SOURCE, arrival, verify};
use surehold_core::kernel::{Tenant, TenantId};
use surehold_engine::{BoxFuture, Fault};
use tracing::warn;

use super::{InboxSource, Incoming, Received, SourceRefusal, content_type};
use crate::keys::KeyMode;

#[derive(Clone, Debug)]
pub struct StripeSource {
    homes: BTreeMap<SmolStr, AccountHome>,
}

impl StripeSource {
    pub fn new(homes: impl IntoIterator<Item = AccountHome>) -> StripeSource {
        StripeSource { homes: homes.into_iter().map(|home| (home.account.clone(), home)).collect() }
    }

    async fn take(&self, incoming: Incoming<'_>) -> Result<Received, SourceRefusal> {
        let home = self.homes.get(incoming.path_rest);
        // Nothing signs for an account that does not exist, and nobody learns which do.
        let secrets = home.map_or(&[][..], |home| home.webhook_secrets.as_slice());
        let now_secs = incoming.now.micros().div_euclid(1_000_000);
        let believed = verify(signature(incoming.headers)?, incoming.body, secrets, now_secs);
        believed.map_err(|error| not_believed(error.to_string()))?;
        let home = home.ok_or_else(|| not_believed("no signature matches".to_owned()))?;
        let Some(tenant) = tenant_of(&incoming, home).await? else {
            let AccountHome { account, tenant, .. } = home;
            warn!(%account, %tenant, "Stripe account {account} is of tenant {tenant}, which does not exist");
            return Err(SourceRefusal::NotFound);
        };
        let Arrival { source, external_id, operation } = arrival(&home.account, incoming.body)?;
        Ok(Received { tenant, source, external_id, content_type: content_type(incoming.headers), operation })
    }
}

impl InboxSource for StripeSource {
    fn name(&self) -> &'static str {
        SOURCE
    }

    fn receive<'a>(&'a self, incoming: Incoming<'a>) -> BoxFuture<'a, Result<Received, SourceRefusal>> {
        Box::pin(self.take(incoming))
    }
}

async fn tenant_of(incoming: &Incoming<'_>, home: &AccountHome) -> Result<Option<TenantId>, Fault> {
    let mode = if home.is_test { KeyMode::Test } else { KeyMode::Live };
    let Some(tenant) = incoming.door.tenant(&home.tenant, mode).await? else { return Ok(None) };
    // A twin comes into being with the first test key.
    let exists = !home.is_test || incoming.door.record::<Tenant>(tenant, &()).await?.is_some();
    Ok(exists.then_some(tenant))
}

fn signature(headers: &HeaderMap) -> Result<&str, SourceRefusal> {
    let mut values = headers.get_all(SIGNATURE_HEADER).iter();
    match (values.next().map(|value| value.to_str()), values.next()) {
        (Some(Ok(value)), None) => Ok(value),
        (None, _) => Err(not_believed(format!("the header `{SIGNATURE_HEADER}` is missing"))),
        (Some(Err(_)), _) | (Some(_), Some(_)) => {
            Err(not_believed(format!("the header `{SIGNATURE_HEADER}` is not one line of text")))
        }
    }
}

fn not_believed(why: String) -> SourceRefusal {
    SourceRefusal::SignatureInvalid { why }
}
