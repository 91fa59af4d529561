//! The event feed: pages, and streams over real connections.

use std::net::SocketAddr;
use std::time::Duration;

use futures_util::future::join_all;
use serde_json::Value;
use surehold_http::ApiConfig;
use surehold_http::server::{Drained, Server, ServerConfig, bind_tcp};
use tokio::io::{AsyncBufReadExt, AsyncReadExt, AsyncWriteExt, BufReader};
use tokio::net::TcpStream;
use tokio::task::JoinHandle;

use super::world::{Answer, World, patiently};

fn serve(w: &World) -> (SocketAddr, JoinHandle<Drained>) {
    let listener = bind_tcp("127.0.0.1:0".parse().unwrap()).unwrap();
    let address = listener.local_addr().unwrap();
    let server = Server::new(w.api.router(), ServerConfig::default()).listen_tcp(listener, None);
    (address, tokio::spawn(server.run(w.stop.clone())))
}

/// A stream of server-sent events, read as it comes.
struct Live(BufReader<TcpStream>);

impl Live {
    async fn open(w: &World, address: SocketAddr, tenant: &str, headers: &str) -> Live {
        let mut socket = TcpStream::connect(address).await.unwrap();
        let request = format!(
            "GET /v1/{tenant}/events HTTP/1.1\r\nhost: test\r\naccept: text/event-stream\r\n\
             authorization: Bearer {}\r\n{headers}\r\n",
            w.key(tenant)
        );
        socket.write_all(request.as_bytes()).await.unwrap();
        let mut live = Live(BufReader::new(socket));
        let head = live.line().await;
        assert!(head.contains("200"), "{head}");
        let mut typed = false;
        loop {
            let line = live.line().await;
            typed |= line == "content-type: text/event-stream";
            if line.is_empty() {
                assert!(typed);
                return live;
            }
        }
    }

    async fn line(&mut self) -> String {
        let mut line = String::new();
        patiently(self.0.read_line(&mut line)).await.unwrap();
        line.trim_end().to_owned()
    }

    /// The next event and its id.
    async fn next(&mut self) -> (String, Value) {
        let mut id = String::new();
        loop {
            let line = self.line().await;
            if let Some(text) = line.strip_prefix("id: ") {
                text.clone_into(&mut id);
            }
            if let Some(data) = line.strip_prefix("data: ") {
                return (id, serde_json::from_str(data).unwrap());
            }
        }
    }

    async fn take(&mut self, count: usize) -> Vec<Value> {
        let mut events = Vec::new();
        for _ in 0..count {
            let (id, event) = self.next().await;
            assert_eq!(event["cursor"], id);
            events.push(event);
        }
        events
    }

    /// What is left until the server closes.
    async fn rest(mut self) -> String {
        let mut rest = String::new();
        let _ = patiently(self.0.read_to_string(&mut rest)).await;
        rest
    }
}

async fn put(w: &World, tenant: &str, total: u32) {
    w.check(&format!("PUT /v1/{tenant}/pools/room As:{tenant} {{\"total\":{total}}}"), 200, "").await;
}

/// The whole feed, in pages.
async fn listed(w: &World, tenant: &str, limit: u32, after: &str) -> Vec<Value> {
    let mut events = Vec::new();
    let mut after = after.to_owned();
    loop {
        let page = w.check(&format!("GET /v1/{tenant}/events?limit={limit}{after} As:{tenant}"), 200, "").await.json();
        let here = page["events"].as_array().unwrap().clone();
        assert!(here.len() <= usize::try_from(limit).unwrap());
        events.extend(here);
        after = format!("&after={}", page["next"].as_str().unwrap());
        if page["more"] == false {
            return events;
        }
    }
}

