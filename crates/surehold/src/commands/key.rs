//! `surehold key`. A new key goes to standard output once; nothing else here ever shows one.

use clap::{Args, Subcommand, ValueEnum};
use jiff::SignedDuration;
use surehold_api::kernel::{self, CreateKey, Key, KeyMode, KeyRef, KeyScope, NewKey, RotateKey};
use surehold_core::kernel::{KeyName, Slug, Timestamp};

use super::desk::Desk;
use super::hints::{Hints, SAYS_ENOUGH};
use super::input::{core_instant, duration_secs, instant};
use super::show::{Show, both, column, details, joined, line, rows, some};
use super::view::instant as shown_instant;
use super::{Act, Common};
use crate::client::{Answer, ClientError, Purpose};

/// Create, list, rotate and revoke keys
#[derive(Args)]
pub(crate) struct KeyCommand {
    #[command(subcommand)]
    action: Action,
    #[command(flatten)]
    common: Common,
}

#[derive(Subcommand)]
enum Action {
    Create(Create),
    /// List keys, newest first
    List {
        /// Whose keys [default: those of the installation]
        tenant: Option<Slug>,
        /// Those for the tenant's test data
        #[arg(long, requires = "tenant")]
        test: bool,
    },
    /// Replace a key; the old one stays good for a while
    Rotate {
        /// The key's reference, as `key list` shows it; the key itself will do
        #[arg(value_name = "KEYREF")]
        key_ref: String,
        /// How long the old key stays good, as in 1d, 2h or 0s [default: 1d]
        #[arg(long, value_name = "DURATION", value_parser = duration_secs)]
        overlap: Option<i64>,
    },
    /// Revoke a key: within a second it opens nothing any more
    Revoke {
        /// The key's reference, as `key list` shows it; the key itself will do
        #[arg(value_name = "KEYREF")]
        key_ref: String,
    },
}

/// Create a key, and show it this once
#[derive(Args)]
struct Create {
    /// Whose key [default: the installation's, with the scope `admin`]
    tenant: Option<Slug>,
    /// What it may do; may be repeated [default: read and sell]
    #[arg(long, value_name = "SCOPE", value_enum)]
    scope: Vec<Scope>,
    /// What it is for
    #[arg(long, default_value = "command line")]
    name: KeyName,
    /// For the tenant's test data
    #[arg(long, requires = "tenant")]
    test: bool,
    /// How long it is good, as in 90d or 12h [default: for ever]
    #[arg(long, value_name = "DURATION", value_parser = duration_secs, conflicts_with = "expires_at")]
    expires_in: Option<i64>,
    /// Until when it is good
    #[arg(long, value_name = "INSTANT", value_parser = instant)]
    expires_at: Option<Timestamp>,
    /// Requests a second on each server, if not the server's default
    #[arg(long, value_name = "N")]
    requests_per_s: Option<i64>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Scope {
    /// Look at pools, holds and events
    Read,
    /// Place, extend, convert, move and cancel holds
    Sell,
    /// Change pools, inboxes and the policy
    Manage,
    /// Deliver tasks: what a scheduler holds
    Tasks,
    /// Everything, for every tenant, and the keys themselves
    Admin,
}

impl From<Scope> for KeyScope {
    fn from(scope: Scope) -> KeyScope {
        match scope {
            Scope::Read => KeyScope::Read,
            Scope::Sell => KeyScope::Sell,
            Scope::Manage => KeyScope::Manage,
            Scope::Tasks => KeyScope::Tasks,
            Scope::Admin => KeyScope::Admin,
        }
    }
}

/// A key that leaked must be easy to revoke, so the whole key is taken too; its secret is neither sent nor shown. That
/// is why this is no parser of an argument: a failing one repeats what was typed.
fn reference(text: &str) -> Result<KeyRef, ClientError> {
    let whole_key = text.strip_prefix("sh_").and_then(|key| key.rsplit_once('_'));
    let key = KeyRef::parse(whole_key.map_or(text, |(key, _secret)| key));
    key.map_err(|malformed| ClientError::Usage(malformed.to_string()))
}

impl Act for KeyCommand {
    const HINTS: Hints = Hints {
        by_code: &[
            (&["key-not-found", "key-ended"], "`surehold key list [TENANT]` shows the keys"),
            (&["unauthenticated"], "check SUREHOLD_KEY or --key; `surehold key list` tells which keys are good"),
            (&["scope-missing"], "use a key with that scope; on the server's machine no key is needed"),
            (&["key-id-reused", "key-expiry-past"], SAYS_ENOUGH),
        ],
        names: &[],
    };

