//! The certificate: read from files, replaced while connections go on. Connections keep what they began with.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError, RwLock};
use std::time::{Duration, SystemTime};

use rustls::ServerConfig;
use rustls::crypto::{CryptoProvider, ring};
use rustls::pki_types::pem::{self, PemObject};
use rustls::pki_types::{CertificateDer, PrivateKeyDer};
use rustls::server::{ClientHello, ResolvesServerCert};
use rustls::sign::CertifiedKey;
use tokio_rustls::TlsAcceptor;

const FILES_CHECKED_EVERY: Duration = Duration::from_secs(2);

#[derive(Debug, thiserror::Error)]
pub enum TlsError {
    #[error("cannot read {}; check the path and who may read it", path.display())]
    Read {
        path: PathBuf,
        #[source]
        source: io::Error,
    },
    #[error("{} holds no certificate in PEM form; give the chain, the server's certificate first", path.display())]
    NoCertificate { path: PathBuf },
    #[error("{} holds no private key in PEM form; give the key of the certificate", path.display())]
    NoKey { path: PathBuf },
    #[error("{} is not valid PEM; write the file anew", path.display())]
    Pem {
        path: PathBuf,
        #[source]
        source: pem::Error,
    },
    #[error("certificate {} and key {} do not work together; give both of the same issue", certificate.display(), key.display())]
    Pair {
        certificate: PathBuf,
        key: PathBuf,
        #[source]
        source: rustls::Error,
    },
    #[error("the TLS library refuses its own settings; this is a defect")]
    Settings(#[source] rustls::Error),
}

/// A certificate and its key, for any number of listeners. Clones share it.
#[derive(Debug, Clone)]
pub struct Tls {
    files: Arc<Files>,
    server: Arc<ServerConfig>,
}

#[derive(Debug)]
struct Files {
    certificate: PathBuf,
    key: PathBuf,
    provider: Arc<CryptoProvider>,
    current: RwLock<Arc<CertifiedKey>>,
    /// As the files were when they were last read, for better or worse.
    seen: Mutex<[Option<Stamp>; 2]>,
}

/// What changes when a file is replaced.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Stamp {
    modified_at: SystemTime,
    size_bytes: u64,
}

impl Tls {
    /// Reads the chain and the key. At the start there is nothing to fall back to, so any trouble is an error.
    pub fn load(certificate: &Path, key: &Path) -> Result<Tls, TlsError> {
        let provider = Arc::new(ring::default_provider());
        let seen = [stamp(certificate), stamp(key)];
        let files = Arc::new(Files {
            certificate: certificate.to_owned(),
            key: key.to_owned(),
            current: RwLock::new(Arc::new(read(certificate, key, &provider)?)),
            seen: Mutex::new(seen),
            provider: Arc::clone(&provider),
        });
        let resolver = Arc::<Files>::clone(&files);
        let mut server = ServerConfig::builder_with_provider(provider)
            .with_safe_default_protocol_versions()
            .map_err(TlsError::Settings)?
            .with_no_client_auth()
            .with_cert_resolver(resolver);
        server.alpn_protocols = vec![b"h2".to_vec(), b"http/1.1".to_vec()];
        Ok(Tls { files, server: Arc::new(server) })
    }

    /// Reads the files anew, waiting for them on this thread. New connections get what was read; on any trouble they
    /// go on getting the old certificate, and the log says so.
    pub fn reload(&self) -> Result<(), TlsError> {
        let files = &*self.files;
        // Looked at before they are read: a change after that is seen by the next check.
        *files.seen.lock().unwrap_or_else(PoisonError::into_inner) = files.stamps();
        let certificate = files.certificate.display();
        match read(&files.certificate, &files.key, &files.provider) {
            Ok(pair) => {
                *files.current.write().unwrap_or_else(PoisonError::into_inner) = Arc::new(pair);
                tracing::info!(%certificate, "Loaded the new certificate `{certificate}`");
                Ok(())
            }
            Err(error) => {
                let source = std::error::Error::source(&error).map(ToString::to_string);
                tracing::error!(%error, source, "The new certificate is unusable; the old one stays");
                Err(error)
            }
        }
    }

    pub(super) fn acceptor(&self) -> TlsAcceptor {
        TlsAcceptor::from(Arc::clone(&self.server))
    }

    /// Reloads whenever a file has changed, for as long as it is polled.
    pub(super) async fn follow_files(self) {
        loop {
            tokio::time::sleep(FILES_CHECKED_EVERY).await;
            let tls = self.clone();
            // Files may lie on a network; the runtime's threads do not wait for them.
            let checked = tokio::task::spawn_blocking(move || tls.reload_if_changed());
            let _logged = checked.await;
        }
    }

    fn reload_if_changed(&self) {
        let seen = *self.files.seen.lock().unwrap_or_else(PoisonError::into_inner);
        if seen != self.files.stamps() {
            // Said in the log; a broken pair is not tried again until it changes.
            let _logged = self.reload();
        }
    }
}

impl Files {
    fn stamps(&self) -> [Option<Stamp>; 2] {
        [stamp(&self.certificate), stamp(&self.key)]
    }
}

impl ResolvesServerCert for Files {
    fn resolve(&self, _hello: ClientHello<'_>) -> Option<Arc<CertifiedKey>> {
        Some(Arc::clone(&self.current.read().unwrap_or_else(PoisonError::into_inner)))
    }
}

fn stamp(path: &Path) -> Option<Stamp> {
    let metadata = fs::metadata(path).ok()?;
    Some(Stamp { modified_at: metadata.modified().ok()?, size_bytes: metadata.len() })
}

fn read(certificate: &Path, key: &Path, provider: &CryptoProvider) -> Result<CertifiedKey, TlsError> {
    let chain: Vec<_> = CertificateDer::pem_slice_iter(&read_file(certificate)?)
        .collect::<Result<_, _>>()
        .map_err(|source| TlsError::Pem { path: certificate.to_owned(), source })?;
    if chain.is_empty() {
        return Err(TlsError::NoCertificate { path: certificate.to_owned() });
    }
    let key_der = PrivateKeyDer::from_pem_slice(&read_file(key)?).map_err(|source| match source {
        pem::Error::NoItemsFound => TlsError::NoKey { path: key.to_owned() },
        source => TlsError::Pem { path: key.to_owned(), source },
    })?;
    CertifiedKey::from_der(chain, key_der, provider).map_err(|source| TlsError::Pair {
        certificate: certificate.to_owned(),
        key: key.to_owned(),
        source,
    })
}

fn read_file(path: &Path) -> Result<Vec<u8>, TlsError> {
    fs::read(path).map_err(|source| TlsError::Read { path: path.to_owned(), source })
}
