use super::*;

fn parse(text: &str) -> Result<Selection> {
    Selection::parse(&text.split_whitespace().map(str::to_owned).collect::<Vec<_>>())
}

fn workspace() -> Workspace {
    Workspace::read().unwrap()
}

#[test]
fn arguments() {
    let check = |text: &str, quick: bool, store: Option<Store>, words: &[&str]| {
        let words = words.iter().map(|word| (*word).to_owned()).collect();
        assert_eq!(parse(text).unwrap(), Selection { quick, store, words }, "{text}");
    };
    check("", false, None, &[]);
    check("--quick", true, None, &[]);
    check("--store sqlite", false, Some(Store::Sqlite), &[]);
    check("--store postgres http", false, Some(Store::Postgres), &["http"]);
    check("--quick --store sqlite stays", true, Some(Store::Sqlite), &["stays"]);
    check("stays --quick quotes::a_calendar", true, None, &["stays", "quotes::a_calendar"]);
}

#[test]
fn wrong_arguments() {
    let check = |text: &str, expected: &str| {
        let error = parse(text).unwrap_err();
        assert!(error.is::<crate::usage::Usage>(), "{text}");
        assert_eq!(error.to_string(), expected, "{text}");
    };
    check("--fast", "test has no flag --fast; it has --quick and --store");
    check("--store", "--store needs sqlite or postgres");
    check("--store oracle", "there is no store `oracle`; there are sqlite and postgres");
    check("stays)", "`stays)` is neither a crate nor a part of a test's path");
}

#[test]
fn what_runs() {
    let workspace = workspace();
    let check = |text: &str, expected: &str| {
        assert_eq!(parse(text).unwrap().expression(&workspace).unwrap_or_default(), expected, "{text}");
    };
    let quick = "not (binary(=simulation)) & \
        not (kind(test) & (test(/^torture::/) | (package(=surehold-lab) & test(/^readme::/)))) & \
        not (kind(test) & test(/^bench(_[a-z]+)*::/) & not test(~wrong_input))";
    check("", "");
    check("http", "");
    check("--quick", quick);
    check("--store sqlite", "not (test(~postgres) | package(=surehold-postgres))");
    check("--store postgres", "not (test(~sqlite) | package(=surehold-sqlite))");
    check("stays", "(test(~stays))");
    check("http stays", "(test(~stays))");
    check("stays quotes", "(test(~stays)) & (test(~quotes))");
    check("simulation", "(test(~simulation) | binary(=simulation))");
    check(
        "--quick --store sqlite stays",
        &format!("{quick} & not (test(~postgres) | package(=surehold-postgres)) & (test(~stays))"),
    );
}

#[test]
fn what_is_built() {
    let workspace = workspace();
    let check = |text: &str, expected: &[&str], others: &[&str]| {
        let arguments = parse(text).unwrap().packages(&workspace).unwrap();
        let has = |name: &&str| arguments.iter().any(|argument| argument == name);
        assert!(expected.iter().all(has), "{text}: {arguments:?}");
        assert!(!others.iter().any(has), "{text}: {arguments:?}");
    };
    check("", &["surehold", "surehold-core", "surehold-http", "surehold-fuzz"], &["xtask"]);
    check("http", &["surehold-http"], &["surehold", "surehold-core", "xtask"]);
    check("surehold-core http", &["surehold-core", "surehold-http"], &["surehold"]);
    check("xtask", &["xtask"], &["surehold"]);
    check("stays", &["surehold-core", "surehold-http", "surehold"], &["surehold-fuzz", "surehold-postgres"]);
    check("http stays", &["surehold-http"], &["surehold-core"]);
    check("simulation", &["surehold-lab"], &["surehold-fuzz"]);
    for none in ["stayz", "core no_such_test"] {
        let error = parse(none).unwrap().packages(&workspace).unwrap_err();
        assert!(error.is::<crate::usage::Usage>(), "{error}");
    }
}

#[test]
fn what_can_name_a_test() {
    let check = |line: &str, expected: bool| assert_eq!(can_name_a_test(line, "stays"), expected, "{line}");
    check("    async fn stays_are_kept() {", true);
    check("pub(crate) mod stays;", true);
    check("            stays_are_kept", true);
    check("    stays {", true);
    check("use surehold_core::stays::Nights;", false);
    check("// what stays", false);
    check("    fn other() {", false);
}
