//! The store of a simulation: the lane is not started but handed over, and reads may fail.

use std::sync::{Arc, Mutex};

use surehold_core::kernel::Timestamp;
use surehold_engine::{BoxFuture, Fault, LaneQueue, OwnedValue, ReadRow, Scope, Store, StoreError};
use surehold_sqlite::MemoryReader;

use super::point::Point;
use super::shared::Shared;

pub(super) struct SimulatedStore {
    shared: Arc<Shared>,
    reader: MemoryReader,
    queue: Mutex<Option<LaneQueue>>,
}

impl SimulatedStore {
    pub(super) fn new(shared: &Arc<Shared>, reader: MemoryReader) -> SimulatedStore {
        SimulatedStore { shared: Arc::clone(shared), reader, queue: Mutex::default() }
    }

    /// To be served by whoever runs the simulation.
    pub(super) fn take_queue(&self) -> LaneQueue {
        let queue = self.queue.lock().expect("nothing panics while holding it").take();
        queue.expect("an engine was started on it")
    }
}

impl Store for SimulatedStore {
    fn lane_count(&self) -> usize {
        1
    }

    fn start(&self, queues: Vec<LaneQueue>) -> Result<(), StoreError> {
        *self.queue.lock().expect("nothing panics while holding it") = queues.into_iter().next();
        Ok(())
    }

    fn clock(&self) -> BoxFuture<'_, Result<Timestamp, Fault>> {
        Box::pin(async { Ok(self.shared.clock()) })
    }

    fn query_each<'a>(
        &'a self,
        _: Scope,
        sql: &'a str,
        each: Vec<Vec<OwnedValue>>,
    ) -> BoxFuture<'a, Result<Vec<ReadRow>, Fault>> {
        Box::pin(async move {
            self.shared.step();
            self.shared.require_alive().await;
            self.shared.wait_for_writer().await;
            if self.shared.strikes(Point::ReadFails) {
                return Err(Fault::Unavailable);
            }
            self.reader.query(sql, &each).map_err(|_| Fault::Corrupt)
        })
    }
}
