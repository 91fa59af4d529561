//! The copy of the tree in which bugs can be planted, and what is built from it. Nothing of it is outside of
//! `target/planted`.

use std::collections::BTreeMap;
use std::fmt::Write;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use anyhow::{Context, Result, ensure};
use serde_json::Value;

use super::catalogue::{Catalogue, FOLDER};
use super::{dependencies, sample};
use crate::cargo::{cargo, executables};

/// Everything in one build, so that it has one set of features.
const BUILD: &str = "build --locked --package surehold-lab \
     --features simulation --bin surehold-lab --bin sell_on_disk --test planted --test simulation_planted";
/// Has the command `torture`.
const TORTURE: &str = "surehold-lab";
/// The proofs that need no processes.
const PROOFS: [&str; 2] = ["planted", "simulation_planted"];
/// Laid over the copy, path by path: what bugs need, and the sample module.
const OVERLAYS: [&str; 2] = ["overlay", sample::FOLDER];
const NAMES: &str = "crates/core/src/planted/names.rs";

pub(super) struct Built {
    pub(super) torture: PathBuf,
    pub(super) proofs: Vec<PathBuf>,
}

/// Returns where the copy is. Files that are the same are left alone, so that the next build is incremental.
pub(super) fn make(root: &Path, catalogue: &Catalogue) -> Result<PathBuf> {
    let mut files: BTreeMap<PathBuf, Vec<u8>> = BTreeMap::new();
    for file in tracked(root)? {
        let content = fs::read(root.join(&file)).with_context(|| format!("cannot read {}", file.display()))?;
        let laid_over = OVERLAYS.iter().find_map(|overlay| file.strip_prefix(Path::new(FOLDER).join(overlay)).ok());
        files.insert(laid_over.unwrap_or(&file).to_owned(), content);
    }
    files.extend(catalogue.edited(root)?.into_iter().map(|(file, text)| (file, text.into_bytes())));
    files.insert(NAMES.into(), names(catalogue).into_bytes());
    let tree = root.join("target/planted/tree");
    fs::create_dir_all(&tree).with_context(|| format!("cannot make {}", tree.display()))?;
    let tree = tree.canonicalize()?;
    remove_others(&tree, &tree, &files)?;
    for (file, content) in &files {
        write(&tree.join(file), content)?;
    }
    Ok(tree)
}

/// What git knows or would add, as far as it is there.
fn tracked(root: &Path) -> Result<Vec<PathBuf>> {
    let output = Command::new("git")
        .args(["ls-files", "--cached", "--others", "--exclude-standard", "-z"])
        .current_dir(root)
        .output()
        .context("cannot run git")?;
    ensure!(output.status.success(), "git cannot list the files: {}", String::from_utf8_lossy(&output.stderr));
    let names = String::from_utf8(output.stdout).context("the name of a file is not UTF-8")?;
    let files = names.split_terminator('\0').map(PathBuf::from);
    Ok(files.filter(|file| root.join(file).is_file()).collect())
}

fn names(catalogue: &Catalogue) -> String {
    let mut text = format!("pub const NAMES: [&str; {}] = [\n", catalogue.bugs.len());
    for bug in &catalogue.bugs {
        let _ = writeln!(text, "    {:?},", bug.name);
    }
    text.push_str("];\n");
    text
}

fn write(path: &Path, content: &[u8]) -> Result<()> {
    if fs::read(path).is_ok_and(|there| there == content) {
        return Ok(());
    }
    let folder = path.parent().context("a file is in a folder")?;
    fs::create_dir_all(folder).with_context(|| format!("cannot make {}", folder.display()))?;
    fs::write(path, content).with_context(|| format!("cannot write {}", path.display()))
}

/// Removes files that are gone from the tree, and folders that become empty.
fn remove_others(tree: &Path, folder: &Path, files: &BTreeMap<PathBuf, Vec<u8>>) -> Result<()> {
    for entry in fs::read_dir(folder).with_context(|| format!("cannot read {}", folder.display()))? {
        let entry = entry?;
        let path = entry.path();
        if entry.file_type()?.is_dir() {
            remove_others(tree, &path, files)?;
            if fs::read_dir(&path)?.next().is_none() {
                fs::remove_dir(&path).with_context(|| format!("cannot remove {}", path.display()))?;
            }
        } else if !files.contains_key(path.strip_prefix(tree)?) {
            fs::remove_file(&path).with_context(|| format!("cannot remove {}", path.display()))?;
        }
    }
    Ok(())
}

pub(super) fn build(tree: &Path) -> Result<Built> {
    let target = tree.with_file_name("target");
    dependencies::lend(&executables()?, &target.join("debug"))?;
    let output = cargo()
        .args(BUILD.split_whitespace())
        .arg("--message-format=json-render-diagnostics")
        .current_dir(tree)
        .env("CARGO_TARGET_DIR", target)
        .stderr(Stdio::inherit())
        .output()
        .context("cannot run cargo")?;
    ensure!(output.status.success(), "the copy with planted bugs does not build, see above");
    let messages = String::from_utf8_lossy(&output.stdout).into_owned();
    let executable = |kind: &str, name: &str| {
        let found = messages.lines().find_map(|line| executable_of(line, kind, name));
        found.with_context(|| format!("cargo did not build the {kind} `{name}`"))
    };
    Ok(Built {
        torture: executable("bin", TORTURE)?,
        proofs: PROOFS.iter().map(|name| executable("test", name)).collect::<Result<_>>()?,
    })
}

fn executable_of(line: &str, kind: &str, name: &str) -> Option<PathBuf> {
    let message: Value = serde_json::from_str(line).ok()?;
    let target = &message["target"];
    let is_it = target["name"] == name && target["kind"][0] == kind;
    message["executable"].as_str().filter(|_| is_it).map(PathBuf::from)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn executables_are_found_in_what_cargo_says() {
        let check = |line: &str, expected: Option<&str>| {
            assert_eq!(executable_of(line, "bin", "surehold"), expected.map(PathBuf::from), "{line}");
        };
        check(r#"{"target":{"kind":["bin"],"name":"surehold"},"executable":"/t/surehold"}"#, Some("/t/surehold"));
        check(r#"{"target":{"kind":["test"],"name":"surehold"},"executable":"/t/surehold-1"}"#, None);
        check(r#"{"target":{"kind":["bin"],"name":"other"},"executable":"/t/other"}"#, None);
        check(r#"{"target":{"kind":["bin"],"name":"surehold"},"executable":null}"#, None);
        check(r#"{"reason":"build-finished","success":true}"#, None);
    }
}
