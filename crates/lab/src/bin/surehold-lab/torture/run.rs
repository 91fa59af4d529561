//! One run: start, harm, heal, judge, report. Whatever happens in between, nothing that was started stays.

use std::sync::Arc;
use std::time::{Duration, Instant};

use anyhow::{Context, Result};
use futures_util::future::try_join_all;
use surehold_lab::torture::auditor::{self, Checked, CollectPlan, FinalState, Violation};
use surehold_lab::torture::crowd::{CrowdEnd, Entrance, Gathered, LetIn, gather};
use surehold_lab::torture::environment::{
    Finding, Ledger, LogReport, NemesisPlan, Node, Stage, StagePlan, Summary, TENANT, torment,
};
use surehold_lab::torture::history::{self, Entry, Recorder};
use surehold_lab::torture::workload::{self, Counts, Followed, WorkloadEnd, WorkloadPlan};
use surehold_simulators::provider::{FakeProvider, ProviderFault, ProviderReport, RandomFaults};
use tokio::signal::unix::{SignalKind, signal};
use tokio::task::JoinHandle;
use tokio::time::{sleep, timeout};
use tokio_util::sync::CancellationToken;

use super::Plan;
use super::findings::Findings;
use super::folder::{Folder, Left};
use super::goals;
use super::page;
use super::progress::Progress;
use super::told::{charges_seen, clock_offsets, require_well_told};

const SHOW_PAUSE: Duration = Duration::from_millis(200);
/// Clients wait for answers up to their own timeouts.
const CLIENTS_END_WITHIN: Duration = Duration::from_mins(2);
const PROVIDER_FAULT_PERCENT: usize = 50;
/// Less than a call may take.
const PROVIDER_SLOW_MILLIS: [u64; 3] = [150, 400, 800];
const INTERRUPTED: i32 = 130;
const HISTORY: &str = "history.jsonl";
const FAULTS: &str = "faults.jsonl";
/// What a reader of the event feed was told while it grew.
const FEED: &str = "feed.jsonl";
/// Of what a command says about what it found.
const SAID_CHARS_MAX: usize = 2_000;

/// What a run came to.
pub(super) struct Outcome {
    pub(super) findings: Findings,
    /// How much the auditor looked at.
    pub(super) checked: Checked,
    /// What is worth knowing and is no violation.
    pub(super) notes: Vec<String>,
    pub(super) summary: Summary,
    pub(super) workload: WorkloadEnd,
    pub(super) logs: LogReport,
    pub(super) provider: ProviderReport,
    pub(super) crowds: Vec<CrowdEnd>,
    pub(super) store_version: String,
    pub(super) took: Duration,
    pub(super) interrupted: bool,
}

/// Whether nothing was found that must not be.
pub(super) async fn run(plan: Plan) -> Result<bool> {
    let folder = Folder::take(&plan.folder)?;
    let interrupted = watch_signals()?;
    let progress = Progress::start(plan.duration);
    progress.say(&format!(
        "seed {}, faults {}; everything goes to {}",
        plan.seed,
        plan.possible.faults,
        folder.path().display()
    ));
    let provider = FakeProvider::start().await;
    let gathered = gather(plan.seed).await?;
    let stage_plan = StagePlan {
        store: plan.store.kind(),
        program: std::env::current_exe().context("cannot find the program that is running")?,
        folder: folder.path().to_owned(),
        faults: plan.possible.faults.clone(),
        bank: Some(provider.address()),
        tenants: gathered.iter().map(Gathered::tenant).collect(),
        settings: gathered.iter().flat_map(Gathered::settings).collect(),
    };
    let stage = tokio::select! {
        stage = Stage::start(&stage_plan) => Arc::new(stage?),
        () = interrupted.cancelled() => anyhow::bail!("interrupted; nothing was begun"),
    };
    folder.mark(Left::Unfinished)?;
    let recorder = Arc::new(Recorder::create(&folder.file(HISTORY))?);
    let ledger = Arc::new(Ledger::create(&folder.file(FAULTS), recorder.began())?);
    let mut crowds = Vec::new();
    for crowd in gathered {
        let entrance = Entrance {
            nodes: stage.servers().map(Node::url).collect(),
            api_key: stage.keys.get(crowd.tenant()).context("its tenant was not made")?.clone(),
            clients: plan.clients,
            folder: folder.path(),
            began: recorder.began(),
        };
        crowds.push(crowd.let_in(entrance).await?);
    }
    let run = Run { plan, folder, stage, recorder, ledger, provider, crowds, interrupted };
    run.go(progress).await
}

