//! `surehold webhook`. A new signing secret goes to standard output once; nothing else here ever shows one.

use clap::{Args, Subcommand};
use surehold_api::operations::{
    self, EnableWebhookEndpoint, NewWebhookEndpoint, PutWebhookEndpoint, ReplayEvents, ReplayedEvents,
    RotateWebhookSecret, WebhookDelivery, WebhookEndpoint,
};
use surehold_core::kernel::Slug;
use surehold_core::operations::outbox::EndpointId;

use super::desk::Desk;
use super::hints::Hints;
use super::input::{TestMode, duration_secs};
use super::show::{Show, both, column, details, joined, line, number, rows, some};
use super::{Act, Common};
use crate::client::{Answer, ClientError};

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
        tenant: Slug,
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
    tenant: Slug,
    /// The endpoint's name: lower-case letters, digits and dashes
    #[arg(value_name = "ENDPOINT", value_parser = EndpointId::new)]
    id: EndpointId,
    #[command(flatten)]
    mode: TestMode,
}

impl Act for WebhookCommand {
    const HINTS: Hints = Hints {
        by_code: &[
            (&["endpoint-not-found"], "`surehold webhook list {tenant}` shows the endpoints"),
            (&["endpoint-exists"], "--replace changes it; it keeps its secret and its place"),
            (
                &["address-not-allowed"],
                "give it a public https:// address; `webhooks.reach` widens what the server calls",
            ),
        ],
        names: &[],
    };

    fn common(&self) -> &Common {
        &self.common
    }

    fn test(&self) -> bool {
        match &self.action {
            Action::List { mode, .. } => mode.test,
            Action::Put { endpoint, .. }
            | Action::Show { endpoint }
            | Action::Rotate { endpoint, .. }
            | Action::Enable { endpoint, .. }
            | Action::Remove { endpoint }
            | Action::Replay { endpoint, .. } => endpoint.mode.test,
        }
    }

    async fn act(&self, desk: Desk<'_>) -> Result<(), ClientError> {
        match &self.action {
            Action::Put { endpoint: Endpoint { tenant, id, .. }, url, events, replace } => {
                let body = PutWebhookEndpoint { url: url.clone(), events: events.clone(), replace: *replace };
                show_new(desk, &desk.send(&operations::put_endpoint(tenant, id, &body)).await?).await
            }
            Action::List { tenant, .. } => {
                desk.present(operations::endpoints(tenant), |page| rows(ENDPOINT, &page.endpoints, &())).await
            }
            Action::Show { endpoint } => show(desk, endpoint).await,
            Action::Rotate { endpoint: Endpoint { tenant, id, .. }, overlap } => {
                let body = overlap
                    .map_or_else(RotateWebhookSecret::default, |overlap_secs| RotateWebhookSecret { overlap_secs });
                show_new(desk, &desk.send(&operations::rotate_secret(tenant, id, &body)).await?).await
            }
            Action::Enable { endpoint: Endpoint { tenant, id, .. }, from_now } => {
                let body = EnableWebhookEndpoint { from_now: *from_now };
                let enable = operations::enable_endpoint(tenant, id, &body);
                desk.detail(enable, ENDPOINT).await
            }
            Action::Remove { endpoint: Endpoint { tenant, id, .. } } => {
                desk.send(&operations::remove_endpoint(tenant, id)).await?;
                desk.screen.note(&format!("{id} is told nothing any more"));
                Ok(())
            }
            Action::Replay { endpoint, from, to, name } => {
                replay(desk, endpoint, ReplayEvents { from: from.clone(), to: to.clone(), key: name.clone() }).await
            }
        }
    }
}

/// For people with its latest messages; machines get the endpoint.
async fn show(desk: Desk<'_>, Endpoint { tenant, id, .. }: &Endpoint) -> Result<(), ClientError> {
    const MESSAGES: u32 = 20;
    let answer = desk.send(&operations::endpoint(tenant, id)).await?;
    let Some(endpoint) = desk.for_people(&answer).await? else { return Ok(()) };
    desk.screen.print(&details(ENDPOINT, &endpoint, &()))?;
    let page = desk.ask(operations::deliveries(tenant, id).query("limit", MESSAGES)).await?;
    if page.deliveries.is_empty() {
        return Ok(());
    }
    desk.screen.print(&format!("\n{}", rows(DELIVERIES, &page.deliveries, &())))
}

/// Goes on where an answer says that there is more.
async fn replay(
    desk: Desk<'_>,
    Endpoint { tenant, id, .. }: &Endpoint,
    mut wanted: ReplayEvents,
) -> Result<(), ClientError> {
    loop {
        let answer = desk.send(&operations::replay(tenant, id, &wanted)).await?;
        if let Some(replayed) = desk.for_people(&answer).await? {
            desk.screen.print(&details(REPLAYED, &replayed, &()))?;
        }
        let replayed = desk.read(&answer).await?;
        if !replayed.complete {
            desk.screen.note("some of the events are no longer kept and were not sent");
        }
        match replayed.next {
            Some(next) => wanted.from = next,
            None => return Ok(()),
        }
    }
}

/// The secret alone on standard output, so that a script can take it; what it is for goes beside.
async fn show_new(desk: Desk<'_>, answer: &Answer<NewWebhookEndpoint>) -> Result<(), ClientError> {
    let Some(NewWebhookEndpoint { secret, about }) = desk.for_people(answer).await? else { return Ok(()) };
    let about = details(ENDPOINT, &about, &());
    let Some(secret) = secret else { return desk.screen.print(&about) };
    desk.screen.keep(about.trim_end());
    desk.screen.note("the signing secret is shown this once");
    desk.screen.print(&secret)
}

const ENDPOINT: &[Show<WebhookEndpoint>] = &[
    both("endpoint", |endpoint, ()| endpoint.id.to_string()),
    line("url", |endpoint, ()| endpoint.url.clone()),
    line("events", |endpoint, ()| events(endpoint)),
    both("state", |endpoint, ()| endpoint.state.to_string()),
    column("events", |endpoint, ()| events(endpoint)),
    column("url", |endpoint, ()| endpoint.url.clone()),
    line("reason", |endpoint, ()| some(endpoint.disabled_reason.as_ref())),
    line("disabled", |endpoint, ()| some(endpoint.disabled_at)),
    line("old_secret_until", |endpoint, ()| some(endpoint.previous_secret_until)),
    line("told_until", |endpoint, ()| endpoint.cursor.clone()),
    line("created", |endpoint, ()| endpoint.created_at.to_string()),
];

fn events(endpoint: &WebhookEndpoint) -> String {
    if endpoint.events.is_empty() { "all".to_owned() } else { joined(&endpoint.events, " ") }
}

const REPLAYED: &[Show<ReplayedEvents>] = &[line("deliveries", |replayed, ()| replayed.deliveries.to_string())];

const DELIVERIES: &[Show<WebhookDelivery>] = &[
    column("event", |delivery, ()| delivery.cursor.clone()),
    column("replay", |delivery, ()| some(delivery.replay.as_ref())),
    column("state", |delivery, ()| delivery.state.to_string()),
    number(column("attempts", |delivery, ()| delivery.attempts.to_string())),
    number(column("status", |delivery, ()| some(delivery.status))),
    column("error", |delivery, ()| some(delivery.error.as_ref())),
];
