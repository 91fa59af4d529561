//! Reading from a server that may still be getting up.

use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail};
use reqwest::StatusCode;
use serde_json::Value;
use uuid::Uuid;

use super::wire;
use crate::torture::auditor::state::{CollectPlan, OperationSeen};
use crate::torture::auditor::tasks::is_charge;
use crate::torture::history::{EventSeen, HoldSeen, PoolSeen};

/// A server that does not answer for so long is not healed.
const SILENCE_MAX: Duration = Duration::from_secs(30);
const RETRY_PAUSE: Duration = Duration::from_millis(100);
const ANSWER_MAX: Duration = Duration::from_secs(20);
const STATES: [&str; 5] = ["PENDING", "RUNNING", "FAILED", "SUCCEEDED", "DEAD_LETTER"];

pub(crate) struct Client {
    http: reqwest::Client,
    base: String,
    key: String,
}

impl Client {
    pub(crate) fn new(plan: &CollectPlan) -> Result<Client> {
        // Somebody else may have installed one, which is as good.
        let _ = rustls::crypto::ring::default_provider().install_default();
        let http = reqwest::Client::builder().no_proxy().timeout(ANSWER_MAX).build().context("no HTTP client")?;
        let base = format!("{}/v1/{}", plan.node.trim_end_matches('/'), plan.tenant);
        Ok(Client { http, base, key: plan.api_key.clone() })
    }

    /// `None` if there is no such thing.
    pub(crate) async fn get(&self, path: &str) -> Result<Option<Value>> {
        let until = Instant::now() + SILENCE_MAX;
        loop {
            let answer = self.http.get(format!("{}{path}", self.base)).bearer_auth(&self.key).send().await;
            let problem = match answer {
                Ok(answer) if answer.status() == StatusCode::NOT_FOUND => return Ok(None),
                Ok(answer) if answer.status().is_success() => match answer.json().await {
                    Ok(value) => return Ok(Some(value)),
                    Err(error) => error.to_string(),
                },
                Ok(answer) => {
                    let status = answer.status();
                    let again = status == StatusCode::TOO_MANY_REQUESTS || status == StatusCode::SERVICE_UNAVAILABLE;
                    if !again {
                        bail!("GET {path} was answered {status}: {}", answer.text().await.unwrap_or_default());
                    }
                    status.to_string()
                }
                Err(error) => error.to_string(),
            };
            if Instant::now() >= until {
                bail!("GET {path} had no answer: {problem}");
            }
            tokio::time::sleep(RETRY_PAUSE).await;
        }
    }

    async fn page(&self, path: &str) -> Result<Value> {
        self.get(path).await?.with_context(|| format!("GET {path}: there is no such tenant, or the key is not for it"))
    }

    /// A list to its end.
    pub(crate) async fn pages(&self, path: &str, list: &str) -> Result<Vec<Value>> {
        let mut all = Vec::new();
        let mut after = String::new();
        loop {
            let mut page = self.page(&format!("{path}limit=1000{after}")).await?;
            let found = page[list].as_array_mut().with_context(|| format!("GET {path}: no {list}"))?;
            all.append(found);
            match page["next"].as_str() {
                Some(next) => after = format!("&after={}", percent(next)),
                None => return Ok(all),
            }
        }
    }

    /// The events behind a cursor, and whether there are more.
    pub(crate) async fn events(&self, after: &str) -> Result<(Vec<EventSeen>, bool)> {
        let page = self.page(&format!("/events?limit=1000&after={after}")).await?;
        let events = page["events"].as_array().context("a page without events")?;
        let events = events.iter().map(wire::event).collect::<Result<_>>()?;
        Ok((events, page["more"].as_bool().context("a page that does not say whether there is more")?))
    }

    pub(crate) async fn hold(&self, id: Uuid) -> Result<Option<HoldSeen>> {
        self.get(&format!("/holds/{id}")).await?.as_ref().map(wire::hold).transpose()
    }

    pub(crate) async fn pools(&self) -> Result<std::collections::BTreeMap<String, PoolSeen>> {
        let pools = self.pages("/pools?", "pools").await?;
        let seen = pools.iter().map(|pool| wire::pool(pool).map(|seen| (seen.name.clone(), seen)));
        seen.collect()
    }

    pub(crate) async fn operations(&self, kinds: impl Iterator<Item = &'static str>) -> Result<Vec<OperationSeen>> {
        let mut all: std::collections::BTreeMap<(String, String), OperationSeen> = std::collections::BTreeMap::new();
        for kind in kinds {
            for state in STATES {
                let resolved = if state == "DEAD_LETTER" { "&include_resolved=true" } else { "" };
                let path = format!("/operations?type={kind}&state={state}{resolved}&");
                for operation in self.pages(&path, "operations").await? {
                    let seen = wire::operation(&operation)?;
                    // One that moved on meanwhile is in two lists; what was read later is newer.
                    all.insert((seen.kind.clone(), seen.key.clone()), seen);
                }
            }
        }
        Ok(all.into_values().collect())
    }

    /// Those of a type that have not ended.
    pub(crate) async fn open_operations(&self, kind: &str) -> Result<Vec<OperationSeen>> {
        let mut all = Vec::new();
        for state in ["PENDING", "RUNNING", "FAILED"] {
            let found = self.pages(&format!("/operations?type={kind}&state={state}&"), "operations").await?;
            all.extend(found.iter().map(wire::operation).collect::<Result<Vec<_>>>()?);
        }
        Ok(all)
    }

    /// Kinds and keys of those that nobody has dealt with.
    pub(crate) async fn cases(&self) -> Result<Vec<(String, String)>> {
        let cases = self.pages("/cases?", "cases").await?;
        let text = |case: &Value, name: &str| Some(case[name].as_str()?.to_owned());
        let name = |case: &Value| Some((text(case, "kind")?, text(case, "key")?));
        cases.iter().map(|case| name(case).context("a case without a name")).collect()
    }

    /// Lists leave contents out; of charges they matter.
    pub(crate) async fn add_contents(&self, operations: &mut [OperationSeen]) -> Result<()> {
        for operation in operations.iter_mut().filter(|operation| is_charge(&operation.kind)) {
            let path = format!("/operations/{}/{}", operation.kind, percent(&operation.key));
            let Some(whole) = self.get(&path).await? else { continue };
            operation.result = whole.get("result").cloned();
            operation.effects = wire::effects(&whole)?;
            operation.attempts = wire::attempts(&whole)?;
        }
        Ok(())
    }
}

fn percent(text: &str) -> String {
    let plain = |byte: &u8| byte.is_ascii_alphanumeric() || b"-._~".contains(byte);
    let one = |byte: u8| if plain(&byte) { char::from(byte).to_string() } else { format!("%{byte:02X}") };
    text.bytes().map(one).collect()
}
