//! The API: its modules know each other only as far as they must, and nothing else knows them.

use super::modules::names;
use super::sources::{Source, below, modules, read};

const HTTP: &str = "crates/http/src";

/// A module says what the API does with it.
const DECLARATION: &str = "\npub(crate) const MODULE: Module = ";

/// The list of modules, and what the crate shows of them.
const LISTS: [&str; 2] = ["crates/http/src/modules.rs", "crates/http/src/lib.rs"];

/// The folder below the root of the crate.
fn folder(source: &Source) -> Option<&str> {
    let path = source.path.strip_prefix(HTTP)?.strip_prefix('/')?;
    path.split_once('/').map(|(folder, _)| folder)
}

#[test]
fn only_the_list_names_modules() {
    let modules = modules(HTTP, DECLARATION);
    let mut wrong = Vec::new();
    for source in below(HTTP).iter().filter(|source| !LISTS.contains(&source.path.as_str())) {
        let own = folder(source).unwrap_or_default();
        let may_import = modules.iter().find(|(name, _)| *name == own).map_or(&[][..], |(_, imports)| imports);
        for (number, line) in source.product_code() {
            let known = modules.iter().map(|(name, _)| name).filter(|name| names(line, name));
            let forbidden = known.filter(|name| *name != own && !may_import.contains(name));
            wrong.extend(forbidden.map(|name| format!("{}:{number} imports {name}", source.path)));
            if line.contains("use crate::{") {
                wrong.push(format!("{}:{number} hides which module it imports", source.path));
            }
        }
    }
    assert!(wrong.is_empty(), "what all modules share is in `api`, and names none of them:\n{}", wrong.join("\n"));
}

#[test]
fn every_module_is_listed() {
    let list = read(LISTS[0]);
    for (name, _) in modules(HTTP, DECLARATION) {
        assert!(list.contains(&format!("&{name}::MODULE")), "{} does not list {name}", LISTS[0]);
    }
}
