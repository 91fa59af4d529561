//! `docs/cli.md` shows what really happens: its passages are run, in order, in an empty folder.

use std::process::Command;

use tempfile::TempDir;

use crate::text;

const PAGE: &str = include_str!("../../../../../docs/cli.md");

/// Blanks do not matter, nor do ids, keys and instants, which are new every time.
fn masked(text: &str) -> Vec<String> {
    let mask = |word: &str| {
        let word_core = word.trim_matches(|c: char| !c.is_ascii_alphanumeric());
        let digits = word.bytes().filter(u8::is_ascii_digit).count();
        let hexadecimal = word_core.len() >= 16 && word_core.bytes().all(|b| b.is_ascii_hexdigit());
        if digits >= 6 || hexadecimal { "#".to_owned() } else { word.to_owned() }
    };
    let line = |line: &str| line.split_whitespace().map(mask).collect::<Vec<_>>().join(" ");
    text.lines().map(line).collect()
}

#[test]
fn the_page_shows_what_happens() {
    let folder = TempDir::new().unwrap();
    let blocks = PAGE.split("```console\n").skip(1).map(|rest| rest.split("```").next().unwrap());
    let mut commands = 0;
    for shown in blocks.flat_map(|block| block.split("$ surehold ").skip(1)) {
        let (args, expected) = shown.split_once('\n').unwrap();
        let script = format!("\"$0\" {args} 2>&1");
        let mut shell = Command::new("sh");
        shell.args(["-c", &script, env!("CARGO_BIN_EXE_surehold")]).current_dir(folder.path());
        let output = shell.env_remove("SUREHOLD_SERVER").env_remove("SUREHOLD_KEY").output().unwrap();
        assert_eq!(masked(&text(&output.stdout)), masked(expected), "surehold {args}");
        commands += 1;
    }
    assert!(commands > 10, "{commands}");
}
