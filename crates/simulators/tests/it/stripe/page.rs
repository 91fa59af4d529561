//! The hosted page, as a browser without scripts meets it.

use reqwest::Method as Verb;
use reqwest::header::LOCATION;
use surehold_simulators::stripe::{IntentStatus, SessionStatus};

use super::scene::{DAY, SESSION, Scene};

/// Status, where it leads to, and what it says.
async fn visit(scene: &Scene, session: &str, button: Option<&str>) -> (u16, Option<String>, String) {
    let path = format!("/pay/{session}");
    let request = match button {
        None => scene.request(Verb::GET, &path),
        Some(button) => scene.request(Verb::POST, &path).body(format!("method={button}")),
    };
    let answer = request.send().await.unwrap();
    let to = answer.headers().get(LOCATION).map(|url| url.to_str().unwrap().to_owned());
    (answer.status().as_u16(), to, answer.text().await.unwrap())
}

#[tokio::test]
async fn what_it_shows() {
    let scene = Scene::new().await;
    let session = scene.session().await;
    let check = async |expected: &[&str], missing: &[&str]| {
        let (status, _, html) = visit(&scene, &session, None).await;
        assert_eq!(status, 200);
        for text in expected {
            assert!(html.contains(text), "{text} is missing: {html}");
        }
        for text in missing {
            assert!(!html.contains(text), "{text} is there: {html}");
        }
    };
    let buttons = ["Pay by card", "Pay by Boleto (later)", "Decline", "Go back"];
    check(&["BRL 90.00", "Quarto &lt;vista mar&gt; × 2"], &["<vista"]).await;
    check(&buttons, &["declined"]).await;
    let (status, _, html) = visit(&scene, &session, Some("decline")).await;
    assert_eq!((status, html.contains("Your card was declined.")), (200, true));
    scene.sim.advance_secs(DAY);
    check(&["expired"], &buttons).await;
    assert_eq!(visit(&scene, "cs_x", None).await.0, 404);
}

#[tokio::test]
async fn buttons() {
    let check = async |button: &str, to: Option<&str>, status: SessionStatus, paid: bool| {
        let scene = Scene::new().await;
        let session = scene.session().await;
        let led = visit(&scene, &session, Some(button)).await;
        let to = to.map(|url| url.replace("{}", &session));
        assert_eq!((led.0, led.1), (if to.is_some() { 303 } else { 200 }, to), "{button}");
        let line = &scene.sim.report().sessions[0];
        assert_eq!((line.status, line.paid), (status, paid), "{button}");
    };
    let done = Some("http://127.0.0.1:9/ok?session={}");
    check("card", done, SessionStatus::Complete, true).await;
    check("boleto", done, SessionStatus::Complete, false).await;
    check("pix", done, SessionStatus::Complete, false).await;
    check("back", Some("http://127.0.0.1:9/back"), SessionStatus::Open, false).await;
    check("decline", None, SessionStatus::Open, false).await;
    check("gold", None, SessionStatus::Open, false).await;
}

#[tokio::test]
async fn nobody_pays_twice() {
    let scene = Scene::new().await;
    let session = scene.session().await;
    let pressed = (0..5).map(|_| visit(&scene, &session, Some("card")));
    let led = futures_util::future::join_all(pressed).await;
    assert_eq!(led.iter().filter(|(status, ..)| *status == 303).count(), 1);
    assert!(visit(&scene, &session, None).await.2.contains("You have paid."));
    assert_eq!(scene.sim.report().payments.len(), 1);
}

#[tokio::test]
async fn what_is_not_offered() {
    let scene = Scene::new().await;
    let form = format!("{SESSION}&payment_method_types[]=card");
    let session = scene.post("/v1/checkout/sessions", &form).await.text("id");
    assert!(!visit(&scene, &session, None).await.2.contains("Boleto"));
    assert_eq!(visit(&scene, &session, Some("boleto")).await.0, 200);
    assert_eq!(visit(&scene, &session, Some("card")).await.0, 303);
    assert_eq!(scene.sim.report().payments[0].status, IntentStatus::Succeeded);
}
