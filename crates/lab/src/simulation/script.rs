//! What clients ask next: few pools and short lifetimes, so that they meet often.

use surehold_core::kernel::commands::{
    AdjustPool, CancelHold, ConvertHold, ExpireHold, ExtendHold, Extension, GiveBack, GrantUnits, MoveBooked,
    PlaceHold, PutPool,
};
use surehold_core::kernel::{
    ConvertMode, HoldId, HoldState, Line, Lines, OwnerName, PoolKey, ResourceName, Slot, TenantId, Timestamp,
};
use surehold_core::operations::builtin::expire_hold;
use uuid::Builder;

use super::deed::{Deed, Subject};
use super::requests::{Ask, BelievedHold, Notebook, Request};
use surehold_simulators::Dice;
use surehold_simulators::charge::{CHARGE, CHARGE_WITH_FEE, charge, charge_of};

pub(super) const TENANTS: [TenantId; 2] = [TenantId(1), TenantId(2)];
const SLOTS: [&str; 5] = ["", "2027-03-01", "2027-03-02", "2027-03-03", "2027-03-04"];
const OWNERS: [&str; 3] = ["ann", "bob", "eve"];
const LIFETIME_SECS_MAX: usize = 30;

/// Chooses requests; all chance comes from the seed.
#[derive(Debug)]
pub(super) struct Author {
    pub(super) dice: Dice,
    keys: usize,
    purchases: usize,
}

fn units(roll: usize) -> i64 {
    i64::try_from(roll).expect("a small number")
}

pub(super) fn pool(slot: usize) -> PoolKey {
    let resource = if slot == 0 { "stock" } else { "room" };
    let resource = ResourceName::new(resource).expect("a legal name");
    PoolKey { resource, slot: Slot::parse(SLOTS[slot]).expect("a date or nothing") }
}

/// Makes all pools.
pub(super) fn supply(dice: &mut Dice) -> Vec<(TenantId, PoolKey, PutPool)> {
    let mut puts = Vec::new();
    for tenant in TENANTS {
        for slot in 0..SLOTS.len() {
            let total = units(if slot == 0 { 20 + dice.roll(30) } else { 4 + dice.roll(10) });
            puts.push((tenant, pool(slot), PutPool::new(pool(slot), total).expect("a legal total")));
        }
    }
    puts
}

impl Author {
    pub(super) fn new(dice: Dice) -> Author {
        Author { dice, keys: 0, purchases: 0 }
    }

    pub(super) fn roll(&mut self, sides: usize) -> usize {
        self.dice.roll(sides)
    }

    fn tenant(&mut self) -> TenantId {
        TENANTS[usize::from(self.roll(5) == 0)]
    }

    fn pool(&mut self) -> PoolKey {
        pool(self.dice.roll(SLOTS.len()))
    }

    fn lines(&mut self) -> Lines {
        let first = self.roll(SLOTS.len());
        let count = 1 + self.roll(3);
        let slots = (first..SLOTS.len()).take(count);
        let lines = slots.map(|slot| Line { pool: pool(slot), quantity: 1 + units(self.dice.roll(2)) });
        Lines::new(lines.collect()).expect("a few different pools")
    }

    /// Some of them, perhaps all, perhaps too many.
    fn part_of(&mut self, lines: &Lines) -> Lines {
        let some = lines.iter().filter(|_| self.dice.roll(3) > 0).cloned().collect::<Vec<Line>>();
        let some = if some.is_empty() { lines.iter().take(1).cloned().collect() } else { some };
        let mut some: Vec<Line> = some;
        if self.roll(2) == 0 {
            some[0].quantity = 1;
        }
        Lines::new(some).expect("some of legal lines")
    }

    fn new_id(&mut self, now: Timestamp) -> HoldId {
        let millis = u64::try_from(now.micros() / 1_000).expect("after 1970");
        let mut random = [0; 10];
        random.fill_with(|| u8::try_from(self.dice.roll(256)).expect("a byte"));
        HoldId::new(Builder::from_unix_timestamp_millis(millis, &random).into_uuid()).expect("version 7")
    }

    fn new_key(&mut self) -> String {
        self.keys += 1;
        format!("key-{}", self.keys)
    }

