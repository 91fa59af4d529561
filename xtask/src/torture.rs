//! Real servers under load and faults, as users would run them: bounded runs whose counts are asked for.

use std::process::Command;
use std::{env, fs, process};

use anyhow::{Context, Result, bail};

use crate::schemathesis::program;

/// Together at least 50 kills, 20 cuts around COMMIT (half on each side), 10 crashes of Postgres, 5 frozen servers and
/// 50,000 requests. The seeds are fixed, though no two runs are the same: processes die where they happen to be.
pub(crate) const RUNS: [&str; 2] = [
    "--store sqlite --minutes 1.5 --operations 30000 --seed 5 --clients 24 \
     --faults kill=30,freeze=3,stop=2,restart-storm=2,disk-full=2,clock-jump=3",
    "--store postgres --minutes 2.5 --operations 20000 --seed 6 --clients 24 \
     --faults kill=20,kill-worker=5,freeze=5,freeze-worker=3,restart-postgres=10,terminate-backend=5,\
     cut-before-commit=10,cut-after-commit=10,cut-late-commit=3,latency=3,restart-storm=1,stop=2,clock-jump=2",
];

/// As `surehold torture --help` tells.
const FOUND: i32 = 1;

pub(crate) fn run(arguments: &str, variables: &[(&'static str, String)]) -> Result<()> {
    let store = arguments.split_whitespace().nth(1).context("the store comes first")?;
    let folder = env::temp_dir().join(format!("surehold-torture-{}-{store}", process::id()));
    let shown = folder.display();
    let status = Command::new(program()?)
        .arg("torture")
        .args(arguments.split_whitespace())
        .arg("--folder")
        .arg(&folder)
        .envs(variables.iter().map(|(name, value)| (name, value)))
        .status()
        .context("cannot run `surehold torture`")?;
    match status.code() {
        Some(0) => {}
        Some(FOUND) => bail!("torture found something: the report is above, history and logs are in {shown}"),
        Some(_) | None => bail!("torture could not run ({status}), see above; whatever it wrote is in {shown}"),
    }
    fs::remove_dir_all(&folder).with_context(|| format!("cannot remove {shown}"))
}
