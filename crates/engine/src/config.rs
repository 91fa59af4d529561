//! How an engine is set up.

use std::time::Duration;

use serde_json::Value;
use surehold_core::kernel::Event;

/// The wire form of an event.
pub type RenderEvent = fn(&Event) -> Value;

#[derive(Clone, Copy, Debug)]
pub struct EngineConfig {
    /// Commands that may wait in front of a lane; beyond that callers are told to come back.
    pub waiting_commands_max: usize,
    /// How long a caller waits for an answer unless it says otherwise.
    pub deadline: Duration,
    /// The pause between sweeps for lapsed holds; `None` leaves it to others.
    pub sweep_pause: Option<Duration>,
    /// The longest pause between looks for schedules that are due; `None` leaves them to others.
    pub schedule_pause: Option<Duration>,
    /// The pause between looks for items whose costs have to be worked out anew; `None` leaves them to others.
    pub revalue_pause: Option<Duration>,
    /// How long events are kept; `None` keeps them for ever.
    pub journal_retention: Option<Duration>,
    /// The pause between looks for events that webhook endpoints have not been told; `None` leaves it to others.
    pub outbox_pause: Option<Duration>,
    /// The wire form of events; without one nothing can be told to anybody.
    pub render_event: Option<RenderEvent>,
}

impl Default for EngineConfig {
    fn default() -> EngineConfig {
        EngineConfig {
            waiting_commands_max: 32_768,
            deadline: Duration::from_secs(10),
            sweep_pause: Some(Duration::from_secs(1)),
            schedule_pause: Some(Duration::from_secs(1)),
            revalue_pause: Some(Duration::from_secs(1)),
            journal_retention: None,
            outbox_pause: Some(Duration::from_millis(200)),
            render_event: None,
        }
    }
}
