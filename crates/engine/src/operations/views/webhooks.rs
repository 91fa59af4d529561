//! Webhook endpoints as lists, how far they have been told, and what became of it.

use surehold_core::kernel::{ColumnType, Corrupt, TenantId, Timestamp, Value};
use surehold_core::operations::outbox::{
    DELIVER_WEBHOOK, ENDPOINT_CORRELATION, EndpointId, EventCursor, WebhookEndpoint,
};

use crate::views::{Views, corrupt};
use crate::{Fault, OwnedValue, ReadRow, Scope};

/// How far an enabled endpoint has been told, and how far there is anything to tell.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct EndpointPlace {
    pub(crate) tenant: TenantId,
    pub(crate) endpoint: EndpointId,
    pub(crate) cursor: EventCursor,
    pub(crate) newest_seq: i64,
}

/// One delivery, as its tenant may see it: what the receiver answered is not in it, except for the status.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WebhookDelivery {
    /// The event.
    pub cursor: EventCursor,
    /// The replay that asked for it, if one did.
    pub replay: Option<String>,
    /// `None` while it is not finished.
    pub outcome: Option<String>,
    /// The result as JSON text.
    pub result: Option<String>,
    pub attempts: i64,
    pub created_at: Timestamp,
    pub finished_at: Option<Timestamp>,
    /// When it is tried next; `None` when it has ended or waits for another one.
    pub next_at: Option<Timestamp>,
    /// Why the last attempt failed, or why no further one is made.
    pub last_error: Option<String>,
}

fn text_or_null(row: &ReadRow, index: usize) -> Result<Option<String>, Corrupt> {
    match row.value(index, ColumnType::Text)? {
        Value::Null => Ok(None),
        Value::Text(text) => Ok(Some(text.to_owned())),
        other => Err(Corrupt::new(format!("{other:?} where text was expected"))),
    }
}

fn time_or_null(row: &ReadRow, index: usize) -> Result<Option<Timestamp>, Corrupt> {
    match row.value(index, ColumnType::Time)? {
        Value::Null => Ok(None),
        Value::Time(time) => Ok(Some(time)),
        other => Err(Corrupt::new(format!("{other:?} where an instant was expected"))),
    }
}

impl Views {
    /// A tenant's endpoints, by name.
    pub async fn webhook_endpoints(&self, tenant: TenantId, rows_max: u16) -> Result<Vec<WebhookEndpoint>, Fault> {
        self.records(tenant, "order by id limit $2", [OwnedValue::Int(i64::from(rows_max))]).await
    }

    /// Every enabled endpoint of the installation.
    pub(crate) async fn endpoint_places(&self) -> Result<Vec<EndpointPlace>, Fault> {
        let sql = "select e.tenant, e.id, e.cursor_seq, e.cursor_index, coalesce((select j.seq from journal j \
                   where j.tenant = e.tenant order by j.seq desc limit 1), 0) \
                   from webhook_endpoints e where e.state = 'enabled' order by e.tenant, e.id";
        let read = |row: &ReadRow| {
            let endpoint = EndpointId::new(row.text(1)?).map_err(|invalid| Corrupt::new(invalid.to_string()))?;
            let index = u32::try_from(row.int(3)?).map_err(|_| Corrupt::new("a cursor out of range"))?;
            let cursor = EventCursor { seq: row.int(2)?, index };
            Ok(EndpointPlace { tenant: TenantId(row.int(0)?), endpoint, cursor, newest_seq: row.int(4)? })
        };
        let rows = self.store.query(Scope::Installation, sql, Vec::new()).await?;
        rows.iter().map(read).collect::<Result<_, Corrupt>>().map_err(|what| corrupt(&what))
    }

    /// Deliveries to an endpoint, those of the newest events first.
    pub async fn webhook_deliveries(
        &self,
        tenant: TenantId,
        endpoint: &EndpointId,
        rows_max: u16,
    ) -> Result<Vec<WebhookDelivery>, Fault> {
        // Keys sort like the events, so the newest are read from the end of the index.
        let sql = "select c.key, o.outcome, cast(o.result as text), \
                   coalesce(r.attempts, o.attempts), o.created_at, o.finished_at, \
                   case when r.waiting_on is null then r.run_at end, coalesce(r.last_error, d.error) \
                   from (select type, key from operation_correlations where tenant = $1 and correlation_kind = $2 and \
                   correlation_value = $3 and type = $4 order by key desc limit $5) c \
                   join operations o on o.tenant = $1 and o.type = c.type and o.key = c.key \
                   left join operation_runs r on r.tenant = $1 and r.type = c.type and r.key = c.key \
                   left join operation_dead_letters d on d.tenant = $1 and d.type = c.type and d.key = c.key \
                   order by c.key desc";
        let text = |text: &str| OwnedValue::Text(text.to_owned());
        let params = vec![
            OwnedValue::Int(tenant.0),
            text(ENDPOINT_CORRELATION),
            text(endpoint.as_str()),
            text(DELIVER_WEBHOOK.name),
            OwnedValue::Int(i64::from(rows_max)),
        ];
        let read = |row: &ReadRow| {
            let (cursor, replay) = parts(row.text(0)?).ok_or_else(|| Corrupt::new("the key of a delivery"))?;
            Ok(WebhookDelivery {
                cursor,
                replay,
                outcome: text_or_null(row, 1)?,
                result: text_or_null(row, 2)?,
                attempts: row.int(3)?,
                created_at: row.time(4)?,
                finished_at: time_or_null(row, 5)?,
                next_at: time_or_null(row, 6)?,
                last_error: text_or_null(row, 7)?,
            })
        };
        let rows = self.store.query(Scope::Tenant(tenant), sql, params).await?;
        rows.iter().map(read).collect::<Result<_, Corrupt>>().map_err(|what| corrupt(&what))
    }
}

/// The event and the replay that a delivery's key names.
fn parts(key: &str) -> Option<(EventCursor, Option<String>)> {
    let mut parts = key.splitn(3, ':');
    let (_, cursor, delivery_no) = (parts.next()?, parts.next()?, parts.next()?);
    let replay = delivery_no.strip_prefix("replay-").map(|replay| replay.replace("%3A", ":").replace("%25", "%"));
    Some((EventCursor::parse(cursor)?, replay))
}
