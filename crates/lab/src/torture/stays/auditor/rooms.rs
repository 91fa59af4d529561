//! What is sold is what there is. That it was so at every moment, the replay of the feed says.

use std::collections::BTreeMap;

use super::money::reservations;
use super::{StaysChecked, StaysState};
use crate::torture::auditor::findings::{Verdict, count_of};

const RULE: &str = "rooms";

pub(super) fn check(state: &StaysState, checked: &mut StaysChecked, verdict: &mut Verdict) {
    checked.reservations = count_of(reservations(state).count());
    for (name, pool) in &state.hotel.pools {
        if pool.held + pool.booked > pool.total + pool.overbook {
            verdict.add(RULE, || format!("{name} is sold more than once: {pool:?}"));
        }
    }
    if state.hotel.torn {
        return;
    }
    for (hold, reservation) in
        state.stays.iter().filter_map(|(hold, stay)| Some((hold, stay.as_ref()?.reservation.as_ref()?)))
    {
        let booked_by = state.hotel.holds.get(&reservation.booked_by).and_then(Option::as_ref);
        if booked_by.is_none_or(|booked_by| booked_by.state != "converted") {
            verdict.add(RULE, || format!("the reservation {hold} has no rooms: {reservation:?} by {booked_by:?}"));
        }
    }
    let mut booked: BTreeMap<&str, i64> = BTreeMap::new();
    for reservation in reservations(state).filter(|reservation| reservation.state == "confirmed") {
        for name in state.hotel.pools.keys() {
            let night = name.rsplit_once('@').map_or("", |(_, night)| night);
            if (reservation.checkin.as_str()..reservation.checkout.as_str()).contains(&night) {
                *booked.entry(name).or_default() += 1;
            }
        }
    }
    // What was begun and given up has its first nights for good.
    let today = today(state.hotel.read_at);
    let coming = |name: &str| name.rsplit_once('@').is_some_and(|(_, night)| night >= today.as_str());
    for (name, pool) in state.hotel.pools.iter().filter(|(name, _)| coming(name)) {
        let expected = booked.get(name.as_str()).copied().unwrap_or(0);
        if pool.booked != expected {
            verdict.add(RULE, || format!("{name} has {} booked, and {expected} reservations", pool.booked));
        }
    }
}

fn today(micros: i64) -> String {
    let instant = jiff::Timestamp::from_microsecond(micros).unwrap_or(jiff::Timestamp::MAX);
    instant.to_zoned(jiff::tz::TimeZone::UTC).date().to_string()
}
