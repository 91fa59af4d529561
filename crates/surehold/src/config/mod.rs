//! The configuration: a file, then variables, then flags; later wins. Knows where every value came from.
//!
//! Start reading at `settings.rs`, which lists every setting. Nothing here opens the store or the network.

mod error;
mod load;
mod reference;
mod settings;
mod table;
#[cfg(test)]
mod tests;
mod values;

use std::collections::HashMap;

pub(crate) use error::{ConfigError, Nearest, Origin, shown_name};
pub(crate) use load::ConfigArgs;
pub(crate) use reference::ConfigCommand;
pub(crate) use settings::{Config, SECTIONS, StoreTarget, Telemetry};
pub(crate) use table::Setting;
pub(crate) use values::{LogFormat, OtlpHeaders, WebhookReach, targets};

/// Where each setting that is not a default came from, by section and name.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Origins(HashMap<(&'static str, &'static str), Origin>);

impl Origins {
    pub(crate) fn of(&self, section: &'static str, name: &'static str) -> Origin {
        self.0.get(&(section, name)).cloned().unwrap_or_default()
    }

    fn set(&mut self, setting: &Setting, origin: Origin) {
        self.0.insert((setting.section, setting.name), origin);
    }
}
