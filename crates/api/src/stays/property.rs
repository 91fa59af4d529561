//! Properties, their room types and rate plans on the wire.

use surehold_core::kernel::{Currency, Invalid, Title};
use surehold_core::operations::TimeZoneName;
use surehold_core::stays::{
    self, LocalTime, PaymentAccount, PropertyName, RatePlanCode, RatePlanKey, RoomTypeCode, RoomTypeKey, commands,
};

use crate::describe::wire;

/// How long things last. What is left out has its default.
#[wire(Copy)]
#[serde(default)]
pub struct PropertyTerms {
    /// A quote is good for so long.
    #[schema(minimum = 60, maximum = 2_592_000, default = 1_800)]
    pub quote_secs: i64,
    /// Rooms are held for so long while a guest decides.
    #[schema(minimum = 60, maximum = 2_592_000, default = 900)]
    pub hold_secs: i64,
    /// The hold outlives the payment page by this.
    #[schema(minimum = 0, maximum = 86_400, default = 300)]
    pub session_grace_secs: i64,
    /// Rooms are held for so long while a payment is on its way that takes days.
    #[schema(minimum = 0, maximum = 2_592_000, default = 432_000)]
    pub async_payment_secs: i64,
}

impl Default for PropertyTerms {
    fn default() -> PropertyTerms {
        stays::PropertyTerms::default().into()
    }
}

impl From<stays::PropertyTerms> for PropertyTerms {
    fn from(terms: stays::PropertyTerms) -> PropertyTerms {
        let stays::PropertyTerms { quote_secs, hold_secs, session_grace_secs, async_payment_secs } = terms;
        PropertyTerms { quote_secs, hold_secs, session_grace_secs, async_payment_secs }
    }
}

impl From<PropertyTerms> for stays::PropertyTerms {
    fn from(terms: PropertyTerms) -> stays::PropertyTerms {
        let PropertyTerms { quote_secs, hold_secs, session_grace_secs, async_payment_secs } = terms;
        stays::PropertyTerms { quote_secs, hold_secs, session_grace_secs, async_payment_secs }
    }
}

/// A property as a whole: what is left out gets its default again.
#[wire]
#[schema(example = json!({
    "title": "Casa Mar", "time_zone": "America/Sao_Paulo", "currency": "BRL", "check_in": "15:00",
    "terms": {"quote_secs": 1_800, "hold_secs": 900, "session_grace_secs": 300, "async_payment_secs": 432_000},
    "payment_account": "acct_1"
}))]
pub struct PutProperty {
    pub title: Title,
    #[schema(max_length = 64)]
    pub time_zone: TimeZoneName,
    /// Of all its prices. Cannot be changed later.
    pub currency: Currency,
    /// From when on rooms are ready.
    #[serde(default = "check_in")]
    pub check_in: LocalTime,
    #[serde(default)]
    pub terms: PropertyTerms,
    /// The account at the payment provider; without one nothing can be paid online.
    pub payment_account: Option<PaymentAccount>,
}

fn check_in() -> LocalTime {
    LocalTime::CHECK_IN
}

impl PutProperty {
    pub fn into_command(self, name: PropertyName) -> Result<commands::PutProperty, Invalid> {
        let put = commands::PutProperty::new(name, self.title, self.time_zone, self.currency);
        let put = put.check_in(self.check_in).terms(self.terms.into())?;
        Ok(match self.payment_account {
            Some(account) => put.payment_account(account),
            None => put,
        })
    }
}

#[wire]
pub struct Property {
    pub name: PropertyName,
    #[schema(example = "Casa Mar")]
    pub title: Title,
    #[schema(example = "America/Sao_Paulo")]
    pub time_zone: TimeZoneName,
    pub currency: Currency,
    pub check_in: LocalTime,
    pub terms: PropertyTerms,
    #[schema(example = "acct_1")]
    pub payment_account: Option<PaymentAccount>,
    /// How many it has.
    pub room_types: u32,
    pub rate_plans: u32,
    /// Goes up by one with every change.
    pub version: i64,
}

impl From<stays::Property> for Property {
    fn from(property: stays::Property) -> Property {
        Property {
            name: property.name,
            title: property.title,
            time_zone: property.time_zone,
            currency: property.currency,
            check_in: property.check_in,
            terms: (*property.terms).into(),
            payment_account: property.payment_account,
            room_types: property.room_types,
            rate_plans: property.rate_plans,
            version: property.version,
        }
    }
}

#[wire(page)]
pub struct PropertyPage {
    pub properties: Vec<Property>,
}

/// Rooms that are sold as equals.
#[wire]
#[schema(example = json!({"title": "Double with a view", "guests_max": 2}))]
pub struct PutRoomType {
    pub title: Title,
    /// How many people one room takes.
    #[schema(minimum = 1, maximum = 1000)]
    pub guests_max: u32,
}

