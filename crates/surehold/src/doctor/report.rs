//! What `doctor` says: aligned for people, JSON for machines. Needs no colour to be read.

use std::fmt::Write;

use serde::Serialize;

use super::facts::{Facts, StoreFacts};
use super::judge::{Finding, Verdict};
use crate::config::{Config, SECTIONS};

#[derive(Serialize)]
pub(super) struct Report {
    /// The worst of the findings.
    pub(super) verdict: Verdict,
    versions: Vec<Version>,
    settings: Vec<InForce>,
    findings: Vec<Finding>,
}

#[derive(Serialize)]
struct Version {
    of: &'static str,
    version: String,
}

#[derive(Serialize)]
struct InForce {
    name: String,
    value: Option<toml::Value>,
    origin: String,
}

impl Report {
    pub(super) fn new(config: &Config, facts: &Facts, findings: Vec<Finding>) -> Report {
        let verdict = findings.iter().map(|finding| finding.verdict).max().unwrap_or(Verdict::Ok);
        let settings = SECTIONS.iter().flat_map(|section| section.settings);
        let settings = settings.map(|setting| InForce {
            name: setting.full_name(),
            value: (setting.show)(config).and_then(|toml| parsed(&toml)),
            origin: config.origins.of(setting.section, setting.name).to_string(),
        });
        Report { verdict, versions: versions(facts), settings: settings.collect(), findings }
    }

    pub(super) fn for_people(&self) -> String {
        let versions = self.versions.iter().map(|Version { of, version }| format!("{of} {version}"));
        let mut text = versions.collect::<Vec<_>>().join(", ");
        text.push_str("\n\nIn force\n");
        let rows = self.settings.iter().map(|InForce { name, value, origin }| {
            [name.clone(), value.as_ref().map_or("-".to_owned(), toml::Value::to_string), origin.clone()]
        });
        aligned(&mut text, &rows.collect::<Vec<_>>());
        text.push_str("\nChecked\n");
        let rows = self.findings.iter().flat_map(|finding| {
            let found = [word(finding.verdict).to_owned(), finding.check.to_owned(), finding.found.clone()];
            let next = finding.next.as_ref().map(|next| [String::new(), String::new(), format!("→ {next}")]);
            std::iter::once(found).chain(next)
        });
        aligned(&mut text, &rows.collect::<Vec<_>>());
        let _ = writeln!(text, "\n{}", self.summary());
        text
    }

    fn summary(&self) -> String {
        let all = [Verdict::Broken, Verdict::Unsafe, Verdict::Warn, Verdict::Ok];
        let counts = all.map(|verdict| (verdict, self.findings.iter().filter(|f| f.verdict == verdict).count()));
        let counts = counts.iter().filter(|(_, count)| *count > 0);
        counts.map(|(verdict, count)| format!("{count} {}", word(*verdict))).collect::<Vec<_>>().join(", ")
    }
}

/// What a setting's TOML stands for.
fn parsed(toml: &str) -> Option<toml::Value> {
    format!("value = {toml}").parse::<toml::Table>().ok()?.remove("value")
}

fn word(verdict: Verdict) -> &'static str {
    match verdict {
        Verdict::Ok => "ok",
        Verdict::Warn => "warn",
        Verdict::Unsafe => "UNSAFE",
        Verdict::Broken => "BROKEN",
    }
}

fn versions(facts: &Facts) -> Vec<Version> {
    let mut versions = vec![Version { of: "surehold", version: env!("CARGO_PKG_VERSION").to_owned() }];
    match &facts.store {
        StoreFacts::Sqlite(sqlite, _) => {
            versions.push(Version { of: "SQLite", version: sqlite.sqlite_version.to_owned() });
        }
        StoreFacts::Postgres(postgres, _) => {
            versions.push(Version { of: "Postgres", version: postgres.server_version.clone() });
        }
        StoreFacts::Absent(_) | StoreFacts::Unreachable(_) => {}
    }
    versions.extend(facts.kernel.clone().map(|version| Version { of: "kernel", version }));
    versions
}

/// Columns as wide as their longest entry, but the last.
fn aligned(text: &mut String, rows: &[[String; 3]]) {
    let width = |column: usize| rows.iter().map(|row| row[column].chars().count()).max().unwrap_or(0);
    let (first, second) = (width(0), width(1));
    for [one, two, three] in rows {
        let _ = writeln!(text, "  {one:first$}  {two:second$}  {three}");
    }
}
