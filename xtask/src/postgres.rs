//! The Postgres server that the tests share: durable and encrypted like a real one.

use anyhow::Result;
use surehold_private_servers::{PostgresSettings, PrivatePostgres};

use crate::programs;

const CONNECTIONS_MAX: u16 = 300;
const SHARED_BUFFERS_MIB: u32 = 128;

pub(crate) fn start() -> Result<PrivatePostgres> {
    let programs = programs::find_or_install()?;
    eprintln!("== Starting a private Postgres server from {}", programs.display());
    PrivatePostgres::start_with(PostgresSettings {
        connections_max: CONNECTIONS_MAX,
        shared_buffers_mib: SHARED_BUFFERS_MIB,
        tls: true,
        ..PostgresSettings::small(programs)
    })
}
