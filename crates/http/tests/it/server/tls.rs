//! TLS: both protocols, and certificates that change under way.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use super::http2::{self, http2};
use super::world::{Client, Doors, World, brisk, patient, patiently};
use rustls::pki_types::{CertificateDer, ServerName};
use rustls::{ClientConfig, RootCertStore};
use surehold_http::server::{Tls, TlsError};
use tokio::net::TcpStream;
use tokio_rustls::TlsConnector;
use tokio_rustls::client::TlsStream;

struct Files {
    _folder: tempfile::TempDir,
    certificate: PathBuf,
    key: PathBuf,
}

impl Files {
    fn new() -> Files {
        let folder = tempfile::tempdir().unwrap();
        let files =
            Files { certificate: folder.path().join("cert.pem"), key: folder.path().join("key.pem"), _folder: folder };
        files.issue();
        files
    }

    /// Writes a new certificate and its key.
    fn issue(&self) -> CertificateDer<'static> {
        let issued = rcgen::generate_simple_self_signed(["localhost".to_owned()]).unwrap();
        std::fs::write(&self.certificate, issued.cert.pem()).unwrap();
        std::fs::write(&self.key, issued.signing_key.serialize_pem()).unwrap();
        issued.cert.der().clone()
    }

    fn load(&self) -> Result<Tls, TlsError> {
        Tls::load(&self.certificate, &self.key)
    }
}

async fn connect(
    world: &World,
    trusted: &CertificateDer<'static>,
    protocol: &str,
) -> std::io::Result<TlsStream<TcpStream>> {
    let mut roots = RootCertStore::empty();
    roots.add(trusted.clone()).unwrap();
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let builder = ClientConfig::builder_with_provider(provider).with_safe_default_protocol_versions().unwrap();
    let mut config = builder.with_root_certificates(roots).with_no_client_auth();
    config.alpn_protocols = vec![protocol.as_bytes().to_vec()];
    let name = ServerName::try_from("localhost").unwrap();
    let socket = TcpStream::connect(world.address).await?;
    patiently(TlsConnector::from(Arc::new(config)).connect(name, socket)).await
}

async fn greet(world: &World, trusted: &CertificateDer<'static>) -> std::io::Result<String> {
    let mut client = Client { io: connect(world, trusted, "http/1.1").await? };
    Ok(client.get_body("/").await)
}

#[tokio::test]
async fn both_protocols_are_offered() {
    let files = Files::new();
    let certificate = files.issue();
    let world = World::start_with(brisk(), Doors { tls: Some(files.load().unwrap()), ..Doors::default() });
    assert_eq!(greet(&world, &certificate).await.unwrap(), "hello");

    let io = connect(&world, &certificate, "h2").await.unwrap();
    assert_eq!(io.get_ref().1.alpn_protocol(), Some(&b"h2"[..]));
    let (mut client, _connection) = http2(io).await;
    assert_eq!(http2::get(&mut client, "/").await, (200, "hello".to_owned()));

    let mut silent = world.connect().await;
    assert_eq!(silent.rest().await, "", "a handshake that does not begin is cut");
    assert_eq!(world.timeouts("head"), 1);
    let mut plain = world.connect().await;
    plain.send(b"GET / HTTP/1.1\r\nhost: test\r\n\r\n").await;
    assert!(!plain.rest().await.contains("hello"));
}

#[tokio::test]
async fn a_client_that_never_reads_is_cut_through_tls_too() {
    let files = Files::new();
    let certificate = files.issue();
    let world = World::start_with(brisk(), Doors { tls: Some(files.load().unwrap()), ..Doors::default() });
    let mut client = Client { io: connect(&world, &certificate, "http/1.1").await.unwrap() };
    client.send(b"GET /big HTTP/1.1\r\nhost: test\r\n\r\n").await;
    world.metric_reaches("surehold_http_timeouts_total{kind=\"write\"}", 1).await;
    world.metric_reaches("surehold_http_connections_open{listener=\"network\"}", 0).await;
}

#[tokio::test]
async fn a_new_certificate_is_served_and_a_broken_one_is_not() {
    let files = Files::new();
    let old = files.issue();
    let tls = files.load().unwrap();
    let world = World::start_with(patient(), Doors { tls: Some(tls.clone()), ..Doors::default() });
    let mut connected = Client { io: connect(&world, &old, "http/1.1").await.unwrap() };
    assert_eq!(connected.get_body("/").await, "hello");

    let new = files.issue();
    tls.reload().unwrap();
    assert_eq!(greet(&world, &new).await.unwrap(), "hello");
    assert!(greet(&world, &old).await.is_err(), "the old certificate is gone");
    assert_eq!(connected.get_body("/").await, "hello", "who is connected stays");

    std::fs::write(&files.certificate, "-----BEGIN CERTIFICATE-----\nbroken").unwrap();
    assert!(tls.reload().is_err());
    assert_eq!(greet(&world, &new).await.unwrap(), "hello");
}

#[tokio::test]
async fn changed_files_are_noticed() {
    let files = Files::new();
    let old = files.issue();
    let world = World::start_with(patient(), Doors { tls: Some(files.load().unwrap()), ..Doors::default() });
    assert_eq!(greet(&world, &old).await.unwrap(), "hello");
    let new = files.issue();
    patiently(async {
        while greet(&world, &new).await.is_err() {
            tokio::time::sleep(Duration::from_millis(100)).await;
        }
    })
    .await;
}

#[test]
fn unusable_files_are_told_apart() {
    let other = Files::new();
    let check = |name: &str, change: &dyn Fn(&Path, &Path), is_expected: fn(&TlsError) -> bool| {
        let files = Files::new();
        change(&files.certificate, &files.key);
        let error = files.load().expect_err(name);
        assert!(is_expected(&error), "{name}: {error:?}");
    };
    check("missing", &|certificate, _| std::fs::remove_file(certificate).unwrap(), |error| {
        matches!(error, TlsError::Read { .. })
    });
    check("empty", &|certificate, _| std::fs::write(certificate, "").unwrap(), |error| {
        matches!(error, TlsError::NoCertificate { .. })
    });
    check("no key", &|_, key| std::fs::write(key, "").unwrap(), |error| matches!(error, TlsError::NoKey { .. }));
    check(
        "cut off",
        &|certificate, _| std::fs::write(certificate, "-----BEGIN CERTIFICATE-----\nAAAA").unwrap(),
        |error| matches!(error, TlsError::Pem { .. }),
    );
    check("another's key", &|_, key| std::fs::write(key, std::fs::read(&other.key).unwrap()).unwrap(), |error| {
        matches!(error, TlsError::Pair { .. })
    });
}