impl PutRoomType {
    pub fn into_command(self, key: RoomTypeKey) -> Result<commands::PutRoomType, Invalid> {
        commands::PutRoomType::new(key, self.title, self.guests_max)
    }
}

#[wire]
pub struct RoomType {
    pub property: PropertyName,
    pub code: RoomTypeCode,
    #[schema(example = "Double with a view")]
    pub title: Title,
    pub guests_max: u32,
    pub version: i64,
}

impl From<stays::RoomType> for RoomType {
    fn from(room_type: stays::RoomType) -> RoomType {
        let RoomTypeKey { property, code } = room_type.key;
        let (title, guests_max, version) = (room_type.title, room_type.guests_max, room_type.version);
        RoomType { property, code, title, guests_max, version }
    }
}

/// All of a property, in the order of their codes; at most 100.
#[wire]
pub struct RoomTypeList {
    pub room_types: Vec<RoomType>,
}

/// What is kept of a reservation.
#[wire(Copy)]
#[serde(rename_all = "snake_case")]
pub enum Penalty {
    #[schema(title = "NoPenalty")]
    None,
    /// The price of the first so many nights.
    #[schema(title = "NightsPenalty", value_type = crate::described::NightCount)]
    Nights(u32),
    /// Of the total, rounded half up.
    #[schema(title = "PercentPenalty", value_type = crate::described::Percent)]
    Percent(u32),
    #[schema(title = "WholePenalty")]
    All,
}

impl From<Penalty> for stays::Penalty {
    fn from(penalty: Penalty) -> stays::Penalty {
        match penalty {
            Penalty::None => stays::Penalty::None,
            Penalty::Nights(nights) => stays::Penalty::Nights(nights),
            Penalty::Percent(percent) => stays::Penalty::Percent(percent),
            Penalty::All => stays::Penalty::All,
        }
    }
}

impl From<stays::Penalty> for Penalty {
    fn from(penalty: stays::Penalty) -> Penalty {
        match penalty {
            stays::Penalty::None => Penalty::None,
            stays::Penalty::Nights(nights) => Penalty::Nights(nights),
            stays::Penalty::Percent(percent) => Penalty::Percent(percent),
            stays::Penalty::All => Penalty::All,
        }
    }
}

/// What it costs to cancel, and not to come.
#[wire(Copy)]
pub struct CancellationPolicy {
    /// Free until so many hours before check-in; left out, it is never free.
    #[schema(minimum = 0, maximum = 9600, example = 48)]
    pub free_until_hours: Option<u32>,
    /// What is kept of a cancellation after that.
    pub penalty: Penalty,
    /// What is kept of those who do not come.
    pub no_show: Penalty,
}

impl From<CancellationPolicy> for stays::CancellationPolicy {
    fn from(policy: CancellationPolicy) -> stays::CancellationPolicy {
        let CancellationPolicy { free_until_hours, penalty, no_show } = policy;
        stays::CancellationPolicy { free_until_hours, penalty: penalty.into(), no_show: no_show.into() }
    }
}

impl From<stays::CancellationPolicy> for CancellationPolicy {
    fn from(policy: stays::CancellationPolicy) -> CancellationPolicy {
        let stays::CancellationPolicy { free_until_hours, penalty, no_show } = policy;
        CancellationPolicy { free_until_hours, penalty: penalty.into(), no_show: no_show.into() }
    }
}

/// Under which conditions rooms are sold.
#[wire]
#[schema(example = json!({
    "title": "Flexible",
    "cancellation": {"free_until_hours": 48, "penalty": {"nights": 1}, "no_show": {"percent": 50}}
}))]
pub struct PutRatePlan {
    pub title: Title,
    pub cancellation: CancellationPolicy,
}

impl PutRatePlan {
    pub fn into_command(self, key: RatePlanKey) -> Result<commands::PutRatePlan, Invalid> {
        commands::PutRatePlan::new(key, self.title, self.cancellation.into())
    }
}

#[wire]
pub struct RatePlan {
    pub property: PropertyName,
    pub code: RatePlanCode,
    #[schema(example = "Flexible")]
    pub title: Title,
    pub cancellation: CancellationPolicy,
    pub version: i64,
}

impl From<stays::RatePlan> for RatePlan {
    fn from(plan: stays::RatePlan) -> RatePlan {
        let RatePlanKey { property, code } = plan.key;
        RatePlan { property, code, title: plan.title, cancellation: (*plan.cancellation).into(), version: plan.version }
    }
}

/// All of a property, in the order of their codes; at most 20.
#[wire]
pub struct RatePlanList {
    pub rate_plans: Vec<RatePlan>,
}
