//! Events as they travel: in the feed, in streams and in webhooks.

use surehold_core::kernel::Event;
use surehold_http::wire::EventBody;
use surehold_samples::{Golden, samples_of};

#[test]
fn events_that_are_sent_keep_their_form() {
    let mut golden = Golden::new(env!("CARGO_MANIFEST_DIR"), "events.txt");
    for event in samples_of::<Event>() {
        golden.line(&serde_json::to_string(&EventBody::from(event)).unwrap());
    }
    golden.check();
}
