//! Webhooks as an endpoint hears them; signatures are judged, and events read, by the code that does so in a server.

use std::collections::{BTreeMap, BTreeSet};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use secrecy::SecretString;
use surehold_connect::stripe::{Event, Subject, verify};
use surehold_simulators::stripe::{Method, Mischief, StripeConfig, StripeReport, WebhookConfig};

use super::scene::{Delivered, Endpoint, Scene, config};

const PAID: [&str; 4] =
    ["payment_intent.created", "charge.succeeded", "payment_intent.succeeded", "checkout.session.completed"];

fn verifies(delivered: &Delivered, secret: &str) -> bool {
    let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap();
    let now_secs = i64::try_from(now.as_secs()).unwrap();
    verify(&delivered.signature, &delivered.body, &[SecretString::from(secret)], now_secs).is_ok()
}

fn pauses(count: usize) -> Vec<Duration> {
    vec![Duration::from_millis(1); count]
}

async fn scene(endpoint: &Endpoint, webhooks: WebhookConfig) -> Scene {
    Scene::with(StripeConfig { accounts: vec![endpoint.account()], webhooks, ..config() }).await
}

#[tokio::test]
async fn in_order_and_signed() {
    let endpoint = Endpoint::start().await;
    let scene = scene(&endpoint, WebhookConfig::default()).await;
    let session = scene.session().await;
    scene.sim.pay(&session, Method::Card).unwrap();
    scene.sim.drain().await;
    let heard = endpoint.heard();
    assert_eq!(heard.iter().map(Delivered::kind).collect::<Vec<_>>(), PAID);
    for delivered in &heard {
        assert!(verifies(delivered, "whsec_simulated0001"), "{delivered:?}");
        assert!(!verifies(delivered, "whsec_simulated0002"), "{delivered:?}");
        assert_eq!(scene.get(&format!("/v1/events/{}", delivered.id())).await.body, delivered.event());
    }
    let event = Event::read(&heard[3].body).unwrap();
    let Subject::CheckoutCompleted(completed) = event.subject else { panic!("{:?}", event.subject) };
    assert_eq!((completed.id.as_str(), completed.amount_total), (session.as_str(), Some(9_000)));
    let report = scene.sim.report();
    assert_eq!((report.deliveries.delivered, report.deliveries_pending), (4, 0));
}

#[tokio::test]
async fn a_rotation() {
    let endpoint = Endpoint::start().await;
    let scene = scene(&endpoint, WebhookConfig::default()).await;
    scene.sim.set_webhook_secrets(0, &["whsec_new".to_owned(), "whsec_old".to_owned()]);
    scene.paid().await;
    scene.sim.drain().await;
    let heard = endpoint.heard();
    assert!(!heard.is_empty());
    let both = |delivered: &Delivered| verifies(delivered, "whsec_new") && verifies(delivered, "whsec_old");
    assert!(heard.iter().all(both));
}

#[tokio::test]
async fn tries_again_until_it_is_heard_or_gives_up() {
    let check = async |answers: &[u16], attempts: u64, given_up: u64| {
        let endpoint = Endpoint::start().await;
        let scene = scene(&endpoint, WebhookConfig { retry_pauses: pauses(3), ..WebhookConfig::default() }).await;
        let session = scene.session().await;
        endpoint.answer(answers);
        scene.post(&format!("/v1/checkout/sessions/{session}/expire"), "").await;
        scene.sim.drain().await;
        let heard = endpoint.heard();
        assert_eq!(heard.iter().map(Delivered::id).collect::<BTreeSet<_>>().len(), 1, "{answers:?}");
        let deliveries = scene.sim.report().deliveries;
        assert_eq!((deliveries.attempts, deliveries.given_up), (attempts, given_up), "{answers:?}");
        assert_eq!(u64::try_from(heard.len()).unwrap(), attempts, "{answers:?}");
    };
    check(&[200], 1, 0).await;
    check(&[204], 1, 0).await;
    check(&[500, 302, 200], 3, 0).await;
    check(&[500, 400, 404, 503], 4, 1).await;
}

