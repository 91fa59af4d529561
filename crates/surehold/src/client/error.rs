//! Why a command could not be carried out: what to say, what to do next, and which exit code tells it to scripts.

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use serde_json::error::Category;
use serde_json::json;
use surehold_api::{Problem, Request};
use surehold_http::problem::ProblemType;
use surehold_sqlite::OpenError;
use thiserror::Error;

use crate::config::ConfigError;

const EXIT_USAGE: u8 = 2;
const EXIT_INTERRUPTED: u8 = 130;

/// The API said no.
#[derive(Debug)]
pub(crate) struct Refused {
    pub(crate) problem: Problem,
    /// Whose data it is about.
    pub(crate) tenant: Option<String>,
    pub(crate) test: bool,
    as_it_came: String,
    status: u16,
    /// What the user adds to send the very same request again.
    repeat_with: Option<String>,
    page: Option<String>,
}

impl Refused {
    pub(super) fn error(status: u16, body: &[u8], request: &Request, server: Option<&str>) -> ClientError {
        let Ok(problem) = serde_json::from_slice::<Problem>(body) else { return ClientError::NotSurehold { status } };
        // A newer server may know codes that this program does not.
        let page = ProblemType::find(&problem.code).map(|ProblemType { code, .. }| match server {
            Some(server) => format!("{server}/problems/{code}"),
            None => format!("surehold problem {code}"),
        });
        let as_it_came = String::from_utf8_lossy(body).trim().to_owned();
        let (tenant, test) = (request.tenant.clone(), request.test);
        let refused = Refused { problem, tenant, test, as_it_came, status, repeat_with: None, page };
        ClientError::Refused(Box::new(refused))
    }
}

fn repeat_hint(flag: &str) -> String {
    format!("run it again with {flag}: it will not happen twice")
}

/// What to do next, if the problem's own sentence does not say it.
pub(crate) type HintFor = fn(&Refused) -> Option<String>;

#[derive(Debug, Error)]
pub(crate) enum ClientError {
    #[error("{}", .0.problem.detail)]
    Refused(Box<Refused>),
    #[error("what answered (HTTP {status}) is not a Surehold server")]
    NotSurehold { status: u16 },
    #[error("an answer cannot be read: {why}")]
    Unreadable { why: String, server_version: Option<String> },
    #[error("cannot reach {server}: {why}")]
    Unreachable { server: String, why: String },
    #[error("{server} went away before it had answered; what was asked may or may not have happened")]
    Cut { server: String, repeat_with: Option<String> },
    #[error("the answer broke off; what was asked may or may not have happened")]
    CutHere,
    #[error("the request cannot be sent: a value has characters that a header cannot carry")]
    Unsendable,
    #[error("cannot make an HTTP client: {why}")]
    NoClient { why: String },
    #[error("--server is not an address")]
    ServerMalformed,
    #[error("a server is named, and no key")]
    KeyMissing,
    #[error("the key has characters that no key has")]
    KeyMalformed,
    #[error("--key is for a server, and none is named")]
    KeyWithoutServer,
    #[error("a server is named (--server or SUREHOLD_SERVER), and a store too (--config, --data, --store or --set)")]
    TwoTargets,
    #[error("cannot use the socket {} of the running server: {why}", path.display())]
    SocketClosed { path: PathBuf, why: String },
    #[error("another process has {} open for writing{}", path.display(), silent(socket.as_deref()))]
    Held { path: PathBuf, socket: Option<PathBuf> },
    #[error("there is no data: {} does not exist", path.display())]
    NoData { path: PathBuf },
    #[error("no server runs on {}, so nothing will happen there", folder.display())]
    NobodyToFollow { folder: PathBuf },
    #[error(transparent)]
    Config(#[from] ConfigError),
    #[error("{}", with_causes(.0))]
    Open(anyhow::Error),
    #[error("USER is not set, so it is not known who does this")]
    NoUser,
    #[error("{0}")]
    Usage(String),
    /// About a file of the user's.
    #[error("{what}")]
    File { what: String, hint: String },
    #[error("{refused} of {rows} rows were refused")]
    RowsRefused { refused: usize, rows: usize, report: Option<PathBuf> },
    #[error("{wrong} of {lines} lines cannot be used; nothing was posted")]
    LinesWrong { wrong: usize, lines: usize, file: String },
    #[error("{left_out} of {lines} lines were left out; the others are posted")]
    LinesLeftOut { left_out: usize, lines: usize, report: Option<PathBuf> },
    #[error("document {document} is still being posted: {posted} of {lines} lines are")]
    StillPosting { document: String, posted: u64, lines: usize },
    #[error("{failed} of {of} changes were not made")]
    Partly { failed: usize, of: usize },
    #[error("cannot write to standard output: {0}")]
    Output(std::io::Error),
    /// Whoever reads our output has seen enough.
    #[error("standard output was closed")]
    OutputClosed,
    #[error("interrupted; what was acknowledged stays, and the same command may be run again")]
    Interrupted,
    #[error("cannot start: {0}")]
    Runtime(std::io::Error),
}

fn silent(socket: Option<&Path>) -> String {
    socket.map_or(String::new(), |socket| format!(", and nobody answers at {}", socket.display()))
}

fn with_causes(error: &anyhow::Error) -> String {
    error.chain().map(ToString::to_string).collect::<Vec<_>>().join(": ")
}

impl ClientError {
    /// From opening a store in this process; `socket` is where a server was looked for.
    pub(super) fn open(error: anyhow::Error, socket: Option<PathBuf>) -> ClientError {
        match error.downcast_ref::<OpenError>() {
            Some(OpenError::InUse { path }) => ClientError::Held { path: path.clone(), socket },
            _ => ClientError::Open(error),
        }
    }

