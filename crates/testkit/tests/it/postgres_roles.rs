//! Who may do what on a server: the writer owns nothing, the reader sees one tenant, and who serves need not be who
//! migrates.

use std::sync::Arc;

use futures_util::future::join_all;
use surehold_core::kernel::TenantId;
use surehold_engine::{Engine, EngineConfig, Store};
use surehold_postgres::{ConnectError, PostgresConfig, PostgresStore, facts_for_doctor, migrate, migrations_pending};
use surehold_testkit::fixture::{Fixture, StoreKind, connect, fresh_database, own_postgres};
use surehold_testkit::private_postgres::PrivatePostgres;
use tokio_postgres::Client;
use uuid::Uuid;

use crate::conformance::World;

async fn migrated() -> (Fixture, Client) {
    let fixture = Fixture::new(StoreKind::Postgres).await.unwrap();
    migrate(fixture.url()).await.unwrap();
    let client = connect(fixture.url()).await.unwrap();
    (fixture, client)
}

async fn open(url: &str) -> Result<PostgresStore, ConnectError> {
    PostgresStore::connect(PostgresConfig::new(url)).await
}

async fn names(client: &Client, sql: &str) -> Vec<String> {
    client.query(sql, &[]).await.unwrap().iter().map(|row| row.get(0)).collect()
}

/// Tables with a tenant that lack row security, one of the two policies, or have a third.
const UNPROTECTED: &str = "select c.relname::text from pg_class c join pg_attribute a on a.attrelid = c.oid \
    where c.relkind in ('r', 'p') and c.relnamespace = 'public'::regnamespace \
    and a.attname = 'tenant' and not a.attisdropped and not (c.relrowsecurity and array( \
        select concat_ws(' ', polname, polroles::regrole[]::text, polcmd, polpermissive, \
            pg_get_expr(polqual, polrelid), pg_get_expr(polwithcheck, polrelid)) \
        from pg_policy where polrelid = c.oid order by polname) = array[ \
        'reading {surehold_reader} r t (tenant = ( SELECT (NULLIF(current_setting(''surehold.tenant''::text, true), \
''''::text))::bigint AS \"nullif\"))', \
        'writing {surehold_writer} * t true true']) order by 1";

/// Privileges of the two roles that are not those they are meant to have.
const WRONG_GRANTS: &str = "select c.relname || ' ' || r.rolname || ' ' || p.privilege \
    from pg_class c, pg_roles r, \
    unnest(array['select', 'insert', 'update', 'delete', 'truncate', 'references', 'trigger']) p(privilege) \
    where c.relkind in ('r', 'p') and c.relnamespace = 'public'::regnamespace \
    and r.rolname in ('surehold_writer', 'surehold_reader') \
    and has_table_privilege(r.oid, c.oid, p.privilege) <> case \
        when c.relname = 'schema_migrations' then r.rolname = 'surehold_writer' and p.privilege = 'select' \
        when r.rolname = 'surehold_reader' then p.privilege = 'select' \
        when c.relname = 'journal' then p.privilege in ('select', 'insert', 'delete') \
        else p.privilege in ('select', 'insert', 'update', 'delete') end order by 1";

#[tokio::test]
async fn every_table_with_a_tenant_is_protected() {
    let (_fixture, client) = migrated().await;
    assert_eq!(names(&client, UNPROTECTED).await, [""; 0]);
    assert_eq!(names(&client, WRONG_GRANTS).await, [""; 0]);
    // What is forgotten or altered is found.
    client
        .batch_execute(
            "create table forgotten (tenant bigint);
             create table shown (tenant bigint);
             select surehold_protect('shown');
             create policy third on shown for select to surehold_reader using (true);
             create table opened (tenant bigint);
             select surehold_protect('opened');
             alter policy reading on opened using (true);
             grant truncate on opened to surehold_writer;
             alter table pools disable row level security",
        )
        .await
        .unwrap();
    assert_eq!(names(&client, UNPROTECTED).await, ["forgotten", "opened", "pools", "shown"]);
    let wrong = names(&client, WRONG_GRANTS).await;
    assert!(wrong.contains(&"forgotten surehold_reader select".to_owned()), "{wrong:?}");
    assert!(wrong.contains(&"opened surehold_writer truncate".to_owned()), "{wrong:?}");
}

