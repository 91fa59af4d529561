//! Replies, events and refusals as short text. Instants are seconds since the start of the scenario.

use surehold_core::kernel::commands::{HoldReply, LapsedHoldsExpired};
use surehold_core::kernel::{
    ApiKey, Event, HoldId, HoldPolicy, Kept, KeyScope, Line, Owner, Pool, PoolKey, Refusal, Slot, Tenant, TenantId,
    Timestamp,
};

use crate::world::{START, World};

/// What a reply says, in a few words.
pub(crate) trait Tell {
    fn tell(&self, world: &World) -> String;
}

impl Tell for TenantId {
    fn tell(&self, _world: &World) -> String {
        format!("tenant {self}")
    }
}

impl Tell for Tenant {
    fn tell(&self, world: &World) -> String {
        format!("{} {} v{}", self.slug, self.policy.tell(world), self.version)
    }
}

impl Tell for HoldPolicy {
    fn tell(&self, _world: &World) -> String {
        let HoldPolicy { lifetime_secs_default, lifetime_secs_max, owner_holds_max, owner_lifetime_secs_max } = self;
        format!("{lifetime_secs_default}/{lifetime_secs_max} s, {owner_holds_max} holds of {owner_lifetime_secs_max} s")
    }
}

impl Tell for Pool {
    fn tell(&self, _world: &World) -> String {
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
}

impl Tell for Vec<Pool> {
    fn tell(&self, world: &World) -> String {
        self.iter().map(|pool| pool.tell(world)).collect::<Vec<_>>().join("; ")
    }
}

impl Tell for () {
    fn tell(&self, _world: &World) -> String {
        "done".to_owned()
    }
}

/// The id without its leading zeros; the secret as the byte of which all of it consists.
impl Tell for ApiKey {
    fn tell(&self, _world: &World) -> String {
        let scopes: Vec<&str> = self.scopes.iter().map(KeyScope::as_str).collect();
        let id = self.id.to_string();
        let mut text =
            format!("{} {} {} secret {}", id.trim_start_matches('0'), self.name, scopes.join("+"), self.secret_hash[0]);
        if let Some(requests) = self.requests_per_s {
            text = format!("{text} {requests}/s");
        }
        for (what, instant) in [("until", self.expires_at), ("revoked", self.revoked_at)] {
            if let Some(instant) = instant {
                text = format!("{text} {what} {}", instant_text(instant));
            }
        }
        format!("{text} v{}", self.version)
    }
}

impl Tell for HoldReply {
    fn tell(&self, world: &World) -> String {
        let hold = &self.hold;
        let what = match &hold.kept {
            Some(Kept { mode, lines, .. }) => format!("{} {}", mode.as_str(), lines_text(lines)),
            None => format!("{} until {}", lines_text(&hold.lines), instant_text(hold.expires_at)),
        };
        let pools = match self.pool_versions.as_slice() {
            [] => String::new(),
            versions => format!(", pools at {}", join(versions)),
        };
        format!("{} {} {what} v{}{pools}", name(world, hold.id), hold.state.as_str(), hold.version)
    }
}

impl Tell for LapsedHoldsExpired {
    fn tell(&self, _world: &World) -> String {
        format!("{} expired{}", self.count, if self.more_left { ", more left" } else { "" })
    }
}

impl Tell for Owner {
    fn tell(&self, _world: &World) -> String {
        format!("{} holds {} for {} s", self.name, self.holds, self.lifetime_secs)
    }
}

impl Tell for Refusal {
    fn tell(&self, world: &World) -> String {
        match self {
            Refusal::Invalid(invalid) => format!("invalid: {invalid}"),
            refusal => format!("refused: {}", world.with_names(&refusal.to_string())),
        }
    }
}

impl Tell for Event {
    fn tell(&self, world: &World) -> String {
        let at =
            |hold: &HoldId, what: &str, versions: &[i64]| format!("{} {what} @{}", name(world, *hold), join(versions));
        match self {
            Event::SlugClaimed { slug, claimed_by } => format!("slug {slug} to {claimed_by}"),
            Event::TenantCreated { policy } => format!("created {}", policy.tell(world)),
            Event::PolicyChanged { policy } => format!("policy {}", policy.tell(world)),
            Event::KeyCreated { key } => format!("key {key} created"),
            Event::KeyRotated { key, replaced_by, ends_at } => {
                format!("key {key} replaced by {replaced_by} and ends at {}", instant_text(*ends_at))
            }
            Event::JournalTrimmed { before_seq } => format!("journal trimmed before {before_seq}"),
            Event::KeyRevoked { key } => format!("key {key} revoked"),
            Event::Operations(event) => format!("{event:?}"),
            Event::Repaired(event) => format!("{event:?}"),
            Event::Stays(event) => format!("{event:?}"),
            Event::Stock(event) => format!("{event:?}"),
            Event::PoolChanged { pool, version, total, overbook, granted, closed } => {
                let (version, total, overbook, granted, closed) = (*version, *total, *overbook, *granted, *closed);
                Pool { version, total, overbook, granted, closed, ..Pool::new(pool.clone()) }.tell(world)
            }
            Event::PoolOversold { pool, oversold } => format!("{} oversold {oversold}", pool_text(pool)),
            Event::HoldPlaced { hold, versions } => at(hold, "placed", versions),
            Event::HoldExtended { hold, expires_at } => {
                format!("{} extended until {}", name(world, *hold), instant_text(*expires_at))
            }
            Event::HoldCancelled { hold, versions } => at(hold, "cancelled", versions),
            Event::HoldExpired { hold, versions } => at(hold, "expired", versions),
            Event::HoldConverted { hold, mode, kept, versions } => {
                at(hold, &format!("{} {}", mode.as_str(), lines_text(kept)), versions)
            }
            Event::BookedGivenBack { hold, lines, versions } => {
                at(hold, &format!("back {}", lines_text(lines)), versions)
            }
            Event::BookedMoved { hold, from, to, pools, versions } => {
                let pools = pools.iter().map(pool_text).collect::<Vec<_>>().join(" ");
                at(hold, &format!("moved {} to {}, {pools}", lines_text(from), lines_text(to)), versions)
            }
        }
    }
}

fn name(world: &World, id: HoldId) -> String {
    world.with_names(&id.to_string())
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

fn instant_text(instant: Timestamp) -> String {
    let micros = instant.micros() - START.micros();
    match micros % 1_000_000 {
        0 => format!("{}", micros / 1_000_000),
        rest => format!("{}.{rest:06}", micros / 1_000_000),
    }
}

fn join(versions: &[i64]) -> String {
    versions.iter().map(ToString::to_string).collect::<Vec<_>>().join(",")
}
