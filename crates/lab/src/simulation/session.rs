//! SQLite's session, with everything that may happen before, between and after its steps.

use std::sync::Arc;
use std::time::Duration;

use surehold_core::kernel::TenantId;
use surehold_engine::{Session, StoreError, TenantWork, Turns};
use uuid::Uuid;

use super::point::Point;
use super::shared::{Attempt, Shared};

/// Beyond the lease of an effect, and beyond short deadlines.
const SLOW_MILLIS_MAX: usize = 4_000;
/// Whoever comes meanwhile joins the batch.
const JOINED_WITHIN: Duration = Duration::from_millis(5);

pub(super) struct SimulatedSession<'s, S> {
    pub(super) inner: &'s mut S,
    pub(super) shared: Arc<Shared>,
    /// The turn is ours after waiting; SQLite has not begun yet.
    pub(super) late: bool,
}

fn broken() -> Box<dyn std::error::Error + Send + Sync> {
    "as the simulation says".into()
}

impl<S: Session> SimulatedSession<'_, S> {
    async fn begin_inner(&mut self, tenants: &mut [TenantWork]) -> Result<(), StoreError> {
        self.inner.begin(tenants).await?;
        self.shared.set_in_transaction(true);
        self.note(tenants);
        Ok(())
    }

    /// When the batch is decided, as far as is known.
    fn note(&self, tenants: &[TenantWork]) {
        let attempts =
            tenants.iter().map(|work| Attempt { tenant: work.tenant(), seq: work.journal_seq, now: work.facts.now() });
        self.shared.state().attempts.extend(attempts);
    }

    async fn fails(&mut self, point: Point) -> bool {
        let fails = self.shared.strikes(point);
        if fails {
            self.abandon().await;
        }
        fails
    }
}

impl<S: Session> Session for SimulatedSession<'_, S> {
    async fn begin(&mut self, tenants: &mut [TenantWork]) -> Result<Turns, StoreError> {
        self.late = false;
        self.shared.step();
        self.shared.may_crash(Point::CrashBeforeBegin).await;
        if self.shared.strikes(Point::StoreSlow) {
            let millis = self.shared.state().roll(SLOW_MILLIS_MAX);
            tokio::time::sleep(Duration::from_millis(u64::try_from(millis).expect("a few thousand"))).await;
        }
        if self.shared.strikes(Point::BeginUnavailable) {
            return Err(StoreError::Unavailable(broken()));
        }
        if tenants.len() > 1 {
            if self.shared.strikes(Point::SomeTurnsTaken) {
                let taken = self.shared.state().roll(tenants.len());
                return Ok(Turns::Taken(vec![tenants[taken].tenant()]));
            }
        } else {
            if self.shared.strikes(Point::TurnTaken) {
                return Err(StoreError::TurnTaken);
            }
            if self.shared.strikes(Point::TurnLate) {
                self.late = true;
                tokio::time::sleep(JOINED_WITHIN).await;
                return Ok(Turns::AfterWaiting);
            }
        }
        self.begin_inner(tenants).await?;
        self.shared.may_crash(Point::CrashAfterBegin).await;
        if self.shared.strikes(Point::FirstLoadSlow) {
            tokio::time::sleep(JOINED_WITHIN).await;
        }
        Ok(Turns::AtOnce)
    }

    async fn open(&mut self, tenants: &mut [TenantWork]) -> Result<(), StoreError> {
        if std::mem::take(&mut self.late) {
            return self.begin_inner(tenants).await;
        }
        self.shared.state().coverage.visit(Point::JoinedLate);
        if self.fails(Point::LoadUnavailable).await {
            return Err(StoreError::Unavailable(broken()));
        }
        let opened = self.inner.open(tenants).await;
        self.shared.set_in_transaction(opened.is_ok());
        opened?;
        self.note(tenants);
        Ok(())
    }

    async fn load(&mut self, tenants: &mut [TenantWork]) -> Result<(), StoreError> {
        if self.fails(Point::LoadUnavailable).await {
            return Err(StoreError::Unavailable(broken()));
        }
        let loaded = self.inner.load(tenants).await;
        self.shared.set_in_transaction(loaded.is_ok());
        loaded?;
        self.shared.may_crash(Point::CrashAfterLoad).await;
        Ok(())
    }

    async fn commit(&mut self, tenants: &[TenantWork], batch: Uuid) -> Result<(), StoreError> {
        self.shared.may_crash(Point::CrashBeforeCommit).await;
        if self.fails(Point::CommitUnavailable).await {
            return Err(StoreError::Unavailable(broken()));
        }
        if self.fails(Point::CommitConflict).await {
            return Err(StoreError::Conflict(broken()));
        }
        if self.fails(Point::CommitRejected).await {
            self.shared.state().reject();
            return Err(StoreError::Rejected(broken()));
        }
        if self.fails(Point::UnknownLost).await {
            return Err(StoreError::Unknown(broken()));
        }
        let committed = self.inner.commit(tenants, batch).await;
        self.shared.set_in_transaction(false);
        committed?;
        self.shared.may_crash(Point::CrashAfterCommit).await;
        if self.shared.strikes(Point::UnknownCommitted) {
            return Err(StoreError::Unknown(broken()));
        }
        Ok(())
    }

    async fn abandon(&mut self) {
        self.inner.abandon().await;
        self.shared.set_in_transaction(false);
    }

    async fn has_committed(&mut self, tenant: TenantId, seq: i64, batch: Uuid) -> Result<bool, StoreError> {
        self.shared.may_crash(Point::CrashFindingOut).await;
        if self.shared.strikes(Point::FindingOutFails) {
            return Err(StoreError::Unavailable(broken()));
        }
        self.inner.has_committed(tenant, seq, batch).await
    }
}
