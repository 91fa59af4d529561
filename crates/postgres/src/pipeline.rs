//! Sending several statements before the first answer has come.

use std::future::poll_fn;
use std::pin::Pin;
use std::task::Poll;

/// A statement on its way.
pub(crate) type Sent<'a, T> = Pin<Box<dyn Future<Output = T> + Send + 'a>>;

/// The first error of a pipeline.
pub(crate) struct Broken<E> {
    pub(crate) error: E,
    /// Otherwise at least the last statement never left.
    pub(crate) all_sent: bool,
}

/// Polls in order, so that requests leave in order and share a round trip. All are waited for: the order of a
/// transaction's statements is what makes its last one the commit. For the same reason nothing is sent behind
/// a statement that could not be: its parameters do not encode, or the connection is gone.
pub(crate) async fn in_order<T, E>(mut sent: Vec<Sent<'_, Result<T, E>>>) -> Result<Vec<T>, Broken<E>> {
    let statements = sent.len();
    let mut answers: Vec<Option<Result<T, E>>> = Vec::with_capacity(statements);
    poll_fn(|context| {
        for (future, answer) in sent.iter_mut().zip(&mut answers) {
            if answer.is_none()
                && let Poll::Ready(value) = future.as_mut().poll(context)
            {
                *answer = Some(value);
            }
        }
        // The first poll sends.
        while answers.len() < sent.len() {
            match sent[answers.len()].as_mut().poll(context) {
                Poll::Pending => answers.push(None),
                Poll::Ready(value) => {
                    let failed = value.is_err();
                    answers.push(Some(value));
                    if failed {
                        sent.truncate(answers.len());
                    }
                }
            }
        }
        if answers.iter().all(Option::is_some) { Poll::Ready(()) } else { Poll::Pending }
    })
    .await;
    let all_sent = answers.len() == statements;
    let answers = answers.into_iter().map(|answer| answer.expect("all are ready"));
    answers.collect::<Result<_, _>>().map_err(|error| Broken { error, all_sent })
}
