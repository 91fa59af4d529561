//! Whoever shows the key of another tenant is told that there is nothing, whatever there is. Should something have come of
//! it nevertheless, nobody's request explains it.

use super::findings::Verdict;
use super::requests::{Fate, Request, is_turned_away};

const NOTHING_THERE: &str = "not-found";

pub(super) fn check(strangers: &[Request<'_>], verdict: &mut Verdict) {
    for stranger in strangers {
        let told = match stranger.fate {
            Fate::Unknown => continue,
            Fate::Ok => None,
            Fate::Fail => stranger.refusal(),
        };
        if told.is_some_and(is_turned_away) {
            continue;
        }
        verdict.checked.strangers += 1;
        if told != Some(NOTHING_THERE) {
            let (name, told) = (stranger.name(), told.unwrap_or("ok"));
            verdict.add("strangers", || format!("{name} by a stranger was answered {told}: {:?}", stranger.ask()));
        }
    }
}
