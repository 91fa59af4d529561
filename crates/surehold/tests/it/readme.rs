//! The README is true: its tour and its commands run, the tour goes on in the pages of the modules, and the program in
//! `docs/library.md` compiles and does what it says. Commands of `surehold-lab` are run by the tests of that crate.

use std::io::{BufRead, BufReader};
use std::process::{Child, Command, Stdio};
use std::sync::Arc;

use surehold_core::kernel::commands::{ConvertHold, PlaceHold, PutPool};
use surehold_core::kernel::{
    ConvertMode, HoldId, HoldPolicy, HoldState, Line, Lines, PoolKey, ResourceName, Slot, Slug, TenantId,
};
use surehold_engine::{Engine, EngineConfig};
use surehold_sqlite::SqliteStore;
use uuid::Uuid;

use crate::{PROGRAM, text};

const README: &str = include_str!("../../../../README.md");
const STAYS: &str = include_str!("../../../../docs/stays.md");
const STOCK: &str = include_str!("../../../../docs/stock.md");
const OPERATIONS: &str = include_str!("../../../../docs/operations.md");
const LIBRARY: &str = include_str!("../../../../docs/library.md");
const THIS_FILE: &str = include_str!("readme.rs");

/// What follows `cargo run --release -- ` in the README and then in the page of operations, without comments.
fn shown_commands() -> Vec<&'static str> {
    let lines = README.lines().chain(OPERATIONS.lines());
    let commands = lines.filter_map(|line| line.strip_prefix("cargo run --release -- "));
    commands.map(|command| command.split('#').next().unwrap().trim()).collect()
}

/// The passages of a page that begin with this line.
fn blocks(page: &'static str, fence: &str) -> Vec<&'static str> {
    page.split(fence).skip(1).map(|rest| rest.split("```").next().unwrap()).collect()
}

#[test]
fn every_command_runs() {
    let folder = tempfile::tempdir().unwrap();
    let quick = |command: &&str| !command.starts_with("serve ");
    let commands: Vec<&str> = shown_commands().into_iter().filter(quick).collect();
    assert!(commands.len() >= 4, "the README shows commands");
    for command in commands {
        let mut surehold = Command::new(PROGRAM);
        surehold.args(command.split_whitespace()).current_dir(folder.path());
        let output = surehold.env_remove("SUREHOLD_SERVER").env_remove("SUREHOLD_KEY").output().unwrap();
        assert!(output.status.success(), "{command}: {}", text(&output.stderr));
    }
}

/// Ids and instants are new every time.
fn masked(text: &str) -> String {
    let is_new = |word: &str| {
        let digits = word.bytes().filter(u8::is_ascii_digit).count();
        digits >= 8 && (word.len() == 36 || word.contains(':'))
    };
    let words = text.split_inclusive(['"', ' ', '\n']).map(|word| {
        let core = word.trim_end_matches(['"', ' ', '\n']);
        if is_new(core) { word.replace(core, "#") } else { word.to_owned() }
    });
    words.collect()
}

#[test]
fn the_tour_happens_as_shown() {
    let folder = tempfile::tempdir().unwrap();
    let mut serve = Command::new(PROGRAM);
    serve.args(["serve", "--demo", "--listen", "127.0.0.1:0"]).current_dir(folder.path());
    let mut server = Ended(serve.stdout(Stdio::piped()).stderr(Stdio::null()).spawn().unwrap());
    let said = BufReader::new(server.0.stdout.take().unwrap());
    let (mut address, mut key) = (None, None);
    for line in said.lines().map(Result::unwrap) {
        address = address.or(line.strip_prefix("listening on ").map(str::to_owned));
        key = key.or(line.trim().strip_prefix("export SUREHOLD_KEY=").map(str::to_owned));
        if key.is_some() {
            break;
        }
    }
    let (address, key) = (address.unwrap(), key.unwrap());
    let demo = "```console demo\n";
    let passages = [blocks(README, "```console\n"), blocks(STAYS, demo), blocks(STOCK, demo)];
    assert!(passages.iter().all(|passages| !passages.is_empty()), "the tour goes on in these pages");
    let tour: String = passages.concat().concat();
    let tour = tour.replace("http://127.0.0.1:8000", &address).replace("sh_live_…", &key);
    let (commands, shown): (Vec<&str>, Vec<&str>) = tour.lines().partition(|line| line.starts_with("$ "));
    let script: String = commands.iter().map(|line| format!("{}\n", line.trim_start_matches("$ "))).collect();
    let expected: String = shown.iter().map(|line| format!("{line}\n")).collect();
    // The tour waits for a payment; a test does not wait for ever.
    let output =
        Command::new("timeout").args(["120", "bash", "-c", &script]).current_dir(folder.path()).output().unwrap();
    let happened: String = text(&output.stdout).lines().map(|line| format!("{}\n", line.trim_end())).collect();
    assert_eq!(masked(&happened), masked(&expected), "{}", text(&output.stderr));
    assert!(expected.lines().count() >= 8, "the tour shows something");
}

/// Ended with the test, however it ends.
struct Ended(Child);

impl Drop for Ended {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

#[test]
fn the_program_that_is_shown_is_the_one_tested_here() {
    let shown = blocks(LIBRARY, "```rust\n")[0];
    let tested =
        THIS_FILE.split("// Program begins\n").nth(1).and_then(|rest| rest.split("// Program ends").next()).unwrap();
    let normal =
        |text: &str| text.lines().map(str::trim).filter(|line| !line.is_empty()).collect::<Vec<_>>().join("\n");
    assert_eq!(normal(shown), normal(tested));
}

#[tokio::test]
async fn the_program_works() -> Result<(), Box<dyn std::error::Error>> {
    let folder = tempfile::tempdir()?;
    std::env::set_current_dir(folder.path())?;
    #[rustfmt::skip]
    let placed = {
    // Program begins
    let store = SqliteStore::open("surehold.db".as_ref())?;
    let engine = Engine::start(Arc::new(store), EngineConfig::default())?;
    let hotel = engine.create_tenant(Slug::new("casa-azul")?, HoldPolicy::default(), TenantId(1)).await?;

    let night = PoolKey { resource: ResourceName::new("double")?, slot: Slot::parse("2026-12-24")? };
    engine.run(hotel, PutPool::new(night.clone(), 5)?).await?;

    let id = HoldId::new(Uuid::now_v7())?;
    let lines = Lines::new(vec![Line { pool: night, quantity: 1 }])?;
    let placed = engine.run(hotel, PlaceHold::new(id, lines)).await?; // or Failure::Refused(Refusal::SoldOut { … })
    engine.run(hotel, ConvertHold { id, mode: ConvertMode::Book, part: None }).await?;
    // Program ends
    engine.stop().await;
    placed
    };
    assert_eq!(placed.reply.hold.state, HoldState::Active);
    assert_eq!(placed.reply.pool_versions, [2]);
    Ok(())
}
