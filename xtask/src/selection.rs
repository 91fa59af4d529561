//! Which tests a run is about: what the command line takes, and what nextest is asked for.

use std::fs;
use std::path::Path;

use anyhow::{Context, Result};

use crate::names;
use crate::usage::wrong;
use crate::workspace::{Package, Workspace};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Store {
    Sqlite,
    Postgres,
}

#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct Selection {
    /// Without the proofs.
    pub(crate) quick: bool,
    /// Only tests on this store, and those of no store.
    pub(crate) store: Option<Store>,
    /// Packages, modules and parts of the paths of tests; those of all tests if there is none.
    words: Vec<String>,
}

impl Store {
    pub(crate) fn parse(text: Option<&String>) -> Result<Store> {
        match text.map(String::as_str) {
            Some("sqlite") => Ok(Store::Sqlite),
            Some("postgres") => Ok(Store::Postgres),
            Some(other) => Err(wrong(format!("there is no store `{other}`; there are sqlite and postgres"))),
            None => Err(wrong("--store needs sqlite or postgres")),
        }
    }

    pub(crate) fn name(self) -> &'static str {
        match self {
            Store::Sqlite => "sqlite",
            Store::Postgres => "postgres",
        }
    }

    fn other(self) -> Store {
        match self {
            Store::Sqlite => Store::Postgres,
            Store::Postgres => Store::Sqlite,
        }
    }
}

impl Selection {
    pub(crate) fn parse(arguments: &[String]) -> Result<Selection> {
        let mut selection = Selection::default();
        let mut words = arguments.iter();
        while let Some(word) = words.next() {
            match word.as_str() {
                "--quick" => selection.quick = true,
                "--store" => selection.store = Some(Store::parse(words.next())?),
                flag if flag.starts_with('-') => {
                    return Err(wrong(format!("test has no flag {flag}; it has --quick and --store")));
                }
                word if word.chars().all(|c| c.is_ascii_alphanumeric() || "_:-".contains(c)) && !word.is_empty() => {
                    selection.words.push(word.to_owned());
                }
                word => return Err(wrong(format!("`{word}` is neither a crate nor a part of a test's path"))),
            }
        }
        Ok(selection)
    }

    /// Nothing is named, so checks that are no tests run too.
    pub(crate) fn is_unnamed(&self) -> bool {
        self.words.is_empty()
    }

    pub(crate) fn has_proofs(&self) -> bool {
        self.is_unnamed() && !self.quick
    }

    pub(crate) fn is_full(&self) -> bool {
        *self == Selection::default()
    }

    pub(crate) fn has(&self, store: Store) -> bool {
        self.store.is_none_or(|only| only == store)
    }

    pub(crate) fn is_only(&self, package: &str) -> bool {
        !self.words.is_empty() && self.words.iter().all(|word| word == package)
    }

    /// The arguments of `cargo nextest run`: what is built, and which of its tests run.
    pub(crate) fn nextest(&self, workspace: &Workspace) -> Result<Vec<String>> {
        let mut arguments = self.packages(workspace)?;
        if let Some(expression) = self.expression(workspace) {
            arguments.extend(["-E".to_owned(), expression]);
        }
        Ok(arguments)
    }

    /// Those of `expression`, in packages whose tests can have `part` in their paths.
    pub(crate) fn nextest_within(
        store: Option<Store>,
        workspace: &Workspace,
        part: &str,
        expression: &str,
    ) -> Result<Vec<String>> {
        let named = Selection { words: vec![part.to_owned()], ..Selection::default() };
        let mut arguments = named.packages(workspace)?;
        let stores = Selection { store, ..Selection::default() }.expression(workspace);
        let terms: Vec<String> = [format!("({expression})")].into_iter().chain(stores).collect();
        arguments.extend(["-E".to_owned(), terms.join(" & ")]);
        Ok(arguments)
    }

    /// Only packages that can have such tests are built. The features of dependencies do not depend on the choice; a
    /// test in `workspace` keeps it so.
    fn packages(&self, workspace: &Workspace) -> Result<Vec<String>> {
        let mut arguments = Vec::new();
        let is_package = |word: &String| workspace.package(word).is_some();
        let (named, parts): (Vec<&String>, Vec<&String>) = self.words.iter().partition(|word| is_package(word));
        for package in &workspace.packages {
            let is_named = |word: &&String| workspace.package(word).is_some_and(|found| found.name == package.name);
            if named.is_empty() && package.name == names::XTASK {
                continue;
            }
            if (named.is_empty() || named.iter().any(is_named)) && can_have(package, &parts)? {
                arguments.extend(["--package".to_owned(), package.name.clone()]);
            }
        }
        if arguments.is_empty() {
            return Err(wrong(format!("no crate has tests with {} in their paths", self.words.join(" and "))));
        }
        Ok(arguments)
    }

    fn expression(&self, workspace: &Workspace) -> Option<String> {
        let mut terms = Vec::new();
        if self.quick {
            let proofs =
                [format!("binary(={})", names::SIMULATION), names::TORTURE_TESTS.into(), names::BENCH_TESTS.into()];
            terms.extend(proofs.map(|proof| format!("not ({proof})")));
        }
        if let Some(store) = self.store {
            let other = store.other().name();
            terms.push(format!("not (test(~{other}) | package(={}{other}))", names::PACKAGE_PREFIX));
        }
        for part in self.words.iter().filter(|word| workspace.package(word).is_none()) {
            // nextest refuses to look for a binary that does not exist.
            let binaries =
                workspace.packages.iter().flat_map(|package| &package.tests).filter(|name| name.contains(part));
            let binaries = binaries.map(|name| format!("binary(={name})"));
            let places: Vec<String> = [format!("test(~{part})")].into_iter().chain(binaries).collect();
            terms.push(format!("({})", places.join(" | ")));
        }
        (!terms.is_empty()).then(|| terms.join(" & "))
    }
}

/// Whether paths of tests in this package can have all these parts.
fn can_have(package: &Package, parts: &[&String]) -> Result<bool> {
    for part in parts {
        let mut found = package.tests.iter().any(|test| test.contains(*part));
        for folder in ["src", "tests"] {
            let path = package.folder.join(folder);
            found = found || path.is_dir() && is_in_folder(&path, last_segment(part))?;
        }
        if !found {
            return Ok(false);
        }
    }
    Ok(true)
}

/// Of `stays::quotes`, the file or the function is named `quotes`.
fn last_segment(part: &str) -> &str {
    part.rsplit("::").find(|segment| !segment.is_empty()).unwrap_or(part)
}

fn is_in_folder(folder: &Path, part: &str) -> Result<bool> {
    let entries = fs::read_dir(folder).with_context(|| format!("cannot read {}", folder.display()))?;
    for entry in entries {
        let path = entry?.path();
        let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        let is_found = if path.is_dir() {
            name.contains(part) || is_in_folder(&path, part)?
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            let text = fs::read_to_string(&path).with_context(|| format!("cannot read {}", path.display()))?;
            name.contains(part) || text.lines().any(|line| can_name_a_test(line, part))
        } else {
            false
        };
        if is_found {
            return Ok(true);
        }
    }
    Ok(false)
}

/// A function, a module, or an identifier alone: a case in the list of a macro that makes tests.
fn can_name_a_test(line: &str, part: &str) -> bool {
    let line = line.trim();
    let is_identifier = |c: char| c.is_ascii_alphanumeric() || c == '_';
    let defines = line.contains("fn ") || line.contains("mod ");
    line.contains(part) && (defines || line.trim_end_matches([' ', '{', ',']).chars().all(is_identifier))
}

#[cfg(test)]
mod tests;
