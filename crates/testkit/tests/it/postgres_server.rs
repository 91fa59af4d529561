//! What only a server has: encryption, nodes that start together, values that cannot be sent.

use std::error::Error;

use futures_util::future::join_all;
use surehold_core::kernel::TenantId;
use surehold_core::kernel::commands::{CancelHold, PlaceHold};
use surehold_engine::{Engine, EngineConfig, Failure, SchemaError, Store};
use surehold_postgres::{ConnectError, PostgresConfig, PostgresStore};
use surehold_testkit::fixture::{Fixture, StoreKind, connect, fresh_database};

use crate::conformance::{Odd, OddWay, Pending, World, new_id, parse_lines, pool, together};

async fn fixture() -> Fixture {
    Fixture::new(StoreKind::Postgres).await.unwrap()
}

/// A statement that cannot even be sent leaves a hole in the middle of a transaction: the rest must not be committed.
#[tokio::test]
async fn what_cannot_be_sent_fails_alone_and_leaves_no_trace() {
    let fixture = fixture().await;
    let mut world = World::open(&fixture).await;
    world.play("put room=9").await;
    let (engine, tenant) = (&world.engine, world.tenant);
    let good = || -> Pending<'_> {
        let place = PlaceHold::new(new_id(), parse_lines("room=1"));
        Box::pin(async move { engine.run(tenant, place).await.map(drop) })
    };
    let odd = || -> Pending<'_> {
        let odd = Odd::new(OddWay::WritesTheUnspeakable, pool("room").unwrap());
        Box::pin(async move { engine.run(tenant, odd).await.map(drop) })
    };
    let outcomes = together(engine, tenant, vec![good(), odd(), good()]).await;
    assert_eq!(outcomes, [Ok(()), Err(Failure::Defect), Ok(())]);
    let dump = world.audit().await;
    assert_eq!((dump.pools.len(), dump.holds.len(), dump.owners.len()), (1, 2, 0));
    assert_eq!((dump.pools[0].total, dump.pools[0].held), (9, 2));
}

/// The same database, encrypted or not.
fn url(fixture: &Fixture, ssl: &str) -> String {
    let url = fixture.url();
    assert!(url.contains("sslmode=disable"), "{url}");
    url.replace("sslmode=disable", ssl)
}

async fn open(url: &str) -> Result<PostgresStore, ConnectError> {
    PostgresStore::connect(PostgresConfig::new(url)).await
}

/// Whether the sessions of an engine that has read and written are encrypted.
async fn is_encrypted(ssl: &str) -> Vec<bool> {
    let fixture = fixture().await;
    let store: std::sync::Arc<dyn Store> = std::sync::Arc::new(open(&url(&fixture, ssl)).await.unwrap());
    let engine = Engine::start(store, EngineConfig::default()).unwrap();
    let mut world = World::enter(&fixture, engine, TenantId(1)).await;
    world.play("put room=1; show room").await;
    let sql = "select ssl from pg_stat_ssl join pg_stat_activity using (pid) \
               where datname = current_database() and application_name = 'surehold'";
    let rows = connect(fixture.url()).await.unwrap().query(sql, &[]).await.unwrap();
    rows.iter().map(|row| row.get(0)).collect()
}

#[tokio::test]
async fn connections_are_encrypted_where_the_address_asks_for_it() {
    let encrypted = is_encrypted("sslmode=require").await;
    assert!(encrypted.len() > 1 && encrypted.iter().all(|ssl| *ssl), "{encrypted:?}");
    let plain = is_encrypted("sslmode=disable").await;
    assert!(plain.len() > 1 && plain.iter().all(|ssl| !*ssl), "{plain:?}");
}

fn with_causes(error: &dyn Error) -> String {
    let mut text = error.to_string();
    let mut cause = error.source();
    while let Some(error) = cause {
        text = format!("{text}: {error}");
        cause = error.source();
    }
    text
}

/// Of nobody's server.
const STRANGER: &str = "-----BEGIN CERTIFICATE-----\n\
MIIBhzCCAS2gAwIBAgIUYLae5p6G2fzAWfXaUz8cYvoJ6MMwCgYIKoZIzj0EAwIw\n\
GDEWMBQGA1UEAwwNc29tZWJvZHkgZWxzZTAgFw0yNjExMTUxMTUzMTJaGA8yMTI2\n\
MTAyMjExNTMxMlowGDEWMBQGA1UEAwwNc29tZWJvZHkgZWxzZTBZMBMGByqGSM49\n\
AgEGCCqGSM49AwEHA0IABObTZ7PICSWKQdRJE/mH+v2e/g59L2HJz6jDHUVyHEE8\n\
X4ep+MruVezHKzgSUnW3yhAK4TGaizxxQkd4waU0crqjUzBRMB0GA1UdDgQWBBTz\n\
E/ZL1Y5/Lf6dIHD5FXhRXqiuQTAfBgNVHSMEGDAWgBTzE/ZL1Y5/Lf6dIHD5FXhR\n\
XqiuQTAPBgNVHRMBAf8EBTADAQH/MAoGCCqGSM49BAMCA0gAMEUCICBkHVxOEcP2\n\
IA+n3AMNCG1TxLHop0i0mKPj1MmAPUWLAiEAraWvMDloDO8rXlBJUJJO5W8NIE8Y\n\
RAPyx2jDe0kiXBU=\n\
-----END CERTIFICATE-----\n";

