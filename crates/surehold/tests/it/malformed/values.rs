//! Values that no caller should send: in bodies, queries and paths.

use serde_json::{Value, json};

use super::random::Random;

/// Stands where the spoilt value goes; no good request contains it.
const MARK: &str = "@mark@";

/// The body with one value, member or element spoilt. Text, because much of it is not JSON.
pub(super) fn spoil(body: &Value, random: &mut Random) -> Vec<u8> {
    let mut body = body.clone();
    let nodes = count(&body);
    let mut number = random.below(nodes);
    let node = find(&mut body, &mut number).expect("the number is within the count");
    let replacement = match (node, random.below(4)) {
        (Value::Object(object), 0 | 1) => {
            let names: Vec<String> = object.keys().cloned().collect();
            let name = if names.is_empty() || random.one_in(2) { "surprise" } else { random.pick(&names) };
            let member = format!("{}:{}", json!(name), json_text(random));
            object.insert(MARK.to_owned(), Value::Null);
            return replace(&body.to_string(), &format!("\"{MARK}\":null"), member.as_bytes());
        }
        (Value::Object(object), 2) => {
            let names: Vec<String> = object.keys().cloned().collect();
            if !names.is_empty() {
                object.remove(random.pick(&names));
            }
            return body.to_string().into_bytes();
        }
        (Value::Array(array), 0) => {
            let many = [0, 101, 1_001, 10_001][random.below(4)];
            let element = array.first().cloned().unwrap_or_default();
            *array = vec![element; many];
            return body.to_string().into_bytes();
        }
        (node, _) => {
            *node = json!(MARK);
            json_text(random)
        }
    };
    replace(&body.to_string(), &format!("\"{MARK}\""), replacement.as_bytes())
}

fn replace(text: &str, mark: &str, with: &[u8]) -> Vec<u8> {
    let at = text.find(mark).expect("the mark was put there");
    [&text.as_bytes()[..at], with, &text.as_bytes()[at + mark.len()..]].concat()
}

fn count(value: &Value) -> usize {
    1 + match value {
        Value::Array(items) => items.iter().map(count).sum(),
        Value::Object(members) => members.values().map(count).sum(),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => 0,
    }
}

fn find<'v>(value: &'v mut Value, number: &mut usize) -> Option<&'v mut Value> {
    if *number == 0 {
        return Some(value);
    }
    *number -= 1;
    match value {
        Value::Array(items) => items.iter_mut().find_map(|item| find(item, number)),
        Value::Object(members) => members.values_mut().find_map(|member| find(member, number)),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => None,
    }
}

fn json_text(random: &mut Random) -> String {
    match random.below(12) {
        0..=4 => (*random.pick(&RAW)).to_owned(),
        5 => {
            let (open, close) = *random.pick(&[("[", "]"), ("{\"a\":", "}"), ("[{\"a\":", "}]")]);
            let depth = *random.pick(&[100, 130, 10_000]);
            format!("{}1{}", open.repeat(depth), close.repeat(depth))
        }
        6 if random.one_in(8) => {
            let part = random.pick(&["x", "ä", "\\n", "\\u0000"]);
            format!("\"{}\"", part.repeat((1 << 20) / part.len()))
        }
        6 => format!("\"{}\"", "x".repeat(*random.pick(&[200, 201, 16_384, 70_000]))),
        7 => format!("{}{}", random.number(), random.number()),
        8 => format!("\"{}\"", random.number()),
        _ => json!(text(random)).to_string(),
    }
}

/// Texts that are no good names, dates, instants, ids, cursors or numbers.
pub(super) fn text(random: &mut Random) -> String {
    (*random.pick(&TEXTS)).to_owned()
}

const RAW: [&str; 36] = [
    "null",
    "true",
    "false",
    "0",
    "-0",
    "-1",
    "1.5",
    "1e400",
    "-1e400",
    "1e-400",
    "0.1e1",
    "NaN",
    "Infinity",
    "-Infinity",
    "+1",
    "01",
    "0x10",
    "9223372036854775807",
    "9223372036854775808",
    "-9223372036854775808",
    "-9223372036854775809",
    "1000000000001",
    "18446744073709551616",
    "[]",
    "{}",
    "[null]",
    "{\"\":null}",
    "{\"a\":1,\"a\":2}",
    "\"",
    "\"\\ud800\"",
    "\"\\udc00\\ud800\"",
    "\"\\u0000\"",
    "\"\\x\"",
    "'single'",
    "// comment\n1",
    "1,",
];

const TEXTS: [&str; 44] = [
    "",
    " ",
    "\0",
    "\t",
    " a",
    "a ",
    "a\r\nb",
    "\u{7f}",
    "\u{85}",
    "\u{200b}",
    "\u{202e}abc",
    "\u{feff}",
    "\u{fffd}",
    "é",
    "e\u{301}",
    "𝟙𝟚",
    "٣",
    "🏨",
    "zz",
    "-",
    "--",
    "-1",
    "+1",
    "1e3",
    "0",
    "1001",
    "65536",
    "99999999999999999999",
    "NaN",
    "null",
    "0000-00-00",
    "99999-12-31",
    "2026-02-30",
    "2026-13-01",
    "2026-1-1",
    "-009999-01-01",
    "2026-12-24T00:00:00",
    "9999-12-31T23:59:60Z",
    "-009999-01-01T00:00:00Z",
    "2026-12-24T25:00:00+99:99",
    // The nil id, and ids of versions 1 and 4.
    "00000000-0000-0000-0000-000000000000",
    "c232ab00-9414-11ec-b3c8-9f6bdeced846",
    "919108f7-52d1-4320-9bac-f847db4148a8",
    "9223372036854775807-18446744073709551615",
];
