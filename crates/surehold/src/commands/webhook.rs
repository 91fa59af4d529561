//! `surehold webhook`. A new signing secret goes to standard output once; nothing else here ever shows one.

use clap::{Args, Subcommand};
use serde_json::{Value, json};
use surehold_core::operations::outbox::EndpointId;

use super::input::{TestMode, duration_secs, slug};
use super::screen::Screen;
use super::view::{fields, list, table, text};
use super::{Act, Common};
use crate::client::{Answer, Client, ClientError, Request};

/// Tell addresses what happens: put, list, show, rotate, enable, remove and replay
#[derive(Args)]
pub(crate) struct WebhookCommand {
    #[command(subcommand)]
    action: Action,
    #[command(flatten)]
    common: Common,
}

#[derive(Subcommand)]
enum Action {
    /// Have an address told what happens from now on, and show the signing secret this once
    Put {
        #[command(flatten)]
        endpoint: Endpoint,
        /// Where messages are posted
        url: String,
        /// An event that is wanted, as in `hold_placed`; may be repeated [default: all]
        #[arg(long = "event", value_name = "EVENT")]
        events: Vec<String>,
        /// Change an endpoint that is there; it keeps its secret and its place
        #[arg(long)]
        replace: bool,
    },
    /// List the endpoints
    List {
        /// The tenant's slug
        #[arg(value_parser = slug)]
        tenant: String,
        #[command(flatten)]
        mode: TestMode,
    },
    /// Show an endpoint, and what became of its latest messages
    Show {
        #[command(flatten)]
        endpoint: Endpoint,
    },
    /// Replace the signing secret; the old one signs too for a while
    Rotate {
        #[command(flatten)]
        endpoint: Endpoint,
        /// How long the old secret signs too, as in 1d, 2h or 0s [default: 1d]
        #[arg(long, value_name = "DURATION", value_parser = duration_secs)]
        overlap: Option<i64>,
    },
    /// Enable an endpoint that was disabled; it is told what happened meanwhile
    Enable {
        #[command(flatten)]
        endpoint: Endpoint,
        /// Leave out what happened meanwhile
        #[arg(long)]
        from_now: bool,
    },
    /// Remove an endpoint
    Remove {
        #[command(flatten)]
        endpoint: Endpoint,
    },
    /// Send messages about past events once more
    Replay {
        #[command(flatten)]
        endpoint: Endpoint,
        /// The first event, as `surehold events` shows it
        #[arg(long, value_name = "CURSOR")]
        from: String,
        /// The last event
        #[arg(long, value_name = "CURSOR")]
        to: String,
        /// Names the replay; repeated under the same name, nothing is sent once more
        #[arg(long, value_name = "NAME")]
        name: String,
    },
}

#[derive(Args)]
struct Endpoint {
    /// The tenant's slug
    #[arg(value_parser = slug)]
    tenant: String,
    /// The endpoint's name: lower-case letters, digits and dashes
    #[arg(value_name = "ENDPOINT", value_parser = endpoint_id)]
    id: String,
    #[command(flatten)]
    mode: TestMode,
}

fn endpoint_id(text: &str) -> Result<String, String> {
    EndpointId::new(text).map(|id| id.to_string()).map_err(|invalid| invalid.to_string())
}

impl Endpoint {
    fn path(&self) -> [&str; 4] {
        ["v1", &self.tenant, "webhook-endpoints", &self.id]
    }

    fn post(&self, what: &str, body: Value) -> Request {
        let path = self.path();
        let path: Vec<&str> = path.into_iter().chain([what]).collect();
        Request::post(&path).test(self.mode.test).json(body)
    }
}

impl Act for WebhookCommand {
    fn common(&self) -> &Common {
        &self.common
    }

