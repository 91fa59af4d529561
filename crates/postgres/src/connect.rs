//! Connections, with TLS where the address asks for it.

use std::future::poll_fn;
use std::sync::Arc;
use std::time::Duration;

use rustls::client::danger::{HandshakeSignatureValid, ServerCertVerified, ServerCertVerifier};
use rustls::crypto::{CryptoProvider, ring, verify_tls12_signature, verify_tls13_signature};
use rustls::pki_types::pem::PemObject;
use rustls::pki_types::{CertificateDer, ServerName, UnixTime};
use rustls::{ClientConfig, DigitallySignedStruct, RootCertStore, SignatureScheme};
use surehold_engine::SchemaError;
use thiserror::Error;
use tokio::sync::mpsc::UnboundedSender;
use tokio::task::JoinHandle;
use tokio_postgres::config::{SslMode, TargetSessionAttrs};
use tokio_postgres::{AsyncMessage, Client, Config};
use tokio_postgres_rustls::MakeRustlsConnect;

#[derive(Debug, Error)]
pub enum ConnectError {
    #[error("the address is not one: {what}. It looks like postgres://user@host:5432/database?sslmode=require")]
    Address { what: String },
    #[error("cannot read the certificates in {path}: {what}")]
    Certificates { path: String, what: String },
    #[error("cannot connect to Postgres")]
    Connect(#[source] tokio_postgres::Error),
    #[error("this is Postgres {found}; at least 15 is needed")]
    ServerTooOld { found: String },
    #[error(transparent)]
    Schema(#[from] SchemaError),
    #[error("cannot migrate the database")]
    Migrate(#[source] tokio_postgres::Error),
    #[error(
        "the roles that Surehold works under are missing, and {login} may not make them. An administrator has to run: {sql}"
    )]
    RolesMissing { login: String, sql: String },
    #[error("{login} may not act as {role}. An administrator has to run: {sql}")]
    NotAMember { login: String, role: &'static str, sql: String },
    #[error(
        "{role} cannot read the tables. They were restored without their grants (make the roles before you restore), or they are in a schema that is not in its search_path (put them into public)"
    )]
    TablesClosed { role: &'static str },
    #[error(
        "the database lacks {}, and {login} does not own its tables. Run `surehold migrate --store URL` with the address of their owner",
        names.join(", ")
    )]
    MustMigrate { login: String, names: Vec<String> },
}

/// How to reach the server, checked.
#[derive(Clone)]
pub(crate) struct Address {
    config: Config,
    tls: MakeRustlsConnect,
}

impl Address {
    /// `sslmode` is `disable`, `prefer`, `require` (encrypted, server not verified, as in libpq) or `verify-full`
    /// (with `sslrootcert`).
    pub(crate) fn parse(url: &str) -> Result<Address, ConnectError> {
        let (url, verify) = take_verification(url)?;
        let mut config: Config =
            url.parse().map_err(|e: tokio_postgres::Error| ConnectError::Address { what: e.to_string() })?;
        if let Verify::Against(_) = verify {
            config.ssl_mode(SslMode::Require);
        }
        config.application_name("surehold");
        config.connect_timeout(Duration::from_secs(5));
        config.tcp_user_timeout(Duration::from_secs(10));
        config.keepalives_idle(Duration::from_secs(10));
        config.keepalives_interval(Duration::from_secs(2));
        config.keepalives_retries(3);
        // A standby would lock turns of its own and answer from the past.
        config.target_session_attrs(TargetSessionAttrs::ReadWrite);
        Ok(Address { config, tls: MakeRustlsConnect::new(client_config(verify)) })
    }

    /// For looking at a server, which may be a standby.
    pub(crate) fn of_any_server(mut self) -> Address {
        self.config.target_session_attrs(TargetSessionAttrs::Any);
        self
    }

    /// Connects; the connection is served by a task of the current runtime until the client is dropped.
    pub(crate) async fn connect(&self) -> Result<Client, tokio_postgres::Error> {
        self.connect_with_task().await.map(|(client, _task)| client)
    }

    pub(crate) async fn connect_with_task(&self) -> Result<(Client, JoinHandle<()>), tokio_postgres::Error> {
        let (client, connection) = self.config.connect(self.tls.clone()).await?;
        let task = tokio::spawn(async move {
            if let Err(error) = connection.await {
                tracing::debug!(%error, "A connection to Postgres ended: {error}");
            }
        });
        Ok((client, task))
    }

