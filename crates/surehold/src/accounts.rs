//! The accounts at Stripe: a TOML file apart from the configuration, because it is full of secrets and those of one
//! tenant are none of another's business. Read once, at the start; see ADR 21. No message shows a value.
//!
//! ```toml
//! [accounts.casa-azul]
//! tenant = "casa-azul"
//! mode = "live"
//! secret_key = "sk_live_…"
//! webhook_secrets = ["whsec_…"]
//! ```

use std::fmt;
use std::path::{Path, PathBuf};

use reqwest::Url;
use secrecy::{ExposeSecret, SecretString};
use surehold_connect::stripe::{AccountHome, Stripe, StripeAccount, StripeConfigError};
use surehold_core::kernel::Slug;
use thiserror::Error;
use toml::de::{DeTable, DeValue};

use crate::config::{Config, Nearest, Origin, shown_name};

const SETTINGS: [&str; 5] = ["tenant", "mode", "secret_key", "webhook_secrets", "base_url"];

#[derive(Debug, Error)]
pub(crate) enum AccountsError {
    #[error("cannot read {}\nhint: correct stripe.accounts_file, or let this user read the file", path.display())]
    ReadFile { path: PathBuf, source: std::io::Error },
    #[error("{place}: this is not TOML: {what}\nhint: write an account as [accounts.NAME], with its settings below it")]
    Syntax { place: Origin, what: String },
    #[error("{place}: `{found}` is no account\nhint: write an account as [accounts.NAME], with its settings below it")]
    NoAccount { place: Origin, found: String },
    #[error("{place}: an account has a name of small letters, digits and hyphens, of at most 63\nhint: rename it")]
    NameMalformed { place: Origin },
    #[error("{place}: there is no setting `{found}` of an account\nhint: {nearest}")]
    UnknownSetting { place: Origin, found: String, nearest: Nearest },
    #[error("{place}: {setting} of the account `{account}` cannot be that\nhint: write {allowed}")]
    WrongValue { place: Origin, account: String, setting: &'static str, allowed: &'static str },
    #[error("{place}: {setting} of the account `{account}` is missing\nhint: write {allowed}")]
    Missing { place: Origin, account: String, setting: &'static str, allowed: &'static str },
    #[error("{}: {error}\nhint: correct that account", path.display())]
    Unusable { path: PathBuf, error: StripeConfigError },
}

/// What an account says about itself, for people.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct AccountFacts {
    pub(crate) name: String,
    pub(crate) tenant: Slug,
    pub(crate) is_test: bool,
    /// Whether its key moves no money; none if the key does not say.
    pub(crate) key_is_test: Option<bool>,
    /// Where it is, unless it is at Stripe itself.
    pub(crate) elsewhere: Option<String>,
}

#[derive(Clone, Debug)]
pub(crate) struct Accounts {
    pub(crate) stripe: Stripe,
    pub(crate) homes: Vec<AccountHome>,
    pub(crate) facts: Vec<AccountFacts>,
}

impl Accounts {
    pub(crate) fn none() -> Result<Accounts, StripeConfigError> {
        Ok(Accounts { stripe: Stripe::new([])?, homes: Vec::new(), facts: Vec::new() })
    }

    /// Those that the configuration names; none if it names no file.
    pub(crate) fn load(config: &Config) -> Result<Accounts, AccountsError> {
        let Some(path) = &config.stripe.accounts_file else {
            return Accounts::none().map_err(|error| AccountsError::Unusable { path: PathBuf::new(), error });
        };
        let text = std::fs::read_to_string(path);
        let text = text.map_err(|source| AccountsError::ReadFile { path: path.clone(), source })?;
        Accounts::read(path, &text)
    }

