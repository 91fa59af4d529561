//! The tasks that a scheduler may deliver, and how their parameters become operations.

use surehold_core::operations::NewOperation;
use surehold_core::operations::builtin::expire_hold;

use crate::problem::Problem;
use crate::wire::ExpireHoldTask;

/// A kind of task, at `/tasks/{name}`; the address may have `_` for `-`.
#[derive(Clone, Copy, Debug)]
pub struct Task {
    pub name: &'static str,
    /// From the JSON body as it came.
    pub read: fn(&[u8]) -> Result<NewOperation, Problem>,
}

/// Ends a hold at its time. Comes too early, it waits.
pub const EXPIRE_HOLD_TASK: Task = Task {
    name: "expire-hold",
    read: |body| {
        let ExpireHoldTask { hold } = crate::api::parse(body)?;
        Ok(expire_hold(hold)?)
    },
};
