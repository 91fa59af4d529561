//! The control calls over HTTP, for a provider in another process.

use std::net::SocketAddr;

use reqwest::{Client, Method, StatusCode};
use serde::Serialize;
use serde::de::DeserializeOwned;

use super::fault::{ProviderFault, RandomFaults};
use super::report::ProviderReport;
use super::routes::{AdvanceClock, Done, QueueFaults, SetListLag};

/// Does what the methods of the same names do on [`super::FakeProvider`].
#[derive(Clone, Debug)]
pub struct ProviderControl {
    client: Client,
    address: SocketAddr,
}

#[derive(Debug, thiserror::Error)]
pub enum ControlError {
    #[error("`{url}` is not the address of a fake provider, such as http://127.0.0.1:4000")]
    Address { url: String },
    #[error("the provider does not answer")]
    Unreachable(#[from] reqwest::Error),
    #[error("the provider refused with {status}: {body}")]
    Refused { status: StatusCode, body: String },
    #[error("the provider answered something else")]
    NotUnderstood(#[from] serde_json::Error),
}

impl ProviderControl {
    /// The URL that the provider printed.
    pub fn at(url: &str) -> Result<ProviderControl, ControlError> {
        let address = url.trim().trim_end_matches('/').strip_prefix("http://");
        let address: Option<SocketAddr> = address.and_then(|address| address.parse().ok());
        let address = address.ok_or_else(|| ControlError::Address { url: url.to_owned() })?;
        // Also without TLS the client asks which library would do it.
        let _ = rustls::crypto::ring::default_provider().install_default();
        Ok(ProviderControl { client: Client::new(), address })
    }

    pub fn url(&self) -> String {
        format!("http://{}", self.address)
    }

    pub async fn advance_secs(&self, secs: u32) -> Result<(), ControlError> {
        self.post("clock", &AdvanceClock { advance_secs: secs }).await
    }

    pub async fn queue_faults(&self, faults: &[ProviderFault]) -> Result<(), ControlError> {
        self.post("faults", &QueueFaults { faults: faults.to_vec() }).await
    }

    pub async fn set_random_faults(&self, random: &RandomFaults) -> Result<(), ControlError> {
        self.post("seed", random).await
    }

    pub async fn set_list_lag(&self, asks: u32) -> Result<(), ControlError> {
        self.post("lag", &SetListLag { asks }).await
    }

    pub async fn release(&self) -> Result<(), ControlError> {
        self.post("release", &Done {}).await
    }

    pub async fn waiting(&self, count: u64) -> Result<(), ControlError> {
        let Done {} = self.ask(Method::GET, &format!("waiting?count={count}"), String::new()).await?;
        Ok(())
    }

    pub async fn report(&self) -> Result<ProviderReport, ControlError> {
        self.ask(Method::GET, "report", String::new()).await
    }

    async fn post(&self, name: &str, call: &impl Serialize) -> Result<(), ControlError> {
        let Done {} = self.ask(Method::POST, name, serde_json::to_string(call)?).await?;
        Ok(())
    }

    async fn ask<T: DeserializeOwned>(&self, method: Method, name: &str, body: String) -> Result<T, ControlError> {
        let request = self.client.request(method, format!("{}/_control/{name}", self.url()));
        let answer = request.header("content-type", "application/json").body(body).send().await?;
        let (status, body) = (answer.status(), answer.text().await?);
        if status != StatusCode::OK {
            return Err(ControlError::Refused { status, body });
        }
        Ok(serde_json::from_str(&body)?)
    }
}
