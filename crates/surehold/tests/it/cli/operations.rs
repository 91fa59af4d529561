//! Operations, cases and epochs, on data that somebody has left behind.

use std::sync::Arc;

use surehold_core::kernel::Slug;
use surehold_core::operations::Trouble;
use surehold_engine::{Engine, EngineConfig};
use surehold_sqlite::SqliteStore;
use surehold_testkit::operations::ByHand;

use super::{Place, Server, Way};

/// A purchase with a receipt that was counted at the second try and money that may have been sent; a look at an
/// operation that was refused; a flock that waits.
async fn leave_work_behind(place: &Place) {
    let store = SqliteStore::open(&place.path().join("surehold.db")).unwrap();
    let engine = Engine::start(Arc::new(store), EngineConfig { sweep_pause: None, ..EngineConfig::default() }).unwrap();
    let tenant = engine.views().tenant_of(&Slug::new("casa").unwrap()).await.unwrap().unwrap();
    let hand = ByHand { engine: engine.clone(), tenant };
    let done = hand.ask_sheep("done", &["purchaseId=1"]).await.unwrap();
    hand.run_state(&done).await.unwrap();
    let failed = hand.ask_sheep("a:b %", &["purchaseId=1"]).await.unwrap();
    hand.fail(&failed, Trouble::retry("timeout", "the pasture did not answer")).await.unwrap();
    let money = hand.ask_money("p1", &["purchaseId=1"]).await.unwrap();
    hand.lose(&money).await.unwrap();
    let waiting = hand.ask_sheep("waiting", &[]).await.unwrap();
    let look = hand.ask_reconciliation(&waiting).await.unwrap();
    hand.fail(&look, Trouble::permanent("malformed", "not understood")).await.unwrap();
    engine.stop().await;
}

fn place() -> Place {
    let place = Place::file();
    place.run(&["tenant", "create", "casa"]).ok();
    tokio::runtime::Runtime::new().unwrap().block_on(leave_work_behind(&place));
    place
}

#[test]
fn with_the_file() {
    tour(&place());
}

#[test]
fn beside_a_server() {
    let place = place();
    let server = Server::start(&place.data());
    tour(&Place { way: Way::Socket(server), ..place });
}

fn tour(place: &Place) {
    lists(place);
    acts(place);
    doubt(place);
    epochs(place);
}

fn lists(place: &Place) {
    let listed = place.run(&["op", "list", "casa", "--state", "failed"]).ok();
    listed.shows(&["TYPE ", "COUNT_SHEEP  a%3Ab %25  FAILED ", "due ", "the pasture did not answer\n"]);
    let dead = place.run(&["op", "list", "casa", "--state", "dead-letter"]).ok();
    assert_eq!(dead.out.lines().count(), 3, "{}", dead.said());
    dead.shows(&["SEND_MONEY ", "effect-unknown ", "malformed "]);
    let one = place.run(&["op", "list", "casa", "--state", "dead-letter", "--type", "SEND_MONEY"]).ok();
    assert_eq!(one.out.lines().count(), 2, "{}", one.said());
    let of_purchase = place.run(&["op", "list", "casa", "--correlation", "purchaseId=1"]).ok();
    of_purchase.shows(&["done ", "SUCCEEDED", "FAILED", "DEAD_LETTER"]);
    place.run(&["op", "list", "casa", "--state", "succeeded", "--type", "COUNT_SHEEP"]).ok().shows(&["done"]);
    place.run(&["op", "list", "casa", "--state", "running"]).ok().tells(&["note: there are none"]);
    let shown = place.run(&["op", "show", "casa", "COUNT_SHEEP", "a%3Ab %25"]).ok();
    shown.shows(&["operation   COUNT_SHEEP a%3Ab %25\n", "about       purchaseId=1\n", "failed", "timeout"]);
    let value = place.json(&["op", "show", "casa", "SEND_MONEY", "p1:1"]);
    assert_eq!((&value["state"], &value["effects"][0]["state"]), (&"DEAD_LETTER".into(), &"UNKNOWN".into()));
    assert_eq!(value["payload"]["parts"][0], "p1");
}

fn acts(place: &Place) {
    let flock = ["casa", "COUNT_SHEEP", "a%3Ab %25", "--reason", "it is back", "--actor", "ana"];
    place.run(&[&["op", "retry"], &flock[..]].concat()).ok().shows(&["state      FAILED\n"]);
    place.run(&[&["op", "cancel"], &flock[..]].concat()).ok().shows(&["state      DEAD_LETTER\n"]);
    place.run(&[&["op", "cancel"], &flock[..]].concat()).ok().tells(&["note: this repeats"]);
    let open = place.run(&["op", "list", "casa", "--state", "dead-letter", "--type", "COUNT_SHEEP"]).ok();
    open.tells(&["note: there are none"]);
    let all = ["op", "list", "casa", "--state", "dead-letter", "--type", "COUNT_SHEEP", "--include-resolved"];
    place.run(&all).ok().shows(&["cancelled ", ", dealt with"]);
    let dead = place.json(&["op", "list", "casa", "--state", "dead-letter", "--type", "RECONCILE_STUCK_OPERATION"]);
    let look = dead["operations"][0]["key"].as_str().unwrap();
    let redrive = ["op", "redrive", "casa", "RECONCILE_STUCK_OPERATION", look, "--reason", "try again"];
    let redriven = place.command(&redrive).env("USER", "ben").output().unwrap();
    super::Ran::new(&redrive, &redriven).ok().shows(&["state      PENDING\n"]);
    let shown = place.run(&["op", "show", "casa", "RECONCILE_STUCK_OPERATION", look]).ok();
    shown.shows(&["generation     2\n", "redriven", "ben", "try again"]);
}

