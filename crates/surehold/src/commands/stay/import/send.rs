//! Sets what was read: requests of a bounded size, room types beside each other, each room type in its order.

use std::collections::BTreeMap;
use std::time::Duration;

use futures_util::{StreamExt, TryStreamExt, stream};
use indicatif::ProgressBar;
use serde::Serialize;
use surehold_api::Day;
use surehold_api::stays::{self, CalendarChange, CalendarOutcome, CalendarSet, PutCalendar};
use surehold_core::stays::RoomTypeCode;

use super::super::{Desk, PropertyArgs};
use super::groups::Group;
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
    pub(super) nights_changed: usize,
    pub(super) oversold: Vec<Oversold>,
    /// Why, by the place of the row in the file.
    pub(super) refused: BTreeMap<usize, String>,
}

/// Rooms that are promised beyond what there is.
#[derive(Debug, Serialize)]
pub(super) struct Oversold {
    pub(super) night: Day,
    pub(super) room_type: RoomTypeCode,
    pub(super) rooms: i64,
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
                    pending = take_in(&mut sent, &pending, told);
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

    async fn ask(self, groups: &[&Group]) -> Result<CalendarSet, ClientError> {
        let PropertyArgs { tenant, property } = self.property;
        let changes = groups.iter().map(|group| CalendarChange::from(group.wanted.clone())).collect();
        self.desk.ask(stays::put_calendar(tenant, property, &PutCalendar { changes })).await
    }
}

/// Takes in what is settled; returns what is not.
fn take_in<'g>(sent: &mut Sent, groups: &[&'g Group], told: CalendarSet) -> Vec<&'g Group> {
    let mut outcomes = vec![Outcome::Done; groups.len()];
    for part in told.parts {
        let Some(outcome) = outcomes.get_mut(part.change) else { continue };
        match (part.outcome, part.problem) {
            (CalendarOutcome::Done, _) => {}
            (CalendarOutcome::Refused, Some(problem)) if problem.status < 500 => {
                *outcome = Outcome::Refused(problem.detail);
            }
            (CalendarOutcome::Refused | CalendarOutcome::Skipped, _) => *outcome = Outcome::Pending,
        }
        sent.nights_changed += part.nights_changed;
        let oversold = part.oversold.iter();
        sent.oversold.extend(oversold.map(|night| Oversold {
            night: night.night,
            room_type: part.room_type.clone(),
            rooms: night.rooms,
        }));
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
