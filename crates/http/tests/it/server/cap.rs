//! The limit on connections.

use super::world::{Client, Doors, PATIENCE, World, brisk, patient};
use surehold_http::server::{LocalSocket, ServerConfig};
use tokio::net::UnixStream;

#[tokio::test]
async fn connections_beyond_the_limit_are_closed_and_counted() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("socket");
    let doors = Doors { local: Some(LocalSocket::bind(&path).await.unwrap()), ..Doors::default() };
    let config = ServerConfig { connections_max: 2, ..patient() };
    let world = World::start_with(config, doors);
    let (mut first, mut second) = (world.connect().await, world.connect().await);
    assert_eq!(first.get_body("/").await, "hello");
    assert_eq!(second.get_body("/").await, "hello");

    assert_eq!(world.connect().await.rest().await, "");
    assert_eq!(world.metric("surehold_http_connections_refused_total{listener=\"network\"}"), 1);

    let mut local = Client { io: UnixStream::connect(&path).await.unwrap() };
    assert_eq!(local.get_body("/").await, "hello", "the local socket has its own places");
    assert_eq!(first.get_body("/").await, "hello");
    assert_eq!(second.get_body("/").await, "hello");

    drop(first);
    world.metric_reaches("surehold_http_connections_open{listener=\"network\"}", 1).await;
    assert_eq!(world.connect().await.get_body("/").await, "hello");
}

#[tokio::test]
async fn idle_connections_make_room_when_others_are_refused() {
    let idle_timeout = PATIENCE * 2;
    let world = World::start(ServerConfig { connections_max: 2, idle_timeout, ..brisk() });
    let (mut idle, mut busy) = (world.connect().await, world.connect().await);
    assert_eq!(idle.get_body("/").await, "hello");
    busy.send(b"GET /slow HTTP/1.1\r\nhost: test\r\n\r\n").await;
    world.slow_has_begun().await;

    assert_eq!(world.connect().await.rest().await, "");
    assert_eq!(idle.rest().await, "", "long before its idle time is over");
    world.metric_reaches("surehold_http_connections_open{listener=\"network\"}", 1).await;
    assert_eq!(world.connect().await.get_body("/").await, "hello");
    world.go.add_permits(1);
    assert_eq!(busy.answer().await.body, "at last");
}
