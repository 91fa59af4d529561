//! The commands that speak the API, as their users meet them: with the file alone, beside a server, from afar.

mod audit;
mod commands;
mod docs;
mod follow;
mod newer;
mod operations;
mod refusals;
mod secrets;
mod stay_import;
mod stays;
mod stock;
mod stock_import;
mod stores;

use std::io::{BufRead, BufReader};
use std::path::PathBuf;
use std::process::{Child, Command, Output, Stdio};

use serde_json::Value;
use tempfile::TempDir;

use crate::text;

/// A server on a data folder; killed when it is dropped.
struct Server {
    process: Child,
    address: String,
}

impl Server {
    fn start(data: &str) -> Server {
        let mut serve = bare(&["serve", "--data", data, "--listen", "127.0.0.1:0"]);
        let mut process = serve.stdout(Stdio::piped()).stderr(Stdio::null()).spawn().unwrap();
        let mut line = String::new();
        BufReader::new(process.stdout.take().unwrap()).read_line(&mut line).unwrap();
        let address = line.trim().strip_prefix("listening on ").unwrap_or_else(|| panic!("{line}")).to_owned();
        Server { process, address }
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        self.process.kill().unwrap();
        self.process.wait().unwrap();
    }
}

/// The binary, with nothing of this environment's that could lead it elsewhere.
fn bare(args: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_surehold"));
    command.args(args).env_remove("SUREHOLD_SERVER").env_remove("SUREHOLD_KEY");
    command
}

/// How commands reach the data.
enum Way {
    /// They open the file.
    File,
    /// A server runs on the data folder.
    Socket(#[expect(dead_code, reason = "lives as long as the place")] Server),
    /// A server is named, with a key.
    Address(Server, String),
}

struct Place {
    folder: TempDir,
    way: Way,
}

/// What a command did, with what it said, for messages.
struct Ran {
    args: String,
    code: Option<i32>,
    out: String,
    err: String,
}

impl Place {
    fn file() -> Place {
        Place { folder: TempDir::new().unwrap(), way: Way::File }
    }

    fn socket() -> Place {
        let place = Place::file();
        let server = Server::start(&place.data());
        Place { way: Way::Socket(server), ..place }
    }

    fn address() -> Place {
        let place = Place::file();
        let server = Server::start(&place.data());
        let key = place.run(&["key", "create"]).ok().out.trim().to_owned();
        Place { way: Way::Address(server, key), ..place }
    }

    fn data(&self) -> String {
        self.path().to_str().unwrap().to_owned()
    }

    fn path(&self) -> PathBuf {
        self.folder.path().join("data")
    }

    fn command(&self, args: &[&str]) -> Command {
        let mut command = bare(args);
        command.current_dir(self.folder.path());
        match &self.way {
            Way::File | Way::Socket(_) => command.args(["--data", "data"]),
            Way::Address(server, key) => command.env("SUREHOLD_SERVER", &server.address).env("SUREHOLD_KEY", key),
        };
        command
    }

    fn run(&self, args: &[&str]) -> Ran {
        Ran::new(args, &self.command(args).output().unwrap())
    }

    fn json(&self, args: &[&str]) -> Value {
        let ran = self.run(&[args, &["--json"]].concat()).ok();
        serde_json::from_str(&ran.out).unwrap_or_else(|error| panic!("{error}: {}", ran.said()))
    }
}

impl Ran {
    fn new(args: &[&str], output: &Output) -> Ran {
        let (out, err) = (text(&output.stdout), text(&output.stderr));
        Ran { args: args.join(" "), code: output.status.code(), out, err }
    }

    fn said(&self) -> String {
        format!("`surehold {}` ended with {:?}\n{}\n{}", self.args, self.code, self.out, self.err)
    }

    #[track_caller]
    fn ok(self) -> Ran {
        self.ended(0)
    }

    #[track_caller]
    fn ended(self, code: i32) -> Ran {
        assert_eq!(self.code, Some(code), "{}", self.said());
        self
    }

    /// Each part is in what was said to standard output.
    #[track_caller]
    fn shows(self, parts: &[&str]) -> Ran {
        for part in parts {
            assert!(self.out.contains(part), "`{part}` is missing: {}", self.said());
        }
        self
    }

    /// The same for rows of tables, however wide their columns are.
    #[track_caller]
    fn rows(self, rows: &[&str]) -> Ran {
        let narrow = |text: &str| text.split_whitespace().collect::<Vec<_>>().join(" ");
        let out: Vec<String> = self.out.lines().map(narrow).collect();
        for row in rows {
            let row = narrow(row);
            assert!(out.iter().any(|line| line.contains(&row)), "`{row}` is missing: {}", self.said());
        }
        self
    }

    #[track_caller]
    fn tells(self, parts: &[&str]) -> Ran {
        for part in parts {
            assert!(self.err.contains(part), "`{part}` is missing: {}", self.said());
        }
        self
    }
}
