//! Connections that read, shared by everybody who asks. What one reader may see is set for its transaction only, so
//! nothing is left for the next. Invariant: a connection goes back to the others only when it is known to be idle and
//! outside of any transaction; whatever else happens to it, being abandoned in the middle included, ends it.

use std::iter;
use std::pin::Pin;
use std::time::Duration;

use deadpool_postgres::{Connect, Manager, ManagerConfig, Object, Pool, PoolError, RecyclingMethod, Runtime};
use deadpool_postgres::{QueueMode, TimeoutType};
use surehold_engine::{Fault, OwnedValue};
use tokio::task::JoinHandle;
use tokio::time::timeout;
use tokio_postgres::error::Severity;
use tokio_postgres::types::ToSql;
use tokio_postgres::{Client, Config, Error as PgError, Row, Statement};
use tracing::error;

use crate::connect::Address;
use crate::errors::described;
use crate::pipeline::{Broken, Sent, in_order};
use crate::statements::READ_SETTINGS;
use crate::values::PgTime;

/// Whoever has waited this long for a connection is told to come back.
const WAIT_TIMEOUT: Duration = Duration::from_secs(5);
const CONNECT_TIMEOUT: Duration = Duration::from_secs(10);
/// The server ends its statements itself after 30 s; this is for a server that no longer answers at all.
const ANSWER_TIMEOUT: Duration = Duration::from_secs(40);

pub(crate) struct Readers {
    pool: Pool,
}

impl Readers {
    pub(crate) fn new(address: Address, count: usize) -> Readers {
        // Nothing needs to be cleaned up on the way back: see the invariant.
        let config = ManagerConfig { recycling_method: RecyclingMethod::Fast };
        // The address connects; the pool's own configuration is not used.
        let manager = Manager::from_connect(Config::new(), ReadingConnect { address }, config);
        let pool = Pool::builder(manager)
            .max_size(count.max(1))
            .wait_timeout(Some(WAIT_TIMEOUT))
            .create_timeout(Some(CONNECT_TIMEOUT))
            .queue_mode(QueueMode::Lifo)
            .runtime(Runtime::Tokio1)
            .build();
        Readers { pool: pool.expect("a runtime is named, which is all that timeouts need") }
    }

    /// One round trip if the statement is prepared: begin, queries and commit leave together. Without `begin` the queries
    /// go alone and see no rows of any table.
    pub(crate) async fn query(
        &self,
        begin: Option<String>,
        sql: &str,
        each: &[Vec<OwnedValue>],
    ) -> Result<Vec<Row>, Fault> {
        let lease = Lease(Some(self.pool.get().await.map_err(pool_fault)?));
        match timeout(ANSWER_TIMEOUT, read(lease.client(), begin, sql, each)).await {
            Ok(Ok(rows)) => {
                lease.give_back();
                Ok(rows)
            }
            Ok(Err(broken)) => {
                let fault = unavailable(described(&broken.error));
                if is_idle(&broken) {
                    lease.give_back();
                }
                Err(fault)
            }
            Err(_elapsed) => Err(unavailable("the server did not answer in time".to_owned())),
        }
    }
}

/// A connection on loan. Unless given back, it is ended and another one takes its place.
struct Lease(Option<Object>);

impl Lease {
    fn client(&self) -> &Object {
        self.0.as_ref().expect("it is there until given back")
    }

    fn give_back(mut self) {
        drop(self.0.take());
    }
}

impl Drop for Lease {
    fn drop(&mut self) {
        if let Some(object) = self.0.take() {
            drop(Object::take(object));
        }
    }
}

async fn read(
    client: &Object,
    begin: Option<String>,
    sql: &str,
    each: &[Vec<OwnedValue>],
) -> Result<Vec<Row>, Broken<PgError>> {
    // Outside of the transaction, so a statement that is wrong begins nothing.
    let statement = client.prepare_cached(sql).await.map_err(|error| Broken { error, all_sent: true })?;
    let queries = each.iter().map(|params| query(client, &statement, params));
    let sent = match &begin {
        None => queries.collect(),
        Some(begin) => {
            let begin = iter::once(simple(client, begin));
            begin.chain(queries).chain(iter::once(simple(client, "commit"))).collect()
        }
    };
    let answers = in_order(sent).await?;
    Ok(answers.into_iter().flatten().collect())
}

fn query<'a>(
    client: &'a Client,
    statement: &'a Statement,
    params: &[OwnedValue],
) -> Sent<'a, Result<Vec<Row>, PgError>> {
    let params: Vec<Box<dyn ToSql + Sync + Send>> = params.iter().map(param).collect();
    Box::pin(async move {
        let params: Vec<&(dyn ToSql + Sync)> =
            params.iter().map(|param| -> &(dyn ToSql + Sync) { param.as_ref() }).collect();
        client.query(statement, &params).await
    })
}

/// Has no rows to tell.
fn simple<'a>(client: &'a Client, sql: &'a str) -> Sent<'a, Result<Vec<Row>, PgError>> {
    Box::pin(async { client.batch_execute(sql).await.map(|()| Vec::new()) })
}

/// An ordinary error of the server: everything was sent and answered, and the commit at the end rolled back.
fn is_idle(Broken { error, all_sent }: &Broken<PgError>) -> bool {
    let is_ordinary = error.as_db_error().is_some_and(|cause| cause.parsed_severity() == Some(Severity::Error));
    *all_sent && is_ordinary
}

fn pool_fault(error: PoolError) -> Fault {
    match error {
        PoolError::Timeout(TimeoutType::Wait) => Fault::Busy,
        PoolError::Backend(error) => unavailable(described(&error)),
        PoolError::Timeout(_) | PoolError::Closed | PoolError::NoRuntimeSpecified | PoolError::PostCreateHook(_) => {
            unavailable(error.to_string())
        }
    }
}

struct ReadingConnect {
    address: Address,
}

type Connecting<'a> = Pin<Box<dyn Future<Output = Result<(Client, JoinHandle<()>), PgError>> + Send + 'a>>;

impl Connect for ReadingConnect {
    fn connect(&self, _: &Config) -> Connecting<'_> {
        Box::pin(async {
            let (client, task) = self.address.connect_with_task().await?;
            client.batch_execute(READ_SETTINGS).await?;
            Ok((client, task))
        })
    }
}

fn unavailable(what: impl std::fmt::Display) -> Fault {
    error!(error = %what, "Cannot read: {what}");
    Fault::Unavailable
}

pub(crate) fn param(value: &OwnedValue) -> Box<dyn ToSql + Sync + Send> {
    match value.clone() {
        OwnedValue::Null => Box::new(None::<i64>),
        OwnedValue::Int(int) => Box::new(int),
        OwnedValue::Bool(bool) => Box::new(bool),
        OwnedValue::Text(text) => Box::new(text),
        OwnedValue::Bytes(bytes) => Box::new(bytes),
        OwnedValue::Uuid(uuid) => Box::new(uuid),
        OwnedValue::Time(time) => Box::new(PgTime(time)),
    }
}