    pub(crate) fn output(error: std::io::Error) -> ClientError {
        match error.kind() {
            std::io::ErrorKind::BrokenPipe => ClientError::OutputClosed,
            _ => ClientError::Output(error),
        }
    }

    /// Words and currencies are closed lists: those of a newer server may be longer.
    pub(crate) fn unreadable(error: &serde_json::Error, server_version: Option<String>) -> ClientError {
        match error.classify() {
            Category::Data => ClientError::Unreadable { why: error.to_string(), server_version },
            Category::Io | Category::Syntax | Category::Eof => ClientError::NotSurehold { status: 200 },
        }
    }

    /// With what the user adds to send the very same request again.
    pub(crate) fn repeat_with(self, flag: Option<&str>, request: &Request) -> ClientError {
        let of_key = || request.idempotency_key.as_ref().map(|key| format!("--idempotency-key {key}"));
        let Some(flag) = flag.map(str::to_owned).or_else(of_key) else { return self };
        match self {
            ClientError::Cut { server, .. } => ClientError::Cut { server, repeat_with: Some(flag) },
            ClientError::Refused(refused) if refused.problem.code == "outcome-unknown" => {
                ClientError::Refused(Box::new(Refused { repeat_with: Some(flag), ..*refused }))
            }
            other => other,
        }
    }

    /// Whether the same request may succeed in a moment.
    pub(crate) fn passes(&self) -> bool {
        match self {
            ClientError::Refused(refused) => refused.status >= 500 || refused.status == 429,
            ClientError::NotSurehold { status } => *status >= 500,
            ClientError::Unreachable { .. } | ClientError::Cut { .. } | ClientError::CutHere => true,
            _ => false,
        }
    }

    /// A thing that a command may be about to make. `not-found` is about the tenant that would have it, or the key.
    pub(crate) fn says_that_it_is_not_there(&self) -> bool {
        let ClientError::Refused(refused) = self else { return false };
        refused.status == 404 && refused.problem.code != "not-found"
    }

    /// Other content has the id of a document.
    pub(crate) fn says_that_the_id_is_taken(&self) -> bool {
        matches!(self, ClientError::Refused(refused) if refused.problem.code == "document-id-reused")
    }

