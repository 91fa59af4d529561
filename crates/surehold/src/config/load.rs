//! Puts the sources together. Refuses what it does not know: a mistyped name must not silently mean the default.

use std::ffi::OsString;
use std::path::{Path, PathBuf};

use toml::de::{DeTable, DeValue};

use super::error::{ConfigError, Nearest, Origin, shown_name};
use super::settings::{Config, SECTIONS};
use super::table::{Given, Section, Setting};

const FILE_NAME: &str = "surehold.toml";
const VARIABLE_PREFIX: &str = "SUREHOLD_";

/// The flags that every command with a configuration takes.
#[derive(clap::Args, Clone, Debug, Default)]
pub(crate) struct ConfigArgs {
    /// Configuration file [default: surehold.toml in the data folder, if it is there]
    #[arg(long, global = true, value_name = "FILE")]
    pub(crate) config: Option<PathBuf>,
    /// Data folder [default: surehold-data]
    #[arg(long, global = true, value_name = "DIR")]
    pub(crate) data: Option<PathBuf>,
    /// `postgres://user@host/database` or `sqlite:PATH` [default: a file in the data folder]
    #[arg(long, global = true, value_name = "URL")]
    pub(crate) store: Option<Hidden>,
    /// Any setting, as in `surehold config`; may be repeated
    #[arg(long, global = true, value_name = "SECTION.NAME=VALUE")]
    pub(crate) set: Vec<Hidden>,
}

/// A flag's text, which may hold a password.
#[derive(Clone)]
pub(crate) struct Hidden(String);

impl From<String> for Hidden {
    fn from(text: String) -> Hidden {
        Hidden(text)
    }
}

impl std::fmt::Debug for Hidden {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("***")
    }
}

/// What a configuration is made of. The environment is an argument, so that tests need not share one.
#[derive(Default)]
pub(crate) struct Sources {
    file: Option<PathBuf>,
    variables: Vec<(String, OsString)>,
    flags: Vec<(&'static str, String, String)>,
    malformed_flag: bool,
}

impl ConfigArgs {
    /// Whether any of the flags was given.
    pub(crate) fn names_something(&self) -> bool {
        let ConfigArgs { config, data, store, set } = self;
        config.is_some() || data.is_some() || store.is_some() || !set.is_empty()
    }

    /// These flags, and this process's environment.
    pub(crate) fn sources(&self) -> Sources {
        let variables = std::env::vars_os().filter_map(|(name, value)| Some((name.into_string().ok()?, value)));
        self.sources_with(variables)
    }

    pub(crate) fn sources_with(&self, variables: impl IntoIterator<Item = (String, OsString)>) -> Sources {
        let mut sources = Sources { file: self.config.clone(), ..Sources::default() };
        sources.variables = variables.into_iter().filter(|(name, _)| name.starts_with(VARIABLE_PREFIX)).collect();
        // In a fixed order, so that of two mistakes always the same is reported.
        sources.variables.sort();
        for set in &self.set {
            match set.0.split_once('=') {
                Some((name, value)) => sources = sources.flag("--set", name.trim(), value),
                None => sources.malformed_flag = true,
            }
        }
        // Flags with a name of their own come after: they are what the user sees first.
        if let Some(data) = &self.data {
            sources = sources.flag("--data", "store.data_dir", &data.to_string_lossy());
        }
        if let Some(store) = &self.store {
            sources = sources.flag("--store", "store.url", &store.0);
        }
        sources
    }
}

impl Sources {
    /// Adds a flag of one command, such as `serve --listen`; the last one wins.
    pub(crate) fn flag(mut self, flag: &'static str, setting: &str, value: &str) -> Sources {
        self.flags.push((flag, setting.to_owned(), value.to_owned()));
        self
    }
}

impl Config {
    pub(crate) fn load(sources: &Sources) -> Result<Config, ConfigError> {
        // The file may lie in the data folder, so where that is must be known before the file is read.
        let mut config = Config::default();
        config.apply_variables(sources)?;
        config.apply_flags(sources)?;
        let found = config.store.data_dir.join(FILE_NAME);
        let file = match &sources.file {
            Some(file) => Some((file.clone(), None)),
            None => found.is_file().then(|| (found, Some(config.store.data_dir.clone()))),
        };
        if let Some((path, folder)) = file {
            config = Config::default();
            let text = std::fs::read_to_string(&path);
            let text = text.map_err(|source| ConfigError::ReadFile { path: path.clone(), source })?;
            config.apply_file(&path, &text)?;
            config.require_same_folder(folder)?;
            config.apply_variables(sources)?;
            config.apply_flags(sources)?;
        }
        config.check()?;
        Ok(config)
    }

    pub(crate) fn apply_file(&mut self, path: &Path, text: &str) -> Result<(), ConfigError> {
        let place = |offset: usize| {
            let before = text.get(..offset).unwrap_or(text);
            Origin::File { path: path.to_owned(), line: before.matches('\n').count() + 1 }
        };
        // Never the error's own text: it shows the line, and the line may hold a password.
        let document = DeTable::parse(text).map_err(|error| ConfigError::Syntax {
            place: place(error.span().map_or(0, |span| span.start)),
            what: error.message().to_owned(),
        })?;
        for (name, section_value) in document.get_ref() {
            let place_of_section = place(name.span().start);
            let DeValue::Table(values) = section_value.get_ref() else {
                return Err(outside_section(place_of_section, name.get_ref()));
            };
            let section = find_section(name.get_ref()).ok_or_else(|| ConfigError::UnknownSection {
                place: place_of_section,
                found: shown_name(name.get_ref()),
                nearest: Nearest::to(name.get_ref(), section_names()),
            })?;
            for (name, value) in values {
                let place = place(name.span().start);
                let setting = find_setting(section, name.get_ref(), &place, |setting| setting.name.to_owned())?;
                self.apply(setting, &Given::from_toml(value.get_ref()), place)?;
            }
        }
        Ok(())
    }

