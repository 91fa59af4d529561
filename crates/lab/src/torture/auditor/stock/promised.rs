//! Nothing leaves that somebody was promised, except to them. Only a count may find less than that: it says what is there.

use std::collections::HashMap;

use super::StockState;
use crate::torture::auditor::feed::What;
use crate::torture::auditor::findings::Verdict;
use crate::torture::auditor::replay::{Replay, place};

const RULE: &str = "promised-goods-sold";

pub(super) fn check(state: &StockState, replay: &Replay, verdict: &mut Verdict) {
    let kinds = kinds(state);
    for (name, timeline) in &replay.pools {
        let (mut total_before, mut left_before) = (0, 0);
        // What is delivered of a booking is given back first, in the same row of the journal.
        let mut given_back: Option<(i64, i64)> = None;
        for step in &timeline.steps {
            let event = &replay.events[step.event];
            let is_less = step.pool.total < total_before;
            if matches!(event.what, What::GivenBack { .. }) {
                given_back = Some((event.seq, left_before));
            }
            (total_before, left_before) = (step.pool.total, step.pool.left());
            let missing_before = given_back.filter(|(seq, _)| *seq == event.seq).map_or(0, |(_, left)| left.min(0));
            // What a hold had is consumed with the hold.
            let by_document = matches!(event.what, What::PoolChanged { .. });
            if !is_less || !by_document || step.pool.left() >= missing_before {
                continue;
            }
            let by = kinds.first_behind(event.seq, event.place);
            if by != Some("recount") {
                verdict.add(RULE, || format!("{}: {name} after a {by:?}: {:?}", place(event), step.pool));
            }
        }
    }
}

/// Kinds of the documents that were posted, by where the feed tells of it: behind what they did to pools.
struct Kinds<'s> {
    by_row: HashMap<i64, Vec<(u64, &'s str)>>,
}

impl<'s> Kinds<'s> {
    /// The first that is told behind an event, in the same row of the journal.
    fn first_behind(&self, seq: i64, place: u64) -> Option<&'s str> {
        let row = self.by_row.get(&seq)?;
        row.iter().find(|(at, _)| *at > place).map(|(_, kind)| *kind)
    }
}

fn kinds(state: &StockState) -> Kinds<'_> {
    let mut by_row: HashMap<i64, Vec<(u64, &str)>> = HashMap::new();
    for event in &state.stores.events {
        let kind = match event.body["type"].as_str() {
            Some("document_posted") => event.body["kind"].as_str().unwrap_or("unknown"),
            Some("part_posted") => "part",
            Some(_) | None => continue,
        };
        let cursor =
            event.cursor.split_once('-').and_then(|(seq, place)| Some((seq.parse().ok()?, place.parse().ok()?)));
        let Some((seq, place)): Option<(i64, u64)> = cursor else { continue };
        by_row.entry(seq).or_default().push((place, kind));
    }
    Kinds { by_row }
}
