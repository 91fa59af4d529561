//! Memory for bodies: how much of it requests may have at once, whoever asks.

use std::sync::Arc;

use axum::http::HeaderMap;
use axum::http::header::CONTENT_LENGTH;
use tokio::sync::{OwnedSemaphorePermit, Semaphore};

use crate::problem::{Code, Problem};

/// The kibibytes that are left.
#[derive(Clone)]
pub(crate) struct Room(Arc<Semaphore>);

impl Room {
    pub(crate) fn new(kibibytes: usize) -> Room {
        Room(Arc::new(Semaphore::new(kibibytes)))
    }

    /// Room for a body of the declared length, of which `bytes_max` is as much as is read.
    pub(crate) fn take(
        &self,
        headers: &HeaderMap,
        bytes_max: usize,
        busy: &str,
    ) -> Result<OwnedSemaphorePermit, Problem> {
        let declared = headers.get(CONTENT_LENGTH).and_then(|length| length.to_str().ok()?.parse::<usize>().ok());
        let kibibytes = declared.unwrap_or(bytes_max).min(bytes_max) / 1024 + 1;
        let wanted = u32::try_from(kibibytes).unwrap_or(u32::MAX);
        let room = Arc::clone(&self.0).try_acquire_many_owned(wanted);
        room.map_err(|_| Problem::new(Code::Busy, busy).retry_after(1))
    }
}
