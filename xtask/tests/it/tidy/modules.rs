//! The core: which of its modules may know which, and what none of them may do.

use super::sources::{Source, below, modules};

pub(super) const CORE: &str = "crates/core/src";

/// A module brings its tables.
pub(super) const MARKER: &str = "pub const TABLES: &[&Table]";

/// Names all modules because it is the list of them.
const LIST: &str = "crates/core/src/kernel/event.rs";

#[test]
fn modules_import_what_they_may() {
    let mut wrong = Vec::new();
    let modules = modules(CORE, MARKER);
    for (module, may_import) in &modules {
        for source in below(&format!("{CORE}/{module}")) {
            if source.is_test() || source.path == LIST {
                continue;
            }
            for (number, line) in source.product_code() {
                let known = modules.iter().map(|(name, _)| name).filter(|name| names(line, name));
                let forbidden = known.filter(|name| *name != module && !may_import.contains(name));
                wrong.extend(forbidden.map(|name| format!("{}:{number} imports {name}", source.path)));
                if line.contains("use crate::{") || line.contains("super::super::super") {
                    wrong.push(format!("{}:{number} hides which module it imports", source.path));
                }
            }
        }
    }
    assert!(wrong.is_empty(), "what two modules need moves down to where both see it:\n{}", wrong.join("\n"));
}

pub(super) fn names(line: &str, module: &str) -> bool {
    let path = format!("crate::{module}");
    line.split(&path).skip(1).any(|rest| !rest.starts_with(|next: char| next.is_alphanumeric() || next == '_'))
}

#[test]
fn the_core_has_modules_and_nothing_beside_them() {
    let mut folders: Vec<String> = below(CORE).iter().filter_map(module_of).collect();
    folders.dedup();
    let named: Vec<String> = modules(CORE, MARKER).into_iter().map(|(name, _)| name).collect();
    assert_eq!(folders, named);
}

/// A folder, or a file beside `lib.rs`.
fn module_of(source: &Source) -> Option<String> {
    let path = source.path.strip_prefix(CORE)?.strip_prefix('/')?;
    let module = path.split('/').next()?.trim_end_matches(".rs");
    (module != "lib").then(|| module.to_owned())
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
            impure.extend(impurities(line).map(|word| format!("{}:{number} has {word}", source.path)));
        }
    }
    assert!(
        impure.is_empty(),
        "the core decides without I/O, clock, environment or randomness:\n{}",
        impure.join("\n")
    );
}

fn impurities(line: &str) -> impl Iterator<Item = &'static str> {
    // `stay.awaiting_payment` waits for nothing.
    let line = line.replace(".awaiting", "");
    ABSENT.into_iter().filter(move |word| line.contains(word))
}

#[test]
fn impurities_and_imports_are_found() {
    let check = |line: &str, expected: &[&str]| assert_eq!(impurities(line).collect::<Vec<_>>(), expected, "{line}");
    check("pub async fn load() {", &["async "]);
    check("    tokio::spawn(async move { wait().await });", &["async ", ".await", "tokio::"]);
    check("use std::fs::File;", &["std::fs"]);
    check("if stay.awaiting_payment {", &[]);
    assert!(names("use crate::stays::Title;", "stays") && names("crate::stays!()", "stays"));
    assert!(!names("use crate::stays_and_more::Title;", "stays"));
}
