//! What endpoints do with a message, and what the caller learns of it.

use std::collections::HashSet;
use std::time::Duration;

use bytes::Bytes;
use surehold_connect::webhooks::{
    Delivery, EXCERPT_CHARS_MAX, NotAllowed, Secret, SendError, SenderConfig, SignError, Verified, VerifyError, verify,
};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpListener;

use super::endpoint::{Endpoint, NOW_SECS, Trap, anywhere, patiently, post, secret, sender};

#[tokio::test]
async fn the_receiver_verifies_what_was_sent() {
    let mut endpoint = Endpoint::start().await;
    let (old, new) = (Secret::from_bytes(&[1; 24]).unwrap(), Secret::from_bytes(&[2; 64]).unwrap());
    let secrets = [new.clone(), old.clone()];
    // Not UTF-8, not JSON, with line ends: what is signed is bytes.
    let body = Bytes::from_static(b"{\r\n \"price\": 1.0 }\xff\n");
    let url = endpoint.url("/hooks/1?token=x");
    let delivery = Delivery { url: &url, id: "msg_1", timestamp_secs: NOW_SECS, body: body.clone(), secrets: &secrets };
    let answer = patiently(sender(anywhere()).post(&delivery)).await.unwrap();
    assert_eq!((answer.status, answer.excerpt.as_str(), answer.retry_after_secs), (200, "thank you", None));
    assert!(answer.is_delivered());

    let received = endpoint.next().await;
    assert_eq!(received.uri, "/hooks/1?token=x");
    assert_eq!(received.body, body);
    assert_eq!(received.headers["content-type"], "application/json");
    assert_eq!(received.headers["user-agent"], concat!("Surehold/", env!("CARGO_PKG_VERSION")));
    let judge = |secrets: &[Secret]| verify(&received.headers, &received.body, secrets, NOW_SECS + 1);
    let verified = Ok(Verified { id: "msg_1", timestamp_secs: NOW_SECS });
    assert_eq!(judge(&[old]), verified);
    assert_eq!(judge(&[new]), verified);
    assert_eq!(judge(&[secret()]), Err(VerifyError::NoMatch));
}

/// The test above, in an environment that names a proxy where nobody listens.
#[tokio::test]
async fn proxies_of_the_environment_are_not_used() {
    let trap = Trap::set();
    let proxy = format!("http://{}", trap.address());
    let mut program = tokio::process::Command::new(std::env::current_exe().unwrap());
    program.args(["--exact", "answers::the_receiver_verifies_what_was_sent"]);
    for name in ["http_proxy", "HTTP_PROXY", "https_proxy", "HTTPS_PROXY", "all_proxy", "ALL_PROXY"] {
        program.env(name, &proxy);
    }
    program.env_remove("no_proxy").env_remove("NO_PROXY").env_remove("REQUEST_METHOD");
    let output = patiently(program.output()).await.unwrap();
    let said = String::from_utf8_lossy(&output.stdout);
    assert!(output.status.success() && said.contains("1 passed"), "{said}");
    assert!(trap.is_untouched());
}

#[tokio::test]
async fn what_the_endpoint_says_is_told() {
    let endpoint = Endpoint::start().await;
    let sender = sender(anywhere());
    for (path, status, retry_after_secs, excerpt) in [
        ("/", 200, None, "thank you"),
        ("/gone", 410, None, "no more"),
        ("/slower", 429, Some(120), ""),
        ("/later", 503, Some(30), ""),
    ] {
        let answer = post(&sender, &endpoint.url(path)).await.unwrap();
        let told = (answer.status, answer.retry_after_secs, answer.excerpt.as_str());
        assert_eq!(told, (status, retry_after_secs, excerpt), "{path}");
    }
}

#[tokio::test]
async fn redirects_are_not_followed() {
    let mut endpoint = Endpoint::start().await;
    let answer = post(&sender(anywhere()), &endpoint.url("/redirect")).await.unwrap();
    assert_eq!(answer.status, 302);
    assert!(!answer.is_delivered());
    assert_eq!(endpoint.next().await.uri, "/redirect");
    assert!(endpoint.is_untouched());
}

#[tokio::test]
async fn connections_are_kept() {
    let mut endpoint = Endpoint::start().await;
    let sender = sender(anywhere());
    let mut seen = HashSet::new();
    // A connection is free again a moment after its answer was read, so the very next message may need another.
    patiently(async {
        loop {
            post(&sender, &endpoint.url("/")).await.unwrap();
            if !seen.insert(endpoint.next().await.from) {
                break;
            }
        }
    })
    .await;
}

#[tokio::test]
async fn bodies_without_end_are_cut() {
    let endpoint = Endpoint::start().await;
    // It is the size that ends them: the test would give up before the sender does.
    let sender = sender(SenderConfig { timeout: Duration::from_hours(1), ..anywhere() });
    for (path, status) in [("/endless", 200), ("/endless-failure", 500)] {
        let answer = post(&sender, &endpoint.url(path)).await.unwrap();
        assert_eq!((answer.status, answer.excerpt), (status, "x".repeat(EXCERPT_CHARS_MAX)), "{path}");
    }
}

