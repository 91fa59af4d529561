//! Sessions that are ended, and what became of requests whose answers were lost.

use serde_json::json;
use surehold_connect::stripe::PROBE_PAGES_MAX;
use surehold_engine::ProviderAnswer;

use super::scripted::{
    FakeStripe, Scripted, expiry_of, new_refund, new_session, page, refund, refused, says, session, shown,
};

#[tokio::test]
async fn expiring_a_session() {
    const EXPIRE: &str = "POST /v1/checkout/sessions/cs_1/expire";
    const GET: &str = "GET /v1/checkout/sessions/cs_1";
    async fn check(answers: Vec<Scripted>, expected: &str, lines: &[&str]) {
        let stripe = FakeStripe::start(answers).await;
        let told = shown(&stripe.call(&expiry_of("cs_1")).await);
        assert!(told.starts_with(expected), "{told}, not {expected}");
        assert_eq!(stripe.lines(), lines, "{expected}");
    }
    let is = |status: &str| says(200, &session("cs_1", status, "op 1"));
    check(vec![is("expired")], "done cs_1", &[EXPIRE]).await;
    check(vec![is("open")], "unanswered unexpected", &[EXPIRE]).await;
    check(vec![refused(400, ""), is("expired")], "done cs_1", &[EXPIRE, GET]).await;
    check(vec![refused(400, ""), is("complete")], "done cs_1", &[EXPIRE, GET]).await;
    check(vec![refused(400, "why"), is("open")], "kept why", &[EXPIRE, GET]).await;
    check(vec![refused(400, "why"), is("a_new_word")], "kept why", &[EXPIRE, GET]).await;
    check(vec![refused(400, "why"), refused(500, "x")], "unanswered x", &[EXPIRE, GET]).await;
    check(vec![refused(400, "why"), refused(429, "rate_limit")], "not done rate_limit", &[EXPIRE, GET]).await;
    check(vec![refused(404, "resource_missing")], "rejected resource_missing", &[EXPIRE]).await;
    check(vec![refused(429, "rate_limit")], "not done rate_limit", &[EXPIRE]).await;
    let misused = says(400, &json!({"error": {"type": "idempotency_error"}}));
    check(vec![misused], "kept idempotency_error", &[EXPIRE]).await;
}

/// What is kept is the state that the session is in, not the one that was wished for.
#[tokio::test]
async fn a_session_that_was_paid_meanwhile_is_told_as_it_is() {
    let mut paid = session("cs_1", "complete", "op 1");
    paid["payment_status"] = json!("paid");
    paid["payment_intent"] = json!("pi_1");
    let stripe = FakeStripe::start([refused(400, ""), says(200, &paid)]).await;
    let ProviderAnswer::Done { provider_ref, response } = stripe.call(&expiry_of("cs_1")).await else {
        panic!("not done")
    };
    assert_eq!(provider_ref.as_deref(), Some("cs_1"));
    let kept: surehold_connect::stripe::SessionAnswer = response.read().unwrap();
    assert_eq!(kept.status.unwrap().as_str(), "complete");
    assert_eq!(kept.payment_status.unwrap().as_str(), "paid");
    assert_eq!(kept.payment_intent.as_deref(), Some("pi_1"));
}

#[tokio::test]
async fn asking_after_an_expiry() {
    async fn check(scripted: Scripted, expected: &str) {
        let stripe = FakeStripe::start([scripted]).await;
        let told = shown(&stripe.probe(&expiry_of("cs_1")).await);
        assert!(told.starts_with(expected), "{told}, not {expected}");
        assert_eq!(stripe.lines(), ["GET /v1/checkout/sessions/cs_1"]);
    }
    let is = |status: &str| says(200, &session("cs_1", status, "op 1"));
    check(is("expired"), "done cs_1").await;
    check(is("complete"), "done cs_1").await;
    check(is("open"), "absent").await;
    check(is("a_new_word"), "undecidable").await;
    check(refused(404, "resource_missing"), "unanswered resource_missing").await;
    check(refused(401, "x"), "not done x").await;
}

