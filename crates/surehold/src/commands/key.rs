//! `surehold key`. A new key goes to standard output once; nothing else here ever shows one.

use clap::{Args, Subcommand, ValueEnum};
use jiff::{SignedDuration, Timestamp};
use serde_json::{Value, json};
use surehold_http::KeyRef;

use super::input::{duration_secs, instant, slug};
use super::screen::Screen;
use super::view::{fields, instant as shown_instant, list, table, text};
use super::{Act, Common};
use crate::client::{Client, ClientError, Purpose, Request};

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
        #[arg(value_parser = slug)]
        tenant: Option<String>,
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
    #[arg(value_parser = slug)]
    tenant: Option<String>,
    /// What it may do; may be repeated [default: read and sell]
    #[arg(long, value_name = "SCOPE", value_enum)]
    scope: Vec<Scope>,
    /// What it is for
    #[arg(long, default_value = "command line")]
    name: String,
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

impl Scope {
    fn as_str(self) -> &'static str {
        match self {
            Scope::Read => "read",
            Scope::Sell => "sell",
            Scope::Manage => "manage",
            Scope::Tasks => "tasks",
            Scope::Admin => "admin",
        }
    }
}

/// A key that leaked must be easy to revoke, so the whole key is taken too; its secret is neither sent nor shown. That
/// is why this is no parser of an argument: a failing one repeats what was typed.
fn reference(text: &str) -> Result<String, ClientError> {
    let whole_key = text.strip_prefix("sh_").and_then(|key| key.rsplit_once('_'));
    let key = KeyRef::parse(whole_key.map_or(text, |(key, _secret)| key));
    key.map(|key| key.to_string()).map_err(|malformed| ClientError::Usage(malformed.to_string()))
}

impl Act for KeyCommand {
    fn common(&self) -> &Common {
        &self.common
    }

    fn purpose(&self) -> Purpose {
        match &self.action {
            Action::Create(Create { tenant: None, .. }) => Purpose::Begin,
            Action::Create(_) | Action::List { .. } | Action::Rotate { .. } | Action::Revoke { .. } => Purpose::Use,
        }
    }

    async fn act(&self, client: &Client, screen: &Screen) -> Result<(), ClientError> {
        match &self.action {
            Action::Create(create) => {
                let request = Request::post(&["admin", "keys"]).json(create.body()?);
                show_new(*screen, &client.send(&request).await?)
            }
            Action::List { tenant, test } => {
                let request = Request::get(&["admin", "keys"]).query_if("tenant", tenant.as_deref());
                let answer = client.send(&request.query_if("mode", test.then_some("test"))).await?;
                screen.show(&answer, |page| keys(list(&page["keys"])))
            }
            Action::Rotate { key_ref, overlap } => {
                let body = overlap.map_or_else(|| json!({}), |secs| json!({"overlap_secs": secs}));
                let request = Request::post(&["admin", "keys", &reference(key_ref)?, "rotate"]).json(body);
                show_new(*screen, &client.send(&request).await?)
            }
            Action::Revoke { key_ref } => {
                let answer = client.send(&Request::post(&["admin", "keys", &reference(key_ref)?, "revoke"])).await?;
                screen.show(&answer, |key| fields(&key_fields(key)))
            }
        }
    }
}

impl Create {
    fn body(&self) -> Result<Value, ClientError> {
        let scopes: Vec<&str> = match (&self.tenant, self.scope.as_slice()) {
            (None, []) => vec!["admin"],
            (Some(_), []) => vec!["read", "sell"],
            (_, scopes) => scopes.iter().map(|scope| scope.as_str()).collect(),
        };
        let mut body = json!({"name": self.name, "scopes": scopes});
        if let Some(tenant) = &self.tenant {
            body["tenant"] = tenant.as_str().into();
        }
        if self.test {
            body["mode"] = "test".into();
        }
        let too_far = |_| ClientError::Usage("--expires-in goes beyond the end of the calendar".to_owned());
        let expires_at = match self.expires_in {
            Some(secs) => Some(Timestamp::now().checked_add(SignedDuration::from_secs(secs)).map_err(too_far)?),
            None => self.expires_at,
        };
        if let Some(expires_at) = expires_at {
            body["expires_at"] = format!("{expires_at:.0}").into();
        }
        if let Some(requests_per_s) = self.requests_per_s {
            body["requests_per_s"] = requests_per_s.into();
        }
        Ok(body)
    }
}

/// The key alone on standard output, so that a script can take it; what it is goes beside.
fn show_new(screen: Screen, answer: &crate::client::Answer) -> Result<(), ClientError> {
    if screen.json {
        return screen.raw(answer);
    }
    let key = answer.value()?;
    screen.keep(fields(&key_fields(&key)).trim_end());
    screen.note("the key is shown this once and kept nowhere");
    screen.print(&text(&key["key"]))
}

fn scopes(key: &Value) -> String {
    list(&key["scopes"]).iter().map(text).collect::<Vec<_>>().join(" ")
}

fn key_fields(key: &Value) -> Vec<(&'static str, String)> {
    let expires = if key["expires_at"].is_null() { String::new() } else { shown_instant(&key["expires_at"]) };
    vec![
        ("ref", text(&key["id"])),
        ("name", text(&key["name"])),
        ("scopes", scopes(key)),
        ("mode", text(&key["mode"])),
        ("requests_per_s", text(&key["requests_per_s"])),
        ("expires", expires),
        ("revoked", text(&key["revoked_at"])),
    ]
}

fn keys(keys: &[Value]) -> String {
    let row =
        |key: &Value| vec![text(&key["id"]), text(&key["name"]), scopes(key), text(&key["created_at"]), state(key)];
    table(&["KEYREF", "NAME", "SCOPES", "CREATED", "STATE"], &[], keys.iter().map(row))
}

fn state(key: &Value) -> String {
    let expires_at = key["expires_at"].as_str().and_then(|at| at.parse::<Timestamp>().ok());
    if let Some(at) = key["revoked_at"].as_str() {
        format!("revoked {at}")
    } else if let Some(at) = expires_at {
        let word = if at <= Timestamp::now() { "expired" } else { "expires" };
        format!("{word} {}", shown_instant(&key["expires_at"]))
    } else {
        "good".to_owned()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn references() {
        for good in ["live_1_00ff00ff00ff00ff", "sh_live_1_00ff00ff00ff00ff_5ec2e7"] {
            assert_eq!(reference(good).unwrap(), "live_1_00ff00ff00ff00ff");
        }
        for bad in ["", "live", "sh_live_5ec2e7", "prod_1_00ff00ff00ff00ff", "5ec2e7"] {
            let error = reference(bad).unwrap_err();
            assert!(!error.to_string().contains("5ec2e7"), "{error}");
        }
    }
}
