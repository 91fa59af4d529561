//! What an operator reads: the same on every store, in pages that join, and one line of time.

use surehold_core::kernel::{Event, TenantId};
use surehold_core::operations::commands::{
    CancelOperation, EffectOutcome, HastenOperation, RaiseEpoch, RedriveOperation, SettleEffect, Verdict,
};
use surehold_core::operations::{
    Actor, AssignCase, AttemptOutcome, CaseKey, CaseState, Correlation, EffectState, OperationKey, OperationState,
    OperationsEvent, Reason, ResolveCase, Trouble, TypeName,
};
use surehold_engine::{OperationBrief, RunState, TIMELINE_OPERATIONS_MAX, TimelineEntry, TimelineFact};
use surehold_testkit::fixture::Fixture;
use surehold_testkit::operations::{ByHand, COUNT_SHEEP, SEND_MONEY};

use super::World;

fn by_hand(world: &World<'_>) -> ByHand {
    ByHand { engine: world.engine.clone(), tenant: world.tenant }
}

fn ana() -> Actor {
    Actor::new("ana").unwrap()
}

fn why() -> Reason {
    Reason::new("asked by the customer").unwrap()
}

fn later() -> Trouble {
    Trouble::retry("timeout", "the pasture did not answer")
}

fn never() -> Trouble {
    Trouble::permanent("no-flock", "there is no such flock")
}

fn keys(found: &[OperationBrief]) -> Vec<&str> {
    found.iter().map(|operation| operation.key.key.as_str()).collect()
}

