//! Eight clerks move the same few products of two stores, in any order and at once: a real server that is killed ten
//! times. In the end every document was posted once or never, what is there is what came less what went, and not a
//! millionth of what it cost is lost.
//!
//! The clerks are those of torture, and so is their auditor; what sums come to is reckoned here, from the documents alone.

use std::collections::BTreeMap;
use std::process::Command;
use std::sync::Arc;
use std::time::{Duration, Instant};

use surehold_lab::torture::auditor::CollectPlan;
use surehold_lab::torture::book::{self, Book};
use surehold_lab::torture::crowd::CrowdPlan;
use surehold_lab::torture::stock::{
    Card, ClerkAsk, ClerkEntry, Paper, RowSeen, StockState, collect_stock, judge_stock, open_stores, run_clerks,
};
use surehold_lab::torture::workload::Counts;
use surehold_testkit::fixture::StoreKind;
use surehold_testkit::on_each_store;
use surehold_testkit::ports::LastingPort;
use tokio::time::sleep;
use tokio_util::sync::CancellationToken;
use uuid::Uuid;

use surehold_testkit::live::{Live, Place};

use crate::{place_on, text};

const CLERKS: usize = 8;
const KILLS: usize = 10;
/// A server is killed after so many things that clerks got done.
const DEEDS_PER_KILL: u64 = 60;
const SEED: u64 = 20_261;
const PAUSE: Duration = Duration::from_millis(20);
/// Far beyond what so many deeds take.
const PATIENCE: Duration = Duration::from_mins(3);

on_each_store! { trade }

async fn trade(store: StoreKind) {
    let folder = tempfile::tempdir().unwrap();
    let mut place = place_on(store, folder.path()).await;
    let port = LastingPort::take().unwrap();
    place.port = port.number();
    // Whoever is killed has lost its work three seconds later.
    for setting in ["worker.beat_secs=1", "worker.silent_secs=3"] {
        place.args.extend(["--set".to_owned(), setting.to_owned()]);
    }
    let live = place.serve();
    let plan = CrowdPlan {
        seed: SEED,
        people: CLERKS,
        nodes: vec![live.address.clone()],
        tenant: "casa".to_owned(),
        api_key: live.casa_key(),
    };
    let written = folder.path().join("clerks.jsonl");
    let book = Arc::new(Book::create(&written, Instant::now()).unwrap());
    open_stores(&plan, &book).await.unwrap();
    let (counts, stop) = (Arc::new(Counts::default()), CancellationToken::new());
    let clerks = tokio::spawn(run_clerks(plan.clone(), Arc::clone(&book), Arc::clone(&counts), stop.clone()));
    let live = kill_again_and_again(&place, live, &counts).await;
    stop.cancel();
    clerks.await.unwrap().unwrap();

    let history: Vec<ClerkEntry> = book::read(&written).unwrap();
    let collect =
        CollectPlan { node: live.address.clone(), tenant: plan.tenant, api_key: plan.api_key, feed_path: None };
    let state = collect_stock(&collect, &history, Instant::now()).await.unwrap();
    check(&history, &state);
    audit(&place, live);
}

async fn kill_again_and_again(place: &Place, mut live: Live, counts: &Counts) -> Live {
    for kill in 1..=KILLS {
        let (enough, until) = (counts.total().useful + DEEDS_PER_KILL, Instant::now() + PATIENCE);
        while counts.total().useful < enough {
            assert!(Instant::now() < until, "nothing goes on before kill {kill}: {:?}", counts.end());
            sleep(PAUSE).await;
        }
        live.signal("KILL");
        live = tokio::task::block_in_place(|| {
            live.ended();
            place.serve()
        });
    }
    live
}

fn check(history: &[ClerkEntry], state: &StockState) {
    let (verdict, checked) = judge_stock(history, state);
    assert!(verdict.is_clean(), "{:#?}", verdict.violations);
    let never: Vec<&str> = checked.never().collect();
    assert_eq!(never, [""; 0], "{checked:?}");
    check_quantities(history, state);
    check_values(history, state);
}

