//! Events are listed, and those that never came are found.

use std::net::SocketAddr;

use serde_json::{Value, json};
use surehold_connect::stripe::{
    CallError, Event, EventsQuery, KINDS, Stripe, StripeAccount, SweepConfig, SweepError, Sweeper,
};
use surehold_core::operations::{ExternalId, InboxEvent, InboxKey, SourceName};

use super::super::endpoint::patiently;
use super::scripted::{FakeStripe, SECRET_KEY, TENANT, Town, client_of, new_refund, page, refused, says};

#[tokio::test]
async fn events_are_listed() {
    let event = |id: &str, object: &Value| json!({"id": id, "type": "charge.refunded", "created": 1, "livemode": false, "data": {"object": object}});
    let charge = json!({"id": "ch_1", "amount": 2, "amount_refunded": 1, "currency": "eur", "refunded": false});
    let rows = [event("evt_2", &json!({"id": "ch_2"})), event("evt_1", &charge)];
    let stripe = FakeStripe::start([page(&rows, true), page(&[], false)]).await;
    let query = EventsQuery {
        kinds: vec![KINDS[0].into(), KINDS[4].into()],
        created_from: Some(1_700_000_000),
        starting_after: Some("evt_9".into()),
        ending_before: None,
    };
    let list = patiently(stripe.client().events("main", &query)).await.unwrap();
    assert!(list.has_more);
    // One that cannot be understood does not hide the other.
    let understood: Vec<_> = list.data.iter().map(|event| Event::read(&event.body()).is_ok()).collect();
    assert_eq!(understood, [false, true]);
    let query = EventsQuery { ending_before: Some("evt_1".into()), ..EventsQuery::default() };
    assert_eq!(patiently(stripe.client().events("main", &query)).await.unwrap().data, []);
    let lines = [
        "GET /v1/events?types[]=checkout.session.completed&types[]=charge.refunded&created[gte]=1700000000\
         &starting_after=evt_9&limit=100",
        "GET /v1/events?ending_before=evt_1&limit=100",
    ];
    assert_eq!(stripe.lines(), lines);
}

/// Not in what is shown of the parts, not in errors and their sources, and not in what an indiscreet Stripe repeats.
#[tokio::test]
async fn the_key_stays_secret() {
    let indiscreet =
        json!({"error": {"type": "invalid_request_error", "message": format!("no such key: {SECRET_KEY}")}});
    let stripe = FakeStripe::start([says(401, &indiscreet), says(400, &indiscreet), says(401, &indiscreet)]).await;
    let provider = stripe.provider();
    let mut texts = vec![
        format!("{:?}", StripeAccount::new("main", SECRET_KEY.into())),
        format!("{:#?} {:#?}", stripe.client(), provider),
        format!("{:?}", stripe.call(&new_refund()).await),
        format!("{:?}", stripe.call(&new_refund()).await),
    ];
    let error = patiently(stripe.client().session("main", "cs_1")).await.unwrap_err();
    assert!(matches!(&error, CallError::Refused(refusal) if refusal.status == 401), "{error:?}");
    texts.push(format!("{error} {error:?}"));
    let malformed = Stripe::new([StripeAccount::new("main", format!("{SECRET_KEY}\n").into())]).unwrap_err();
    texts.push(format!("{malformed} {malformed:?}"));
    let nobody = client_of(SocketAddr::from(([127, 0, 0, 1], 1)));
    let unreachable = patiently(nobody.session("main", "cs_1")).await.unwrap_err();
    texts.push(format!("{unreachable} {unreachable:?}"));
    for text in texts {
        assert!(!text.contains("most_secret"), "{text}");
    }
    assert_eq!(stripe.lines().len(), 3);
}

/// An event of this kind, so old.
fn event_of(id: &str, created: i64) -> Value {
    json!({"id": id, "type": "checkout.session.expired", "created": created, "data": {"object": {"id": "cs_1"}}})
}

async fn is_kept(town: &Town, id: &str) -> bool {
    let (source, external_id) = (SourceName::new("stripe/main").unwrap(), ExternalId::new(id).unwrap());
    let key = InboxKey { source, external_id };
    town.engine.views().record::<InboxEvent>(TENANT, &key).await.unwrap().is_some()
}

#[tokio::test]
async fn events_that_never_arrived_are_found() {
    const GRACE_SECS: i64 = 100;
    let now = {
        let town = Town::new().await;
        town.engine.views().clock().await.unwrap().micros() / 1_000_000
    };
    let (old, young) = (|id: &str| event_of(id, now - 1_000), event_of("evt_young", now + 10));
    let unreadable = json!({"object": "not an event"});
    let answers = [
        page(&[young, old("evt_3"), unreadable, old("evt_2")], true),
        page(&[old("evt_1")], false),
        // The next look goes back behind the first one and finds nothing new.
        page(&[old("evt_3"), old("evt_2")], false),
        refused(500, "x"),
        page(&[old("evt_4")], false),
    ];
    let stripe = FakeStripe::start(answers).await;
    let town = &stripe.town;
    let config = SweepConfig { grace_secs: GRACE_SECS, ..SweepConfig::default() };
    let main = "main".into();
    let mut sweeper = Sweeper::new(town.engine.clone(), stripe.client(), town.homes.clone(), config);
    let mut found = Vec::new();
    for _ in 0..4 {
        found.push(patiently(sweeper.look_at(&main)).await.ok());
    }
    assert_eq!(found, [Some(3), Some(0), None, Some(1)]);
    for (id, expected) in [("evt_1", true), ("evt_2", true), ("evt_3", true), ("evt_4", true), ("evt_young", false)] {
        assert_eq!(is_kept(town, id).await, expected, "{id}");
    }
    let lines = stripe.lines();
    let from: Vec<i64> = lines.iter().map(|line| created_from(line)).collect();
    let near = |found: i64, expected: i64| (0..60).contains(&(found - expected));
    assert!(near(from[0], now - config.first_secs) && from[1] == from[0], "{lines:?}");
    assert!(near(from[2], now - config.overlap_secs), "{lines:?}");
    // What was broken off is looked through again.
    assert!(near(from[4], now - config.overlap_secs), "{lines:?}");
    assert!(lines[0].contains("types[]=checkout.session.completed") && lines[1].contains("starting_after=evt_2"));
}

/// What is too much for one look would be too much for every other: the next one goes on from now.
#[tokio::test]
async fn a_list_that_does_not_end() {
    const PAGES_MAX: usize = 1_000;
    let endless = page(&[event_of("evt_1", 1)], true);
    let stripe = FakeStripe::start(std::iter::repeat_n(endless, PAGES_MAX).chain([page(&[], false)])).await;
    let town = &stripe.town;
    let config = SweepConfig::default();
    let mut sweeper = Sweeper::new(town.engine.clone(), stripe.client(), town.homes.clone(), config);
    let main = "main".into();
    let broken_off = patiently(sweeper.look_at(&main)).await;
    assert!(matches!(broken_off, Err(SweepError::TooMany)), "{broken_off:?}");
    assert!(is_kept(town, "evt_1").await);
    assert_eq!(patiently(sweeper.look_at(&main)).await.unwrap(), 0);
    let lines = stripe.lines();
    let (first, last) = (created_from(&lines[0]), created_from(lines.last().unwrap()));
    assert!(last - first >= config.first_secs - config.overlap_secs, "{first} {last}");
}

fn created_from(line: &str) -> i64 {
    let (_, rest) = line.split_once("created[gte]=").unwrap();
    rest.split('&').next().unwrap().parse().unwrap()
}
