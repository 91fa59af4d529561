//! Every command, in each way of reaching the data.

use serde_json::Value;
use uuid::Uuid;

use super::Place;
use crate::text;

#[test]
fn with_the_file() {
    tour(&Place::file());
}

#[test]
fn beside_a_server() {
    tour(&Place::socket());
}

#[test]
fn from_afar() {
    tour(&Place::address());
}

fn tour(place: &Place) {
    tenants(place);
    pools(place);
    let hold = holds(place);
    booked(place, &hold);
    keys(place);
    schedules(place);
    test_data(place);
    events(place);
    machines(place, &hold);
    webhooks(place);
}

fn webhooks(place: &Place) {
    // A name that leads nowhere: nothing leaves the machine.
    let put = ["webhook", "put", "casa", "orders", "https://hooks.invalid/a", "--event", "policy_changed"];
    let made = place.run(&put).ok().tells(&["hooks.invalid", "policy_changed", "enabled", "this once"]);
    let secret = made.out.trim().to_owned();
    assert!(secret.starts_with("whsec_") && !secret.contains('\n'), "{}", made.said());
    place.run(&put).ok().shows(&["orders", "enabled"]).tells(&["note: this repeats an earlier request"]);
    let other = ["webhook", "put", "casa", "orders", "https://hooks.invalid/b"];
    place.run(&other).ended(1).tells(&["exists with other content"]);
    place.run(&[&other[..], &["--replace"]].concat()).ok().shows(&["https://hooks.invalid/b", "all"]);
    place.run(&["webhook", "put", "casa", "x", "https://127.0.0.1/"]).ended(1).tells(&["not public"]);
    place.run(&["webhook", "list", "casa"]).ok().shows(&["ENDPOINT", "orders", "https://hooks.invalid/b"]);
    let rotated = place.run(&["webhook", "rotate", "casa", "orders", "--overlap", "2h"]).ok();
    assert!(rotated.out.starts_with("whsec_") && rotated.out.trim() != secret, "{}", rotated.said());
    let replay = ["webhook", "replay", "casa", "orders", "--from", "1-0", "--to", "1-9", "--name", "again"];
    place.run(&replay).ok().shows(&["deliveries  1\n"]);
    place.run(&replay).ok().shows(&["deliveries  0\n"]);
    let shown = place.run(&["webhook", "show", "casa", "orders"]).ok().shows(&["old_secret_until", "1-0", "again"]);
    assert!(!shown.said().contains("whsec_"), "{}", shown.said());
    place.run(&["webhook", "enable", "casa", "orders", "--from-now"]).ok().shows(&["enabled"]);
    place.run(&["webhook", "remove", "casa", "orders"]).ok().tells(&["told nothing any more"]);
    place.run(&["webhook", "remove", "casa", "orders"]).ended(1).tells(&["there is no webhook endpoint orders"]);
}

fn tenants(place: &Place) {
    place.run(&["tenant", "create", "casa", "--lifetime-secs-default", "600"]).ok().shows(&["tenant", "casa", "600"]);
    let again = place.run(&["tenant", "create", "casa", "--lifetime-secs-default", "700"]).ok();
    again.shows(&["600"]).tells(&["note: the tenant was there already"]);
    place.run(&["tenant", "list"]).ok().shows(&["TENANT\ncasa\n"]);
    place.run(&["tenant", "show", "casa"]).ok().shows(&["mode                     live\n"]);
    let changed = place.run(&["tenant", "policy", "casa", "--owner-holds-max", "50"]).ok();
    changed.shows(&["lifetime_secs_default    600\n", "owner_holds_max          50\n"]);
    place.run(&["tenant", "policy", "casa"]).ok().shows(&["casa", "50\n"]);
}

