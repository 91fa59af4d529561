//! The limit on connections.

use super::world::{Client, Doors, World, brisk};
use surehold_http::server::{LocalSocket, ServerConfig};
use tokio::net::UnixStream;

#[tokio::test]
async fn connections_beyond_the_limit_are_closed_and_counted() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("socket");
    let doors = Doors { local: Some(LocalSocket::bind(&path).await.unwrap()), ..Doors::default() };
    let world = World::start_with(ServerConfig { connections_max: 2, ..brisk() }, doors);
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
