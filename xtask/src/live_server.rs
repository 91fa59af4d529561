//! A `surehold serve` of its own for checks from outside: fresh data, a free loopback port, a tenant and a key.
//!
//! Invariant: neither the server nor its folder outlives this process, however it ends.

use std::env;
use std::fs;
use std::io::{BufRead, BufReader, Read, Write};
use std::os::unix::net::UnixStream;
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio, id};
use std::sync::atomic::{AtomicUsize, Ordering};

use anyhow::{Context, Result, bail, ensure};
use serde_json::{Value, json};

const TENANT: &str = "casa-azul";
/// For whoever calls the server: it is on this machine, where no proxy has to be asked. Both spellings are in use.
pub(crate) const WITHOUT_PROXY: [(&str, &str); 2] =
    [("NO_PROXY", "127.0.0.1,localhost"), ("no_proxy", "127.0.0.1,localhost")];
const REQUESTS_PER_S_MAX: u32 = 10_000_000;

pub(crate) struct LiveServer {
    /// Ends the server and removes the folder when its input ends.
    keeper: Child,
    folder: PathBuf,
    /// How many were sent through the socket: their idempotency keys.
    requests: AtomicUsize,
    pub(crate) address: String,
    /// What the checks may refer to: a key that may do everything, and what else there is.
    pub(crate) variables: Variables,
}

