//! `docs/cli.md`, `docs/stays.md` and `docs/stock.md` show what really happens: their passages are run, in order, in an
//! empty folder.

use std::process::Command;

use tempfile::TempDir;

use super::{Server, bare};
use crate::text;

const CLI: &str = include_str!("../../../../../docs/cli.md");
const STAYS: &str = include_str!("../../../../../docs/stays.md");
const STOCK: &str = include_str!("../../../../../docs/stock.md");

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

/// The calls of the API that a page shows, to a server on the data of its commands.
fn check_calls(page: &str, folder: &TempDir, tenant: &str) -> usize {
    let server = Server::start(folder.path().join("surehold-data").to_str().unwrap());
    let mut key = bare(&["key", "create", tenant, "--scope", "read", "--scope", "sell", "--scope", "manage"]);
    let key = text(&key.current_dir(folder.path()).output().unwrap().stdout);
    let shown: String = blocks(page, "console").filter(|block| !block.contains("$ surehold ")).collect();
    let shown = shown.replace("http://127.0.0.1:8000", &server.address).replace("sh_live_…", key.trim());
    let (calls, expected): (Vec<&str>, Vec<&str>) = shown.lines().partition(|line| line.starts_with("$ "));
    let script: String = calls.iter().map(|line| format!("{}\n", line.trim_start_matches("$ "))).collect();
    let output = Command::new("bash").args(["-c", &script]).current_dir(folder.path()).output().unwrap();
    let (happened, expected) = (masked_json(&text(&output.stdout)), masked_json(&expected.join("\n")));
    assert_eq!(happened, expected, "{}", text(&output.stderr));
    calls.len()
}

/// Ids and instants stand between quotes.
fn masked_json(text: &str) -> Vec<String> {
    let is_new = |word: &str| word.len() >= 20 && word.bytes().filter(u8::is_ascii_digit).count() >= 8;
    let mask = |word: &str| if is_new(word) { "#".to_owned() } else { word.to_owned() };
    let lines = text.lines().filter(|line| !line.is_empty());
    lines.map(|line| line.split('"').map(mask).collect::<Vec<_>>().join("\"")).collect()
}

#[test]
fn the_page_about_stock_shows_what_happens() {
    let folder = TempDir::new().unwrap();
    for (name, file) in ["delivery.csv", "mended.csv"].into_iter().zip(blocks(STOCK, "csv")) {
        std::fs::write(folder.path().join(name), file).unwrap();
    }
    assert!(check(STOCK, &folder) > 10);
    assert!(check_calls(STOCK, &folder, "shop") > 6);
}
