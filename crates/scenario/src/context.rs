//! What a scenario calls its holds, and the instant from which it counts.

use std::collections::BTreeMap;

use surehold_core::kernel::{HoldId, Timestamp};

const MICROS_PER_SEC: i64 = 1_000_000;

#[derive(Clone, Debug, Default)]
pub struct Context {
    ids: BTreeMap<String, HoldId>,
    start: Option<Timestamp>,
}

impl Context {
    /// Instants are shown as seconds since `start`.
    pub fn starting_at(start: Timestamp) -> Context {
        Context { ids: BTreeMap::new(), start: Some(start) }
    }

    pub fn insert(&mut self, name: &str, id: HoldId) {
        self.ids.insert(name.to_owned(), id);
    }

    pub fn id(&self, name: &str) -> Option<HoldId> {
        self.ids.get(name).copied()
    }

    /// Text that mentions ids, with the names that the scenario gave them.
    pub fn with_names(&self, text: &str) -> String {
        self.ids.iter().fold(text.to_owned(), |text, (name, id)| text.replace(&id.to_string(), name))
    }

    pub fn has_start(&self) -> bool {
        self.start.is_some()
    }

    /// Seconds since the start, with up to six decimals.
    pub(crate) fn instant(&self, text: &str) -> Timestamp {
        let start = self.start.unwrap_or_else(|| panic!("{text} is an instant, and this backend has no start"));
        let (secs, decimals) = text.split_once('.').unwrap_or((text, ""));
        let micros: i64 = format!("{secs}{decimals:0<6}").parse().unwrap_or_else(|error| panic!("{text}: {error}"));
        Timestamp::from_micros(start.micros() + micros)
    }

    pub(crate) fn instant_text(&self, instant: Timestamp) -> String {
        let Some(start) = self.start else { return "some instant".to_owned() };
        let micros = instant.micros() - start.micros();
        match micros % MICROS_PER_SEC {
            0 => format!("{}", micros / MICROS_PER_SEC),
            rest => format!("{}.{rest:06}", micros / MICROS_PER_SEC),
        }
    }
}
