//! What the API answers, as the history writes it. Shapes from its description; nothing of the server's code.

use anyhow::{Context, Result};
use serde::Deserialize;
use serde_json::Value;
use uuid::Uuid;

use crate::torture::auditor::feed::{Line, pool_name, units};
use crate::torture::auditor::instant;
use crate::torture::auditor::state::{AttemptSeen, OperationSeen};
use crate::torture::history::{EventSeen, HoldSeen, PoolSeen};

#[derive(Deserialize)]
struct Kept {
    mode: String,
    lines: Vec<Line>,
}

#[derive(Deserialize)]
struct Hold {
    id: Uuid,
    state: String,
    lines: Vec<Line>,
    kept: Option<Kept>,
    owner: Option<String>,
    placed_at: String,
    expires_at: String,
    ended_at: Option<String>,
    version: i64,
}

#[derive(Deserialize)]
struct Pool {
    resource: String,
    #[serde(default)]
    slot: String,
    total: i64,
    overbook: i64,
    held: i64,
    booked: i64,
    granted: i64,
    oversold: i64,
    closed: bool,
    version: i64,
}

fn micros(text: &str) -> Result<i64> {
    instant::parse(text).with_context(|| format!("{text} is no instant"))
}

pub(super) fn hold(value: &Value) -> Result<HoldSeen> {
    let hold = Hold::deserialize(value).context("what was answered is no hold")?;
    Ok(HoldSeen {
        id: hold.id,
        state: hold.state,
        lines: units(hold.lines),
        kept: hold.kept.map(|kept| (kept.mode, units(kept.lines))),
        owner: hold.owner,
        placed_at: micros(&hold.placed_at)?,
        expires_at: micros(&hold.expires_at)?,
        ended_at: hold.ended_at.as_deref().map(micros).transpose()?,
        version: hold.version,
        pool_versions: std::collections::BTreeMap::new(),
    })
}

pub(super) fn pool(value: &Value) -> Result<PoolSeen> {
    let pool = Pool::deserialize(value).context("what was answered is no pool")?;
    let Pool { total, overbook, held, booked, granted, oversold, closed, version, .. } = pool;
    let name = pool_name(&pool.resource, &pool.slot);
    Ok(PoolSeen { name, total, overbook, held, booked, granted, oversold, closed, version })
}

pub(super) fn event(value: &Value) -> Result<EventSeen> {
    let text = |name: &str| value[name].as_str().with_context(|| format!("an event without {name}: {value}"));
    let (cursor, at) = (text("cursor")?.to_owned(), micros(text("at")?)?);
    let mut body = value.clone();
    if let Value::Object(fields) = &mut body {
        fields.remove("cursor");
        fields.remove("at");
    }
    Ok(EventSeen { cursor, at, body })
}

pub(super) fn operation(value: &Value) -> Result<OperationSeen> {
    let text = |value: &Value| value.as_str().map(str::to_owned);
    let needed = |name: &str| text(&value[name]).with_context(|| format!("an operation without {name}: {value}"));
    let run = &value["run"];
    Ok(OperationSeen {
        kind: needed("type")?,
        key: needed("key")?,
        state: needed("state")?,
        dead_code: text(&value["dead_letter"]["code"]),
        run_at: run["run_at"].as_str().map(micros).transpose()?,
        waiting_on: text(&run["waiting_on"]),
        result: None,
        effects: Vec::new(),
        attempts: Vec::new(),
    })
}

pub(super) fn attempts(operation: &Value) -> Result<Vec<AttemptSeen>> {
    let attempts = operation["history"].as_array().context("an operation without its history")?;
    let attempt = |attempt: &Value| AttemptSeen::deserialize(attempt).context("what was answered is no attempt");
    attempts.iter().map(attempt).collect()
}

/// The states of its calls to the outside, step by step.
pub(super) fn effects(operation: &Value) -> Result<Vec<String>> {
    let effects = operation["effects"].as_array().context("an operation without effects")?;
    let mut states: Vec<(u64, String)> = Vec::new();
    for effect in effects {
        let step = effect["step"].as_u64().context("an effect without a step")?;
        states.push((step, effect["state"].as_str().context("an effect without a state")?.to_owned()));
    }
    states.sort();
    Ok(states.into_iter().map(|(_, state)| state).collect())
}
