//! The fake payment provider, seen by a client that looks at every byte.

mod client;

use std::collections::BTreeMap;
use std::io::{BufRead, BufReader};
use std::process::{Command, Stdio};

use serde_json::json;
use surehold_simulators::provider::{
    ControlError, FakeProvider, KEY_LIFETIME_SECS, ProviderControl, ProviderFault, RandomFaults,
};
use tokio::io::AsyncWriteExt;

use client::{Answer, Client, summary};

fn body(amount: i64, operation: &str) -> String {
    json!({ "amount": amount, "metadata": { "operation": operation } }).to_string()
}

fn faults(text: &[&str]) -> Vec<ProviderFault> {
    text.iter().map(|fault| fault.parse().unwrap()).collect()
}

/// Asks once under the fault and once more with the same key and body; after each, what the client saw and how many
/// charges there are.
#[tokio::test]
async fn each_fault_does_what_it_says() {
    let check = async |fault: &str, expected: [&str; 2]| {
        let provider = FakeProvider::start().await;
        provider.queue_faults(&faults(&[fault]));
        let mut seen = Vec::new();
        for _ in 0..2 {
            let answer = Client::new(&provider.url()).await.charge("k", &body(500, "refund-1")).await;
            seen.push(format!("{}; charges {}", summary(answer.as_ref()), provider.report().charges_of("refund-1")));
        }
        assert_eq!(seen, expected, "{fault}");
        let report = provider.report();
        assert_eq!(report.faults, BTreeMap::from([(fault.split(':').next().unwrap().to_owned(), 1)]), "{fault}");
        assert_eq!((report.requests, report.faults_queued, report.waiting), (2, 0, 0), "{fault}");
        assert_eq!(report.replays, u64::from(expected[1].contains("replayed")), "{fault}");
    };
    check("accept_then_drop", ["hung up; charges 1", "200 ch_1 replayed; charges 1"]).await;
    check("accept_then_500", ["500 api_error; charges 1", "500 api_error replayed; charges 1"]).await;
    check("late:1", ["200 ch_1; charges 1", "200 ch_1 replayed; charges 1"]).await;
    check("drop_before", ["hung up; charges 0", "200 ch_1; charges 1"]).await;
    check("twice", ["200 ch_1; charges 1", "200 ch_1 replayed; charges 1"]).await;
    let declined = ["402 card_declined expired_card; charges 0", "402 card_declined expired_card replayed; charges 0"];
    check("reject:expired_card", declined).await;
    check("busy:7", ["429 rate_limit retry-after=7; charges 0", "200 ch_1; charges 1"]).await;
    check("garbage", ["200 not-json; charges 1", "200 ch_1 replayed; charges 1"]).await;
    check("unavailable", ["503 unavailable; charges 0", "200 ch_1; charges 1"]).await;
}

/// The same with a stored answer: what happens on the way strikes, what decides about the charge waits for a new one.
#[tokio::test]
async fn replays_suffer_what_happens_on_the_way() {
    let check = async |fault: &str, replay: &str, next: &str| {
        let provider = FakeProvider::start().await;
        let url = provider.url();
        let charge = async |key: &str| Client::new(&url).await.charge(key, &body(500, "x")).await;
        charge("k").await.unwrap();
        provider.queue_faults(&faults(&[fault]));
        assert_eq!(summary(charge("k").await.as_ref()), replay, "{fault}");
        assert_eq!(provider.report().charges.len(), 1, "{fault}");
        assert_eq!(summary(charge("other").await.as_ref()), next, "{fault}");
    };
    check("accept_then_drop", "hung up", "200 ch_2").await;
    check("accept_then_500", "200 ch_1 replayed", "500 api_error").await;
    check("late:1", "200 ch_1 replayed", "200 ch_2").await;
    check("drop_before", "hung up", "200 ch_2").await;
    check("twice", "200 ch_1 replayed", "200 ch_2").await;
    check("reject:stolen_card", "200 ch_1 replayed", "402 card_declined stolen_card").await;
    check("busy", "429 rate_limit retry-after=1", "200 ch_2").await;
    check("garbage", "200 not-json", "200 ch_2").await;
    check("unavailable", "503 unavailable", "200 ch_2").await;
}

