//! Events, as the journal has them: packed, one behind the other.

use std::fmt::Write;
use std::slice;

use surehold_core::kernel::{Event, decode_events};
use surehold_samples::{Golden, samples_of};

#[test]
fn events_in_the_journal_stay_readable() {
    let mut golden = Golden::new(env!("CARGO_MANIFEST_DIR"), "events.txt");
    for event in samples_of::<Event>() {
        let packed = postcard::to_stdvec(&event).unwrap();
        assert_eq!(decode_events(&packed).unwrap(), slice::from_ref(&event));
        let mut line = String::new();
        for byte in packed {
            write!(line, "{byte:02x}").unwrap();
        }
        golden.line(&format!("{line} {event:?}"));
    }
    golden.check();
}
