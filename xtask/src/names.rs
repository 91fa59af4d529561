//! Names of packages, executables and tests of the workspace that the tasks need. All other names come from cargo.

/// The executable that serves.
pub(crate) const SERVER: &str = "surehold";

/// The executable that has the commands `torture` and `bench`.
pub(crate) const LAB: &str = "surehold-lab";

/// The executable of the fuzzer, and its package.
pub(crate) const FUZZ: &str = "surehold-fuzz";

/// What a package is called is this and its short name: `http` is `surehold-http`.
pub(crate) const PACKAGE_PREFIX: &str = "surehold-";

/// This package.
pub(crate) const XTASK: &str = "xtask";

/// The integration test that runs the simulation, which takes all processors.
pub(crate) const SIMULATION: &str = "simulation";

/// Tests that start `torture` or measure: proofs, though they have the form of tests.
pub(crate) const TORTURE_TESTS: &str =
    "kind(test) & (test(/^torture::/) | (package(=surehold-lab) & test(/^readme::/)))";
pub(crate) const BENCH_TESTS: &str = "kind(test) & test(/^bench(_[a-z]+)*::/) & not test(~wrong_input)";
