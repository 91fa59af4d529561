//! Under which conditions rooms are sold.

use serde::{Deserialize, Serialize};

use crate::kernel::{Columnar, Json, Record, Title};
use crate::stays::{PropertyName, RatePlanCode};

use super::CancellationPolicy;

#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, Columnar)]
pub struct RatePlanKey {
    pub property: PropertyName,
    pub code: RatePlanCode,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, Record)]
#[record(table = "rate_plans")]
pub struct RatePlan {
    #[serde(flatten)]
    #[column(key)]
    pub key: RatePlanKey,
    pub title: Title,
    pub cancellation: Json<CancellationPolicy>,
    pub version: i64,
}
