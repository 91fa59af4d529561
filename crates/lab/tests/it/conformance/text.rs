//! Replies and failures as short text without instants, which no two runs share.

use surehold_core::kernel::commands::{HoldReply, LapsedHoldsExpired};
use surehold_core::kernel::{Hold, HoldPolicy, Kept, Line, Owner, Pool, PoolKey, Refusal, Slot, Tenant};
use surehold_engine::Failure;

use super::world::{Names, World};

/// What a reply says, in a few words, and whether the store says the same.
pub(crate) trait Told {
    fn tell(&self, names: &Names) -> String;

    async fn is_stored(&self, world: &World<'_>) -> bool;
}

impl Told for Tenant {
    fn tell(&self, names: &Names) -> String {
        format!("{} {} v{}", self.slug, self.policy.tell(names), self.version)
    }

    async fn is_stored(&self, world: &World<'_>) -> bool {
        world.dump().await.tenant == [self.clone()]
    }
}

impl Told for HoldPolicy {
    fn tell(&self, _names: &Names) -> String {
        let HoldPolicy { lifetime_secs_default, lifetime_secs_max, owner_holds_max, owner_lifetime_secs_max } = self;
        format!("{lifetime_secs_default}/{lifetime_secs_max} s, {owner_holds_max} holds of {owner_lifetime_secs_max} s")
    }

    async fn is_stored(&self, world: &World<'_>) -> bool {
        world.dump().await.tenant.first().is_some_and(|tenant| tenant.policy == *self)
    }
}

impl Told for Pool {
    fn tell(&self, _names: &Names) -> String {
        let counters = [
            ("overbook", self.overbook),
            ("held", self.held),
            ("booked", self.booked),
            ("granted", self.granted),
            ("oversold", self.oversold),
        ];
        let told = counters.iter().filter(|(_, units)| *units != 0).map(|(name, units)| format!(" {name} {units}"));
        let closed = if self.closed { " closed" } else { "" };
        format!("{}={}{}{closed} v{}", pool_text(&self.key), self.total, told.collect::<String>(), self.version)
    }

    async fn is_stored(&self, world: &World<'_>) -> bool {
        world.engine.views().record::<Pool>(world.tenant, &self.key).await.unwrap().as_ref() == Some(self)
    }
}

impl Told for Hold {
    fn tell(&self, names: &Names) -> String {
        let what = match &self.kept {
            Some(Kept { mode, lines, .. }) => format!("{} {}", mode.as_str(), lines_text(lines)),
            None => format!("{} for {} s", lines_text(&self.lines), self.expires_at.secs_since(self.placed_at)),
        };
        let owner = self.owner.as_ref().map(|owner| format!(" by {owner}"));
        let reference = self.reference.as_ref().map(|reference| format!(" as {reference}"));
        let metadata = self.metadata.as_ref().map(|metadata| format!(" with {}", metadata.as_str()));
        let extras: String = [owner, reference, metadata].into_iter().flatten().collect();
        let name = names.put_into(&self.id.to_string());
        format!("{name} {} {what}{extras} v{}", self.state.as_str(), self.version)
    }

    async fn is_stored(&self, world: &World<'_>) -> bool {
        world.hold(self.id).await.as_ref() == Some(self)
    }
}

impl Told for HoldReply {
    fn tell(&self, names: &Names) -> String {
        let pools = match self.pool_versions.as_slice() {
            [] => String::new(),
            versions => format!(", pools at {}", join(versions)),
        };
        format!("{}{pools}", self.hold.tell(names))
    }

    async fn is_stored(&self, world: &World<'_>) -> bool {
        self.hold.is_stored(world).await
    }
}

impl Told for LapsedHoldsExpired {
    fn tell(&self, _names: &Names) -> String {
        format!("{} expired{}", self.count, if self.more_left { ", more left" } else { "" })
    }

    async fn is_stored(&self, _world: &World<'_>) -> bool {
        true
    }
}

impl Told for Owner {
    fn tell(&self, _names: &Names) -> String {
        format!("{} holds {} for {} s", self.name, self.holds, self.lifetime_secs)
    }

    async fn is_stored(&self, _world: &World<'_>) -> bool {
        true
    }
}

pub(crate) fn tell_failure(failure: &Failure<Refusal>, names: &Names) -> String {
    match failure {
        Failure::Refused(Refusal::Invalid(invalid)) => format!("invalid: {invalid}"),
        Failure::Refused(Refusal::HoldNotDue { .. }) => "refused: the hold is not due".to_owned(),
        Failure::Refused(Refusal::IdOutsideWindow { .. }) => "refused: the id is outside of its window".to_owned(),
        Failure::Refused(refusal) => format!("refused: {}", names.put_into(&refusal.to_string())),
        Failure::KeyReused => "the key was used for another request".to_owned(),
        Failure::Fault(fault) => format!("fault: {fault}"),
        Failure::Defect => "defect".to_owned(),
    }
}

fn pool_text(key: &PoolKey) -> String {
    match key.slot {
        Slot::NONE => key.resource.to_string(),
        slot => format!("{}@{slot}", key.resource),
    }
}

fn lines_text(lines: &[Line]) -> String {
    let texts = lines.iter().map(|line| format!("{}={}", pool_text(&line.pool), line.quantity));
    if lines.is_empty() { "nothing".to_owned() } else { texts.collect::<Vec<_>>().join(" ") }
}

fn join(versions: &[i64]) -> String {
    versions.iter().map(ToString::to_string).collect::<Vec<_>>().join(",")
}
