//! What is said when something cannot be done, and with which code it ends.

use serde_json::Value;
use uuid::Uuid;

use super::{Place, Ran, Server, bare};

#[test]
fn wrong_input_is_refused_before_anything_is_sent() {
    let place = Place::file();
    let check = |args: &[&str], expected: &str| {
        let ran = place.run(args).ended(2).tells(&[expected]);
        assert_eq!(ran.out, "");
    };
    check(&["tenant", "create", "Casa Azul"], "slug");
    check(&["pool", "put", "casa", "double"], "--total");
    check(&["pool", "put", "casa", "double", "--total", "many"], "many");
    check(&["pool", "put", "casa", "double", "--total", "1", "--slot", "24.12.2026"], "2026-12-24");
    check(&["pool", "put", "casa", "double", "--total", "1", "--from", "2026-12-24"], "--until");
    check(&["pool", "put", "casa", "double", "--open", "--close"], "--close");
    check(&["pool", "show", "casa", ".."], "cannot be asked for");
    check(&["hold", "place", "casa"], "LINE");
    check(&["hold", "place", "casa", "double=two"], "no quantity");
    check(&["hold", "place", "casa", "double@tomorrow"], "2026-12-24");
    check(&["hold", "place", "casa", "double", "--metadata", "7"], "JSON object");
    check(&["hold", "show", "casa", "7"], "UUID");
    check(&["hold", "list", "casa"], "--active");
    check(&["hold", "convert", "casa", &Uuid::now_v7().to_string()], "--book");
    check(&["hold", "extend", "casa", &Uuid::now_v7().to_string(), "--by", "long"], "15m");
    check(&["key", "create", "casa", "--scope", "everything"], "manage");
    check(&["key", "create", "--test"], "TENANT");
    check(&["key", "create", "casa", "--expires-in", "1d", "--expires-at", "2030-01-01T00:00:00Z"], "cannot be used");
    check(&["tenant", "list", "--key", "k"], "add --server");
    assert!(!place.path().exists(), "nothing was made");

    let place = Place::socket();
    place.run(&["tenant", "create", "casa"]).ok();
    let range = ["--from", "2026-12-24", "--until", "2026-12-24"];
    place.run(&[&["pool", "put", "casa", "x", "--total", "1"], &range[..]].concat()).ended(2).tells(&["not after"]);
    place.run(&["key", "revoke", "nonsense"]).ended(2).tells(&["live_1_00ff00ff00ff00ff"]);
}

fn problem_page(args: &[&str]) -> Ran {
    let args = [&["problem"], args].concat();
    Ran::new(&args, &bare(&args).output().unwrap()).ok()
}

#[test]
fn refusals_say_what_to_do_next() {
    let place = Place::socket();
    place.run(&["tenant", "create", "casa", "--owner-holds-max", "1"]).ok();
    place.run(&["pool", "put", "casa", "double", "--slot", "2026-12-24", "--total", "1"]).ok();
    place.run(&["pool", "put", "casa", "shut", "--total", "1", "--close"]).ok();
    let hold = place.json(&["hold", "place", "casa", "double@2026-12-24", "--owner", "ana"]);
    let id = hold["id"].as_str().unwrap();
    let check = |args: &[&str], error: &str, hint: &str, code: &str| {
        let more = format!("more: surehold problem {code}\n");
        let ran = place.run(args).ended(1);
        assert_eq!(ran.out, "", "{}", ran.said());
        let ran = ran.tells(&[&format!("error: {error}"), hint, &more]);
        assert_eq!(ran.err.lines().count(), 3, "{}", ran.said());

        let ran = place.run(&[args, &["--json"]].concat()).ended(1);
        assert_eq!(ran.out, "");
        // What is told to repeat a request stands before it.
        let problem: Value = serde_json::from_str(ran.err.lines().last().unwrap()).unwrap();
        assert_eq!(problem["code"], code, "{}", ran.said());
        problem_page(&[code]).shows(&["**What to do**"]);
    };
    check(
        &["hold", "place", "casa", "double@2026-12-24"],
        "sold out: double on 2026-12-24 (0 left, 1 wanted)\n",
        "`surehold explain casa double --slot 2026-12-24`",
        "sold-out",
    );
    check(&["hold", "place", "casa", "shut"], "closed: shut\n", "`surehold pool put casa shut --open`", "pool-closed");
    check(&["pool", "show", "casa", "none"], "no such pool: none\n", "surehold pool list casa", "pool-not-found");
    check(&["pool", "list", "casb"], "there is no such tenant", "surehold tenant list", "not-found");
    let other = Uuid::now_v7().to_string();
    check(&["hold", "show", "casa", &other], "there is no hold", "hold list casa --active", "hold-not-found");
    check(&["events", "casa", "--after", "99-0"], "the cursor 99-0 is ahead", "--after 0-0", "cursor-gone");
    let more = ["hold", "place", "casa", "double@2026-12-24", "--owner", "ana"];
    check(&more, "the owner has 1 holds", "surehold tenant policy casa", "owner-holds-limit");
    place.run(&["hold", "cancel", "casa", id]).ok();
    check(&["hold", "convert", "casa", id, "--book"], "the hold is cancelled\n", "place a new hold", "hold-ended");
    problem_page(&[]).shows(&["sold-out", "409"]);
}

