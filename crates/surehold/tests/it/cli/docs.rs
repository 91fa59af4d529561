//! `docs/cli.md` and `docs/stays.md` show what really happens: their passages are run, in order, in an empty folder.

use std::process::Command;

use tempfile::TempDir;

use crate::text;

const CLI: &str = include_str!("../../../../../docs/cli.md");
const STAYS: &str = include_str!("../../../../../docs/stays.md");

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

fn blocks<'p>(page: &'p str, kind: &str) -> impl Iterator<Item = &'p str> + use<'p> {
    let begin = format!("```{kind}\n");
    let rests: Vec<&str> = page.split(begin.as_str()).skip(1).collect();
    rests.into_iter().map(|rest| rest.split("```").next().unwrap())
}

/// How many commands were run.
fn check(page: &str, folder: &TempDir) -> usize {
    let mut commands = 0;
    for shown in blocks(page, "console").flat_map(|block| block.split("$ surehold ").skip(1)) {
        let (args, expected) = shown.split_once('\n').unwrap();
        let script = format!("\"$0\" {args} 2>&1");
        let mut shell = Command::new("sh");
        shell.args(["-c", &script, env!("CARGO_BIN_EXE_surehold")]).current_dir(folder.path());
        let output = shell.env_remove("SUREHOLD_SERVER").env_remove("SUREHOLD_KEY").output().unwrap();
        assert_eq!(masked(&text(&output.stdout)), masked(expected), "surehold {args}");
        commands += 1;
    }
    commands
}

#[test]
fn the_page_shows_what_happens() {
    assert!(check(CLI, &TempDir::new().unwrap()) > 10);
}

#[test]
fn the_page_about_stays_shows_what_happens() {
    let folder = TempDir::new().unwrap();
    let file = blocks(STAYS, "csv").next().unwrap();
    std::fs::write(folder.path().join("rates.csv"), file).unwrap();
    assert!(check(STAYS, &folder) > 8);
}
