//! Reading from a server: every reader sees its own tenant, whatever happened on its connection before.

use std::collections::BTreeSet;
use std::net::Ipv4Addr;
use std::sync::Arc;
use std::time::Duration;

use futures_util::future::join_all;
use surehold_core::kernel::TenantId;
use surehold_engine::{Fault, OwnedValue, Scope, Store};
use surehold_postgres::{PostgresConfig, PostgresStore};
use surehold_testkit::fixture::{Fixture, StoreKind, connect};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::watch;
use tokio::time::{sleep, timeout};

use crate::conformance::World;

const FIRST: Scope = Scope::Tenant(TenantId(1));
const SECOND: Scope = Scope::Tenant(TenantId(2));
/// Longer than anything waits for.
const SLOW: &str = "select 1::bigint from pg_sleep(28)";

/// Two tenants, each with a pool, and a store of its own for reading.
async fn two_tenants(readers: usize) -> (Fixture, Arc<PostgresStore>) {
    let fixture = Fixture::new(StoreKind::Postgres).await.unwrap();
    let mut world = World::open(&fixture).await;
    world.play("put room=1").await;
    world.neighbour(2).await.play("put room=1").await;
    world.engine.stop().await;
    let config = PostgresConfig { readers, ..PostgresConfig::new(fixture.url()) };
    (fixture, Arc::new(PostgresStore::connect(config).await.unwrap()))
}

/// The first column of what a query finds.
async fn ints(store: &PostgresStore, scope: Scope, sql: &str) -> Result<Vec<i64>, Fault> {
    let rows = store.query(scope, sql, Vec::new()).await?;
    Ok(rows.iter().map(|row| row.int(0).unwrap()).collect())
}

async fn pid(store: &PostgresStore) -> i64 {
    ints(store, FIRST, "select pg_backend_pid()::bigint").await.unwrap()[0]
}

#[tokio::test]
async fn a_read_sees_the_rows_of_its_scope() {
    let (_fixture, store) = two_tenants(1).await;
    let stranger = Scope::Tenant(TenantId(3));
    for (sql, scope, expected) in [
        ("select tenant from pools", FIRST, vec![1]),
        ("select tenant from pools", SECOND, vec![2]),
        ("select tenant from pools", stranger, vec![]),
        ("select tenant from pools order by tenant", Scope::Installation, vec![1, 2]),
        ("select tenant from pools where tenant = 2", FIRST, vec![]),
        ("select p.tenant from tenants t join pools p on p.tenant <> t.tenant", FIRST, vec![]),
        ("select tenant from tenants", FIRST, vec![1]),
        ("select tenant from tenants", SECOND, vec![2]),
        ("select distinct tenant from journal", FIRST, vec![1]),
        ("select distinct tenant from journal order by tenant", Scope::Installation, vec![0, 1, 2]),
        ("select claimed_by from slugs", FIRST, vec![]),
        ("select claimed_by from slugs order by claimed_by", Scope::Tenant(TenantId(0)), vec![1, 2]),
    ] {
        assert_eq!(ints(&store, scope, sql).await, Ok(expected), "{sql} as {scope:?}");
    }
}

#[tokio::test]
async fn a_read_changes_nothing() {
    let (_fixture, store) = two_tenants(1).await;
    for scope in [FIRST, Scope::Installation] {
        for sql in ["delete from pools returning tenant", "update pools set total = 9 returning tenant"] {
            assert_eq!(ints(&store, scope, sql).await, Err(Fault::Unavailable), "{sql} as {scope:?}");
        }
    }
    assert_eq!(ints(&store, Scope::Installation, "select total from pools").await, Ok(vec![1, 1]));
}

/// The same connection goes on, and shows the next reader nothing of the one that failed.
#[tokio::test]
async fn a_query_that_fails_leaves_nothing_behind() {
    let (_fixture, store) = two_tenants(1).await;
    let connection = pid(&store).await;
    for (scope, sql) in [
        (FIRST, "select 1 / (total - total) from pools"),
        (Scope::Installation, "select 1 / (total - total) from pools"),
        (FIRST, "select no_such_column from pools"),
        (Scope::Installation, "not even a query"),
    ] {
        assert_eq!(ints(&store, scope, sql).await, Err(Fault::Unavailable), "{sql}");
        store.clock().await.unwrap();
        assert_eq!(ints(&store, SECOND, "select tenant from pools").await, Ok(vec![2]), "after {sql}");
        assert_eq!(pid(&store).await, connection, "after {sql}");
    }
}

