//! One attempt to deliver one message. It is checked, signed and sent once: no redirect is followed, no proxy is used,
//! nothing is tried again. The caller learns what happened, above all whether the message may have arrived.

use std::error::Error as _;
use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use bytes::{Bytes, BytesMut};
use reqwest::header::CONTENT_TYPE;
use reqwest::{Certificate, Client, Response, redirect, retry};
use thiserror::Error;

use super::resolver::{GuardedResolver, Lookup, SystemLookup};
use super::signature::{ID_HEADER, Message, SIGNATURE_HEADER, SignError, TIMESTAMP_HEADER, sign};
use super::{Address, Answer, NotAllowed, Reach, Secret, answer};

/// Short: endpoints are many, and a connection that is kept is one whose name is not looked up again.
const IDLE_MAX: Duration = Duration::from_secs(30);
const IDLE_CONNECTIONS_PER_HOST_MAX: usize = 4;

#[derive(Clone, Debug)]
pub struct SenderConfig {
    pub reach: Reach,
    /// Name, connection and TLS together. Below `timeout`, so that an endpoint that cannot be reached is told apart
    /// from one that does not answer.
    pub connect_timeout: Duration,
    /// The whole attempt.
    pub timeout: Duration,
    /// Of a message; larger ones are not sent.
    pub body_bytes_max: usize,
    /// Of an answer; the rest is not read.
    pub response_bytes_max: usize,
    pub user_agent: String,
    /// Certificates, in PEM, that are trusted beside those that the machine trusts.
    pub roots_extra_pem: Vec<u8>,
}

impl Default for SenderConfig {
    fn default() -> SenderConfig {
        SenderConfig {
            reach: Reach::Public,
            connect_timeout: Duration::from_secs(5),
            timeout: Duration::from_secs(15),
            body_bytes_max: 256 * 1024,
            response_bytes_max: 8 * 1024,
            user_agent: concat!("Surehold/", env!("CARGO_PKG_VERSION")).to_owned(),
            roots_extra_pem: Vec::new(),
        }
    }
}

#[derive(Debug, Error)]
pub enum SenderError {
    #[error("the extra root certificates are unreadable")]
    RootsMalformed { source: reqwest::Error },
    #[error("the extra root certificates hold no certificate")]
    RootsEmpty,
    #[error("no HTTP client can be made")]
    Client { source: reqwest::Error },
}

/// One message to one endpoint, now.
#[derive(Clone)]
pub struct Delivery<'a> {
    pub url: &'a str,
    /// The same in every attempt.
    pub id: &'a str,
    /// When this attempt is made, in seconds since 1970.
    pub timestamp_secs: i64,
    /// JSON.
    pub body: Bytes,
    /// All that the receiver may know; each signs.
    pub secrets: &'a [Secret],
}

/// Without the address and the body: the one may hold a token, the other is the customer's.
impl fmt::Debug for Delivery<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut delivery = f.debug_struct("Delivery");
        delivery.field("id", &self.id).field("timestamp_secs", &self.timestamp_secs).finish_non_exhaustive()
    }
}

