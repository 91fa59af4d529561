//! Sending several statements before the first answer has come.

use std::future::poll_fn;
use std::pin::Pin;
use std::task::Poll;

/// A statement on its way.
pub(crate) type Sent<'a, T> = Pin<Box<dyn Future<Output = T> + 'a>>;

/// Polls in order, so that requests leave in order and share a round trip. All are waited for: the order of a
/// transaction's statements is what makes its last one the commit.
pub(crate) async fn in_order<T>(mut sent: Vec<Sent<'_, T>>) -> Vec<T> {
    let mut answers: Vec<Option<T>> = sent.iter().map(|_| None).collect();
    poll_fn(|context| {
        let mut all_ready = true;
        for (future, answer) in sent.iter_mut().zip(&mut answers) {
            if answer.is_none() {
                match future.as_mut().poll(context) {
                    Poll::Ready(value) => *answer = Some(value),
                    Poll::Pending => all_ready = false,
                }
            }
        }
        if all_ready { Poll::Ready(()) } else { Poll::Pending }
    })
    .await;
    answers.into_iter().map(|answer| answer.expect("all are ready")).collect()
}
