//! Settings that are more than a number: each checked when it is read, and silent about what is secret in it.

use std::collections::HashMap;
use std::fmt;
use std::net::IpAddr;
use std::path::PathBuf;

use secrecy::{ExposeSecret, SecretString};
use tracing_subscriber::filter::Targets;

use super::table::{Allowed, Given, Value, quoted};

/// Text that no message, log or `Debug` shows.
#[derive(Clone)]
pub(crate) struct Secret(SecretString);

impl Secret {
    pub(crate) fn new(text: &str) -> Secret {
        Secret(SecretString::from(text))
    }

    pub(crate) fn expose(&self) -> &str {
        self.0.expose_secret()
    }
}

impl fmt::Debug for Secret {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("***")
    }
}

impl PartialEq for Secret {
    fn eq(&self, other: &Secret) -> bool {
        self.expose() == other.expose()
    }
}

/// Where the data is. Its `Display` hides the password.
#[derive(Clone, PartialEq)]
pub(crate) enum StoreUrl {
    Sqlite(PathBuf),
    Postgres(Secret),
}

impl fmt::Display for StoreUrl {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            StoreUrl::Sqlite(path) => write!(f, "sqlite:{}", path.display()),
            StoreUrl::Postgres(url) => f.write_str(&hide_login(url.expose())),
        }
    }
}

impl fmt::Debug for StoreUrl {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "StoreUrl({self})")
    }
}

impl Value for StoreUrl {
    const SECRET: bool = true;

    fn read(given: &Given, _: &Allowed) -> Option<Self> {
        let text = given.text()?;
        if let Some(path) = text.strip_prefix("sqlite:") {
            return (!path.is_empty()).then(|| StoreUrl::Sqlite(path.into()));
        }
        let rest = text.strip_prefix("postgres://").or_else(|| text.strip_prefix("postgresql://"))?;
        (!rest.is_empty()).then(|| StoreUrl::Postgres(Secret::new(text)))
    }

    fn show(&self) -> Option<String> {
        Some(quoted(self))
    }
}

/// Parameters of an address that are no secrets. What is not listed is hidden: a new kind of secret must not leak.
const OPEN_PARAMETERS: &[&str] = &[
    "application_name",
    "channel_binding",
    "connect_timeout",
    "dbname",
    "host",
    "hostaddr",
    "keepalives",
    "keepalives_idle",
    "port",
    "sslmode",
    "sslrootcert",
    "target_session_attrs",
    "user",
];

/// `postgres://user:secret@host/db` becomes `postgres://user:***@host/db`. Takes the last `@` for the end of the login:
/// a password with an unescaped `/` or `@` is a mistake, but must not be shown for it.
pub(crate) fn hide_login(url: &str) -> String {
    let (scheme, rest) = url.split_once("://").unwrap_or(("", url));
    let (login, rest) = rest.rsplit_once('@').map_or((None, rest), |(login, rest)| (Some(login), rest));
    let (base, query) = rest.split_once('?').map_or((rest, None), |(base, query)| (base, Some(query)));
    let login = match login.map(|login| login.split_once(':')) {
        None => String::new(),
        Some(Some((user, _))) => format!("{user}:***@"),
        // Without a colon it is a user, unless the address is broken in a way that this cannot know.
        Some(None) => format!("{}@", login.filter(|login| !login.contains(['/', '?'])).unwrap_or("***")),
    };
    let query = query.map_or(String::new(), |query| {
        let parameters = query.split('&').map(|pair| match pair.split_once('=') {
            Some((name, _)) if OPEN_PARAMETERS.contains(&name) => pair.to_owned(),
            Some((name, _)) => format!("{name}=***"),
            None => "***".to_owned(),
        });
        format!("?{}", parameters.collect::<Vec<_>>().join("&"))
    });
    let (hosts, path) = base.find('/').map_or((base, ""), |slash| base.split_at(slash));
    let hosts = hosts.split(',').map(hide_false_port).collect::<Vec<_>>().join(",");
    format!("{scheme}://{login}{hosts}{path}{query}")
}

/// Whether nothing that is said to this database leaves the machine.
pub(crate) fn stays_on_this_machine(url: &str) -> bool {
    let rest = url.split_once("://").map_or(url, |(_, rest)| rest);
    let rest = rest.rsplit_once('@').map_or(rest, |(_, rest)| rest);
    let (hosts, query) = (rest.split(['/', '?']).next().unwrap_or(""), rest.split_once('?').map_or("", |(_, q)| q));
    let is_local = |host: &str| {
        let name = host.strip_prefix('[').and_then(|host| host.split(']').next());
        let name = name.unwrap_or_else(|| host.split(':').next().unwrap_or(host));
        let is_socket = name.starts_with('/') || name.to_lowercase().starts_with("%2f");
        is_socket || name == "localhost" || name.parse::<IpAddr>().is_ok_and(|address| address.is_loopback())
    };
    let named = query.split('&').filter_map(|pair| pair.strip_prefix("host=").or(pair.strip_prefix("hostaddr=")));
    // Without any host the driver takes the local socket.
    hosts.split(',').filter(|host| !host.is_empty()).chain(named.flat_map(|hosts| hosts.split(','))).all(is_local)
}

/// Who forgets the host of `user:secret@host` has a secret where a port should be.
fn hide_false_port(host: &str) -> String {
    match host.rsplit_once(':') {
        Some((name, port)) if !port.ends_with(']') && port.parse::<u16>().is_err() => format!("{name}:***"),
        Some(_) | None => host.to_owned(),
    }
}

