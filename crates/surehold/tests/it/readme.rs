//! The README is true: its commands run, its program compiles and does what it says.

use std::sync::Arc;

use surehold_core::kernel::commands::{ConvertHold, PlaceHold, PutPool};
use surehold_core::kernel::{
    ConvertMode, HoldId, HoldPolicy, HoldState, Line, Lines, PoolKey, ResourceName, Slot, Slug, TenantId,
};
use surehold_engine::{Engine, EngineConfig};
use surehold_sqlite::SqliteStore;
use uuid::Uuid;

use crate::{surehold, text};

const README: &str = include_str!("../../../../README.md");
const THIS_FILE: &str = include_str!("readme.rs");

#[test]
fn every_bench_command_runs() {
    let commands: Vec<&str> = README.lines().filter_map(|line| line.strip_prefix("cargo run --release -- ")).collect();
    assert!(commands.len() >= 3, "the README shows commands");
    for command in commands {
        let command = command.split('#').next().unwrap();
        let mut args: Vec<&str> = command.split_whitespace().collect();
        if !args.contains(&"--seconds") {
            args.extend(["--seconds", "1"]);
        }
        let output = surehold(&args);
        assert!(output.status.success(), "{command}: {}", text(&output.stderr));
    }
}

#[test]
fn the_program_in_the_readme_is_the_one_tested_here() {
    let shown = README.split("```rust\n").nth(1).and_then(|rest| rest.split("```").next()).unwrap();
    let tested =
        THIS_FILE.split("// README begins\n").nth(1).and_then(|rest| rest.split("// README ends").next()).unwrap();
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
    // README begins
    let store = SqliteStore::open("surehold.db".as_ref())?;
    let engine = Engine::start(Arc::new(store), EngineConfig::default())?;
    let hotel = engine.create_tenant(Slug::new("casa-azul")?, HoldPolicy::default(), TenantId(1)).await?;

    let night = PoolKey { resource: ResourceName::new("double")?, slot: Slot::parse("2026-12-24")? };
    engine.run(hotel, PutPool::new(night.clone(), 5)?).await?;

    let id = HoldId::new(Uuid::now_v7())?;
    let lines = Lines::new(vec![Line { pool: night, quantity: 1 }])?;
    let placed = engine.run(hotel, PlaceHold::new(id, lines)).await?; // or Failure::Refused(Refusal::SoldOut { … })
    engine.run(hotel, ConvertHold { id, mode: ConvertMode::Book, part: None }).await?;
    // README ends
    engine.stop().await;
    placed
    };
    assert_eq!(placed.reply.hold.state, HoldState::Active);
    assert_eq!(placed.reply.pool_versions, [2]);
    Ok(())
}
