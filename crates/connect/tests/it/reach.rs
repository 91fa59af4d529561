//! Whom the sender calls, and whom it does not, whatever the name servers say.

use std::collections::VecDeque;
use std::io;
use std::net::IpAddr;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use futures_util::future::BoxFuture;
use surehold_connect::webhooks::{Lookup, NotAllowed, SendError, SenderConfig};

use super::endpoint::{Endpoint, Trap, anywhere, post, sender, sender_with};

/// A name server that gives the next answer at each question, and remembers who was asked for.
#[derive(Default)]
struct Names {
    answers: Mutex<VecDeque<Vec<IpAddr>>>,
    asked: Mutex<Vec<String>>,
}

impl Names {
    fn answering<const N: usize>(answers: [&[&str]; N]) -> Arc<Names> {
        let answers = answers.iter().map(|ips| ips.iter().map(|ip| ip.parse().unwrap()).collect()).collect();
        Arc::new(Names { answers: Mutex::new(answers), asked: Mutex::default() })
    }

    fn asked(&self) -> Vec<String> {
        self.asked.lock().unwrap().clone()
    }
}

impl Lookup for Names {
    fn lookup(&self, host: &str) -> BoxFuture<'static, io::Result<Vec<IpAddr>>> {
        self.asked.lock().unwrap().push(host.to_owned());
        let answer = self.answers.lock().unwrap().pop_front();
        Box::pin(std::future::ready(answer.ok_or_else(|| io::ErrorKind::NotFound.into())))
    }
}

#[tokio::test]
async fn names_that_lead_inside_are_refused() {
    let trap = Trap::set();
    let url = format!("https://hooks.example:{}/", trap.address().port());
    for (answer, culprit) in [
        (&["127.0.0.1"][..], "127.0.0.1"),
        // Nobody calls the public one either: these tests would otherwise leave the machine.
        (&["8.8.8.8", "127.0.0.1"], "127.0.0.1"),
        (&["127.0.0.1", "8.8.8.8"], "127.0.0.1"),
        (&["::1"], "::1"),
        (&["::ffff:127.0.0.1"], "::ffff:127.0.0.1"),
        (&["169.254.169.254"], "169.254.169.254"),
    ] {
        let names = Names::answering([answer]);
        let error = post(&sender_with(SenderConfig::default(), &names), &url).await.unwrap_err();
        let ip: IpAddr = culprit.parse().unwrap();
        assert!(
            matches!(error, SendError::NotAllowed(NotAllowed::NameNotPublic { ip: found }) if found == ip),
            "{answer:?}: {error:?}"
        );
        assert!(!error.may_have_arrived(), "{answer:?}");
        assert!(!error.to_string().contains(culprit), "{error}");
        assert_eq!(names.asked(), ["hooks.example"]);
        assert!(trap.is_untouched(), "{answer:?}");
    }
}

#[tokio::test]
async fn the_machine_itself_is_refused() {
    let trap = Trap::set();
    let port = trap.address().port();
    let sender = sender(SenderConfig::default());
    for host in ["127.0.0.1", "localhost", "[::1]", "[::ffff:127.0.0.1]", "2130706433", "0.0.0.0", "127.0.0.1."] {
        let error = post(&sender, &format!("https://{host}:{port}/")).await.unwrap_err();
        assert!(
            matches!(
                error,
                SendError::NotAllowed(NotAllowed::LiteralNotPublic { .. } | NotAllowed::NameNotPublic { .. })
            ),
            "{host}: {error:?}"
        );
    }
    let plain = post(&sender, &format!("http://127.0.0.1:{port}/")).await.unwrap_err();
    assert!(matches!(plain, SendError::NotAllowed(NotAllowed::Scheme)), "{plain:?}");
    assert!(trap.is_untouched());
}

/// A name is asked for once per connection, and the connection goes to that answer: a second answer, for a later
/// question, has nobody to deceive.
#[tokio::test]
async fn the_address_that_was_judged_is_the_one_that_is_called() {
    let mut first = Endpoint::start().await;
    let port = first.address.port();
    let mut second = Endpoint::start_at(IpAddr::from([127, 0, 0, 2]), port).await;
    let names = Names::answering([&["127.0.0.1"], &["127.0.0.2"]]);
    let sender = sender_with(anywhere(), &names);
    let url = format!("http://hooks.example:{port}/");

    post(&sender, &url).await.unwrap();
    assert_eq!(first.next().await.headers["host"], format!("hooks.example:{port}"));
    assert_eq!(names.asked(), ["hooks.example"]);
    assert!(second.is_untouched());

    // Another name needs another connection, so the next answer is asked for, and used.
    post(&sender, &url.replace("hooks", "others")).await.unwrap();
    assert_eq!(second.next().await.headers["host"], format!("others.example:{port}"));
    assert_eq!(names.asked(), ["hooks.example", "others.example"]);
    assert!(first.is_untouched());
}

#[tokio::test]
async fn a_refusal_is_not_remembered() {
    let trap = Trap::set();
    let names = Names::answering([&["127.0.0.1"], &["10.0.0.1"]]);
    let sender = sender_with(SenderConfig::default(), &names);
    let url = format!("https://hooks.example:{}/", trap.address().port());
    for expected in ["127.0.0.1", "10.0.0.1"] {
        let expected: IpAddr = expected.parse().unwrap();
        let error = post(&sender, &url).await.unwrap_err();
        assert!(
            matches!(error, SendError::NotAllowed(NotAllowed::NameNotPublic { ip }) if ip == expected),
            "{error:?}"
        );
    }
    assert!(trap.is_untouched());
}

#[tokio::test]
async fn the_next_address_is_tried() {
    let mut endpoint = Endpoint::start_at(IpAddr::from([127, 0, 0, 3]), 0).await;
    let names = Names::answering([&["127.0.0.4", "127.0.0.3"]]);
    let url = format!("http://hooks.example:{}/", endpoint.address.port());
    post(&sender_with(anywhere(), &names), &url).await.unwrap();
    endpoint.next().await;
}

#[tokio::test]
async fn names_without_an_address() {
    for names in [Names::answering([]), Names::answering([&[]])] {
        let error = post(&sender_with(SenderConfig::default(), &names), "https://nobody.example/").await.unwrap_err();
        assert!(matches!(error, SendError::Resolve { .. }), "{error:?}");
        assert!(!error.may_have_arrived());
    }
}

/// Names that are never answered.
struct Silence;

impl Lookup for Silence {
    fn lookup(&self, _: &str) -> BoxFuture<'static, io::Result<Vec<IpAddr>>> {
        Box::pin(std::future::pending())
    }
}

#[tokio::test]
async fn a_name_server_that_does_not_answer_is_not_waited_for() {
    let config = SenderConfig { connect_timeout: Duration::from_millis(100), ..SenderConfig::default() };
    let error = post(&sender_with(config, &Arc::new(Silence)), "https://hooks.example/").await.unwrap_err();
    assert!(matches!(error, SendError::Connect { .. }), "{error:?}");
    assert!(!error.may_have_arrived());
}
