//! Faults on real servers: crowds, killed and cut connections, frozen and killed processes, crashed servers. Each test
//! lets guests loose on small hotels, does harm, and ends with `assert_sound`, which compares what callers were told
//! with what is there. The three parts know little of each other: harm (the tests), guests, auditor.

mod commits;
mod crash;
mod crowd;
mod cuts;
mod disk;
mod engines;
mod frozen;
mod guests;
mod kills;
mod replay;
mod restart;
mod sound;
mod told;

use tokio::sync::{Mutex, MutexGuard};

/// Fault tests count what happens in the whole process: one at a time, where a process runs several of them.
async fn alone() -> MutexGuard<'static, ()> {
    static GATE: Mutex<()> = Mutex::const_new(());
    GATE.lock().await
}
