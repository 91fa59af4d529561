//! Replies, records, events and refusals as short text.

use surehold_core::kernel::commands::{HoldReply, LapsedHoldsExpired};
use surehold_core::kernel::{
    ApiKey, Event, Hold, HoldId, HoldPolicy, Kept, KeyScope, Line, Owner, Pool, PoolKey, Refusal, Slot, Tenant,
    TenantId,
};

use crate::context::Context;

pub trait Describe {
    fn describe(&self, context: &Context) -> String;
}

/// What a store must have after a reply said so.
#[derive(Clone, Debug)]
pub enum StoredRecord {
    Tenant(Tenant),
    Policy(HoldPolicy),
    Pool(Pool),
    Hold(Hold),
    Key(ApiKey),
}

/// The reply of a command of the kernel.
pub trait Reply: Describe {
    fn stored_records(&self) -> Vec<StoredRecord>;
}

impl Describe for TenantId {
    fn describe(&self, _context: &Context) -> String {
        format!("tenant {self}")
    }
}

impl Reply for TenantId {
    fn stored_records(&self) -> Vec<StoredRecord> {
        Vec::new()
    }
}

impl Describe for Tenant {
    fn describe(&self, context: &Context) -> String {
        format!("{} {} v{}", self.slug, self.policy.describe(context), self.version)
    }
}

impl Reply for Tenant {
    fn stored_records(&self) -> Vec<StoredRecord> {
        vec![StoredRecord::Tenant(self.clone())]
    }
}

impl Describe for HoldPolicy {
    fn describe(&self, _context: &Context) -> String {
        let HoldPolicy { lifetime_secs_default, lifetime_secs_max, owner_holds_max, owner_lifetime_secs_max } = self;
        format!("{lifetime_secs_default}/{lifetime_secs_max} s, {owner_holds_max} holds of {owner_lifetime_secs_max} s")
    }
}

impl Reply for HoldPolicy {
    fn stored_records(&self) -> Vec<StoredRecord> {
        vec![StoredRecord::Policy(*self)]
    }
}

impl Describe for Pool {
    fn describe(&self, _context: &Context) -> String {
        let counters = [
            ("overbook", self.overbook),
            ("held", self.held),
            ("booked", self.booked),
            ("granted", self.granted),
            ("oversold", self.oversold),
        ];
        let counted = counters.iter().filter(|(_, units)| *units != 0).map(|(name, units)| format!(" {name} {units}"));
        let closed = if self.closed { " closed" } else { "" };
        format!("{}={}{}{closed} v{}", pool_text(&self.key), self.total, counted.collect::<String>(), self.version)
    }
}

impl Reply for Pool {
    fn stored_records(&self) -> Vec<StoredRecord> {
        vec![StoredRecord::Pool(self.clone())]
    }
}

impl Describe for Vec<Pool> {
    fn describe(&self, context: &Context) -> String {
        self.iter().map(|pool| pool.describe(context)).collect::<Vec<_>>().join("; ")
    }
}

impl Reply for Vec<Pool> {
    fn stored_records(&self) -> Vec<StoredRecord> {
        self.iter().cloned().map(StoredRecord::Pool).collect()
    }
}

impl Describe for () {
    fn describe(&self, _context: &Context) -> String {
        "done".to_owned()
    }
}

impl Reply for () {
    fn stored_records(&self) -> Vec<StoredRecord> {
        Vec::new()
    }
}

/// The id without its leading zeros; the secret as the byte of which all of its hash consists.
impl Describe for ApiKey {
    fn describe(&self, context: &Context) -> String {
        let scopes: Vec<&str> = self.scopes.iter().map(KeyScope::as_str).collect();
        let id = self.id.to_string();
        let mut text =
            format!("{} {} {} secret {}", id.trim_start_matches('0'), self.name, scopes.join("+"), self.secret_hash[0]);
        if let Some(requests) = self.requests_per_s {
            text = format!("{text} {requests}/s");
        }
        for (what, instant) in [("until", self.expires_at), ("revoked", self.revoked_at)] {
            if let Some(instant) = instant {
                text = format!("{text} {what} {}", context.instant_text(instant));
            }
        }
        format!("{text} v{}", self.version)
    }
}

