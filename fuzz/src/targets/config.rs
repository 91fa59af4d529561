//! The configuration: a file, variables and flags.

use std::ffi::OsString;
use std::fmt::Write;
use std::path::Path;

use crate::config::{Config, ConfigArgs, ConfigError, Origins, SECTIONS, Setting};

const FILE: &str = "surehold.toml";

/// What is in force, as a file that says the same; secrets are hidden in it.
fn shown(config: &Config) -> String {
    let mut text = String::new();
    for section in SECTIONS {
        let _ = writeln!(text, "[{}]", section.name);
        for setting in section.settings {
            if let Some(value) = (setting.show)(config) {
                let _ = writeln!(text, "{} = {value}", setting.name);
            }
        }
    }
    text
}

/// The settings alone, as far as they can be shown.
fn open_settings(mut config: Config) -> Config {
    config.origins = Origins::default();
    config.store.url = None;
    config.telemetry.otlp_headers = None;
    config
}

pub(crate) fn file(data: &[u8]) {
    let Ok(text) = std::str::from_utf8(data) else { return };
    let mut config = Config::default();
    if let Err(error) = config.apply_file(Path::new(FILE), text) {
        says_where(&error);
        return;
    }
    means_the_same_when_shown(config);
}

fn says_where(error: &ConfigError) {
    let message = error.to_string();
    assert!(message.starts_with(FILE), "{message:?} does not say where");
}

fn means_the_same_when_shown(config: Config) {
    let text = shown(&config);
    let mut again = Config::default();
    if let Err(error) = again.apply_file(Path::new(FILE), &text) {
        panic!("{error}\n{text}");
    }
    assert_eq!(shown(&again), text);
    assert_eq!(again.check().is_ok(), config.check().is_ok(), "{text}");
    if let Some(endpoint) = &config.telemetry.otlp_endpoint {
        assert!(reqwest::Url::parse(&endpoint.traces_url()).is_ok(), "{endpoint}");
    }
    assert_eq!(open_settings(again), open_settings(config), "{text}");
}

const CANARY: &str = "Z0KANARI";

/// `section.name=value`, which a flag and a variable take or refuse alike.
pub(crate) fn values(data: &[u8]) {
    let Ok(text) = std::str::from_utf8(data) else { return };
    let by_flag = by_flag(text);
    if let Ok(config) = &by_flag {
        means_the_same_when_shown(config.clone());
    }
    let Some((name, value)) = text.split_once('=') else { return };
    let settings = SECTIONS.iter().flat_map(|section| section.settings);
    let Some(setting) = settings.into_iter().find(|setting| setting.full_name() == name) else { return };
    let by_variable = by_variable(setting, value);
    let settings =
        |outcome: Result<Config, String>| outcome.ok().map(|config| Config { origins: Origins::default(), ..config });
    assert_eq!(settings(by_flag), settings(by_variable), "{text}");
    if setting.secret
        && let Err(message) = self::by_flag(&format!("{text}{CANARY}"))
    {
        assert!(!message.contains(CANARY), "{message}");
    }
}

fn by_flag(text: &str) -> Result<Config, String> {
    let args = ConfigArgs { set: vec![text.to_owned().into()], ..ConfigArgs::default() };
    let mut config = Config::default();
    let outcome = config.apply_flags(&args.sources_with([]));
    outcome.map(|()| config).map_err(|error| error.to_string())
}

fn by_variable(setting: &Setting, value: &str) -> Result<Config, String> {
    let variables = [(setting.variable(), OsString::from(value))];
    let mut config = Config::default();
    let outcome = config.apply_variables(&ConfigArgs::default().sources_with(variables));
    outcome.map(|()| config).map_err(|error| error.to_string())
}
