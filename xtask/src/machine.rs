//! What the machine must have before tests and proofs run: programs and, unless only SQLite is tested, a Postgres server.

use anyhow::Result;
use surehold_private_servers::PrivatePostgres;

use crate::{postgres, programs};

pub(crate) struct Machine {
    server: Option<PrivatePostgres>,
}

impl Machine {
    pub(crate) fn prepare(with_postgres: bool) -> Result<Machine> {
        let server = if with_postgres {
            Some(postgres::start()?)
        } else {
            programs::find_or_install_tools()?;
            None
        };
        Ok(Machine { server })
    }

    /// For what starts everything itself.
    pub(crate) fn empty() -> Machine {
        Machine { server: None }
    }

    /// What tests and proofs read to find the server.
    pub(crate) fn variables(&self) -> Vec<(&'static str, String)> {
        self.server.as_ref().map(|server| server.variables().to_vec()).unwrap_or_default()
    }
}