#[test]
fn commands_without_data() {
    for (args, expected) in [(["completions", "tcsh"], "bash"), (["problem", "nonsense"], "`surehold problem` lists")] {
        Ran::new(&args, &bare(&args).output().unwrap()).ended(2).tells(&[expected]);
    }
}

#[test]
fn nobody_there() {
    let place = Place::file();
    let check = |args: &[&str], error: &str, hint: &str| {
        let ran = Ran::new(args, &bare(args).current_dir(place.folder.path()).output().unwrap()).ended(1);
        let ran = ran.tells(&[&format!("error: {error}"), "hint: ", hint]);
        assert_eq!(ran.out, "");
    };
    check(&["tenant", "list"], "there is no data: surehold-data/surehold.db does not exist\n", "--data");
    check(&["events", "casa", "--follow"], "there is no data", "--data");
    let far = ["--server", "http://127.0.0.1:1", "--key", "k"];
    check(&[&["tenant", "list"], &far[..]].concat(), "cannot reach http://127.0.0.1:1: ", "surehold serve");
    assert_eq!(std::fs::read_dir(place.folder.path()).unwrap().count(), 0, "nothing was made");

    place.run(&["tenant", "create", "casa"]).ok();
    place.run(&["events", "casa", "--follow"]).ended(1).tells(&["no server runs on data", "surehold serve"]);
    // A server that was killed leaves its socket behind.
    drop(Server::start(&place.data()));
    assert!(place.path().join("surehold.sock").exists());
    place.run(&["tenant", "list"]).ok().shows(&["casa"]);
}

#[test]
fn a_second_writer_is_refused() {
    let place = Place::file();
    place.run(&["tenant", "create", "casa"]).ok();
    let held = Server::start(&place.data());
    std::fs::remove_file(place.path().join("surehold.sock")).unwrap();
    for args in [vec!["tenant", "create", "other"], vec!["tenant", "list"]] {
        let ran = place.run(&args).ended(1);
        ran.tells(&["error: another process has ", "surehold.db open for writing, and nobody answers at ", "hint: "]);
    }
    place.run(&["migrate"]).ended(1).tells(&["another process writes to"]);
    place.run(&["migrate", "--check"]).ok();
    drop(held);
    place.run(&["tenant", "list"]).ok().shows(&["casa"]);
}

#[test]
fn one_target_and_no_other() {
    let place = Place::address();
    let check = |args: &[&str], code: i32, expected: &str| {
        place.run(args).ended(code).tells(&[expected]);
    };
    check(&["tenant", "list"], 0, "");
    // A forgotten SUREHOLD_SERVER must not take what was meant for a folder.
    check(&["tenant", "list", "--data", "elsewhere"], 2, "leave one of them out");
    check(&["tenant", "list", "--server", "surehold.example.com"], 2, "--server is not an address");
    check(&["tenant", "list", "--server", "https://user:pass@surehold.example.com"], 2, "without a login");
    check(&["tenant", "list", "--key", "sh_live_0_00ff00ff00ff00ff_00"], 1, "error: send `Authorization: Bearer KEY`");
    let server = Server::start(place.folder.path().join("other").to_str().unwrap());
    check(
        &["tenant", "list", "--server", &server.address],
        1,
        &format!("more: {}/problems/unauthenticated", server.address),
    );
    let key_missing = place.command(&["tenant", "list"]).env("SUREHOLD_KEY", "").output().unwrap();
    Ran::new(&[], &key_missing).ended(2).tells(&["set SUREHOLD_KEY"]);
    // Empty means absent, as in containers.
    let empty = place.command(&["tenant", "list", "--data", "data"]).env("SUREHOLD_SERVER", "").output().unwrap();
    Ran::new(&[], &empty).ok();
}

#[test]
fn a_key_of_a_tenant_may_do_what_it_says() {
    let place = Place::address();
    place.run(&["tenant", "create", "casa"]).ok();
    place.run(&["tenant", "create", "other"]).ok();
    let key = place.run(&["key", "create", "casa", "--scope", "read"]).ok().out;
    let check = |args: &[&str], code: i32, expected: &str| {
        place.run(&[args, &["--key", key.trim()]].concat()).ended(code).tells(&[expected]);
    };
    check(&["tenant", "show", "casa"], 0, "");
    check(&["pool", "put", "casa", "x", "--total", "1"], 1, "the key lacks the scope `manage`");
    check(&["tenant", "show", "other"], 1, "no such tenant");
    check(&["tenant", "list"], 1, "the key lacks the scope `admin`");
}