    pub(crate) fn apply_variables(&mut self, sources: &Sources) -> Result<(), ConfigError> {
        for (name, value) in &sources.variables {
            let rest = name.strip_prefix(VARIABLE_PREFIX).unwrap_or(name);
            // What names no section belongs to somebody else: SUREHOLD_KEY, SUREHOLD_TEST_….
            let Some((section, setting)) = rest.split_once('_') else { continue };
            let Some(section) = find_section(&section.to_lowercase()) else { continue };
            let place = Origin::Variable(name.clone());
            let setting = find_setting(section, &setting.to_lowercase(), &place, Setting::variable)?;
            let given = value.to_str().map_or(Given::Other("not text in UTF-8"), |text| Given::Plain(text.to_owned()));
            self.apply(setting, &given, place)?;
        }
        Ok(())
    }

    pub(crate) fn apply_flags(&mut self, sources: &Sources) -> Result<(), ConfigError> {
        if sources.malformed_flag {
            return Err(ConfigError::MalformedFlag);
        }
        for (flag, name, value) in &sources.flags {
            let place = Origin::Flag(flag);
            let (section, name) = name.split_once('.').ok_or_else(|| outside_section(place.clone(), name))?;
            let section = find_section(section).ok_or_else(|| ConfigError::UnknownSection {
                place: place.clone(),
                found: shown_name(section),
                nearest: Nearest::to(section, section_names()),
            })?;
            let setting = find_setting(section, name, &place, |setting| setting.name.to_owned())?;
            self.apply(setting, &Given::Plain(value.clone()), place)?;
        }
        Ok(())
    }

    fn apply(&mut self, setting: &Setting, given: &Given, place: Origin) -> Result<(), ConfigError> {
        // An empty variable is how a container says that it has none.
        if setting.optional && given.text() == Some("") {
            (setting.clear)(self);
        } else if !(setting.set)(self, given, &setting.allowed) {
            return Err(ConfigError::WrongValue {
                place,
                setting: setting.full_name(),
                found: given.shown(setting.secret),
                allowed: setting.allowed.to_string(),
            });
        }
        self.origins.set(setting, place);
        Ok(())
    }

    fn require_same_folder(&self, folder: Option<PathBuf>) -> Result<(), ConfigError> {
        let place = self.origins.of("store", "data_dir");
        match folder {
            Some(folder) if place != Origin::Default && self.store.data_dir != folder => {
                Err(ConfigError::FolderMoved { place, folder, found: self.store.data_dir.clone() })
            }
            _ => Ok(()),
        }
    }

    /// What is wrong only together.
    pub(crate) fn check(&self) -> Result<(), ConfigError> {
        let server = &self.server;
        let half_of_tls = |given: &'static str, missing: &'static str| {
            let name = given.strip_prefix("server.").unwrap_or(given);
            Err(ConfigError::HalfOfTls { place: self.origins.of("server", name), given, missing })
        };
        match (&server.tls_certificate_file, &server.tls_key_file) {
            (Some(_), None) => half_of_tls("server.tls_certificate_file", "server.tls_key_file")?,
            (None, Some(_)) => half_of_tls("server.tls_key_file", "server.tls_certificate_file")?,
            (Some(_), Some(_)) | (None, None) => {}
        }
        // Port 0 means a free one, and two of them are not the same.
        if server.admin_listen == Some(server.listen) && server.listen.port() != 0 {
            let place = self.origins.of("server", "admin_listen");
            return Err(ConfigError::SameAddress { place, address: server.listen });
        }
        if self.telemetry.otlp_headers.is_some() && self.telemetry.otlp_endpoint.is_none() {
            return Err(ConfigError::HeadersForNobody { place: self.origins.of("telemetry", "otlp_headers") });
        }
        Ok(())
    }
}

fn section_names() -> Vec<String> {
    SECTIONS.iter().map(|section| section.name.to_owned()).collect()
}

fn find_section(name: &str) -> Option<&'static Section> {
    SECTIONS.iter().find(|section| section.name == name)
}

fn outside_section(place: Origin, found: &str) -> ConfigError {
    let all = SECTIONS.iter().flat_map(|section| section.settings);
    let homes = all.filter(|setting| setting.name == found).map(|setting| format!("[{}]", setting.section));
    let mut homes: Vec<String> = homes.collect();
    if homes.is_empty() {
        homes = section_names();
    }
    let nearest = Nearest { meant: None, all: homes };
    ConfigError::OutsideSection { place, found: shown_name(found), nearest }
}

/// `named` is how the place calls settings: a suggestion must be something that can be pasted there.
fn find_setting(
    section: &'static Section,
    name: &str,
    place: &Origin,
    named: fn(&Setting) -> String,
) -> Result<&'static Setting, ConfigError> {
    section.settings.iter().find(|setting| setting.name == name).ok_or_else(|| {
        let found = match place {
            Origin::Variable(variable) => variable.clone(),
            Origin::Default | Origin::File { .. } | Origin::Flag(_) => shown_name(name),
        };
        let nearest = Nearest::to(&found, section.settings.iter().map(named).collect());
        ConfigError::UnknownSetting { place: place.clone(), section: section.name, found, nearest }
    })
}