#[tokio::test]
async fn a_server_that_cannot_be_verified_is_refused() {
    let fixture = fixture().await;
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("root.pem");
    let verified = format!("sslmode=verify-full&sslrootcert={}", file.display());

    std::fs::write(&file, STRANGER).unwrap();
    let error = open(&url(&fixture, &verified)).await.unwrap_err();
    assert!(matches!(error, ConnectError::Connect(_)), "{error:?}");
    assert!(with_causes(&error).contains("certificate"), "{}", with_causes(&error));

    for content in ["", "no certificate"] {
        std::fs::write(&file, content).unwrap();
        let error = open(&url(&fixture, &verified)).await.unwrap_err();
        assert!(matches!(error, ConnectError::Certificates { .. }), "{error:?}");
    }
    std::fs::remove_file(&file).unwrap();
    let error = open(&url(&fixture, &verified)).await.unwrap_err();
    assert!(matches!(error, ConnectError::Certificates { .. }), "{error:?}");
    let error = open(&url(&fixture, "sslmode=verify-full")).await.unwrap_err();
    assert!(matches!(error, ConnectError::Address { .. }) && error.to_string().contains("sslrootcert"), "{error}");
}

#[tokio::test]
async fn a_wrong_address_says_so() {
    for (address, expected) in [
        ("rooms and seats", "the address is not one"),
        ("postgres://postgres@127.0.0.1:99999/postgres", "the address is not one"),
        ("postgres://postgres@127.0.0.1:5432/postgres?sslmode=perhaps", "the address is not one"),
        ("postgres://postgres@127.0.0.1:1/postgres", "cannot connect to Postgres"),
    ] {
        let text = with_causes(&open(address).await.unwrap_err());
        assert!(text.starts_with(expected), "{address}: {text}");
    }
    let fixture = fixture().await;
    let text = with_causes(&open(&fixture.url().replace("/test_", "/no_")).await.unwrap_err());
    assert!(text.starts_with("cannot connect to Postgres: ") && text.contains("does not exist"), "{text}");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn nodes_that_start_together_migrate_once() {
    let url = fresh_database().await.unwrap();
    let nodes = (0..8).map(|_| {
        let url = url.clone();
        tokio::spawn(async move { open(&url).await.unwrap() })
    });
    join_all(nodes).await.into_iter().for_each(|node| drop(node.unwrap()));
    let client = connect(&url).await.unwrap();
    let sql = "select count(*), count(distinct number) from schema_migrations";
    let row = client.query_one(sql, &[]).await.unwrap();
    assert_eq!(row.get::<_, i64>(0), row.get::<_, i64>(1));
    assert!(row.get::<_, i64>(0) >= 1);
}

async fn open_after(sql: &str) -> Result<PostgresStore, ConnectError> {
    let fixture = fixture().await;
    drop(fixture.store().await.unwrap());
    connect(fixture.url()).await.unwrap().batch_execute(sql).await.unwrap();
    open(fixture.url()).await
}

#[tokio::test]
async fn a_newer_schema_is_refused_unless_it_can_be_lived_with() {
    let newer = |usable_from: i64| {
        format!(
            "insert into schema_migrations (number, name, checksum, usable_from) values (99, 'new', 'x', {usable_from})"
        )
    };
    match open_after(&newer(99)).await {
        Err(ConnectError::Schema(SchemaError::TooNew { applied: 99, .. })) => {}
        other => panic!("{other:?}"),
    }
    open_after(&newer(1)).await.unwrap();
    match open_after("update schema_migrations set checksum = 'x' where number = 1").await {
        Err(ConnectError::Schema(SchemaError::Changed { number: 1 })) => {}
        other => panic!("{other:?}"),
    }
}

/// Seen from inside a lane's own transaction: settings belong to a session.
#[tokio::test]
async fn a_lane_writes_with_its_settings() {
    let fixture = fixture().await;
    let mut world = World::open(&fixture).await;
    let client = connect(fixture.url()).await.unwrap();
    client
        .batch_execute(
            "create table seen (name text, setting text, unit text);
             grant insert on seen to surehold_writer;
             create function spy() returns trigger language plpgsql as $$ begin
               insert into seen select name, setting, unit from pg_settings
               union all select 'role', current_user, null
               union all select 'surehold.writer', current_setting('surehold.writer'), null; return null; end $$;
             create trigger spy after insert on journal execute function spy();",
        )
        .await
        .unwrap();
    world.play("put room=1").await;
    let wanted = surehold_postgres::write_settings().split("; ").map(|set| set.strip_prefix("set ").unwrap());
    let wanted: Vec<(&str, &str)> = wanted.map(|setting| setting.split_once(" = ").unwrap()).collect();
    assert!(wanted.contains(&("synchronous_commit", "on")) && wanted.len() > 10, "{wanted:?}");
    for (name, value) in wanted {
        let row = client.query_one("select setting, unit from seen where lower(name) = $1", &[&name]).await.unwrap();
        let expected = match (value.trim_matches('\''), row.get::<_, Option<&str>>(1)) {
            (value, Some("ms")) => value.replace('s', "000"),
            (value, _) => value.to_owned(),
        };
        assert_eq!(row.get::<_, &str>(0), expected, "{name}");
    }
    let isolation = "select setting from seen where name = 'transaction_isolation'";
    assert_eq!(client.query_one(isolation, &[]).await.unwrap().get::<_, &str>(0), "read committed");
}

/// Two nodes sell the same rooms: turns meet in the database.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn two_nodes_sell_what_there_is() {
    let fixture = fixture().await;
    let mut world = World::open(&fixture).await;
    world.play("put room=60").await;
    let other = fixture.engine().await.unwrap();
    let repeated = new_id();
    let asked = (0..100).map(|n| {
        let engine = if n % 2 == 0 { world.engine.clone() } else { other.clone() };
        let id = if n % 10 == 0 { repeated } else { new_id() };
        let (tenant, place) = (world.tenant, PlaceHold::new(id, parse_lines("room=1")));
        tokio::spawn(async move { engine.run(tenant, place).await })
    });
    let answered: Vec<_> = join_all(asked).await.into_iter().map(Result::unwrap).collect();
    let sold = answered.iter().flatten().filter(|done| !done.replayed).count();
    let refused = answered.iter().filter(|answer| matches!(answer, Err(Failure::Refused(_)))).count();
    let replayed = answered.iter().flatten().filter(|done| done.replayed).count();
    assert_eq!((sold, sold + refused + replayed), (60, 100));
    let dump = world.audit().await;
    assert_eq!((dump.holds.len(), dump.pools[0].held), (60, 60));
}

