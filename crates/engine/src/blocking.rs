//! Waiting for a future on a thread that may block.

use std::pin::Pin;

use tokio::runtime::Runtime;

/// Like [`Runtime::block_on`], which compiles the whole future once for each kind of scheduler and again boxed. Behind a
/// pointer it is compiled once.
pub fn block_on<'a, T: 'a>(runtime: &Runtime, future: impl Future<Output = T> + 'a) -> T {
    let future: Pin<Box<dyn Future<Output = T> + 'a>> = Box::pin(future);
    runtime.block_on(future)
}
