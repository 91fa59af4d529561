//! Says what cannot be, from the history, the final state and the event feed. Uses neither the core nor the engine: its
//! model (`model.rs`) is written from the documents.
//!
//! `collect` asks a healed server what has become of everything; `judge` is pure, so that what was kept beside a history
//! can be judged again. Everything is judged from what is certain: where clocks or missing answers leave room, nothing
//! is said.
//!
//! | file | rules |
//! |---|---|
//! | `requests.rs` | `history`, `defect-answers` |
//! | `strangers.rs` | `strangers` |
//! | `feed.rs`, `live.rs` | `feed` |
//! | `replay.rs` | `replay`, `oversold`, `all-or-nothing`, `expiry` |
//! | `final_check.rs` | `replay`, `converged` |
//! | `effects/` | `ok-exists`, `fail-nowhere`, `done-twice`, `versions-told` |
//! | `realtime.rs` | `real-time`, `info-settled`, `reads` |
//! | `clock.rs` | `clock` |
//! | `seen.rs` | `reads`, `expiry` |
//! | `replies.rs` | `replies-repeat` |
//! | `owners.rs` | `owners` |
//! | `refusals.rs` | `refusals` |
//! | `linearizable/` | `linearizable` |
//! | `tasks.rs` | `tasks`, `early-task-burnt`, `charged-twice`, `leases`, `converged` |
//! | `floors.rs` | `enough-seen`: for runs to ask |

mod clock;
pub(super) mod collect;
mod effects;
pub(super) mod feed;
mod final_check;
pub(super) mod findings;
mod floors;
mod instant;
pub(super) mod judge;
mod linearizable;
mod live;
pub(super) mod model;
mod owners;
mod realtime;
mod refusals;
pub(super) mod replay;
mod replies;
mod requests;
mod seen;
pub(super) mod state;
mod strangers;
mod tasks;
#[cfg(test)]
mod tests;

pub use collect::{collect, collect_healed};
pub use findings::{Checked, Verdict, Violation};
pub use floors::FLOORS_FROM_REQUESTS;
pub use judge::{judge, judge_alone, judge_with_seed};
pub use state::{AttemptSeen, ChargeSeen, CollectPlan, FinalState, OperationSeen};