/// An endpoint that is not there.
#[tokio::test]
async fn nobody_listens() {
    let endpoint = Endpoint::start().await;
    let scene = scene(&endpoint, WebhookConfig { retry_pauses: pauses(2), ..WebhookConfig::default() }).await;
    scene.sim.set_endpoints(0, &["http://127.0.0.1:1/stripe".to_owned()]);
    scene.paid().await;
    scene.sim.drain().await;
    let report = scene.sim.report();
    assert_eq!((report.deliveries.attempts, report.deliveries.given_up), (12, 4));
    assert_eq!(endpoint.heard().len(), 0);
    assert_eq!(scene.kinds().await, PAID);
}

/// What was heard, and the report, after 24 sessions were paid.
async fn paid_with(mischief: Mischief) -> (Vec<Delivered>, Vec<String>, StripeReport) {
    let endpoint = Endpoint::start().await;
    let webhooks = WebhookConfig { mischief, retry_pauses: pauses(3), ..WebhookConfig::default() };
    let scene = scene(&endpoint, webhooks).await;
    for _ in 0..24 {
        let session = scene.session().await;
        scene.sim.pay(&session, Method::Card).unwrap();
    }
    scene.sim.drain().await;
    let listed = scene.get("/v1/events?limit=100").await.body;
    let happened = listed["data"].as_array().unwrap().iter().rev();
    let happened = happened.map(|event| event["id"].as_str().unwrap().to_owned()).collect();
    (endpoint.heard(), happened, scene.sim.report())
}

fn counts(heard: &[Delivered]) -> BTreeMap<String, u64> {
    let mut counts = BTreeMap::new();
    for delivered in heard {
        *counts.entry(delivered.id()).or_default() += 1;
    }
    counts
}

fn order(heard: &[Delivered]) -> Vec<String> {
    heard.iter().map(Delivered::id).collect()
}

#[tokio::test]
async fn duplicates() {
    let (heard, happened, report) = paid_with(Mischief { seed: 7, duplicate_percent: 30, ..Mischief::default() }).await;
    let twice = counts(&heard).values().filter(|count| **count == 2).count();
    assert_eq!(u64::try_from(twice).unwrap(), report.mischief.duplicated);
    assert!((5..60).contains(&twice), "{twice} of {}", happened.len());
    assert_eq!(counts(&heard).len(), happened.len());
}

#[tokio::test]
async fn losses() {
    let (heard, happened, report) = paid_with(Mischief { seed: 7, lose_percent: 30, ..Mischief::default() }).await;
    let lost = happened.len() - counts(&heard).len();
    assert_eq!(u64::try_from(lost).unwrap(), report.mischief.lost);
    assert!((5..60).contains(&lost), "{lost} of {}", happened.len());
    let (again, _, _) = paid_with(Mischief { seed: 7, lose_percent: 30, ..Mischief::default() }).await;
    assert_eq!(order(&again), order(&heard), "the seed alone decides");
    let (other, _, _) = paid_with(Mischief { seed: 8, lose_percent: 30, ..Mischief::default() }).await;
    assert_ne!(order(&other), order(&heard));
}

#[tokio::test]
async fn disorder() {
    let delayed = Mischief { seed: 7, delay_percent: 30, delay_max: Duration::from_millis(50), ..Mischief::default() };
    let held = Mischief { seed: 7, hold_back_percent: 30, ..Mischief::default() };
    for mischief in [delayed, held] {
        let (heard, happened, report) = paid_with(mischief).await;
        assert!(report.mischief.delayed + report.mischief.held_back > 5, "{report:?}");
        assert_ne!(order(&heard), happened);
        assert_eq!(order(&heard).into_iter().collect::<BTreeSet<_>>(), happened.into_iter().collect());
    }
}

/// The wrong one comes first, and the right one afterwards whatever was answered.
#[tokio::test]
async fn wrong_signatures() {
    let mischief = Mischief { seed: 7, wrong_signature_percent: 30, ..Mischief::default() };
    let (heard, happened, report) = paid_with(mischief).await;
    let wrong: Vec<_> = heard.iter().filter(|delivered| !verifies(delivered, "whsec_simulated0001")).collect();
    assert_eq!(u64::try_from(wrong.len()).unwrap(), report.mischief.wrongly_signed);
    assert!(wrong.len() > 5);
    assert!(heard.iter().all(|delivered| delivered.answered == 200));
    let right = heard.iter().filter(|delivered| verifies(delivered, "whsec_simulated0001"));
    assert_eq!(right.map(Delivered::id).collect::<BTreeSet<_>>(), happened.into_iter().collect());
}