#[tokio::test]
async fn pages_join_without_gaps() {
    let w = World::new().await;
    // Many in one row of the journal, and one each in many rows.
    let pools: Vec<String> = (0..50).map(|n| format!(r#"{{"resource":"r{n}","total":1}}"#)).collect();
    w.check(&format!("PUT /v1/casa/pools {{\"pools\":[{}]}}", pools.join(",")), 200, "").await;
    for total in 0..40 {
        put(&w, "casa", total).await;
    }
    let whole = listed(&w, "casa", 1_000, "").await;
    assert_eq!(whole.len(), 2 + 50 + 40, "the tenant, its key, the pools");
    assert_eq!(whole[0]["type"], "tenant_created");
    assert_eq!(whole[1]["type"], "key_created");
    for limit in [1, 7, 49, 50, 51, 92, 93] {
        assert_eq!(listed(&w, "casa", limit, "").await, whole, "by {limit}");
    }
    for (index, event) in whole.iter().enumerate().step_by(7) {
        let after = format!("&after={}", event["cursor"].as_str().unwrap());
        assert_eq!(listed(&w, "casa", 13, &after).await, whole[index + 1..], "after {index}");
    }
    // The end is a place to come back to.
    let last = whole.last().unwrap()["cursor"].as_str().unwrap();
    w.check(
        &format!("GET /v1/casa/events?after={last}"),
        200,
        &format!(r#"{{"events":[],"next":"{last}","more":false}}"#),
    )
    .await;
    put(&w, "casa", 77).await;
    w.check(&format!("GET /v1/casa/events?after={last}"), 200, r#"{"events":[{"type":"pool_changed","total":77}]}"#)
        .await;
    for bad in
        ["after=x", "after=1", "after=-1-0", "after=1-0-0", "limit=0", "limit=1001", "after=99999999999999999999-0"]
    {
        w.check(&format!("GET /v1/casa/events?{bad}"), 400, "malformed-request").await;
    }
    w.check("GET /v1/casa/events Last-Event-ID:x", 400, "malformed-request").await;
}

#[tokio::test]
async fn every_kind_of_event_has_its_members() {
    let w = World::new().await;
    put(&w, "casa", 5).await;
    w.check(r#"PUT /v1/casa/policy {"owner_holds_max":7}"#, 200, "").await;
    w.check(r#"PUT /v1/casa/pools/suite {"total":1}"#, 200, "").await;
    for id in ["$a", "$b", "$c"] {
        let place =
            format!(r#"POST /v1/casa/holds {{"id":"{id}","lines":[{{"resource":"room"}}],"lifetime_secs":60}}"#);
        w.check(&place, 201, "").await;
    }
    w.check(r#"POST /v1/casa/holds/$a/extend Idempotency-Key:k {"by_secs":9}"#, 200, "").await;
    w.check(r#"POST /v1/casa/holds/$a/convert {"mode":"book"}"#, 200, "").await;
    w.check(
        r#"POST /v1/casa/holds/$a/move Idempotency-Key:k {"from":[{"resource":"room"}],"to":[{"resource":"suite"}]}"#,
        200,
        "",
    )
    .await;
    w.check("POST /v1/casa/holds/$a/give-back Idempotency-Key:k {}", 200, "").await;
    w.check("POST /v1/casa/holds/$b/cancel", 200, "").await;
    put(&w, "casa", 0).await;
    w.advance_secs(60);
    w.check(r#"POST /v1/casa/holds {"id":"$d","lines":[{"resource":"room"}]}"#, 409, "sold-out").await;
    let found = w.check("GET /v1/casa/events", 200, "").await.json();
    let kinds: Vec<&str> = found["events"].as_array().unwrap().iter().map(|e| e["type"].as_str().unwrap()).collect();
    assert_eq!(
        kinds,
        [
            "tenant_created",
            "key_created",
            "pool_changed",
            "policy_changed",
            "pool_changed",
            "hold_placed",
            "hold_placed",
            "hold_placed",
            "hold_extended",
            "hold_converted",
            "booked_moved",
            "booked_given_back",
            "hold_cancelled",
            "pool_changed",
            "pool_oversold",
            "hold_expired"
        ]
    );
    let expected = r#"{"events":[{"policy":{"owner_holds_max":100}},{},{"pool":{"resource":"room","slot":""},"total":5},
        {"policy":{"owner_holds_max":7}},{},{"hold":"$a","versions":[2]},{"hold":"$b"},{"hold":"$c"},{"hold":"$a"},
        {"hold":"$a","mode":"book","kept":[{"resource":"room","slot":"","quantity":1}],"versions":[5]},
        {"hold":"$a","from":[{"resource":"room"}],"to":[{"resource":"suite"}],
            "pools":[{"resource":"room"},{"resource":"suite"}],"versions":[6,2]},
        {"hold":"$a","lines":[{"resource":"suite"}],"versions":[3]},{"hold":"$b","versions":[7]},{"total":0,"version":8},
        {"oversold":1},{"hold":"$c","versions":[9]}],"more":false}"#;
    w.check("GET /v1/casa/events", 200, expected).await;
}

#[tokio::test]
async fn a_stream_gets_what_happens_and_goes_on_where_it_was() {
    let w = World::new().await;
    let (address, running) = serve(&w);
    put(&w, "casa", 1).await;
    let mut live = Live::open(&w, address, "casa", "").await;
    let mut other = Live::open(&w, address, "other", "").await;
    for total in 2..6 {
        put(&w, "casa", total).await;
    }
    let seen = live.take(4).await;
    let totals: Vec<u64> = seen.iter().map(|event| event["total"].as_u64().unwrap()).collect();
    assert_eq!(totals, [2, 3, 4, 5], "nothing from before, everything since");
    // Another tenant has heard nothing of it: its own event is its first.
    put(&w, "other", 9).await;
    assert_eq!(other.take(1).await[0]["total"], 9);

    for (index, event) in seen.iter().enumerate() {
        let resume = format!("last-event-id: {}\r\n", event["cursor"].as_str().unwrap());
        let mut resumed = Live::open(&w, address, "casa", &resume).await;
        assert_eq!(resumed.take(3 - index).await, seen[index + 1..]);
    }
    let mut whole = Live::open(&w, address, "casa", "last-event-id: 0-0\r\n").await;
    let all = listed(&w, "casa", 100, "").await;
    assert_eq!(whole.take(all.len()).await, all);

    w.stop.cancel();
    let drained = patiently(running).await.unwrap();
    assert_eq!(drained.cut, 0, "streams end by themselves when the server stops");
    for live in [live, other, whole] {
        let rest = live.rest().await;
        assert!(rest.ends_with("0\r\n\r\n"), "the answer is whole: {rest:?}");
    }
}

#[tokio::test]
async fn a_stream_in_the_middle_of_load_misses_nothing() {
    let w = World::new().await;
    let (address, _running) = serve(&w);
    w.check(r#"PUT /v1/casa/pools/room {"total":1000}"#, 200, "").await;
    let before = listed(&w, "casa", 1_000, "").await;
    let resume = format!("last-event-id: {}\r\n", before.last().unwrap()["cursor"].as_str().unwrap());
    let mut live = Live::open(&w, address, "casa", &resume).await;
    let holds = (0..200).map(|n| {
        let row = format!(r#"POST /v1/casa/holds Idempotency-Key:{n} {{"lines":[{{"resource":"room"}}]}}"#);
        let w = &w;
        async move { assert_eq!(w.ask(&row).await.status, 201) }
    });
    let (streamed, _) = tokio::join!(live.take(200), join_all(holds));
    let after =
        listed(&w, "casa", 100, &format!("&after={}", before.last().unwrap()["cursor"].as_str().unwrap())).await;
    assert_eq!(streamed, after);
    let versions: Vec<u64> = streamed.iter().map(|event| event["versions"][0].as_u64().unwrap()).collect();
    assert_eq!(versions, (2..202).collect::<Vec<_>>());
}

#[tokio::test]
async fn gone_cursors() {
    let w = World::new().await;
    for total in 0..5 {
        put(&w, "casa", total).await;
    }
    let whole = listed(&w, "casa", 100, "").await;
    let cursor = |index: usize| whole[index]["cursor"].as_str().unwrap().to_owned();
    w.advance_secs(10);
    w.engine.trim_journals(Duration::ZERO).await.unwrap();
    let gone = r#"{"code":"cursor-gone","cursor":"0-0"}"#;
    w.check(&format!("GET /v1/casa/events?after={}", cursor(1)), 410, gone).await;
    w.check(&format!("GET /v1/casa/events Last-Event-ID:{}", cursor(1)), 410, gone).await;
    w.check(&format!("GET /v1/casa/events Accept:text/event-stream Last-Event-ID:{}", cursor(1)), 410, gone).await;
    w.check("GET /v1/casa/events?after=9999-0", 410, gone).await;
    w.check("GET /v1/casa/events?after=9223372036854775807-0", 410, gone).await;
    // What is answered with the problem goes on from there.
    let rest = w.check("GET /v1/casa/events?after=0-0", 200, "").await.json();
    let rest = rest["events"].as_array().unwrap();
    assert!(!rest.is_empty() && rest.iter().all(|event| event["type"] == "journal_trimmed"), "{rest:?}");
    assert_eq!(listed(&w, "casa", 1, "").await, *rest);
    put(&w, "casa", 99).await;
    let after = rest.last().unwrap()["cursor"].as_str().unwrap();
    w.check(&format!("GET /v1/casa/events?after={after}"), 200, r#"{"events":[{"total":99}]}"#).await;
}

/// A stream that was slow ends rather than skip what is gone; who comes back is told.
#[tokio::test]
async fn a_stream_never_skips() {
    let w = World::new().await;
    for total in 0..5 {
        put(&w, "casa", total).await;
    }
    let cursor = listed(&w, "casa", 100, "").await[1]["cursor"].as_str().unwrap().to_owned();
    let row = format!("GET /v1/casa/events Accept:text/event-stream Last-Event-ID:{cursor}");
    let slow = w.call(w.request(&row)).await;
    assert_eq!(slow.status(), 200);
    w.advance_secs(10);
    w.engine.trim_journals(Duration::ZERO).await.unwrap();
    let told = Answer::of(slow).await.text();
    assert!(!told.contains("data:"), "{told}");
    w.check(&row, 410, "cursor-gone").await;
}

#[tokio::test]
async fn one_key_cannot_take_every_stream() {
    let w = World::with(ApiConfig { event_streams_max: 4, ..ApiConfig::default() }).await;
    let (address, _running) = serve(&w);
    let _one = Live::open(&w, address, "casa", "").await;
    let _two = Live::open(&w, address, "casa", "").await;
    w.check("GET /v1/casa/events Accept:text/event-stream", 429, r#"{"code":"too-many-streams"}"#).await;
    let _other = Live::open(&w, address, "other", "").await;
}

#[tokio::test]
async fn streams_have_a_limit() {
    let w = World::with(ApiConfig { event_streams_max: 2, ..ApiConfig::default() }).await;
    let (address, _running) = serve(&w);
    let one = Live::open(&w, address, "casa", "").await;
    let _two = Live::open(&w, address, "other", "").await;
    let refused = w.check("GET /v1/casa/events Accept:text/event-stream", 429, r#"{"code":"too-many-streams"}"#).await;
    assert_eq!(refused.header("retry-after"), "5");
    w.check("GET /v1/casa/events", 200, "").await;
    // A stream that is closed makes room, and those that were refused took none.
    drop(one);
    patiently(async {
        loop {
            let response = w.call(w.request("GET /v1/casa/events Accept:text/event-stream")).await;
            if response.status() == 200 {
                break;
            }
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
    })
    .await;
}

/// The promise of a second holds for those who are connected too.
#[tokio::test]
async fn a_stream_ends_when_its_key_is_revoked() {
    let w = World::new().await;
    let (address, _running) = serve(&w);
    let key = w.key("casa");
    let mut live = Live::open(&w, address, "casa", "").await;
    let id = key.trim_start_matches("sh_").rsplit_once('_').unwrap().0.to_owned();
    w.check(&format!("POST /admin/keys/{id}/revoke"), 200, "").await;
    let ends = async { while live.line().await != "0" {} };
    patiently(ends).await;
    // What happens afterwards is nobody's business here, and a local caller needs no key.
    w.check("GET /v1/casa/events As:admin", 200, "").await;
}
