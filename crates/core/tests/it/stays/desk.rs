//! A property without a store. A refusal or a replay must have changed nothing.

use jiff::civil::Date;
use surehold_core::kernel::commands::CreateTenant;
use surehold_core::kernel::{
    Command, Currency, Event, Facts, HoldPolicy, Pool, Record, Slug, Stop, TenantId, Timestamp, Title, decode_events,
};
use surehold_core::operations::TimeZoneName;
use surehold_core::stays::commands::{
    InventoryChange, PutProperty, PutRatePlan, PutRoomType, RateChange, Set, SetCalendar,
};
use surehold_core::stays::quote::QuoteBasis;
use surehold_core::stays::{
    CancellationPolicy, NightRange, Penalty, Property, PropertyName, RateMonth, RatePlan, RatePlanCode, RatePlanKey,
    RoomType, RoomTypeCode, RoomTypeKey, StayDates, StayRefusal, Weekdays, pool_of, rate_month_keys,
};

use crate::codec;
use crate::state::dump;

pub(super) const FLEXIBLE: CancellationPolicy =
    CancellationPolicy { free_until_hours: Some(24), penalty: Penalty::Nights(1), no_show: Penalty::All };

pub(super) fn day(text: &str) -> Date {
    text.parse().unwrap()
}

pub(super) fn sea() -> PropertyName {
    PropertyName::new("sea").unwrap()
}

pub(super) fn room(code: &str) -> RoomTypeCode {
    RoomTypeCode::new(code).unwrap()
}

pub(super) fn plan(code: &str) -> RatePlanCode {
    RatePlanCode::new(code).unwrap()
}

pub(super) fn title(text: &str) -> Title {
    Title::new(text).unwrap()
}

pub(super) fn stay(checkin: &str, checkout: &str) -> StayDates {
    StayDates::new(day(checkin), day(checkout)).unwrap()
}

pub(super) fn price(price: i64) -> RateChange {
    RateChange { price: Set::To(price), ..RateChange::default() }
}

pub(super) fn put_property(currency: &str) -> PutProperty {
    let (zone, currency) = (TimeZoneName::parse("America/Sao_Paulo").unwrap(), Currency::parse(currency).unwrap());
    PutProperty::new(sea(), title("Sea View"), zone, currency)
}

pub(super) fn put_room(code: &str, guests_max: u32) -> PutRoomType {
    PutRoomType::new(RoomTypeKey { property: sea(), code: room(code) }, title(code), guests_max).unwrap()
}

pub(super) fn put_plan(code: &str) -> PutRatePlan {
    PutRatePlan::new(RatePlanKey { property: sea(), code: plan(code) }, title(code), FLEXIBLE).unwrap()
}

pub(super) struct Desk {
    facts: Facts,
    events_seen: usize,
}

#[derive(Debug)]
pub(super) struct Done<T> {
    pub(super) reply: T,
    pub(super) replayed: bool,
    pub(super) events: Vec<Event>,
}

impl Desk {
    pub(super) fn bare() -> Desk {
        let mut facts = Facts::complete(TenantId(1));
        // 2026-12-01T12:00:00Z
        facts.set_now(Timestamp::from_micros(1_796_126_400_000_000));
        Desk { facts, events_seen: 0 }
    }

    pub(super) fn with_tenant() -> Desk {
        let mut desk = Desk::bare();
        let create = CreateTenant::new(Slug::new("casa").unwrap(), HoldPolicy::default()).unwrap();
        create.decide(&mut desk.facts).unwrap();
        desk.facts.keep_changes();
        desk.events_seen = desk.facts.events().0.len();
        desk
    }

    /// A property with double and single rooms in the plans `flex` and `fixed`.
    pub(super) fn open() -> Desk {
        let mut desk = Desk::with_tenant();
        desk.run(&put_property("BRL")).unwrap();
        desk.run(&put_room("double", 2)).unwrap();
        desk.run(&put_room("single", 1)).unwrap();
        desk.run(&put_plan("flex")).unwrap();
        desk.run(&put_plan("fixed")).unwrap();
        desk
    }

    pub(super) fn now(&self) -> Timestamp {
        self.facts.now()
    }

    pub(super) fn pass(&mut self, secs: i64) {
        self.facts.set_now(self.facts.now().plus_secs(secs));
    }

    pub(super) fn facts(&mut self) -> &mut Facts {
        &mut self.facts
    }

    pub(super) fn run<C: Command<Refusal = StayRefusal>>(
        &mut self,
        command: &C,
    ) -> Result<Done<C::Reply>, StayRefusal> {
        let before = self.state();
        match command.decide(&mut self.facts) {
            Ok(reply) => {
                let replayed = self.facts.keep_changes();
                codec::check_reply(&reply);
                let events = decode_events(&self.facts.events().0[self.events_seen..]).unwrap();
                self.events_seen = self.facts.events().0.len();
                assert_eq!(replayed, events.is_empty(), "what changes something is told");
                assert!(!replayed || before == self.state(), "a replay changes nothing");
                Ok(Done { reply, replayed, events })
            }
            Err(Stop::Refused(refusal)) => {
                self.facts.drop_changes();
                assert_eq!(before, self.state(), "a refusal changes nothing");
                Err(refusal)
            }
            Err(Stop::Halted(halt)) => panic!("{halt:?} with all facts at hand"),
        }
    }

    fn state(&self) -> Vec<String> {
        let mut records: Vec<String> = dump(&self.facts).iter().map(|record| format!("{record:?}")).collect();
        records.sort();
        records
    }

    pub(super) fn record<R: Record>(&mut self, key: &R::Key) -> Option<R> {
        let record = self.facts.get::<R>(key).unwrap().cloned();
        record.iter().for_each(codec::check_record);
        record
    }

    pub(super) fn set(&mut self, room_type: &str, from: &str, until: &str, rooms: i64, rates: &[(&str, RateChange)]) {
        let inventory = Some(InventoryChange { total: Some(rooms), ..InventoryChange::default() });
        let range = NightRange::new(day(from), day(until)).unwrap();
        let rates = rates.iter().map(|(code, change)| (plan(code), *change)).collect();
        let set = SetCalendar::new(sea(), room(room_type), range, Weekdays::ALL, inventory, rates).unwrap();
        self.run(&set).unwrap();
    }

    /// What a view would read.
    pub(super) fn basis(&mut self, dates: StayDates) -> QuoteBasis {
        let property = self.record::<Property>(&sea()).unwrap();
        let (mut room_types, mut rate_plans, mut months, mut pools) = <(Vec<_>, Vec<_>, Vec<_>, Vec<_>)>::default();
        for code in ["double", "single"].map(room) {
            room_types.extend(self.record::<RoomType>(&RoomTypeKey { property: sea(), code: code.clone() }));
            let keys = dates.nights().map(|night| pool_of(&sea(), &code, night));
            pools.extend(keys.filter_map(|key| self.record::<Pool>(&key)));
            for rate_plan in ["fixed", "flex"].map(plan) {
                let keys = rate_month_keys(&sea(), &code, &rate_plan, dates);
                months.extend(keys.iter().filter_map(|key| self.record::<RateMonth>(key)));
            }
        }
        for code in ["fixed", "flex"].map(plan) {
            rate_plans.extend(self.record::<RatePlan>(&RatePlanKey { property: sea(), code }));
        }
        QuoteBasis { property, room_types, rate_plans, months, pools }
    }
}