/// A lane remembers what it wrote, for as long as nobody else writes: that there is no room, until another node lets go of it.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn nodes_forget_what_others_have_changed() {
    const ROUNDS: usize = 12;
    let fixture = fixture().await;
    let mut world = World::open(&fixture).await;
    world.play("put room=1; put seat=100").await;
    let (tenant, nodes) = (world.tenant, [world.engine.clone(), fixture.engine().await.unwrap()]);
    let place = |lines| PlaceHold::new(new_id(), parse_lines(lines));
    for round in 0..ROUNDS {
        let (node, other) = (&nodes[round % 2], &nodes[(round + 1) % 2]);
        for _ in 0..round % 4 {
            node.run(tenant, place("seat=1")).await.unwrap();
        }
        let hold = node.run(tenant, place("room=1")).await.unwrap().reply.hold;
        let refused = node.run(tenant, place("room=1")).await;
        assert!(matches!(refused, Err(Failure::Refused(_))), "{refused:?}");
        other.run(tenant, CancelHold { id: hold.id }).await.unwrap();
        let hold = node.run(tenant, place("room=1")).await.unwrap().reply.hold;
        node.run(tenant, CancelHold { id: hold.id }).await.unwrap();
    }
    let dump = world.audit().await;
    assert_eq!(dump.holds.len(), ROUNDS * 2 + ROUNDS / 4 * 6);
}

/// What the core allows and nothing else, whoever writes.
#[tokio::test]
async fn scopes_of_keys_are_checked_by_the_table() {
    let fixture = fixture().await;
    open(fixture.url()).await.unwrap();
    let client = connect(fixture.url()).await.unwrap();
    let sql = "insert into api_keys (tenant, id, name, scopes, secret_hash, created_at, version) \
               values ($1, $2, 'till', $3, decode(repeat('00', 32), 'hex'), now(), 1)";
    for (id, (tenant, scopes, expected)) in (1_i64..).zip([
        (1_i64, 16_i64, true),
        (1, 23, true),
        (0, 8, true),
        (1, 0, false),
        (1, 8, false),
        (0, 16, false),
        (1, 9, false),
        (1, 24, false),
        (0, 24, false),
        (1, 32, false),
    ]) {
        assert_eq!(client.execute(sql, &[&tenant, &id, &scopes]).await.is_ok(), expected, "{tenant} {scopes}");
    }
}
