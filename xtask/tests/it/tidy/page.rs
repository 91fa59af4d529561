//! docs/architecture.md names files and crates that exist.

use super::crates::folders;
use super::sources::{has_extension, read, root};

const PAGE: &str = "docs/architecture.md";

#[test]
fn the_page_names_no_file_that_is_gone() {
    let gone: Vec<String> = paths(&read(PAGE)).into_iter().filter(|path| !exists(path)).collect();
    assert!(gone.is_empty(), "{PAGE} names what is not there: {gone:?}");
}

#[test]
fn every_crate_has_its_row() {
    let page = read(PAGE);
    let rows: Vec<&str> = page.lines().filter(|line| line.starts_with("| `")).collect();
    let has_row =
        |name: &String| rows.iter().any(|row| row.split(" | ").next().unwrap().contains(&format!("`{name}`")));
    let missing: Vec<String> = folders().into_iter().filter(|name| !has_row(name)).collect();
    assert!(missing.is_empty(), "{PAGE}, \"Crates and their invariants\", has no row for {missing:?}");
}

/// What stands in backticks and has a slash and a suffix of a source, or ends in a slash. `{a,b}` stands for both. A bare
/// name that follows on the same line is in the folder of the path before it.
fn paths(page: &str) -> Vec<String> {
    let mut found = Vec::new();
    for line in page.lines() {
        let mut folder = "";
        for text in line.split('`').skip(1).step_by(2) {
            let is_file = has_extension(text, "rs") || has_extension(text, "md");
            if text.contains(' ') || text.contains("::") || !(is_file || text.ends_with('/')) {
                continue;
            }
            if text.contains('/') {
                folder = text.rsplit_once('/').unwrap().0;
                found.extend(expanded(text));
            } else if is_file && !folder.is_empty() {
                found.extend(expanded(&format!("{folder}/{text}")));
            }
        }
    }
    found
}

fn expanded(path: &str) -> Vec<String> {
    let Some((before, rest)) = path.split_once('{') else { return vec![path.to_owned()] };
    let (choices, after) = rest.split_once('}').unwrap();
    choices.split(',').flat_map(|choice| expanded(&format!("{before}{choice}{after}"))).collect()
}

/// Below a crate, as the page writes them, or below the root.
fn exists(path: &str) -> bool {
    root().join(path).exists() || root().join("crates").join(path).exists()
}

#[test]
fn paths_are_found_in_prose() {
    let check = |line: &str, expected: &[&str]| assert_eq!(paths(line), expected, "{line}");
    check("| `core/src/kernel/facts.rs`, `cells.rs` | x |", &["core/src/kernel/facts.rs", "core/src/kernel/cells.rs"]);
    check("| `engine/src/{outbox,scheduler}.rs` |", &["engine/src/outbox.rs", "engine/src/scheduler.rs"]);
    check("| `a/{b,c}/d.rs` and `stays::Title` |", &["a/b/d.rs", "a/c/d.rs"]);
    check(
        "| `core/src/stays/records/` | `POST /v1/{tenant}/holds` | `lane.rs` alone |",
        &["core/src/stays/records/", "core/src/stays/records/lane.rs"],
    );
    check("`lane.rs` alone, `GET /x`", &[]);
}
