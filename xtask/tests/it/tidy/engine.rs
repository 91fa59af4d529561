//! The engine: its modules are folders that know no other but those they may, and what is beside the folders knows none.

use std::collections::BTreeSet;

use super::modules::{CORE, MARKER};
use super::sources::{below, modules, words};

const ENGINE: &str = "crates/engine/src";
/// A module says what the engine does with it.
const DECLARATION: &str = "pub(crate) const MODULE: Module =";

/// What all modules of the engine are built on may import of the core.
const MACHINERY: [&str; 3] = ["kernel", "operations", "repairs"];

/// Name all modules because they are the lists of them.
const LISTS: [&str; 2] = ["crates/engine/src/lib.rs", "crates/engine/src/modules.rs"];

#[test]
fn modules_import_what_they_may() {
    let ours = modules(ENGINE, DECLARATION);
    let core: Vec<String> = modules(CORE, MARKER).into_iter().map(|(name, _)| name).collect();
    let shown: Vec<(&String, BTreeSet<String>)> = ours.iter().map(|(name, _)| (name, shown(name))).collect();
    let mut wrong = Vec::new();
    for source in below(ENGINE).iter().filter(|source| !source.is_test() && !LISTS.contains(&source.path.as_str())) {
        let own = ours.iter().find(|(name, _)| source.path.starts_with(&format!("{ENGINE}/{name}/")));
        // Of the core a module sees the module of its own name, the kernel, and what it imports.
        let may_import = |module: &str, of_core: bool| match own {
            Some((name, imports)) => {
                name == module || (of_core && module == "kernel") || imports.iter().any(|import| import == module)
            }
            None => of_core && MACHINERY.contains(&module),
        };
        let code: String = source.product_code().flat_map(|(_, line)| [line, "\n"]).collect();
        for (module, names) in &shown {
            let uses = imports(&code, "crate").any(|import| import == *module || names.contains(import));
            if uses && !may_import(module, false) {
                wrong.push(format!("{} imports {module}", source.path));
            }
        }
        for module in core.iter().filter(|module| !may_import(module, true)) {
            if imports(&code, "surehold_core").any(|import| import == module) {
                wrong.push(format!("{} imports {module} of the core", source.path));
            }
        }
    }
    assert!(wrong.is_empty(), "what two modules need stands beside their folders:\n{}", wrong.join("\n"));
}

#[test]
fn every_module_is_a_folder_and_a_line_of_the_list() {
    let list = below(ENGINE).into_iter().find(|source| source.path == LISTS[1]).unwrap().text;
    let (_, list) = list.split_once("const MODULES: &[Module] = &[").unwrap();
    let (list, _) = list.split_once("];").unwrap();
    let mut listed: Vec<&str> = list.split(',').filter_map(|module| module.trim().strip_suffix("::MODULE")).collect();
    listed.sort_unstable();
    let folders: Vec<String> = modules(ENGINE, DECLARATION).into_iter().map(|(name, _)| name).collect();
    assert_eq!(listed, folders, "{} lists them", LISTS[1]);
}

/// What a module shows to the others, by the names under which `lib.rs` passes it on.
fn shown(module: &str) -> BTreeSet<String> {
    let path = format!("{ENGINE}/{module}/mod.rs");
    let source = below(&format!("{ENGINE}/{module}")).into_iter().find(|source| source.path == path).unwrap();
    let statements = source.text.split(';').filter_map(|text| text.split_once("pub use ")?.1.rsplit_once("::"));
    statements.flat_map(|(_, names)| words(names)).map(str::to_owned).collect()
}

/// What is imported of a crate, or named by its path: every word that follows the crate's name up to the end of the path
/// or of the braces.
fn imports<'a>(code: &'a str, of: &'a str) -> impl Iterator<Item = &'a str> {
    let starts = code.match_indices(of).filter(move |(at, _)| {
        let is_whole = !code[..*at].ends_with(|before: char| before.is_alphanumeric() || before == '_');
        is_whole && code[at + of.len()..].starts_with("::")
    });
    starts.flat_map(move |(at, _)| words(path_of(&code[at + of.len()..])))
}

/// The path at the beginning of a text, with all that its braces have.
fn path_of(text: &str) -> &str {
    let mut depth = 0_usize;
    for (at, character) in text.char_indices() {
        match character {
            '{' => depth += 1,
            '}' if depth > 1 => depth -= 1,
            ':' | '_' => {}
            _ if character.is_alphanumeric() => {}
            _ if depth > 0 && character != '}' => {}
            _ => return &text[..at],
        }
    }
    text
}

#[test]
fn imports_are_found() {
    let check = |code: &str, expected: &[&str]| {
        assert_eq!(imports(code, "crate").collect::<Vec<_>>(), expected, "{code}");
    };
    check("use crate::stock::Step;", &["stock", "Step"]);
    check(
        "use crate::{Engine, JournalRow,\n    views::{Views, text}};",
        &["Engine", "JournalRow", "views", "Views", "text"],
    );
    check("let row: &crate::ReadRow = crate::stays::row(a, b);", &["ReadRow", "stays", "row"]);
    check("pub(crate) use other_crate::Thing;", &[]);
    assert!(shown("kernel").contains("JournalRow") && !shown("kernel").contains("views"));
}