#[tokio::test]
async fn asking_after_a_refund() {
    const FIRST: &str = "GET /v1/refunds?payment_intent=pi_1&limit=100";
    const SECOND: &str = "GET /v1/refunds?payment_intent=pi_1&starting_after=re_2&limit=100";
    async fn check(answers: Vec<Scripted>, expected: &str, lines: &[&str]) {
        let stripe = FakeStripe::start(answers).await;
        let told = shown(&stripe.probe(&new_refund()).await);
        assert!(told.starts_with(expected), "{told}, not {expected}");
        assert_eq!(stripe.lines(), lines, "{expected}");
    }
    let (ours, others) = (|id: &str| refund(id, "op-2"), |id: &str| refund(id, "op-3"));
    check(vec![page(&[], false)], "absent", &[FIRST]).await;
    check(vec![page(&[], true)], "absent", &[FIRST]).await;
    check(vec![page(&[others("re_2"), others("re_1")], false)], "absent", &[FIRST]).await;
    check(vec![page(&[others("re_2"), ours("re_1")], false)], "done re_1", &[FIRST]).await;
    // What happened first is what counts.
    check(vec![page(&[ours("re_2"), ours("re_1")], false)], "done re_1", &[FIRST]).await;
    let second = vec![page(&[others("re_3"), others("re_2")], true), page(&[ours("re_1")], false)];
    check(second, "done re_1", &[FIRST, SECOND]).await;
    let second = vec![page(&[ours("re_3"), others("re_2")], true), page(&[others("re_1")], false)];
    check(second, "done re_3", &[FIRST, SECOND]).await;
    let broken_off = vec![page(&[others("re_3"), others("re_2")], true), refused(500, "x")];
    check(broken_off, "unanswered x", &[FIRST, SECOND]).await;
    check(vec![refused(404, "resource_missing")], "unanswered resource_missing", &[FIRST]).await;
    check(vec![refused(429, "rate_limit")], "not done rate_limit", &[FIRST]).await;
    let endless = vec![page(&[others("re_2")], true); PROBE_PAGES_MAX];
    let lines: Vec<_> = std::iter::once(FIRST).chain(std::iter::repeat(SECOND)).take(PROBE_PAGES_MAX).collect();
    check(endless, "undecidable", &lines).await;
}

#[tokio::test]
async fn asking_after_a_session() {
    // From when it was asked for until the last moment at which Stripe would have made it; clocks differ.
    const FIRST: &str = "GET /v1/checkout/sessions?created[gte]=1699999700&created[lte]=1700002100&limit=100";
    const SECOND: &str =
        "GET /v1/checkout/sessions?created[gte]=1699999700&created[lte]=1700002100&starting_after=cs_2&limit=100";
    async fn check(answers: Vec<Scripted>, expected: &str, lines: &[&str]) {
        let stripe = FakeStripe::start(answers).await;
        let told = shown(&stripe.probe(&new_session()).await);
        assert!(told.starts_with(expected), "{told}, not {expected}");
        assert_eq!(stripe.lines(), lines, "{expected}");
    }
    let (ours, others) = (|id: &str| session(id, "open", "op 1"), |id: &str| session(id, "open", "op 2"));
    check(vec![page(&[], false)], "absent", &[FIRST]).await;
    check(vec![page(&[others("cs_2"), ours("cs_1")], false)], "done cs_1", &[FIRST]).await;
    check(vec![page(&[ours("cs_2"), ours("cs_1")], false)], "done cs_1", &[FIRST]).await;
    let second = vec![page(&[others("cs_2")], true), page(&[others("cs_1")], false)];
    check(second, "absent", &[FIRST, SECOND]).await;
    let second = vec![page(&[others("cs_2")], true), page(&[ours("cs_1")], false)];
    check(second, "done cs_1", &[FIRST, SECOND]).await;
    check(vec![refused(403, "x")], "not done x", &[FIRST]).await;
    let endless = vec![page(&[others("cs_2")], true); PROBE_PAGES_MAX];
    let lines: Vec<_> = std::iter::once(FIRST).chain(std::iter::repeat(SECOND)).take(PROBE_PAGES_MAX).collect();
    check(endless, "undecidable", &lines).await;
}
