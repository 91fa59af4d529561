//! The statements that stores derive from the descriptors of tables. A change of one shows here, and is meant or is not.

use surehold_samples::Golden;

fn check(name: &str, statements: Vec<(String, String)>) {
    let mut golden = Golden::new(env!("CARGO_MANIFEST_DIR"), name);
    for (name, statement) in statements {
        golden.line(&format!("-- {name}"));
        golden.line(&statement);
    }
    golden.check();
}

#[test]
fn sqlite() {
    check("sqlite.sql", surehold_sqlite::every_statement());
}

#[test]
fn postgres() {
    check("postgres.sql", surehold_postgres::every_statement());
}