    fn read(path: &Path, text: &str) -> Result<Accounts, AccountsError> {
        let file = File { path, text };
        // Never the error's own text: it shows the line, and the line may hold a key.
        let document = DeTable::parse(text).map_err(|error| AccountsError::Syntax {
            place: file.place(error.span().map_or(0, |span| span.start)),
            what: error.message().to_owned(),
        })?;
        let (mut at_stripe, mut homes, mut facts) = (Vec::new(), Vec::new(), Vec::new());
        for (word, accounts) in document.get_ref() {
            let accounts = match accounts.get_ref() {
                DeValue::Table(accounts) if word.get_ref() == "accounts" => accounts,
                _ => return Err(file.no_account(word.span().start, word.get_ref())),
            };
            for (name, settings) in accounts {
                let DeValue::Table(settings) = settings.get_ref() else {
                    return Err(file.no_account(name.span().start, name.get_ref()));
                };
                let place = file.place(name.span().start);
                let found = Found::read(&file, &place, name.get_ref(), settings)?;
                facts.push(found.facts());
                let Found { at_stripe: account, home } = found;
                at_stripe.push(account);
                homes.push(home);
            }
        }
        let stripe = Stripe::new(at_stripe);
        let stripe = stripe.map_err(|error| AccountsError::Unusable { path: path.to_owned(), error })?;
        Ok(Accounts { stripe, homes, facts })
    }
}

/// Secrets that stand where names do are not shown either.
fn shown(name: &str) -> String {
    let is_secret = ["sk_", "rk_", "whsec_"].iter().any(|prefix| name.starts_with(prefix));
    if is_secret { "…".to_owned() } else { shown_name(name) }
}

struct File<'a> {
    path: &'a Path,
    text: &'a str,
}

impl File<'_> {
    fn place(&self, offset: usize) -> Origin {
        let before = self.text.get(..offset).unwrap_or(self.text);
        Origin::File { path: self.path.to_owned(), line: before.matches('\n').count() + 1 }
    }

    fn no_account(&self, offset: usize, found: &str) -> AccountsError {
        AccountsError::NoAccount { place: self.place(offset), found: shown(found) }
    }
}

struct Found {
    at_stripe: StripeAccount,
    home: AccountHome,
}

impl Found {
    fn read(file: &File<'_>, place: &Origin, name: &str, settings: &DeTable<'_>) -> Result<Found, AccountsError> {
        Slug::new(name).map_err(|_| AccountsError::NameMalformed { place: place.clone() })?;
        for setting in settings.keys() {
            let found: &str = setting.get_ref();
            if !SETTINGS.contains(&found) {
                let place = file.place(setting.span().start);
                let nearest = Nearest::to(found, SETTINGS.map(str::to_owned).to_vec());
                return Err(AccountsError::UnknownSetting { place, found: shown(found), nearest });
            }
        }
        let settings = Settings { file, place, account: name.into(), given: settings };
        let tenant = settings.needed("tenant", "the slug of a tenant", |value| Slug::new(text(value)?).ok())?;
        let is_test = settings.needed("mode", "\"live\" or \"test\"", |value| match text(value)? {
            "live" => Some(false),
            "test" => Some(true),
            _ => None,
        })?;
        let secret_key = settings.needed("secret_key", "a key that begins with sk_ or rk_", secret_key)?;
        let allowed = "a list of one or more secrets that begin with whsec_";
        let webhook_secrets = settings.needed("webhook_secrets", allowed, webhook_secrets)?;
        let base_url =
            settings.optional("base_url", "an address with https://", |value| Url::parse(text(value)?).ok())?;
        let at_stripe = StripeAccount::new(name, secret_key);
        let base_url = base_url.unwrap_or_else(|| at_stripe.base_url.clone());
        let home = AccountHome { account: name.into(), tenant, is_test, webhook_secrets };
        Ok(Found { at_stripe: StripeAccount { base_url, ..at_stripe }, home })
    }

    fn facts(&self) -> AccountFacts {
        let key = self.at_stripe.secret_key.expose_secret();
        let usual = StripeAccount::new("", SecretString::from("")).base_url;
        AccountFacts {
            name: self.home.account.to_string(),
            tenant: self.home.tenant.clone(),
            is_test: self.home.is_test,
            key_is_test: match key.get(3..8) {
                Some("test_") => Some(true),
                Some("live_") => Some(false),
                Some(_) | None => None,
            },
            elsewhere: (self.at_stripe.base_url != usual).then(|| self.at_stripe.base_url.to_string()),
        }
    }
}

/// Those of one account.
struct Settings<'a> {
    file: &'a File<'a>,
    place: &'a Origin,
    account: String,
    given: &'a DeTable<'a>,
}

