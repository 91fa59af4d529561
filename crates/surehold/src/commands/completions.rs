//! `surehold completions`

use std::process::ExitCode;

use clap::{Args, CommandFactory};
use clap_complete::Shell;

use super::screen::Screen;

/// Print a script that completes commands and flags
#[derive(Args)]
#[command(after_help = "For bash: surehold completions bash > ~/.local/share/bash-completion/completions/surehold")]
pub(crate) struct Completions {
    shell: Shell,
}

impl Completions {
    pub(crate) fn run(&self) -> ExitCode {
        // Written to memory first: the generator does not survive a reader that goes away.
        let mut script = Vec::new();
        clap_complete::generate(self.shell, &mut crate::Cli::command(), "surehold", &mut script);
        super::finish(Screen::new(false).print(&String::from_utf8_lossy(&script)), false)
    }
}
