//! `surehold migrate`, and the commands on Postgres, where they work beside servers without asking them.

use surehold_testkit::fixture::fresh_database;

use super::follow::Follower;
use super::{Place, Ran, bare};

#[test]
fn migrate_a_file() {
    let place = Place::file();
    let pending = place.run(&["migrate", "--check"]).ended(1).shows(&["pending 0001_kernel\npending 0002_keys\n"]);
    assert!(!place.path().exists(), "{}", pending.said());
    place.run(&["migrate", "--check", "--json"]).ended(1).shows(&["{\"pending\":[\"0001_kernel\","]);
    place.run(&["migrate"]).ok().shows(&["applied 0001_kernel\napplied 0002_keys\n"]);
    let again = place.run(&["migrate"]).ok().tells(&["note: the store is up to date"]);
    assert_eq!(again.out, "");
    place.run(&["migrate", "--json"]).ok().shows(&["{\"applied\":[]}\n"]);
    place.run(&["migrate", "--check"]).ok();
    place.run(&["tenant", "list"]).ok().tells(&["there are no tenants"]);
}

#[test]
fn a_store_that_is_named_is_the_one_that_is_used() {
    let place = Place::socket();
    place.run(&["tenant", "create", "casa"]).ok();
    place.run(&["tenant", "create", "solo", "--store", "sqlite:other.db"]).ok();
    place.run(&["tenant", "list"]).ok().shows(&["TENANT\ncasa\n"]);
    place.run(&["tenant", "list", "--store", "sqlite:other.db"]).ok().shows(&["TENANT\nsolo\n"]);
    let held = place.run(&["tenant", "list", "--store", "sqlite:data/surehold.db"]).ended(1);
    held.tells(&["data/surehold.db open for writing\n", "leave --store out"]);
}

#[tokio::test]
async fn postgres() {
    let url = fresh_database().await.unwrap();
    let place = Place::file();
    let run = |args: &[&str]| {
        let args = [args, &["--store", &url]].concat();
        Ran::new(&args, &bare(&args).current_dir(place.folder.path()).output().unwrap())
    };
    run(&["migrate", "--check"]).ended(1).shows(&["pending 0001_kernel"]);
    run(&["migrate"]).ok().shows(&["applied 0001_kernel"]);
    run(&["migrate", "--check"]).ok();
    run(&["tenant", "create", "casa"]).ok();
    run(&["pool", "put", "casa", "cup", "--total", "3"]).ok();
    run(&["hold", "place", "casa", "cup=2"]).ok().shows(&["active"]);
    run(&["hold", "place", "casa", "cup=2"]).ended(1).tells(&["sold out: cup (1 left, 2 wanted)"]);
    run(&["events", "casa"]).ok().shows(&["hold_placed"]);

    let follow = ["events", "casa", "--follow", "--after", "0-0", "--store", &url];
    let mut follower = Follower::spawn(bare(&follow).current_dir(place.folder.path()));
    for expected in ["tenant_created", "pool_changed", "hold_placed"] {
        assert!(follower.next().contains(expected));
    }
    run(&["pool", "adjust", "casa", "cup", "1"]).ok();
    assert!(follower.next().contains("pool_changed  cup  total=4"));
    assert_eq!(follower.interrupt().0, Some(130));
}
