//! How nodes are started: their arguments, their ports, their clocks; and the tenants and keys that are made before.

use std::collections::BTreeMap;
use std::path::Path;

use anyhow::{Context, Result, ensure};
use serde_json::Value;

use super::clock::{self, FakeClock};
use super::fault::FaultKind;
use super::node::{self, Launch, Node, Role};
use super::probe::{self, Prober};
use super::stage::{FileSetting, StagePlan, TENANT};
use surehold_testkit::ports::LastingPort;

pub(super) fn text(path: &Path) -> Result<String> {
    Ok(path.to_str().context("the folder's name is not UTF-8; choose another")?.to_owned())
}

pub(super) fn set(args: &mut Vec<String>, setting: &str) {
    args.extend(["--set".to_owned(), setting.to_owned()]);
}

pub(super) fn clocks(plan: &StagePlan, folder: &Path, count: usize) -> Result<Vec<FakeClock>> {
    if !plan.faults.0.contains_key(&FaultKind::ClockJump) {
        return Ok(Vec::new());
    }
    let library = clock::find_library().context("libfaketime was there a moment ago")?;
    (0..count).map(|index| FakeClock::new(library.clone(), folder.join(format!("server-{index}.clock")))).collect()
}

fn common_args(plan: &StagePlan, folder: &Path, args: &mut Vec<String>) -> Result<()> {
    // Leases of three seconds: a worker that is frozen for longer must lose them within the run.
    for setting in ["log.format=json", "log.filter=info", "worker.beat_secs=1", "worker.silent_secs=3"] {
        set(args, setting);
    }
    if let Some(bank) = plan.bank {
        args.extend(["--lab-bank".to_owned(), bank.to_string()]);
    }
    for FileSetting { setting, file, .. } in &plan.settings {
        set(args, &format!("{setting}={}", text(&folder.join(file))?));
    }
    Ok(())
}

/// Before any node reads them.
pub(super) fn write_settings(plan: &StagePlan, folder: &Path) -> Result<()> {
    for FileSetting { setting, file, text } in &plan.settings {
        std::fs::write(folder.join(file), text).with_context(|| format!("cannot write the file of {setting}"))?;
    }
    Ok(())
}

pub(super) fn server_launch(
    plan: &StagePlan,
    folder: &Path,
    base: &Launch,
    place: &[String],
    clock: Option<&FakeClock>,
) -> Result<Launch> {
    let mut args = vec!["serve".to_owned()];
    args.extend_from_slice(place);
    set(&mut args, "limits.requests_per_s_default=1000000");
    set(&mut args, "server.metrics_open=true");
    common_args(plan, folder, &mut args)?;
    Ok(Launch { args, variables: clock.map(FakeClock::variables).unwrap_or_default(), ..base.clone() })
}

pub(super) fn server(folder: &Path, index: usize, launch: &mut Launch) -> Result<Node> {
    let port = LastingPort::take()?;
    launch.args.extend(["--listen".to_owned(), node::address(&port).to_string()]);
    let name = format!("server-{index}");
    let log = folder.join(format!("{name}.log"));
    Ok(Node::new(name, Role::Server, port, log, launch.clone()))
}

pub(super) fn worker(plan: &StagePlan, folder: &Path, base: &Launch, place: &[String]) -> Result<Node> {
    let port = LastingPort::take()?;
    let mut args = vec!["worker".to_owned()];
    args.extend_from_slice(place);
    common_args(plan, folder, &mut args)?;
    set(&mut args, &format!("worker.health_listen={}", node::address(&port)));
    let launch = Launch { args, ..base.clone() };
    Ok(Node::new("worker-0".to_owned(), Role::Worker, port, folder.join("worker-0.log"), launch))
}

pub(super) struct Keys {
    pub(super) api_key: String,
    /// Of the other tenants.
    pub(super) others: BTreeMap<&'static str, String>,
    pub(super) prober: Prober,
}

/// Makes the tenants and their keys, before any node runs.
pub(super) async fn make_keys(plan: &StagePlan, command: &Launch) -> Result<Keys> {
    let api_key = make_key(command, TENANT).await?;
    let mut others = BTreeMap::new();
    for tenant in &plan.tenants {
        others.insert(*tenant, make_key(command, tenant).await?);
    }
    Ok(Keys { api_key, others, prober: Prober::new(make_key(command, probe::TENANT).await?) })
}

async fn make_key(command: &Launch, tenant: &str) -> Result<String> {
    expect_success(&run(command, &["tenant", "create", tenant]).await?, "tenant create")?;
    let scopes = ["read", "sell", "manage", "tasks"].into_iter().flat_map(|scope| ["--scope", scope]);
    let words: Vec<&str> = ["key", "create", tenant, "--json"].into_iter().chain(scopes).collect();
    let made = run(command, &words).await?;
    expect_success(&made, "key create")?;
    let made: Value = serde_json::from_slice(&made.stdout).context("`key create --json` printed no JSON")?;
    Ok(made["key"].as_str().context("`key create --json` printed no key")?.to_owned())
}

pub(super) async fn run(launch: &Launch, words: &[&str]) -> Result<std::process::Output> {
    let mut args: Vec<String> = words.iter().map(|word| (*word).to_owned()).collect();
    args.extend_from_slice(&launch.args);
    let launch = Launch { args, ..launch.clone() };
    launch.command().output().await.with_context(|| format!("cannot run `surehold {}`", words.join(" ")))
}

fn expect_success(output: &std::process::Output, what: &str) -> Result<()> {
    ensure!(output.status.success(), "`surehold {what}` failed: {}", String::from_utf8_lossy(&output.stderr));
    Ok(())
}
