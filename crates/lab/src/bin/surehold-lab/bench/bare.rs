//! `surehold-lab bench bare`: the rival of `bench http`, as a process of its own.

use std::net::SocketAddr;

use anyhow::{Context, Result};
use clap::Args;
use surehold_lab::bench::http::bare;
use tokio::net::TcpListener;

#[derive(Args)]
pub(crate) struct Bare {
    /// Where to listen; port 0 takes a free one
    #[arg(long, default_value = "127.0.0.1:0")]
    listen: SocketAddr,
}

impl Bare {
    #[expect(clippy::print_stdout, reason = "the address is what the starting process waits for")]
    pub(crate) async fn run(self) -> Result<()> {
        let listener = TcpListener::bind(self.listen).await.context("cannot listen; choose another --listen")?;
        println!("listening on http://{}", listener.local_addr()?);
        Ok(bare::serve(listener).await?)
    }
}
