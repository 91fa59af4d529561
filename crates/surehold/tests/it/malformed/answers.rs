//! What a server may say to nonsense: a problem that we know, or a normal answer. Never that it failed.

use serde_json::Value;
use surehold_http::problem::ProblemType;

/// The statuses of the answers, or what is wrong with them.
pub(super) fn check(sent: &[u8], received: &[u8]) -> Result<Vec<u16>, String> {
    if !received.starts_with(b"HTTP/1.") && b"PRI * HTTP/2.0".starts_with(&sent[..sent.len().min(14)]) {
        // Frames of HTTP/2, whose own tests look into them.
        return Ok(Vec::new());
    }
    let mut statuses = Vec::new();
    let mut rest = received;
    while !rest.is_empty() {
        let Answer { status, content_type, body, after } = read(rest, sent.starts_with(b"HEAD "))?;
        if status >= 500 {
            return Err(format!("{status}: {}", String::from_utf8_lossy(&body)));
        }
        if !body.is_empty() {
            check_body(status, &content_type, &body)?;
        }
        statuses.push(status);
        rest = after;
    }
    Ok(statuses)
}

fn check_body(status: u16, content_type: &str, body: &[u8]) -> Result<(), String> {
    let wrong = |what: &str| Err(format!("{status} {content_type}: {what}: {}", String::from_utf8_lossy(body)));
    if status >= 400 && content_type != "application/problem+json" {
        return wrong("not a problem");
    }
    if !content_type.contains("json") {
        return Ok(());
    }
    let Ok(value) = serde_json::from_slice::<Value>(body) else { return wrong("not JSON") };
    if status < 400 {
        return Ok(());
    }
    match value["code"].as_str().and_then(ProblemType::find) {
        None => wrong("an unknown code"),
        Some(known) if known.status.as_u16() != status || value["status"] != status => wrong("another status"),
        Some(_) => Ok(()),
    }
}

struct Answer<'a> {
    status: u16,
    content_type: String,
    body: Vec<u8>,
    after: &'a [u8],
}

/// The first answer in the bytes. What a server started to say and did not finish is an error.
fn read(bytes: &[u8], bodyless: bool) -> Result<Answer<'_>, String> {
    let unreadable = || format!("unreadable: {:?}", String::from_utf8_lossy(&bytes[..bytes.len().min(300)]));
    let end = bytes.windows(4).position(|window| window == b"\r\n\r\n").ok_or_else(unreadable)?;
    let head = std::str::from_utf8(&bytes[..end]).map_err(|_| unreadable())?.to_ascii_lowercase();
    let mut lines = head.split("\r\n");
    let status = lines.next().and_then(|line| line.strip_prefix("http/1.")?.get(2..5)?.parse().ok());
    let status = status.ok_or_else(unreadable)?;
    let headers: Vec<(&str, &str)> = lines.filter_map(|line| line.split_once(": ")).collect();
    let header = |wanted: &str| headers.iter().find(|(name, _)| *name == wanted).map(|(_, value)| *value);
    let rest = &bytes[end + 4..];
    let (body, after) = if bodyless || matches!(status, 100..=199 | 204 | 304) {
        (Vec::new(), rest)
    } else if header("transfer-encoding") == Some("chunked") {
        unchunk(rest).ok_or_else(unreadable)?
    } else {
        let length = header("content-length").map_or(Ok(rest.len()), str::parse).map_err(|_| unreadable())?;
        (rest.get(..length).ok_or_else(unreadable)?.to_vec(), &rest[length..])
    };
    Ok(Answer { status, content_type: header("content-type").unwrap_or_default().to_owned(), body, after })
}

/// A stream of events has no last chunk when its reader goes.
fn unchunk(mut rest: &[u8]) -> Option<(Vec<u8>, &[u8])> {
    let mut body = Vec::new();
    while !rest.is_empty() {
        let end = rest.windows(2).position(|window| window == b"\r\n")?;
        let length = usize::from_str_radix(std::str::from_utf8(&rest[..end]).ok()?, 16).ok()?;
        body.extend(rest.get(end + 2..end + 2 + length)?);
        rest = rest.get(end + 2 + length + 2..)?;
        if length == 0 {
            break;
        }
    }
    Some((body, rest))
}

#[test]
fn bad_answers_are_found() {
    let check = |answer: &str, expected: &str| {
        let verdict = check(b"GET / HTTP/1.1", answer.as_bytes());
        let verdict = verdict.map_or_else(|wrong| wrong, |statuses| format!("{statuses:?}"));
        assert!(verdict.starts_with(expected), "{answer:?}: {verdict}");
    };
    let problem = |status: u16, code: &str| {
        let body = format!("{{\"status\":{status},\"code\":\"{code}\"}}");
        format!(
            "HTTP/1.1 {status} X\r\ncontent-type: application/problem+json\r\ncontent-length: {}\r\n\r\n{body}",
            body.len()
        )
    };
    check("", "[]");
    check("HTTP/1.1 400 Bad Request\r\ncontent-length: 0\r\n\r\n", "[400]");
    check(&problem(409, "sold-out"), "[409]");
    check(&(problem(409, "sold-out") + &problem(404, "not-found")), "[409, 404]");
    check("HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n3\r\nabc\r\n0\r\n\r\n", "[200]");
    check(&problem(409, "sold-in"), "409 application/problem+json: an unknown code");
    check(&problem(404, "sold-out"), "404 application/problem+json: another status");
    check(&problem(500, "defect"), "500: ");
    check("HTTP/1.1 400 X\r\ncontent-type: text/plain\r\ncontent-length: 2\r\n\r\nno", "400 text/plain: not a problem");
    check(
        "HTTP/1.1 200 X\r\ncontent-type: application/json\r\ncontent-length: 1\r\n\r\n{",
        "200 application/json: not JSON",
    );
    check("HTTP/1.1 200 X\r\ncontent-length: 9\r\n\r\nshort", "unreadable");
    check("nonsense", "unreadable");
}
