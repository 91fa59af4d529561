//! The packages of the workspace and their integration tests, as cargo describes them.

use std::path::{Path, PathBuf};

use anyhow::{Context, Result, ensure};
use serde_json::Value;

use crate::cargo::cargo;
use crate::names;

#[derive(Debug)]
pub(crate) struct Workspace {
    pub(crate) packages: Vec<Package>,
}

#[derive(Debug)]
pub(crate) struct Package {
    pub(crate) name: String,
    pub(crate) folder: PathBuf,
    /// Names of integration tests that need no extra feature.
    pub(crate) tests: Vec<String>,
}

impl Workspace {
    pub(crate) fn read() -> Result<Workspace> {
        Ok(Workspace::from(&describe()?))
    }

    /// The package with this name, or with this short name.
    pub(crate) fn package(&self, word: &str) -> Option<&Package> {
        let is_named = |package: &&Package| {
            package.name == word || package.name.strip_prefix(names::PACKAGE_PREFIX).is_some_and(|short| short == word)
        };
        self.packages.iter().find(is_named)
    }
}

fn describe() -> Result<Value> {
    let output = cargo().args(["metadata", "--no-deps", "--format-version", "1", "--locked"]).output();
    let output = output.context("cannot run `cargo metadata`")?;
    ensure!(output.status.success(), "`cargo metadata` failed\n{}", String::from_utf8_lossy(&output.stderr));
    serde_json::from_slice(&output.stdout).context("`cargo metadata` printed no JSON")
}

impl From<&Value> for Workspace {
    fn from(description: &Value) -> Workspace {
        Workspace { packages: items(&description["packages"]).iter().map(Package::from).collect() }
    }
}

impl From<&Value> for Package {
    fn from(package: &Value) -> Package {
        let is_test = |target: &&Value| target["kind"][0] == "test" && target["required-features"].is_null();
        let manifest = text(&package["manifest_path"]);
        Package {
            name: text(&package["name"]),
            folder: Path::new(&manifest).parent().map(Path::to_path_buf).unwrap_or_default(),
            tests: items(&package["targets"]).iter().filter(is_test).map(|target| text(&target["name"])).collect(),
        }
    }
}

fn items(value: &Value) -> &[Value] {
    value.as_array().map(Vec::as_slice).unwrap_or_default()
}

fn text(value: &Value) -> String {
    value.as_str().unwrap_or_default().to_owned()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn what_cargo_describes() {
        let planted = json!({"kind": ["test"], "name": "planted", "required-features": ["simulation"]});
        let workspace = Workspace::from(&json!({"packages": [
            {"name": "surehold-core", "manifest_path": "/w/crates/core/Cargo.toml",
                "targets": [{"kind": ["lib"], "name": "surehold_core"}, {"kind": ["test"], "name": "it"}]},
            {"name": "surehold", "targets": [{"kind": ["bin"], "name": "surehold"}, planted]},
        ]}));
        let core = &workspace.packages[0];
        assert_eq!(
            (core.tests.as_slice(), core.folder.as_path()),
            (&["it".to_owned()][..], Path::new("/w/crates/core"))
        );
        assert!(workspace.packages[1].tests.is_empty());
        let check = |word: &str, expected: Option<&str>| {
            assert_eq!(workspace.package(word).map(|package| package.name.as_str()), expected, "{word}");
        };
        check("core", Some("surehold-core"));
        check("surehold-core", Some("surehold-core"));
        check("surehold", Some("surehold"));
        check("surehold-", None);
        check("stays", None);
    }

    /// Else `cargo test --package` and `cargo xtask test http` compile dependencies again, with other features.
    #[test]
    fn the_tests_of_every_crate_have_the_same_features() {
        const ALL: &str = "surehold-testdeps";
        let description = describe().unwrap();
        let packages = items(&description["packages"]).iter().filter(|package| package["name"] != names::XTASK);
        let all = packages.clone().find(|package| package["name"] == ALL).expect("it is in the workspace");
        let has = |wanted: &Value| {
            let found = items(&all["dependencies"]).iter().find(|one| one["name"] == wanted["name"]);
            let features = found.map(|one| items(&one["features"]));
            features.is_some_and(|has| items(&wanted["features"]).iter().all(|feature| has.contains(feature)))
        };
        // What a macro's tests use is compiled for the compiler. There it would add features to what all macros use, and only
        // while that macro is among the chosen crates.
        let is_macro =
            |package: &&Value| items(&package["targets"]).iter().any(|target| target["kind"][0] == "proc-macro");
        for package in packages.filter(|package| package["name"] != ALL && !is_macro(package)) {
            let (name, dependencies) = (text(&package["name"]), items(&package["dependencies"]));
            let is_there = dependencies.iter().any(|one| one["name"] == ALL && one["kind"] == "dev");
            assert!(is_there, "add `{ALL}.workspace = true` to the dev-dependencies of {name}");
            // What build scripts use has features of its own.
            for wanted in dependencies.iter().filter(|one| !one["source"].is_null() && one["kind"] != "build") {
                let (what, features) = (&wanted["name"], &wanted["features"]);
                assert!(has(wanted), "{name} needs {what} with {features}: add it to {ALL}");
            }
        }
    }
}
