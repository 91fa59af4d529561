//! The way to Stripe: accounts, headers, one request and its answer. Nothing is tried again and no redirect is followed;
//! the caller learns above all whether the request may have arrived. What the requests are is in `calls`.

use std::collections::BTreeMap;
use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use bytes::BytesMut;
use reqwest::header::{AUTHORIZATION, CONTENT_TYPE, HeaderMap, HeaderValue, RETRY_AFTER};
use reqwest::{Client, Response, Url, redirect, retry};
use secrecy::{ExposeSecret, SecretString};
use serde::de::DeserializeOwned;
use smol_str::SmolStr;
use thiserror::Error;

use super::form::Form;
use super::objects::{ErrorBody, ErrorObject};

/// The form of everything that is said and heard, whatever the account's own default is.
pub const API_VERSION: &str = "2024-06-20";
pub const BASE_URL: &str = "https://api.stripe.com";
pub const MESSAGE_CHARS_MAX: usize = 500;

/// Below `TIMEOUT`, so that a Stripe that cannot be reached is told apart from one that does not answer.
const CONNECT_TIMEOUT: Duration = Duration::from_secs(5);
const TIMEOUT: Duration = Duration::from_secs(30);
const IDLE_MAX: Duration = Duration::from_secs(30);
/// A page of a hundred events is a few hundred kilobytes.
const RESPONSE_BYTES_MAX: usize = 16 * 1024 * 1024;
const USER_AGENT: &str = concat!("Surehold/", env!("CARGO_PKG_VERSION"));

/// An account at Stripe and the name by which requests know it.
#[derive(Clone)]
pub struct StripeAccount {
    pub name: SmolStr,
    pub secret_key: SecretString,
    pub base_url: Url,
}

impl StripeAccount {
    /// At Stripe itself.
    pub fn new(name: impl Into<SmolStr>, secret_key: SecretString) -> StripeAccount {
        let base_url = Url::parse(BASE_URL).expect("a constant that a test reads");
        StripeAccount { name: name.into(), secret_key, base_url }
    }
}

impl fmt::Debug for StripeAccount {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("StripeAccount").field("name", &self.name).finish_non_exhaustive()
    }
}

#[derive(Debug, Error)]
pub enum StripeConfigError {
    #[error("there are two Stripe accounts by the name of `{name}`")]
    NameTwice { name: SmolStr },
    #[error("the secret key of the Stripe account `{name}` is empty or has characters that no key has")]
    SecretKeyMalformed { name: SmolStr },
    #[error("the address of Stripe for the account `{name}` is not an http(s) address of a host")]
    BaseUrlMalformed { name: SmolStr },
    /// Only this machine may be talked to in the open.
    #[error("the address of Stripe for the account `{name}` is not https")]
    BaseUrlInsecure { name: SmolStr },
    #[error("no HTTP client can be made")]
    Client { source: reqwest::Error },
}

/// Why there is no result. No text and no source carries a key.
#[derive(Debug, Error)]
pub enum CallError {
    /// Nothing was sent.
    #[error("there is no Stripe account by the name of `{account}`")]
    AccountUnknown { account: SmolStr },
    /// Nothing was sent: an id that is not one, or a key that no header can carry.
    #[error("the request cannot be put into words")]
    Unsendable,
    /// No name, no connection, or no TLS that we trust, in time. Nothing was sent.
    #[error("Stripe cannot be reached")]
    Unreachable { source: reqwest::Error },
    /// The request may have arrived.
    #[error("Stripe did not answer in time")]
    Timeout,
    /// The connection broke. The request may have arrived.
    #[error("the connection to Stripe broke")]
    Broken { source: reqwest::Error },
    /// A success whose content is not what it should be, or never ends.
    #[error("the answer from Stripe cannot be understood (status {status})")]
    Garbage { status: u16 },
    #[error("Stripe answered {}", .0.status)]
    Refused(Box<Refusal>),
}

/// An answer that is no success.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Refusal {
    pub status: u16,
    /// None if whoever answered does not speak like Stripe: then it was perhaps somebody on the way.
    pub error: Option<ErrorObject>,
    pub retry_after_secs: Option<u32>,
    /// It was said before, and is kept under the idempotency key.
    pub replayed: bool,
    /// By which Stripe's support and log know the request.
    pub request_id: Option<SmolStr>,
}

struct Account {
    authorization: HeaderValue,
    secret_key: SecretString,
    base_url: Url,
}

/// Speaks to Stripe for several accounts. Cheap to clone; clones share their connections.
#[derive(Clone)]
pub struct Stripe {
    client: Client,
    accounts: Arc<BTreeMap<SmolStr, Account>>,
}

impl fmt::Debug for Stripe {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Stripe").field("accounts", &self.accounts.keys()).finish_non_exhaustive()
    }
}