fn pools(place: &Place) {
    place.run(&["pool", "list", "casa"]).ok().tells(&["note: there are none"]);
    let range = ["--from", "2026-12-24", "--until", "2026-12-28"];
    let put = place.run(&[&["pool", "put", "casa", "double", "--total", "2"], &range[..]].concat()).ok();
    put.shows(&["RESOURCE  SLOT", "2026-12-24          2      2 ", "2026-12-27 "]);
    place.run(&["pool", "put", "casa", "double", "--slot", "2026-12-26", "--close"]).ok().shows(&["closed"]);
    place.run(&["pool", "put", "casa", "t shirt/XL", "--total", "10", "--overbook", "1"]).ok().shows(&["11     10"]);
    place.run(&["pool", "show", "casa", "double", "--slot", "2026-12-26"]).ok().shows(&["closed\n"]);
    let listed = place.run(&["pool", "list", "casa", "--resource", "double"]).ok();
    assert_eq!(listed.out.lines().count(), 5, "{}", listed.said());

    let made = place.run(&["pool", "adjust", "casa", "t shirt/XL", "5"]).ok().shows(&["16     15"]);
    let key = made.err.trim().strip_prefix("idempotency key: ").unwrap_or_else(|| panic!("{}", made.said()));
    let repeat = place.run(&["pool", "adjust", "casa", "t shirt/XL", "5", "--idempotency-key", key]).ok();
    repeat.shows(&["16     15"]).tells(&["note: this repeats an earlier request"]);
    place.run(&["pool", "adjust", "casa", "t shirt/XL", "-5"]).ok().shows(&["11     10"]);

    let free = place.run(&[&["availability", "casa"], &range[..]].concat()).ok();
    free.shows(&["double    throughout          0\n", "double    2026-12-26          0  closed\n"]);

    let years = ["--from", "2030-01-01", "--until", "2034-01-01"];
    let many = place.run(&[&["pool", "put", "casa", "suite", "--total", "1"], &years[..]].concat()).ok();
    many.shows(&["1461 pools put: suite from 2030-01-01 until 2034-01-01\n"]);
    let listed = place.run(&["pool", "list", "casa", "--resource", "suite"]).ok();
    assert_eq!(listed.out.lines().count(), 1 + 1461);
}

/// Gives the id of a converted hold.
fn holds(place: &Place) -> String {
    let id = Uuid::now_v7().to_string();
    let lines = ["double@2026-12-24", "double@2026-12-25"];
    let about = ["--id", &id, "--reference", "cart-7", "--owner", "ana", "--metadata", "{\"a\":1}"];
    let wanted = [&["hold", "place", "casa"], &lines[..], &about[..]].concat();
    let placed = place.run(&wanted).ok();
    placed.shows(&[&id, "active", "double on 2026-12-24, double on 2026-12-25", "(in 9 min)", "ana", "{\"a\":1}"]);
    place.run(&wanted).ok().tells(&["note: this repeats an earlier request"]);
    place.run(&["hold", "show", "casa", &id]).ok().shows(&["cart-7"]);
    place.run(&["hold", "list", "casa", "--active"]).ok().shows(&["HOLD ", &id]);
    place.run(&["hold", "list", "casa", "--reference", "cart-7"]).ok().shows(&[&id]);
    place.run(&["hold", "list", "casa", "--reference", "cart-8"]).ok().tells(&["note: there are none"]);
    let explained = place.run(&["explain", "casa", "double", "--slot", "2026-12-24"]).ok();
    explained.shows(&["double on 2026-12-24 has 1 left: of 2, 1 held.", &id, "cart-7"]);
    place.run(&["hold", "extend", "casa", &id, "--by", "10m"]).ok().shows(&["(in 19 min)"]).tells(&["idempotency key"]);
    let until = ["--until", "2020-01-01T00:00:00Z", "--for-payment"];
    place.run(&[&["hold", "extend", "casa", &id], &until[..]].concat()).ok().shows(&["(in 19 min)"]);

    for (end, expected) in [(vec!["cancel"], "cancelled"), (vec!["convert", "--consume"], "consumed")] {
        let other = place.json(&["hold", "place", "casa", "t shirt/XL=2"])["id"].as_str().unwrap().to_owned();
        let args = [&["hold", end[0], "casa", &other], &end[1..]].concat();
        place.run(&args).ok().shows(&[expected]);
    }
    place.run(&["pool", "show", "casa", "t shirt/XL"]).ok().shows(&["9      8"]);
    id
}

fn booked(place: &Place, id: &str) {
    let kept = place.run(&["hold", "convert", "casa", id, "--book"]).ok();
    kept.shows(&["state      converted", "double on 2026-12-24, double on 2026-12-25 (booked)"]);
    let exchange = ["--from", "double@2026-12-25", "--to", "double@2026-12-27"];
    let moved = place.run(&[&["hold", "move", "casa", id], &exchange[..]].concat()).ok();
    moved.shows(&["double on 2026-12-24, double on 2026-12-27 (booked)"]).tells(&["idempotency key"]);
    let back = place.run(&["hold", "give-back", "casa", id, "double@2026-12-24"]).ok();
    back.shows(&["kept       double on 2026-12-27 (booked)"]);
    place.run(&["hold", "give-back", "casa", id]).ok().shows(&["kept       nothing"]);
}

