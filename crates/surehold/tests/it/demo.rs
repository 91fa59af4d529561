//! `surehold serve --demo`: a hotel that can be booked and paid for, as somebody meets it who tries it out.

use std::io::{BufRead, BufReader};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use jiff::ToSpan;
use serde_json::Value;

use crate::text;

const PATIENCE: Duration = Duration::from_mins(2);

struct Demo<'a> {
    folder: &'a Path,
    server: Child,
    /// All that it said when it began.
    welcome: String,
}

impl Demo<'_> {
    fn start(folder: &Path) -> Demo<'_> {
        let mut serve = Command::new(env!("CARGO_BIN_EXE_surehold"));
        serve.args(["serve", "--demo", "--listen", "127.0.0.1:0"]).current_dir(folder);
        let mut server = serve.stdout(Stdio::piped()).stderr(Stdio::null()).spawn().unwrap();
        let said = BufReader::new(server.stdout.take().unwrap());
        let mut welcome = String::new();
        for line in said.lines().map(Result::unwrap) {
            welcome = format!("{welcome}{line}\n");
            if line.contains("case list demo") {
                break;
            }
        }
        Demo { folder, server, welcome }
    }

    fn run(&self, args: &[&str]) -> Value {
        let mut command = Command::new(env!("CARGO_BIN_EXE_surehold"));
        let data = self.folder.join("surehold-demo");
        command.args(args).arg("--json").env("SUREHOLD_STORE_DATA_DIR", data).current_dir(self.folder);
        let output = command.env_remove("SUREHOLD_SERVER").env_remove("SUREHOLD_KEY").output().unwrap();
        assert!(output.status.success(), "{args:?}: {}", text(&output.stderr));
        serde_json::from_slice(&output.stdout).unwrap()
    }

    /// Holds an option for two nights and asks for the page to pay on.
    fn hold(&self, days: i64) -> (String, String) {
        let checkin = jiff::Zoned::now().date().saturating_add(days.days());
        let quote = self.run(&["stay", "quote", "demo", "casa-mar", &format!("{checkin}+2")]);
        let stay = self.run(&["stay", "hold", "demo", quote["id"].as_str().unwrap(), "2", "--name", "Ann Example"]);
        let stay = stay["hold"].as_str().unwrap().to_owned();
        let page = self.run(&["stay", "checkout", "demo", &stay, "--success-url", "http://127.0.0.1/thanks"]);
        (stay, page["page"]["url"].as_str().unwrap().to_owned())
    }

    /// Until the stay looks as expected.
    fn awaited(&self, stay: &str, expected: impl Fn(&Value) -> bool) -> Value {
        let begun_at = Instant::now();
        loop {
            let seen = self.run(&["stay", "show", "demo", stay]);
            if expected(&seen) {
                return seen;
            }
            assert!(begun_at.elapsed() < PATIENCE, "{seen}");
        }
    }

    fn stop(mut self) {
        let id = self.server.id().to_string();
        assert!(Command::new("kill").args(["-INT", &id]).status().unwrap().success());
        assert_eq!(self.server.wait().unwrap().code(), Some(0));
    }
}

impl Drop for Demo<'_> {
    fn drop(&mut self) {
        let _ = self.server.kill();
        let _ = self.server.wait();
    }
}

/// What a browser does with a button of the page: its status, and where it leads.
async fn press(url: &str, button: &str) -> (u16, String) {
    let _ = rustls::crypto::ring::default_provider().install_default();
    let client = reqwest::Client::builder().redirect(reqwest::redirect::Policy::none()).no_proxy().build().unwrap();
    let answer = client.post(url).body(format!("method={button}")).send().await.unwrap();
    let status = answer.status().as_u16();
    let to = answer.headers().get("location").map(|to| to.to_str().unwrap().to_owned());
    (status, to.unwrap_or_default())
}

#[tokio::test]
async fn a_guest_pays_and_the_hotel_knows() {
    let folder = tempfile::tempdir().unwrap();
    let demo = Demo::start(folder.path());
    for part in
        ["export SUREHOLD_KEY=sh_live_", "surehold stay quote demo casa-mar ", "a simulated Stripe (http://127."]
    {
        assert!(demo.welcome.contains(part), "{}", demo.welcome);
    }
    let tea = || demo.run(&["stock", "show", "demo", "--in", "corner", "--product", "tea"])["items"][0].clone();
    assert_eq!((&tea()["quantity"], &tea()["value"]), (&57.into(), &"12337.5".into()));
    demo.run(&["stock", "sale", "demo", "corner", "tea=2", "rice=0.750"]);
    let (stay, url) = demo.hold(30);
    assert_eq!(press(&url, "decline").await.0, 200);
    assert_eq!(demo.run(&["stay", "show", "demo", &stay])["state"], "active");
    assert_eq!(press(&url, "card").await, (303, "http://127.0.0.1/thanks".to_owned()));
    let booked = demo.awaited(&stay, |stay| stay["reservation"]["state"] == "confirmed");
    assert_eq!(booked["reservation"]["source"], "payment");
    assert_eq!(booked["reservation"]["paid"], booked["total"]);
    // Money that takes its time.
    let (late, url) = demo.hold(40);
    assert_eq!(press(&url, "boleto").await.0, 303);
    demo.awaited(&late, |stay| stay["awaiting_payment"] == true);
    demo.stop();

    // Nothing is filled in twice, and what happened stays.
    let demo = Demo::start(folder.path());
    let items = demo.run(&["stock", "show", "demo", "--in", "corner"])["items"].clone();
    let left: Vec<i64> = items.as_array().unwrap().iter().map(|item| item["quantity"].as_i64().unwrap()).collect();
    assert_eq!(left, [28, 22_750, 55]);
    assert_eq!(demo.run(&["stay", "show", "demo", &stay])["reservation"]["state"], "confirmed");
    let (again, url) = demo.hold(30);
    assert_eq!(press(&url, "card").await.0, 303);
    demo.awaited(&again, |stay| stay["reservation"]["state"] == "confirmed");
    let property = demo.run(&["stay", "property", "show", "demo", "casa-mar"]);
    assert_eq!((&property["room_types"], &property["version"]), (&3.into(), &6.into()), "{property}");
    demo.stop();
}
