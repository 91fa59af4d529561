//! What the README says of `surehold-lab` is true: every command that it shows runs.

use crate::bench::QUICK;
use crate::{surehold_lab, text};

const README: &str = include_str!("../../../../README.md");

#[test]
fn every_command_of_the_lab_runs() {
    let commands = README.lines().filter_map(|line| line.strip_prefix("cargo run --release --bin surehold-lab -- "));
    let commands: Vec<&str> = commands.map(|command| command.split('#').next().unwrap().trim()).collect();
    assert!(commands.len() >= 4, "the README shows commands");
    for command in commands {
        // As short as it gets; what torture finds is judged elsewhere.
        let command = command.replace("--minutes 1", "--minutes 0.1");
        let mut args: Vec<&str> = command.split_whitespace().collect();
        match args[..2] {
            ["bench", "operations"] => args.extend(["--operations", "1000"]),
            ["bench", _] => args.extend(QUICK),
            _ => {}
        }
        let output = surehold_lab(&args);
        assert!(output.status.success(), "{command}: {}", text(&output.stderr));
    }
}
