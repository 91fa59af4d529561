//! A door for the fuzzer: the readers of outside input, and what they understood. Nothing is decided or kept here, and
//! no build that is meant for use has it.

use std::fmt::Debug;

use axum::extract::Query;
use axum::http::{HeaderValue, Uri};
use serde::Serialize;
use serde::de::DeserializeOwned;
use surehold_core::kernel::HoldId;

use crate::api::{Idempotency, bearer, page_items, parse};
use crate::keys::{KeyRef, parse_key};
use crate::modules::MODULES;
use crate::problem::Problem;

/// A body that was taken.
#[derive(Debug, PartialEq, Eq)]
pub struct Understood {
    /// The body and the command that came of it, or why none did.
    pub meaning: String,
    /// Whether a command came of it.
    pub is_command: bool,
    /// Its canonical form, under which a repeat is recognised, if it has one.
    pub canonical: Option<Vec<u8>>,
}

impl Understood {
    fn new<T: Clone + Debug, C: Debug, E: Debug>(
        body: &T,
        command: impl FnOnce(T) -> Result<C, E>,
        canonical: Option<Vec<u8>>,
    ) -> Understood {
        let command = command(body.clone());
        Understood { meaning: format!("{body:?}: {command:?}"), is_command: command.is_ok(), canonical }
    }
}

pub type ReadBody = fn(&[u8]) -> Option<Understood>;
pub type ReadText = fn(&str) -> Option<String>;

pub type ReadQuery = fn(&Uri) -> bool;

/// What a module reads, each by the word for it.
#[derive(Clone, Copy, Debug)]
pub struct Readers {
    /// By the name that the type has in the description, where its example is.
    pub bodies: &'static [(&'static str, ReadBody)],
    /// Written as the server writes them.
    pub cursors: &'static [(&'static str, ReadText)],
    /// Whether they are taken.
    pub queries: &'static [(&'static str, ReadQuery)],
}

pub fn of_modules() -> Vec<Readers> {
    MODULES.iter().map(|module| module.readers).collect()
}

pub(crate) fn some_hold() -> HoldId {
    HoldId::parse("01980000-0000-7000-8000-000000000001").expect("a UUIDv7")
}

/// For bodies whose handlers only copy them.
#[expect(clippy::unnecessary_wraps, reason = "stands where others may refuse")]
pub(crate) fn plain<T>(body: T) -> Result<T, Problem> {
    Ok(body)
}

pub(crate) fn understood<T: DeserializeOwned + Clone + Debug, C: Debug, E: Debug>(
    body: &[u8],
    command: impl FnOnce(T) -> Result<C, E>,
) -> Option<Understood> {
    let body: T = parse(body).ok()?;
    Some(Understood::new(&body, command, None))
}

pub(crate) fn canonical<T: DeserializeOwned + Serialize + Clone + Debug, C: Debug, E: Debug>(
    bytes: &[u8],
    command: impl FnOnce(T) -> Result<C, E>,
) -> Option<Understood> {
    let body: T = parse(bytes).ok()?;
    let canonical = serde_json::to_vec(&body).expect("requests are plain data");
    Some(Understood::new(&body, command, Some(canonical)))
}

pub(crate) fn taken<T: DeserializeOwned>(uri: &Uri, then: impl FnOnce(T) -> bool) -> bool {
    Query::<T>::try_from_uri(uri).is_ok_and(|query| then(query.0))
}

/// How many items a page has, if that many are allowed.
pub fn page(limit: Option<u16>) -> Option<u16> {
    page_items(limit).ok()
}

/// The key of an `Authorization` header, written as it was shown to its owner.
pub fn authorization(header: &HeaderValue) -> Option<String> {
    let (key, secret) = parse_key(bearer(header.to_str().ok()?)?)?;
    Some(secret.key_text(key))
}

/// A key's public name, written as it is shown.
pub fn key_reference(text: &str) -> Option<String> {
    KeyRef::parse(text).ok().map(|key| key.to_string())
}

/// Whether an `Idempotency-Key` is taken.
pub fn idempotency_key(header: HeaderValue) -> bool {
    Idempotency(Some(header)).key(&()).is_ok()
}
