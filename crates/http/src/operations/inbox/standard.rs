//! Standard Webhooks, whoever sends them: `/webhooks/standard/{tenant}/{inbox}`, signed with the inbox's secret.

use surehold_connect::webhooks::{Secret, Verified, VerifyError, verify};
use surehold_core::kernel::{Slug, TenantId, Timestamp};
use surehold_core::operations::builtin::{STANDARD_SOURCE, process_inbox_event, standard_source};
use surehold_core::operations::{ExternalId, InboxName, InboxSecret};
use surehold_engine::{BoxFuture, Fault};

use super::{InboxSource, Incoming, Received, SourceRefusal, content_type};

#[derive(Clone, Copy, Debug)]
pub struct StandardSource;

impl InboxSource for StandardSource {
    fn name(&self) -> &'static str {
        STANDARD_SOURCE
    }

    fn receive<'a>(&'a self, incoming: Incoming<'a>) -> BoxFuture<'a, Result<Received, SourceRefusal>> {
        Box::pin(receive(incoming))
    }
}

async fn receive(incoming: Incoming<'_>) -> Result<Received, SourceRefusal> {
    let (slug, inbox) = address(incoming.path_rest).ok_or(SourceRefusal::NotFound)?;
    // Whatever is wrong without any secret costs the store nothing.
    match judge(&incoming, &[]) {
        Ok(_) | Err(VerifyError::NoMatch) => {}
        Err(error) => return Err(not_believed(error)),
    }
    let tenant = incoming.door.tenant(&slug, incoming.mode).await?;
    let secrets = match tenant {
        Some(tenant) => secrets(&incoming, tenant, &inbox).await?,
        None => Vec::new(),
    };
    let verified = judge(&incoming, &secrets).map_err(not_believed)?;
    // Nothing signs for nobody.
    let tenant = tenant.ok_or_else(|| not_believed(VerifyError::NoMatch))?;
    let external_id = ExternalId::new(verified.id)?;
    Ok(Received {
        tenant,
        source: standard_source(&inbox)?,
        operation: process_inbox_event(&inbox, &external_id)?,
        external_id,
        content_type: content_type(incoming.headers),
    })
}

fn address(path_rest: &str) -> Option<(Slug, InboxName)> {
    let (slug, inbox) = path_rest.split_once('/')?;
    Some((Slug::new(slug).ok()?, InboxName::new(inbox).ok()?))
}

fn judge<'a>(incoming: &Incoming<'a>, secrets: &[Secret]) -> Result<Verified<'a>, VerifyError> {
    verify(incoming.headers, incoming.body, secrets, whole_secs(incoming.now))
}

fn whole_secs(now: Timestamp) -> i64 {
    now.micros().div_euclid(1_000_000)
}

fn not_believed(error: VerifyError) -> SourceRefusal {
    SourceRefusal::SignatureInvalid { why: error.to_string() }
}

/// Those that are believed now; none for an inbox that does not exist.
async fn secrets(incoming: &Incoming<'_>, tenant: TenantId, name: &InboxName) -> Result<Vec<Secret>, Fault> {
    let Some(inbox) = incoming.door.record::<InboxSecret>(tenant, name).await? else { return Ok(Vec::new()) };
    let believed = inbox.believed(incoming.now);
    Ok(believed.map(|secret| Secret::from_bytes(secret.expose()).expect("as long as a secret must be")).collect())
}
