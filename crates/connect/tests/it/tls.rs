//! HTTPS: who is trusted, and what is known when there is no trust.

use std::sync::Arc;
use std::time::Duration;

use rustls::ServerConfig;
use rustls::pki_types::{PrivateKeyDer, PrivatePkcs8KeyDer};
use surehold_connect::webhooks::{SendError, Sender, SenderConfig, SenderError};
use tokio_rustls::TlsAcceptor;

use super::endpoint::{Endpoint, Trap, anywhere, post, sender};

/// An endpoint with a certificate of its own for `name`, and the certificate.
async fn endpoint(name: &str) -> (Endpoint, Vec<u8>) {
    let issued = rcgen::generate_simple_self_signed([name.to_owned()]).unwrap();
    let key = PrivateKeyDer::from(PrivatePkcs8KeyDer::from(issued.signing_key.serialize_der()));
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let builder = ServerConfig::builder_with_provider(provider).with_safe_default_protocol_versions().unwrap();
    let config = builder.with_no_client_auth().with_single_cert(vec![issued.cert.der().clone()], key).unwrap();
    (Endpoint::start_tls(TlsAcceptor::from(Arc::new(config))).await, issued.cert.pem().into_bytes())
}

#[tokio::test]
async fn a_trusted_endpoint_is_called() {
    let (mut there, certificate) = endpoint("localhost").await;
    let (_, other) = endpoint("localhost").await;
    let sender = sender(SenderConfig { roots_extra_pem: [other, certificate].concat(), ..anywhere() });
    let answer = post(&sender, &format!("https://localhost:{}/", there.address.port())).await.unwrap();
    assert_eq!((answer.status, answer.excerpt.as_str()), (200, "thank you"));
    assert_eq!(there.next().await.uri, "/");
}

#[tokio::test]
async fn others_get_nothing() {
    let (mut there, certificate) = endpoint("localhost").await;
    let port = there.address.port();
    let trusting = SenderConfig { roots_extra_pem: certificate, ..anywhere() };
    for (name, config, host) in [
        ("a stranger's certificate", anywhere(), "localhost"),
        ("a certificate for another name", trusting.clone(), "127.0.0.1"),
    ] {
        let error = post(&sender(config), &format!("https://{host}:{port}/")).await.unwrap_err();
        assert!(matches!(error, SendError::Connect { .. }), "{name}: {error:?}");
        assert!(error.root_cause().contains("certificate"), "{name}: {}", error.root_cause());
        assert!(!error.may_have_arrived(), "{name}");
    }
    assert!(there.is_untouched());
    post(&sender(trusting), &format!("https://localhost:{port}/")).await.unwrap();
}

#[tokio::test]
async fn a_handshake_that_does_not_happen_is_not_a_delivery() {
    // The kernel takes the connection; nobody ever speaks.
    let trap = Trap::set();
    let sender = sender(SenderConfig { connect_timeout: Duration::from_millis(500), ..anywhere() });
    let error = post(&sender, &format!("https://{}/", trap.address())).await.unwrap_err();
    assert!(matches!(error, SendError::Connect { .. }), "{error:?}");
    assert!(!error.may_have_arrived());
    assert!(!trap.is_untouched());
}

#[test]
fn unreadable_roots_are_refused() {
    let check = |pem: &str, is_expected: fn(&SenderError) -> bool| {
        let error = Sender::new(SenderConfig { roots_extra_pem: pem.into(), ..anywhere() }).unwrap_err();
        assert!(is_expected(&error), "{pem}: {error:?}");
    };
    check("-----BEGIN CERTIFICATE-----\nbroken", |error| matches!(error, SenderError::RootsMalformed { .. }));
    check("not a certificate", |error| matches!(error, SenderError::RootsEmpty));
}
