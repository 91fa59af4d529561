//! What others answer: receivers of webhooks, providers, and a server to its client.

use axum::http::HeaderValue;
use axum::http::header::RETRY_AFTER;
use bytes::Bytes;
use reqwest::header::HeaderMap;
use surehold_engine::ProviderAnswer;
use surehold_simulators::charge::{told_by_call, told_by_probe};

use super::lines;
use crate::answer::{self, EXCERPT_CHARS_MAX};
use crate::sse::{Message, NotEvents, Parser};

const NOW_SECS: i64 = 1_790_000_000;

/// A line for `Retry-After`; the rest is the body.
pub(crate) fn answers(data: &[u8]) {
    let [retry_after, body] = lines(data);
    if let Ok(value) = HeaderValue::from_bytes(retry_after) {
        let headers = HeaderMap::from_iter([(RETRY_AFTER, value)]);
        let now = answer::retry_after_secs(&headers, NOW_SECS);
        let later = answer::retry_after_secs(&headers, NOW_SECS + 10);
        assert!(later <= now && now.is_some() == later.is_some(), "{headers:?}: waiting does not make it longer");
    }
    let excerpt = answer::excerpt(&Bytes::copy_from_slice(body));
    assert!(excerpt.chars().count() <= EXCERPT_CHARS_MAX && !excerpt.contains(char::is_control), "{excerpt:?}");
    assert_eq!(excerpt.trim(), excerpt);
}

/// Three digits and a body: what may be concluded from a status, and nothing more.
pub(crate) fn providers(data: &[u8]) {
    let Some((status, body)) = data.split_at_checked(3) else { return };
    let Some(status) = std::str::from_utf8(status).ok().and_then(|status| status.parse::<u16>().ok()) else { return };
    let call = told_by_call(status, Some(7), body);
    let right = match &call {
        ProviderAnswer::Done { provider_ref, .. } => (200..300).contains(&status) && provider_ref.is_some(),
        // Repeated without looking, so it must be certain that nothing happened.
        ProviderAnswer::NotDone { .. } => matches!(status, 429 | 503),
        ProviderAnswer::Rejected { .. } => (400..500).contains(&status) && !matches!(status, 409 | 429),
        ProviderAnswer::ErrorKept { .. } => (500..600).contains(&status) && status != 503,
        ProviderAnswer::Unanswered { .. } => !matches!(status, 429 | 503),
        ProviderAnswer::Absent | ProviderAnswer::Undecidable { .. } => false,
    };
    assert!(right, "{status}: {call:?}");
    let probe = told_by_probe(status, body);
    let right = match &probe {
        ProviderAnswer::Done { .. } | ProviderAnswer::Absent => status == 200,
        ProviderAnswer::Unanswered { .. } => true,
        ProviderAnswer::NotDone { .. }
        | ProviderAnswer::Rejected { .. }
        | ProviderAnswer::ErrorKept { .. }
        | ProviderAnswer::Undecidable { .. } => false,
    };
    assert!(right, "{status}: {probe:?}");
}

/// A stream means the same however it is cut; the first byte says into which pieces.
pub(crate) fn streams(data: &[u8]) {
    let Some((&size, stream)) = data.split_first() else { return };
    let whole = Parser::default().push(stream);
    let mut parser = Parser::default();
    let pieces = stream.chunks(usize::from(size).max(1)).map(|piece| parser.push(piece));
    let cut: Result<Vec<Vec<Message>>, NotEvents> = pieces.collect();
    assert_eq!(whole, cut.map(|messages| messages.concat()));
}
