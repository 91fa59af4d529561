//! 10,000 malformed requests of every kind against the real binary: nothing fails, nothing is kept, nothing breaks.
//!
//! `SUREHOLD_MALFORMED_REQUESTS` sets another count, `SUREHOLD_MALFORMED_SEED` repeats a run.

mod answers;
mod live;
mod random;
mod requests;
mod spoil;
mod values;

use std::collections::BTreeMap;
use std::io::{self, Read, Write};
use std::net::{Shutdown, TcpStream};
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use serde_json::{Value, json};
use uuid::Uuid;

use live::{LiveServer, PATIENCE};
use random::Random;
use requests::World;
use spoil::Spoilt;

const REQUESTS: usize = 10_000;
const SEED: u64 = 3;
const CLIENTS: usize = 16;
/// How long a client waits before it says that nothing more will come: many requests promise more than they have.
const PAUSE: Duration = Duration::from_millis(40);
const WARM_UP: usize = 3_000;
/// What differs by chance is half of it; a leak of 7 KiB a request is found by the short run, one of 70 bytes by a
/// million.
const MEMORY_GROWTH_KIB_MAX: i64 = 32 << 10;

#[test]
fn malformed_requests_do_no_harm() {
    let requests = setting("SUREHOLD_MALFORMED_REQUESTS").map_or(REQUESTS, |count| count.try_into().unwrap());
    let seed = setting("SUREHOLD_MALFORMED_SEED").unwrap_or(SEED);
    let mut server = LiveServer::start();
    let world = World::create(&server);
    let bystander = Bystander::create(&server);

    // Only then has the allocator met the largest requests at once, and keeps what they need.
    attack(&server, &world, seed, requests..requests + WARM_UP);
    let half = requests / 2;
    let mut statuses = attack(&server, &world, seed, 0..half);
    let memory_half = server.resident_kib();
    for (status, count) in attack(&server, &world, seed, half..requests) {
        *statuses.entry(status).or_default() += count;
    }
    let memory_end = server.resident_kib();

    eprintln!("seed {seed}: {statuses:?}; {memory_half} KiB after half, {memory_end} KiB at the end");
    assert!(server.is_running(), "the server ended:\n{}", server.log());
    bystander.assert_unharmed(&server);
    let log = server.log();
    let trouble = log.lines().find(|line| line.contains("panicked") || line.contains(" ERROR "));
    assert_eq!(trouble, None, "seed {seed}");
    assert!(
        memory_end - memory_half <= MEMORY_GROWTH_KIB_MAX,
        "{memory_half} KiB became {memory_end} KiB; seed {seed}"
    );
    assert_worth_it(&statuses, requests);
}

fn setting(name: &str) -> Option<u64> {
    std::env::var(name).ok().map(|text| text.parse().unwrap_or_else(|_| panic!("{name} is a number, not {text:?}")))
}

/// A run that everybody turned away at the door would prove nothing.
fn assert_worth_it(statuses: &BTreeMap<u16, usize>, requests: usize) {
    let answered: usize = statuses.values().sum();
    assert!(answered * 10 >= requests * 7, "only {answered} answers: {statuses:?}");
    for (status, share) in
        [(200, 20), (400, 20), (401, 200), (404, 100), (405, 200), (413, 1_000), (415, 1_000), (422, 20)]
    {
        let count = statuses.get(&status).copied().unwrap_or(0);
        assert!(count * share >= requests, "{count} answers with status {status}: {statuses:?}");
    }
}