/// The first signal ends the harm, and what was done is judged; the second insists.
fn watch_signals() -> Result<CancellationToken> {
    let interrupted = CancellationToken::new();
    let mut terminate = signal(SignalKind::terminate()).context("cannot listen for signals")?;
    let mut interrupt = signal(SignalKind::interrupt()).context("cannot listen for signals")?;
    let token = interrupted.clone();
    tokio::spawn(async move {
        loop {
            tokio::select! {
                _ = terminate.recv() => {}
                _ = interrupt.recv() => {}
            }
            if token.is_cancelled() {
                // The guard ends whatever was started.
                std::process::exit(INTERRUPTED);
            }
            eprintln!("Stopping early: healing and checking what was done; a second signal ends at once");
            token.cancel();
        }
    });
    Ok(interrupted)
}

struct Run {
    plan: Plan,
    folder: Folder,
    stage: Arc<Stage>,
    recorder: Arc<Recorder>,
    ledger: Arc<Ledger>,
    provider: FakeProvider,
    crowds: Vec<LetIn>,
    interrupted: CancellationToken,
}

impl Run {
    async fn go(&self, mut progress: Progress) -> Result<bool> {
        let began = Instant::now();
        workload::prepare(&self.workload_plan(), &self.recorder).await?;
        let (reader, feed_read) = self.follow_feed();
        let workload = self.harm(&mut progress).await?;
        progress.end();
        progress.say("healing");
        let looking = self.look_after_nodes();
        self.calm_provider();
        let healed = self.stage.heal(&self.ledger).await;
        feed_read.cancel();
        let followed = reader.await.context("the reader of the feed panicked")??;
        progress.say("checking");
        let mut findings = Findings::default();
        let checked = self.judge(healed, &followed, &mut findings).await?;
        let mut crowds = Vec::new();
        for crowd in &self.crowds {
            let end = crowd.judge(healed, self.expects_much()).await?;
            findings.add_verdict(&end.verdict);
            crowds.push(end);
        }
        require_well_told(&followed, &mut findings);
        looking.abort();
        let provider = self.provider.report();
        self.stage.stop_nodes(&self.ledger).await;
        let mut notes = Vec::new();
        self.audit(&mut findings, &mut notes).await?;
        let logs = self.stage.logs()?;
        let summary = self.ledger.summary();
        for Finding { rule, detail } in summary.findings.iter().cloned() {
            findings.add(rule, detail);
        }
        findings.add_counted(logs.findings.iter().cloned(), &logs.counts);
        self.require_goals(&workload, &summary, &mut findings);
        if findings.total() > 0
            && let Err(error) = self.stage.rescue_data(&self.folder.file("data-rescued")).await
        {
            notes.push(format!("what is in the store could not be kept: {error:#}"));
        }
        self.finish(&Outcome {
            findings,
            checked,
            notes,
            summary,
            workload,
            logs,
            provider,
            crowds,
            store_version: self.stage.store_version()?,
            took: began.elapsed(),
            interrupted: self.interrupted.is_cancelled(),
        })
    }

    fn look_after_nodes(&self) -> JoinHandle<()> {
        let (stage, ledger) = (Arc::clone(&self.stage), Arc::clone(&self.ledger));
        tokio::spawn(async move { stage.look_after_nodes(&ledger).await })
    }

    /// Whoever stops it early does not.
    fn expects_much(&self) -> bool {
        !self.interrupted.is_cancelled()
    }

