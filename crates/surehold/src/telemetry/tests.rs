//! Traces as a collector receives them, and logs as an operator reads them.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::sync::mpsc::{Receiver, channel};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use opentelemetry_proto::tonic::collector::trace::v1::ExportTraceServiceRequest;
use opentelemetry_proto::tonic::trace::v1::Span as SentSpan;
use prost::Message;
use tracing::{Span, debug_span, info, trace};

use super::traces::{STOP_MAX, Traces};
use super::*;
use crate::canary::{self, assert_no_canary};
use crate::config::ConfigArgs;

const PATIENCE: Duration = Duration::from_secs(30);

struct Arrived {
    head: String,
    spans: Vec<SentSpan>,
}

/// A collector that answers with success.
fn collector() -> (SocketAddr, Receiver<Arrived>) {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap();
    let (sender, receiver) = channel();
    std::thread::spawn(move || {
        while let Ok((stream, _)) = listener.accept() {
            let sender = sender.clone();
            std::thread::spawn(move || {
                while let Some(arrived) = receive(&stream) {
                    let _ = sender.send(arrived);
                }
            });
        }
    });
    (address, receiver)
}

fn receive(stream: &TcpStream) -> Option<Arrived> {
    let mut reader = BufReader::new(stream);
    let mut head = String::new();
    while !head.ends_with("\r\n\r\n") {
        if reader.read_line(&mut head).ok()? == 0 {
            return None;
        }
    }
    let length = head.to_lowercase().lines().find_map(|line| line.strip_prefix("content-length: ")?.parse().ok())?;
    let mut body = vec![0; length];
    reader.read_exact(&mut body).ok()?;
    let mut answer = stream;
    answer.write_all(b"HTTP/1.1 200 OK\r\ncontent-type: application/x-protobuf\r\ncontent-length: 0\r\n\r\n").ok()?;
    let request = ExportTraceServiceRequest::decode(body.as_slice()).unwrap();
    let scopes = request.resource_spans.into_iter().flat_map(|resource| resource.scope_spans);
    Some(Arrived { head, spans: scopes.flat_map(|scope| scope.spans).collect() })
}

fn config(set: &[&str]) -> Config {
    let set = set.iter().map(|set| (*set).to_owned().into()).collect();
    Config::load(&ConfigArgs { set, ..ConfigArgs::default() }.sources_with([])).unwrap()
}

fn request_span() -> Span {
    debug_span!(
        target: "surehold::request", "request", otel.name = "POST /v1/{tenant}/holds", otel.kind = "server",
        http.request.method = "POST", http.route = "/v1/{tenant}/holds", http.response.status_code = tracing::field::Empty,
        request.id = "r-1", tenant = "casa-azul",
    )
}

/// Text that was logged.
#[derive(Clone, Default)]
struct Log(Arc<Mutex<Vec<u8>>>);

impl Log {
    fn text(&self) -> String {
        String::from_utf8(self.0.lock().unwrap().clone()).unwrap()
    }
}

impl Write for Log {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        self.0.lock().unwrap().write(bytes)
    }

    fn flush(&mut self) -> std::io::Result<()> {
        Ok(())
    }
}

/// Runs with the telemetry of this configuration, and gives what was logged.
fn logged(config: &Config, traces: Option<&Traces>, run: impl FnOnce()) -> String {
    // What one subscriber wants is enabled for all that live at the same time, so there is one at a time.
    static ALONE: Mutex<()> = Mutex::new(());
    let _alone = ALONE.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
    let log = Log::default();
    let writer = log.clone();
    tracing::subscriber::with_default(subscriber(config, traces, move || writer.clone(), false), run);
    log.text()
}

#[test]
fn spans_arrive_with_the_callers_trace() {
    let (address, arrived) = collector();
    let header = format!("telemetry.otlp_headers=x-key={}", canary::OTLP_HEADER);
    let config = config(&[&format!("telemetry.otlp_endpoint=http://{address}"), &header]);
    let traces = Traces::start(&config.telemetry).unwrap().unwrap();
    let text = logged(&config, Some(&traces), || {
        let span = request_span();
        assert!(!span.is_disabled());
        adopt_parent(&span, "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01");
        span.in_scope(|| info!("said within"));
        span.record("http.response.status_code", 201);
        let other = request_span();
        adopt_parent(&other, "nonsense");
        drop((span, other));
    });
    assert!(text.contains("said within"), "{text}");
    assert!(!text.contains("casa-azul"), "the log did not ask for the span: {text}");
    traces.stop();

    let sent = arrived.recv_timeout(PATIENCE).unwrap();
    assert!(sent.head.starts_with("POST /v1/traces HTTP/1.1\r\n"), "{}", sent.head);
    assert!(sent.head.contains(canary::OTLP_HEADER), "{}", sent.head);
    let [span, other] = sent.spans.as_slice() else { panic!("{} spans", sent.spans.len()) };
    assert_eq!(span.name, "POST /v1/{tenant}/holds");
    assert_eq!(span.trace_id, 0x0af7_6519_16cd_43dd_8448_eb21_1c80_319c_u128.to_be_bytes());
    assert_eq!(span.parent_span_id, 0xb7ad_6b71_6920_3331_u64.to_be_bytes());
    let attributes = format!("{:?}", span.attributes);
    for part in ["http.route", "http.response.status_code", "IntValue(201)", "casa-azul", "request.id"] {
        assert!(attributes.contains(part), "{part} in {attributes}");
    }
    assert!(span.events.is_empty(), "log lines stay in the log");
    assert_ne!(other.trace_id, span.trace_id);
    assert!(other.parent_span_id.is_empty());
}

