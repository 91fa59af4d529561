//! Sets what was read: requests of a bounded size, room types beside each other, each room type in its order.

use std::collections::BTreeMap;
use std::time::Duration;

use futures_util::{StreamExt, TryStreamExt, stream};
use indicatif::ProgressBar;
use serde_json::{Value, json};

use super::super::super::view::{list, text};
use super::super::{Desk, PropertyArgs};
use super::groups::{Group, change_json};
use crate::client::ClientError;

/// A range of three years is four parts, and a request may have a thousand.
const CHANGES_PER_REQUEST_MAX: usize = 200;
/// What arrives together is stored together.
const AT_ONCE: usize = 8;
/// A server that is busy or restarts is asked again, for about ten seconds.
const PAUSES_MS: [u64; 5] = [200, 500, 1_500, 3_000, 5_000];

/// What became of the rows.
#[derive(Debug, Default)]
pub(super) struct Sent {
    pub(super) nights_changed: i64,
    /// `{room_type, night, rooms}`
    pub(super) oversold: Vec<Value>,
    /// Why, by the place of the row in the file.
    pub(super) refused: BTreeMap<usize, String>,
}

impl Sent {
    fn add(&mut self, other: Sent) {
        self.nights_changed += other.nights_changed;
        self.oversold.extend(other.oversold);
        self.refused.extend(other.refused);
    }
}

pub(super) async fn all(
    desk: Desk<'_>,
    property: &PropertyArgs,
    by_room_type: Vec<Vec<Group>>,
    bar: &ProgressBar,
) -> Result<Sent, ClientError> {
    let of_room_type = |groups: Vec<Group>| async move {
        let mut sent = Sent::default();
        for request in groups.chunks(CHANGES_PER_REQUEST_MAX) {
            let one = Sending { desk, property }.set(request).await?;
            bar.inc(request.iter().map(Group::nights).sum());
            sent.add(one);
        }
        Ok::<Sent, ClientError>(sent)
    };
    let sending = stream::iter(by_room_type).map(of_room_type).buffer_unordered(AT_ONCE);
    let sum = |mut sum: Sent, sent: Sent| async move {
        sum.add(sent);
        Ok(sum)
    };
    sending.try_fold(Sent::default(), sum).await
}

#[derive(Clone, Copy)]
struct Sending<'a> {
    desk: Desk<'a>,
    property: &'a PropertyArgs,
}

/// What was said about one change.
#[derive(Clone, Debug)]
enum Outcome {
    Done,
    Refused(String),
    /// The server was in trouble: it may go better in a moment.
    Pending,
}

impl Sending<'_> {
    async fn set(self, groups: &[Group]) -> Result<Sent, ClientError> {
        let mut sent = Sent::default();
        let mut pending: Vec<&Group> = groups.iter().collect();
        let mut pauses = PAUSES_MS.into_iter();
        loop {
            let trouble = match self.ask(&pending).await {
                Ok(told) => {
                    pending = take_in(&mut sent, &pending, &told);
                    if pending.is_empty() {
                        return Ok(sent);
                    }
                    ClientError::Partly { failed: pending.len(), of: groups.len() }
                }
                Err(error) if error.passes() => error,
                Err(error) => return Err(error),
            };
            let Some(pause_ms) = pauses.next() else { return Err(trouble) };
            tokio::time::sleep(Duration::from_millis(pause_ms)).await;
        }
    }

    async fn ask(self, groups: &[&Group]) -> Result<Value, ClientError> {
        let changes: Vec<Value> = groups.iter().map(|group| change_json(&group.wanted)).collect();
        self.desk.value(self.property.put(&["calendar"]).json(json!({"changes": changes}))).await
    }
}

/// Takes in what is settled; returns what is not.
fn take_in<'g>(sent: &mut Sent, groups: &[&'g Group], told: &Value) -> Vec<&'g Group> {
    let mut outcomes = vec![Outcome::Done; groups.len()];
    for part in list(&told["parts"]) {
        let change = part["change"].as_u64().and_then(|change| usize::try_from(change).ok());
        let Some(outcome) = change.and_then(|change| outcomes.get_mut(change)) else { continue };
        let problem = &part["problem"];
        match (part["outcome"].as_str(), problem["status"].as_u64()) {
            (Some("done"), _) => {}
            (Some("refused"), Some(..500)) => *outcome = Outcome::Refused(text(&problem["detail"])),
            _ => *outcome = Outcome::Pending,
        }
        sent.nights_changed += part["nights_changed"].as_i64().unwrap_or(0);
        for night in list(&part["oversold"]) {
            let (night, rooms) = (&night["night"], &night["rooms"]);
            sent.oversold.push(json!({"room_type": part["room_type"], "night": night, "rooms": rooms}));
        }
    }
    let mut pending = Vec::new();
    for (group, outcome) in groups.iter().zip(outcomes) {
        match outcome {
            Outcome::Done => {}
            // Of several reasons the first is told; when it is mended the next one is.
            Outcome::Refused(why) => {
                for row in &group.rows {
                    sent.refused.entry(*row).or_insert_with(|| why.clone());
                }
            }
            Outcome::Pending => pending.push(*group),
        }
    }
    pending
}
