//! `docs/stays.md` names the test that shows each demand: every one of them is there. And every kind of case has a place
//! in `docs/cases.md`, where people look for what to do.

use std::fs;
use std::path::{Path, PathBuf};

use crate::page_tables::{check, crates};

const PAGE: &str = include_str!("../../../../../docs/stays.md");
const CASES: &str = include_str!("../../../../../docs/cases.md");

/// In the table of demands and in that of flaws.
const ROWS: [(&str, usize); 2] = [("## The seed's demands", 35), ("## The seed's flaws", 18)];

#[test]
fn every_named_test_exists() {
    check(PAGE, &ROWS);
}

fn rust_files(folder: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    let below = |path: PathBuf| if path.is_dir() { rust_files(&path) } else { vec![path] };
    entries.flat_map(below).collect()
}

#[test]
fn every_kind_of_case_is_explained() {
    let mut kinds = 0;
    for file in rust_files(&crates().join("core/src/stays")) {
        let source = fs::read_to_string(&file).unwrap();
        for line in source.lines().filter(|line| line.contains("const CASE_") && line.contains("&str = \"")) {
            let kind = line.split('"').nth(1).expect("a text");
            assert!(CASES.contains(&format!("| `{kind}`")), "docs/cases.md says nothing of {kind}");
            kinds += 1;
        }
    }
    assert!(kinds >= 9, "{kinds}");
}
