//! Shutdown: what is in flight is finished, what is idle goes, what never ends is cut.

use std::time::{Duration, Instant};

use super::http2::{self, http2};
use super::world::{World, patient};
use surehold_http::server::{Drained, ServerConfig};
use tokio::net::TcpStream;

const SLOW: &[u8] = b"GET /slow HTTP/1.1\r\nhost: test\r\n\r\n";

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn requests_in_flight_are_finished() {
    let world = World::start(patient());
    let (mut busy, mut idle) = (world.connect().await, world.connect().await);
    let (mut http2_busy, http2_connection) = http2(TcpStream::connect(world.address).await.unwrap()).await;
    assert_eq!(idle.get_body("/").await, "hello");
    busy.send(SLOW).await;
    let http2_answer = tokio::spawn(async move { http2::get(&mut http2_busy, "/slow").await });
    world.slow_has_begun().await;
    world.slow_has_begun().await;

    world.begin_shutdown();
    assert_eq!(idle.rest().await, "", "an idle connection ends at once");
    // The idle connection was told to go after the listeners were closed.
    assert!(TcpStream::connect(world.address).await.is_err());

    world.go.add_permits(2);
    assert_eq!(busy.answer().await.body, "at last");
    assert_eq!(busy.rest().await, "");
    assert_eq!(http2_answer.await.unwrap(), (200, "at last".to_owned()));
    http2_connection.await.unwrap().unwrap();
    assert_eq!(world.shut_down().await, Drained { finished: 3, cut: 0 });
}

#[tokio::test]
async fn what_never_ends_is_cut() {
    let world = World::start(ServerConfig { drain_max: Duration::from_millis(300), ..patient() });
    let (mut endless, mut idle) = (world.connect().await, world.connect().await);
    assert_eq!(idle.get_body("/").await, "hello");
    endless.send(SLOW).await;
    world.slow_has_begun().await;
    let began_at = Instant::now();
    assert_eq!(world.shut_down().await, Drained { finished: 1, cut: 1 });
    assert!(began_at.elapsed() >= Duration::from_millis(300));
    assert_eq!(endless.rest().await, "");
}

#[tokio::test]
async fn connections_that_asked_nothing_do_not_hold_up_a_drain() {
    let world = World::start(patient());
    let mut silent = world.connect().await;
    world.metric_reaches("surehold_http_connections_open{listener=\"network\"}", 1).await;
    assert_eq!(world.shut_down().await, Drained { finished: 1, cut: 0 });
    assert_eq!(silent.rest().await, "");
}