/// The address of an OpenTelemetry collector. Without a login: the client would log it, and headers do as well.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct OtlpEndpoint(String);

const TRACES_PATH: &str = "/v1/traces";

impl OtlpEndpoint {
    /// The collector's own address, as everybody writes it, with the path that traces go to.
    pub(crate) fn traces_url(&self) -> String {
        let base = self.0.trim_end_matches('/');
        if base.ends_with(TRACES_PATH) { base.to_owned() } else { format!("{base}{TRACES_PATH}") }
    }
}

impl fmt::Display for OtlpEndpoint {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl Value for OtlpEndpoint {
    fn read(given: &Given, _: &Allowed) -> Option<Self> {
        let text = given.text()?;
        let url = reqwest::Url::parse(text).ok()?;
        // The parser drops blanks and line ends silently, and would not once a path follows them.
        let is_plain = !text.contains(|char: char| char.is_control() || char.is_whitespace());
        let right = matches!(url.scheme(), "http" | "https") && url.has_host() && !text.contains(['@', '?', '#']);
        (is_plain && right).then(|| OtlpEndpoint(text.to_owned()))
    }

    fn show(&self) -> Option<String> {
        Some(quoted(self))
    }
}

/// Headers for the collector: names are shown, values are not.
#[derive(Clone, PartialEq)]
pub(crate) struct OtlpHeaders(Vec<(String, Secret)>);

impl OtlpHeaders {
    pub(crate) fn to_map(&self) -> HashMap<String, String> {
        self.0.iter().map(|(name, value)| (name.clone(), value.expose().to_owned())).collect()
    }
}

impl fmt::Display for OtlpHeaders {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let shown: Vec<String> = self.0.iter().map(|(name, _)| format!("{name}=***")).collect();
        f.write_str(&shown.join(","))
    }
}

impl fmt::Debug for OtlpHeaders {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "OtlpHeaders({self})")
    }
}

impl Value for OtlpHeaders {
    const SECRET: bool = true;

    fn read(given: &Given, _: &Allowed) -> Option<Self> {
        let pair = |pair: &str| {
            let (name, value) = pair.split_once('=')?;
            let (name, value) = (name.trim(), value.trim());
            let right = axum::http::HeaderName::try_from(name).is_ok()
                && axum::http::HeaderValue::try_from(value).is_ok()
                && !value.is_empty();
            right.then(|| (name.to_owned(), Secret::new(value)))
        };
        given.text()?.split(',').map(pair).collect::<Option<Vec<_>>>().map(OtlpHeaders)
    }

    fn show(&self) -> Option<String> {
        Some(quoted(self))
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum LogFormat {
    Human,
    Json,
}

impl Value for LogFormat {
    fn read(given: &Given, _: &Allowed) -> Option<Self> {
        match given.text()? {
            "human" => Some(LogFormat::Human),
            "json" => Some(LogFormat::Json),
            _ => None,
        }
    }

    fn show(&self) -> Option<String> {
        Some(quoted(match self {
            LogFormat::Human => "human",
            LogFormat::Json => "json",
        }))
    }
}

/// Which addresses webhooks may go to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum WebhookReach {
    Public,
    Anywhere,
}

impl Value for WebhookReach {
    fn read(given: &Given, _: &Allowed) -> Option<Self> {
        match given.text()? {
            "public" => Some(WebhookReach::Public),
            "anywhere" => Some(WebhookReach::Anywhere),
            _ => None,
        }
    }

    fn show(&self) -> Option<String> {
        Some(quoted(match self {
            WebhookReach::Public => "public",
            WebhookReach::Anywhere => "anywhere",
        }))
    }
}

/// Which log lines are written: levels, alone or as `module=level`, separated by commas.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct LogFilter(String);

impl LogFilter {
    pub(crate) fn new(text: &str) -> Option<LogFilter> {
        // A bare word would be taken for the name of a module, and `inof` would silence everything.
        let words = text.split(',').map(str::trim);
        let bare_words_are_levels = words
            .filter(|word| !word.contains(['=', ':', '_']))
            .all(|word| word.parse::<tracing::level_filters::LevelFilter>().is_ok());
        // Brackets would ask for spans and fields, which `Targets` takes for a part of the module's name.
        let is_filter = bare_words_are_levels && !text.contains('[') && targets(text).is_some();
        is_filter.then(|| LogFilter(text.to_owned()))
    }

    pub(crate) fn to_filter(&self) -> Targets {
        targets(&self.0).expect("it was parsed when it was read")
    }
}

/// `EnvFilter` would also match spans and fields, by regular expressions; it is not used because these take longer to
/// compile than the rest of the crate.
pub(crate) fn targets(text: &str) -> Option<Targets> {
    let words: Vec<&str> = text.split(',').map(str::trim).filter(|word| !word.is_empty()).collect();
    let text = if words.is_empty() { "error".to_owned() } else { words.join(",") };
    text.parse().ok()
}

impl Value for LogFilter {
    fn read(given: &Given, _: &Allowed) -> Option<Self> {
        LogFilter::new(given.text()?)
    }

    fn show(&self) -> Option<String> {
        Some(quoted(&self.0))
    }
}

/// What this process is called in traces.
impl Value for String {
    fn read(given: &Given, _: &Allowed) -> Option<Self> {
        given.text().filter(|text| !text.trim().is_empty()).map(str::to_owned)
    }

    fn show(&self) -> Option<String> {
        Some(quoted(self))
    }
}
