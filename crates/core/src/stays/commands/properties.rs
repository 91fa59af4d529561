//! Properties, their room types and rate plans: created or replaced, never removed. A repeat changes nothing.

use super::{Decision, known_property, require_tenant};
use crate::kernel::{Command, Currency, Facts, Invalid, Reads, Stop, Tenant, Title};
use crate::operations::TimeZoneName;
use crate::stays::{
    CancellationPolicy, LocalTime, PaymentAccount, Property, PropertyName, PropertyTerms, RatePlan, RatePlanKey,
    RoomType, RoomTypeKey, StayRefusal, StaysEvent,
};

/// With these a quote reads some thousand rows at most.
pub const ROOM_TYPES_MAX: u32 = 100;
pub const RATE_PLANS_MAX: u32 = 20;

const GUESTS_PER_ROOM_MAX: u32 = 1_000;

/// Refuses, in this order: no such tenant; another currency than the property has.
#[derive(Clone, Debug)]
pub struct PutProperty {
    name: PropertyName,
    title: Title,
    time_zone: TimeZoneName,
    currency: Currency,
    check_in: LocalTime,
    terms: PropertyTerms,
    payment_account: Option<PaymentAccount>,
}

impl PutProperty {
    pub fn new(name: PropertyName, title: Title, time_zone: TimeZoneName, currency: Currency) -> PutProperty {
        let (check_in, terms) = (LocalTime::CHECK_IN, PropertyTerms::default());
        PutProperty { name, title, time_zone, currency, check_in, terms, payment_account: None }
    }

    #[must_use]
    pub fn check_in(self, check_in: LocalTime) -> PutProperty {
        PutProperty { check_in, ..self }
    }

    pub fn terms(self, terms: PropertyTerms) -> Result<PutProperty, Invalid> {
        terms.check()?;
        Ok(PutProperty { terms, ..self })
    }

    #[must_use]
    pub fn payment_account(self, account: PaymentAccount) -> PutProperty {
        PutProperty { payment_account: Some(account), ..self }
    }

    fn applied_to(&self, known: Option<&Property>) -> Property {
        Property {
            name: self.name.clone(),
            title: self.title.clone(),
            time_zone: self.time_zone.clone(),
            currency: self.currency,
            check_in: self.check_in,
            terms: self.terms.into(),
            payment_account: self.payment_account.clone(),
            room_types: known.map_or(0, |known| known.room_types),
            rate_plans: known.map_or(0, |known| known.rate_plans),
            version: known.map_or(0, |known| known.version),
        }
    }
}

impl Command for PutProperty {
    const NAME: &'static str = "put_property";
    type Reply = Property;
    type Refusal = StayRefusal;

    fn reads(&self, reads: &mut Reads<'_>) {
        reads.record::<Tenant>(&());
        reads.record::<Property>(&self.name);
    }

    fn decide(&self, facts: &mut Facts) -> Result<Property, Stop<StayRefusal>> {
        require_tenant(facts)?;
        let known = facts.get::<Property>(&self.name)?.cloned();
        let currency = known.as_ref().map_or(self.currency, |known| known.currency);
        if currency != self.currency {
            return Err(StayRefusal::CurrencyFixed { property: self.name.clone(), currency }.into());
        }
        let wanted = self.applied_to(known.as_ref());
        if known.as_ref() == Some(&wanted) {
            facts.mark_replayed();
            return Ok(wanted);
        }
        let property = match facts.get_mut::<Property>(&self.name)? {
            Some(property) => {
                *property = Property { version: property.version, ..wanted };
                property.clone()
            }
            None => facts.insert(wanted).clone(),
        };
        let (name, version) = (property.name.clone(), property.version);
        facts.emit(&StaysEvent::PropertyChanged { property: name, version }.into());
        Ok(property)
    }
}

/// Refuses, in this order: no such tenant; no such property; as many room types as are allowed.
#[derive(Clone, Debug)]
pub struct PutRoomType {
    key: RoomTypeKey,
    title: Title,
    guests_max: u32,
}

impl PutRoomType {
    pub fn new(key: RoomTypeKey, title: Title, guests_max: u32) -> Result<PutRoomType, Invalid> {
        if !(1..=GUESTS_PER_ROOM_MAX).contains(&guests_max) {
            let (what, amount, amount_max) =
                ("guests_max".to_owned(), i64::from(guests_max), i64::from(GUESTS_PER_ROOM_MAX));
            return Err(Invalid::Amount { what, amount, amount_min: 1, amount_max });
        }
        Ok(PutRoomType { key, title, guests_max })
    }
}