    /// A hold to do something to: a live one if possible.
    fn hold(
        &mut self,
        notes: &Notebook,
        aim: Option<HoldId>,
        wanted: impl Fn(&BelievedHold) -> bool,
    ) -> Option<BelievedHold> {
        if let Some(aim) = aim {
            return notes.holds.iter().rev().find(|known| known.id == aim).cloned();
        }
        let recent: Vec<&BelievedHold> = notes.holds.iter().rev().filter(|known| wanted(known)).take(8).collect();
        if recent.is_empty() || self.roll(12) == 0 {
            let index = self.roll(notes.holds.len().max(1));
            return notes.holds.get(index).cloned();
        }
        Some(recent[self.roll(recent.len())].clone())
    }

    /// `aim` is a hold that something is about to happen to.
    pub(super) fn next(&mut self, notes: &mut Notebook, now: Timestamp, aim: Option<HoldId>) -> Request {
        let roll = if aim.is_some() { 36 + self.roll(36) } else { self.roll(100) };
        let request = match roll {
            0..36 => None,
            36..52 => self.convert(notes, aim),
            52..58 => self.ending(notes, aim, |id| CancelHold { id }.into()),
            58..67 => self.extend(notes, aim),
            67..72 => self.ending(notes, aim, |id| ExpireHold { id }.into()),
            72..77 => self.give_back(notes),
            77..83 => self.shift(notes),
            83..91 => Some(self.capacity()),
            91..96 => self.expiry_task(notes),
            _ => Some(self.purchase()),
        };
        request.unwrap_or_else(|| self.place(notes, now))
    }

    fn deed(tenant: TenantId, deed: impl Into<Deed>, subject: Subject) -> Request {
        let ask = Ask::Deed { deed: deed.into(), subject };
        Request { tenant, ask, key: None, repeatable: true, calls: Vec::new() }
    }

    /// Asking again is harmless only under a key.
    fn keyed(&mut self, request: Request) -> Request {
        Request { key: Some(self.new_key()), ..request }
    }

    /// With a key or not, as chance will have it.
    fn perhaps_keyed(&mut self, request: Request) -> Request {
        if self.roll(4) == 0 { self.keyed(request) } else { request }
    }

    fn place(&mut self, notes: &mut Notebook, now: Timestamp) -> Request {
        let (tenant, id, lines) = (self.tenant(), self.new_id(now), self.lines());
        notes.add_hold(tenant, id, lines.clone());
        let mut place = PlaceHold::new(id, lines);
        if self.roll(5) > 0 {
            let secs = 1 + self.roll(LIFETIME_SECS_MAX);
            place = place.lifetime_secs(units(secs)).expect("a legal lifetime");
        }
        if self.roll(3) == 0 {
            place = place.owner(OwnerName::new(OWNERS[self.roll(OWNERS.len())]).expect("a legal name"));
        }
        let request = Author::deed(tenant, place, Subject::Hold(id));
        self.perhaps_keyed(request)
    }

    fn convert(&mut self, notes: &Notebook, aim: Option<HoldId>) -> Option<Request> {
        let known = self.hold(notes, aim, is_active)?;
        let mode = if self.roll(4) == 0 { ConvertMode::Consume } else { ConvertMode::Book };
        let part = (self.roll(3) == 0).then(|| self.part_of(&known.lines));
        let convert = ConvertHold { id: known.id, mode, part };
        let request = Author::deed(known.tenant, convert, Subject::Hold(known.id));
        Some(self.perhaps_keyed(request))
    }

    fn ending(&mut self, notes: &Notebook, aim: Option<HoldId>, ending: fn(HoldId) -> Deed) -> Option<Request> {
        let known = self.hold(notes, aim, is_active)?;
        let request = Author::deed(known.tenant, ending(known.id), Subject::Hold(known.id));
        Some(self.perhaps_keyed(request))
    }

