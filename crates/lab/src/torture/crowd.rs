//! What a module brings to torture: people who ask for what it does, in a tenant of their own and beside the other
//! clients, and an auditor who says whether they were told the truth. See `crowds.rs` for those that there are.

use std::fmt;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Instant;

use anyhow::{Context, Result};
use futures_util::future::BoxFuture;
use serde::Serialize;
use serde::de::DeserializeOwned;
use tokio_util::sync::CancellationToken;

use super::auditor::{CollectPlan, Verdict};
use super::book::{self, Book, BookEntry};
use super::crowds::CROWDS;
use super::environment::FileSetting;
use super::workload::{Counts, Functions};

/// A module's folder, in one declaration.
#[derive(Debug)]
pub struct Crowd {
    /// Of its part of the report.
    pub title: &'static str,
    pub tenant: &'static str,
    /// How many people there are beside so many other clients.
    pub people: fn(usize) -> usize,
    /// The file with what they asked and were told, and that with what was there in the end.
    pub book: &'static str,
    pub final_state: &'static str,
    pub functions: Functions,
    /// With fewer requests than this, chance alone may leave something out that is to be looked at.
    pub floors_from_requests: u64,
    /// Starts what is needed before there are servers; given the seed of the run.
    pub start: fn(u64) -> Starting,
}

pub type Starting = BoxFuture<'static, Result<Box<dyn Venue>>>;

/// Where a crowd is in one run, with what is its own beside the servers.
pub trait Venue: fmt::Debug + Send + Sync {
    /// What every node must be told.
    fn settings(&self) -> Vec<FileSetting>;

    /// Makes what there is to ask for, while nothing is wrong yet.
    fn open<'a>(&'a self, visit: &'a Visit) -> BoxFuture<'a, Result<()>>;

    /// Asks until it is stopped.
    fn ask(&self, visit: Visit, counts: Arc<Counts>, stop: CancellationToken) -> BoxFuture<'static, Result<()>>;

    /// Compares what people were told with what is there by now.
    fn judge<'a>(&'a self, visit: &'a Visit, healed: Instant) -> BoxFuture<'a, Result<Judged>>;
}

/// Who asks where.
#[derive(Clone, Debug)]
pub struct CrowdPlan {
    pub seed: u64,
    /// How many of them.
    pub people: usize,
    /// Such as `http://127.0.0.1:8000`; the same throughout the run.
    pub nodes: Vec<String>,
    pub tenant: String,
    /// With the scopes `read`, `sell` and `manage`.
    pub api_key: String,
}

/// A crowd's plan, and what it writes down.
#[derive(Clone, Debug)]
pub struct Visit {
    pub plan: CrowdPlan,
    pub book: Arc<Book>,
    history: PathBuf,
    final_state: PathBuf,
}

/// What an auditor found, and how much it looked at.
#[derive(Clone, Debug)]
pub struct Judged {
    pub verdict: Verdict,
    pub requests: u64,
    /// What it never had to look at: rules about that have proved nothing.
    pub never: Vec<&'static str>,
    /// For the report.
    pub rows: Vec<(&'static str, u64)>,
}

/// A crowd whose servers are not there yet.
#[derive(Debug)]
pub struct Gathered {
    crowd: &'static Crowd,
    venue: Box<dyn Venue>,
    seed: u64,
}

/// Where it is let in.
#[derive(Clone, Debug)]
pub struct Entrance<'a> {
    pub nodes: Vec<String>,
    pub api_key: String,
    /// The other ones.
    pub clients: usize,
    /// For its files.
    pub folder: &'a Path,
    /// When the history began.
    pub began: Instant,
}

/// A crowd that may ask.
#[derive(Debug)]
pub struct LetIn {
    crowd: &'static Crowd,
    venue: Box<dyn Venue>,
    visit: Visit,
}

