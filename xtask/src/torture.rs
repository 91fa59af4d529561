//! Real servers under load and faults, as users would run them. The runs of every `cargo xtask test` are bounded, and
//! require counts of faults.

use std::process::Command;
use std::{env, fs, process};

use anyhow::{Context, Result, bail};

use crate::cargo::executable;
use crate::names;
use crate::output::Output;
use crate::selection::Store;

/// Together at least 50 kills, 20 cuts around COMMIT (half on each side), 10 crashes of Postgres, 5 frozen servers, 6
/// frozen workers and 50,000 requests. The seeds are fixed, though no two runs are the same: processes die where they happen
/// to be.
const BOUNDED_SQLITE: &str = "--minutes 1.5 --operations 30000 --seed 5 --clients 24 \
    --faults kill=30,freeze=3,stop=2,restart-storm=2,disk-full=2,clock-jump=3";
const BOUNDED_POSTGRES: &str = "--minutes 2.5 --operations 20000 --seed 6 --clients 24 \
    --faults kill=20,kill-worker=5,freeze=5,freeze-worker=6,restart-postgres=10,terminate-backend=5,\
    cut-before-commit=10,cut-after-commit=10,cut-late-commit=3,latency=3,restart-storm=1,stop=2,clock-jump=2";

/// As the help of `torture` says.
const FOUND: i32 = 1;

pub(crate) fn bounded(store: Store) -> Vec<String> {
    let line = match store {
        Store::Sqlite => BOUNDED_SQLITE,
        Store::Postgres => BOUNDED_POSTGRES,
    };
    line.split_whitespace().map(str::to_owned).collect()
}

/// Runs on one store. The folder of a run that found nothing is removed, unless the caller chose it.
pub(crate) fn run(
    store: Store,
    arguments: &[String],
    variables: &[(&'static str, String)],
    output: Output,
) -> Result<()> {
    let own_folder = env::temp_dir().join(format!("surehold-torture-{}-{}", process::id(), store.name()));
    let is_ours = !arguments.iter().any(|argument| argument.starts_with("--folder"));
    let mut torture = Command::new(executable(names::LAB)?);
    torture.args(["torture", "--store", store.name()]).args(arguments);
    torture.envs(variables.iter().map(|(name, value)| (name, value)));
    if is_ours {
        torture.arg("--folder").arg(&own_folder);
    }
    let status = output.run(&mut torture)?;
    let kept = if is_ours { own_folder.display().to_string() } else { "the folder that --folder names".to_owned() };
    match status.code() {
        Some(0) if is_ours => fs::remove_dir_all(&own_folder).with_context(|| format!("cannot remove {kept}")),
        Some(0) => Ok(()),
        Some(FOUND) => bail!("torture found something: the report is above, history and logs are in {kept}"),
        Some(_) | None => bail!("torture could not run ({status}), see above; what it wrote is in {kept}"),
    }
}
