//! What can be paid back, and what cannot.

use surehold_simulators::stripe::{DisputeEnd, Impossible, RefundStatus, Settlement};

use super::scene::Scene;

const REFUNDS: &str = "/v1/refunds";

#[tokio::test]
async fn limits() {
    let scene = Scene::new().await;
    let (intent, charge) = scene.paid().await;
    let ask = async |form: &str| scene.post(REFUNDS, form).await.summary();
    let of = |rest: &str| format!("payment_intent={intent}{rest}");
    let invalid = "400 invalid_request_error";
    assert_eq!(ask("").await, format!("{invalid} parameter_missing payment_intent"));
    assert_eq!(ask("payment_intent=pi_x").await, format!("{invalid} resource_missing payment_intent"));
    assert_eq!(ask("charge=ch_x").await, format!("{invalid} resource_missing charge"));
    assert_eq!(ask(&of("&amount=0")).await, format!("{invalid} parameter_invalid_integer amount"));
    assert_eq!(ask(&of("&reason=mood")).await, format!("{invalid} reason"));
    assert_eq!(ask(&of("&amount=9001")).await, format!("{invalid} amount_too_large amount"));
    assert_eq!(ask(&of("&amount=2000&reason=duplicate")).await, "200 succeeded");
    assert_eq!(ask(&of("&amount=7001")).await, format!("{invalid} amount_too_large amount"));
    let rest = scene.post(REFUNDS, &format!("charge={charge}&metadata[operation]=op-1")).await;
    assert_eq!(rest.body["amount"], 7_000);
    assert_eq!(ask(&of("")).await, format!("{invalid} charge_already_refunded"));
    assert_eq!(ask(&of("&amount=1")).await, format!("{invalid} charge_already_refunded"));
    let listed = scene.get(&format!("{REFUNDS}?payment_intent={intent}")).await;
    let amounts: Vec<_> = listed.body["data"].as_array().unwrap().iter().map(|refund| &refund["amount"]).collect();
    assert_eq!(amounts, [7_000, 2_000]);
    assert_eq!(scene.get(&format!("{REFUNDS}/{}", rest.text("id"))).await.body, rest.body);
    let charge = scene.get(&format!("/v1/charges/{charge}")).await.body;
    assert_eq!((&charge["amount_refunded"], &charge["refunded"]), (&9_000.into(), &true.into()));
    let report = scene.sim.report();
    assert_eq!((report.payments[0].amount_refunded, report.payments[0].refunds), (9_000, 2));
    assert_eq!(report.refunds_by("operation"), [("op-1".to_owned(), 1)].into());
    assert_eq!(report.refunded_too_much().count(), 0);
}

#[tokio::test]
async fn nothing_to_refund() {
    let scene = Scene::new().await;
    let session = scene.session().await;
    scene.sim.decline(&session).unwrap();
    let intent = scene.look(&session).await.text("payment_intent");
    let refused = scene.post(REFUNDS, &format!("payment_intent={intent}")).await.summary();
    assert_eq!(refused, "400 invalid_request_error payment_intent_unexpected_state payment_intent");
    assert_eq!(scene.sim.report().succeeded().count(), 0);
}

#[tokio::test]
async fn disputes() {
    let check = async |end: DisputeEnd, expected: &str, last: &str| {
        let scene = Scene::new().await;
        let (intent, charge) = scene.paid().await;
        let form = format!("payment_intent={intent}&amount=100");
        assert_eq!(scene.post(REFUNDS, &form).await.summary(), "200 succeeded");
        let dispute = scene.sim.dispute(&charge).unwrap();
        assert_eq!(scene.sim.dispute(&charge), Err(Impossible::NotDisputable));
        let refused = "400 invalid_request_error charge_disputed";
        assert_eq!(scene.post(REFUNDS, &form).await.summary(), refused);
        scene.sim.close_dispute(&dispute, end).unwrap();
        assert_eq!(scene.sim.close_dispute(&dispute, end), Err(Impossible::DisputeClosed));
        assert_eq!(scene.kinds().await.last().unwrap(), last);
        assert_eq!(scene.post(REFUNDS, &form).await.summary(), expected);
        assert_eq!(scene.sim.report().disputes[0].amount, 8_900);
    };
    check(DisputeEnd::Won, "200 succeeded", "charge.dispute.funds_reinstated").await;
    check(DisputeEnd::Lost, "400 invalid_request_error charge_disputed", "charge.dispute.closed").await;
}

#[tokio::test]
async fn refunds_that_end_later() {
    let check = async |pend: bool, end: Settlement, expected: (RefundStatus, i64), last: &str| {
        let scene = Scene::new().await;
        let (intent, _) = scene.paid().await;
        scene.sim.set_refunds_pend(pend);
        let refund = scene.post(REFUNDS, &format!("payment_intent={intent}")).await;
        assert_eq!(refund.summary(), if pend { "200 pending" } else { "200 succeeded" });
        scene.sim.finish_refund(&refund.text("id"), end).unwrap();
        let report = scene.sim.report();
        assert_eq!((report.refunds[0].status, report.payments[0].amount_refunded), expected);
        assert_eq!(scene.kinds().await.last().unwrap(), last);
        assert_eq!(scene.sim.finish_refund(&refund.text("id"), Settlement::Success), Err(Impossible::RefundEnded));
    };
    check(true, Settlement::Success, (RefundStatus::Succeeded, 9_000), "charge.refund.updated").await;
    check(true, Settlement::Failure, (RefundStatus::Failed, 0), "refund.failed").await;
    check(false, Settlement::Failure, (RefundStatus::Failed, 0), "refund.failed").await;
}