/// What came of it.
#[derive(Clone, Debug)]
pub struct CrowdEnd {
    pub title: &'static str,
    pub verdict: Verdict,
    pub rows: Vec<(&'static str, u64)>,
}

/// All that there are.
pub async fn gather(seed: u64) -> Result<Vec<Gathered>> {
    let mut gathered = Vec::new();
    for crowd in CROWDS {
        gathered.push(Gathered { crowd, venue: (crowd.start)(seed).await?, seed });
    }
    Ok(gathered)
}

impl Gathered {
    pub fn tenant(&self) -> &'static str {
        self.crowd.tenant
    }

    pub fn settings(&self) -> Vec<FileSetting> {
        self.venue.settings()
    }

    /// Makes what there is to ask for, while nothing is wrong yet.
    pub async fn let_in(self, entrance: Entrance<'_>) -> Result<LetIn> {
        let Gathered { crowd, venue, seed } = self;
        let Entrance { nodes, api_key, clients, folder, began } = entrance;
        let (people, tenant) = ((crowd.people)(clients), crowd.tenant.to_owned());
        let history = folder.join(crowd.book);
        let visit = Visit {
            plan: CrowdPlan { seed, people, nodes, tenant, api_key },
            book: Arc::new(Book::create(&history, began)?),
            history,
            final_state: folder.join(crowd.final_state),
        };
        venue.open(&visit).await?;
        Ok(LetIn { crowd, venue, visit })
    }
}

impl LetIn {
    /// Until it is stopped.
    pub fn ask(&self, counts: Arc<Counts>, stop: CancellationToken) -> BoxFuture<'static, Result<()>> {
        self.venue.ask(self.visit.clone(), counts, stop)
    }

    /// Compares what people were told with what is there. `expects_much`: whether too little to look at is a finding, too.
    pub async fn judge(&self, healed: Instant, expects_much: bool) -> Result<CrowdEnd> {
        let Judged { mut verdict, requests, never, rows } = self.venue.judge(&self.visit, healed).await?;
        if expects_much && requests >= self.crowd.floors_from_requests {
            for what in never {
                verdict.add("enough-seen", || format!("of {what} there were none"));
            }
        }
        Ok(CrowdEnd { title: self.crowd.title, verdict, rows })
    }
}

impl Visit {
    /// All that was written down.
    pub(crate) fn history<Ask, Answer>(&self) -> Result<Vec<BookEntry<Ask, Answer>>>
    where
        Ask: DeserializeOwned,
        Answer: DeserializeOwned,
    {
        self.book.flush()?;
        book::read(&self.history)
    }

    pub(crate) fn collect_plan(&self) -> Result<CollectPlan> {
        let CrowdPlan { nodes, tenant, api_key, .. } = &self.plan;
        let node = nodes.first().context("there is no server")?.clone();
        Ok(CollectPlan { node, tenant: tenant.clone(), api_key: api_key.clone(), feed_path: None })
    }

    /// Judges what is there, aside, and keeps it beside the book. A server that does not tell it is found guilty of that.
    pub(crate) async fn judged<Entry, State, Checked>(
        &self,
        history: Vec<Entry>,
        state: Result<State>,
        judge: fn(&[Entry], &State) -> (Verdict, Checked),
    ) -> Result<(Verdict, Checked)>
    where
        Entry: Send + 'static,
        State: Serialize + Send + 'static,
        Checked: Default + Send + 'static,
    {
        let state = match state {
            Ok(state) => state,
            Err(error) => {
                let mut verdict = Verdict::default();
                verdict.add("a healed server tells what is there", || format!("{error:#}"));
                return Ok((verdict, Checked::default()));
            }
        };
        let text = serde_json::to_vec(&state).context("cannot write down what is there")?;
        std::fs::write(&self.final_state, text).context("cannot write down what is there")?;
        tokio::task::spawn_blocking(move || judge(&history, &state)).await.context("the auditor panicked")
    }
}
