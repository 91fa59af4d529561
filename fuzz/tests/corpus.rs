//! Every input that is kept, through its target. Needs no engine, so it runs with all other tests.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use surehold_fuzz::TARGETS;

fn folder(target: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("corpus").join(target)
}

#[test]
fn every_kept_input_still_passes() {
    for target in TARGETS {
        let mut inputs: Vec<PathBuf> = fs::read_dir(folder(target.name))
            .unwrap_or_else(|error| panic!("{} has no corpus: {error}", target.name))
            .map(|entry| entry.unwrap().path())
            .collect();
        inputs.sort();
        assert!(inputs.len() >= 5, "{} has only {} inputs", target.name, inputs.len());
        for input in inputs {
            eprintln!("{}", input.display());
            (target.run)(&fs::read(&input).unwrap());
        }
    }
}

#[test]
fn every_seed_passes() {
    for target in TARGETS {
        for seed in (target.seeds)() {
            eprintln!("{}: {}", target.name, String::from_utf8_lossy(&seed));
            (target.run)(&seed);
        }
    }
}

#[test]
fn every_corpus_has_its_target() {
    let names: BTreeSet<String> = TARGETS.iter().map(|target| target.name.to_owned()).collect();
    let entries = fs::read_dir(folder("")).unwrap();
    let folders: BTreeSet<String> = entries.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
    assert_eq!(folders, names);
    assert_eq!(names.len(), TARGETS.len(), "two targets have one name");
}