#[tokio::test]
async fn no_more_is_read_than_asked_for() {
    let endpoint = Endpoint::start().await;
    let sender = sender(SenderConfig { response_bytes_max: 10, ..anywhere() });
    assert_eq!(post(&sender, &endpoint.url("/endless")).await.unwrap().excerpt, "x".repeat(10));
    assert_eq!(post(&sender, &endpoint.url("/")).await.unwrap().excerpt, "thank you");
}

#[tokio::test]
async fn silence_is_a_timeout_that_may_have_arrived() {
    let mut endpoint = Endpoint::start().await;
    let sender = sender(SenderConfig { timeout: Duration::from_secs(1), ..anywhere() });
    let error = post(&sender, &endpoint.url("/silent")).await.unwrap_err();
    assert!(matches!(error, SendError::Timeout), "{error:?}");
    assert!(error.may_have_arrived());
    assert_eq!(endpoint.next().await.uri, "/silent");
}

#[tokio::test]
async fn a_success_whose_body_hangs_is_a_success() {
    let endpoint = Endpoint::start().await;
    let sender = sender(SenderConfig { timeout: Duration::from_secs(1), ..anywhere() });
    let answer = post(&sender, &endpoint.url("/hanging")).await.unwrap();
    assert!(answer.is_delivered());
    assert_eq!(answer.excerpt, "x".repeat(EXCERPT_CHARS_MAX));
}

/// Reads a request, says `reply` and hangs up.
async fn rude(reply: &'static [u8]) -> String {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let url = format!("http://{}/", listener.local_addr().unwrap());
    tokio::spawn(async move {
        loop {
            let (mut stream, _) = listener.accept().await.unwrap();
            let mut request = Vec::new();
            while !request.ends_with(b"}") && stream.read_buf(&mut request).await.unwrap() > 0 {}
            stream.write_all(reply).await.unwrap();
        }
    });
    url
}

#[tokio::test]
async fn broken_answers_may_have_arrived() {
    for reply in [&b""[..], b"HTTP/1.1 200", b"220 mail.example ESMTP\r\n", b"HTTP/1.1 abc OK\r\n\r\n"] {
        let error = post(&sender(anywhere()), &rude(reply).await).await.unwrap_err();
        assert!(matches!(error, SendError::Broken { .. }), "{reply:?}: {error:?}");
        assert!(error.may_have_arrived(), "{reply:?}");
    }
}

#[tokio::test]
async fn an_answer_that_breaks_off_is_an_answer() {
    let url = rude(b"HTTP/1.1 202 Accepted\r\ncontent-length: 100\r\n\r\nbegin").await;
    let answer = post(&sender(anywhere()), &url).await.unwrap();
    assert_eq!((answer.status, answer.excerpt.as_str()), (202, "begin"));
}

#[tokio::test]
async fn nobody_there() {
    let address = TcpListener::bind("127.0.0.1:0").await.unwrap().local_addr().unwrap();
    let url = format!("http://{address}/hooks?token=hidden");
    let error = post(&sender(anywhere()), &url).await.unwrap_err();
    assert!(matches!(error, SendError::Connect { .. }), "{error:?}");
    assert!(!error.may_have_arrived());
    assert!(!format!("{error} {error:?} {}", error.root_cause()).contains("hidden"));
}

#[tokio::test]
async fn what_is_not_sent() {
    let trap = Trap::set();
    let sender = sender(SenderConfig { body_bytes_max: 4, ..anywhere() });
    let url = format!("http://{}/", trap.address());
    let secrets = [secret()];
    let check = async |delivery: Delivery<'_>, is_expected: fn(&SendError) -> bool| {
        let error = patiently(sender.post(&delivery)).await.unwrap_err();
        assert!(is_expected(&error), "{delivery:?}: {error:?}");
        assert!(!error.may_have_arrived(), "{delivery:?}");
        assert!(trap.is_untouched(), "{delivery:?}");
    };
    let good =
        Delivery { url: &url, id: "msg_1", timestamp_secs: NOW_SECS, body: Bytes::from("true"), secrets: &secrets };
    check(Delivery { body: Bytes::from("false"), ..good.clone() }, |error| {
        matches!(error, SendError::TooLarge { bytes: 5, bytes_max: 4 })
    })
    .await;
    check(Delivery { secrets: &[], ..good.clone() }, |error| {
        matches!(error, SendError::Unsignable(SignError::NoSecret))
    })
    .await;
    check(Delivery { id: "msg\r\n1", ..good.clone() }, |error| {
        matches!(error, SendError::Unsignable(SignError::IdMalformed))
    })
    .await;
    check(Delivery { url: "nowhere", ..good.clone() }, |error| {
        matches!(error, SendError::NotAllowed(NotAllowed::Malformed))
    })
    .await;
}
