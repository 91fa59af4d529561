//! The last word that a guest heard is true. A stay has one guest, who asks one thing at a time; only the provider's news
//! come in between, and what they do is told apart: they make reservations, and free what was kept for them.

use std::collections::BTreeMap;

use uuid::Uuid;

use super::{StaySeen, StaysState};
use crate::torture::auditor::findings::Verdict;
use crate::torture::history::Kind;
use crate::torture::stays::book::{GuestAsk, GuestEntry, Nights, ReservationSeen};

const RULE: &str = "guest-told";

/// Whether a stay was made.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Made {
    #[default]
    No,
    /// Nobody knows.
    Perhaps,
    Yes,
}

/// What is certain of one stay, from what its guest was told.
#[derive(Debug, Default)]
struct CertainOfStay<'a> {
    made: Made,
    cancelled: bool,
    /// The sources that it may have: of a desk or of somebody who walked in.
    source: Option<&'static str>,
    /// Seen or told at least once.
    reserved: bool,
    ended: Option<&'static str>,
    /// The nights that it was last changed to; `None` if nobody knows.
    nights: Option<&'a Nights>,
}

pub(super) fn check(history: &[GuestEntry], state: &StaysState, verdict: &mut Verdict) {
    for (hold, known) in known(history) {
        let found = state.stays.get(&hold).and_then(Option::as_ref);
        if let Some(wrong) = known.contradiction(found) {
            verdict.add(RULE, || format!("stay {hold} {wrong}: its guest knows {known:?}, there is {found:?}"));
        }
    }
}

fn known(history: &[GuestEntry]) -> BTreeMap<Uuid, CertainOfStay<'_>> {
    let mut all: BTreeMap<Uuid, CertainOfStay<'_>> = BTreeMap::new();
    for entry in history.iter().filter(|entry| entry.kind != Kind::Invoke) {
        let Some(hold) = entry.ask.hold() else { continue };
        let known = all.entry(hold).or_default();
        match entry.kind {
            Kind::Ok => known.learn(entry),
            Kind::Info => known.doubt(&entry.ask),
            Kind::Invoke | Kind::Fail => {}
        }
    }
    all
}

impl<'a> CertainOfStay<'a> {
    fn learn(&mut self, entry: &'a GuestEntry) {
        let reservation = entry.answer.as_ref().and_then(|answer| answer.reservation.as_ref());
        self.reserved |= reservation.is_some();
        self.made = Made::Yes;
        match reservation.map(|reservation| reservation.state.as_str()) {
            Some("cancelled") => self.ended = Some("cancelled"),
            Some("no_show") => self.ended = Some("no_show"),
            Some(_) | None => {}
        }
        match &entry.ask {
            GuestAsk::CancelStay { .. } => self.cancelled = true,
            GuestAsk::Confirm { .. } => self.source = Some("desk"),
            GuestAsk::WalkIn { nights, .. } => {
                self.source = Some("walk_in");
                self.nights = Some(nights);
            }
            GuestAsk::ChangeReservation { nights, .. } => self.nights = Some(nights),
            GuestAsk::CancelReservation { .. } => self.ended = Some("cancelled"),
            GuestAsk::NoShow { .. } => self.ended = Some("no_show"),
            GuestAsk::Quote { .. } | GuestAsk::Stay { .. } | GuestAsk::Checkout { .. } | GuestAsk::ReadStay { .. } => {}
        }
    }

    fn doubt(&mut self, ask: &GuestAsk) {
        match ask {
            GuestAsk::Stay { .. } | GuestAsk::WalkIn { .. } if self.made == Made::No => self.made = Made::Perhaps,
            GuestAsk::ChangeReservation { .. } => self.nights = None,
            GuestAsk::Quote { .. }
            | GuestAsk::Stay { .. }
            | GuestAsk::WalkIn { .. }
            | GuestAsk::Checkout { .. }
            | GuestAsk::Confirm { .. }
            | GuestAsk::CancelStay { .. }
            | GuestAsk::CancelReservation { .. }
            | GuestAsk::NoShow { .. }
            | GuestAsk::ReadStay { .. } => {}
        }
    }

    /// What is wrong, if anything is.
    fn contradiction(&self, found: Option<&StaySeen>) -> Option<&'static str> {
        let Some(StaySeen { state, reservation }) = found else {
            return (self.made == Made::Yes).then_some("is not there");
        };
        if self.made == Made::No {
            return Some("is there, though it was refused");
        }
        let late = reservation.as_ref().is_some_and(|reservation| reservation.source == "late_payment");
        if self.cancelled && (state != "cancelled" || (reservation.is_some() && !late)) {
            return Some("was given up, and is not");
        }
        let Some(reservation) = reservation else {
            return (self.reserved || self.source.is_some() || self.ended.is_some()).then_some("has no reservation");
        };
        self.contradicts(reservation)
    }

    fn contradicts(&self, reservation: &ReservationSeen) -> Option<&'static str> {
        if self.source.is_some_and(|source| reservation.source != source) {
            return Some("was booked by somebody else");
        }
        if self.ended.is_some_and(|ended| reservation.state != ended) {
            return Some("has ended otherwise");
        }
        let others =
            |nights: &Nights| (&nights.checkin, &nights.checkout) != (&reservation.checkin, &reservation.checkout);
        self.nights.is_some_and(others).then_some("is of other nights")
    }
}