    /// A run that proves nothing must not pass.
    fn require_goals(&self, workload: &WorkloadEnd, summary: &Summary, findings: &mut Findings) {
        if !self.expects_much() {
            return;
        }
        for shortcoming in workload.shortcomings() {
            findings.add("enough came of the requests", shortcoming);
        }
        if let Some(unfenced) = goals::unfenced(&self.plan.possible.faults, summary.came_too_late) {
            findings.add("frozen workers come too late", unfenced);
        }
        // How fast a debug build is says nothing.
        if !cfg!(debug_assertions)
            && let Some(late) = goals::late(&summary.recoveries, self.plan.store.recovery_goal())
        {
            findings.add("killed servers are back in time", late);
        }
    }

    /// From before the first fault until everything is healed, and then on to the end.
    fn follow_feed(&self) -> (JoinHandle<Result<Followed>>, CancellationToken) {
        let WorkloadPlan { nodes, tenant, api_key, seed, .. } = self.workload_plan();
        let (path, stop) = (self.folder.file(FEED), CancellationToken::new());
        let token = stop.clone();
        (tokio::spawn(async move { workload::follow(nodes, tenant, api_key, seed, &path, token).await }), stop)
    }

    fn workload_plan(&self) -> WorkloadPlan {
        WorkloadPlan {
            seed: self.plan.seed,
            clients: self.plan.clients,
            nodes: self.stage.servers().map(Node::url).collect(),
            tenant: TENANT.to_owned(),
            api_key: self.stage.api_key.clone(),
            stranger_key: Some(self.stage.stranger_key().to_owned()),
            charges: true,
        }
    }

    /// Clients ask and faults come, until the faults are over.
    async fn harm(&self, progress: &mut Progress) -> Result<WorkloadEnd> {
        let looking = self.look_after_nodes();
        let seed = usize::try_from(self.plan.seed).unwrap_or(usize::MAX);
        self.provider.set_random_faults(&provider_faults(seed));
        let (counts, stop) = (Arc::new(Counts::default()), CancellationToken::new());
        let clients =
            workload::run(self.workload_plan(), Arc::clone(&self.recorder), Arc::clone(&counts), stop.clone());
        let crowds = try_join_all(self.crowds.iter().map(|crowd| crowd.ask(Arc::clone(&counts), stop.clone())));
        let all = Arc::clone(&counts);
        let mut clients = tokio::spawn(async move {
            tokio::try_join!(clients, crowds)?;
            anyhow::Ok(all.end())
        });
        let nemesis = NemesisPlan {
            seed: self.plan.seed,
            faults: self.plan.possible.faults.clone(),
            duration: self.plan.duration,
        };
        let harm = torment(Arc::clone(&self.stage), nemesis, Arc::clone(&self.ledger), self.interrupted.clone());
        let harm = async {
            harm.await?;
            self.ask_enough(&counts).await;
            anyhow::Ok(())
        };
        let mut harm = std::pin::pin!(harm);
        let mut shown = tokio::time::interval(SHOW_PAUSE);
        loop {
            tokio::select! {
                done = &mut harm => {
                    done?;
                    break;
                }
                ended = &mut clients => {
                    ended.context("the clients panicked")??;
                    anyhow::bail!("the clients stopped asking before they were told to");
                }
                _ = shown.tick() => progress.show(counts.total(), &self.ledger.summary()),
            }
        }
        stop.cancel();
        let ended = timeout(CLIENTS_END_WITHIN, clients).await.context("clients do not end")?;
        looking.abort();
        self.recorder.flush()?;
        ended.context("the clients panicked")?
    }

    /// A run is asked for with a least number of requests, too.
    async fn ask_enough(&self, counts: &Counts) {
        let enough = async {
            while counts.total().heard() < self.plan.operations {
                sleep(SHOW_PAUSE).await;
            }
        };
        tokio::select! {
            reached = timeout(self.plan.duration, enough) => if reached.is_err() {
                let detail = format!("{} of {}", counts.total().heard(), self.plan.operations);
                self.ledger.find("as many requests are made as asked for", detail);
            },
            () = self.interrupted.cancelled() => {}
        }
    }

