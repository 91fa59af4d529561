//! What a person can hold in the head: files of about 400 lines, lines that fit a screen, and a first sentence about each
//! file.

use super::sources::{everything, is_comment};

const FILE_LINES_MAX: usize = 600;
/// Of comments: rustfmt keeps code at 120.
const LINE_CHARACTERS_MAX: usize = 128;

/// None today. A file that is named here says why it cannot be shorter.
const LONGER_FILES: &[&str] = &[];

#[test]
fn files_are_short() {
    let long: Vec<String> = everything()
        .iter()
        .filter(|source| source.text.lines().count() > FILE_LINES_MAX && !LONGER_FILES.contains(&source.path.as_str()))
        .map(|source| format!("{}: {} lines", source.path, source.text.lines().count()))
        .collect();
    assert!(
        long.is_empty(),
        "longer than {FILE_LINES_MAX} lines, so they have more than one subject:\n{}",
        long.join("\n")
    );
}

#[test]
fn comments_fit_the_screen() {
    let mut long = Vec::new();
    for source in everything() {
        for (line, number) in source.text.lines().zip(1..) {
            let is_row = ["//! |", "/// |"].iter().any(|row| line.trim_start().starts_with(row));
            if is_comment(line) && !is_row && line.chars().count() > LINE_CHARACTERS_MAX {
                long.push(format!("{}:{number}", source.path));
            }
        }
    }
    assert!(long.is_empty(), "longer than {LINE_CHARACTERS_MAX} characters:\n{}", long.join("\n"));
}

#[test]
fn every_file_says_what_it_is_about() {
    let silent: Vec<String> = everything()
        .into_iter()
        // Tests beside what they test are about that.
        .filter(|source| !source.path.ends_with("/tests.rs") && !source.text.starts_with("//!"))
        .map(|source| source.path)
        .collect();
    assert!(silent.is_empty(), "begin with `//!`, which says what the file owns:\n{}", silent.join("\n"));
}
