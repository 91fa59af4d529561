//! Passes the name of the profile and its opt-level to `surehold-lab bench`, which reports them.

use std::env;
use std::path::Path;

fn main() {
    let variable = |name: &str| env::var(name).unwrap_or_default();
    let out_dir = variable("OUT_DIR");
    let profile = profile_of(Path::new(&out_dir)).unwrap_or_else(|| variable("PROFILE"));
    println!("cargo::rerun-if-changed=build.rs");
    println!("cargo::rustc-env=SUREHOLD_LAB_PROFILE={profile}");
    println!("cargo::rustc-env=SUREHOLD_LAB_OPT_LEVEL={}", variable("OPT_LEVEL"));
}

/// The name of the folder that contains `build`: cargo's variable `PROFILE` knows only `debug` and `release`.
fn profile_of(out_dir: &Path) -> Option<String> {
    let build = out_dir.ancestors().find(|folder| folder.ends_with("build"))?;
    let folder = build.parent()?.file_name()?.to_str()?;
    Some(if folder == "debug" { "dev".to_owned() } else { folder.to_owned() })
}
