//! Tells other nodes when operations were asked for, and hears of theirs: one `NOTIFY` for everything within a few
//! milliseconds, from a connection of its own, so that no batch pays for it. A hint only: whatever is lost is found by
//! looking.

use std::time::Duration;

use surehold_core::kernel::{TenantId, Timestamp};
use surehold_engine::{WakeupListener, Wakeups};
use tokio::sync::mpsc;
use tokio::time::sleep;
use tokio_postgres::{Client, Error as PgError};
use tracing::{debug, warn};
use uuid::Uuid;

use crate::connect::Address;

const CHANNEL: &str = "surehold_operations";
const GATHER: Duration = Duration::from_millis(10);
const RECONNECT_PAUSE: Duration = Duration::from_secs(1);
/// The server takes less than 8,000 bytes; a tenant and an instant have at most 41.
const TENANTS_PER_NOTE: usize = 150;

/// Until it is aborted.
pub(crate) async fn share_forever(address: Address, wakeups: Wakeups) {
    let node = Uuid::now_v7().simple().to_string();
    loop {
        if let Err(error) = share(&address, &wakeups, &node).await {
            debug!(%error, "Wake-ups are not shared: {error}");
        }
        sleep(RECONNECT_PAUSE).await;
    }
}

async fn share(address: &Address, wakeups: &Wakeups, node: &str) -> Result<(), PgError> {
    let (heard, mut notes) = mpsc::unbounded_channel();
    let client = address.connect_listening(heard).await?;
    client.batch_execute(&format!("listen {CHANNEL}")).await?;
    let listener = wakeups.listen();
    loop {
        tokio::select! {
            () = listener.heard() => {
                sleep(GATHER).await;
                tell(&client, &listener, node).await?;
            }
            note = notes.recv() => match note {
                Some(note) => hear(&note, wakeups, &listener, node),
                // The connection is gone.
                None => return Ok(()),
            }
        }
    }
}

/// `node tenant@micros tenant@micros …`
async fn tell(client: &Client, listener: &WakeupListener, node: &str) -> Result<(), PgError> {
    let due: Vec<String> =
        listener.take().into_iter().map(|(tenant, at)| format!(" {tenant}@{}", at.micros())).collect();
    for part in due.chunks(TENANTS_PER_NOTE) {
        let note = format!("{node}{}", part.concat());
        client.execute("select pg_notify($1, $2)", &[&CHANNEL, &note]).await?;
    }
    Ok(())
}

fn hear(note: &str, wakeups: &Wakeups, listener: &WakeupListener, node: &str) {
    let mut words = note.split(' ');
    if words.next() == Some(node) {
        return;
    }
    for word in words {
        let due = word.split_once('@').and_then(|(tenant, at)| Some((tenant.parse().ok()?, at.parse().ok()?)));
        if let Some((tenant, at)) = due {
            wakeups.pass_on(listener, TenantId(tenant), Timestamp::from_micros(at));
        } else {
            warn!(note, "A wake-up cannot be understood");
        }
    }
}