/// How a request is made.
#[derive(Clone, Copy)]
pub(super) enum Way<'a> {
    Ask,
    Change { idempotency_key: &'a str },
}

impl Stripe {
    pub fn new(accounts: impl IntoIterator<Item = StripeAccount>) -> Result<Stripe, StripeConfigError> {
        let mut known = BTreeMap::new();
        for account in accounts {
            let name = account.name.clone();
            if known.insert(name.clone(), Account::check(account)?).is_some() {
                return Err(StripeConfigError::NameTwice { name });
            }
        }
        // The client refuses to be built without one. One that was chosen before stays.
        let _ = rustls::crypto::ring::default_provider().install_default();
        let client = Client::builder()
            .user_agent(USER_AGENT)
            .connect_timeout(CONNECT_TIMEOUT)
            .timeout(TIMEOUT)
            // An answer must not choose who gets the key, nor the environment who sees it.
            .redirect(redirect::Policy::none())
            .no_proxy()
            .retry(retry::never())
            .http1_only()
            .pool_idle_timeout(IDLE_MAX)
            .build()
            .map_err(|source| StripeConfigError::Client { source })?;
        Ok(Stripe { client, accounts: Arc::new(known) })
    }

    /// The names, in order.
    pub fn accounts(&self) -> impl Iterator<Item = &SmolStr> {
        self.accounts.keys()
    }

    /// One request, one answer.
    pub(super) async fn send<T: DeserializeOwned>(
        &self,
        account: &str,
        way: Way<'_>,
        path: &[&str],
        form: Form,
    ) -> Result<T, CallError> {
        let known = self.accounts.get(account);
        let known = known.ok_or_else(|| CallError::AccountUnknown { account: account.into() })?;
        let mut url = known.url(path)?;
        let request = match way {
            Way::Ask => {
                url.set_query((!form.is_empty()).then(|| form.into_text()).as_deref());
                self.client.get(url)
            }
            Way::Change { idempotency_key } => self
                .client
                .post(url)
                .header("idempotency-key", idempotency_key)
                .header(CONTENT_TYPE, "application/x-www-form-urlencoded")
                .body(form.into_text()),
        };
        let request = request.header(AUTHORIZATION, known.authorization.clone()).header("stripe-version", API_VERSION);
        let response = request.send().await.map_err(|error| failed(error.without_url()))?;
        known.read(response).await
    }
}

impl Account {
    fn check(account: StripeAccount) -> Result<Account, StripeConfigError> {
        let StripeAccount { name, secret_key, base_url } = account;
        let key = secret_key.expose_secret();
        if key.is_empty() || !key.bytes().all(|byte| byte.is_ascii_graphic()) {
            return Err(StripeConfigError::SecretKeyMalformed { name });
        }
        let mut authorization =
            HeaderValue::from_str(&format!("Bearer {key}")).expect("visible characters are allowed in headers");
        authorization.set_sensitive(true);
        let is_plain = base_url.username().is_empty()
            && base_url.password().is_none()
            && base_url.query().is_none()
            && base_url.fragment().is_none();
        match (base_url.scheme(), base_url.host_str()) {
            _ if !is_plain => Err(StripeConfigError::BaseUrlMalformed { name }),
            ("https", Some(_)) | ("http", Some("127.0.0.1" | "[::1]" | "localhost")) => {
                Ok(Account { authorization, secret_key, base_url })
            }
            ("http", Some(_)) => Err(StripeConfigError::BaseUrlInsecure { name }),
            _ => Err(StripeConfigError::BaseUrlMalformed { name }),
        }
    }

    fn url(&self, path: &[&str]) -> Result<Url, CallError> {
        // Ids come from requests that somebody wrote: none may lead to another path.
        let is_segment = |part: &&str| {
            !part.is_empty() && part.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_' || byte == b'-')
        };
        if !path.iter().all(is_segment) {
            return Err(CallError::Unsendable);
        }
        let mut url = self.base_url.clone();
        let mut segments = url.path_segments_mut().map_err(|()| CallError::Unsendable)?;
        segments.pop_if_empty().push("v1").extend(path);
        drop(segments);
        Ok(url)
    }

    async fn read<T: DeserializeOwned>(&self, mut response: Response) -> Result<T, CallError> {
        let status = response.status();
        let mut body = BytesMut::new();
        let broken = loop {
            match response.chunk().await {
                Ok(Some(chunk)) if body.len() + chunk.len() <= RESPONSE_BYTES_MAX => body.extend_from_slice(&chunk),
                Ok(Some(_)) => return Err(CallError::Garbage { status: status.as_u16() }),
                Ok(None) => break None,
                Err(error) => break Some(error.without_url()),
            }
        };
        if !status.is_success() {
            // The status has been said, whatever became of the rest.
            return Err(CallError::Refused(Box::new(self.refusal(status.as_u16(), response.headers(), &body))));
        }
        if let Some(error) = broken {
            return Err(failed(error));
        }
        serde_json::from_slice(&body).map_err(|_| CallError::Garbage { status: status.as_u16() })
    }

