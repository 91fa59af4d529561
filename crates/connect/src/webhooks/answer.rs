//! What an endpoint answered, cut down to what may be acted upon.

use bytes::Bytes;
use jiff::fmt::rfc2822::DateTimeParser;
use reqwest::header::{HeaderMap, RETRY_AFTER};

pub const EXCERPT_CHARS_MAX: usize = 500;

/// The endpoint has the message. By the specification 2xx means that it took it, 410 that it wants no more of them,
/// 429, 502 and 504 that it wants them slower, and everything else that it failed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Answer {
    pub status: u16,
    /// As the endpoint wishes, up to absurdity: a bound is the caller's to set.
    pub retry_after_secs: Option<u64>,
    /// The beginning of the body, without control characters. For the operator's eyes: it is a stranger's text.
    pub excerpt: String,
}

impl Answer {
    pub fn is_delivered(&self) -> bool {
        (200..300).contains(&self.status)
    }
}

/// Seconds, or a date against `now_secs`; a date that has passed means now. What cannot be read was not said.
pub(super) fn retry_after_secs(headers: &HeaderMap, now_secs: i64) -> Option<u64> {
    let text = headers.get(RETRY_AFTER)?.to_str().ok()?.trim();
    if text.bytes().all(|byte| byte.is_ascii_digit()) {
        return text.parse().ok();
    }
    let until = DateTimeParser::new().parse_timestamp(text).ok()?;
    Some(u64::try_from(until.as_second().saturating_sub(now_secs)).unwrap_or(0))
}

pub(super) fn excerpt(body: &Bytes) -> String {
    let text = String::from_utf8_lossy(body);
    // Escape sequences would act on the operator's terminal.
    let shown: String =
        text.chars().map(|char| if char.is_control() { ' ' } else { char }).take(EXCERPT_CHARS_MAX).collect();
    shown.trim().to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn retry_after() {
        const NOW: i64 = 784_111_777; // Sun, 06 Nov 1994 08:49:37 GMT
        let check = |text: &str, expected: Option<u64>| {
            let headers = HeaderMap::from_iter([(RETRY_AFTER, text.parse().unwrap())]);
            assert_eq!(retry_after_secs(&headers, NOW), expected, "{text}");
        };
        check("120", Some(120));
        check(" 0 ", Some(0));
        check("Sun, 06 Nov 1994 08:49:37 GMT", Some(0));
        check("Sun, 06 Nov 1994 08:51:37 GMT", Some(120));
        check("Sun, 06 Nov 1994 08:49:36 GMT", Some(0));
        check("", None);
        check("-1", None);
        check("1.5", None);
        check("soon", None);
        check("99999999999999999999", None);
        check("Sun, 99 Nov 1994 08:49:37 GMT", None);
        assert_eq!(retry_after_secs(&HeaderMap::new(), NOW), None);
    }

    #[test]
    fn excerpts() {
        let check = |body: &[u8], expected: &str| {
            assert_eq!(excerpt(&Bytes::copy_from_slice(body)), expected);
        };
        check(b"", "");
        check(b" ok\r\n", "ok");
        check(b"\x1b[31mred\x07", "[31mred");
        check(b"caf\xc3\xa9 \xff", "café \u{fffd}");
        check("é".repeat(EXCERPT_CHARS_MAX + 1).as_bytes(), &"é".repeat(EXCERPT_CHARS_MAX));
    }

    #[test]
    fn delivered() {
        for (status, expected) in [(199, false), (200, true), (204, true), (299, true), (302, false), (410, false)] {
            let answer = Answer { status, retry_after_secs: None, excerpt: String::new() };
            assert_eq!(answer.is_delivered(), expected, "{status}");
        }
    }
}