    fn common(&self) -> &Common {
        &self.common
    }

    fn purpose(&self) -> Purpose {
        match &self.action {
            Action::Create(Create { tenant: None, .. }) => Purpose::Begin,
            Action::Create(_) | Action::List { .. } | Action::Rotate { .. } | Action::Revoke { .. } => Purpose::Use,
        }
    }

    async fn act(&self, desk: Desk<'_>) -> Result<(), ClientError> {
        match &self.action {
            Action::Create(create) => show_new(desk, &desk.send(&kernel::create_key(&create.wanted()?)).await?).await,
            Action::List { tenant, test } => {
                let call = kernel::keys().query_if("tenant", tenant.as_ref());
                let call = call.query_if("mode", test.then_some(KeyMode::Test));
                desk.present(call, |page| rows(KEY, &page.keys, &())).await
            }
            Action::Rotate { key_ref, overlap } => {
                let rotate = overlap.map_or_else(RotateKey::default, |overlap_secs| RotateKey { overlap_secs });
                show_new(desk, &desk.send(&kernel::rotate_key(reference(key_ref)?, &rotate)).await?).await
            }
            Action::Revoke { key_ref } => desk.detail(kernel::revoke_key(reference(key_ref)?), KEY).await,
        }
    }
}

impl Create {
    fn wanted(&self) -> Result<CreateKey, ClientError> {
        let scopes = match (&self.tenant, self.scope.as_slice()) {
            (None, []) => vec![KeyScope::Admin],
            (Some(_), []) => vec![KeyScope::Read, KeyScope::Sell],
            (_, scopes) => scopes.iter().map(|scope| (*scope).into()).collect(),
        };
        let too_far = |_| ClientError::Usage("--expires-in goes beyond the end of the calendar".to_owned());
        let now = jiff::Timestamp::now();
        let expires_at = match self.expires_in {
            Some(secs) => Some(core_instant(now.checked_add(SignedDuration::from_secs(secs)).map_err(too_far)?)),
            None => self.expires_at,
        };
        let whole_second = |at: Timestamp| Timestamp::from_micros(at.micros() - at.micros().rem_euclid(1_000_000));
        Ok(CreateKey {
            tenant: self.tenant.clone(),
            name: self.name.clone(),
            scopes,
            mode: if self.test { KeyMode::Test } else { KeyMode::Live },
            expires_at: expires_at.map(whole_second),
            requests_per_s: self.requests_per_s,
        })
    }
}

/// The key alone on standard output, so that a script can take it; what it is goes beside.
async fn show_new(desk: Desk<'_>, answer: &Answer<NewKey>) -> Result<(), ClientError> {
    let Some(NewKey { key, about }) = desk.for_people(answer).await? else { return Ok(()) };
    desk.screen.keep(details(KEY, &about, &()).trim_end());
    desk.screen.note("the key is shown this once and kept nowhere");
    desk.screen.print(&key)
}

const KEY: &[Show<Key>] = &[
    line("ref", |key, ()| key.id.to_string()),
    column("keyref", |key, ()| key.id.to_string()),
    both("name", |key, ()| key.name.to_string()),
    both("scopes", |key, ()| joined(key.scopes.iter().map(KeyScope::as_str), " ")),
    line("mode", |key, ()| key.mode.to_string()),
    line("requests_per_s", |key, ()| some(key.requests_per_s)),
    line("expires", |key, ()| some(key.expires_at.map(shown_instant))),
    line("revoked", |key, ()| some(key.revoked_at)),
    column("created", |key, ()| key.created_at.to_string()),
    column("state", |key, ()| match (key.revoked_at, key.expires_at) {
        (Some(at), _) => format!("revoked {at}"),
        (None, Some(at)) if at <= core_instant(jiff::Timestamp::now()) => format!("expired {}", shown_instant(at)),
        (None, Some(at)) => format!("expires {}", shown_instant(at)),
        (None, None) => "good".to_owned(),
    }),
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn references() {
        for good in ["live_1_00ff00ff00ff00ff", "sh_live_1_00ff00ff00ff00ff_5ec2e7"] {
            assert_eq!(reference(good).unwrap().to_string(), "live_1_00ff00ff00ff00ff");
        }
        for bad in ["", "live", "sh_live_5ec2e7", "prod_1_00ff00ff00ff00ff", "5ec2e7"] {
            let error = reference(bad).unwrap_err();
            assert!(!error.to_string().contains("5ec2e7"), "{error}");
        }
    }
}
