//! What the operations engine promises, with real processes, real stores and a real provider: each effect exists exactly
//! once, whoever dies where. Each test asks for charges, does harm, lets the work end, and compares what the provider
//! has with what the store says: see `scene`, which owns that comparison.

mod matrix;
mod process;
mod scene;

use std::time::Duration;

/// Longer than anything takes here, so that a test ends that waits for what will not come.
const PATIENCE: Duration = Duration::from_mins(1);