    fn calm_provider(&self) {
        self.provider.set_random_faults(&RandomFaults::of_all(0, 0));
        self.provider.release();
    }

    /// Compares what is there with the history. A server that does not tell what is there is found guilty of that, and of
    /// what the history says by itself.
    async fn judge(&self, healed: Instant, followed: &Followed, findings: &mut Findings) -> Result<Checked> {
        let history = history::read(&self.folder.file(HISTORY))?;
        let final_state = match self.collect(&history, healed, followed).await {
            Ok(final_state) => Some(final_state),
            Err(error) => {
                findings.add("a healed server tells what is there", format!("{error:#}"));
                None
            }
        };
        let judge = move || match final_state {
            Some(final_state) => {
                let verdict = auditor::judge(&history, &final_state);
                let too_little = verdict.too_little(&final_state);
                (verdict, too_little)
            }
            None => (auditor::judge_alone(&history), Vec::new()),
        };
        let (verdict, too_little) = tokio::task::spawn_blocking(judge).await?;
        findings.add_verdict(&verdict);
        if self.expects_much() {
            for Violation { rule, detail } in too_little {
                findings.add(rule, detail);
            }
        }
        Ok(verdict.checked)
    }

    /// Reads what is there, and keeps it beside the history.
    async fn collect(&self, history: &[Entry], healed: Instant, followed: &Followed) -> Result<FinalState> {
        let node = self.workload_plan().nodes.into_iter().next().context("there is no server")?;
        let collect = CollectPlan {
            node,
            tenant: TENANT.to_owned(),
            api_key: self.stage.api_key.clone(),
            feed_path: Some(self.folder.file(FEED)),
        };
        let mut final_state = auditor::collect_healed(&collect, history, healed).await?;
        final_state.live_until.clone_from(&followed.end);
        final_state.began_at = Some(self.recorder.began_at()?);
        if !self.stage.is_clock_left_alone() {
            let faults = std::fs::read_to_string(self.folder.file(FAULTS)).context("cannot read the faults")?;
            final_state.clock_offsets = Some(clock_offsets(&faults)?);
        }
        final_state.owner_holds_max = Some(workload::OWNER_HOLDS_MAX);
        final_state.charges = Some(charges_seen(&self.provider.report()));
        let text = serde_json::to_vec(&final_state).context("cannot write down what is there")?;
        std::fs::write(self.folder.file("final.json"), text).context("cannot write down what is there")?;
        Ok(final_state)
    }

    /// By the program's own means, on the store itself.
    async fn audit(&self, findings: &mut Findings, notes: &mut Vec<String>) -> Result<()> {
        let output = self.stage.run(&["audit"]).await?;
        let said = |bytes: &[u8]| String::from_utf8_lossy(bytes).chars().take(SAID_CHARS_MAX).collect::<String>();
        match output.status.code() {
            Some(0) => notes.push("`surehold audit` found nothing".to_owned()),
            Some(1) => findings.add("`surehold audit` finds nothing", said(&output.stdout)),
            _ => findings.add("`surehold audit` can look", said(&output.stderr)),
        }
        Ok(())
    }

    fn finish(&self, outcome: &Outcome) -> Result<bool> {
        let found = outcome.findings.total();
        self.folder.mark(Left::Violations(found))?;
        let page = page::page(&self.plan, outcome);
        std::fs::write(self.folder.file("report.md"), &page).context("cannot write the report")?;
        page::print(&page)?;
        Ok(found == 0)
    }
}

/// Every fault there is; and as often the provider only takes its time, so that there are calls to be disturbed in.
fn provider_faults(seed: usize) -> RandomFaults {
    let mut faults = ProviderFault::ALL.to_vec();
    let slow = PROVIDER_SLOW_MILLIS.map(|delay_millis| ProviderFault::Late { delay_millis });
    faults.extend(slow.iter().cycle().take(faults.len()));
    RandomFaults { seed, percent: PROVIDER_FAULT_PERCENT, faults }
}
