//! `surehold config`: the settings for people, made from the same table that the loader reads.

use std::fmt::Write as _;
use std::io::Write as _;

use anyhow::Result;

use super::settings::{Config, SECTIONS};
use super::table::Setting;

/// Print a commented configuration file that says what is the default
#[derive(clap::Args)]
pub(crate) struct ConfigCommand {
    /// Print the table of `docs/configuration.md` instead
    #[arg(long, hide = true)]
    markdown: bool,
}

impl ConfigCommand {
    pub(crate) fn run(&self) -> Result<()> {
        let text = if self.markdown { markdown() } else { example() };
        Ok(std::io::stdout().write_all(text.as_bytes())?)
    }
}

const EXAMPLE_HEAD: &str = "\
# Surehold's configuration. Every line that is commented out shows the default, or an example of
# what is absent by default. Read from --config FILE, else from surehold.toml in the data folder.
# Variables come after the file (SUREHOLD_SERVER_LISTEN for listen in [server]), flags after them.
# `surehold doctor` shows what is in force, where it came from, and what is unsafe.
";

pub(crate) fn example() -> String {
    let mut text = EXAMPLE_HEAD.to_owned();
    for section in SECTIONS {
        let _ = writeln!(text, "\n\n{}[{}]", comment(section.doc), section.name);
        for setting in section.settings {
            let _ = write!(text, "\n{}{}", comment(setting.doc), comment(&setting.allowed_line()));
            let _ = writeln!(text, "#{} = {}", setting.name, setting.example_value());
        }
    }
    text
}

fn comment(doc: &str) -> String {
    doc.lines().map(|line| format!("# {}\n", line.trim())).collect()
}

impl Setting {
    fn allowed_line(&self) -> String {
        let absent = if self.optional { " Absent by default." } else { "" };
        format!("Allowed: {}.{absent}", self.allowed)
    }

    /// The default or, where there is none, a value that shows what one looks like.
    fn example_value(&self) -> String {
        (self.show)(&Config::default()).unwrap_or_else(|| self.allowed.example.to_owned())
    }
}

pub(crate) fn markdown() -> String {
    let mut text = String::new();
    for section in SECTIONS {
        let _ = writeln!(text, "### `[{}]`\n\n{}\n", section.name, section.doc.trim());
        text.push_str("| setting | default | what it does | allowed |\n|---|---|---|---|\n");
        for setting in section.settings {
            let default = (setting.show)(&Config::default()).map_or("absent".to_owned(), |value| format!("`{value}`"));
            let doc: Vec<&str> = setting.doc.lines().map(str::trim).collect();
            let allowed = setting.allowed.to_string();
            let _ = writeln!(text, "| `{}` | {default} | {} | {allowed} |", setting.name, doc.join(" "));
        }
        text.push('\n');
    }
    text
}