    async fn act(&self, client: &Client, screen: &Screen) -> Result<(), ClientError> {
        match &self.action {
            Action::Put { endpoint, url, events, replace } => {
                let body = json!({"url": url, "events": events, "replace": replace});
                let request = Request::put(&endpoint.path()).test(endpoint.mode.test).json(body);
                show_new(*screen, &client.send(&request).await?)
            }
            Action::List { tenant, mode } => {
                let request = Request::get(&["v1", tenant, "webhook-endpoints"]).test(mode.test);
                screen.show(&client.send(&request).await?, |page| endpoints(list(&page["endpoints"])))
            }
            Action::Show { endpoint } => show(client, *screen, endpoint).await,
            Action::Rotate { endpoint, overlap } => {
                let body = overlap.map_or_else(|| json!({}), |secs| json!({"overlap_secs": secs}));
                show_new(*screen, &client.send(&endpoint.post("rotate-secret", body)).await?)
            }
            Action::Enable { endpoint, from_now } => {
                let request = endpoint.post("enable", json!({"from_now": from_now}));
                screen.show(&client.send(&request).await?, |endpoint| fields(&endpoint_fields(endpoint)))
            }
            Action::Remove { endpoint } => {
                let request = Request::delete(&endpoint.path()).test(endpoint.mode.test);
                client.send(&request).await?;
                screen.note(&format!("{} is told nothing any more", endpoint.id));
                Ok(())
            }
            Action::Replay { endpoint, from, to, name } => {
                replay(client, *screen, endpoint, json!({"from": from, "to": to, "key": name})).await
            }
        }
    }
}

/// For people with its latest messages; machines get the endpoint.
async fn show(client: &Client, screen: Screen, endpoint: &Endpoint) -> Result<(), ClientError> {
    const MESSAGES: &str = "20";
    let answer = client.send(&Request::get(&endpoint.path()).test(endpoint.mode.test)).await?;
    screen.show(&answer, |endpoint| fields(&endpoint_fields(endpoint)))?;
    if screen.json {
        return Ok(());
    }
    let path = endpoint.path();
    let path: Vec<&str> = path.into_iter().chain(["deliveries"]).collect();
    let request = Request::get(&path).query("limit", MESSAGES).test(endpoint.mode.test);
    let page = client.send(&request).await?.value()?;
    let messages = list(&page["deliveries"]);
    if messages.is_empty() {
        return Ok(());
    }
    screen.print(&format!("\n{}", deliveries(messages)))
}

/// Goes on where an answer says that there is more.
async fn replay(client: &Client, screen: Screen, endpoint: &Endpoint, mut body: Value) -> Result<(), ClientError> {
    loop {
        let answer = client.send(&endpoint.post("replay", body.clone())).await?;
        let mut replayed = answer.value()?;
        screen.show(&answer, |replayed| fields(&[("deliveries", text(&replayed["deliveries"]))]))?;
        if replayed["complete"] == false {
            screen.note("some of the events are no longer kept and were not sent");
        }
        match replayed["next"].take() {
            Value::Null => return Ok(()),
            next => body["from"] = next,
        }
    }
}

/// The secret alone on standard output, so that a script can take it; what it is for goes beside.
fn show_new(screen: Screen, answer: &Answer) -> Result<(), ClientError> {
    let endpoint = answer.value()?;
    if screen.json || endpoint["secret"].is_null() {
        return screen.show(answer, |endpoint| fields(&endpoint_fields(endpoint)));
    }
    screen.keep(fields(&endpoint_fields(&endpoint)).trim_end());
    screen.note("the signing secret is shown this once");
    screen.print(&text(&endpoint["secret"]))
}

fn events(endpoint: &Value) -> String {
    let events = list(&endpoint["events"]);
    if events.is_empty() { "all".to_owned() } else { events.iter().map(text).collect::<Vec<_>>().join(" ") }
}

fn endpoint_fields(endpoint: &Value) -> Vec<(&'static str, String)> {
    vec![
        ("endpoint", text(&endpoint["id"])),
        ("url", text(&endpoint["url"])),
        ("events", events(endpoint)),
        ("state", text(&endpoint["state"])),
        ("reason", text(&endpoint["disabled_reason"])),
        ("disabled", text(&endpoint["disabled_at"])),
        ("old_secret_until", text(&endpoint["previous_secret_until"])),
        ("told_until", text(&endpoint["cursor"])),
        ("created", text(&endpoint["created_at"])),
    ]
}

fn endpoints(endpoints: &[Value]) -> String {
    let row = |endpoint: &Value| {
        vec![text(&endpoint["id"]), text(&endpoint["state"]), events(endpoint), text(&endpoint["url"])]
    };
    table(&["ENDPOINT", "STATE", "EVENTS", "URL"], &[], endpoints.iter().map(row))
}

fn deliveries(deliveries: &[Value]) -> String {
    let row = |delivery: &Value| {
        let column = |name: &str| text(&delivery[name]);
        vec![column("cursor"), column("replay"), column("state"), column("attempts"), column("status"), column("error")]
    };
    table(&["EVENT", "REPLAY", "STATE", "ATTEMPTS", "STATUS", "ERROR"], &[3, 4], deliveries.iter().map(row))
}