    fn extend(&mut self, notes: &Notebook, aim: Option<HoldId>) -> Option<Request> {
        let known = self.hold(notes, aim, is_active)?;
        let secs = 1 + units(self.roll(LIFETIME_SECS_MAX));
        let until = known.expires_at.filter(|_| self.roll(2) == 0).map(|at| Extension::Until(at.plus_secs(secs)));
        let extend = ExtendHold::new(known.id, until.unwrap_or(Extension::BySecs(secs))).expect("a legal lifetime");
        let extend = if self.roll(4) == 0 { extend.for_payment() } else { extend };
        let request = Author::deed(known.tenant, extend, Subject::Hold(known.id));
        Some(if until.is_some() { self.perhaps_keyed(request) } else { self.keyed(request) })
    }

    fn give_back(&mut self, notes: &Notebook) -> Option<Request> {
        let known = self.hold(notes, None, |known| known.booked.is_some())?;
        let part = known.booked.filter(|_| self.roll(2) == 0).map(|lines| self.part_of(&lines));
        let request = Author::deed(known.tenant, GiveBack { id: known.id, part }, Subject::Hold(known.id));
        Some(self.keyed(request))
    }

    fn shift(&mut self, notes: &Notebook) -> Option<Request> {
        let known = self.hold(notes, None, |known| known.booked.is_some())?;
        let booked = known.booked.unwrap_or(known.lines);
        let (from, to) = (self.part_of(&booked), self.lines());
        let request = Author::deed(known.tenant, MoveBooked { id: known.id, from, to }, Subject::Hold(known.id));
        Some(self.keyed(request))
    }

    fn capacity(&mut self) -> Request {
        let (tenant, key) = (self.tenant(), self.pool());
        let subject = Subject::Pool(key.clone());
        match self.roll(5) {
            0 | 1 => {
                let delta = units(self.roll(8)) - 3;
                let delta = if delta == 0 { 4 } else { delta };
                let request = Author::deed(tenant, AdjustPool::new(key, delta).expect("a few units"), subject);
                self.keyed(request)
            }
            2 => {
                let delta = units(self.roll(4)) - 2;
                let delta = if delta == 0 { -1 } else { delta };
                let request = Author::deed(tenant, GrantUnits::new(key, delta).expect("a few units"), subject);
                self.keyed(request)
            }
            _ => {
                let total = units(3 + self.roll(14));
                let mut put = PutPool::new(key, total).expect("a legal total");
                put = put.overbook(units(self.roll(2))).expect("a few units");
                if self.roll(3) == 0 {
                    put = put.closed(self.roll(4) == 0);
                } else {
                    put = put.closed(false);
                }
                let request = Author::deed(tenant, put, subject);
                self.perhaps_keyed(request)
            }
        }
    }

    fn expiry_task(&mut self, notes: &Notebook) -> Option<Request> {
        let known = self.hold(notes, None, is_active)?;
        let task = expire_hold(known.id).expect("a legal key");
        Some(Author::task(known.tenant, task))
    }

    fn purchase(&mut self) -> Request {
        self.purchases += 1;
        let name = format!("p{}", self.purchases);
        let kind = if self.roll(3) == 0 { &CHARGE_WITH_FEE } else { &CHARGE };
        let tenant = self.tenant();
        let task = if self.roll(3) == 0 { charge_of(kind, &name, "card") } else { charge(kind, &name, 100) };
        Author::task(tenant, task)
    }

    fn task(tenant: TenantId, task: surehold_core::operations::NewOperation) -> Request {
        Request { tenant, ask: Ask::Task(Box::new(task)), key: None, repeatable: true, calls: Vec::new() }
    }

    /// Something else under a key that is in use.
    pub(super) fn reuse(&mut self, notes: &mut Notebook, now: Timestamp) -> Option<Request> {
        let used: Vec<&Request> = notes.requests.iter().rev().filter(|request| request.key.is_some()).take(5).collect();
        let index = self.roll(used.len().max(1));
        let (tenant, key) = used.get(index).map(|request| (request.tenant, request.key.clone()))?;
        let mut request = self.place(notes, now);
        if let Some(known) = notes.holds.last_mut() {
            known.tenant = tenant;
        }
        request.tenant = tenant;
        request.key = key;
        Some(request)
    }
}

fn is_active(known: &BelievedHold) -> bool {
    known.state == Some(HoldState::Active)
}
