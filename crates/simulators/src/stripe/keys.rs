//! Idempotency keys of one account: for a day, the first answer is the answer.

use std::collections::BTreeMap;

use super::answer::{Answer, ApiError};
use super::form::Params;

/// After it, a key is as good as new: the same request is done again.
pub const KEY_LIFETIME_SECS: u32 = 24 * 60 * 60;
const KEY_CHARS_MAX: usize = 255;

#[derive(Debug, Default)]
pub(super) struct Keys(BTreeMap<String, Kept>);

#[derive(Debug)]
struct Kept {
    path: String,
    params: Params,
    first_at_secs: i64,
    /// `None` while the first request is in flight.
    answer: Option<Answer>,
}

/// What a key says about a request.
#[derive(Debug)]
pub(super) enum KeyUse {
    New,
    Replay(Answer),
    OtherUse(ApiError),
    InFlight(ApiError),
}

impl Keys {
    pub(super) fn look(&self, key: &str, path: &str, params: &Params, now_secs: i64) -> KeyUse {
        let Some(kept) = self.0.get(key).filter(|kept| kept.lives(now_secs)) else { return KeyUse::New };
        if kept.path != path {
            return KeyUse::OtherUse(ApiError::other_endpoint(key, &kept.path));
        }
        if kept.params != *params {
            return KeyUse::OtherUse(ApiError::other_params(key));
        }
        match &kept.answer {
            Some(answer) => KeyUse::Replay(answer.clone().again()),
            None => KeyUse::InFlight(ApiError::key_in_use(key)),
        }
    }

    pub(super) fn begin(&mut self, key: &str, path: &str, params: &Params, now_secs: i64) {
        let kept = Kept { path: path.to_owned(), params: params.clone(), first_at_secs: now_secs, answer: None };
        self.0.insert(key.to_owned(), kept);
    }

    /// What is not kept leaves the key as if it had never been used.
    pub(super) fn end(&mut self, key: &str, answer: Option<Answer>) {
        match answer {
            Some(answer) => {
                self.0.get_mut(key).expect("a key ends after it began").answer = Some(answer);
            }
            None => {
                self.0.remove(key);
            }
        }
    }
}

impl Kept {
    fn lives(&self, now_secs: i64) -> bool {
        self.answer.is_none() || now_secs - self.first_at_secs < i64::from(KEY_LIFETIME_SECS)
    }
}

pub(super) fn check(key: &str) -> Result<(), ApiError> {
    let fits = !key.is_empty() && key.chars().count() <= KEY_CHARS_MAX;
    if fits { Ok(()) } else { Err(ApiError::key_too_long()) }
}
