//! Who stays. Personal data lives here and nowhere else, so that erasing it here erases it.

use serde::{Deserialize, Serialize};
use smol_str::SmolStr;

use crate::kernel::{Columnar, HoldId, Invalid, Record, Timestamp, check_name};

/// As a caller says it; each part may be missing.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, Columnar)]
pub struct GuestDetails {
    pub name: Option<SmolStr>,
    pub email: Option<SmolStr>,
    pub phone: Option<SmolStr>,
}

impl GuestDetails {
    /// Personal data is never repeated in a refusal.
    pub fn check(&self) -> Result<(), Invalid> {
        for (what, text) in
            [("the guest's name", &self.name), ("the guest's email", &self.email), ("the guest's phone", &self.phone)]
        {
            if let Some(text) = text {
                check_name(what, text)?;
            }
        }
        Ok(())
    }
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, Record)]
#[record(table = "guests")]
pub struct Guest {
    #[column(key)]
    pub hold: HoldId,
    pub details: GuestDetails,
    pub erased_at: Option<Timestamp>,
    pub version: i64,
}
