//! The event feed.

use surehold_core::kernel::{Corrupt, Event, TenantId, Timestamp, decode_events};

use crate::views::{Views, corrupt};
use crate::{Fault, OwnedValue, ReadRow, Scope};

/// What one batch did to one tenant.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct JournalRow {
    pub seq: i64,
    pub at: Timestamp,
    pub events: Vec<Event>,
}

/// The ends of a tenant's journal; both are zero when it is empty.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct JournalTail {
    pub oldest_seq: i64,
    pub newest_seq: i64,
}

impl Views {
    /// The journal behind `after_seq`, oldest first.
    pub async fn journal(&self, tenant: TenantId, after_seq: i64, rows_max: u16) -> Result<Vec<JournalRow>, Fault> {
        self.journal_until(tenant, after_seq, rows_max, i64::MAX).await
    }

    /// As few rows behind `after_seq` as have this many events: one row may hold those of thousands of commands.
    pub async fn journal_until(
        &self,
        tenant: TenantId,
        after_seq: i64,
        rows_max: u16,
        events_enough: i64,
    ) -> Result<Vec<JournalRow>, Fault> {
        let sql = "select seq, at, events from (select seq, at, events, \
                   cast(sum(events_count) over (order by seq) - events_count as bigint) as events_before from \
                   (select seq, at, events, events_count from journal where tenant = $1 and seq > $2 \
                   order by seq limit $3) behind) counted where events_before < $4 order by seq";
        let (tenant_id, rows_max) = (OwnedValue::Int(tenant.0), OwnedValue::Int(i64::from(rows_max)));
        let params = vec![tenant_id, OwnedValue::Int(after_seq), rows_max, OwnedValue::Int(events_enough)];
        let read = |row: &ReadRow| {
            let events = decode_events(row.bytes(2)?).map_err(|error| Corrupt::new(error.to_string()))?;
            Ok(JournalRow { seq: row.int(0)?, at: row.time(1)?, events })
        };
        let rows = self.store.query(Scope::Tenant(tenant), sql, params).await?;
        rows.iter().map(read).collect::<Result<_, Corrupt>>().map_err(|what| corrupt(&what))
    }

    /// The first and the last of up to `rows_max` rows that are older than an instant; the newest row is never one.
    pub(crate) async fn journal_older_than(
        &self,
        tenant: TenantId,
        kept_from: Timestamp,
        rows_max: u16,
    ) -> Result<Option<(i64, i64)>, Fault> {
        let sql = "select coalesce(min(seq), 0), coalesce(max(seq), 0) from \
                   (select seq, at from journal where tenant = $1 order by seq limit $3) oldest \
                   where at < $2 and seq < (select max(seq) from journal where tenant = $1)";
        let params = vec![OwnedValue::Int(tenant.0), OwnedValue::Time(kept_from), OwnedValue::Int(i64::from(rows_max))];
        let rows = self.store.query(Scope::Tenant(tenant), sql, params).await?;
        let Some(row) = rows.first() else { return Ok(None) };
        let read = || Ok((row.int(0)?, row.int(1)?));
        let (first, last) = read().map_err(|what: Corrupt| corrupt(&what))?;
        Ok((last > 0).then_some((first, last)))
    }

    /// Everybody who has a journal: the tenants, their test twins and the directory.
    pub(crate) async fn journal_tenants(&self) -> Result<Vec<TenantId>, Fault> {
        let rows = self.store.query(Scope::Installation, "select tenant from tenants", Vec::new()).await?;
        let tenants = rows.iter().map(|row| row.int(0).map(TenantId));
        let tenants = tenants.chain([Ok(TenantId::DIRECTORY)]);
        tenants.collect::<Result<_, Corrupt>>().map_err(|what| corrupt(&what))
    }

    /// What time it is for the tenant: for nobody does it go back, also when the clock does.
    pub async fn time_for(&self, tenant: TenantId) -> Result<Timestamp, Fault> {
        let clock = self.clock().await?;
        let sql = "select at from journal where tenant = $1 order by seq desc limit 1";
        let rows = self.store.query(Scope::Tenant(tenant), sql, vec![OwnedValue::Int(tenant.0)]).await?;
        let head = rows.first().map(|row| row.time(0)).transpose().map_err(|what| corrupt(&what))?;
        Ok(head.map_or(clock, |head| head.max(clock)))
    }

    pub async fn journal_tail(&self, tenant: TenantId) -> Result<JournalTail, Fault> {
        // Two lookups in the primary key, not a scan.
        let sql = "select coalesce((select seq from journal where tenant = $1 order by seq limit 1), 0), \
                   coalesce((select seq from journal where tenant = $1 order by seq desc limit 1), 0)";
        let rows = self.store.query(Scope::Tenant(tenant), sql, vec![OwnedValue::Int(tenant.0)]).await?;
        let Some(row) = rows.first() else { return Ok(JournalTail::default()) };
        let read = || Ok(JournalTail { oldest_seq: row.int(0)?, newest_seq: row.int(1)? });
        read().map_err(|what: Corrupt| corrupt(&what))
    }
}
