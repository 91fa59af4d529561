//! The time at Stripe, in whole seconds since 1970.

use std::time::{SystemTime, UNIX_EPOCH};

use super::config::ClockConfig;

#[derive(Debug)]
pub(super) struct Clock {
    base: ClockConfig,
    advanced_secs: i64,
}

impl Clock {
    pub(super) fn new(base: ClockConfig) -> Clock {
        Clock { base, advanced_secs: 0 }
    }

    pub(super) fn now_secs(&self) -> i64 {
        let base = match self.base {
            ClockConfig::Wall => wall_secs(),
            ClockConfig::Standing { at_secs } => at_secs,
        };
        base + self.advanced_secs
    }

    pub(super) fn advance_secs(&mut self, secs: u32) {
        self.advanced_secs += i64::from(secs);
    }
}

pub(super) fn wall_secs() -> i64 {
    let since = SystemTime::now().duration_since(UNIX_EPOCH).expect("it is after 1970");
    i64::try_from(since.as_secs()).expect("seconds fit for a long time")
}