impl Settings<'_> {
    fn optional<T>(
        &self,
        setting: &'static str,
        allowed: &'static str,
        read: impl Fn(&DeValue<'_>) -> Option<T>,
    ) -> Result<Option<T>, AccountsError> {
        let found = self.given.iter().find(|(name, _)| name.get_ref() == setting);
        let Some((name, value)) = found else { return Ok(None) };
        let wrong = || {
            let (place, account) = (self.file.place(name.span().start), self.account.clone());
            AccountsError::WrongValue { place, account, setting, allowed }
        };
        read(value.get_ref()).map(Some).ok_or_else(wrong)
    }

    fn needed<T>(
        &self,
        setting: &'static str,
        allowed: &'static str,
        read: impl Fn(&DeValue<'_>) -> Option<T>,
    ) -> Result<T, AccountsError> {
        let missing = || {
            let (place, account) = (self.place.clone(), self.account.clone());
            AccountsError::Missing { place, account, setting, allowed }
        };
        self.optional(setting, allowed, read)?.ok_or_else(missing)
    }
}

fn text<'a>(value: &'a DeValue<'_>) -> Option<&'a str> {
    match value {
        DeValue::String(text) => Some(&**text),
        DeValue::Integer(_)
        | DeValue::Float(_)
        | DeValue::Boolean(_)
        | DeValue::Datetime(_)
        | DeValue::Array(_)
        | DeValue::Table(_) => None,
    }
}

/// A webhook's secret in the place of the key is a common mistake, and the other way round.
fn secret_key(value: &DeValue<'_>) -> Option<SecretString> {
    let key = text(value)?;
    (key.starts_with("sk_") || key.starts_with("rk_")).then(|| SecretString::from(key))
}

fn webhook_secrets(value: &DeValue<'_>) -> Option<Vec<SecretString>> {
    let DeValue::Array(secrets) = value else { return None };
    let secret = |secret: &DeValue<'_>| {
        let secret = text(secret)?;
        let rest = secret.strip_prefix("whsec_")?;
        (!rest.is_empty()).then(|| SecretString::from(secret))
    };
    let secrets: Vec<SecretString> = secrets.iter().map(|value| secret(value.get_ref())).collect::<Option<_>>()?;
    (!secrets.is_empty()).then_some(secrets)
}

