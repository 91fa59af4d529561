//! Whom to ask: the server that was named, else the server on the data folder, else the store itself.

use std::io::ErrorKind;
use std::path::Path;

use clap::Args;
use secrecy::SecretString;
use tokio::net::UnixStream;

use super::in_process::Opened;
use super::remote::Remote;
use super::{Client, ClientError};
use crate::config::{Config, ConfigArgs, Origin, StoreTarget};

const KEY_VARIABLE: &str = "SUREHOLD_KEY";

/// Whom to ask, as told on the command line.
#[derive(Args, Clone, Debug)]
#[command(next_help_heading = "Server and store")]
pub(crate) struct ConnectionArgs {
    /// Address of a server, as in <https://surehold.example.com>; without it, the server or the store of the data
    /// folder is used, and no key is needed
    #[arg(long, global = true, value_name = "URL", env = "SUREHOLD_SERVER", hide_env_values = true)]
    server: Option<String>,
    // The variable is read by hand: alone, without a server, it means nothing here.
    #[arg(
        long,
        global = true,
        value_name = "KEY",
        help = "Key for the server; prefer the variable, which others cannot see [env: SUREHOLD_KEY]"
    )]
    key: Option<SecretString>,
    #[command(flatten)]
    config: ConfigArgs,
}

/// What a command is about to do, as far as it matters here.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Purpose {
    /// Needs data that is there.
    Use,
    /// May be the first to use a data folder.
    Begin,
    /// Waits for what others do.
    Follow,
}

/// What was named: exactly one of them.
enum Target {
    Server { address: String, key: SecretString },
    Folder(Box<Config>),
}

impl ConnectionArgs {
    fn target(&self) -> Result<Target, ClientError> {
        // An empty variable is how a container says that it has none.
        let server = self.server.as_deref().filter(|server| !server.is_empty());
        let Some(address) = server else {
            if self.key.is_some() {
                return Err(ClientError::KeyWithoutServer);
            }
            return Ok(Target::Folder(Box::new(Config::load(&self.config.sources())?)));
        };
        // A forgotten variable must not send to a far server what was meant for a folder.
        if self.config.names_something() {
            return Err(ClientError::TwoTargets);
        }
        let variable = || std::env::var(KEY_VARIABLE).ok().filter(|key| !key.is_empty()).map(SecretString::from);
        let key = self.key.clone().or_else(variable).ok_or(ClientError::KeyMissing)?;
        Ok(Target::Server { address: address.to_owned(), key })
    }
}

pub(super) async fn connect(args: &ConnectionArgs, purpose: Purpose) -> Result<Client, ClientError> {
    match args.target()? {
        Target::Server { address, key } => Ok(Client::Remote(Remote::at(&address, &key)?)),
        Target::Folder(config) => connect_folder(&config, purpose).await,
    }
}

pub(super) async fn connect_folder(config: &Config, purpose: Purpose) -> Result<Client, ClientError> {
    let socket = config.store.socket();
    // A store named for this command alone need not be the one that the folder's server has.
    let same_store = !matches!(config.origins.of("store", "url"), Origin::Flag(_));
    if same_store && somebody_answers(&socket).await? {
        return Ok(Client::Remote(Remote::behind(&socket)?));
    }
    if let StoreTarget::Sqlite(path) = config.store.target() {
        if purpose != Purpose::Begin && !path.exists() {
            return Err(ClientError::NoData { path });
        }
        // Following would lock out whoever could make something happen.
        if purpose == Purpose::Follow {
            return Err(ClientError::NobodyToFollow { folder: config.store.data_dir.clone() });
        }
    }
    let asked = same_store.then_some(socket);
    let opened = Opened::open(config).await.map_err(|error| ClientError::open(error, asked))?;
    Ok(Client::Here(Box::new(opened)))
}

/// A dead server leaves its socket behind.
async fn somebody_answers(socket: &Path) -> Result<bool, ClientError> {
    match UnixStream::connect(socket).await {
        Ok(_) => Ok(true),
        Err(error) if matches!(error.kind(), ErrorKind::NotFound | ErrorKind::ConnectionRefused) => Ok(false),
        // A path that is too long for a socket has none.
        Err(error) if error.kind() == ErrorKind::InvalidInput => Ok(false),
        Err(error) => Err(ClientError::SocketClosed { path: socket.to_owned(), why: error.to_string() }),
    }
}