/// What was asked for and is posted, with its paper.
fn papers<'a>(history: &'a [ClerkEntry], state: &StockState) -> Vec<&'a Paper> {
    let mut papers = BTreeMap::new();
    for entry in history {
        if let ClerkAsk::Document { document, paper } | ClerkAsk::SellHold { document, paper, .. } = &entry.ask {
            papers.insert(*document, paper);
        }
    }
    let is_posted = |id: &Uuid| state.documents.get(id).is_some_and(Option::is_some);
    papers.into_iter().filter(|(id, _)| is_posted(id)).map(|(_, paper)| paper).collect()
}

/// By product, in both stores and on the way: what came less what went. Counts are taken from what they moved.
fn check_quantities(history: &[ClerkEntry], state: &StockState) {
    let mut expected: BTreeMap<String, i64> = BTreeMap::new();
    for document in state.documents.values().flatten().filter(|document| document.state == "posted") {
        // What was reversed is left out with its reversal.
        if ["transfer", "receipt", "reversal"].contains(&document.kind.as_str()) {
            continue;
        }
        for line in &document.lines {
            let (Some(product), Some(outcome)) = (&line.product, &line.outcome) else { continue };
            *expected.entry(product.clone()).or_insert(0) += outcome.quantity;
        }
    }
    let mut there: BTreeMap<String, i64> = BTreeMap::new();
    for card in &state.cards {
        *there.entry(card.item.product.clone()).or_insert(0) += card.item.quantity;
    }
    assert_eq!(there, expected);
    assert!(papers(history, state).len() > 200, "enough came of it");
}

/// Everything that purchases cost is in what is there or in what left: no millionth more, and none less.
fn check_values(history: &[ClerkEntry], state: &StockState) {
    let paid = |kinds: &[&str]| -> i64 {
        let of = papers(history, state).into_iter().filter(|paper| kinds.contains(&paper.kind.as_str()));
        of.map(|paper| {
            let lines: i64 = paper.lines.iter().filter_map(|line| line.amount).sum();
            (lines + paper.extra.unwrap_or(0)) * 1_000_000
        })
        .sum()
    };
    let long = long_documents(history);
    let is_short = |row: &&RowSeen| !long.contains(&row.document);
    let rows = || state.cards.iter().flat_map(|card: &Card| &card.by_effect);
    let sum = |kinds: &[&str]| -> i64 {
        rows().filter(|row| kinds.contains(&row.kind.as_str())).filter(is_short).map(|row| micros(&row.value)).sum()
    };
    assert_eq!(sum(&["purchase", "opening"]), paid(&["purchase", "opening"]), "what came cost what was paid");
    assert_eq!(sum(&["transfer", "receipt"]), 0, "what moves from store to store is worth the same in both");
    let all: i64 = rows().map(|row| micros(&row.value)).sum();
    let items: i64 = state.cards.iter().map(|card| micros(&card.item.value)).sum();
    assert_eq!(all, items);
}

fn long_documents(history: &[ClerkEntry]) -> Vec<Uuid> {
    let is_draft = |entry: &&ClerkEntry| matches!(entry.ask, ClerkAsk::Draft { .. });
    history.iter().filter(is_draft).filter_map(|entry| entry.ask.document()).collect()
}

fn micros(decimal: &str) -> i64 {
    let (whole, rest) = decimal.split_once('.').unwrap_or((decimal, ""));
    format!("{whole}{rest:0<6}").parse().unwrap()
}

/// Ends the server, and looks at everything that is stored.
fn audit(place: &Place, live: Live) {
    live.signal("TERM");
    let ended = tokio::task::block_in_place(|| live.ended());
    assert!(ended.success(), "{}", place.log());
    let mut audit = Command::new(crate::PROGRAM);
    audit.args(["audit", "--data"]).arg(&place.data);
    if let Some(url) = &place.store {
        audit.args(["--store", url]);
    }
    let said = audit.output().unwrap();
    assert!(said.status.success(), "{}{}", text(&said.stdout), text(&said.stderr));
    assert!(!place.log().contains("ERROR"), "{}", place.log());
}