#[tokio::test]
async fn a_second_answer_lies_in_wait_for_the_next_request() {
    let provider = FakeProvider::start().await;
    let mut client = Client::new(&provider.url()).await;
    provider.queue_faults(&[ProviderFault::Twice]);
    let first = client.charge("k1", &body(100, "a")).await;
    let second = client.charge("k2", &body(200, "b")).await;
    assert_eq!(summary(first.as_ref()), "200 ch_1");
    assert_eq!(second, first, "the duplicate, taken for the answer to the second charge");
    assert_eq!(summary(client.receive().await.as_ref()), "200 ch_2");
}

#[tokio::test]
async fn a_late_charge_is_in_flight_and_outlives_its_client() {
    let provider = FakeProvider::start().await;
    provider.queue_faults(&[ProviderFault::Late { delay_millis: u64::from(u32::MAX) }]);
    let mut impatient = Client::new(&provider.url()).await;
    impatient.send_charge("k", &body(500, "x")).await;
    provider.waiting(1).await;

    let mut other = Client::new(&provider.url()).await;
    // A key in flight is not forgotten either.
    provider.advance_secs(2 * KEY_LIFETIME_SECS);
    let check = async |answer: Option<Answer>, expected: &str| assert_eq!(summary(answer.as_ref()), expected);
    check(other.charge("k", &body(500, "x")).await, "409 idempotency_key_in_use").await;
    check(other.charge("k", &body(501, "x")).await, "400 idempotency_error").await;
    check(other.charge("k2", &body(500, "y")).await, "200 ch_1").await;
    let report = provider.report();
    assert_eq!((report.waiting, report.conflicts, report.mismatches), (1, 1, 1));
    assert_eq!((report.charges_of("x"), other.listed("x").await.len()), (0, 0));

    drop(impatient);
    provider.release();
    provider.waiting(0).await;
    assert_eq!(other.listed("x").await, ["ch_2"]);
    assert_eq!(provider.report().charges[1].created, provider.report().now_secs);
}

#[tokio::test]
async fn a_late_charge_answers_whoever_is_still_there() {
    let provider = FakeProvider::start().await;
    provider.queue_faults(&[ProviderFault::Late { delay_millis: u64::from(u32::MAX) }]);
    let mut patient = Client::new(&provider.url()).await;
    patient.send_charge("k", &body(500, "x")).await;
    provider.waiting(1).await;
    provider.release();
    assert_eq!(summary(patient.receive().await.as_ref()), "200 ch_1");
    assert_eq!(summary(patient.charge("k", &body(500, "x")).await.as_ref()), "200 ch_1 replayed");
}

