//! Whoever followed the feed while it grew was told the same as who reads it now: from its beginning, without a gap, at
//! least as far as it had come when everything was healed. A reader who saw little proves nothing.

use std::collections::HashMap;

use serde_json::Value;

use super::effects::Effect;
use super::feed::{Event, cursor};
use super::findings::{Verdict, count_of};
use super::replay::Replay;
use super::state::FinalState;
use crate::torture::history::EventSeen;

pub(super) fn check(last: &FinalState, replay: &Replay, effects: &[Effect], verdict: &mut Verdict) {
    let Some(live) = &last.live else { return };
    verdict.checked.events_live = count_of(live.len());
    let places: HashMap<&str, usize> = last.events.iter().zip(0..).map(|(e, i)| (e.cursor.as_str(), i)).collect();
    // From the beginning on.
    let mut expected = 0;
    for seen in live {
        let Some(&place) = places.get(seen.cursor.as_str()) else {
            verdict.add("feed", || format!("a live reader saw event {}, which the feed does not have", seen.cursor));
            continue;
        };
        if !is_same(seen, &last.events[place]) {
            verdict.add("feed", || format!("a live reader saw another event {}", seen.cursor));
        }
        if expected != place {
            let missed = last.events.get(expected).map_or("the end", |event| event.cursor.as_str());
            let cursor = &seen.cursor;
            verdict.add("feed", || format!("a live reader was told {cursor} where {missed} follows"));
        }
        expected = place + 1;
    }
    let needed = needed(last, replay, effects, verdict);
    if expected < needed {
        let (first, end) = (&last.events[expected].cursor, &last.events[needed - 1].cursor);
        verdict.add("feed", || format!("a live reader was never told {first}, nor what follows up to {end}"));
    }
}

/// How many events a live reader must have been told: up to the end of the feed when everything was healed; and whatever
/// was acknowledged, since clients end before anything is healed.
fn needed(last: &FinalState, replay: &Replay, effects: &[Effect], verdict: &mut Verdict) -> usize {
    let place = |event: &Event| (event.seq, event.place);
    let acknowledged = effects.iter().filter(|effect| effect.done < u64::MAX);
    let acknowledged = acknowledged.map(|effect| place(&replay.events[effect.event])).max();
    let healed = last.live_until.as_deref().and_then(|text| {
        let healed = cursor(text);
        if healed.is_none() {
            verdict.add("feed", || format!("the feed ended at {text} when everything was healed, which is no place"));
        }
        healed
    });
    let Some(end) = acknowledged.max(healed) else { return 0 };
    // Rows that tell nothing have a place, too: the end need not be that of an event.
    last.events.iter().filter(|event| cursor(&event.cursor).is_some_and(|place| place <= end)).count()
}

/// Whether they tell the same, wherever the reader has put cursor and instant.
fn is_same(a: &EventSeen, b: &EventSeen) -> bool {
    let rest = |seen: &EventSeen| match &seen.body {
        Value::Object(fields) => {
            let told = fields.iter().filter(|(name, _)| *name != "cursor" && *name != "at");
            Value::Object(told.map(|(name, value)| (name.clone(), value.clone())).collect())
        }
        other => other.clone(),
    };
    a.at == b.at && (a.body == b.body || rest(a) == rest(b))
}
