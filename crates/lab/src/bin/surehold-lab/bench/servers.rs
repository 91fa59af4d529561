//! The servers under measurement: child processes of this one, which never outlive it.

use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::process::Stdio;
use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail, ensure};
use surehold_lab::bench::Process;
use surehold_lab::bench::http::{HoldShape, Target};
use tempfile::TempDir;
use tokio::io::{AsyncBufReadExt, BufReader};
use tokio::process::Command;
use uuid::Uuid;

use super::batches::Batches;

const TENANT: &str = "bench";
const START_WITHIN: Duration = Duration::from_secs(30);
const LISTENING: &str = "listening on http://";
/// The limit is per key, and the whole load has one. The metrics tell the size of batches.
const SETTINGS: [(&str, &str); 2] =
    [("SUREHOLD_LIMITS_REQUESTS_PER_S_DEFAULT", "10000000"), ("SUREHOLD_SERVER_METRICS_OPEN", "true")];

pub(super) struct Server {
    pub(super) target: Target,
    /// Unknown when somebody else started it.
    pub(super) process: Option<Process>,
    // The process goes before its folder does.
    _child: Option<Child>,
    _folder: Option<TempDir>,
}

impl Server {
    pub(super) async fn bare() -> Result<Server> {
        let (child, address) = Child::start(&["bench", "bare"]).await?;
        let target = Target { address, tenant: TENANT.to_owned(), key: None };
        Server::ready(target, Some(child), None).await
    }

    /// Ours, with a new data folder, a tenant and a key; on the Postgres database if one is given.
    pub(super) async fn serve(dir: &Path, postgres: Option<&str>) -> Result<Server> {
        let folder = new_folder(dir)?;
        let data = folder.path().to_str().context("the folder's name is not UTF-8; choose another --dir")?;
        let place = [Some(["--data", data]), postgres.map(|url| ["--store", url])];
        let place: Vec<&str> = place.into_iter().flatten().flatten().collect();
        let tenant = match postgres {
            // Its folder is new.
            None => TENANT.to_owned(),
            // A database may have been measured before.
            Some(_) => format!("{TENANT}-{:08x}", Uuid::now_v7().as_u128() >> 64 & 0xffff_ffff_ffff),
        };
        surehold(&[&["tenant", "create", &tenant], &place[..]].concat()).await?;
        let scopes = ["--json", "--scope", "sell", "--scope", "manage", "--scope", "read"];
        let made = surehold(&[&["key", "create", &tenant], &scopes[..], &place[..]].concat()).await?;
        let made: serde_json::Value = serde_json::from_slice(&made).context("`key create --json` printed no JSON")?;
        let key = made["key"].as_str().context("`key create --json` printed no key")?.to_owned();
        let (child, address) = Child::start(&[&["serve", "--listen", "127.0.0.1:0"], &place[..]].concat()).await?;
        Server::ready(Target { address, tenant, key: Some(key) }, Some(child), Some(folder)).await
    }

    /// One that runs already.
    pub(super) async fn running(url: &str, tenant: &str, key: Option<String>) -> Result<Server> {
        let host = url.strip_prefix("http://").context("--server-url takes http://host:port")?.trim_end_matches('/');
        let mut addresses = tokio::net::lookup_host(host).await.context("cannot find the host of --server-url")?;
        let address = addresses.next().context("the host of --server-url has no address")?;
        Server::ready(Target { address, tenant: tenant.to_owned(), key }, None, None).await
    }

    /// Process start to the first answered request, on an empty data folder.
    pub(super) async fn time_to_start(dir: &Path) -> Result<Duration> {
        let folder = new_folder(dir)?;
        let data = folder.path().to_str().context("the folder's name is not UTF-8; choose another --dir")?;
        let started = Instant::now();
        let (child, address) = Child::start(&["serve", "--listen", "127.0.0.1:0", "--data", data]).await?;
        let target = Target { address, tenant: TENANT.to_owned(), key: None };
        let _server = Server::ready(target, Some(child), Some(folder)).await?;
        Ok(started.elapsed())
    }

    async fn ready(target: Target, child: Option<Child>, folder: Option<TempDir>) -> Result<Server> {
        let started = Instant::now();
        while !target.ask("GET", "/readyz", "").await.is_ok_and(|answer| answer.status == 200) {
            ensure!(started.elapsed() < START_WITHIN, "the server does not get ready; see what it says above");
            tokio::time::sleep(Duration::from_millis(1)).await;
        }
        let process = child.as_ref().and_then(|child| child.0.id()).map(Process::new);
        Ok(Server { target, process, _child: child, _folder: folder })
    }

    pub(super) async fn put_pools(&self, shape: &HoldShape, total: i64) -> Result<()> {
        let path = format!("/v1/{}/pools", self.target.tenant);
        for body in shape.put_pools(total) {
            let answer = self.target.ask("PUT", &path, &body).await.context("cannot make pools")?;
            ensure!(answer.status == 200, "cannot make pools: {} {}", answer.status, answer.body);
        }
        Ok(())
    }

    /// `None` when the server keeps no metrics, or not for us.
    pub(super) async fn batches(&self) -> Option<Batches> {
        let answer = self.target.ask("GET", "/metrics", "").await.ok()?;
        (answer.status == 200 && answer.body.contains("surehold_batch_commands_count"))
            .then(|| Batches::read(&answer.body))
    }
}

fn new_folder(dir: &Path) -> Result<TempDir> {
    let folder = tempfile::Builder::new().prefix("surehold-bench-").tempdir_in(dir);
    folder.context("cannot make a data folder; choose another --dir")
}

fn executable() -> Result<PathBuf> {
    std::env::current_exe().context("cannot find the program that is running")
}

/// Runs a command of ours to its end.
async fn surehold(args: &[&str]) -> Result<Vec<u8>> {
    let output = Command::new(executable()?).args(args).stderr(Stdio::inherit()).kill_on_drop(true).output().await?;
    ensure!(output.status.success(), "`surehold {}` failed; see what it says above", args.join(" "));
    Ok(output.stdout)
}

/// Killed and waited for when dropped, whatever the reason.
struct Child(tokio::process::Child);

impl Child {
    async fn start(args: &[&str]) -> Result<(Child, SocketAddr)> {
        let mut command = Command::new(executable()?);
        command.args(args).envs(SETTINGS);
        let child = command.stdin(Stdio::null()).stdout(Stdio::piped()).kill_on_drop(true).spawn();
        let mut child = Child(child.with_context(|| format!("cannot start `surehold {}`", args.join(" ")))?);
        let mut lines = BufReader::new(child.0.stdout.take().context("the child has no stdout")?).lines();
        let address = async {
            while let Some(line) = lines.next_line().await? {
                if let Some(address) = line.strip_prefix(LISTENING) {
                    return Ok(address.trim().trim_end_matches('/').parse()?);
                }
            }
            bail!("`surehold {}` ended before it listened; see what it says above", args.join(" "))
        };
        let address = tokio::time::timeout(START_WITHIN, address).await.context("the server does not listen")??;
        // A server that prints more must find a reader.
        tokio::spawn(async move { while let Ok(Some(_)) = lines.next_line().await {} });
        Ok((child, address))
    }
}

impl Drop for Child {
    fn drop(&mut self) {
        // It fails only when the child has ended, and then there is nothing to wait for.
        if self.0.start_kill().is_ok() {
            let killed_at = Instant::now();
            while matches!(self.0.try_wait(), Ok(None)) && killed_at.elapsed() < START_WITHIN {
                std::thread::sleep(Duration::from_millis(2));
            }
        }
    }
}
