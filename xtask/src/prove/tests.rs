use super::*;
use crate::usage::Usage;

fn words(text: &str) -> Vec<String> {
    text.split_whitespace().map(str::to_owned).collect()
}

#[test]
fn arguments() {
    let check = |text: &str, expected: Proof| assert_eq!(Proof::parse(&words(text)).unwrap(), expected, "{text}");
    let both = vec![Store::Sqlite, Store::Postgres];
    check("", Proof::All);
    check("torture", Proof::Torture { stores: both.clone(), arguments: Vec::new() });
    check("torture --minutes 46 --seed 7", Proof::Torture { stores: both, arguments: words("--minutes 46 --seed 7") });
    check(
        "torture --minutes 5 --store sqlite --clients 12",
        Proof::Torture { stores: vec![Store::Sqlite], arguments: words("--minutes 5 --clients 12") },
    );
    check("planted", Proof::Planted(Vec::new()));
    check("planted lost-update", Proof::Planted(words("lost-update")));
    check("fuzz", Proof::Fuzz(Vec::new()));
    check("fuzz cron --minutes 10", Proof::Fuzz(words("cron --minutes 10")));
    check("simulation", Proof::Simulation(None));
    check("simulation --seed 7", Proof::Simulation(Some(("SUREHOLD_SIMULATION_SEED", 7))));
    check("simulation --seeds 50000", Proof::Simulation(Some(("SUREHOLD_SIMULATION_SEEDS", 50_000))));
    check("clients", Proof::Clients);
    check("schemathesis --seed 7 --max-examples 1000", Proof::Schemathesis(words("--seed 7 --max-examples 1000")));
    check("bench", Proof::Bench(None));
    check("bench --store sqlite", Proof::Bench(Some(Store::Sqlite)));
}

#[test]
fn wrong_arguments() {
    let check = |text: &str, expected: &str| {
        let error = Proof::parse(&words(text)).unwrap_err();
        assert!(error.is::<Usage>(), "{text}: {error}");
        assert!(error.to_string().contains(expected), "{text}: {error}");
    };
    check("everything", "there is no proof `everything`; there are torture, planted, fuzz");
    check("torture --store oracle", "there is no store `oracle`");
    check("torture --store", "--store needs sqlite or postgres");
    check("fuzz --seconds", "--seconds needs a number");
    check("fuzz --fast", "fuzz has no flag --fast");
    check("simulation --seed", "simulation takes --seed N");
    check("simulation --seed x", "--seed needs a number");
    check("simulation --minutes 5", "simulation takes --seed N");
    check("clients python", "clients takes no arguments");
    check("bench holds", "bench takes --store");
    check("bench --store", "--store needs sqlite or postgres");
}