fn keys(place: &Place) {
    let wanted = ["--scope", "read", "--scope", "tasks", "--name", "web", "--expires-in", "90d"];
    let made = place.run(&[&["key", "create", "casa"], &wanted[..]].concat()).ok();
    let made = made.tells(&["read tasks", "web", "(in 89 days)", "shown this once"]);
    assert!(made.out.starts_with("sh_live_") && made.out.lines().count() == 1, "{}", made.said());
    let key = made.out.trim();
    let listed = place.json(&["key", "list", "casa"]);
    let id = listed["keys"][0]["id"].as_str().unwrap();
    assert!(key.contains(id));
    let rotated = place.run(&["key", "rotate", id, "--overlap", "1h"]).ok();
    assert_ne!(rotated.out.trim(), key);
    place.run(&["key", "list", "casa"]).ok().shows(&["KEYREF ", "web", "(in 59 min)", "(in 89 days)"]);
    // A key that leaked can be pasted.
    place.run(&["key", "revoke", key]).ok().shows(&[id, "revoked"]);
    place.run(&["key", "list", "casa"]).ok().shows(&["revoked 2"]);
    place.run(&["key", "create", "--name", "root"]).ok().tells(&["admin"]);
    place.run(&["key", "list"]).ok().shows(&["live_0_", "root", "good"]);
}

fn schedules(place: &Place) {
    place.run(&["schedule", "list", "casa"]).ok().tells(&["note: there are none", "surehold schedule put casa"]);
    let night = [
        "schedule",
        "put",
        "casa",
        "night",
        "0 2 * * *",
        "--zone",
        "America/Sao_Paulo",
        "--topic",
        "audit",
        "--details",
        "{\"n\":1}",
    ];
    let put = place.run(&night).ok();
    put.shows(&[
        "schedule  night\n",
        "zone      America/Sao_Paulo\n",
        "type      ANNOUNCE\n",
        "T05:00:00Z (in ",
        "then ",
    ]);
    place.run(&night).ok().tells(&["note: this repeats an earlier request"]);
    let payload = ["--payload", "{\"topic\":\"t\",\"data\":{\"a\":1}}", "--correlation", "propertyId=7", "--disabled"];
    let weekly = place.run(&[&["schedule", "put", "casa", "weekly", "@weekly"], &payload[..]].concat()).ok();
    weekly.shows(&[
        "payload       {\"data\":{\"a\":1},\"topic\":\"t\"}\n",
        "propertyId=7\n",
        "next          disabled\n",
    ]);
    let listed = place.run(&["schedule", "list", "casa"]).ok();
    listed.shows(&[
        "SCHEDULE  CRON",
        "night     0 2 * * *  America/Sao_Paulo  ANNOUNCE  2",
        "weekly    @weekly    UTC",
    ]);
    let shown = place.json(&["schedule", "show", "casa", "night"]);
    assert_eq!(shown["upcoming"].as_array().map(Vec::len), Some(5), "{shown}");
    assert_eq!(shown["payload"], serde_json::json!({"topic": "audit", "data": {"n": 1}}));
    place.run(&["schedule", "remove", "casa", "weekly"]).ok().shows(&["removed weekly\n"]);
    let gone = place.run(&["schedule", "show", "casa", "weekly"]).ended(1);
    gone.tells(&["error: there is no schedule weekly", "hint: `surehold schedule list casa`"]);
    place.run(&["schedule", "put", "casa", "n", "0 2 * *", "--topic", "t"]).ended(2).tells(&["five fields"]);
    place
        .run(&["schedule", "put", "casa", "n", "@daily", "--zone", "Mars", "--topic", "t"])
        .ended(2)
        .tells(&["time zone"]);
    place.run(&["schedule", "put", "casa", "n", "@daily"]).ended(1).tells(&["missing field `topic`"]);
}