#[tokio::test]
async fn a_reader_without_a_tenant_sees_nothing() {
    let fixture = Fixture::new(StoreKind::Postgres).await.unwrap();
    let mut world = World::open(&fixture).await;
    world.play("put room=1").await;
    let client = connect(fixture.url()).await.unwrap();
    client.batch_execute("set role surehold_reader").await.unwrap();
    let sees = async || client.query_one("select count(*) from pools", &[]).await.unwrap().get::<_, i64>(0);
    assert_eq!(sees().await, 0, "before any tenant was set");
    client.batch_execute("begin; set local surehold.tenant = '1'").await.unwrap();
    assert_eq!(sees().await, 1);
    client.batch_execute("commit").await.unwrap();
    assert_eq!(sees().await, 0, "the setting ended with the transaction");
    client.batch_execute("set surehold.tenant = 'all of them'").await.unwrap();
    client.query("select 1 from pools", &[]).await.unwrap_err();
}

#[tokio::test]
async fn the_writer_owns_nothing() {
    let (fixture, client) = migrated().await;
    client.batch_execute("alter table journal add column written_by text default current_user").await.unwrap();
    let mut world = World::open(&fixture).await;
    world.play("put room=1").await;
    assert_eq!(names(&client, "select distinct written_by from journal").await, ["surehold_writer"]);
    let owned = "select tablename::text from pg_tables where tableowner like 'surehold%'";
    assert_eq!(names(&client, owned).await, [""; 0]);
}

/// A login of the test server that can do nothing by itself.
async fn new_login(client: &Client, can: &str) -> String {
    let login = format!("login_{}", Uuid::now_v7().simple());
    client.batch_execute(&format!("create role {login} login {can}")).await.unwrap();
    login
}

fn as_login(url: &str, login: &str) -> String {
    url.replace("//postgres@", &format!("//{login}@"))
}

#[tokio::test]
async fn a_member_serves_and_does_not_migrate() {
    // A member that inherits nothing has to act as its roles even to look.
    for can in ["inherit", "noinherit"] {
        let (fixture, client) = migrated().await;
        let login = new_login(&client, can).await;
        let url = as_login(fixture.url(), &login);
        match open(&url).await {
            Err(ConnectError::NotAMember { sql, .. }) => client.batch_execute(&sql).await.unwrap(),
            other => panic!("{other:?}"),
        }
        assert_eq!(migrations_pending(&url).await.unwrap(), [""; 0]);
        assert_eq!(migrate(&url).await.unwrap(), [""; 0], "there is nothing to do");
        let store: Arc<dyn Store> = Arc::new(open(&url).await.unwrap());
        let engine = Engine::start(store, EngineConfig::default()).unwrap();
        let mut world = World::enter(&fixture, engine, TenantId(1)).await;
        world.play("put room=2; hold a room=1; show room").await;
        world.audit().await;
        world.engine.stop().await;

        client.batch_execute("delete from schema_migrations where number >= 3").await.unwrap();
        let lacks = |result: Result<(), ConnectError>| match result {
            Err(ConnectError::MustMigrate { login: told, names }) => {
                assert_eq!((told.as_str(), names[0].as_str()), (login.as_str(), "0003_reading_role"));
            }
            other => panic!("{other:?}"),
        };
        lacks(open(&url).await.map(drop));
        lacks(migrate(&url).await.map(drop));
        // As before there were any grants.
        client.batch_execute("revoke select on schema_migrations from surehold_writer").await.unwrap();
        lacks(open(&url).await.map(drop));
    }
}

#[tokio::test]
async fn a_login_that_may_do_nothing_is_told_who_may() {
    let url = fresh_database().await.unwrap();
    let client = connect(&url).await.unwrap();
    let login = new_login(&client, "").await;
    let error = open(&as_login(&url, &login)).await.unwrap_err();
    assert!(matches!(&error, ConnectError::MustMigrate { names, .. } if names.len() >= 3), "{error:?}");
    assert!(error.to_string().contains("surehold migrate --store"), "{error}");
}

/// Restored by somebody who did not make the roles first: Postgres leaves the grants out.
#[tokio::test]
async fn tables_without_their_grants_are_not_served() {
    let (fixture, client) = migrated().await;
    client.batch_execute("revoke all on tenants from surehold_reader").await.unwrap();
    match open(fixture.url()).await {
        Err(ConnectError::TablesClosed { role: "surehold_reader" }) => {}
        other => panic!("{other:?}"),
    }
}

