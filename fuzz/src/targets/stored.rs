//! What comes back from a disk: the journal's events and a history's entries.

use surehold_core::kernel::decode_events;
use surehold_http::wire::render_event;

use crate::history::Entry;

/// Events that can be read can be written again, and told.
pub(crate) fn events(data: &[u8]) {
    let Ok(events) = decode_events(data) else { return };
    assert!(events.len() <= data.len(), "an event has at least a byte");
    let packed: Vec<u8> =
        events.iter().flat_map(|event| postcard::to_stdvec(event).expect("events are plain data")).collect();
    assert_eq!(decode_events(&packed).expect("what was written can be read"), events);
    for event in &events {
        assert!(render_event(event).is_object());
    }
}

pub(crate) fn history(data: &[u8]) {
    for line in data.split(|byte| *byte == b'\n') {
        let Ok(entry) = serde_json::from_slice::<Entry>(line) else { continue };
        let written = serde_json::to_vec(&entry).expect("an entry is plain data");
        assert_eq!(serde_json::from_slice::<Entry>(&written).expect("what was written can be read"), entry);
    }
}