    fn refusal(&self, status: u16, headers: &HeaderMap, body: &[u8]) -> Refusal {
        let text = |name: &str| headers.get(name).and_then(|value| value.to_str().ok());
        let mut error = serde_json::from_slice::<ErrorBody>(body).ok().map(|body| body.error);
        if let Some(message) = error.as_mut().and_then(|error| error.message.as_mut()) {
            *message = self.presentable(message);
        }
        Refusal {
            status,
            error,
            retry_after_secs: text(RETRY_AFTER.as_str()).and_then(|secs| secs.trim().parse().ok()),
            replayed: text("idempotent-replayed") == Some("true"),
            request_id: text("request-id").map(SmolStr::new),
        }
    }

    /// For the operator's terminal and for records that many may read: Stripe masks keys in its messages, but who
    /// knows who answers.
    fn presentable(&self, message: &str) -> String {
        let message = message.replace(self.secret_key.expose_secret(), "(key)");
        message.chars().map(|char| if char.is_control() { ' ' } else { char }).take(MESSAGE_CHARS_MAX).collect()
    }
}

fn failed(source: reqwest::Error) -> CallError {
    if source.is_builder() {
        return CallError::Unsendable;
    }
    if source.is_dns() || source.is_connect() {
        return CallError::Unreachable { source };
    }
    if source.is_timeout() {
        return CallError::Timeout;
    }
    CallError::Broken { source }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn account(key: &str, url: &str) -> StripeAccount {
        let secret_key = SecretString::from(key);
        StripeAccount { base_url: Url::parse(url).unwrap(), ..StripeAccount::new("main", secret_key) }
    }

    #[test]
    fn accounts() {
        let check = |key: &str, url: &str, expected: &str| {
            let made = Stripe::new([account(key, url)]);
            let shown = made.map_or_else(|error| format!("{error:?}"), |stripe| format!("{stripe:?}"));
            assert!(shown.starts_with(expected), "{url}: {shown}");
        };
        let fine = r#"Stripe { accounts: ["main"]"#;
        check("sk_test_1", BASE_URL, fine);
        check("sk_test_1", "https://proxy.example/stripe/", fine);
        check("sk_test_1", "http://127.0.0.1:12111", fine);
        check("sk_test_1", "http://[::1]:12111", fine);
        check("sk_test_1", "http://localhost:12111", fine);
        check("sk_test_1", "http://api.stripe.com", "BaseUrlInsecure");
        check("sk_test_1", "http://127.0.0.1.example", "BaseUrlInsecure");
        check("sk_test_1", "file:///etc", "BaseUrlMalformed");
        check("sk_test_1", "mailto:x@y", "BaseUrlMalformed");
        check("sk_test_1", "https://user:pass@api.stripe.com", "BaseUrlMalformed");
        check("sk_test_1", "https://api.stripe.com?x", "BaseUrlMalformed");
        for key in ["", "sk test", "sk\r\nx: y", "ské"] {
            check(key, BASE_URL, "SecretKeyMalformed");
        }
        let twice = Stripe::new([account("sk_1", BASE_URL), account("sk_2", BASE_URL)]);
        assert!(matches!(twice, Err(StripeConfigError::NameTwice { name }) if name == "main"));
    }

    #[test]
    fn paths() {
        let check = |base: &str, path: &[&str], expected: Option<&str>| {
            let account = Account::check(account("sk_1", base)).unwrap();
            assert_eq!(account.url(path).ok().as_ref().map(Url::as_str), expected, "{path:?}");
        };
        let sessions = Some("https://api.stripe.com/v1/checkout/sessions");
        check(BASE_URL, &["checkout", "sessions"], sessions);
        check("https://x.example/stripe/", &["refunds"], Some("https://x.example/stripe/v1/refunds"));
        check("https://x.example/stripe", &["refunds"], Some("https://x.example/stripe/v1/refunds"));
        for id in ["", ".", "..", "a/b", "a%2Fb", "cs 1", "cs?x", "cs#x", "é"] {
            check(BASE_URL, &["checkout", "sessions", id], None);
        }
    }

    #[test]
    fn messages_are_presentable() {
        let account = Account::check(account("sk_live_abc", BASE_URL)).unwrap();
        assert_eq!(account.presentable("Invalid API Key: sk_live_abc\u{1b}[0m"), "Invalid API Key: (key) [0m");
        assert_eq!(account.presentable(&"é".repeat(MESSAGE_CHARS_MAX + 1)), "é".repeat(MESSAGE_CHARS_MAX));
    }
}