fn test_data(place: &Place) {
    place.run(&["tenant", "show", "casa", "--test"]).ended(1).tells(&["hint: ", "surehold key create casa --test"]);
    let made = place.run(&["key", "create", "casa", "--test", "--scope", "read"]).ok();
    assert!(made.out.starts_with("sh_test_"), "{}", made.said());
    place.run(&["key", "list", "casa", "--test"]).ok().shows(&["test_"]);
    place.run(&["pool", "put", "casa", "cup", "--total", "1", "--test"]).ok();
    place.run(&["pool", "list", "casa", "--test"]).ok().shows(&["cup"]);
    assert!(!place.run(&["pool", "list", "casa"]).ok().out.contains("cup"));
    place.run(&["tenant", "show", "casa", "--test"]).ok().shows(&["test\n"]);
    assert!(!place.run(&["events", "casa", "--test"]).ok().shows(&["cup"]).out.contains("double"));
}

fn events(place: &Place) {
    let all = place.run(&["events", "casa"]).ok();
    let all =
        all.shows(&["tenant_created", "pool_changed  double on 2026-12-26", "closed", "hold_placed", "booked_moved"]);
    assert!(all.out.starts_with("1-0  2"), "{}", all.out.lines().next().unwrap());
    // More than a page of them, each once.
    assert!(all.out.lines().filter(|line| line.contains(" suite on ")).count() == 1461);
    let last = all.out.lines().last().unwrap();
    let cursor = last.split_once(' ').unwrap().0;
    assert_eq!(place.run(&["events", "casa", "--after", cursor]).ok().out, "");
    let lines = place.run(&["events", "casa", "--json"]).ok().out;
    let events: Vec<Value> = lines.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    assert_eq!(events.len(), all.out.lines().count());
    assert_eq!(events.last().unwrap()["cursor"], cursor);
}

/// `--json` is the API's answer, and nothing but it.
fn machines(place: &Place, hold: &str) {
    let check = |args: &[&str], pointer: &str, expected: &str| {
        let ran = place.run(&[args, &["--json"]].concat()).ok();
        let answer: Value = serde_json::from_str(&ran.out).unwrap_or_else(|error| panic!("{error}: {}", ran.said()));
        let found = answer.pointer(pointer).unwrap_or_else(|| panic!("{pointer} in {answer}"));
        assert_eq!(found.to_string(), expected, "{}", ran.said());
        assert_eq!(ran.err, "");
    };
    check(&["tenant", "create", "casa"], "/slug", "\"casa\"");
    check(&["tenant", "list"], "/tenants/0", "\"casa\"");
    check(&["tenant", "show", "casa"], "/policy/owner_holds_max", "50");
    check(&["pool", "show", "casa", "double", "--slot", "2026-12-24"], "/available", "2");
    check(&["pool", "list", "casa", "--resource", "double"], "/pools/3/slot", "\"2026-12-27\"");
    check(&["hold", "show", "casa", hold], "/state", "\"converted\"");
    check(&["hold", "list", "casa", "--reference", "cart-7"], "/holds/0/owner", "\"ana\"");
    check(&["explain", "casa", "t shirt/XL"], "/available", "9");
    check(&["key", "list"], "/keys/0/scopes/0", "\"admin\"");
    let nights = ["--from", "2026-12-24", "--until", "2026-12-26", "--resource", "double"];
    check(&[&["availability", "casa"], &nights[..]].concat(), "/resources/0/available_throughout", "2");
}

#[test]
fn a_reader_that_has_seen_enough_ends_it_silently() {
    let place = Place::file();
    place.run(&["tenant", "create", "casa"]).ok();
    let years = ["--from", "2030-01-01", "--until", "2037-01-01"];
    place.run(&[&["pool", "put", "casa", "suite", "--total", "1"], &years[..]].concat()).ok();
    for args in [vec!["pool", "list", "casa"], vec!["pool", "list", "casa", "--json"], vec!["events", "casa"]] {
        let mut command = place.command(&args);
        let mut process =
            command.stdout(std::process::Stdio::piped()).stderr(std::process::Stdio::piped()).spawn().unwrap();
        drop(process.stdout.take());
        let output = process.wait_with_output().unwrap();
        assert_eq!((output.status.code(), text(&output.stderr)), (Some(0), String::new()), "{args:?}");
    }
}

#[test]
fn completions() {
    for shell in ["bash", "zsh", "fish", "elvish", "powershell"] {
        let ran = super::Ran::new(&["completions", shell], &super::bare(&["completions", shell]).output().unwrap());
        ran.ok().shows(&["surehold", "give-back", "idempotency-key"]);
    }
}
