//! How much owners have at once. Never more than the policy allows; and who is refused for that has as much. Holds that
//! have lapsed do not count, swept or not.

use std::collections::{BTreeMap, HashMap};

use uuid::Uuid;

use super::feed::{Event, What};
use super::findings::Verdict;
use super::model::HoldState;
use super::replay::{Replay, place};
use super::state::FinalState;

/// The event, the hold, what it is afterwards, and when it expires.
type Change = (usize, Uuid, HoldState, Option<i64>);

/// What an owner has after one of the events that concern it.
#[derive(Debug)]
struct Possession {
    event: usize,
    /// When each of its active holds expires; `None` while nobody has told.
    expiries: Vec<Option<i64>>,
}

#[derive(Debug, Default)]
pub(super) struct Owners(HashMap<String, Vec<Possession>>);

impl Owners {
    pub(super) fn of(replay: &Replay) -> Owners {
        let mut changes: HashMap<&str, Vec<Change>> = HashMap::new();
        for (id, life) in &replay.holds {
            let Some(owner) = &life.owner else { continue };
            let of_hold = life.stages.iter().map(|stage| (stage.event, *id, stage.state, stage.expires_at));
            changes.entry(owner).or_default().extend(of_hold);
        }
        Owners(changes.into_iter().map(|(owner, changes)| (owner.to_owned(), possessions(changes))).collect())
    }

    pub(super) fn check(&self, last: &FinalState, replay: &Replay, verdict: &mut Verdict) {
        let Some(holds_max) = last.owner_holds_max else { return };
        for (owner, possessions) in &self.0 {
            for possession in possessions {
                let event = &replay.events[possession.event];
                if !matches!(event.what, What::Placed { .. }) {
                    continue;
                }
                verdict.checked.owners += 1;
                let certain = possession.expiries.iter().flatten().filter(|expires_at| **expires_at > event.at).count();
                if exceeds(certain, holds_max) {
                    verdict.add("owners", || format!("{}: {owner} has {certain} holds at once", place(event)));
                }
            }
        }
    }

    /// Whether an owner can have had as many holds after one of these many first events.
    pub(super) fn can_have(&self, owner: &str, holds: i64, (low, high): (i64, i64), events: &[Event]) -> bool {
        let Some(possessions) = self.0.get(owner) else { return holds <= 0 };
        let told = |possession: &Possession| i64::try_from(possession.event + 1).expect("a feed fits in memory");
        let later = possessions.partition_point(|possession| told(possession) <= low);
        let (before, after) = possessions.split_at(later);
        // What it had at first is looked at no earlier than the first of these moments.
        let first_at = usize::try_from(low - 1).ok().and_then(|event| events.get(event)).map(|event| event.at);
        let at_first = before.last().map(|possession| (possession, first_at.unwrap_or(i64::MIN)));
        let after = after.iter().take_while(|possession| told(possession) <= high);
        let mut all = at_first.into_iter().chain(after.map(|possession| (possession, events[possession.event].at)));
        all.any(|(possession, at)| {
            let possible = possession.expiries.iter().filter(|expiry| expiry.is_none_or(|expires_at| expires_at > at));
            exceeds(possible.count(), holds - 1)
        })
    }
}

fn exceeds(count: usize, holds_max: i64) -> bool {
    i64::try_from(count).is_ok_and(|count| count > holds_max)
}

/// In the order of events.
fn possessions(mut changes: Vec<Change>) -> Vec<Possession> {
    changes.sort_unstable_by_key(|(event, ..)| *event);
    let mut active: BTreeMap<Uuid, Option<i64>> = BTreeMap::new();
    let after = |(event, id, state, expires_at): Change| {
        match state {
            HoldState::Active => _ = active.insert(id, expires_at),
            HoldState::Converted | HoldState::Cancelled | HoldState::Expired => _ = active.remove(&id),
        }
        Possession { event, expiries: active.values().copied().collect() }
    };
    changes.into_iter().map(after).collect()
}
