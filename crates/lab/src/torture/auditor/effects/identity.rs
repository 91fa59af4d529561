//! What makes two requests the same one.

use uuid::Uuid;

use super::super::requests::{Request, function};
use crate::torture::history::Ask;

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) enum Identity {
    /// The hold itself, and what is done to it.
    Hold(&'static str, Uuid),
    /// An idempotency key of a function.
    Key(&'static str, String),
    /// Each by itself: what it sets is all there is to it.
    Alone(usize),
}

/// `None` for what changes no hold and no pool by itself.
pub(super) fn of(request: &Request<'_>, place: usize) -> Option<Identity> {
    let name = function(request.ask());
    let keyed = || match request.key() {
        Some(key) => Identity::Key(name, key.to_owned()),
        None => Identity::Alone(place),
    };
    match request.ask() {
        Ask::Place { hold, .. } | Ask::Convert { hold, .. } | Ask::Cancel { hold } => Some(Identity::Hold(name, *hold)),
        Ask::Extend { until: Some(_), .. } | Ask::PutPool { .. } => Some(Identity::Alone(place)),
        Ask::Extend { until: None, .. } | Ask::Move { .. } | Ask::GiveBack { .. } | Ask::Adjust { .. } => Some(keyed()),
        Ask::ReadHold { .. } | Ask::ReadPool { .. } | Ask::ExpireTask { .. } | Ask::ChargeTask { .. } => None,
    }
}
