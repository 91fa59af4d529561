//! Stripe's events: whom we believe, and what we make of what they say.

use secrecy::SecretString;
use surehold_connect::stripe::{Arrival, Event, EventUnreadable, arrival, sign, verify};
use surehold_core::stays::operations::{PROCESS_STRIPE_EVENT, PaymentNews, PaymentTurn};

use super::lines;

const SECRET: &str = "whsec_a secret that no input can know";
const NOW_SECS: i64 = 1_790_000_000;

/// A line with the signature; the rest is the body.
pub(crate) fn stripe(data: &[u8]) {
    let [header, body] = lines(data);
    let secrets = [SecretString::from(SECRET)];
    if let Ok(header) = std::str::from_utf8(header) {
        assert!(verify(header, body, &secrets, NOW_SECS).is_err(), "forged: {header}");
    }
    assert_eq!(verify(&sign(SECRET, NOW_SECS, body), body, &secrets, NOW_SECS), Ok(NOW_SECS));
    let read = Event::read(body);
    let Ok(Arrival { source, external_id, operation }) = arrival("main", body) else {
        // Only what is no event at all, or has an id or a name that nothing can be filed under.
        if let Ok(event) = read {
            let news = surehold_connect::stripe::news(&event);
            let PaymentNews { about, .. } = news;
            let names = [Some(event.id), about.session, about.payment_intent, about.charge];
            let is_odd = |name: &str| {
                name.is_empty() || name.len() > 100 || name.trim() != name || name.chars().any(char::is_control)
            };
            assert!(names.iter().flatten().any(|name| is_odd(name)), "{names:?}");
        }
        return;
    };
    assert_eq!(source.as_str(), "stripe/main");
    assert_eq!(operation.kind.name, PROCESS_STRIPE_EVENT.name);
    let news: PaymentNews = operation.payload.read().expect("what is written can be read");
    match read {
        Ok(event) => {
            assert_eq!((event.id.as_str(), news), (external_id.as_str(), surehold_connect::stripe::news(&event)));
        }
        Err(EventUnreadable::Object { id, kind, .. }) => {
            assert_eq!((id.as_str(), news.turn), (external_id.as_str(), PaymentTurn::NotUnderstood { kind }));
        }
        Err(EventUnreadable::Envelope { .. }) => panic!("this is no event, and was kept"),
    }
}
