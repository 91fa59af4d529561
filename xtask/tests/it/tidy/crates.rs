//! Which crate may depend on which, as in docs/architecture.md.

use std::fs;

use super::sources::{read, root};

const PREFIX: &str = "surehold-";

/// A crate and those of ours that it is built with. What only its tests use is not listed.
const CRATES: [(&str, &[&str]); 19] = [
    ("api", &["core", "http-macros"]),
    ("connect", &["core", "engine"]),
    ("core", &["core-macros"]),
    ("core-macros", &[]),
    ("engine", &["core"]),
    ("fuzz", &["api", "connect", "core", "engine", "http", "simulators"]),
    ("http", &["api", "connect", "core", "engine", "http-macros"]),
    ("http-macros", &[]),
    ("lab", &["connect", "core", "engine", "http", "postgres", "simulators", "sqlite", "surehold", "testkit"]),
    ("postgres", &["core", "engine"]),
    ("private-servers", &[]),
    ("samples", &[]),
    ("scenario", &["core"]),
    ("simulators", &["core", "engine", "http"]),
    ("sqlite", &["core", "engine"]),
    ("surehold", &["api", "connect", "core", "engine", "http", "postgres", "simulators", "sqlite"]),
    ("testdeps", &[]),
    ("testkit", &["core", "engine", "http", "postgres", "private-servers", "simulators", "sqlite"]),
    ("xtask", &["private-servers"]),
];

pub(super) fn folders() -> Vec<String> {
    let crates = fs::read_dir(root().join("crates")).unwrap();
    let mut folders: Vec<String> = crates
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .chain(["fuzz".into(), "xtask".into()])
        .collect();
    folders.sort();
    folders
}

#[test]
fn crates_depend_on_what_they_may() {
    let listed: Vec<&str> = CRATES.iter().map(|(name, _)| *name).collect();
    assert_eq!(listed, folders(), "every crate has its row");
    for (name, expected) in CRATES {
        let folder = if matches!(name, "fuzz" | "xtask") { name.to_owned() } else { format!("crates/{name}") };
        assert_eq!(dependencies(&read(&format!("{folder}/Cargo.toml"))), expected, "{name}");
    }
}

/// Ours, of the section `[dependencies]`.
fn dependencies(manifest: &str) -> Vec<String> {
    let section = manifest.split("\n[").find_map(|section| section.strip_prefix("dependencies]")).unwrap_or_default();
    let names = section.lines().filter_map(|line| line.split(['.', ' ', '=']).next());
    let ours = names.filter(|name| *name == "surehold" || name.starts_with(PREFIX));
    let mut found: Vec<String> = ours.map(|name| name.strip_prefix(PREFIX).unwrap_or(name).to_owned()).collect();
    found.sort();
    found
}

#[test]
fn dependencies_are_read_from_the_manifest() {
    let manifest = "[package]\nname = \"surehold-x\"\n\n[dependencies]\nserde.workspace = true\nsurehold.workspace = true\n\
                    surehold-http = { workspace = true }\n\n[dev-dependencies]\nsurehold-lab.workspace = true\n";
    assert_eq!(dependencies(manifest), ["http", "surehold"]);
}
