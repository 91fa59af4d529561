//! `surehold problem`: the pages about problems, for those who have no server to open them at.

use std::process::ExitCode;

use clap::Args;
use surehold_http::problem::ProblemType;

use super::screen::Screen;
use super::view::table;

/// Explain a problem code, or list them
#[derive(Args)]
pub(crate) struct ProblemPage {
    /// As in sold-out
    #[arg(value_parser = code)]
    code: Option<ProblemType>,
}

fn code(text: &str) -> Result<ProblemType, String> {
    ProblemType::find(text).ok_or_else(|| "there is no such problem; `surehold problem` lists them".to_owned())
}

impl ProblemPage {
    pub(crate) fn run(&self) -> ExitCode {
        let row = |known: &ProblemType| {
            vec![known.code.to_owned(), known.status.as_u16().to_string(), known.title.to_owned()]
        };
        let page = match self.code {
            Some(known) => known.page.to_owned(),
            None => table(&["CODE", "STATUS", "MEANING"], &[1], ProblemType::all().iter().map(row)),
        };
        super::finish(Screen::new(false).print(&page), false)
    }
}
