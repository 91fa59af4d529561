//! The core: which of its modules may know which, and what none of them may do.

use super::sources::{Source, below};

const CORE: &str = "crates/core/src";

/// A module and those that it may import.
const MODULES: [(&str, &[&str]); 5] = [
    ("kernel", &[]),
    ("operations", &["kernel"]),
    ("repairs", &["kernel", "operations"]),
    ("stays", &["kernel", "operations"]),
    ("stock", &["kernel", "operations"]),
];

/// Files that name all modules because they are the list of them.
const LISTS: [&str; 2] = ["crates/core/src/lib.rs", "crates/core/src/kernel/event.rs"];

#[test]
fn modules_import_what_they_may() {
    let mut wrong = Vec::new();
    for (module, may_import) in MODULES {
        for source in below(&format!("{CORE}/{module}")) {
            if source.is_test() || LISTS.contains(&source.path.as_str()) {
                continue;
            }
            for (number, line) in source.product_code() {
                let known =
                    MODULES.iter().map(|(name, _)| *name).filter(|name| line.contains(&format!("crate::{name}")));
                let forbidden = known.filter(|name| *name != module && !may_import.contains(name));
                wrong.extend(forbidden.map(|name| format!("{}:{number} imports {name}", source.path)));
            }
        }
    }
    assert!(wrong.is_empty(), "what two modules need moves down to where both see it:\n{}", wrong.join("\n"));
}

#[test]
fn every_module_has_its_row() {
    let mut folders: Vec<String> = below(CORE).iter().filter_map(module_of).collect();
    folders.dedup();
    let mut rows: Vec<&str> = MODULES.iter().map(|(name, _)| *name).collect();
    rows.sort_unstable();
    assert_eq!(folders, rows);
}

fn module_of(source: &Source) -> Option<String> {
    let (module, _) = source.path.strip_prefix(CORE)?.strip_prefix('/')?.split_once('/')?;
    Some(module.to_owned())
}

/// Time, ids and randomness are arguments; whatever waits or reaches outside is elsewhere. Clippy knows the functions that
/// read a clock or the environment; these words are how the rest would come in.
const ABSENT: [&str; 10] = [
    "async ",
    ".await",
    "tokio::",
    "std::fs",
    "std::net",
    "std::thread",
    "std::process",
    "std::env",
    "getrandom",
    "Uuid::new_v4",
];

#[test]
fn the_core_is_pure() {
    let mut impure = Vec::new();
    for source in below(CORE).iter().filter(|source| !source.is_test()) {
        for (number, line) in source.product_code() {
            let met = ABSENT.iter().filter(|word| line.contains(**word) && !is_field(line, word));
            impure.extend(met.map(|word| format!("{}:{number} has {word}", source.path)));
        }
    }
    assert!(
        impure.is_empty(),
        "the core decides without I/O, clock, environment or randomness:\n{}",
        impure.join("\n")
    );
}

/// `stay.awaiting_payment` is no `.await`.
fn is_field(line: &str, word: &str) -> bool {
    line.split(word).skip(1).all(|rest| rest.starts_with(|next: char| next.is_alphanumeric() || next == '_'))
}
