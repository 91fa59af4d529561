//! The index of the pages, in the repository: its tables are those of the declarations.

use std::fmt::Write;

use super::{Code, ProblemType, all_refusals};

const FILE: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/problems/README.md");
const RENEW: &str = "SUREHOLD_RENEW";

fn tables() -> String {
    let mut text = String::new();
    let mut listed: Vec<&str> = Vec::new();
    let modules =
        all_refusals().map(|refusals| (refusals.title, refusals.specs.iter().map(ProblemType::from).collect()));
    let own: Vec<_> = Code::ALL.iter().map(|code| code.problem_type()).collect();
    for (title, types) in [("The request itself, and the server", own)].into_iter().chain(modules) {
        let mut new = Vec::new();
        for known in types {
            if !listed.contains(&known.code) {
                listed.push(known.code);
                new.push(known);
            }
        }
        if new.is_empty() {
            continue;
        }
        let _ = write!(text, "\n## {title}\n\n| code | HTTP | title |\n|---|---|---|\n");
        for ProblemType { code, status, title, .. } in new {
            let _ = writeln!(text, "| `{code}` | {} | [{title}]({code}.md) |", status.as_u16());
        }
    }
    text
}

#[test]
fn the_index_lists_every_code() {
    let committed = std::fs::read_to_string(FILE).unwrap();
    let (head, _) = committed.split_once("\n## ").unwrap();
    let present = format!("{head}{}", tables());
    if std::env::var_os(RENEW).is_some() {
        return std::fs::write(FILE, &present).unwrap();
    }
    assert!(committed == present, "renew it: {RENEW}=1 cargo test -p surehold-http --lib the_index");
}

#[test]
fn modules_that_share_a_code_say_the_same_of_it() {
    let own = Code::ALL.iter().map(|code| code.problem_type());
    for declared in own.chain(all_refusals().flat_map(|refusals| refusals.specs).map(ProblemType::from)) {
        let ProblemType { code, status, title, .. } = declared;
        let known = ProblemType::find(code).unwrap();
        assert_eq!((known.status, known.title), (status, title), "{code}");
    }
}
