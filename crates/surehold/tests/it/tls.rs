//! TLS as configured, and a certificate that is replaced while the server runs.

use std::path::Path;
use std::time::{Duration, Instant};

/// Writes a certificate for this machine that signs itself; returns it in PEM.
fn certify(folder: &Path) -> String {
    let made = rcgen::generate_simple_self_signed(vec!["127.0.0.1".to_owned()]).unwrap();
    std::fs::write(folder.join("tls.key"), made.signing_key.serialize_pem()).unwrap();
    std::fs::write(folder.join("tls.crt"), made.cert.pem()).unwrap();
    made.cert.pem()
}

/// Whether somebody who trusts only this certificate gets an answer.
async fn answers(address: &str, certificate: &str) -> bool {
    let trusted = reqwest::Certificate::from_pem(certificate.as_bytes()).unwrap();
    let client = reqwest::Client::builder().tls_certs_only([trusted]).build().unwrap();
    let answer = client.get(format!("{address}/healthz")).send().await;
    answer.is_ok_and(|response| response.status() == 200)
}

#[tokio::test]
async fn a_new_certificate_after_a_hangup() {
    let _ = rustls::crypto::ring::default_provider().install_default();
    let folder = tempfile::tempdir().unwrap();
    let first = certify(folder.path());
    let mut place = crate::place(folder.path());
    let file = |name: &str| folder.path().join(name).display().to_string();
    let (certificate, key) = (file("tls.crt"), file("tls.key"));
    let settings = [format!("server.tls_certificate_file={certificate}"), format!("server.tls_key_file={key}")];
    place.args = settings.into_iter().flat_map(|setting| ["--set".to_owned(), setting]).collect();
    let live = place.serve();
    assert!(live.address.starts_with("https://"), "{}", live.address);
    assert!(answers(&live.address, &first).await);
    let second = certify(folder.path());
    live.signal("HUP");
    let signalled_at = Instant::now();
    while !answers(&live.address, &second).await {
        assert!(signalled_at.elapsed() < Duration::from_secs(10), "{}", place.log());
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
    assert!(!answers(&live.address, &first).await, "the old certificate is no longer shown");
    // One that cannot be used does not replace the one that can.
    std::fs::write(&certificate, "nonsense").unwrap();
    live.signal("HUP");
    tokio::time::sleep(Duration::from_millis(200)).await;
    assert!(answers(&live.address, &second).await);
    live.signal("TERM");
    assert_eq!(live.ended().code(), Some(0));
}