    /// `hint_for` knows what there is to do about problems.
    fn hint(&self, hint_for: HintFor) -> Option<String> {
        let hint = match self {
            ClientError::Refused(refused) => {
                let repeat = refused.repeat_with.as_deref().map(repeat_hint);
                return repeat.or_else(|| hint_for(refused));
            }
            ClientError::NotSurehold { .. } => "check --server, and what stands between here and there",
            ClientError::Unreachable { .. } => "check the address, and that `surehold serve` runs there",
            ClientError::Unreadable { server_version, .. } => {
                let here = env!("CARGO_PKG_VERSION");
                let there = server_version.as_ref().map_or(String::new(), |there| format!(", the server is {there}"));
                return Some(format!(
                    "a newer server may use words that this program does not know: this is {here}{there}; use a program as \
                     new as the server, or --json"
                ));
            }
            ClientError::Cut { repeat_with: Some(flag), .. } => return Some(repeat_hint(flag)),
            ClientError::Cut { .. } | ClientError::CutHere => "look whether it happened, then run it again",
            ClientError::Unsendable => "use plain letters and digits in --idempotency-key",
            ClientError::NoClient { .. } => "check that this machine has certificates of authorities",
            ClientError::ServerMalformed => "write it like https://surehold.example.com, without a login",
            ClientError::KeyMissing => "set SUREHOLD_KEY, or use --key; `surehold key create` makes one",
            ClientError::KeyMalformed => "a key looks like sh_live_…; copy it again, or make another one",
            ClientError::KeyWithoutServer => "add --server; without a server no key is needed",
            ClientError::TwoTargets => "leave one of them out; `env -u SUREHOLD_SERVER surehold …` uses the store",
            ClientError::SocketClosed { .. } => "run this as the user of the server, or use --server with a key",
            ClientError::Held { .. } => {
                "if it is a server, name its data folder with --data (and leave --store out), or use --server with a \
                 key; otherwise wait until it has ended"
            }
            ClientError::NoData { .. } => {
                "choose the folder with --data; `surehold serve` or `surehold tenant create` begin a new one"
            }
            ClientError::NobodyToFollow { .. } => "start `surehold serve`, or leave --follow out",
            ClientError::File { hint, .. } => return Some(hint.clone()),
            ClientError::RowsRefused { report: Some(report), .. }
            | ClientError::LinesLeftOut { report: Some(report), .. } => {
                return Some(format!("mend the rows in {}, then import that file", report.display()));
            }
            ClientError::RowsRefused { report: None, .. } => {
                "--report FILE keeps the refused rows, to be mended and imported again"
            }
            ClientError::LinesWrong { file, .. } => return Some(format!("mend them in {file}, then import it again")),
            ClientError::LinesLeftOut { report: None, .. } => {
                "run it again with --report FILE to keep the lines that were left out; nothing is posted twice"
            }
            ClientError::StillPosting { .. } => {
                "run it again: it goes on with the same document; `surehold doctor` says how the workers are"
            }
            ClientError::Partly { .. } => "what is done stays done: mend what was refused, then run it again",
            ClientError::NoUser => "say it with --actor NAME; a case is given to somebody with --to NAME",
            ClientError::Config(_)
            | ClientError::Open(_)
            | ClientError::Usage(_)
            | ClientError::Output(_)
            | ClientError::OutputClosed
            | ClientError::Interrupted
            | ClientError::Runtime(_) => return None,
        };
        Some(hint.to_owned())
    }

    pub(crate) fn exit_code(&self) -> ExitCode {
        match self {
            ClientError::OutputClosed => ExitCode::SUCCESS,
            ClientError::Interrupted => ExitCode::from(EXIT_INTERRUPTED),
            ClientError::ServerMalformed
            | ClientError::KeyMissing
            | ClientError::KeyMalformed
            | ClientError::KeyWithoutServer
            | ClientError::TwoTargets
            | ClientError::NoUser
            | ClientError::Usage(_) => ExitCode::from(EXIT_USAGE),
            _ => ExitCode::FAILURE,
        }
    }

    /// What goes to standard error; empty for ends that need no words.
    pub(crate) fn said(&self, json: bool, hint_for: HintFor) -> String {
        if let ClientError::OutputClosed = self {
            return String::new();
        }
        if json {
            return format!("{}\n", self.for_machines(hint_for));
        }
        let hint = self.hint(hint_for).map(|hint| format!("hint: {hint}\n"));
        let page = match self {
            ClientError::Refused(refused) => refused.page.as_ref().map(|page| format!("more: {page}\n")),
            _ => None,
        };
        format!("error: {self}\n{}{}", hint.unwrap_or_default(), page.unwrap_or_default())
    }

    /// The problem as the API gave it, or something of its shape.
    fn for_machines(&self, hint_for: HintFor) -> String {
        if let ClientError::Refused(refused) = self {
            return refused.as_it_came.clone();
        }
        let mut problem = json!({"code": "command-failed", "detail": self.to_string()});
        if let Some(hint) = self.hint(hint_for) {
            problem["hint"] = hint.into();
        }
        problem.to_string()
    }
}
