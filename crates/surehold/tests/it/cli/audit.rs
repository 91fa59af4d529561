//! `surehold audit`: on a file, beside a running server, on Postgres.

use serde_json::Value;
use surehold_testkit::fixture::{connect, fresh_database};

use super::{Place, Ran, bare};

const APPLY: [&str; 7] = ["audit", "--repair", "--apply", "--reason", "the nightly audit", "--actor", "ana"];

fn sell(run: impl Fn(&[&str]) -> Ran) {
    run(&["tenant", "create", "casa"]).ok();
    run(&["pool", "put", "casa", "cup", "--total", "9"]).ok();
    run(&["hold", "place", "casa", "cup=2", "--owner", "ben"]).ok();
}

/// Behind everybody's back.
fn plant(place: &Place, sql: &str) {
    rusqlite::Connection::open(place.path().join("surehold.db")).unwrap().execute_batch(sql).unwrap();
}

/// With the file alone and beside a server, which may be writing.
#[test]
fn what_is_wrong_is_found_and_put_right() {
    for place in [Place::file(), Place::socket()] {
        sell(|args| place.run(args));
        let clean = place.run(&["audit"]).ok();
        clean.shows(&["✓ pool-held-matches-holds ", "rows of 1 tenant in ", "All is well."]);
        assert_eq!(place.json(&["audit"])["clean"], true);

        plant(&place, "update pools set held = 3; update owners set holds = 2");
        let found = place.run(&["audit"]).ended(1).shows(&[
            "✗ pool-held-matches-holds ",
            "  tenant casa: pool cup: says 3 held; its active holds have 2\n",
            ": owner ben: is counted with 2 holds of 900 s; there are 1 active ones of 900 s\n",
            "2 invariants are broken, 2 times in all.",
            "→ `surehold audit --repair` says what can be done about it",
        ]);
        assert_eq!(found.err, "");
        let proposed = place.run(&["audit", "--repair"]).ended(1);
        proposed.shows(&["repair: change held by -1 and booked by 0\n", "repair: count the 1 active holds\n"]);
        let json: Value = serde_json::from_str(&place.run(&["audit", "--json"]).ended(1).out).unwrap();
        let held = json["invariants"].as_array().unwrap().iter().find(|one| one["name"] == "pool-held-matches-holds");
        let finding = &held.unwrap()["findings"][0];
        assert_eq!((&finding["key"], &finding["repair"]["pool"]["held_delta"]), (&"pool cup".into(), &(-1).into()));
        assert_eq!(finding["slug"], "casa");

        place.run(&APPLY).ok().shows(&[
            "pool cup: repaired\n",
            "owner ben: repaired\n",
            "Audited again\n",
            "All is well.",
        ]);
        place.run(&APPLY).ok().shows(&["there is nothing that can be repaired"]);
        place.run(&["events", "casa", "--json"]).ok().shows(&["\"type\":\"repaired\"", "the nightly audit", "\"ana\""]);
        place.run(&["pool", "show", "casa", "cup"]).ok();

        plant(&place, "delete from journal where seq = 2 and tenant > 0");
        let lost = place.run(&APPLY).ended(1);
        lost.shows(&["✗ journal-without-gap ", "not repaired: what happened is not rewritten"]);
    }
}

#[test]
fn what_cannot_be_looked_at_is_another_matter() {
    let place = Place::file();
    place.run(&["audit"]).ended(2).tells(&["error: there is no data at "]);
    assert!(!place.path().exists());
    place.run(&["audit", "--repair", "--apply"]).ended(2).tells(&["--reason"]);
    place.run(&["audit", "--apply", "--reason", "x"]).ended(2).tells(&["--repair"]);
    sell(|args| place.run(args));
    plant(&place, "delete from schema_migrations where number = (select max(number) from schema_migrations)");
    place.run(&["audit"]).ended(2).tells(&["the store lacks 00", "; run `surehold migrate` first"]);
    std::fs::write(place.path().join("surehold.db"), "this is not a database, whatever its name says").unwrap();
    place.run(&["audit"]).ended(2).tells(&["error: "]);
}

#[tokio::test]
async fn on_postgres() {
    let url = fresh_database().await.unwrap();
    let place = Place::file();
    let run = |args: &[&str]| {
        let args = [args, &["--store", &url]].concat();
        Ran::new(&args, &bare(&args).current_dir(place.folder.path()).output().unwrap())
    };
    run(&["audit"]).ended(2).tells(&["run `surehold migrate` first"]);
    sell(run);
    run(&["audit"]).ok().shows(&["All is well."]);
    connect(&url).await.unwrap().batch_execute("update pools set booked = 1").await.unwrap();
    run(&["audit"]).ended(1).shows(&["says 1 booked; its converted holds have 0"]);
    run(&APPLY).ok().shows(&["pool cup: repaired\n"]);
}
