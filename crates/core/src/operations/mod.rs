//! Effects that are due: when they are tried, tried again and held back.

mod breaker;
mod cron;
mod retry;
mod zone;

pub use breaker::{Admission, Breaker, BreakerPolicy, Standing, Ticket};
pub use cron::{CRON_BYTES_MAX, Cron, CronError, CronField};
pub use retry::{Backoff, Pause, RETRY_AFTER_SECS_MAX, RetryPolicy};
pub use zone::TimeZoneName;
