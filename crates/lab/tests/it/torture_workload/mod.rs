//! The clients of `surehold-lab torture` against real servers: what they write down is a history, and much comes of it.

mod nodes;

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, Instant};

use surehold_lab::torture::history::{Answer, Ask, Entry, EventSeen, Kind, Recorder, read};
use surehold_lab::torture::workload::{Counts, FUNCTIONS, WorkloadEnd, WorkloadPlan, follow, prepare, run};
use tokio_util::sync::CancellationToken;
use uuid::Uuid;

use nodes::Nodes;

/// Far beyond anything a test waits for.
const PATIENCE: Duration = Duration::from_mins(2);

async fn until(what: &str, done: impl AsyncFn() -> bool) {
    let begun_at = Instant::now();
    while !done().await {
        assert!(begun_at.elapsed() < PATIENCE, "{what}: never");
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
}

/// Every completion has its invocation, a process asks one thing at a time, and none is heard of after `info`.
fn assert_well_formed(history: &[Entry]) {
    let mut open: BTreeMap<u64, &Entry> = BTreeMap::new();
    let mut gone = BTreeSet::new();
    for (index, entry) in (0..).zip(history) {
        assert_eq!(entry.index, index);
        assert!(!gone.contains(&entry.process), "{entry:?} comes after its info");
        if entry.kind == Kind::Invoke {
            assert!(open.insert(entry.process, entry).is_none(), "{entry:?} is asked before the answer");
            assert_eq!((&entry.answer, &entry.error), (&None, &None));
            continue;
        }
        let invoked = open.remove(&entry.process).unwrap_or_else(|| panic!("{entry:?} was never asked"));
        assert_eq!(
            (&invoked.ask, &invoked.key, invoked.batch, invoked.node),
            (&entry.ask, &entry.key, entry.batch, entry.node)
        );
        assert!(invoked.time <= entry.time);
        assert_eq!(entry.answer.is_some(), entry.kind == Kind::Ok, "{entry:?}");
        assert_eq!(entry.error.is_none(), entry.kind == Kind::Ok, "{entry:?}");
        if entry.kind == Kind::Info {
            gone.insert(entry.process);
        }
    }
    assert!(open.is_empty(), "never answered: {open:?}");
}

/// What happened was asked, what is asked is of the kind that is meant, and answers name the pools that changed.
fn assert_varied(history: &[Entry], end: &WorkloadEnd) {
    for function in FUNCTIONS.names {
        assert!(end.by_function[function].useful > 0, "{function} never worked: {:?}", end.by_function);
    }
    let has = |function: &str, kind: Kind, error: Option<&str>| {
        history.iter().any(|entry| {
            let written = serde_json::to_value(&entry.ask).unwrap();
            written["f"] == function && entry.kind == kind && (error.is_none() || entry.error.as_deref() == error)
        })
    };
    for function in ["extend", "convert", "cancel"] {
        assert!(has(function, Kind::Ok, None) && has(function, Kind::Fail, Some("hold-ended")), "{function}");
    }
    assert_raced(history);
    assert_versions_named(history);
    for code in ["sold-out", "owner-holds-limit", "idempotency-key-reused", "hold-id-reused"] {
        assert!(end.fails.contains_key(code), "{code} never came: {:?}", end.fails);
    }
    let clumsy = ["invalid", "malformed-json", "malformed-request", "idempotency-key-missing", "scope-missing"];
    let clumsy: Vec<_> = clumsy.iter().filter(|code| end.fails.contains_key(**code)).collect();
    assert!(clumsy.is_empty(), "{clumsy:?}");
    let seen = |entry: &Entry| match &entry.answer {
        Some(Answer::Hold { hold, .. }) => Some(hold.clone()),
        Some(Answer::Pool { .. } | Answer::Absent | Answer::Task { .. }) | None => None,
    };
    for entry in history {
        let unnamed = seen(entry).is_some_and(|hold| hold.pool_versions.keys().any(|name| name.starts_with('?')));
        assert!(!unnamed, "{entry:?}");
    }
    let batches: BTreeMap<u64, usize> =
        history.iter().filter(|entry| entry.kind == Kind::Invoke).fold(BTreeMap::new(), |mut batches, entry| {
            if let Some(batch) = entry.batch {
                *batches.entry(batch).or_default() += 1;
            }
            batches
        });
    assert!(batches.len() > 3 && batches.values().all(|count| (2..=20).contains(count)), "{batches:?}");
}

/// A version of a pool is made once, by one command; so a version under a wrong name shows.
fn assert_versions_named(history: &[Entry]) {
    let mut made_by: BTreeMap<(String, i64), &Entry> = BTreeMap::new();
    for entry in history {
        let versions = match &entry.answer {
            Some(Answer::Hold { hold, replayed: false }) => hold.pool_versions.clone(),
            Some(Answer::Pool { pool, replayed: false }) if !matches!(entry.ask, Ask::ReadPool { .. }) => {
                BTreeMap::from([(pool.name.clone(), pool.version)])
            }
            Some(Answer::Hold { .. } | Answer::Pool { .. } | Answer::Absent | Answer::Task { .. }) | None => continue,
        };
        for version in versions {
            let other = made_by.insert(version.clone(), entry);
            assert!(other.is_none(), "{version:?} was made twice: {other:?} {entry:?}");
        }
    }
    assert!(made_by.len() > 1_000, "{}", made_by.len());
}

/// Asks about the end of a hold, with the place of the invocation and of the answer.
fn fights(history: &[Entry]) -> BTreeMap<Uuid, Vec<(usize, usize, &Entry)>> {
    let (mut invoked, mut fights) = (BTreeMap::new(), BTreeMap::<_, Vec<_>>::new());
    for (index, entry) in history.iter().enumerate() {
        if let Ask::Convert { hold, .. } | Ask::Cancel { hold } | Ask::Extend { hold, .. } = &entry.ask {
            match entry.kind {
                Kind::Invoke => drop(invoked.insert(entry.process, index)),
                Kind::Ok | Kind::Fail | Kind::Info => {
                    fights.entry(*hold).or_default().push((invoked[&entry.process], index, entry));
                }
            }
        }
    }
    fights
}

/// Where two ask at once, either can win; and time wins too.
fn assert_raced(history: &[Entry]) {
    let (mut converted_first, mut cancelled_first, mut expired_first) = (0, 0, 0);
    for fight in fights(history).values() {
        let won = |(_, _, entry): &&(usize, usize, &Entry)| entry.kind == Kind::Ok;
        let late = |(_, _, entry): &&(usize, usize, &Entry)| entry.error.as_deref() == Some("hold-ended");
        let is_end = |(_, _, entry): &(usize, usize, &Entry)| !matches!(entry.ask, Ask::Extend { .. });
        let winner = fight.iter().filter(won).find(|ask| is_end(ask));
        for (asked, told, _) in fight.iter().filter(late) {
            match winner {
                Some((won_asked, won_told, won)) if asked < won_told && won_asked < told => {
                    let converted = matches!(won.ask, Ask::Convert { .. });
                    *if converted { &mut converted_first } else { &mut cancelled_first } += 1;
                }
                Some(_) => {}
                None => expired_first += 1,
            }
        }
    }
    let races = (converted_first, cancelled_first, expired_first);
    assert!(converted_first > 0 && cancelled_first > 0 && expired_first > 0, "{races:?}");
}

/// Whatever was left without an answer was asked again by another process, unless the run was at its end. Strangers ask
/// once: what they are told does not matter to them.
fn assert_repeated(history: &[Entry]) {
    let lost: Vec<&Entry> = history.iter().filter(|entry| entry.kind == Kind::Info && !entry.stranger).collect();
    assert!(lost.len() > 3, "answers were lost: {}", lost.len());
    for info in &lost {
        let last_words = info.error.as_deref().is_some_and(|error| error.contains("run ended"));
        let mut later = history[usize::try_from(info.index).unwrap()..].iter();
        let again = later.any(|entry| {
            entry.kind == Kind::Invoke
                && entry.process != info.process
                && (&entry.ask, &entry.key) == (&info.ask, &info.key)
        });
        let near_the_end = history.len() - usize::try_from(info.index).unwrap() < 200;
        assert!(again || last_words || near_the_end, "{info:?} was not repeated");
    }
}

fn feed(path: &Path) -> Vec<EventSeen> {
    let text = std::fs::read_to_string(path).unwrap();
    // The last line may be on its way.
    let whole = text.rsplit_once('\n').map_or("", |(whole, _)| whole);
    whole.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

/// As the pages of the feed tell it.
async fn pages(plan: &WorkloadPlan) -> Vec<String> {
    let http = reqwest::Client::builder().no_proxy().build().unwrap();
    let (mut cursors, mut after) = (Vec::new(), "0-0".to_owned());
    loop {
        let address = format!("{}/v1/{}/events?limit=1000&after={after}", plan.nodes[0], plan.tenant);
        let page: serde_json::Value =
            http.get(address).bearer_auth(&plan.api_key).send().await.unwrap().json().await.unwrap();
        let events = page["events"].as_array().unwrap();
        cursors.extend(events.iter().map(|event| event["cursor"].as_str().unwrap().to_owned()));
        page["next"].as_str().unwrap().clone_into(&mut after);
        if page["more"] == false {
            return cursors;
        }
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn much_comes_of_it_and_all_of_it_is_written_down() {
    let mut nodes = Nodes::start(1, 16).await;
    let folder = tempfile::tempdir().unwrap();
    let (path, feed_path) = (folder.path().join("history.jsonl"), folder.path().join("feed.jsonl"));
    let recorder = Arc::new(Recorder::create(&path).unwrap());
    let (counts, stop) = (Arc::new(Counts::default()), CancellationToken::new());
    prepare(&nodes.plan, &recorder).await.unwrap();
    let following = tokio::spawn({
        let (plan, stop, feed_path) = (nodes.plan.clone(), stop.clone(), feed_path.clone());
        async move { follow(plan.nodes, plan.tenant, plan.api_key, plan.seed, &feed_path, stop).await }
    });
    let running = tokio::spawn(run(nodes.plan.clone(), recorder, Arc::clone(&counts), stop.child_token()));
    let asked = async |count: u64| until("asked", async || counts.total().asked() >= count).await;
    asked(1_500).await;
    let away = async { until("turned away", async || counts.total().turned_away > 20).await };
    nodes.restart(away).await;
    let began = (Instant::now(), counts.total().asked());
    asked(5_000).await;
    let (took, count) = (began.0.elapsed(), counts.total().asked() - began.1);
    until("everything tried", async || counts.by_function().values().all(|tally| tally.useful > 0)).await;
    let codes = ["idempotency-key-reused", "hold-id-reused"];
    until("misused", async || codes.iter().all(|code| counts.fails().contains_key(*code))).await;
    stop.cancel();
    let end = running.await.unwrap().unwrap();
    let followed = following.await.unwrap().unwrap();
    println!("{count} asked in {took:?}; {}% useful; {end:#?}", end.changes().useful_percent());

    let history = read(&path).unwrap();
    assert_well_formed(&history);
    assert_varied(&history, &end);
    assert_repeated(&history);
    assert_eq!(end.shortcomings(), Vec::<String>::new(), "{end:#?}");
    // Strangers are in the history and in no count.
    let asked = history.iter().filter(|entry| entry.kind == Kind::Invoke && !entry.stranger).count();
    let prepared = history.iter().take_while(|entry| matches!(entry.ask, Ask::PutPool { .. })).count() / 2;
    assert_eq!(u64::try_from(asked - prepared).unwrap(), end.total().asked());

    let events = feed(&feed_path);
    assert!(events.iter().any(|event| event.body["type"] == "hold_expired"), "some expire");
    let told: Vec<String> = events.into_iter().map(|event| event.cursor).collect();
    let kept = pages(&nodes.plan).await;
    assert!(told.len() > 1_000 && kept.starts_with(&told), "the feed in order, without gaps: {}", told.len());
    assert!(followed.caught_up && told.last() == Some(&followed.told), "{followed:?}");
    let end = kept.iter().position(|cursor| Some(cursor) == followed.end.as_ref());
    assert_eq!(end, Some(told.len() - 1), "it stops where the feed ended: {followed:?}");
}

/// The world is as large as its clients need.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn few_and_many_clients() {
    for clients in [2, 48] {
        let nodes = Nodes::start(3, clients).await;
        let folder = tempfile::tempdir().unwrap();
        let recorder = Arc::new(Recorder::create(&folder.path().join("history.jsonl")).unwrap());
        prepare(&nodes.plan, &recorder).await.unwrap();
        let (counts, stop) = (Arc::new(Counts::default()), CancellationToken::new());
        let running = tokio::spawn(run(nodes.plan.clone(), recorder, Arc::clone(&counts), stop.clone()));
        until("asked", async || counts.total().asked() > 1_500).await;
        stop.cancel();
        let end = running.await.unwrap().unwrap();
        println!("{clients} clients: {}% useful, {:?}", end.changes().useful_percent(), end.fails);
        assert_eq!(end.shortcomings(), Vec::<String>::new(), "{clients} clients: {end:#?}");
    }
}

/// What each client asks first, without the ids.
async fn first_asks(seed: u64) -> Vec<Vec<String>> {
    const CLIENTS: usize = 4;
    let nodes = Nodes::start(seed, CLIENTS).await;
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("history.jsonl");
    let recorder = Arc::new(Recorder::create(&path).unwrap());
    prepare(&nodes.plan, &recorder).await.unwrap();
    let first = recorder.new_process() + 1;
    let (counts, stop) = (Arc::new(Counts::default()), CancellationToken::new());
    let running = tokio::spawn(run(nodes.plan.clone(), recorder, Arc::clone(&counts), stop.clone()));
    until("asked", async || counts.total().asked() > 100).await;
    stop.cancel();
    running.await.unwrap().unwrap();
    let history = read(&path).unwrap();
    let clients = first..first + u64::try_from(CLIENTS).unwrap();
    let asks = |client: u64| {
        let own = history.iter().filter(move |entry| entry.process == client && entry.kind == Kind::Invoke);
        own.take(2).map(|entry| match &entry.ask {
            Ask::Place { lines, lifetime_secs, owner, .. } => format!("{lines:?} {lifetime_secs:?} {owner:?}"),
            other => panic!("{other:?} depends on what is there"),
        })
    };
    clients.map(|client| asks(client).collect()).collect()
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_same_seed_asks_the_same() {
    let (one, same, other) = (first_asks(7).await, first_asks(7).await, first_asks(8).await);
    assert_eq!(one, same);
    assert_ne!(one, other);
    assert!(one.iter().all(|asks| asks.len() == 2), "{one:?}");
}