/// What is set for one read ends with it, when all goes well too.
#[tokio::test]
async fn a_read_leaves_nothing_set() {
    let (_fixture, store) = two_tenants(1).await;
    let tenant = "select coalesce(nullif(current_setting('surehold.tenant', true), ''), '0')::bigint";
    let is_reader = "select (current_user = 'surehold_reader')::int::bigint";
    for (scope, sql, expected) in [
        (FIRST, tenant, 1),
        (Scope::Installation, tenant, 0),
        (Scope::Installation, is_reader, 0),
        (FIRST, is_reader, 1),
        (Scope::Installation, tenant, 0),
    ] {
        assert_eq!(ints(&store, scope, sql).await, Ok(vec![expected]), "{sql} as {scope:?}");
    }
}

/// What cannot be sent leaves a transaction open; who turns away leaves an answer unread. Neither connection is used
/// again.
#[tokio::test]
async fn a_connection_in_an_unknown_state_is_replaced() {
    let (fixture, store) = two_tenants(1).await;
    let first = pid(&store).await;
    let text_for_a_number = vec![OwnedValue::Text("1".to_owned())];
    let unsent = store.query(FIRST, "select tenant from pools where tenant = $1", text_for_a_number).await;
    assert_eq!(unsent, Err(Fault::Unavailable));
    assert_eq!(ints(&store, SECOND, "select tenant from pools").await, Ok(vec![2]));
    let second = pid(&store).await;
    assert_ne!(second, first);

    let client = connect(fixture.url()).await.unwrap();
    let busy =
        "select count(*) from pg_stat_activity where datname = current_database() and pid = $1 and state = 'active'";
    let busy_count =
        async || client.query_one(busy, &[&i32::try_from(second).unwrap()]).await.unwrap().get::<_, i64>(0);
    let under_way = async {
        while busy_count().await == 0 {
            sleep(Duration::from_millis(20)).await;
        }
    };
    tokio::select! {
        rows = ints(&store, FIRST, SLOW) => panic!("it is slow: {rows:?}"),
        () = under_way => {}
    }
    assert_eq!(ints(&store, SECOND, "select tenant from pools").await, Ok(vec![2]));
    assert_ne!(pid(&store).await, second);
    // The server does not go on with what nobody waits for.
    let there = "select count(*) from pg_stat_activity where datname = current_database() and pid = $1";
    let ended = async {
        while client.query_one(there, &[&i32::try_from(second).unwrap()]).await.unwrap().get::<_, i64>(0) > 0 {
            sleep(Duration::from_millis(50)).await;
        }
    };
    timeout(Duration::from_mins(1), ended).await.unwrap();
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn many_readers_share_a_few_connections() {
    const READERS: usize = 3;
    let (_fixture, store) = two_tenants(READERS).await;
    let reads = (0..400).map(|n| {
        let store = Arc::clone(&store);
        tokio::spawn(async move {
            let tenant = 1 + n % 2;
            let sql = "select tenant, pg_backend_pid()::bigint from pools";
            let rows = store.query(Scope::Tenant(TenantId(tenant)), sql, Vec::new()).await.unwrap();
            assert_eq!((rows.len(), rows[0].int(0).unwrap()), (1, tenant));
            rows[0].int(1).unwrap()
        })
    });
    let connections: BTreeSet<i64> = join_all(reads).await.into_iter().map(Result::unwrap).collect();
    assert!((1..=READERS).contains(&connections.len()), "{connections:?}");
}

#[tokio::test]
async fn whoever_waits_too_long_for_a_reader_is_told_that_all_are_busy() {
    let (_fixture, store) = two_tenants(1).await;
    pid(&store).await;
    let slow = Arc::clone(&store);
    let slow = tokio::spawn(async move { ints(&slow, FIRST, SLOW).await });
    // Until the slow one has got the connection.
    let refused = async {
        loop {
            if let Err(fault) = ints(&store, SECOND, "select tenant from pools").await {
                break fault;
            }
        }
    };
    assert_eq!(timeout(Duration::from_secs(20), refused).await, Ok(Fault::Busy));
    slow.abort();
}

#[tokio::test]
async fn killed_readers_are_replaced() {
    let (fixture, store) = two_tenants(2).await;
    let client = connect(fixture.url()).await.unwrap();
    let kill = "select count(pg_terminate_backend(pid, 5000)) from pg_stat_activity \
                where application_name = 'surehold' and datname = current_database()";
    let mut connections = BTreeSet::from([pid(&store).await]);
    for _ in 0..3 {
        assert!(client.query_one(kill, &[]).await.unwrap().get::<_, i64>(0) > 0);
        let read_again = async {
            loop {
                match ints(&store, SECOND, "select pg_backend_pid()::bigint from pools").await {
                    Ok(found) => break found[0],
                    Err(fault) => assert_eq!(fault, Fault::Unavailable),
                }
            }
        };
        let connection = timeout(Duration::from_secs(20), read_again).await.unwrap();
        assert!(connections.insert(connection), "{connection} was killed");
    }
}

/// Carries one connection after the other to the server. While it listens for a text, the server's answers wait until
/// the client has sent it.
struct Relay {
    port: u16,
    listens_for: watch::Sender<Option<&'static [u8]>>,
}

impl Relay {
    async fn start(server_port: u16) -> Relay {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).await.unwrap();
        let port = listener.local_addr().unwrap().port();
        let listens_for = watch::Sender::new(None);
        let shared = listens_for.clone();
        tokio::spawn(async move {
            while let Ok((client, _)) = listener.accept().await {
                let server = TcpStream::connect((Ipv4Addr::LOCALHOST, server_port)).await.unwrap();
                tokio::spawn(Relay::carry(client, server, shared.clone()));
            }
        });
        Relay { port, listens_for }
    }

    async fn carry(client: TcpStream, server: TcpStream, listens_for: watch::Sender<Option<&'static [u8]>>) {
        let ((mut client_in, mut client_out), (mut server_in, mut server_out)) =
            (client.into_split(), server.into_split());
        let mut heard = listens_for.subscribe();
        let up = async {
            let (mut said, mut sent) = (Vec::new(), 0);
            while client_in.read_buf(&mut said).await.is_ok_and(|bytes| bytes > 0) {
                server_out.write_all(&said[sent..]).await.unwrap();
                // The text may have come in two parts; a whole one from before does not count.
                let hears = |text: &[u8]| {
                    let new = sent.saturating_sub(text.len() - 1);
                    said[new..].windows(text.len()).any(|part| part == text)
                };
                listens_for.send_if_modified(|text| text.is_some_and(hears) && text.take().is_some());
                sent = said.len();
            }
        };
        let down = async {
            let mut answer = Vec::new();
            while server_in.read_buf(&mut answer).await.is_ok_and(|bytes| bytes > 0) {
                heard.wait_for(Option::is_none).await.unwrap();
                client_out.write_all(&answer).await.unwrap();
                answer.clear();
            }
        };
        tokio::join!(up, down);
    }
}

#[tokio::test]
async fn a_prepared_read_is_one_round_trip() {
    let (fixture, _store) = two_tenants(1).await;
    let (_, rest) = fixture.url().split_once("127.0.0.1:").unwrap();
    let (port, _) = rest.split_once('/').unwrap();
    let relay = Relay::start(port.parse().unwrap()).await;
    let url = fixture.url().replace(&format!(":{port}/"), &format!(":{}/", relay.port));
    let store = PostgresStore::connect(PostgresConfig { readers: 1, ..PostgresConfig::new(url) }).await.unwrap();
    for scope in [FIRST, Scope::Installation] {
        let sql = "select tenant from pools order by tenant";
        let first = ints(&store, scope, sql).await.unwrap();
        // No answer, not even to the begin, comes before the commit was sent.
        relay.listens_for.send_replace(Some(b"commit\0"));
        let again = timeout(Duration::from_secs(20), ints(&store, scope, sql)).await;
        assert_eq!(again, Ok(Ok(first)));
        assert_eq!(*relay.listens_for.borrow(), None, "the commit was heard");
    }
}