#[test]
fn nothing_is_made_that_nobody_wants() {
    let check = |set: &[&str], hint: LevelFilter, disabled: bool| {
        let config = config(set);
        let traces = Traces::start(&config.telemetry).unwrap();
        logged(&config, traces.as_ref(), || {
            assert_eq!(request_span().is_disabled(), disabled, "{set:?}");
            assert!(debug_span!(target: "hyper", "other").is_disabled(), "{set:?}");
        });
        let made = subscriber(&config, traces.as_ref(), std::io::sink, false);
        assert_eq!(made.max_level_hint(), Some(hint), "{set:?}");
    };
    let unreachable = "telemetry.otlp_endpoint=http://127.0.0.1:1";
    check(&[], LevelFilter::INFO, true);
    check(&["log.filter=warn"], LevelFilter::WARN, true);
    check(&["log.filter=info,surehold::request=debug"], LevelFilter::DEBUG, false);
    check(&[unreachable], LevelFilter::DEBUG, false);
}

#[test]
fn what_is_not_sampled_is_not_sent() {
    let (address, arrived) = collector();
    let config = config(&[&format!("telemetry.otlp_endpoint=http://{address}"), "telemetry.sample_ratio=0"]);
    let traces = Traces::start(&config.telemetry).unwrap().unwrap();
    logged(&config, Some(&traces), || {
        drop(request_span());
        // The caller's decision counts for more.
        let wanted = request_span();
        adopt_parent(&wanted, "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01");
    });
    traces.stop();
    assert_eq!(arrived.recv_timeout(PATIENCE).unwrap().spans.len(), 1);
}

#[test]
fn a_collector_that_never_answers_holds_nobody_up() {
    // Accepts connections into its backlog and reads nothing.
    let silent = TcpListener::bind("127.0.0.1:0").unwrap();
    for endpoint in [format!("http://{}", silent.local_addr().unwrap()), "http://127.0.0.1:1".to_owned()] {
        let config = config(&[&format!("telemetry.otlp_endpoint={endpoint}")]);
        let traces = Traces::start(&config.telemetry).unwrap().unwrap();
        let started_at = Instant::now();
        // More than the queue holds.
        logged(&config, Some(&traces), || (0..20_000).for_each(|_| drop(request_span())));
        assert!(started_at.elapsed() < PATIENCE, "{:?}", started_at.elapsed());
        let stopped_at = Instant::now();
        drop(Guard(Some(traces)));
        assert!(stopped_at.elapsed() < STOP_MAX * 10, "{endpoint}: {:?}", stopped_at.elapsed());
    }
}

#[test]
fn lines_for_machines_are_json() {
    let text = logged(&config(&["log.format=json"]), None, || info!(duration_ms = 7, "Placed\n\"it\""));
    let line: serde_json::Value = serde_json::from_str(text.trim_end()).unwrap();
    assert_eq!(
        (&line["level"], &line["duration_ms"], &line["message"]),
        (&"INFO".into(), &7.into(), &"Placed\n\"it\"".into())
    );
    let text = logged(&config(&[]), None, || info!("Placed"));
    assert!(text.contains("INFO") && text.contains("Placed") && !text.contains('\u{1b}'), "{text}");
}

const COLLECTOR_VARIABLE: &str = "SUREHOLD_TEST_COLLECTOR";

/// In a process of its own: the thread that sends has the process's subscriber, and no other.
#[test]
fn the_sender_logs_no_secret_even_at_trace_level() {
    if let Ok(address) = std::env::var(COLLECTOR_VARIABLE) {
        let header = format!("telemetry.otlp_headers=authorization={}", canary::OTLP_HEADER);
        let endpoint = format!("telemetry.otlp_endpoint=http://{address}");
        let guard = start(&config(&["log.filter=trace", &endpoint, &header])).unwrap();
        trace!("it is on");
        drop(request_span());
        drop(guard);
        return;
    }
    let (address, arrived) = collector();
    let this_test = "telemetry::tests::the_sender_logs_no_secret_even_at_trace_level";
    let mut child = std::process::Command::new(std::env::current_exe().unwrap());
    let child = child.args(["--exact", this_test, "--nocapture"]).env(COLLECTOR_VARIABLE, address.to_string());
    let output = child.output().unwrap();
    assert!(output.status.success(), "{output:?}");
    let sent = arrived.recv_timeout(PATIENCE).unwrap();
    assert!(sent.head.contains(canary::OTLP_HEADER), "{}", sent.head);
    let text = String::from_utf8(output.stderr).unwrap();
    assert!(text.contains("it is on") && text.contains("hyper"), "{text}");
    assert_no_canary(&text);
}