type Variables = Vec<(&'static str, String)>;

impl LiveServer {
    pub(crate) fn start(program: &Path) -> Result<LiveServer> {
        static STARTED: AtomicUsize = AtomicUsize::new(0);
        let number = STARTED.fetch_add(1, Ordering::Relaxed);
        let folder = env::temp_dir().join(format!("surehold-live-{}-{number}", id()));
        fs::create_dir_all(&folder).with_context(|| format!("cannot create {}", folder.display()))?;
        let keeper = spawn_keeper(program, &folder)?;
        let mut server =
            LiveServer { keeper, folder, requests: AtomicUsize::new(0), address: String::new(), variables: Vec::new() };
        server.address = server.read_address()?;
        server.variables = server.furnish()?;
        Ok(server)
    }

    pub(crate) fn log(&self) -> String {
        let path = self.folder.join("log");
        fs::read_to_string(&path).unwrap_or_else(|error| format!("({}: {error})", path.display()))
    }

    fn read_address(&mut self) -> Result<String> {
        let stdout = self.keeper.stdout.take().context("the server's output is not piped")?;
        let mut line = String::new();
        BufReader::new(stdout).read_line(&mut line).context("cannot read what the server says")?;
        match line.trim_end().strip_prefix("listening on ") {
            Some(address) => Ok(address.to_owned()),
            None => bail!("the server did not start: it said {line:?}\nits log:\n{}", self.log()),
        }
    }

    /// Makes a tenant, something to sell, holds and keys.
    fn furnish(&self) -> Result<Variables> {
        self.administer("POST", "/admin/tenants", &json!({"slug": TENANT}))?;
        let pools = json!({"pools": [
            {"resource": "double", "slot": "2026-12-24", "total": 1_000_000},
            {"resource": "t-shirt", "total": 1_000_000},
        ]});
        self.administer("PUT", &format!("/v1/{TENANT}/pools"), &pools)?;
        let mut variables = vec![("SUREHOLD_TENANT", TENANT.to_owned())];
        for (name, member) in [("SUREHOLD_KEY", "key"), ("SUREHOLD_KEY_ROTATED", "id"), ("SUREHOLD_KEY_REVOKED", "id")]
        {
            let wanted = json!({"name": name, "scopes": ["admin"], "requests_per_s": REQUESTS_PER_S_MAX});
            variables.push((name, member_of(&self.administer("POST", "/admin/keys", &wanted)?, member)?));
        }
        for name in ["SUREHOLD_HOLD_ACTIVE", "SUREHOLD_HOLD_BOOKED"] {
            let wanted = json!({"lines": [{"resource": "t-shirt", "quantity": 1000}], "lifetime_secs": 80_000});
            variables
                .push((name, member_of(&self.administer("POST", &format!("/v1/{TENANT}/holds"), &wanted)?, "id")?));
        }
        let booked = &variables[variables.len() - 1].1;
        self.administer("POST", &format!("/v1/{TENANT}/holds/{booked}/convert"), &json!({"mode": "book"}))?;
        let description = self.administer("GET", "/openapi.json", &Value::Null)?;
        variables.push(("SUREHOLD_HOLD_STAY", self.furnish_property(&description)?));
        variables.extend(self.furnish_store(&description)?);
        Ok(variables)
    }

    /// A store with goods: documents that were posted, one that was not, and a hold on what is there.
    fn furnish_store(&self, description: &Value) -> Result<Variables> {
        for (path, request) in [
            ("stores/main", "PutStore"),
            ("stores/depot", "PutStore"),
            ("products/tea", "PutProduct"),
            ("products/tea/barcodes", "PutBarcodes"),
        ] {
            self.administer("PUT", &format!("/v1/{TENANT}/{path}"), &example(description, request)?)?;
        }
        let flour = json!({"title": "Flour", "unit": "g", "scale": 3});
        self.administer("PUT", &format!("/v1/{TENANT}/products/flour"), &flour)?;
        let bought = json!([{"product": "tea", "count": 100_000, "amount": 10_000_000},
            {"product": "flour", "count": 1_000_000, "price": "599"}]);
        let sold = json!([{"product": "tea", "count": 10}]);
        let mut variables = Vec::new();
        for (name, document) in [
            ("SUREHOLD_DOCUMENT_PURCHASE", json!({"kind": "purchase", "store": "main", "lines": bought})),
            ("SUREHOLD_DOCUMENT_SALE", json!({"kind": "sale", "store": "main", "lines": sold})),
            ("SUREHOLD_DOCUMENT_DRAFT", json!({"kind": "purchase", "store": "main", "lines": bought, "post": false})),
        ] {
            variables.push((
                name,
                member_of(&self.administer("POST", &format!("/v1/{TENANT}/documents"), &document)?, "id")?,
            ));
        }
        let hold = json!({"lines": [{"resource": "main/tea", "quantity": 1000}], "lifetime_secs": 80_000});
        variables.push((
            "SUREHOLD_HOLD_TEA",
            member_of(&self.administer("POST", &format!("/v1/{TENANT}/holds"), &hold)?, "id")?,
        ));
        Ok(variables)
    }

    /// A property with nights to sell, and a reservation there. Tells its id.
    fn furnish_property(&self, description: &Value) -> Result<String> {
        let mut calendar = example(description, "PutCalendar")?;
        calendar["changes"][0]["inventory"]["total"] = json!(1_000_000);
        for (path, body) in [
            ("", example(description, "PutProperty")?),
            ("/room-types/double", example(description, "PutRoomType")?),
            ("/rate-plans/flexible", example(description, "PutRatePlan")?),
            ("/calendar", calendar),
        ] {
            self.administer("PUT", &format!("/v1/{TENANT}/properties/casa-mar{path}"), &body)?;
        }
        let walk_in = example(description, "WalkIn")?;
        member_of(&self.administer("POST", &format!("/v1/{TENANT}/reservations"), &walk_in)?, "hold")
    }

    /// Asks through the socket in the data folder, where no key is needed.
    fn administer(&self, method: &str, path: &str, body: &Value) -> Result<Value> {
        let mut socket = UnixStream::connect(self.folder.join("data/surehold.sock"))
            .with_context(|| format!("cannot reach the server's socket; its log:\n{}", self.log()))?;
        let body = body.to_string();
        // Making a key cannot be repeated, and placing a hold must be.
        let key = if path.starts_with("/v1/") {
            format!("idempotency-key: {}\r\n", self.requests.fetch_add(1, Ordering::Relaxed))
        } else {
            String::new()
        };
        let head = format!(
            "{method} {path} HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\ncontent-type: application/json\r\n\
             {key}content-length: {}\r\n\r\n",
            body.len()
        );
        socket.write_all(head.as_bytes()).and_then(|()| socket.write_all(body.as_bytes()))?;
        let mut answer = String::new();
        socket.read_to_string(&mut answer)?;
        ensure!(answer.starts_with("HTTP/1.1 20"), "{method} {path} was answered:\n{answer}");
        let (_, body) = answer.split_once("\r\n\r\n").context("the answer has no body")?;
        serde_json::from_str(body).with_context(|| format!("{method} {path} was not answered with JSON"))
    }
}

/// What the description shows for a request of this type.
fn example(description: &Value, request: &str) -> Result<Value> {
    let example = description["components"]["schemas"][request].get("example");
    example.cloned().with_context(|| format!("the description has no example of {request}"))
}

fn member_of(answer: &Value, member: &str) -> Result<String> {
    Ok(answer[member].as_str().with_context(|| format!("the answer has no {member}"))?.to_owned())
}

impl Drop for LiveServer {
    fn drop(&mut self) {
        // Waiting closes the keeper's input first, which is its signal to clean up.
        if self.keeper.wait().is_err() {
            eprintln!("warning: the server may be left behind\nhint: see {}", self.folder.display());
        }
    }
}

/// Starts the server under a process that waits for the end of a pipe that only this process holds open. That end also
/// comes with Ctrl-C or SIGKILL, where no destructor runs.
fn spawn_keeper(program: &Path, folder: &Path) -> Result<Child> {
    const SCRIPT: &str = r#"
        program=$1 folder=$2
        cd "$folder"
        # Without a worker: the checks make webhook endpoints at random addresses, which nobody should be called at.
        "$program" serve --listen 127.0.0.1:0 --data data --set worker.in_server=false 2>log &
        server=$!
        # Only the server may hold the output open, so that its end is noticed.
        exec >/dev/null
        read -r _
        kill "$server"
        wait "$server"
        rm -rf "$folder"
    "#;
    Command::new("sh")
        .args(["-c", SCRIPT, "surehold-keeper"])
        .arg(program)
        .arg(folder)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        // A group of its own: Ctrl-C must reach this process and the checks, not the keeper.
        .process_group(0)
        .spawn()
        .context("cannot start the process that keeps the server")
}
