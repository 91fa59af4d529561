//! The targets by what they read, and what several of them need.

pub(crate) mod api;
pub(crate) mod config;
pub(crate) mod cron;
pub(crate) mod outside;
pub(crate) mod stored;
pub(crate) mod stripe;
pub(crate) mod webhooks;
pub(crate) mod words;

/// A letter chooses one of a list, so that inputs stay readable: `a` is the first.
fn choose<'list, 'data, T>(list: &'list [T], data: &'data [u8]) -> Option<(&'list T, &'data [u8])> {
    let (&letter, rest) = data.split_first()?;
    Some((list.get(usize::from(letter.wrapping_sub(b'a')))?, rest))
}

/// The first lines and all that follows them; what is missing is empty.
fn lines<const N: usize>(data: &[u8]) -> [&[u8]; N] {
    let mut parts = data.splitn(N, |byte| *byte == b'\n');
    std::array::from_fn(|_| parts.next().unwrap_or_default())
}