pub(crate) async fn one_operation_in_every_state(fixture: Fixture) {
    let world = World::open(&fixture).await;
    let hand = by_hand(&world);
    let views = world.engine.views();
    let see = async |key: &OperationKey| views.operation(world.tenant, key).await.unwrap().unwrap();

    let sheep = hand.ask_sheep("a:b%", &["farm=1", "day=2"]).await.unwrap();
    assert_eq!(sheep.key.as_str(), "a%3Ab%25");
    let pending = see(&sheep).await;
    assert_eq!(pending.state(), OperationState::Pending);
    assert_eq!(pending.operation.correlations.len(), 2);
    assert!(pending.dead_letter.is_none() && pending.attempts.is_empty() && pending.effects.is_empty());

    hand.fail(&sheep, later()).await.unwrap();
    let failed = see(&sheep).await;
    assert_eq!(failed.state(), OperationState::Failed);
    assert_eq!(failed.run.as_ref().unwrap().last_error.as_deref(), Some("the pasture did not answer"));
    assert_eq!(failed.attempts[0].outcome, AttemptOutcome::Failed);

    let hasten = HastenOperation { key: sheep.clone(), actor: ana(), reason: why() };
    world.engine.run(world.tenant, hasten).await.unwrap();
    hand.run_state(&sheep).await.unwrap();
    let done = see(&sheep).await;
    assert_eq!((done.state(), done.run.as_ref()), (OperationState::Succeeded, None));
    assert_eq!(done.operation.result.as_ref().unwrap().as_str(), r#"{"sheep":7}"#);
    let history: Vec<_> = done.attempts.iter().map(|attempt| (attempt.key.number, attempt.outcome)).collect();
    assert_eq!(history, [(1, AttemptOutcome::Failed), (2, AttemptOutcome::Hastened)]);

    let money = hand.ask_money("p1", &[]).await.unwrap();
    let call = hand.start(&money).await.unwrap();
    let running = see(&money).await;
    assert_eq!(running.state(), OperationState::Running);
    assert_eq!(running.effects[0].state, EffectState::Intent);
    let lost = EffectOutcome::Undecidable { error: "the bank does not say".into() };
    hand.finish(call, lost).await.unwrap();
    let dead = see(&money).await;
    assert_eq!(dead.state(), OperationState::DeadLetter);
    assert_eq!(dead.dead_letter.as_ref().unwrap().code, "effect-unknown");
    assert_eq!(dead.effects[0].state, EffectState::Unknown);

    let redrive = RedriveOperation { key: money.clone(), kind: &SEND_MONEY, actor: ana(), reason: why() };
    world.engine.run(world.tenant, redrive).await.unwrap();
    let again = see(&money).await;
    assert_eq!((again.state(), again.operation.generation), (OperationState::Pending, 2));
    assert!(again.dead_letter.unwrap().resolved_at.is_some(), "the letter stays");

    let neighbour = world.neighbour(2).await;
    assert_eq!(views.operation(neighbour.tenant, &sheep).await.unwrap(), None);
    let unknown = COUNT_SHEEP.key(&["none"]).unwrap();
    assert_eq!(views.operation(world.tenant, &unknown).await.unwrap(), None);
}

/// In the order of bytes, which is no language's.
const FLOCKS: [&str; 7] = ["A", "B a", "_", "a", "ab", "é", "羊"];

/// Every page of a list of runs.
async fn runs(world: &World<'_>, state: RunState, kind: Option<&TypeName>, rows: u16) -> Vec<OperationKey> {
    let mut seen: Vec<OperationKey> = Vec::new();
    let mut after: Option<OperationKey> = None;
    loop {
        let page = world.engine.views().operation_runs(world.tenant, state, kind, after.as_ref(), rows).await.unwrap();
        assert!(page.operations.len() <= usize::from(rows));
        seen.extend(page.operations.into_iter().map(|operation| operation.key));
        match page.next {
            Some(next) => after = Some(next),
            None => return seen,
        }
    }
}

pub(crate) async fn runs_in_pages(fixture: Fixture) {
    let world = World::open(&fixture).await;
    let hand = by_hand(&world);
    let neighbour = by_hand(&world.neighbour(2).await);
    let (mut pending, mut failed, mut running) = (Vec::new(), Vec::new(), Vec::new());
    for flock in FLOCKS {
        neighbour.ask_sheep(flock, &[]).await.unwrap();
        pending.push(hand.ask_sheep(flock, &[]).await.unwrap());
        let other = hand.ask_sheep(&format!("{flock}!"), &[]).await.unwrap();
        hand.fail(&other, later()).await.unwrap();
        failed.push(other);
        let money = hand.ask_money(flock, &[]).await.unwrap();
        hand.start(&money).await.unwrap();
        running.push(money);
        hand.run_state(&hand.ask_sheep(&format!("{flock}~"), &[]).await.unwrap()).await.unwrap();
    }
    for list in [&mut pending, &mut failed, &mut running] {
        list.sort();
    }
    let (sheep, money) = (COUNT_SHEEP.type_name(), SEND_MONEY.type_name());
    for rows in [1, 2, 3, 7, 100] {
        assert_eq!(runs(&world, RunState::Pending, None, rows).await, pending, "by {rows}");
        assert_eq!(runs(&world, RunState::Failed, None, rows).await, failed, "by {rows}");
        assert_eq!(runs(&world, RunState::Running, None, rows).await, running, "by {rows}");
        assert_eq!(runs(&world, RunState::Pending, Some(&sheep), rows).await, pending, "by {rows}");
        assert_eq!(runs(&world, RunState::Running, Some(&money), rows).await, running, "by {rows}");
        assert_eq!(runs(&world, RunState::Running, Some(&sheep), rows).await, [], "by {rows}");
    }
    let views = world.engine.views();
    let mut done: Vec<String> = Vec::new();
    loop {
        let after = done.last().map(|key| surehold_core::operations::DedupeKey::new(key).unwrap());
        let page = views.succeeded_operations(world.tenant, &sheep, after.as_ref(), 2).await.unwrap();
        assert!(page.iter().all(|found| found.state == OperationState::Succeeded && found.finished_at.is_some()));
        if page.is_empty() {
            break;
        }
        done.extend(keys(&page).into_iter().map(str::to_owned));
    }
    let mut expected = FLOCKS.map(|flock| format!("{flock}~"));
    expected.sort();
    assert_eq!(done, expected);
    assert_eq!(views.succeeded_operations(world.tenant, &money, None, 9).await.unwrap(), []);
}

pub(crate) async fn dead_letters_open_and_all(fixture: Fixture) {
    let world = World::open(&fixture).await;
    let hand = by_hand(&world);
    let views = world.engine.views();
    // Dead in another order than that of their keys.
    for flock in ["c", "a", "d", "b"] {
        let sheep = hand.ask_sheep(flock, &[]).await.unwrap();
        hand.fail(&sheep, never()).await.unwrap();
        fixture.advance_secs(1);
    }
    let money = hand.ask_money("m", &[]).await.unwrap();
    hand.lose(&money).await.unwrap();
    let open = async |kind: Option<&TypeName>, rows: u16| {
        let mut seen = Vec::new();
        let mut after = None;
        loop {
            let page = views.open_dead_letters(world.tenant, kind, after.as_ref(), rows).await.unwrap();
            let Some(last) = page.last() else { return seen };
            after = Some((last.dead_at, last.key.clone()));
            seen.extend(page.iter().map(|letter| letter.key.key.to_string()));
        }
    };
    let all = async |kind: Option<&TypeName>, rows: u16| {
        let mut seen = Vec::new();
        let mut after = None;
        loop {
            let page = views.dead_letters(world.tenant, kind, after.as_ref(), rows).await.unwrap();
            seen.extend(keys(&page.operations).into_iter().map(str::to_owned));
            match page.next {
                Some(next) => after = Some(next),
                None => return seen,
            }
        }
    };
    let cancel = |flock: &str| CancelOperation { key: COUNT_SHEEP.key(&[flock]).unwrap(), actor: ana(), reason: why() };
    world.engine.run(world.tenant, cancel("a")).await.unwrap();
    let key = COUNT_SHEEP.key(&["d"]).unwrap();
    let redrive = RedriveOperation { key, kind: &COUNT_SHEEP, actor: ana(), reason: why() };
    world.engine.run(world.tenant, redrive).await.unwrap();
    let (sheep, money) = (COUNT_SHEEP.type_name(), SEND_MONEY.type_name());
    for rows in [1, 2, 100] {
        assert_eq!(open(None, rows).await, ["c", "b", "m:1"], "by {rows}");
        assert_eq!(open(Some(&sheep), rows).await, ["c", "b"], "by {rows}");
        assert_eq!(open(Some(&money), rows).await, ["m:1"], "by {rows}");
        assert_eq!(all(None, rows).await, ["a", "b", "c", "m:1"], "by {rows}");
        assert_eq!(all(Some(&sheep), rows).await, ["a", "b", "c"], "by {rows}");
    }
}

pub(crate) async fn operations_of_a_correlation(fixture: Fixture) {
    let world = World::open(&fixture).await;
    let hand = by_hand(&world);
    let views = world.engine.views();
    let dead = hand.ask_sheep("dead", &["farm=1"]).await.unwrap();
    hand.fail(&dead, never()).await.unwrap();
    let failed = hand.ask_sheep("failed", &["farm=1", "farm=2"]).await.unwrap();
    hand.fail(&failed, later()).await.unwrap();
    let done = hand.ask_sheep("done", &["farm=1"]).await.unwrap();
    hand.run_state(&done).await.unwrap();
    let running = hand.ask_money("running", &["farm=1"]).await.unwrap();
    hand.start(&running).await.unwrap();
    hand.ask_sheep("elsewhere", &["farm=10"]).await.unwrap();
    by_hand(&world.neighbour(2).await).ask_sheep("other", &["farm=1"]).await.unwrap();
    let farm = Correlation::parse("farm=1").unwrap();
    let found = views.operations_of(world.tenant, &farm, None, 100).await.unwrap();
    let states: Vec<_> = found.iter().map(|found| (found.key.key.as_str(), found.state)).collect();
    let expected = [
        ("dead", OperationState::DeadLetter),
        ("done", OperationState::Succeeded),
        ("failed", OperationState::Failed),
        ("running:1", OperationState::Running),
    ];
    assert_eq!(states, expected);
    assert_eq!(found[0].dead_letter.as_ref().unwrap().code, "no-flock");
    assert_eq!(found[2].attempts, Some(1));
    let rest = views.operations_of(world.tenant, &farm, Some(&done), 1).await.unwrap();
    assert_eq!(keys(&rest), ["failed"]);
    let second = Correlation::parse("farm=2").unwrap();
    assert_eq!(keys(&views.operations_of(world.tenant, &second, None, 9).await.unwrap()), ["failed"]);
}

pub(crate) async fn cases_and_epochs(fixture: Fixture) {
    let world = World::open(&fixture).await;
    let hand = by_hand(&world);
    let views = world.engine.views();
    for payment in ["c", "a", "b"] {
        let money = hand.ask_money(payment, &["farm=1"]).await.unwrap();
        hand.lose(&money).await.unwrap();
        fixture.advance_secs(1);
    }
    let case = |payment: &str| CaseKey {
        kind: "effect-unknown".into(),
        key: SEND_MONEY.key(&[payment, "1"]).unwrap().to_string().into(),
    };
    let list = async |state: CaseState, rows: u16| {
        let mut seen = Vec::new();
        let mut after = None;
        loop {
            let page = views.cases(world.tenant, state, after.as_ref(), rows).await.unwrap();
            let Some(last) = page.last() else { return seen };
            after = Some((last.opened_at, last.key.clone()));
            seen.extend(page.into_iter().map(|case| case.key));
        }
    };
    for rows in [1, 2, 100] {
        assert_eq!(list(CaseState::Open, rows).await, ["c", "a", "b"].map(case), "by {rows}");
        assert_eq!(list(CaseState::Resolved, rows).await, [], "by {rows}");
    }
    world.engine.run(world.tenant, AssignCase { case: case("a"), to: ana() }).await.unwrap();
    let resolve = ResolveCase { case: case("a"), actor: ana(), reason: why() };
    world.engine.run(world.tenant, resolve).await.unwrap();
    assert_eq!(list(CaseState::Open, 1).await, ["c", "b"].map(case));
    let resolved = views.cases(world.tenant, CaseState::Resolved, None, 9).await.unwrap();
    assert_eq!((resolved.len(), resolved[0].assigned_to.clone()), (1, Some(ana())));
    assert_eq!(views.cases(TenantId(2), CaseState::Open, None, 9).await.unwrap(), []);

    assert_eq!(views.latest_epoch().await.unwrap(), None);
    for number in 1..=3 {
        let raise = RaiseEpoch { number, actor: ana(), reason: why() };
        world.engine.run(TenantId::DIRECTORY, raise).await.unwrap();
        assert_eq!(views.latest_epoch().await.unwrap().unwrap().number, number);
    }
}

pub(crate) async fn depths(fixture: Fixture) {
    let world = World::open(&fixture).await;
    assert_eq!(world.engine.views().operation_depths().await.unwrap(), []);
    // Counted over all tenants.
    for tenant in [1, 2] {
        let hand = by_hand(&world.neighbour(tenant).await);
        hand.ask_sheep("pending", &[]).await.unwrap();
        fixture.advance_secs(1);
        let failed = hand.ask_sheep("failed", &[]).await.unwrap();
        hand.fail(&failed, later()).await.unwrap();
        let cancelled = hand.ask_sheep("cancelled", &[]).await.unwrap();
        let cancel = CancelOperation { key: cancelled, actor: ana(), reason: why() };
        hand.engine.run(hand.tenant, cancel).await.unwrap();
        let dead = hand.ask_sheep("dead", &[]).await.unwrap();
        hand.fail(&dead, never()).await.unwrap();
        let running = hand.ask_money("running", &[]).await.unwrap();
        hand.start(&running).await.unwrap();
        let done = hand.ask_money("done", &[]).await.unwrap();
        hand.send(&done).await.unwrap();
    }
    let found = world.engine.views().operation_depths().await.unwrap();
    let counted: Vec<_> = found.iter().map(|depth| (depth.kind.as_str(), depth.state, depth.operations)).collect();
    let expected = [
        ("COUNT_SHEEP", OperationState::DeadLetter, 2),
        ("COUNT_SHEEP", OperationState::Failed, 2),
        ("COUNT_SHEEP", OperationState::Pending, 2),
        ("SEND_MONEY", OperationState::Running, 2),
    ];
    assert_eq!(counted, expected);
    assert!(found[2].oldest_at < found[1].oldest_at && found[1].oldest_at <= found[0].oldest_at, "{found:?}");
}

/// An entry in a word, for tables.
fn told(entry: &TimelineEntry) -> String {
    let what = match &entry.fact {
        TimelineFact::Asked => "asked".to_owned(),
        TimelineFact::Intended { step, .. } => format!("intended {step}"),
        TimelineFact::Settled { step, state, .. } => format!("settled {step} {state}"),
        TimelineFact::Attempted(attempt) => attempt.outcome.to_string(),
        TimelineFact::Event { event, .. } => match &**event {
            Event::Operations(OperationsEvent::Announced { topic, .. }) => topic.to_string(),
            Event::Operations(OperationsEvent::OperationSucceeded { .. }) => "event succeeded".to_owned(),
            Event::Operations(OperationsEvent::OperationDied { code, .. }) => format!("event died {code}"),
            Event::Operations(OperationsEvent::OperationRedriven { .. }) => "event redriven".to_owned(),
            Event::Operations(OperationsEvent::EffectSettled { .. }) => "event effect settled".to_owned(),
            Event::Operations(OperationsEvent::CaseOpened { case }) => format!("event {} opened", case.kind),
            Event::Operations(OperationsEvent::CaseResolved { case }) => format!("event {} resolved", case.kind),
            other => format!("{other:?}"),
        },
        TimelineFact::Finished { state } => format!("finished {state}"),
    };
    format!("{}: {what}", entry.operation.key)
}

pub(crate) async fn a_timeline(fixture: Fixture) {
    let world = World::open(&fixture).await;
    let hand = by_hand(&world);
    let money = hand.ask_money("p", &["purchaseId=1", "farm=1"]).await.unwrap();
    let call = hand.start(&money).await.unwrap();
    let lost = EffectOutcome::Undecidable { error: "the bank does not say".into() };
    // What others do meanwhile is not told.
    hand.run_state(&hand.ask_sheep("other", &["purchaseId=2"]).await.unwrap()).await.unwrap();
    hand.finish(call, lost).await.unwrap();
    let settle = SettleEffect {
        key: money.clone(),
        step: 0,
        verdict: Verdict::Happened { provider_ref: "tr_9".into() },
        actor: ana(),
        reason: why(),
    };
    world.engine.run(world.tenant, settle).await.unwrap();
    let redrive = RedriveOperation { key: money.clone(), kind: &SEND_MONEY, actor: ana(), reason: why() };
    world.engine.run(world.tenant, redrive).await.unwrap();
    hand.send(&money).await.unwrap();
    let sheep = hand.ask_sheep("s", &["purchaseId=1"]).await.unwrap();
    hand.fail(&sheep, later()).await.unwrap();
    fixture.advance_secs(600);
    hand.run_state(&sheep).await.unwrap();

    let purchase = Correlation::parse("purchaseId=1").unwrap();
    let timeline = world.engine.views().timeline(world.tenant, &purchase).await.unwrap();
    let lines: Vec<String> = timeline.entries.iter().map(told).collect();
    let expected = [
        "p:1: asked",
        "p:1: intended 0",
        "p:1: undecided",
        "p:1: event effect-unknown opened",
        "p:1: event died effect-unknown",
        "p:1: settled 0 CONFIRMED",
        "p:1: settled",
        "p:1: event effect settled",
        "p:1: event effect-unknown resolved",
        "p:1: redriven",
        "p:1: event redriven",
        "p:1: intended 1",
        "p:1: settled 1 CONFIRMED",
        "p:1: succeeded",
        "p:1: event succeeded",
        "s: asked",
        "s: failed",
        "s: sheep.counted",
        "s: sheep.asleep",
        "s: event succeeded",
    ];
    assert_eq!(lines, expected, "{:#?}", timeline.entries);
    assert!(!timeline.cut);
    assert_eq!(keys(&timeline.operations), ["s", "p:1"]);
    assert!(timeline.entries.is_sorted_by_key(|entry| entry.at));
    let nobody = Correlation::parse("purchaseId=9").unwrap();
    let nothing = world.engine.views().timeline(world.tenant, &nobody).await.unwrap();
    assert!(nothing.entries.is_empty() && !nothing.cut);
    let elsewhere = world.engine.views().timeline(TenantId(2), &purchase).await.unwrap();
    assert!(elsewhere.operations.is_empty());
}

pub(crate) async fn a_timeline_without_a_journal(fixture: Fixture) {
    use surehold_core::kernel::commands::TrimJournal;
    let world = World::open(&fixture).await;
    let hand = by_hand(&world);
    let sheep = hand.ask_sheep("s", &["purchaseId=1"]).await.unwrap();
    hand.run_state(&sheep).await.unwrap();
    let tail = world.engine.views().journal_tail(world.tenant).await.unwrap();
    world.engine.run(world.tenant, TrimJournal { before_seq: tail.newest_seq + 1 }).await.unwrap();
    let purchase = Correlation::parse("purchaseId=1").unwrap();
    let timeline = world.engine.views().timeline(world.tenant, &purchase).await.unwrap();
    assert_eq!(timeline.entries.iter().map(told).collect::<Vec<_>>(), ["s: asked", "s: finished SUCCEEDED"]);
}

pub(crate) async fn a_timeline_is_cut(fixture: Fixture) {
    let world = World::open(&fixture).await;
    let hand = by_hand(&world);
    let purchase = Correlation::parse("purchaseId=1").unwrap();
    for number in 0..=TIMELINE_OPERATIONS_MAX {
        hand.ask_sheep(&format!("{number:04}"), &["purchaseId=1"]).await.unwrap();
        if number + 1 >= TIMELINE_OPERATIONS_MAX {
            let timeline = world.engine.views().timeline(world.tenant, &purchase).await.unwrap();
            assert_eq!(timeline.operations.len(), usize::from(TIMELINE_OPERATIONS_MAX));
            assert_eq!(timeline.entries.len(), usize::from(TIMELINE_OPERATIONS_MAX));
            assert_eq!(timeline.cut, number == TIMELINE_OPERATIONS_MAX);
        }
    }
}
