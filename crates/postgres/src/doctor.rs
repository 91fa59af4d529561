//! What a server and a login are like, for `surehold doctor`. Facts only: what is unsafe is for the caller to judge.

use std::time::{SystemTime, UNIX_EPOCH};

use crate::connect::{Address, ConnectError};

#[derive(Clone, Debug, PartialEq, Eq)]
#[expect(clippy::struct_excessive_bools, reason = "they are independent facts")]
pub struct PostgresFacts {
    pub server_version: String,
    pub fsync: bool,
    pub full_page_writes: bool,
    pub data_checksums: bool,
    /// What a session of this login begins with. Sessions that write set `on` themselves.
    pub synchronous_commit: String,
    pub default_transaction_isolation: String,
    pub is_in_recovery: bool,
    pub connections_max: i64,
    pub connections_used: i64,
    /// The server's clock minus this machine's, to within half a round trip.
    pub clock_ahead_ms: i64,
    pub login: String,
    pub login_is_superuser: bool,
    pub login_bypasses_row_security: bool,
    pub login_owns_tables: bool,
    /// Whether this very connection is encrypted.
    pub tls: bool,
}

/// Sessions are counted where everybody may see them.
const FACTS: &str = "select current_setting('server_version'), current_setting('fsync')::bool, \
     current_setting('full_page_writes')::bool, current_setting('data_checksums')::bool, \
     current_setting('synchronous_commit'), current_setting('default_transaction_isolation'), \
     pg_is_in_recovery(), current_setting('max_connections')::bigint, \
     (select coalesce(sum(numbackends), 0)::bigint from pg_stat_database where datname is not null), \
     session_user::text, r.rolsuper, r.rolbypassrls, \
     coalesce((select relowner = r.oid from pg_class where oid = to_regclass('schema_migrations')::oid), false), \
     coalesce((select ssl from pg_stat_ssl where pid = pg_backend_pid()), false) \
     from pg_roles r where r.rolname = session_user";

const CLOCK: &str = "select (extract(epoch from clock_timestamp()) * 1000)::bigint";

/// Connects and looks, at a standby too. Changes nothing.
pub async fn facts_for_doctor(url: &str) -> Result<PostgresFacts, ConnectError> {
    let address = Address::parse(url)?.of_any_server();
    let client = address.connect().await.map_err(ConnectError::Connect)?;
    let row = client.query_one(FACTS, &[]).await.map_err(ConnectError::Connect)?;
    // Prepared first, so that the clock is asked in one round trip.
    let clock = client.prepare(CLOCK).await.map_err(ConnectError::Connect)?;
    let before_ms = now_ms();
    let clock_ms: i64 = client.query_one(&clock, &[]).await.map_err(ConnectError::Connect)?.get(0);
    let between_ms = before_ms.midpoint(now_ms());
    Ok(PostgresFacts {
        server_version: row.get(0),
        fsync: row.get(1),
        full_page_writes: row.get(2),
        data_checksums: row.get(3),
        synchronous_commit: row.get(4),
        default_transaction_isolation: row.get(5),
        is_in_recovery: row.get(6),
        connections_max: row.get(7),
        connections_used: row.get(8),
        clock_ahead_ms: clock_ms - between_ms,
        login: row.get(9),
        login_is_superuser: row.get(10),
        login_bypasses_row_security: row.get(11),
        login_owns_tables: row.get(12),
        tls: row.get(13),
    })
}

fn now_ms() -> i64 {
    let elapsed = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    i64::try_from(elapsed.as_millis()).unwrap_or(i64::MAX)
}
