//! `surehold doctor` and `surehold config`.

use std::path::Path;
use std::process::Output;

use serde_json::Value;
use surehold_sqlite::SqliteStore;
use surehold_testkit::fixture::{connect, fresh_database};
use tempfile::TempDir;

use crate::canary::{self, assert_no_canary};
use crate::{surehold, text};

fn said(output: &Output) -> String {
    format!("{}{}", text(&output.stdout), text(&output.stderr))
}

fn report(args: &[&str]) -> Value {
    let output = surehold(&[&["doctor", "--json"], args].concat());
    serde_json::from_slice(&output.stdout).unwrap_or_else(|error| panic!("{error}: {}", said(&output)))
}

/// What is said about one thing.
fn finding<'r>(report: &'r Value, check: &str) -> Vec<&'r Value> {
    let findings = report["findings"].as_array().unwrap();
    findings.iter().filter(|finding| finding["check"] == check).collect()
}

fn names_in(folder: &Path) -> Vec<(String, u64)> {
    let entries = std::fs::read_dir(folder).unwrap().map(Result::unwrap);
    let mut names: Vec<_> =
        entries.map(|entry| (entry.file_name().into_string().unwrap(), entry.metadata().unwrap().len())).collect();
    names.sort();
    names
}

#[test]
fn an_empty_place_is_fine_and_stays_empty() {
    let folder = TempDir::new().unwrap();
    let data = folder.path().join("data");
    let output = surehold(&["doctor", "--data", data.to_str().unwrap()]);
    assert!(output.status.success(), "{}", said(&output));
    let table = text(&output.stdout);
    for part in
        ["surehold 0.", "In force", "store.data_dir", "--data", "Checked", "will be made at the first start", " ok\n"]
    {
        assert!(table.contains(part), "{part} in {table}");
    }
    assert!(!table.contains('\u{1b}'), "no colour");
    assert_eq!(names_in(folder.path()), []);
}

#[test]
fn a_file_is_read_beside_its_writer_and_left_as_it_was() {
    let folder = TempDir::new().unwrap();
    let data = folder.path().to_str().unwrap();
    let store = SqliteStore::open(&folder.path().join("surehold.db")).unwrap();
    let before = names_in(folder.path());
    let running = report(&["--data", data]);
    assert_eq!(finding(&running, "store")[0]["verdict"], "ok", "{running}");
    let settings = running["settings"].as_array().unwrap();
    let setting = |name: &str| settings.iter().find(|setting| setting["name"] == name).unwrap();
    assert_eq!(setting("store.lanes")["value"], 4);
    assert_eq!(setting("store.url")["value"], Value::Null);
    assert_eq!(
        (&setting("store.data_dir")["value"], &setting("store.data_dir")["origin"]),
        (&data.into(), &"--data".into())
    );
    assert_eq!(finding(&running, "schema")[0]["found"], "up to date");
    let expected = format!("process {} writes to this file", std::process::id());
    assert_eq!(finding(&running, "server")[0]["found"], expected);
    assert_eq!(names_in(folder.path()), before);
    drop(store);

    let before = names_in(folder.path());
    assert_eq!(finding(&report(&["--data", data]), "server")[0]["found"], "none runs on this data folder");
    assert_eq!(names_in(folder.path()), before);
}

#[test]
fn what_cannot_work_fails() {
    let folder = TempDir::new().unwrap();
    let file = folder.path().join("other.db");
    std::fs::write(&file, "this is no database, however long it may be. ".repeat(100)).unwrap();
    let check = |args: &[&str], check: &str, expected: &str| {
        let output = surehold(&[&["doctor", "--json"], args].concat());
        assert_eq!(output.status.code(), Some(1), "{args:?}: {}", said(&output));
        let report: Value = serde_json::from_slice(&output.stdout).unwrap();
        assert_eq!(report["verdict"], "broken", "{args:?}");
        let found = finding(&report, check)[0]["found"].as_str().unwrap();
        assert!(found.contains(expected), "{args:?}: {found}");
    };
    check(&["--store", &format!("sqlite:{}", file.display())], "store", "is damaged");
    check(&["--store", "postgres://nobody@127.0.0.1:1/x"], "store", "cannot connect to Postgres");
    check(&["--set", "server.tls_certificate_file=no.crt", "--set", "server.tls_key_file=no.key"], "tls", "no.crt");
    assert!(Path::new("/dev/shm").is_dir(), "a file system in memory");
    let output = surehold(&["doctor", "--data", "/dev/shm/surehold-test"]);
    assert_eq!(output.status.code(), Some(1));
    assert!(said(&output).contains("UNSAFE  file system"), "{}", said(&output));
}

#[tokio::test]
async fn postgres() {
    let url = fresh_database().await.unwrap();
    let fresh = report(&["--store", &url]);
    assert_eq!(finding(&fresh, "store")[0]["verdict"], "ok", "{fresh}");
    assert_eq!(finding(&fresh, "schema")[0]["verdict"], "warn", "{fresh}");
    assert_eq!(finding(&fresh, "clock")[0]["verdict"], "ok", "{fresh}");
    let sql = "select count(*) from pg_tables where schemaname = 'public'";
    let tables: i64 = connect(&url).await.unwrap().query_one(sql, &[]).await.unwrap().get(0);
    assert_eq!(tables, 0, "nothing was made");
    surehold_postgres::migrate(&url).await.unwrap();
    assert_eq!(finding(&report(&["--store", &url]), "schema")[0]["found"], "up to date");
}

#[test]
fn mistakes_in_the_configuration_are_named() {
    let output = surehold(&["doctor", "--set", "server.lisen=x"]);
    assert_eq!(output.status.code(), Some(1));
    assert_eq!(
        text(&output.stderr),
        "error: --set: there is no setting `lisen` in [server]\nhint: did you mean `listen`?\n"
    );
    let output = surehold(&["config"]);
    assert!(text(&output.stdout).contains("#listen = \"127.0.0.1:8000\"\n"));
}

#[test]
fn no_secret_is_shown() {
    let password = canary::STORE_PASSWORD;
    let addresses = [
        format!("postgres://app:{password}@127.0.0.1:1/shop"),
        format!("postgres://app@127.0.0.1:1/shop?password={password}"),
        format!("postgres://app:{password}@127.0.0.1:1/shop?sslmode=never"),
        format!("postgres://app:{password}@127.0.0.1:1/shop?sslpassword={password}"),
        format!("postgres://app:{password}/@127.0.0.1:1/shop"),
        format!("postgres://app:{password}@127.0.0.1:{password}/shop"),
        format!("postgres://app:%zz{password}@127.0.0.1:1/shop"),
        format!("postgrs://app:{password}@127.0.0.1:1/shop"),
        format!("postgres://app:{password}"),
    ];
    for address in &addresses {
        for args in [vec!["doctor", "--store", address], vec!["doctor", "--json", "--store", address]] {
            let output = surehold(&args);
            assert_eq!(output.status.code(), Some(1), "{}", said(&output));
            assert_no_canary(&said(&output));
        }
    }
    let header = format!("telemetry.otlp_headers=authorization={}", canary::OTLP_HEADER);
    let output = surehold(&["doctor", "--set", &header, "--set", "telemetry.otlp_endpoint=http://127.0.0.1:1"]);
    assert!(said(&output).contains("authorization=***"), "{}", said(&output));
    assert_no_canary(&said(&output));
}
