//! `events --follow`: what happens meanwhile is seen, once and in order, also across a restart of the server.

use std::io::{BufRead, BufReader, Lines, Read, Write};
use std::os::unix::net::UnixStream;
use std::process::{Child, ChildStdout, Command, Stdio};
use std::time::Duration;

use serde_json::Value;

use super::{Place, Server};

const PATIENCE: Duration = Duration::from_mins(2);

pub(super) struct Follower {
    process: Child,
    lines: Lines<BufReader<ChildStdout>>,
}

impl Follower {
    fn start(place: &Place, args: &[&str]) -> Follower {
        let args = [&["events", "casa", "--follow"], args].concat();
        Follower::spawn(&mut place.command(&args))
    }

    pub(super) fn spawn(command: &mut Command) -> Follower {
        let mut process = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
        let lines = BufReader::new(process.stdout.take().unwrap()).lines();
        Follower { process, lines }
    }

    /// Waits for the next line.
    pub(super) fn next(&mut self) -> String {
        self.lines.next().unwrap().unwrap()
    }

    /// Ctrl-C; gives the exit code and what was said beside the data.
    pub(super) fn interrupt(mut self) -> (Option<i32>, String) {
        let id = self.process.id().to_string();
        assert!(Command::new("kill").args(["-INT", &id]).status().unwrap().success());
        let mut said = String::new();
        self.process.stderr.take().unwrap().read_to_string(&mut said).unwrap();
        (self.process.wait().unwrap().code(), said)
    }
}

impl Drop for Follower {
    fn drop(&mut self) {
        let _ended = self.process.kill();
        let _ended = self.process.wait();
    }
}

#[test]
fn sees_what_happens_across_a_restart() {
    let mut place = Place::file();
    let server = Server::start(&place.data());
    place.run(&["tenant", "create", "casa"]).ok();
    let mut people = Follower::start(&place, &["--after", "0-0"]);
    let mut machine = Follower::start(&place, &["--after", "0-0", "--json"]);
    assert!(people.next().contains("  tenant_created"));
    let first: Value = serde_json::from_str(&machine.next()).unwrap();
    assert_eq!((&first["cursor"], &first["type"]), (&"1-0".into(), &"tenant_created".into()));

    place.run(&["pool", "put", "casa", "cup", "--total", "1"]).ok();
    assert!(people.next().contains("  pool_changed  cup  total=1"));
    assert!(machine.next().contains("\"pool_changed\""));

    drop(server);
    // While it is away, the file is changed by others.
    place.run(&["pool", "adjust", "casa", "cup", "4"]).ok();
    place.way = super::Way::Socket(Server::start(&place.data()));
    place.run(&["hold", "place", "casa", "cup"]).ok();
    assert!(people.next().contains("  pool_changed  cup  total=5"));
    assert!(people.next().contains("  hold_placed  "));
    assert!(machine.next().contains("\"total\":5"));
    assert!(machine.next().contains("\"hold_placed\""));

    let (code, said) = people.interrupt();
    assert_eq!(code, Some(130), "{said}");
    assert!(said.contains("note: the server went away") && said.contains("note: connected again"), "{said}");
    assert_eq!(machine.interrupt().0, Some(130));
}

#[test]
fn a_refusal_ends_it() {
    let place = Place::socket();
    place.run(&["events", "casa", "--follow"]).ended(1).tells(&["no such tenant"]);
    place.run(&["tenant", "create", "casa"]).ok();
    place.run(&["events", "casa", "--follow", "--after", "99-0"]).ended(1).tells(&["--after 0-0"]);
}

#[test]
fn with_a_key() {
    let place = Place::address();
    place.run(&["tenant", "create", "casa"]).ok();
    let key = place.run(&["key", "create", "casa", "--scope", "read"]).ok().out;
    let mut follower = Follower::start(&place, &["--after", "0-0", "--key", key.trim()]);
    assert!(follower.next().contains("tenant_created"));
    assert_eq!(follower.interrupt().0, Some(130));
}

/// Opens the stream by hand and reads until `until` was seen.
fn stream(place: &Place, headers: &str, until: &str) -> String {
    let mut socket = UnixStream::connect(place.path().join("surehold.sock")).unwrap();
    socket.set_read_timeout(Some(PATIENCE)).unwrap();
    let request = format!("GET /v1/casa/events HTTP/1.1\r\nHost: x\r\nAccept: text/event-stream\r\n{headers}\r\n");
    socket.write_all(request.as_bytes()).unwrap();
    let mut seen = Vec::new();
    let mut piece = [0; 4096];
    while !String::from_utf8_lossy(&seen).contains(until) {
        let read = socket.read(&mut piece).unwrap();
        assert_ne!(read, 0, "ended early: {}", String::from_utf8_lossy(&seen));
        seen.extend_from_slice(&piece[..read]);
    }
    String::from_utf8(seen).unwrap()
}

#[test]
fn who_is_cut_off_before_anything_happened_misses_nothing() {
    let place = Place::socket();
    place.run(&["tenant", "create", "casa"]).ok();
    let range = ["--from", "2026-12-24", "--until", "2026-12-28"];
    place.run(&[&["pool", "put", "casa", "double", "--total", "1"], &range[..]].concat()).ok();
    let begun = stream(&place, "", "id: 2-999999999\n\n");
    assert!(!begun.contains("data:"), "{begun}");
    place.run(&["pool", "put", "casa", "cup", "--total", "1"]).ok();
    let resumed = stream(&place, "Last-Event-ID: 2-999999999\r\n", "\"cup\"");
    assert_eq!(resumed.matches("data:").count(), 1, "{resumed}");
}
