//! Events, as the journal has them: packed, one behind the other.

use std::fmt::Write;
use std::slice;

use surehold_core::kernel::{Event, decode_events};
use surehold_samples::{Golden, samples_of};

#[test]
fn events_in_the_journal_stay_readable() {
    let mut golden = Golden::new(env!("CARGO_MANIFEST_DIR"), "events.txt");
    for line in golden.committed() {
        let packed = bytes(line.split(' ').next().unwrap());
        assert_eq!(decode_events(&packed).map(|events| events.len()).ok(), Some(1), "{line}");
    }
    for event in samples_of::<Event>() {
        let packed = postcard::to_stdvec(&event).unwrap();
        assert_eq!(decode_events(&packed).unwrap(), slice::from_ref(&event));
        let about = event.offered_about().map_or_else(|| "nothing".to_owned(), |about| format!("{about:?}"));
        golden.line(&format!("{} about {about}: {event:?}", hex(&packed)));
    }
    golden.check();
}

fn hex(bytes: &[u8]) -> String {
    let mut text = String::new();
    for byte in bytes {
        write!(text, "{byte:02x}").unwrap();
    }
    text
}

fn bytes(hex: &str) -> Vec<u8> {
    (0..hex.len()).step_by(2).map(|at| u8::from_str_radix(&hex[at..at + 2], 16).unwrap()).collect()
}
