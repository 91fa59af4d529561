//! What the operations engine promises, with real processes, real stores and a real provider: each effect exists exactly
//! once, whoever dies where. Each test asks for charges, does harm, lets the work end, and compares what the provider
//! has with what the store says: see `scene`, which owns that comparison.

mod basics;
mod forgotten;
mod frozen;
mod limits;
mod matrix;
mod poison;
mod process;
mod restored;
mod scene;
mod soak;
mod till;

use std::time::Duration;

use tokio::time::{sleep, timeout};

/// Longer than anything takes here, so that a test ends that waits for what will not come.
const PATIENCE: Duration = Duration::from_mins(1);

/// Looks again and again until it is there.
async fn until<T>(what: &str, mut look: impl AsyncFnMut() -> Option<T>) -> T {
    let found = async {
        loop {
            if let Some(found) = look().await {
                return found;
            }
            sleep(Duration::from_millis(5)).await;
        }
    };
    timeout(PATIENCE, found).await.unwrap_or_else(|_| panic!("waited in vain until {what}"))
}
