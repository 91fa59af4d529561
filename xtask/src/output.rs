//! Where the output of a program goes that a task runs.

use std::io::{self, BufRead, BufReader, Read};
use std::process::{Command, ExitStatus, Stdio};
use std::thread;

use anyhow::{Context, Result};

#[derive(Clone, Copy, Debug)]
pub(crate) enum Output<'a> {
    /// It has the terminal to itself.
    Own,
    /// Others run beside it: each line bears its name.
    Labelled(&'a str),
}

impl Output<'_> {
    /// Runs the program to its end.
    pub(crate) fn run(self, command: &mut Command) -> Result<ExitStatus> {
        let status = match self {
            Output::Own => command.status(),
            Output::Labelled(label) => run_labelled(command, label),
        };
        status.with_context(|| format!("cannot run {}", command.get_program().to_string_lossy()))
    }
}

fn run_labelled(command: &mut Command, label: &str) -> io::Result<ExitStatus> {
    let mut child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn()?;
    let (stdout, stderr) = (child.stdout.take(), child.stderr.take());
    thread::scope(|scope| {
        scope.spawn(|| pass_on(label, stdout));
        scope.spawn(|| pass_on(label, stderr));
    });
    child.wait()
}

fn pass_on(label: &str, from: Option<impl Read>) {
    let Some(from) = from else { return };
    // What is no text is shown as far as it is; what cannot be read has ended.
    for line in BufReader::new(from).split(b'\n').map_while(Result::ok) {
        eprintln!("[{label}] {}", String::from_utf8_lossy(&line));
    }
}