impl Reply for ApiKey {
    fn stored_records(&self) -> Vec<StoredRecord> {
        vec![StoredRecord::Key(self.clone())]
    }
}

impl Describe for Hold {
    fn describe(&self, context: &Context) -> String {
        let what = match &self.kept {
            Some(Kept { mode, lines, .. }) => format!("{} {}", mode.as_str(), lines_text(lines)),
            None if context.has_start() => {
                format!("{} until {}", lines_text(&self.lines), context.instant_text(self.expires_at))
            }
            None => format!("{} for {} s", lines_text(&self.lines), self.expires_at.secs_since(self.placed_at)),
        };
        let owner = self.owner.as_ref().map(|owner| format!(" by {owner}"));
        let reference = self.reference.as_ref().map(|reference| format!(" as {reference}"));
        let metadata = self.metadata.as_ref().map(|metadata| format!(" with {}", metadata.as_str()));
        let extras: String = [owner, reference, metadata].into_iter().flatten().collect();
        format!("{} {} {what}{extras} v{}", name(context, self.id), self.state.as_str(), self.version)
    }
}

impl Describe for HoldReply {
    fn describe(&self, context: &Context) -> String {
        let pools = match self.pool_versions.as_slice() {
            [] => String::new(),
            versions => format!(", pools at {}", join(versions)),
        };
        format!("{}{pools}", self.hold.describe(context))
    }
}

impl Reply for HoldReply {
    fn stored_records(&self) -> Vec<StoredRecord> {
        vec![StoredRecord::Hold(self.hold.clone())]
    }
}

impl Describe for LapsedHoldsExpired {
    fn describe(&self, _context: &Context) -> String {
        format!("{} expired{}", self.count, if self.more_left { ", more left" } else { "" })
    }
}

impl Reply for LapsedHoldsExpired {
    fn stored_records(&self) -> Vec<StoredRecord> {
        Vec::new()
    }
}

impl Describe for Owner {
    fn describe(&self, _context: &Context) -> String {
        format!("{} holds {} for {} s", self.name, self.holds, self.lifetime_secs)
    }
}

impl Describe for Refusal {
    fn describe(&self, context: &Context) -> String {
        match self {
            Refusal::Invalid(invalid) => format!("invalid: {invalid}"),
            // These name instants.
            Refusal::HoldNotDue { .. } if !context.has_start() => "refused: the hold is not due".to_owned(),
            Refusal::IdOutsideWindow { .. } if !context.has_start() => {
                "refused: the id is outside of its window".to_owned()
            }
            refusal => format!("refused: {}", context.with_names(&refusal.to_string())),
        }
    }
}

impl Describe for Event {
    fn describe(&self, context: &Context) -> String {
        let at = |hold: &HoldId, what: &str, versions: &[i64]| {
            format!("{} {what} @{}", name(context, *hold), join(versions))
        };
        match self {
            Event::SlugClaimed { slug, claimed_by } => format!("slug {slug} to {claimed_by}"),
            Event::TenantCreated { policy } => format!("created {}", policy.describe(context)),
            Event::PolicyChanged { policy } => format!("policy {}", policy.describe(context)),
            Event::KeyCreated { key } => format!("key {key} created"),
            Event::KeyRotated { key, replaced_by, ends_at } => {
                format!("key {key} replaced by {replaced_by} and ends at {}", context.instant_text(*ends_at))
            }
            Event::JournalTrimmed { before_seq } => format!("journal trimmed before {before_seq}"),
            Event::KeyRevoked { key } => format!("key {key} revoked"),
            surehold_core::module_event!() => format!("{self:?}"),
            Event::PoolChanged { pool, version, total, overbook, granted, closed } => {
                let (version, total, overbook, granted, closed) = (*version, *total, *overbook, *granted, *closed);
                Pool { version, total, overbook, granted, closed, ..Pool::new(pool.clone()) }.describe(context)
            }
            Event::PoolOversold { pool, oversold } => format!("{} oversold {oversold}", pool_text(pool)),
            Event::HoldPlaced { hold, versions } => at(hold, "placed", versions),
            Event::HoldExtended { hold, expires_at } => {
                format!("{} extended until {}", name(context, *hold), context.instant_text(*expires_at))
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

fn name(context: &Context, id: HoldId) -> String {
    context.with_names(&id.to_string())
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
