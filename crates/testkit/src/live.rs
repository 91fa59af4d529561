//! A running `surehold serve`, and the little that tests say to it.

#![allow(clippy::unwrap_used, reason = "a test that unwraps what is not there has failed, as it should")]

use std::io::{BufRead, BufReader, Read, Write};
use std::os::unix::net::UnixStream;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::time::{Duration, Instant};

use reqwest::{Client, Method, StatusCode};
use serde_json::{Value, json};

/// Far beyond anything a test waits for.
const PATIENCE: Duration = Duration::from_mins(2);

#[derive(Debug)]
pub struct Live {
    child: Child,
    /// Such as `http://127.0.0.1:40123`.
    pub address: String,
    data: PathBuf,
}

/// Where a server keeps its data, and what it is told.
#[derive(Debug)]
pub struct Place {
    /// The executable.
    pub program: &'static str,
    pub data: PathBuf,
    /// Any free port unless told.
    pub port: u16,
    pub store: Option<String>,
    pub args: Vec<String>,
}

impl Place {
    pub fn new(program: &'static str, folder: &Path) -> Place {
        Place { program, data: folder.join("data"), port: 0, store: None, args: Vec::new() }
    }

    pub fn command(&self) -> Command {
        let mut command = Command::new(self.program);
        command.args(["serve", "--listen", &format!("127.0.0.1:{}", self.port), "--data"]).arg(&self.data);
        if let Some(url) = &self.store {
            command.args(["--store", url]);
        }
        // Tests ask faster than any one caller should.
        command.args(["--set", "limits.requests_per_s_default=1000000"]).args(&self.args);
        command
    }

    /// Starts a server and waits until it listens. What it logs goes to `log` in the data folder's parent.
    pub fn serve(&self) -> Live {
        let log = std::fs::OpenOptions::new().create(true).append(true).open(self.log_file()).unwrap();
        let mut child = self.command().stdout(Stdio::piped()).stderr(log).spawn().unwrap();
        let mut said = String::new();
        BufReader::new(child.stdout.take().unwrap()).read_line(&mut said).unwrap();
        let Some(address) = said.trim_end().strip_prefix("listening on ").map(str::to_owned) else {
            let _ = child.kill();
            panic!("{said:?} {}", self.log());
        };
        Live { child, address, data: self.data.clone() }
    }

    fn log_file(&self) -> PathBuf {
        self.data.with_extension("log")
    }

    pub fn log(&self) -> String {
        std::fs::read_to_string(self.log_file()).unwrap()
    }
}

impl Live {
    pub fn signal(&self, name: &str) {
        let id = self.child.id().to_string();
        assert!(Command::new("kill").args([&format!("-{name}"), &id]).status().unwrap().success());
    }

    /// Waits for the end of the process.
    pub fn ended(mut self) -> ExitStatus {
        let begun_at = Instant::now();
        loop {
            if let Some(status) = self.child.try_wait().unwrap() {
                return status;
            }
            assert!(begun_at.elapsed() < PATIENCE, "it does not end");
            std::thread::sleep(Duration::from_millis(10));
        }
    }

    /// Asks through the local socket, where no key is needed.
    pub fn local(&self, method: &str, path: &str, body: &Value) -> Value {
        let mut socket = UnixStream::connect(self.data.join("surehold.sock")).unwrap();
        let body = body.to_string();
        let head = format!(
            "{method} {path} HTTP/1.1\r\nhost: local\r\nconnection: close\r\ncontent-type: application/json\r\n\
             content-length: {}\r\n\r\n",
            body.len()
        );
        socket.write_all(format!("{head}{body}").as_bytes()).unwrap();
        let mut answer = String::new();
        socket.read_to_string(&mut answer).unwrap();
        let (head, body) = answer.split_once("\r\n\r\n").unwrap();
        assert!(head.starts_with("HTTP/1.1 2"), "{method} {path}: {answer}");
        serde_json::from_str(body).unwrap()
    }

    /// A tenant `casa` with a key that may do everything to it.
    pub fn casa_key(&self) -> String {
        self.local("POST", "/admin/tenants", &json!({"slug": "casa"}));
        let wanted = json!({"tenant": "casa", "name": "test", "scopes": ["read", "sell", "manage"]});
        self.local("POST", "/admin/keys", &wanted)["key"].as_str().unwrap().to_owned()
    }
}

impl Drop for Live {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// Keeps its connection; `Err` when there was no answer.
#[derive(Clone, Debug)]
pub struct Caller {
    client: Client,
    base: String,
    key: String,
}

impl Caller {
    pub fn new(live: &Live, key: &str) -> Caller {
        // Also without TLS the client wants to know who would do it.
        let _ = rustls::crypto::ring::default_provider().install_default();
        let client = Client::builder().timeout(PATIENCE).build().unwrap();
        Caller { client, base: live.address.clone(), key: key.to_owned() }
    }

    pub async fn ask(
        &self,
        method: Method,
        path: &str,
        body: Option<&Value>,
    ) -> Result<(StatusCode, Value, bool), reqwest::Error> {
        let mut request = self.client.request(method, format!("{}{path}", self.base)).bearer_auth(&self.key);
        if let Some(body) = body {
            request = request.json(body);
        }
        let response = request.send().await?;
        let replayed = response.headers().contains_key("idempotent-replayed");
        let status = response.status();
        Ok((status, response.json().await?, replayed))
    }

    /// Where there must be an answer.
    pub async fn get(&self, path: &str) -> (StatusCode, Value) {
        let (status, body, _) = self.ask(Method::GET, path, None).await.unwrap();
        (status, body)
    }
}
