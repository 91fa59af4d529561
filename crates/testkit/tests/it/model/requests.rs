//! Turns what is to be done into commands, with the ids and versions that are there at that moment.

use surehold_core::kernel::HoldId;
use surehold_core::kernel::commands::{
    AdjustPool, CancelHold, ConvertHold, CreateTenant, ExpireHold, ExpireLapsedHolds, ExtendHold, Extension, GiveBack,
    GrantUnits, MoveBooked, PlaceHold, PutPool, SetPolicy,
};
use surehold_core::kernel::{HoldPolicy, Metadata, OwnerName, Reference, Slug};
use uuid::{Builder, Uuid};

use super::deed::{Deed, Request};
use super::runner::{Play, policy};
use super::workload::{HALF_UNIT_SECS, OWNERS, Part, UNIT_SECS, key};

impl Play<'_> {
    /// The command, if there is something to do it to.
    pub(super) fn request(&mut self, part: &Part, key: Option<usize>) -> Option<Request> {
        let deed = match part {
            Part::Put { .. } | Part::Adjust { .. } | Part::Grant { .. } => self.capacity(part),
            Part::CreateTenant { same } => {
                let slug = format!("t{}{}", self.tenant, if *same { "" } else { "-other" });
                CreateTenant::new(Slug::new(&slug).unwrap(), policy()).unwrap().into()
            }
            Part::SetPolicy { holds, owner_units } => {
                let (owner_holds_max, owner_lifetime_secs_max) = (*holds, owner_units * UNIT_SECS);
                let policy = self.pure.tenant().policy;
                SetPolicy::new(HoldPolicy { owner_holds_max, owner_lifetime_secs_max, ..policy }).unwrap().into()
            }
            Part::Place { .. } => {
                let place = self.placement(part);
                self.asked.push(place.clone());
                place.into()
            }
            Part::Sweep => ExpireLapsedHolds.into(),
            Part::PlaceAgain { ago } => self.asked.iter().rev().nth(*ago)?.clone().into(),
            Part::GiveBack { ago, part } => GiveBack { id: self.booked_hold(*ago)?, part: part.clone() }.into(),
            Part::Move { ago, from, to } => {
                let id = self.booked_hold(*ago)?;
                let from = from.clone().or_else(|| self.pure.booked(id)).unwrap_or_else(|| to.clone());
                MoveBooked { id, from, to: to.clone() }.into()
            }
            Part::Extend { ago, .. } | Part::Cancel { ago } | Part::Expire { ago } | Part::Convert { ago, .. } => {
                let id = self.asked.iter().rev().nth(*ago)?.id();
                self.fate(part, id)
            }
        };
        Some(Request { deed, key: key.map(|key| format!("k{key}")) })
    }

    fn capacity(&mut self, part: &Part) -> Deed {
        match part {
            Part::Put { pool, total, overbook, closed, version_off } => {
                let put = |total: i64| PutPool::new(key(*pool), total).unwrap();
                let command = total.map_or_else(|| PutPool::leaving_total(key(*pool)), put);
                let mut command = command.overbook(*overbook).unwrap();
                if let Some(closed) = closed {
                    command = command.closed(*closed);
                }
                if let Some(off) = version_off {
                    command = command.expected_version(self.pure.pool_version(&key(*pool)) + off);
                }
                command.into()
            }
            Part::Adjust { pool, units } => AdjustPool::new(key(*pool), *units).unwrap().into(),
            Part::Grant { pool, units } => GrantUnits::new(key(*pool), *units).unwrap().into(),
            other => unreachable!("{other:?} is not about capacity"),
        }
    }

    fn placement(&self, part: &Part) -> PlaceHold {
        let Part::Place { lines, owner, units, extras } = part else { unreachable!("{part:?} places nothing") };
        let mut command = PlaceHold::new(self.new_id(), lines.clone());
        if let Some(units) = units {
            command = command.lifetime_secs(units * UNIT_SECS + HALF_UNIT_SECS).unwrap();
        }
        if let Some(owner) = owner {
            command = command.owner(OwnerName::new(OWNERS[*owner]).unwrap());
        }
        if *extras {
            command = command.reference(Reference::new("cart é").unwrap());
            command = command.metadata(Metadata::new(&serde_json::json!({"n": [1.5, null], "é": "\u{0}"})).unwrap());
        }
        command
    }

    fn fate(&self, part: &Part, id: HoldId) -> Deed {
        match part {
            Part::Extend { units, until, paying, .. } => {
                let secs = units * UNIT_SECS;
                let until = until.then(|| Extension::Until(self.stage.clock().plus_secs(secs + HALF_UNIT_SECS)));
                let command = ExtendHold::new(id, until.unwrap_or(Extension::BySecs(secs))).unwrap();
                if *paying { command.for_payment().into() } else { command.into() }
            }
            Part::Cancel { .. } => CancelHold { id }.into(),
            Part::Expire { .. } => ExpireHold { id }.into(),
            Part::Convert { mode, part, .. } => ConvertHold { id, mode: *mode, part: part.clone() }.into(),
            other => unreachable!("{other:?} is not about an active hold"),
        }
    }

    /// A hold with something booked; failing that, any.
    fn booked_hold(&mut self, ago: usize) -> Option<HoldId> {
        let ids: Vec<HoldId> = self.asked.iter().rev().map(PlaceHold::id).collect();
        let booked: Vec<HoldId> = ids.iter().copied().filter(|id| self.pure.booked(*id).is_some()).collect();
        booked.get(ago / 3).or(ids.first()).copied()
    }

    fn new_id(&self) -> HoldId {
        let millis = u64::try_from(self.stage.clock().micros() / 1_000).unwrap();
        let random = Uuid::now_v7().into_bytes();
        HoldId::new(Builder::from_unix_timestamp_millis(millis, random[6..].try_into().unwrap()).into_uuid()).unwrap()
    }
}
