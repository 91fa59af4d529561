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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::torture::auditor::feed::Event;
    use crate::torture::auditor::model::Pool;
    use crate::torture::auditor::replay::{Step, Timeline};
    use crate::torture::history::{EventSeen, Units};

    /// What happened to the pool, and its total and booked units then.
    type PoolStep = (&'static str, i64, i64);
    /// A document's kind, and what it did.
    type Posted<'a> = (&'a str, &'a [PoolStep]);

    fn what(told: &str) -> What {
        match told {
            "given back" => What::GivenBack { hold: uuid::Uuid::nil(), lines: Units::new(), versions: Vec::new() },
            _ => What::PoolChanged {
                pool: "tea".to_owned(),
                version: 0,
                total: 0,
                overbook: 0,
                granted: 0,
                closed: false,
            },
        }
    }

    /// Each document is a row of the journal: what it does to the pool, then that it was posted.
    fn is_found(documents: &[Posted<'_>]) -> bool {
        let (mut events, mut steps, mut posted) = (Vec::new(), Vec::new(), Vec::new());
        for (seq, (kind, told)) in (1..).zip(documents) {
            for (place, (happened, total, booked)) in (0..).zip(*told) {
                let pool = Pool { total: *total, booked: *booked, ..Pool::default() };
                steps.push(Step { pool, lapsed: 0, event: events.len() });
                events.push(Event { seq, place, at: 0, what: what(happened) });
            }
            let body = serde_json::json!({ "type": "document_posted", "kind": kind });
            posted.push(EventSeen { cursor: format!("{seq}-{}", told.len()), at: 0, body });
        }
        let mut timeline = Timeline::default();
        timeline.steps = steps;
        let pools = HashMap::from([("tea".to_owned(), timeline)]);
        let replay = Replay { events, pools, holds: HashMap::new(), touched: Vec::new() };
        let mut state = StockState::default();
        state.stores.events = posted;
        let mut verdict = Verdict::default();
        check(&state, &replay, &mut verdict);
        !verdict.is_clean()
    }

    #[test]
    fn what_was_promised_leaves_only_to_whom_it_was() {
        // Five were bought, and three of them are booked.
        let booked: Posted<'_> = ("purchase", &[("changed", 5, 0), ("changed", 5, 3)]);
        // Then only one of the three was found.
        let missing: Posted<'_> = ("recount", &[("changed", 1, 3)]);
        let cases: &[(&str, bool, &[Posted<'_>])] = &[
            ("the rest is sold", false, &[booked, ("sale", &[("changed", 3, 3)])]),
            ("one of the three is sold", true, &[booked, ("sale", &[("changed", 2, 3)])]),
            ("a count may find less", false, &[booked, missing]),
            ("a write-off may not", true, &[booked, ("write_off", &[("changed", 1, 3)])]),
            ("one is delivered", false, &[booked, ("sale", &[("given back", 5, 2), ("changed", 4, 2)])]),
            ("one is given back, two leave", false, &[booked, ("sale", &[("given back", 5, 2), ("changed", 3, 2)])]),
            ("one is given back, four leave", true, &[booked, ("sale", &[("given back", 5, 2), ("changed", 1, 2)])]),
            ("the one is delivered", false, &[booked, missing, ("sale", &[("given back", 1, 2), ("changed", 0, 2)])]),
            ("the one is sold to others", true, &[booked, missing, ("sale", &[("changed", 0, 3)])]),
            (
                "two are missing, and a third is taken",
                true,
                &[booked, ("recount", &[("changed", 2, 4)]), ("sale", &[("given back", 2, 3), ("changed", 0, 3)])],
            ),
            (
                "what was given back in a row of before excuses nothing",
                true,
                &[booked, missing, ("none", &[("given back", 1, 2)]), ("sale", &[("changed", 0, 2)])],
            ),
        ];
        for (case, expected, documents) in cases {
            assert_eq!(is_found(documents), *expected, "{case}");
        }
    }
}
