//! A real server in a process of its own, reached as attackers reach it: through raw sockets.

use std::fs::{self, File};
use std::io::{BufRead, BufReader, Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::os::unix::net::UnixStream;
use std::process::{Child, Command, Stdio};
use std::time::Duration;

use serde_json::Value;
use tempfile::TempDir;

/// Far beyond what an answer takes; whoever waits longer has found a request that hangs.
pub(super) const PATIENCE: Duration = Duration::from_mins(2);

pub(super) struct LiveServer {
    process: Child,
    folder: TempDir,
    pub(super) address: SocketAddr,
}

impl LiveServer {
    pub(super) fn start() -> LiveServer {
        let folder = TempDir::new().unwrap();
        let log = File::create(folder.path().join("log")).unwrap();
        let mut process = Command::new(env!("CARGO_BIN_EXE_surehold"))
            .args(["serve", "--listen", "127.0.0.1:0", "--data"])
            .arg(folder.path().join("data"))
            .current_dir(folder.path())
            .stdout(Stdio::piped())
            .stderr(log)
            .spawn()
            .unwrap();
        let mut line = String::new();
        BufReader::new(process.stdout.take().unwrap()).read_line(&mut line).unwrap();
        let address = line.trim().strip_prefix("listening on http://").and_then(|address| address.parse().ok());
        let mut server = LiveServer { process, folder, address: ([127, 0, 0, 1], 0).into() };
        server.address = address.unwrap_or_else(|| panic!("the server said {line:?}; log:\n{}", server.log()));
        server
    }

    pub(super) fn log(&self) -> String {
        let bytes = fs::read(self.folder.path().join("log")).unwrap();
        String::from_utf8_lossy(&bytes).into_owned()
    }

    pub(super) fn is_running(&mut self) -> bool {
        self.process.try_wait().unwrap().is_none()
    }

    /// Memory that the process occupies.
    pub(super) fn resident_kib(&self) -> i64 {
        let status = fs::read_to_string(format!("/proc/{}/status", self.process.id())).unwrap();
        let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:")).expect("Linux tells VmRSS");
        line.trim().trim_end_matches(" kB").parse().unwrap()
    }

    /// Asks through the socket of the data folder, where no key is needed.
    pub(super) fn administer(&self, method: &str, path: &str, body: &Value) -> Value {
        let socket = UnixStream::connect(self.folder.path().join("data/surehold.sock")).unwrap();
        socket.set_read_timeout(Some(PATIENCE)).unwrap();
        let (status, answer) = ask(socket, method, path, "", body);
        assert!((200..300).contains(&status), "{method} {path} was answered {status}: {answer}");
        answer
    }

    /// A well-formed request over the network; the status and what the answer says.
    pub(super) fn ask(&self, key: &str, method: &str, path: &str, body: &Value) -> (u16, Value) {
        let socket = TcpStream::connect(self.address).unwrap();
        socket.set_read_timeout(Some(PATIENCE)).unwrap();
        ask(socket, method, path, key, body)
    }
}

impl Drop for LiveServer {
    fn drop(&mut self) {
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

fn ask(mut socket: impl Read + Write, method: &str, path: &str, key: &str, body: &Value) -> (u16, Value) {
    let body = if body.is_null() { String::new() } else { body.to_string() };
    let authorization = if key.is_empty() { String::new() } else { format!("authorization: Bearer {key}\r\n") };
    let head = format!(
        "{method} {path} HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\ncontent-type: application/json\r\n\
         {authorization}content-length: {}\r\n\r\n",
        body.len()
    );
    socket.write_all(&[head.as_bytes(), body.as_bytes()].concat()).unwrap();
    let mut answer = Vec::new();
    socket.read_to_end(&mut answer).unwrap();
    let answer = String::from_utf8(answer).unwrap();
    let (head, body) = answer.split_once("\r\n\r\n").unwrap_or_else(|| panic!("{method} {path}: {answer:?}"));
    let status = head.split(' ').nth(1).unwrap().parse().unwrap();
    (status, serde_json::from_str(body).unwrap_or(Value::Null))
}
