//! Facts about the store. Asks beside a running server and changes nothing.

use std::path::Path;
use std::time::Duration;

use surehold_engine::block_on;

use super::facts::{SchemaFacts, StoreFacts};
use crate::config::{Config, StoreTarget};

const ASKING_MAX: Duration = Duration::from_secs(15);

pub(super) fn facts(config: &Config) -> std::io::Result<StoreFacts> {
    match config.store.target() {
        StoreTarget::Sqlite(path) => Ok(sqlite(&path)),
        StoreTarget::Postgres(url) => {
            let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
            let answer = block_on(&runtime, async { tokio::time::timeout(ASKING_MAX, postgres(url.expose())).await });
            Ok(answer.unwrap_or_else(|_| {
                StoreFacts::Unreachable(format!("Postgres did not answer within {} s", ASKING_MAX.as_secs()))
            }))
        }
    }
}

fn sqlite(path: &Path) -> StoreFacts {
    if !path.exists() {
        return StoreFacts::Absent(path.to_owned());
    }
    match surehold_sqlite::facts_for_doctor(path) {
        Err(error) => StoreFacts::Unreachable(with_causes(&error)),
        Ok(facts) => StoreFacts::Sqlite(facts, schema(surehold_sqlite::migrations_pending(path))),
    }
}

async fn postgres(url: &str) -> StoreFacts {
    match surehold_postgres::facts_for_doctor(url).await {
        Err(error) => StoreFacts::Unreachable(with_causes(&error)),
        Ok(facts) if facts.is_in_recovery => StoreFacts::Postgres(facts, SchemaFacts::NotAsked),
        Ok(facts) => StoreFacts::Postgres(facts, schema(surehold_postgres::migrations_pending(url).await)),
    }
}

fn schema<E: std::error::Error>(pending: Result<Vec<String>, E>) -> SchemaFacts {
    pending.map_or_else(|error| SchemaFacts::Refused(with_causes(&error)), SchemaFacts::Pending)
}

fn with_causes(error: &dyn std::error::Error) -> String {
    let mut text = error.to_string();
    let mut cause = error.source();
    while let Some(error) = cause {
        text = format!("{text}: {error}");
        cause = error.source();
    }
    text
}