/// Sends the requests with these numbers and counts the answers by status.
fn attack(server: &LiveServer, world: &World, seed: u64, numbers: std::ops::Range<usize>) -> BTreeMap<u16, usize> {
    let next = AtomicUsize::new(numbers.start);
    let statuses = Mutex::new(BTreeMap::new());
    std::thread::scope(|scope| {
        for _ in 0..CLIENTS {
            scope.spawn(|| {
                loop {
                    let number = next.fetch_add(1, Ordering::Relaxed);
                    if number >= numbers.end {
                        return;
                    }
                    // Each request has its own seed, so that one can be repeated without those before it.
                    let mut random = Random::new(seed << 32 | u64::try_from(number).unwrap());
                    let request = world.request(number, &mut random);
                    let operation = request.operation.clone();
                    let spoilt = spoil::spoil(request, &mut random);
                    let outcome = send(server, &spoilt).and_then(|received| answers::check(&spoilt.bytes, &received));
                    let answers = outcome.unwrap_or_else(|wrong| {
                        let start = &spoilt.bytes[..spoilt.bytes.len().min(2_000)];
                        let sent = String::from_utf8_lossy(start);
                        panic!("request {number} of seed {seed}, made from {operation:?}\nsent: {sent:?}\n{wrong}")
                    });
                    let mut statuses = statuses.lock().unwrap();
                    for status in answers {
                        *statuses.entry(status).or_default() += 1;
                    }
                }
            });
        }
    });
    statuses.into_inner().unwrap()
}

/// What came back; nothing, when the request hangs up at once.
fn send(server: &LiveServer, spoilt: &Spoilt) -> Result<Vec<u8>, String> {
    let mut socket = TcpStream::connect(server.address).map_err(|error| format!("cannot connect: {error}"))?;
    // The server may answer and close before it has everything; what it said counts, not what it did not read.
    let _ = socket.write_all(&spoilt.bytes);
    if spoilt.hang_up {
        return Ok(Vec::new());
    }
    let mut received = Vec::new();
    if !read_for(&mut socket, &mut received, PAUSE)? {
        let _ = socket.shutdown(Shutdown::Write);
        if !read_for(&mut socket, &mut received, PATIENCE)? {
            return Err("the connection stays open although nothing more can come".to_owned());
        }
    }
    Ok(received)
}

/// Whether the other side has closed.
fn read_for(socket: &mut TcpStream, received: &mut Vec<u8>, pause: Duration) -> Result<bool, String> {
    socket.set_read_timeout(Some(pause)).map_err(|error| error.to_string())?;
    match socket.read_to_end(received) {
        Ok(_) => Ok(true),
        Err(error) => match error.kind() {
            io::ErrorKind::WouldBlock | io::ErrorKind::TimedOut => Ok(false),
            // Closed with bytes of ours unread.
            io::ErrorKind::ConnectionReset | io::ErrorKind::BrokenPipe => Ok(true),
            _ => Err(error.to_string()),
        },
    }
}

/// A tenant that takes no part: whatever happens around it, its numbers stay right.
struct Bystander {
    key: String,
}

impl Bystander {
    fn create(server: &LiveServer) -> Bystander {
        server.administer("POST", "/admin/tenants", &json!({"slug": "bystander"}));
        let key = json!({"tenant": "bystander", "name": "till", "scopes": ["read", "sell", "manage"]});
        let key = server.administer("POST", "/admin/keys", &key);
        server.administer("PUT", "/v1/bystander/pools/seat", &json!({"total": 1}));
        Bystander { key: key["key"].as_str().unwrap().to_owned() }
    }

    fn assert_unharmed(&self, server: &LiveServer) {
        let check = |method: &str, path: &str, body: &Value, expected: u16| -> Value {
            let (status, answer) = server.ask(&self.key, method, path, body);
            assert_eq!(status, expected, "{method} {path}: {answer}");
            answer
        };
        let hold = |id: Uuid| json!({"id": id, "lines": [{"resource": "seat"}]});
        check("GET", "/healthz", &Value::Null, 200);
        check("GET", "/readyz", &Value::Null, 200);
        let first = Uuid::now_v7();
        assert_eq!(check("POST", "/v1/bystander/holds", &hold(first), 201)["state"], "active");
        assert_eq!(check("POST", "/v1/bystander/holds", &hold(Uuid::now_v7()), 409)["code"], "sold-out");
        assert_eq!(check("GET", &format!("/v1/bystander/holds/{first}"), &Value::Null, 200)["version"], 1);
        assert_eq!(check("GET", "/v1/bystander/pools/seat", &Value::Null, 200)["held"], 1);
    }
}