/// Why there is no answer. No variant carries the address in its texts or its sources.
#[derive(Debug, Error)]
pub enum SendError {
    /// The address may not be called, now or as it is. Nothing was sent.
    #[error(transparent)]
    NotAllowed(#[from] NotAllowed),
    /// The message cannot be signed. Nothing was sent.
    #[error(transparent)]
    Unsignable(#[from] SignError),
    /// Nothing was sent.
    #[error("the message has {bytes} bytes, which is more than {bytes_max}")]
    TooLarge { bytes: usize, bytes_max: usize },
    /// The name has no address, or it could not be asked for. Nothing was sent.
    #[error("the name of the endpoint cannot be resolved")]
    Resolve { source: reqwest::Error },
    /// No connection, or no TLS that we trust, in time. Nothing was sent.
    #[error("the endpoint cannot be reached")]
    Connect { source: reqwest::Error },
    /// The message may have arrived.
    #[error("the endpoint did not answer in time")]
    Timeout,
    /// The connection broke, or what came back is not HTTP. The message may have arrived.
    #[error("the endpoint did not answer")]
    Broken { source: reqwest::Error },
}

impl SendError {
    pub fn may_have_arrived(&self) -> bool {
        match self {
            SendError::Timeout | SendError::Broken { .. } => true,
            SendError::NotAllowed(_)
            | SendError::Unsignable(_)
            | SendError::TooLarge { .. }
            | SendError::Resolve { .. }
            | SendError::Connect { .. } => false,
        }
    }

    /// The innermost reason, for the operator: the layers around it only say that it failed.
    pub fn root_cause(&self) -> String {
        let mut cause: &dyn std::error::Error = self;
        while let Some(next) = cause.source() {
            cause = next;
        }
        cause.to_string()
    }
}

/// Posts messages. Cheap to clone; clones share their connections.
#[derive(Clone, Debug)]
pub struct Sender {
    client: Client,
    reach: Reach,
    body_bytes_max: usize,
    response_bytes_max: usize,
}

impl Sender {
    pub fn new(config: SenderConfig) -> Result<Sender, SenderError> {
        Sender::with_lookup(config, Arc::new(SystemLookup))
    }

    /// With another source of addresses. What it gives is judged all the same.
    pub fn with_lookup(config: SenderConfig, lookup: Arc<dyn Lookup>) -> Result<Sender, SenderError> {
        // The client refuses to be built without one. One that was chosen before stays.
        let _ = rustls::crypto::ring::default_provider().install_default();
        let roots = Certificate::from_pem_bundle(&config.roots_extra_pem)
            .map_err(|source| SenderError::RootsMalformed { source })?;
        if roots.is_empty() && !config.roots_extra_pem.is_empty() {
            return Err(SenderError::RootsEmpty);
        }
        let client = Client::builder()
            .user_agent(config.user_agent)
            .connect_timeout(config.connect_timeout)
            .timeout(config.timeout)
            // An answer must not choose the next address, nor the environment a way around the resolver.
            .redirect(redirect::Policy::none())
            .no_proxy()
            .dns_resolver(GuardedResolver::new(lookup, config.reach))
            .retry(retry::never())
            .http1_only()
            .pool_idle_timeout(IDLE_MAX)
            .pool_max_idle_per_host(IDLE_CONNECTIONS_PER_HOST_MAX)
            .tls_certs_merge(roots)
            .build()
            .map_err(|source| SenderError::Client { source })?;
        Ok(Sender {
            client,
            reach: config.reach,
            body_bytes_max: config.body_bytes_max,
            response_bytes_max: config.response_bytes_max,
        })
    }

    /// Makes one attempt. Whoever drops it midway does not know whether the message arrived.
    pub async fn post(&self, delivery: &Delivery<'_>) -> Result<Answer, SendError> {
        // Literal addresses never meet the resolver; they are judged here.
        let address = Address::parse(delivery.url, self.reach)?;
        let Delivery { id, timestamp_secs, .. } = *delivery;
        let (bytes, bytes_max) = (delivery.body.len(), self.body_bytes_max);
        if bytes > bytes_max {
            return Err(SendError::TooLarge { bytes, bytes_max });
        }
        let signature = sign(&Message { id, timestamp_secs, body: &delivery.body }, delivery.secrets)?;
        let request = self
            .client
            .post(address.into_url())
            .header(CONTENT_TYPE, "application/json")
            .header(ID_HEADER, id)
            .header(TIMESTAMP_HEADER, timestamp_secs)
            .header(SIGNATURE_HEADER, signature)
            .body(delivery.body.clone());
        let response = request.send().await.map_err(|error| failed(error.without_url()))?;
        Ok(self.read(response, timestamp_secs).await)
    }

    /// The status has been said, so there is an answer, whatever becomes of its body: a success whose body is endless
    /// or breaks off must not be delivered again.
    async fn read(&self, mut response: Response, now_secs: i64) -> Answer {
        let status = response.status().as_u16();
        let retry_after_secs = answer::retry_after_secs(response.headers(), now_secs);
        let mut body = BytesMut::new();
        while body.len() < self.response_bytes_max
            && let Ok(Some(chunk)) = response.chunk().await
        {
            let room = self.response_bytes_max - body.len();
            body.extend_from_slice(&chunk[..chunk.len().min(room)]);
        }
        Answer { status, retry_after_secs, excerpt: answer::excerpt(&body.freeze()) }
    }
}

fn failed(source: reqwest::Error) -> SendError {
    if let Some(reason) = refusal(&source) {
        return reason.into();
    }
    if source.is_builder() {
        return NotAllowed::Malformed.into();
    }
    if source.is_dns() {
        return SendError::Resolve { source };
    }
    if source.is_connect() {
        return SendError::Connect { source };
    }
    if source.is_timeout() {
        return SendError::Timeout;
    }
    SendError::Broken { source }
}

/// The resolver's refusal, which the client has wrapped several times.
fn refusal(error: &reqwest::Error) -> Option<NotAllowed> {
    let mut cause = error.source();
    while let Some(error) = cause {
        if let Some(reason) = error.downcast_ref() {
            return Some(*reason);
        }
        cause = error.source();
    }
    None
}
