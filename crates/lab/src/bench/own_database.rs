//! A database for a measurement that must not see what others have left.

use anyhow::{Context, Result};
use uuid::Uuid;

use super::textbook::connect;

/// Empty when it is made, on the server of another one.
#[derive(Debug)]
pub struct OwnDatabase {
    server: String,
    name: String,
    url: String,
}

impl OwnDatabase {
    pub async fn make(server: &str) -> Result<OwnDatabase> {
        let name = format!("bench_{}", Uuid::now_v7().simple());
        let url =
            database_url(server, &name).context("the address names no database: postgres://user@host/database")?;
        let client = connect(server).await?;
        client.batch_execute(&format!("create database {name}")).await.context("cannot make a database")?;
        Ok(OwnDatabase { server: server.to_owned(), name, url })
    }

    pub fn url(&self) -> &str {
        &self.url
    }

    pub async fn remove(self) -> Result<()> {
        let client = connect(&self.server).await?;
        let statement = format!("drop database {} with (force)", self.name);
        client.batch_execute(&statement).await.with_context(|| format!("cannot drop database {}", self.name))
    }
}

/// The address of another database on the same server; `None` where that names none.
pub(super) fn database_url(server: &str, name: &str) -> Option<String> {
    let (base, query) = server.split_once('?').map_or((server, None), |(base, query)| (base, Some(query)));
    let (_, rest) = base.split_once("://")?;
    let (host, _) = rest.rsplit_once('/')?;
    let query = query.map(|query| format!("?{query}")).unwrap_or_default();
    Some(format!("postgres://{host}/{name}{query}"))
}
