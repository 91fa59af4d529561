//! Why a configuration is refused. Each message names the place, what was found, what is allowed and what to do.

use std::fmt;
use std::path::PathBuf;

use thiserror::Error;

/// Where a value came from.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) enum Origin {
    #[default]
    Default,
    File {
        path: PathBuf,
        line: usize,
    },
    Variable(String),
    Flag(&'static str),
}

impl fmt::Display for Origin {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Origin::Default => f.write_str("default"),
            Origin::File { path, line } => write!(f, "{}:{line}", path.display()),
            Origin::Variable(name) => f.write_str(name),
            Origin::Flag(name) => f.write_str(name),
        }
    }
}

/// A name that was probably meant.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Nearest {
    pub(crate) meant: Option<String>,
    pub(crate) all: Vec<String>,
}

impl Nearest {
    /// Half of the letters may be wrong; beyond that a suggestion is noise.
    pub(crate) fn to(found: &str, all: Vec<String>) -> Nearest {
        let similar = all.iter().map(|name| (strsim::normalized_damerau_levenshtein(found, name), name));
        let best = similar.max_by(|(one, _), (other, _)| one.total_cmp(other));
        let meant = best.filter(|(likeness, _)| *likeness >= 0.5).map(|(_, name)| name.clone());
        Nearest { meant, all }
    }
}

impl fmt::Display for Nearest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.meant {
            Some(name) => write!(f, "did you mean `{name}`?"),
            None if self.all.is_empty() => f.write_str("there are none"),
            None => write!(f, "there are {}", self.all.join(", ")),
        }
    }
}

/// For a message. A name that no setting could have may be a secret in the wrong place.
pub(crate) fn shown_name(name: &str) -> String {
    let possible = name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_' || c == '-');
    if possible { name.to_owned() } else { "…".to_owned() }
}

#[derive(Debug, Error)]
pub(crate) enum ConfigError {
    #[error("cannot read {}\nhint: correct --config, or leave it out to use the defaults", path.display())]
    ReadFile { path: PathBuf, source: std::io::Error },
    #[error("{place}: this is not TOML: {what}\nhint: `surehold config` prints an example to compare with")]
    Syntax { place: Origin, what: String },
    #[error("{place}: there is no section [{found}]\nhint: {nearest}")]
    UnknownSection { place: Origin, found: String, nearest: Nearest },
    #[error("{place}: `{found}` stands outside of a section\nhint: put it below one; {nearest}")]
    OutsideSection { place: Origin, found: String, nearest: Nearest },
    #[error("{place}: there is no setting `{found}` in [{section}]\nhint: {nearest}")]
    UnknownSetting { place: Origin, section: &'static str, found: String, nearest: Nearest },
    #[error("--set needs the name of a setting and its value\nhint: write it as --set server.listen=127.0.0.1:8000")]
    MalformedFlag,
    #[error("{place}: {setting} is {found}, which it cannot be\nhint: write {allowed}")]
    WrongValue { place: Origin, setting: String, found: String, allowed: String },
    #[error("{place}: {given} is set, and {missing} is not\nhint: TLS needs both files; set the other, or none")]
    HalfOfTls { place: Origin, given: &'static str, missing: &'static str },
    #[error(
        "{place}: server.admin_listen and server.listen are both {address}\n\
         hint: give /admin another port, or leave admin_listen out"
    )]
    SameAddress { place: Origin, address: std::net::SocketAddr },
    #[error(
        "{place}: telemetry.otlp_headers is set, and telemetry.otlp_endpoint is not\n\
         hint: name the collector too, or leave the headers out"
    )]
    HeadersForNobody { place: Origin },
    #[error(
        "{place}: this file lies in the data folder {}, and says that the data folder is {}\n\
         hint: remove the line, or use --config with a file elsewhere",
        folder.display(),
        found.display()
    )]
    FolderMoved { place: Origin, folder: PathBuf, found: PathBuf },
}
