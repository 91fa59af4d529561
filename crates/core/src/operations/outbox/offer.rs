//! Which events are offered to endpoints, and which of them must arrive in their order. Events say both where they are
//! declared.

use std::fmt::Write;

use sha2::{Digest, Sha256};
use smol_str::SmolStr;

use crate::kernel::Event;

/// An event that an endpoint may be told.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Offered {
    /// As in the event feed.
    pub name: &'static str,
    /// What it is about: messages about one thing arrive in the order of the events.
    pub ordering: SmolStr,
}

/// Longer ones are hashed: they are part of a key.
const ORDERING_BYTES_MAX: usize = 300;

/// The names of all events that are offered.
pub fn offered_events() -> impl Iterator<Item = &'static str> {
    Event::declared().filter(|event| event.is_offered).map(|event| event.name)
}

pub fn offered(event: &Event) -> Option<Offered> {
    Some(Offered { ordering: bounded(event.offered_about()?), name: event.name() })
}

fn bounded(ordering: SmolStr) -> SmolStr {
    if ordering.len() <= ORDERING_BYTES_MAX {
        return ordering;
    }
    let mut text = String::from("long:");
    for byte in Sha256::digest(ordering.as_bytes()) {
        let _ = write!(text, "{byte:02x}");
    }
    text.into()
}