impl fmt::Display for AccountFacts {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mode = if self.is_test { "test" } else { "live" };
        write!(f, "{} for the {mode} data of {}", self.name, self.tenant)?;
        match &self.elsewhere {
            Some(address) => write!(f, " at {address}"),
            None => Ok(()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const KEY: &str = "sk_test_verysecret";
    const HOOK: &str = "whsec_verysecret";

    fn read(text: &str) -> Result<Accounts, String> {
        let text = text.replace("KEY", KEY).replace("HOOK", HOOK);
        Accounts::read(Path::new("stripe.toml"), &text).map_err(|error| {
            let shown = error.to_string();
            assert!(!format!("{shown} {error:?}").contains("verysecret"), "{shown}");
            shown
        })
    }

    #[test]
    fn accounts() {
        let two = r#"
            [accounts.main]
            tenant = "casa"
            mode = "live"
            secret_key = "KEY"
            webhook_secrets = ["HOOK", "whsec_before"]

            [accounts.rehearsal]
            tenant = "casa"
            mode = "test"
            secret_key = "rk_live_1"
            webhook_secrets = ["HOOK"]
            base_url = "http://127.0.0.1:12111"
        "#;
        let accounts = read(two).unwrap();
        let shown: Vec<_> = accounts.facts.iter().map(AccountFacts::to_string).collect();
        let expected =
            ["main for the live data of casa", "rehearsal for the test data of casa at http://127.0.0.1:12111/"];
        assert_eq!(shown, expected);
        assert_eq!(accounts.facts.iter().map(|fact| fact.key_is_test).collect::<Vec<_>>(), [Some(true), Some(false)]);
        assert_eq!(accounts.homes.iter().map(|home| home.webhook_secrets.len()).collect::<Vec<_>>(), [2, 1]);
        assert_eq!(accounts.stripe.accounts().collect::<Vec<_>>(), ["main", "rehearsal"]);
        assert!(!format!("{accounts:?} {accounts:#?}").contains("verysecret"));
        assert_eq!(read("").unwrap().homes.len(), 0);
    }

    #[test]
    fn mistakes() {
        let with = |change: &str, to: &str| {
            let right = "[accounts.main]\ntenant = \"casa\"\nmode = \"live\"\nsecret_key = \"KEY\"\nwebhook_secrets = [\"HOOK\"]\n";
            assert!(right.contains(change), "{change}");
            right.replace(change, to)
        };
        let check = |text: &str, expected: &str| {
            let message = read(text).expect_err(expected);
            assert_eq!(message.lines().next(), Some(expected));
            assert!(message.contains("\nhint: "), "{message}");
        };
        assert!(read(&with("casa", "casa")).is_ok());
        let check_change = |change: &str, to: &str, expected: &str| check(&with(change, to), expected);
        check("[acounts.main]", "stripe.toml:1: `acounts` is no account");
        check("accounts = 1", "stripe.toml:1: `accounts` is no account");
        check("[accounts]\nmain = 1", "stripe.toml:2: `main` is no account");
        check("KEY = 1", "stripe.toml:1: `…` is no account");
        let syntax = read("[accounts.main").expect_err("it is not closed");
        assert!(syntax.starts_with("stripe.toml:1: this is not TOML: "), "{syntax}");
        let names = "an account has a name of small letters, digits and hyphens, of at most 63";
        check_change("accounts.main", "accounts.Main", &format!("stripe.toml:1: {names}"));
        check_change("accounts.main", "accounts.\"a/b\"", &format!("stripe.toml:1: {names}"));
        check_change("mode =", "mod =", "stripe.toml:3: there is no setting `mod` of an account");
        check_change("mode =", "HOOK =", "stripe.toml:3: there is no setting `…` of an account");
        let cannot =
            |line: u32, setting: &str| format!("stripe.toml:{line}: {setting} of the account `main` cannot be that");
        check_change("\"casa\"", "\"Casa Azul\"", &cannot(2, "tenant"));
        check_change("\"casa\"", "7", &cannot(2, "tenant"));
        check_change("\"live\"", "\"KEY\"", &cannot(3, "mode"));
        check_change("\"KEY\"", "\"HOOK\"", &cannot(4, "secret_key"));
        check_change("[\"HOOK\"]", "\"HOOK\"", &cannot(5, "webhook_secrets"));
        check_change("[\"HOOK\"]", "[]", &cannot(5, "webhook_secrets"));
        check_change("[\"HOOK\"]", "[\"KEY\"]", &cannot(5, "webhook_secrets"));
        check_change("[\"HOOK\"]", "[\"HOOK\", \"whsec_\"]", &cannot(5, "webhook_secrets"));
        check_change("[\"HOOK\"]", "[\"HOOK\"]\nbase_url = \"here\"", &cannot(6, "base_url"));
        let missing = |setting: &str| format!("stripe.toml:1: {setting} of the account `main` is missing");
        check_change("tenant = \"casa\"", "", &missing("tenant"));
        check_change("mode = \"live\"", "", &missing("mode"));
        check_change("secret_key = \"KEY\"", "", &missing("secret_key"));
        check_change("webhook_secrets = [\"HOOK\"]", "", &missing("webhook_secrets"));
        check_change(
            "[\"HOOK\"]",
            "[\"HOOK\"]\nbase_url = \"http://proxy.example\"",
            "stripe.toml: the address of Stripe for the account `main` is not https",
        );
        check_change(
            "\"KEY\"",
            "\"KEY with blanks\"",
            "stripe.toml: the secret key of the Stripe account `main` is empty or has characters that no key has",
        );
    }

    #[test]
    fn a_file_that_is_not_there() {
        let mut config = Config::default();
        assert_eq!(Accounts::load(&config).unwrap().homes.len(), 0);
        config.stripe.accounts_file = Some("no/such/file.toml".into());
        let message = Accounts::load(&config).unwrap_err().to_string();
        let expected =
            "cannot read no/such/file.toml\nhint: correct stripe.accounts_file, or let this user read the file";
        assert_eq!(message, expected);
    }
}
