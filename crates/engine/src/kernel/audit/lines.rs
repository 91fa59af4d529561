//! The lines of holds, as places in the list of pools. The same text is read once.

use std::cell::Cell;
use std::collections::HashMap;
use std::rc::Rc;

use surehold_core::kernel::{Lines, PoolKey};

/// In the place of a pool that does not exist.
pub(super) const NO_POOL: u32 = u32::MAX;

/// Texts that are remembered. Beyond that each is read for itself, so that memory has an end.
const REMEMBERED_MAX: usize = 65_536;

/// Which pools, in the order of the lines.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Places {
    pub(super) start: u32,
    pub(super) len: u8,
}

/// Lines that were read.
#[derive(Clone, Debug)]
pub(super) struct Read {
    /// The pools, with their quantities.
    pub(super) units: Rc<[(u32, i64)]>,
    /// As soon as they are kept for a hold that the journal must tell of.
    places: Rc<Cell<Option<Places>>>,
}

#[derive(Debug, Default)]
pub(super) struct LineLists {
    places: Vec<u32>,
    remembered: HashMap<Box<str>, Read>,
}

impl LineLists {
    pub(super) fn read(&mut self, json: &str, place_of: impl Fn(&PoolKey) -> Option<u32>) -> Result<Read, String> {
        if let Some(known) = self.remembered.get(json) {
            return Ok(known.clone());
        }
        let lines: Lines = serde_json::from_str(json).map_err(|error| error.to_string())?;
        let units = lines.iter().map(|line| (place_of(&line.pool).unwrap_or(NO_POOL), line.quantity));
        let units: Rc<[(u32, i64)]> = units.collect();
        let read = Read { units, places: Rc::default() };
        if self.remembered.len() < REMEMBERED_MAX {
            self.remembered.insert(json.into(), read.clone());
        }
        Ok(read)
    }

    /// Keeps the pools of lines that were read, the same lines once.
    pub(super) fn keep(&mut self, Read { units, places }: &Read) -> Result<Places, &'static str> {
        if let Some(kept) = places.get() {
            return Ok(kept);
        }
        let start = u32::try_from(self.places.len()).map_err(|_| "there are too many lines to look at")?;
        let len = u8::try_from(units.len()).map_err(|_| "a hold has at most 100 lines")?;
        self.places.extend(units.iter().map(|(place, _)| *place));
        let kept = Places { start, len };
        places.set(Some(kept));
        Ok(kept)
    }

    pub(super) fn pools(&self, places: Places) -> &[u32] {
        let start = usize::try_from(places.start).unwrap_or(usize::MAX);
        self.places.get(start..start.saturating_add(usize::from(places.len))).unwrap_or_default()
    }
}