#[tokio::test]
async fn keys_are_replayed_for_a_day_and_then_forgotten() {
    let provider = FakeProvider::start().await;
    let mut client = Client::new(&provider.url()).await;
    let started_at_secs = provider.report().now_secs;
    let first = client.charge("k", &body(500, "x")).await.unwrap();
    assert_eq!(first.summary(), "200 ch_1");
    let expected = json!({ "id": "ch_1", "amount": 500, "metadata": { "operation": "x" }, "created": started_at_secs });
    assert_eq!(first.json(), expected);

    let mut check = async |advance_secs: u32, body: &str, expected: &str| {
        provider.advance_secs(advance_secs);
        let answer = client.charge("k", body).await.unwrap();
        assert_eq!(answer.summary(), expected);
        answer
    };
    let again = check(0, &body(500, "x"), "200 ch_1 replayed").await;
    assert_eq!(again.body, first.body);
    check(0, r#"{ "metadata": {"operation":"x"}, "amount": 500 }"#, "200 ch_1 replayed").await;
    check(0, &body(501, "x"), "400 idempotency_error").await;
    check(0, &body(500, "y"), "400 idempotency_error").await;
    check(KEY_LIFETIME_SECS - 1, &body(500, "x"), "200 ch_1 replayed").await;
    check(1, &body(500, "x"), "200 ch_2").await;
    check(KEY_LIFETIME_SECS - 1, &body(500, "x"), "200 ch_2 replayed").await;
    // Forgotten means that another body is as good.
    check(1, &body(700, "y"), "200 ch_3").await;
    let report = provider.report();
    assert_eq!(report.charges_per_operation, BTreeMap::from([("x".to_owned(), 2), ("y".to_owned(), 1)]));
    assert_eq!(report.charges_per_operation_max, 2);
    assert_eq!(report.now_secs - started_at_secs, 2 * i64::from(KEY_LIFETIME_SECS));
}

#[tokio::test]
async fn wrong_requests_leave_nothing_behind() {
    let provider = FakeProvider::start().await;
    let mut client = Client::new(&provider.url()).await;
    provider.queue_faults(&[ProviderFault::AcceptThenDrop]);
    let mut check = async |key: &str, body: &str, expected: &str| {
        assert_eq!(client.charge(key, body).await.unwrap().summary(), expected, "{body}");
    };
    check("k", "", "400 parameter_invalid").await;
    check("k", "{}", "400 parameter_invalid").await;
    check("k", r#"{"amount":"5"}"#, "400 parameter_invalid").await;
    check("k", r#"{"amount":5,"tip":1}"#, "400 parameter_invalid").await;
    check("k", r#"{"amount":0}"#, "400 parameter_invalid_integer").await;
    check("", r#"{"amount":5}"#, "400 idempotency_key_invalid").await;
    check(&"k".repeat(256), r#"{"amount":5}"#, "400 idempotency_key_invalid").await;
    let report = provider.report();
    assert_eq!((report.charges.len(), report.faults_total(), report.faults_queued), (0, 0, 1));
    // Nor do they use up the fault or the key.
    assert_eq!(client.charge("k", r#"{"amount":5}"#).await, None);
    let mut client = Client::new(&provider.url()).await;
    assert_eq!(client.charge("k", r#"{"amount":5}"#).await.unwrap().summary(), "200 ch_1 replayed");
}

#[tokio::test]
async fn without_a_key_every_request_charges() {
    let provider = FakeProvider::start().await;
    let mut client = Client::new(&provider.url()).await;
    for expected in ["200 ch_1", "200 ch_2"] {
        client.send("POST", "/charges", "", &body(500, "x")).await;
        assert_eq!(summary(client.receive().await.as_ref()), expected);
    }
    assert_eq!(provider.report().charges_per_operation_max, 2);
}

#[tokio::test]
async fn charges_are_found_by_operation_and_by_id() {
    let provider = FakeProvider::start().await;
    let mut client = Client::new(&provider.url()).await;
    for (key, operation) in [("1", "a b/ç&c"), ("2", "other"), ("3", "a b/ç&c")] {
        client.charge(key, &body(500, operation)).await.unwrap();
    }
    client.charge("4", r#"{"amount":7}"#).await.unwrap();
    assert_eq!(client.listed("a%20b%2F%C3%A7%26c").await, ["ch_3", "ch_1"]);
    assert_eq!(client.listed("a+b%2F%C3%A7%26c").await, ["ch_3", "ch_1"]);
    assert_eq!(client.listed("other").await, ["ch_2"]);
    assert_eq!(client.listed("othe").await, Vec::<String>::new());
    let all = client.get("/charges").await.json();
    assert_eq!((&all["object"], all["data"].as_array().unwrap().len()), (&json!("list"), 4));
    assert_eq!(client.get("/charges/ch_2").await.json()["metadata"]["operation"], "other");
    assert_eq!(client.get("/charges/ch_9").await.summary(), "404 resource_missing");
    assert_eq!(client.get("/elsewhere").await.summary(), "404 resource_missing");
    assert_eq!(provider.report().lists, 5);
}

#[tokio::test]
async fn a_lagging_list_shows_a_charge_only_after_it_was_asked() {
    let provider = FakeProvider::start().await;
    let mut client = Client::new(&provider.url()).await;
    client.charge("1", &body(500, "x")).await.unwrap();
    provider.set_list_lag(2);
    client.charge("2", &body(500, "x")).await.unwrap();
    client.charge("3", &body(500, "y")).await.unwrap();
    assert_eq!(client.listed("x").await, ["ch_1"]);
    assert_eq!(client.listed("x").await, ["ch_1"]);
    assert_eq!(client.listed("x").await, ["ch_2", "ch_1"]);
    // Asking for one says nothing about the other, and reading one charge never lags.
    assert_eq!(client.listed("y").await, Vec::<String>::new());
    assert_eq!(client.get("/charges/ch_3").await.summary(), "200 ch_3");
    assert_eq!(client.listed("y").await, Vec::<String>::new());
    assert_eq!(client.listed("y").await, ["ch_3"]);
    provider.set_list_lag(0);
    client.charge("4", &body(500, "z")).await.unwrap();
    assert_eq!(client.listed("z").await, ["ch_4"]);
}

#[tokio::test]
async fn faults_come_in_order_and_only_to_charges() {
    let provider = FakeProvider::start().await;
    provider.queue_faults(&[ProviderFault::BUSY, ProviderFault::Unavailable]);
    provider.queue_faults(&[ProviderFault::REJECT]);
    let mut client = Client::new(&provider.url()).await;
    let expected = ["429 rate_limit retry-after=1", "503 unavailable", "402 card_declined insufficient_funds"];
    for (key, expected) in ["a", "b", "c"].into_iter().zip(expected) {
        assert_eq!(client.listed("x").await, Vec::<String>::new());
        assert_eq!(summary(client.charge(key, &body(5, "x")).await.as_ref()), expected);
    }
    assert_eq!(summary(client.charge("d", &body(5, "x")).await.as_ref()), "200 ch_1");
}

#[tokio::test]
async fn chance_strikes_a_charge_and_repeats_itself() {
    let run = async |seed: usize| {
        let provider = FakeProvider::start().await;
        let faults = faults(&["accept_then_drop", "drop_before", "busy"]);
        provider.set_random_faults(&RandomFaults { seed, percent: 50, faults });
        let mut seen = Vec::new();
        for index in 0..40 {
            let answer = Client::new(&provider.url()).await.charge(&format!("k{index}"), &body(5, "x")).await;
            seen.push(summary(answer.as_ref()));
        }
        (seen, provider.report().faults)
    };
    let (first, again, other) = (run(1).await, run(1).await, run(2).await);
    assert_eq!(first, again);
    assert_ne!(first, other);
    assert_eq!(first.1.keys().collect::<Vec<_>>(), ["accept_then_drop", "busy", "drop_before"]);
    assert!(first.0.iter().any(|seen| seen.starts_with("200")));
}

#[tokio::test]
async fn it_is_well_mannered_about_connections() {
    let provider = FakeProvider::start().await;
    let mut client = Client::new(&provider.url()).await;
    // Two requests in one write are two answers, in order.
    let first = body(5, "x");
    let head = format!("POST /charges HTTP/1.1\r\nContent-Length: {}\r\n\r\n{first}", first.len());
    let both = head + "GET /charges/ch_1 HTTP/1.1\r\nConnection: close\r\n\r\n";
    client.stream.write_all(both.as_bytes()).await.unwrap();
    assert_eq!(client.receive().await.unwrap().summary(), "200 ch_1");
    let last = client.receive().await.unwrap();
    assert_eq!((last.summary().as_str(), last.headers["connection"].as_str()), ("200 ch_1", "close"));
    assert_eq!(client.receive().await, None);

    for bad in ["nonsense\r\n\r\n", "POST /charges HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n"] {
        let mut client = Client::new(&provider.url()).await;
        client.stream.write_all(bad.as_bytes()).await.unwrap();
        assert_eq!(client.receive().await.unwrap().summary(), "400 request_invalid", "{bad:?}");
        assert_eq!(client.receive().await, None);
    }

    // Half a request that never ends does nothing.
    let mut client = Client::new(&provider.url()).await;
    client.stream.write_all(b"POST /charges HTTP/1.1\r\nContent-Length: 99\r\n\r\n{").await.unwrap();
    client.stream.shutdown().await.unwrap();
    assert_eq!(client.receive().await, None);
    assert_eq!(provider.report().requests, 1);

    // Dropping the provider drops its connections.
    let mut client = Client::new(&provider.url()).await;
    assert_eq!(client.listed("x").await, ["ch_1"]);
    drop(provider);
    assert_eq!(client.receive().await, None);
}

/// The whole control over HTTP, on a provider that is a process of its own.
#[tokio::test]
async fn a_process_is_controlled_from_outside_and_ends_with_its_input() {
    let mut process =
        Command::new(env!("CARGO_BIN_EXE_fake_provider")).stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
    let mut url = String::new();
    BufReader::new(process.stdout.take().unwrap()).read_line(&mut url).unwrap();
    let control = ProviderControl::at(&url).unwrap();
    assert_eq!(control.url(), url.trim());

    let late = ProviderFault::Late { delay_millis: u64::from(u32::MAX) };
    control.queue_faults(&[late, ProviderFault::AcceptThen500]).await.unwrap();
    control.set_list_lag(1).await.unwrap();
    let mut patient = Client::new(&control.url()).await;
    patient.send_charge("k1", &body(5, "x")).await;
    control.waiting(1).await.unwrap();
    let mut client = Client::new(&control.url()).await;
    assert_eq!(client.charge("k2", &body(5, "x")).await.unwrap().summary(), "500 api_error");
    control.release().await.unwrap();
    assert_eq!(patient.receive().await.unwrap().summary(), "200 ch_2");
    control.waiting(0).await.unwrap();
    assert_eq!(client.listed("x").await, Vec::<String>::new());
    assert_eq!(client.listed("x").await, ["ch_2", "ch_1"]);

    control.set_list_lag(0).await.unwrap();
    let before = control.report().await.unwrap();
    control.advance_secs(KEY_LIFETIME_SECS).await.unwrap();
    assert_eq!(client.charge("k1", &body(5, "x")).await.unwrap().summary(), "200 ch_3");
    control.set_random_faults(&RandomFaults::of_all(3, 0)).await.unwrap();
    let unavailable = RandomFaults { seed: 3, percent: 100, faults: vec![ProviderFault::Unavailable] };
    control.set_random_faults(&unavailable).await.unwrap();
    assert_eq!(client.charge("k1", &body(5, "x")).await.unwrap().summary(), "503 unavailable");

    let report = control.report().await.unwrap();
    assert_eq!(report.now_secs - before.now_secs, i64::from(KEY_LIFETIME_SECS));
    assert_eq!((report.charges_of("x"), report.charges_per_operation_max, report.requests), (3, 3, 4));
    let expected = [("accept_then_500", 1), ("late", 1), ("unavailable", 1)];
    assert_eq!(report.faults, expected.map(|(name, count)| (name.to_owned(), count)).into());

    drop(process.stdin.take());
    assert!(process.wait().unwrap().success());
    assert!(matches!(control.report().await, Err(ControlError::Unreachable(_))));
}

#[tokio::test]
async fn control_calls_are_checked() {
    let provider = FakeProvider::start().await;
    let mut client = Client::new(&provider.url()).await;
    let mut check = async |path: &str, body: &str, expected: &str| {
        client.send("POST", path, "", body).await;
        assert_eq!(client.receive().await.unwrap().summary(), expected, "{path} {body}");
    };
    check("/_control/clock", r#"{"advance_secs":60}"#, "200").await;
    check("/_control/clock", r#"{"advance_secs":-60}"#, "400 parameter_invalid").await;
    check("/_control/faults", r#"{"faults":["accept_then_drop","late"]}"#, "200").await;
    check("/_control/faults", r#"{"faults":["later"]}"#, "400 parameter_invalid").await;
    check("/_control/seed", r#"{"seed":1,"percent":10}"#, "200").await;
    check("/_control/seed", r#"{"seed":1}"#, "400 parameter_invalid").await;
    check("/_control/lag", r#"{"asks":1}"#, "200").await;
    check("/_control/release", "", "200").await;
    check("/_control/mood", "{}", "404 resource_missing").await;
    assert_eq!(client.get("/_control/waiting?count=0").await.summary(), "200");
    assert_eq!(client.get("/_control/waiting").await.summary(), "400 parameter_invalid");
    assert_eq!(provider.report().faults_queued, 2);
    for url in ["", "127.0.0.1:1", "http://localhost", "https://127.0.0.1:1"] {
        assert!(matches!(ProviderControl::at(url), Err(ControlError::Address { .. })), "{url}");
    }
}
