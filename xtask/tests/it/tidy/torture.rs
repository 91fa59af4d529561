//! Torture: a module's crowd is a folder and a line of the list, and nothing else names it.

use super::sources::{below, words};

const TORTURE: &str = "crates/lab/src/torture";
/// The command that runs it.
const COMMAND: &str = "crates/lab/src/bin/surehold-lab/torture";

/// Name all crowds because they are the lists of them.
const LISTS: [&str; 2] = ["crates/lab/src/torture/mod.rs", "crates/lab/src/torture/crowds.rs"];

/// Those that declare a crowd.
fn folders() -> Vec<String> {
    let sources = below(TORTURE);
    let declares = sources.iter().filter(|source| source.text.contains("const CROWD: Crowd ="));
    declares.map(|source| folder(&source.path).to_owned()).collect()
}

/// The first one on the way from torture to the file; empty if it is nobody's.
fn folder(path: &str) -> &str {
    let below = path.strip_prefix(TORTURE).and_then(|path| path.strip_prefix('/'));
    below.and_then(|path| path.split_once('/')).map_or("", |(folder, _)| folder)
}

#[test]
fn every_crowd_is_in_the_list() {
    let list = below(TORTURE).into_iter().find(|source| source.path == LISTS[1]).unwrap().text;
    let mut listed: Vec<&str> = list.split("::CROWD").filter_map(|text| text.rsplit('&').next()).collect();
    // What follows the last of them.
    listed.pop();
    listed.sort_unstable();
    assert!(!listed.is_empty());
    assert_eq!(listed, folders(), "{} lists them", LISTS[1]);
}

#[test]
fn nothing_outside_its_folder_names_a_crowd() {
    let folders = folders();
    let mut wrong = Vec::new();
    for source in below(TORTURE).iter().chain(&below(COMMAND)) {
        if LISTS.contains(&source.path.as_str()) {
            continue;
        }
        for (number, line) in source.code() {
            let others = folders.iter().filter(|name| *name != folder(&source.path));
            let named = others.filter(|name| words(line).any(|word| word == name.as_str()));
            wrong.extend(named.map(|name| format!("{}:{number} names {name}", source.path)));
        }
    }
    assert!(wrong.is_empty(), "what the command and the crowds share is in crowd.rs:\n{}", wrong.join("\n"));
}

#[test]
fn folders_are_found() {
    assert_eq!(folder("crates/lab/src/torture/stays/book.rs"), "stays");
    assert_eq!(folder("crates/lab/src/torture/stays/auditor/told.rs"), "stays");
    assert_eq!(folder("crates/lab/src/torture/book.rs"), "");
    assert_eq!(folder("crates/lab/src/bin/surehold-lab/torture/run.rs"), "");
}