#[tokio::test]
async fn migrating_tells_what_it_did() {
    let url = fresh_database().await.unwrap();
    let all = migrations_pending(&url).await.unwrap();
    assert_eq!((all[0].as_str(), all[2].as_str()), ("0001_kernel", "0003_reading_role"));
    assert_eq!(migrate(&url).await.unwrap(), all);
    assert_eq!(migrations_pending(&url).await.unwrap(), [""; 0]);
    assert_eq!(migrate(&url).await.unwrap(), [""; 0]);
}

/// A database on a server that has never seen Surehold.
async fn new_database(server: &PrivatePostgres, name: &str, owner: &str) -> String {
    let client = connect(&server.url()).await.unwrap();
    client.batch_execute(&format!("create database {name} owner {owner}")).await.unwrap();
    as_login(&server.url().replace("/postgres?", &format!("/{name}?")), owner)
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn databases_of_one_server_migrate_at_once() {
    let server = own_postgres();
    let admin = connect(&server.url()).await.unwrap();
    admin.batch_execute("create role one login createrole; create role two login createrole").await.unwrap();
    let first = new_database(&server, "first", "one").await;
    let second = new_database(&server, "second", "two").await;
    let third = new_database(&server, "third", "two").await;
    let nodes = (0..12).map(|n| {
        let url = [&first, &second, &third][n % 3].clone();
        tokio::spawn(async move { open(&url).await.map(drop) })
    });
    for node in join_all(nodes).await {
        node.unwrap().unwrap();
    }
}

/// Each error says what has to be run; once it was, things go on.
#[tokio::test]
async fn who_may_not_make_roles_is_told_what_an_administrator_does() {
    let server = own_postgres();
    let admin = connect(&server.url()).await.unwrap();
    admin.batch_execute("create role \"The Owner\" login; create role another login").await.unwrap();
    let url = new_database(&server, "first", "postgres").await;
    admin.batch_execute("alter database first owner to \"The Owner\"").await.unwrap();
    let url = as_login(&url, "The%20Owner");
    match migrate(&url).await {
        Err(ConnectError::RolesMissing { sql, .. }) => {
            assert!(sql.starts_with("CREATE ROLE surehold_writer NOLOGIN; "), "{sql}");
            admin.batch_execute(&sql).await.unwrap();
        }
        other => panic!("{other:?}"),
    }
    assert!(migrate(&url).await.unwrap().len() >= 3);
    open(&url).await.unwrap();

    let url = new_database(&server, "second", "another").await;
    match open(&url).await {
        Err(ConnectError::NotAMember { sql, .. }) => admin.batch_execute(&sql).await.unwrap(),
        other => panic!("{other:?}"),
    }
    open(&url).await.unwrap();
}

#[tokio::test]
async fn the_doctor_sees_the_server_and_the_login() {
    let (fixture, client) = migrated().await;
    let facts = facts_for_doctor(fixture.url()).await.unwrap();
    for (setting, seen) in [
        ("server_version", facts.server_version.clone()),
        ("synchronous_commit", facts.synchronous_commit.clone()),
        ("default_transaction_isolation", facts.default_transaction_isolation.clone()),
        ("max_connections", facts.connections_max.to_string()),
        ("fsync", on_or_off(facts.fsync)),
        ("full_page_writes", on_or_off(facts.full_page_writes)),
        ("data_checksums", on_or_off(facts.data_checksums)),
    ] {
        assert_eq!(names(&client, &format!("select current_setting('{setting}')")).await, [seen], "{setting}");
    }
    assert!((2..facts.connections_max).contains(&facts.connections_used), "{facts:?}");
    assert!(facts.clock_ahead_ms.abs() < 5_000, "one machine has one clock: {facts:?}");
    let login = |facts: &surehold_postgres::PostgresFacts| {
        (facts.login_is_superuser, facts.login_bypasses_row_security, facts.login_owns_tables)
    };
    assert_eq!((facts.login.as_str(), login(&facts)), ("postgres", (true, true, true)));
    assert!(!facts.is_in_recovery && !facts.tls);

    let url = fixture.url().replace("sslmode=disable", "sslmode=require");
    let name = new_login(&client, "").await;
    let facts = facts_for_doctor(&as_login(&url, &name)).await.unwrap();
    assert_eq!((&facts.login, login(&facts), facts.tls), (&name, (false, false, false), true));
}

fn on_or_off(is_on: bool) -> String {
    if is_on { "on" } else { "off" }.to_owned()
}
