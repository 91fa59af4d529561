//! Where output goes. A reader that has gone away ends the command without a word.

use std::io::Write;

use indicatif::{ProgressBar, ProgressStyle};

use crate::client::ClientError;

#[derive(Clone, Copy, Debug)]
pub(super) struct Screen {
    pub(super) json: bool,
}

#[expect(clippy::unused_self, reason = "all output goes through the screen, whether its mode matters or not")]
impl Screen {
    pub(super) fn new(json: bool) -> Screen {
        Screen { json }
    }

    /// The bytes of an answer, on a line.
    pub(super) fn raw(self, body: &[u8]) -> Result<(), ClientError> {
        write(&[body, b"\n"])
    }

    /// Text for people; ends its line if it does not.
    pub(super) fn print(self, text: &str) -> Result<(), ClientError> {
        let end: &[u8] = if text.is_empty() || text.ends_with('\n') { b"" } else { b"\n" };
        write(&[text.as_bytes(), end])
    }

    /// For people, beside the data. Machines read only what they asked for.
    pub(super) fn note(self, text: &str) {
        if !self.json {
            let _ = writeln!(std::io::stderr(), "note: {text}");
        }
    }

    /// What may be needed to repeat a request that got no answer; machines need it too.
    pub(super) fn keep(self, what: &str) {
        let _ = writeln!(std::io::stderr(), "{what}");
    }
}

/// On standard error, and only if somebody watches.
pub(super) fn progress(count: usize, what: &str) -> ProgressBar {
    let style = ProgressStyle::with_template(&format!("{{bar:40}} {{pos}}/{{len}} {what}, {{eta}} left"));
    let bar = ProgressBar::new(u64::try_from(count).unwrap_or(u64::MAX));
    bar.with_style(style.unwrap_or_else(|_| ProgressStyle::default_bar()))
}

fn write(parts: &[&[u8]]) -> Result<(), ClientError> {
    let mut out = std::io::stdout().lock();
    parts.iter().try_for_each(|part| out.write_all(part)).and_then(|()| out.flush()).map_err(ClientError::output)
}