fn doubt(place: &Place) {
    place.run(&["case", "list", "casa"]).ok().shows(&["KIND ", "effect-unknown ", " SEND_MONEY p1:1 "]);
    let case = ["casa", "effect-unknown", "SEND_MONEY", "p1:1"];
    place.run(&[&["case", "show"], &case[..]].concat()).ok().shows(&["state        open\n", "surehold op settle"]);
    place.run(&[&["case", "assign"], &case[..], &["--to", "ana"]].concat()).ok().shows(&["assigned     ana\n"]);
    let money = ["casa", "SEND_MONEY", "p1:1", "--reason", "seen at the bank", "--actor", "ana"];
    let refused = place.run(&[&["op", "cancel"], &money[..]].concat()).ended(1);
    refused.tells(&["may have happened", "`surehold op settle casa SEND_MONEY p1:1 --step 0`", "effect-in-doubt"]);
    let settled = place.run(&[&["op", "settle"], &money[..], &["--happened", "tr_9"]].concat()).ok();
    settled.shows(&["effect     CONFIRMED\n"]);
    let again = place.run(&[&["op", "settle"], &money[..], &["--did-not-happen"]].concat()).ended(1);
    again.tells(&["`surehold op show casa SEND_MONEY p1:1`"]);
    let open = place.json(&["case", "list", "casa"]);
    assert!(!open["cases"].to_string().contains("effect-unknown"), "{open}");
    place.run(&["case", "list", "casa", "--resolved"]).ok().shows(&["SEND_MONEY p1:1"]);
    let resolve = [&["case", "resolve"], &case[..], &["--reason", "done", "--actor", "ben"]].concat();
    place.run(&resolve).ok().shows(&["resolution   seen at the bank\n"]).tells(&["note: this repeats"]);

    let line = place.run(&["op", "timeline", "casa", "purchaseId=1"]).ok();
    let what: Vec<&str> =
        line.out.lines().filter_map(|line| line.split("  ").filter(|cell| !cell.is_empty()).nth(2)).collect();
    let what: Vec<&str> = what.into_iter().map(str::trim).collect();
    let expected = [
        "WHAT",
        "asked",
        "announced",
        "announced",
        "operation succeeded",
        "asked",
        "attempt failed",
        "asked",
        "step 0 intended",
        "attempt undecided",
        "case opened",
        "operation died",
        "hastened by ana",
        "cancelled by ana",
        "operation died",
        "step 0 confirmed",
        "settled by ana",
        "effect settled",
        "case resolved",
    ];
    assert_eq!(what, expected, "{}", line.said());
    let nobody = place.run(&["op", "timeline", "casa", "purchaseId=9"]).ok().tells(&["note: nothing is known of it"]);
    assert_eq!(nobody.out, "");
}

fn epochs(place: &Place) {
    place.run(&["epoch", "show"]).ok().shows(&["epoch  0\n"]);
    let raise = ["epoch", "raise", "--reason", "restored last night's backup", "--actor", "ana"];
    let raised = place.run(&raise).ok().shows(&["epoch      1\n", "raised by  ana\n"]);
    let key = raised.err.trim().strip_prefix("idempotency key: ").unwrap_or_else(|| panic!("{}", raised.said()));
    let again = place.run(&[&raise[..], &["--idempotency-key", key]].concat()).ok();
    again.shows(&["epoch      1\n"]).tells(&["note: this repeats"]);
    place.run(&raise).ok().shows(&["epoch      2\n"]);
}

#[test]
fn what_is_said_when_it_cannot_be_done() {
    let place = place();
    let check = |args: &[&str], code: i32, expected: &[&str]| {
        let ran = place.run(args).ended(code).tells(expected);
        assert_eq!(ran.out, "", "{}", ran.said());
    };
    let unknown = ["op", "show", "casa", "COUNT_SHEEP", "none"];
    check(&unknown, 1, &["there is no operation COUNT_SHEEP none", "--correlation", "operation-not-found"]);
    let act = ["--reason", "r", "--actor", "a"];
    check(
        &[&["op", "retry", "casa", "COUNT_SHEEP", "done"], &act[..]].concat(),
        1,
        &["is SUCCEEDED", "`surehold op show casa COUNT_SHEEP done`", "operation-state"],
    );
    check(
        &[&["op", "redrive", "casa", "SEND_MONEY", "p1:1"], &act[..]].concat(),
        1,
        &["this server knows no type SEND_MONEY"],
    );
    check(&["case", "show", "casa", "effect-unknown", "x"], 1, &["there is no case", "`surehold case list casa`"]);
    check(&["op", "list", "casa"], 2, &["--state", "--correlation"]);
    check(&["op", "list", "casa", "--state", "dead"], 2, &["DEAD_LETTER"]);
    check(&["op", "list", "casa", "--state", "succeeded"], 1, &["needs a type"]);
    check(&["op", "retry", "casa", "COUNT_SHEEP", "done"], 2, &["--reason"]);
    check(&["op", "show", "casa", "sheep", "done"], 2, &["ISSUE_TICKETS"]);
    check(&["op", "show", "casa", "COUNT_SHEEP", ".."], 2, &["cannot be asked for"]);
    check(&["op", "timeline", "casa", "purchase"], 2, &["purchaseId=4711"]);
    check(&["op", "settle", "casa", "SEND_MONEY", "p1:1", "--reason", "r"], 2, &["--happened"]);
    let nameless = ["op", "retry", "casa", "COUNT_SHEEP", "done", "--reason", "r"];
    let output = place.command(&nameless).env_remove("USER").output().unwrap();
    super::Ran::new(&nameless, &output).ended(2).tells(&["USER is not set", "--actor NAME"]);
}
