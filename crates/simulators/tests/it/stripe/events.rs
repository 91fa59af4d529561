//! The list of events, and how lists are paged.

use serde_json::Value;

use super::scene::{DAY, START, Scene};

fn ids(list: &Value) -> Vec<String> {
    list["data"].as_array().unwrap().iter().map(|row| row["id"].as_str().unwrap().to_owned()).collect()
}

/// Three payments, a day apart: twelve events.
async fn three_payments() -> (Scene, Vec<String>) {
    let scene = Scene::new().await;
    for _ in 0..3 {
        scene.paid().await;
        scene.sim.advance_secs(DAY);
    }
    let all = ids(&scene.get("/v1/events?limit=100").await.body);
    assert_eq!(all.len(), 12);
    (scene, all)
}

#[tokio::test]
async fn pages() {
    let (scene, all) = three_payments().await;
    let check = async |query: &str, expected: &[String], has_more: bool| {
        let list = scene.get(&format!("/v1/events?{query}")).await.body;
        assert_eq!((ids(&list).as_slice(), &list["has_more"]), (expected, &has_more.into()), "{query}");
    };
    check("", &all[..10], true).await;
    check("limit=12", &all, false).await;
    check("limit=5", &all[..5], true).await;
    check(&format!("limit=5&starting_after={}", all[4]), &all[5..10], true).await;
    check(&format!("limit=5&starting_after={}", all[9]), &all[10..], false).await;
    check(&format!("limit=5&starting_after={}", all[11]), &[], false).await;
    check(&format!("limit=3&ending_before={}", all[7]), &all[4..7], true).await;
    check(&format!("limit=3&ending_before={}", all[3]), &all[..3], false).await;
    check(&format!("ending_before={}", all[0]), &[], false).await;
    let day = START + i64::from(DAY);
    check(&format!("created[gte]={day}"), &all[..8], false).await;
    check(&format!("created[gt]={day}"), &all[..4], false).await;
    check(&format!("created[gte]={day}&created[lte]={day}"), &all[4..8], false).await;
    check(&format!("created[lt]={day}"), &all[8..], false).await;
    check(&format!("created={day}"), &all[4..8], false).await;
    check("types[]=checkout.session.completed", &[&all[0], &all[4], &all[8]].map(String::clone), false).await;
    check("types[]=charge.succeeded&types[]=charge.failed&limit=2", &[&all[2], &all[6]].map(String::clone), true).await;
    check("type=charge.*&limit=1", &all[2..3], true).await;
}

#[tokio::test]
async fn queries_that_are_refused() {
    let (scene, all) = three_payments().await;
    let check = async |query: &str, expected: &str| {
        let summary = scene.get(&format!("/v1/events?{query}")).await.summary();
        assert_eq!(summary, format!("400 invalid_request_error {expected}"), "{query}");
    };
    check("limit=0", "parameter_invalid_integer limit").await;
    check("limit=101", "parameter_invalid_integer limit").await;
    check("starting_after=evt_x", "resource_missing starting_after").await;
    check(&format!("starting_after={0}&ending_before={0}", all[0]), "starting_after").await;
    check("created[gte]=yesterday", "parameter_invalid_integer created[gte]").await;
    check("page=2", "parameter_unknown page").await;
}

#[tokio::test]
async fn an_event_shows_its_object_as_it_was() {
    let scene = Scene::new().await;
    let (intent, _) = scene.paid().await;
    scene.post_with_key("k", "/v1/refunds", &format!("payment_intent={intent}&amount=100")).await.unwrap();
    let list = scene.get("/v1/events?types[]=charge.succeeded&types[]=charge.refunded").await.body;
    let [refunded, succeeded] = [0, 1].map(|place| list["data"][place].clone());
    assert_eq!(succeeded["data"]["object"]["amount_refunded"], 0);
    assert_eq!(refunded["data"]["object"]["amount_refunded"], 100);
    assert_eq!(succeeded["request"]["idempotency_key"], Value::Null);
    assert_eq!(refunded["request"]["idempotency_key"], "k");
    let one = scene.get(&format!("/v1/events/{}", refunded["id"].as_str().unwrap())).await.body;
    assert_eq!(one, refunded);
}

#[tokio::test]
async fn thirty_days() {
    let (scene, all) = three_payments().await;
    // The first payment was three days ago.
    scene.sim.advance_secs(27 * DAY);
    assert_eq!(ids(&scene.get("/v1/events?limit=100").await.body).len(), 12);
    scene.sim.advance_secs(1);
    assert_eq!(ids(&scene.get("/v1/events?limit=100").await.body), all[..8]);
}

#[tokio::test]
async fn sessions_are_listed() {
    let scene = Scene::new().await;
    let mut made = Vec::new();
    for _ in 0..3 {
        made.insert(0, scene.session().await);
        scene.sim.advance_secs(60);
    }
    scene.sim.pay(&made[1], surehold_simulators::stripe::Method::Card).unwrap();
    let intent = scene.look(&made[1]).await.text("payment_intent");
    let check = async |query: &str, expected: &[String]| {
        let list = scene.get(&format!("/v1/checkout/sessions?{query}")).await.body;
        assert_eq!(ids(&list), expected, "{query}");
    };
    check("", &made).await;
    check(&format!("created[gte]={}", START + 60), &made[..2]).await;
    check(&format!("limit=1&starting_after={}", made[0]), &made[1..2]).await;
    check(&format!("payment_intent={intent}"), &made[1..2]).await;
    check("payment_intent=pi_x", &[]).await;
    check("status=complete", &made[1..2]).await;
}
