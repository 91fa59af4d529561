//! The sources of the workspace, as text.

use std::fs;
use std::path::{Path, PathBuf};

pub(super) struct Source {
    /// From the root of the workspace, as in `crates/core/src/lib.rs`.
    pub(super) path: String,
    pub(super) text: String,
}

impl Source {
    /// Lines with their numbers, without what stands in comments that take a line of their own.
    pub(super) fn code(&self) -> impl Iterator<Item = (usize, &str)> {
        self.text.lines().zip(1..).map(|(line, number)| (number, line)).filter(|(_, line)| !is_comment(line))
    }

    /// The same up to the tests at the end of the file, which may know more.
    pub(super) fn product_code(&self) -> impl Iterator<Item = (usize, &str)> {
        let lines: Vec<&str> = self.text.lines().collect();
        let tests = lines.windows(2).position(|pair| pair[0] == "#[cfg(test)]" && pair[1].ends_with('{'));
        let end = tests.unwrap_or(lines.len());
        self.code().take_while(move |(number, _)| *number <= end)
    }

    pub(super) fn is_test(&self) -> bool {
        self.path.contains("/tests/") || self.path.ends_with("/tests.rs")
    }
}

/// The modules of a crate, which are its folders that have `marker` in their `mod.rs`, in the order of their names, each with
/// those that it may import as its header says: `//! Imports: kernel, operations.`
pub(super) fn modules(src: &str, marker: &str) -> Vec<(String, Vec<String>)> {
    let mut found = Vec::new();
    for source in below(src) {
        let path = source.path.strip_prefix(src).unwrap().trim_start_matches('/');
        let Some(name) = path.strip_suffix("/mod.rs").filter(|name| !name.contains('/')) else { continue };
        if source.text.contains(marker) {
            let imports = source.text.lines().find_map(|line| line.strip_prefix("//! Imports: ")?.strip_suffix('.'));
            let imports = imports.unwrap_or_else(|| panic!("{} has no line `//! Imports: …`", source.path));
            let imports = imports.split(", ").filter(|name| *name != "nothing").map(str::to_owned);
            found.push((name.to_owned(), imports.collect()));
        }
    }
    found
}

pub(super) fn is_comment(line: &str) -> bool {
    line.trim_start().starts_with("//")
}

pub(super) fn words(text: &str) -> impl Iterator<Item = &str> {
    text.split(|next: char| !next.is_alphanumeric() && next != '_').filter(|word| !word.is_empty())
}

pub(super) fn has_extension(path: &str, extension: &str) -> bool {
    Path::new(path).extension().is_some_and(|found| found == extension)
}

pub(super) fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap().to_owned()
}

pub(super) fn read(path: &str) -> String {
    fs::read_to_string(root().join(path)).unwrap_or_else(|error| panic!("{path}: {error}"))
}

/// All files of Rust below a folder.
pub(super) fn below(folder: &str) -> Vec<Source> {
    let mut found = Vec::new();
    collect(&root().join(folder), folder, &mut found);
    found.sort_by(|one, other| one.path.cmp(&other.path));
    assert!(!found.is_empty(), "there is no source below {folder}");
    found
}

pub(super) fn everything() -> Vec<Source> {
    ["crates", "fuzz", "xtask"].into_iter().flat_map(below).collect()
}

fn collect(folder: &Path, path: &str, found: &mut Vec<Source>) {
    for entry in fs::read_dir(folder).unwrap() {
        let entry = entry.unwrap();
        let path = format!("{path}/{}", entry.file_name().to_string_lossy());
        if entry.file_type().unwrap().is_dir() {
            if !path.ends_with("/target") {
                collect(&entry.path(), &path, found);
            }
        } else if has_extension(&path, "rs") {
            found.push(Source { text: fs::read_to_string(entry.path()).unwrap(), path });
        }
    }
}
