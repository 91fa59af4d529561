//! What callers of the API send: bodies, cursors, query strings, headers.

use axum::extract::Query;
use axum::http::{HeaderMap, HeaderValue, Uri};
use surehold_core::kernel::NAME_BYTES_MAX;
use surehold_http::fuzz::{self, Readers, of_modules};

use super::{choose, lines};

/// The first letter chooses the module and the second one a reader of it, so that a new reader leaves the others where they
/// are.
fn choose_of_module<R>(readers: impl FnOnce(&Readers) -> &'static [R], data: &[u8]) -> Option<(&'static R, &[u8])> {
    let modules = of_modules();
    let (module, rest) = choose(&modules, data)?;
    choose(readers(module), rest)
}

/// The same JSON in other words: keys in another order, other blanks, other escapes.
fn respelled(json: &[u8]) -> Vec<u8> {
    let value: serde_json::Value = serde_json::from_slice(json).expect("what was read is JSON");
    serde_json::to_vec_pretty(&value).expect("JSON can be written")
}

/// The example of each request, behind the letters that choose its reader.
pub(crate) fn examples() -> Vec<Vec<u8>> {
    let modules = of_modules();
    let letters = || b'a'..=b'z';
    let readers = letters().zip(&modules).flat_map(|(module, readers)| {
        letters().zip(readers.bodies).map(move |(reader, (request, _))| ([module, reader], *request))
    });
    readers.map(|(letters, request)| [&letters, fuzz::example(request).to_string().as_bytes()].concat()).collect()
}

pub(crate) fn example_batch() -> Vec<Vec<u8>> {
    vec![fuzz::example("BatchRequest").to_string().into_bytes()]
}

/// What was taken can be written canonically and is the same again; so it is when it is spelled differently.
pub(crate) fn bodies(data: &[u8]) {
    let Some(((name, read), body)) = choose_of_module(|readers| readers.bodies, data) else { return };
    let Some(understood) = read(body) else { return };
    if let Some(canonical) = &understood.canonical {
        assert_eq!(read(canonical).as_ref(), Some(&understood), "{name}, written canonically");
    }
    assert_eq!(read(&respelled(body)), Some(understood), "{name}, respelled");
}

pub(crate) fn batches(data: &[u8]) {
    let Some(understood) = fuzz::batch(data) else { return };
    assert_eq!(fuzz::batch(&respelled(data)), Some(understood), "respelled");
}

/// What the server would write for a cursor leads to the same place.
pub(crate) fn cursors(data: &[u8]) {
    let Some(((name, read), text)) = choose_of_module(|readers| readers.cursors, data) else { return };
    let Ok(text) = std::str::from_utf8(text) else { return };
    let place = read(text);
    if let Some(written) = &place {
        assert_eq!(read(written).as_ref(), Some(written), "{name}: {text:?}");
    }
    // The feed and the replay of webhooks speak of the same events.
    let modules = of_modules();
    let cursors = || modules.iter().flat_map(|readers| readers.cursors);
    let by_name = |name: &str| cursors().find(|(other, _)| *other == name).expect("is listed").1;
    assert_eq!(by_name("events")(text), by_name("replay")(text), "{text:?}");
}

/// A query means the same when every byte of it is escaped.
pub(crate) fn queries(data: &[u8]) {
    let Some(((name, read), query)) = choose_of_module(|readers| readers.queries, data) else { return };
    let Some(uri) = std::str::from_utf8(query).ok().and_then(uri) else { return };
    let taken = read(&uri);
    let Ok(Query(pairs)) = Query::<Vec<(String, String)>>::try_from_uri(&uri) else {
        assert!(!taken, "{name}: {uri} has no parameters");
        return;
    };
    let escaped = |text: &str| text.bytes().map(|byte| format!("%{byte:02X}")).collect::<String>();
    let pairs: Vec<String> =
        pairs.iter().map(|(name, value)| format!("{}={}", escaped(name), escaped(value))).collect();
    let Some(escaped) = self::uri(&pairs.join("&")) else { return };
    assert_eq!(read(&escaped), taken, "{name}: {uri} and {escaped}");
    for (limit, _) in (0..=u16::MAX).step_by(13_107).zip(pairs) {
        assert_eq!(fuzz::page(Some(limit)).is_some(), (1..=1_000).contains(&limit));
    }
}

fn uri(query: &str) -> Option<Uri> {
    format!("/?{query}").parse().ok()
}

/// Lines: `Authorization`, `Idempotency-Key`, and three names of a task.
pub(crate) fn headers(data: &[u8]) {
    let [authorization, key, own, task, queue] = lines(data).map(|line: &[u8]| HeaderValue::from_bytes(line).ok());
    if let Some(key) = authorization.as_ref().and_then(fuzz::authorization) {
        let again = HeaderValue::from_str(&format!("bEARER  {key} ")).expect("a key is ASCII");
        assert_eq!(fuzz::authorization(&again).as_ref(), Some(&key));
        let reference = key.strip_prefix("sh_").and_then(|rest| rest.rsplit_once('_')).expect("a key has parts").0;
        assert_eq!(fuzz::key_reference(reference).as_deref(), Some(reference));
    }
    if let Some(key) = key {
        let bytes = key.as_bytes();
        let printable = bytes.iter().all(|byte| (b' '..=b'~').contains(byte));
        let trimmed = !bytes.starts_with(b" ") && !bytes.ends_with(b" ");
        let good = (1..=NAME_BYTES_MAX).contains(&bytes.len()) && printable && trimmed;
        assert_eq!(fuzz::idempotency_key(key.clone()), good, "{key:?}");
    }
    task_headers(own, task, queue);
}

fn task_headers(own: Option<HeaderValue>, task: Option<HeaderValue>, queue: Option<HeaderValue>) {
    let names = ["surehold-task-id", "x-cloudtasks-taskname", "x-cloudtasks-queuename"];
    let mut headers = HeaderMap::new();
    for (name, value) in names.into_iter().zip([own, task, queue]) {
        headers.extend(value.map(|value| (axum::http::HeaderName::from_static(name), value)));
    }
    let Some(id) = fuzz::task_id(&headers) else { return };
    let alone = HeaderMap::from_iter([(
        axum::http::HeaderName::from_static(names[0]),
        HeaderValue::from_str(&id).expect("a task's id came from headers"),
    )]);
    assert_eq!(fuzz::task_id(&alone), Some(id), "a task's id is itself, however it was put together");
    headers.append(names[0], HeaderValue::from_static("another"));
    headers.append(names[0], HeaderValue::from_static("another"));
    assert_eq!(fuzz::task_id(&headers), None, "of two ids, the next reader may believe the other");
}