    /// Connects; notes that are heard go to `heard`, which closes with the connection.
    pub(crate) async fn connect_listening(
        &self,
        heard: UnboundedSender<String>,
    ) -> Result<Client, tokio_postgres::Error> {
        let (client, mut connection) = self.config.connect(self.tls.clone()).await?;
        tokio::spawn(async move {
            while let Some(Ok(message)) = poll_fn(|context| connection.poll_message(context)).await {
                if let AsyncMessage::Notification(note) = message
                    && heard.send(note.payload().to_owned()).is_err()
                {
                    return;
                }
            }
        });
        Ok(client)
    }
}

enum Verify {
    Nobody,
    Against(RootCertStore),
}

/// Takes what the driver does not know out of the address.
fn take_verification(url: &str) -> Result<(String, Verify), ConnectError> {
    let Some((base, query)) = url.split_once('?') else { return Ok((url.to_owned(), Verify::Nobody)) };
    let pairs: Vec<&str> = query.split('&').collect();
    let value = |name: &str| pairs.iter().find_map(|pair| pair.strip_prefix(name)?.strip_prefix('='));
    let full = value("sslmode") == Some("verify-full");
    let verify = match (full, value("sslrootcert")) {
        (true, Some(path)) => Verify::Against(read_roots(path)?),
        (true, None) => {
            return Err(ConnectError::Address { what: "sslmode=verify-full needs sslrootcert=FILE".to_owned() });
        }
        // Who names roots wants them checked.
        (false, Some(_)) => {
            return Err(ConnectError::Address { what: "sslrootcert needs sslmode=verify-full".to_owned() });
        }
        (false, None) => Verify::Nobody,
    };
    let known = pairs.iter().filter(|pair| !pair.starts_with("sslrootcert=") && **pair != "sslmode=verify-full");
    let query = known.copied().collect::<Vec<_>>().join("&");
    Ok((format!("{base}?{query}"), verify))
}

fn read_roots(path: &str) -> Result<RootCertStore, ConnectError> {
    let fail = |what: String| ConnectError::Certificates { path: path.to_owned(), what };
    let mut roots = RootCertStore::empty();
    for certificate in CertificateDer::pem_file_iter(path).map_err(|e| fail(e.to_string()))? {
        let certificate = certificate.map_err(|e| fail(e.to_string()))?;
        roots.add(certificate).map_err(|e| fail(e.to_string()))?;
    }
    if roots.is_empty() { Err(fail("there are none".to_owned())) } else { Ok(roots) }
}

fn client_config(verify: Verify) -> ClientConfig {
    let provider = Arc::new(ring::default_provider());
    let builder = ClientConfig::builder_with_provider(Arc::clone(&provider));
    let builder = builder.with_safe_default_protocol_versions().expect("ring speaks the default versions");
    match verify {
        Verify::Against(roots) => builder.with_root_certificates(roots).with_no_client_auth(),
        Verify::Nobody => {
            let verifier = Arc::new(AnyServer { provider });
            builder.dangerous().with_custom_certificate_verifier(verifier).with_no_client_auth()
        }
    }
}

/// `sslmode=require` promises encryption, not identity.
#[derive(Debug)]
struct AnyServer {
    provider: Arc<CryptoProvider>,
}

impl ServerCertVerifier for AnyServer {
    fn verify_server_cert(
        &self,
        _: &CertificateDer<'_>,
        _: &[CertificateDer<'_>],
        _: &ServerName<'_>,
        _: &[u8],
        _: UnixTime,
    ) -> Result<ServerCertVerified, rustls::Error> {
        Ok(ServerCertVerified::assertion())
    }

    fn verify_tls12_signature(
        &self,
        message: &[u8],
        certificate: &CertificateDer<'_>,
        signed: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, rustls::Error> {
        verify_tls12_signature(message, certificate, signed, &self.provider.signature_verification_algorithms)
    }

    fn verify_tls13_signature(
        &self,
        message: &[u8],
        certificate: &CertificateDer<'_>,
        signed: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, rustls::Error> {
        verify_tls13_signature(message, certificate, signed, &self.provider.signature_verification_algorithms)
    }

    fn supported_verify_schemes(&self) -> Vec<SignatureScheme> {
        self.provider.signature_verification_algorithms.supported_schemes()
    }
}