impl Command for PutRoomType {
    const NAME: &'static str = "put_room_type";
    type Reply = RoomType;
    type Refusal = StayRefusal;

    fn reads(&self, reads: &mut Reads<'_>) {
        reads.record::<Tenant>(&());
        reads.record::<Property>(&self.key.property);
        reads.record::<RoomType>(&self.key);
    }

    fn decide(&self, facts: &mut Facts) -> Result<RoomType, Stop<StayRefusal>> {
        let property = known_property(facts, &self.key.property)?;
        let known = facts.get::<RoomType>(&self.key)?.cloned();
        let version = known.as_ref().map_or(0, |known| known.version);
        let (title, guests_max) = (self.title.clone(), self.guests_max);
        let wanted = RoomType { key: self.key.clone(), title, guests_max, version };
        if known.as_ref() == Some(&wanted) {
            facts.mark_replayed();
            return Ok(wanted);
        }
        let room_type = if let Some(room_type) = facts.get_mut::<RoomType>(&self.key)? {
            *room_type = RoomType { version: room_type.version, ..wanted };
            room_type.clone()
        } else {
            require_space(&property, "room types", property.room_types, ROOM_TYPES_MAX)?;
            count_one_more(facts, &property.name, |property| &mut property.room_types)?;
            facts.insert(wanted).clone()
        };
        let RoomTypeKey { property, code } = room_type.key.clone();
        facts.emit(&StaysEvent::RoomTypeChanged { property, room_type: code, version: room_type.version }.into());
        Ok(room_type)
    }
}

/// Refuses, in this order: no such tenant; no such property; as many rate plans as are allowed.
#[derive(Clone, Debug)]
pub struct PutRatePlan {
    key: RatePlanKey,
    title: Title,
    cancellation: CancellationPolicy,
}

impl PutRatePlan {
    pub fn new(key: RatePlanKey, title: Title, cancellation: CancellationPolicy) -> Result<PutRatePlan, Invalid> {
        cancellation.check()?;
        Ok(PutRatePlan { key, title, cancellation })
    }
}

impl Command for PutRatePlan {
    const NAME: &'static str = "put_rate_plan";
    type Reply = RatePlan;
    type Refusal = StayRefusal;

    fn reads(&self, reads: &mut Reads<'_>) {
        reads.record::<Tenant>(&());
        reads.record::<Property>(&self.key.property);
        reads.record::<RatePlan>(&self.key);
    }

    fn decide(&self, facts: &mut Facts) -> Result<RatePlan, Stop<StayRefusal>> {
        let property = known_property(facts, &self.key.property)?;
        let known = facts.get::<RatePlan>(&self.key)?.cloned();
        let version = known.as_ref().map_or(0, |known| known.version);
        let (title, cancellation) = (self.title.clone(), self.cancellation.into());
        let wanted = RatePlan { key: self.key.clone(), title, cancellation, version };
        if known.as_ref() == Some(&wanted) {
            facts.mark_replayed();
            return Ok(wanted);
        }
        let rate_plan = if let Some(rate_plan) = facts.get_mut::<RatePlan>(&self.key)? {
            *rate_plan = RatePlan { version: rate_plan.version, ..wanted };
            rate_plan.clone()
        } else {
            require_space(&property, "rate plans", property.rate_plans, RATE_PLANS_MAX)?;
            count_one_more(facts, &property.name, |property| &mut property.rate_plans)?;
            facts.insert(wanted).clone()
        };
        let RatePlanKey { property, code } = rate_plan.key.clone();
        facts.emit(&StaysEvent::RatePlanChanged { property, rate_plan: code, version: rate_plan.version }.into());
        Ok(rate_plan)
    }
}

fn require_space(property: &Property, what: &str, count: u32, count_max: u32) -> Decision<()> {
    if count < count_max {
        return Ok(());
    }
    Err(StayRefusal::PropertyFull { property: property.name.clone(), what: what.to_owned(), max: count }.into())
}

fn count_one_more(facts: &mut Facts, name: &PropertyName, of: impl Fn(&mut Property) -> &mut u32) -> Decision<()> {
    let property = facts.get_mut::<Property>(name)?.expect("read before");
    let count = of(property);
    *count = count.strict_add(1);
    Ok(())
}
