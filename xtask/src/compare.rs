//! `cargo xtask compare`: how fast this tree is beside an earlier revision, in alternating runs of the same benches.
//!
//! Both sides are built with the profile `dist`, each into a folder of its own below the build folder. With `--everyday` both
//! are this tree: built with `dist`, and as `--release` builds it every day.

mod cases;
mod options;
mod ratios;

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result, ensure};
use surehold_private_servers::{PostgresSettings, PrivatePostgres};

use self::cases::{CASES, Case};
use self::options::{Against, Options};
use self::ratios::{Figures, Pairs, Sides};
use crate::cargo::{ROOT, build_folder, cargo};
use crate::{names, programs};

const CONNECTIONS_MAX: u16 = 300;
const DIST: &str = "dist";
/// Postgres' own default.
const SHARED_BUFFERS_MIB: u32 = 128;

pub(crate) fn run(arguments: &[String]) -> Result<()> {
    let options = Options::parse(arguments)?;
    let folder = build_folder()?.join("compare");
    let (this, after) = (Path::new(ROOT), folder.join("after"));
    let sides = match &options.against {
        Against::Revision(revision) => Sides {
            before: build(&earlier_tree(&folder, revision)?, &folder.join("before"), DIST)?,
            after: build(this, &after, DIST)?,
        },
        Against::Dist => Sides { before: build(this, &after, DIST)?, after: build(this, &after, "release")? },
    };
    let bench = Bench { server: start_postgres()?, folder: fresh(&folder.join("data"))?, seconds: options.seconds };
    let mut measured: Vec<(&Case, Pairs)> = options.cases().map(|case| (case, Pairs::default())).collect();
    for pair in 1..=options.pairs {
        for (case, pairs) in &mut measured {
            eprintln!("== pair {pair} of {}: {}", options.pairs, case.name);
            // What runs first finds another machine than what runs second.
            let both = if pair % 2 == 1 {
                let before = bench.measure(&sides.before, case)?;
                Sides { before, after: bench.measure(&sides.after, case)? }
            } else {
                let after = bench.measure(&sides.after, case)?;
                Sides { before: bench.measure(&sides.before, case)?, after }
            };
            pairs.add(both);
        }
    }
    print(&options, &measured);
    Ok(())
}

#[expect(clippy::print_stdout, reason = "the figures are this command's data")]
fn print(options: &Options, measured: &[(&Case, Pairs)]) {
    println!("{} alternating pairs, this tree against {}: medians (ranges)", options.pairs, options.against);
    println!("{:<16} {:>9} {:>22} {:>24}", "case", "rate/s", "rate, times before", "CPU each, times before");
    for (case, pairs) in measured {
        let (rate, cpu) = (pairs.rate_ratio().to_string(), pairs.cpu_ratio().to_string());
        println!("{:<16} {:>9.0} {rate:>22} {cpu:>24}", case.name, pairs.rate_per_s());
    }
}

struct Bench {
    server: PrivatePostgres,
    folder: PathBuf,
    seconds: u32,
}

impl Bench {
    fn measure(&self, lab: &Path, case: &Case) -> Result<Figures> {
        const DATABASE: &str = "compared";
        let mut bench = Command::new(lab);
        bench.arg("bench").args(case.arguments.split_whitespace()).arg("--json").current_dir(&self.folder);
        if case.lasts {
            bench.args(["--seconds", &self.seconds.to_string()]);
        }
        if case.on_postgres {
            bench.args(["--store", "postgres", "--url", &self.server.create_database(DATABASE)?]);
        }
        let output = bench.output().with_context(|| format!("cannot run {}", lab.display()))?;
        let errors = String::from_utf8_lossy(&output.stderr);
        ensure!(output.status.success(), "{bench:?} failed\n{errors}");
        if case.on_postgres {
            self.server.drop_database(DATABASE)?;
        }
        Figures::read(&output.stdout).with_context(|| format!("{bench:?} reports no figures"))
    }
}

fn start_postgres() -> Result<PrivatePostgres> {
    PrivatePostgres::start_with(PostgresSettings {
        connections_max: CONNECTIONS_MAX,
        shared_buffers_mib: SHARED_BUFFERS_MIB,
        ..PostgresSettings::small(programs::find_or_install()?)
    })
}

/// A clone beside the build, so that this tree is left as it is.
fn earlier_tree(folder: &Path, revision: &str) -> Result<PathBuf> {
    let tree = fresh(&folder.join("tree"))?;
    let mut clone = Command::new("git");
    clone.args(["clone", "--quiet", "--shared", "--no-checkout", ROOT]).arg(&tree);
    let mut checkout = Command::new("git");
    checkout.args(["checkout", "--quiet", "--detach", revision, "--"]).current_dir(&tree);
    for mut command in [clone, checkout] {
        let status = command.status().context("cannot run git")?;
        ensure!(status.success(), "there is no tree of `{revision}`, see above\nhint: name a commit that git knows");
    }
    Ok(tree)
}

fn build(tree: &Path, folder: &Path, profile: &str) -> Result<PathBuf> {
    let mut build = cargo();
    build.current_dir(tree).args(["build", "--locked", "--profile", profile, "--target-dir"]).arg(folder);
    // The benches over HTTP start the server beside them.
    let status = build.args(["--bin", names::SERVER, "--bin", names::LAB]).status().context("cannot run cargo")?;
    ensure!(status.success(), "{} does not build, see above", tree.display());
    Ok(folder.join(profile).join(names::LAB))
}

fn fresh(folder: &Path) -> Result<PathBuf> {
    if folder.exists() {
        fs::remove_dir_all(folder).with_context(|| format!("cannot remove {}", folder.display()))?;
    }
    fs::create_dir_all(folder).with_context(|| format!("cannot make {}", folder.display()))?;
    Ok(folder.to_owned())
}
