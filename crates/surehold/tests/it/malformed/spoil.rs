//! Requests as bytes, spoilt in one way or two.

use super::random::Random;
use super::requests::Request;
use super::values;

/// What goes over the socket, and whether the answer is left unread.
pub(super) struct Spoilt {
    pub(super) bytes: Vec<u8>,
    pub(super) hang_up: bool,
}

pub(super) fn spoil(request: Request, random: &mut Random) -> Spoilt {
    let bytes = match random.below(20) {
        0..=6 => spoil_body(&request, random),
        7..=8 => spoil_query(request, random),
        9..=10 => spoil_path(request, random),
        11..=13 => spoil_headers(request, random),
        14 => spoil_framing(&request, random),
        15..=18 => spoil_bytes(plain(&request), random),
        _ => not_this_protocol(&request, random),
    };
    Spoilt { bytes, hang_up: random.one_in(50) }
}

/// As it should be.
fn plain(request: &Request) -> Vec<u8> {
    let body = request.body.as_ref().map(ToString::to_string).unwrap_or_default();
    with_length(request, body.as_bytes())
}

fn with_length(request: &Request, body: &[u8]) -> Vec<u8> {
    assemble(request, &format!("content-length: {}\r\n", body.len()), body)
}

fn assemble(request: &Request, framing: &str, body: &[u8]) -> Vec<u8> {
    let query: Vec<String> = request.query.iter().map(|(name, value)| format!("{name}={value}")).collect();
    let mark = if query.is_empty() { "" } else { "?" };
    let path = request.path.replace(' ', "%20");
    let mut bytes = format!("{} {path}{mark}{} HTTP/1.1\r\n", request.method, query.join("&")).into_bytes();
    for (name, value) in &request.headers {
        bytes.extend(format!("{name}: {value}\r\n").bytes());
    }
    bytes.extend(framing.bytes());
    bytes.extend(b"\r\n");
    bytes.extend(body);
    bytes
}

fn spoil_body(request: &Request, random: &mut Random) -> Vec<u8> {
    let Some(good) = &request.body else {
        // None is expected: anything is too much.
        let count = random.below(300);
        let body = random.bytes(count);
        return with_length(request, &body);
    };
    let body = match random.below(16) {
        0 => spoil_bytes(good.to_string().into_bytes(), random),
        1 => [b"\xef\xbb\xbf", good.to_string().as_bytes()].concat(),
        2 => [good.to_string().as_bytes(), good.to_string().as_bytes()].concat(),
        3 => b" ".repeat(*random.pick(&[0, 1, 300_000])),
        _ => values::spoil(good, random),
    };
    with_length(request, &body)
}

fn spoil_query(mut request: Request, random: &mut Random) -> Vec<u8> {
    let name =
        *random.pick(&["slot", "limit", "after", "from", "until", "state", "reference", "tenant", "surprise", ""]);
    let value = match random.below(4) {
        0 => (*random.pick(&["%", "%f", "%zz", "%ff%fe", "%00", "&&&", "=", "+", "a=b=c", "%C3%28"])).to_owned(),
        1 => "x".repeat(*random.pick(&[201, 5_000, 70_000])),
        _ => percent(&values::text(random)),
    };
    if let Some(place) = request.query.iter_mut().find(|_| random.one_in(2)) {
        place.1 = value;
    } else {
        request.query.push((name, value));
    }
    plain(&request)
}

fn percent(text: &str) -> String {
    text.bytes().map(|byte| format!("%{byte:02X}")).collect()
}

fn spoil_path(mut request: Request, random: &mut Random) -> Vec<u8> {
    let mut segments: Vec<String> = request.path.split('/').map(str::to_owned).collect();
    let place = random.below(segments.len());
    segments[place] = match random.below(4) {
        0 => (*random
            .pick(&["..", ".", "%2e%2e", "%2f", "%", "%f", "%zz", "%ff", "%00", "%C3%28", "*", "?", "#", "%20"]))
        .to_owned(),
        1 => "a".repeat(*random.pick(&[64, 201, 3_000, 70_000])),
        2 => "a/".repeat(*random.pick(&[1, 10, 1_000])),
        _ => percent(&values::text(random)),
    };
    request.path = segments.join("/");
    plain(&request)
}

fn spoil_headers(mut request: Request, random: &mut Random) -> Vec<u8> {
    let place = random.below(request.headers.len());
    match random.below(9) {
        0 => drop(request.headers.remove(place)),
        1 => request.headers.push(request.headers[place].clone()),
        2 => request.headers[place].1 = values::text(random).replace(['\r', '\n'], "?"),
        3 => request.headers[place].1 = "x".repeat(*random.pick(&[201, 9_000, 500_000])),
        4 => request.headers.extend((0..*random.pick(&[50, 99, 101, 3_000])).map(|i| ("x-filler", format!("{i}")))),
        5 => request.method = String::from(*random.pick(&METHODS)),
        6 => {
            let (name, value) = *random.pick(&HEADERS);
            request.headers.push((name, value.to_owned()));
        }
        7 => {
            request.headers.retain(|(name, _)| *name != "authorization");
            let value = *random.pick(&[
                "",
                "Bearer",
                "Bearer ",
                "Basic YTpi",
                "Bearer sh_live_1_0_0",
                "Bearer sh_live_",
                "\u{1f511}",
            ]);
            request.headers.push(("authorization", value.to_owned()));
        }
        _ => {
            request.headers.retain(|(name, _)| *name != "idempotency-key");
            let key = if random.one_in(2) { values::text(random) } else { "k".repeat(201) };
            request.headers.push(("idempotency-key", key.replace(['\r', '\n'], "?")));
        }
    }
    plain(&request)
}

const METHODS: [&str; 14] = [
    "HEAD",
    "OPTIONS",
    "TRACE",
    "CONNECT",
    "DELETE",
    "PATCH",
    "BREW",
    "get",
    "G E T",
    "",
    "\0",
    "GÉT",
    "PRI",
    "A-VERY-LONG-METHOD-NAME-THAT-NOBODY-KNOWS",
];

const HEADERS: [(&str, &str); 20] = [
    ("content-type", "text/plain"),
    ("content-type", "application/json; charset=utf-16"),
    ("content-type", "multipart/form-data"),
    ("content-encoding", "gzip"),
    ("accept", "text/event-stream"),
    ("accept", "image/png"),
    ("last-event-id", "9223372036854775807-1"),
    ("last-event-id", "\u{1f4a5}"),
    ("prefer", "return=minimal, return=representation, ="),
    ("surehold-mode", "test"),
    ("surehold-mode", "neither"),
    ("expect", "100-continue"),
    ("expect", "a miracle"),
    ("upgrade", "websocket"),
    ("upgrade", "h2c"),
    ("te", "trailers, deflate;q=0.5"),
    ("range", "bytes=0-0,1-1"),
    ("traceparent", "00-zz-zz-00"),
    ("x-forwarded-for", "::ffff:999.999.999.999"),
    ("if-none-match", "*"),
];

/// Lengths and chunks that do not fit.
fn spoil_framing(request: &Request, random: &mut Random) -> Vec<u8> {
    let body = request.body.as_ref().map(ToString::to_string).unwrap_or_default();
    let bytes = body.len();
    let length = |length: &str| assemble(request, &format!("content-length: {length}\r\n"), body.as_bytes());
    let chunked = |chunks: &str| assemble(request, "transfer-encoding: chunked\r\n", chunks.as_bytes());
    match random.below(14) {
        0 => length("-1"),
        1 => length("18446744073709551616"),
        2 => length("9223372036854775807"),
        3 => length("abc"),
        4 => length(&format!("{}", bytes + 1 + random.below(1_000))),
        5 => length(&format!("{}", random.below(bytes + 1))),
        6 => length(&format!("{bytes}, {}", bytes + 1)),
        7 => assemble(request, &format!("content-length: {bytes}\r\ntransfer-encoding: chunked\r\n"), body.as_bytes()),
        8 => chunked("zz\r\n"),
        9 => chunked("ffffffffffffffffff\r\n"),
        10 => chunked(&format!("{bytes:x};{}\r\n{body}\r\n0\r\n\r\n", "x".repeat(20_000))),
        11 => chunked(&format!("{bytes:x}\r\n{body}\r\n0\r\nx: y\r\nmalformed trailer\r\n\r\n")),
        12 => chunked(&format!("{bytes:x}\r\n{body}0\r\n\r\n")),
        _ => assemble(request, "transfer-encoding: gzip, identity, chunked, chunked\r\n", body.as_bytes()),
    }
}

/// Damage that knows nothing of what it damages.
fn spoil_bytes(mut bytes: Vec<u8>, random: &mut Random) -> Vec<u8> {
    for _ in 0..=random.below(3) {
        let place = random.place_in(&bytes);
        match random.below(6) {
            0 => bytes.truncate(place),
            1 | 2 => {
                if let Some(byte) = bytes.get_mut(place) {
                    *byte ^= 1 << random.below(8);
                }
            }
            3 => {
                let garbage = random.below(40);
                let garbage = random.bytes(garbage);
                bytes.splice(place..place, garbage);
            }
            4 => drop(bytes.drain(place..(place + 1 + random.below(20)).min(bytes.len()).max(place))),
            _ => bytes.splice(place..place, [*random.pick(b"\0\r\n \t%\xff\xc3\"{")]).for_each(drop),
        }
    }
    bytes
}

const PREFACE: &[u8] = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n";

fn not_this_protocol(request: &Request, random: &mut Random) -> Vec<u8> {
    let good = plain(request);
    let count = random.below(2_000);
    let garbage = random.bytes(count);
    match random.below(8) {
        0 => garbage,
        1 => format!("GET {}\r\n", request.path).into_bytes(),
        2 => {
            let version = *random.pick(&[b"HTTP/0.9", b"HTTP/3.0", b"HTTP/1.2", b"HTCP/1.1"]);
            replace_first(good, b"HTTP/1.1", version)
        }
        3 => [PREFACE, &garbage].concat(),
        // An empty SETTINGS frame, then a frame of any kind whose content is garbage.
        4 => [
            PREFACE,
            &[0, 0, 0, 4, 0, 0, 0, 0, 0],
            &[0, 0, 200, random.byte() % 12, random.byte(), 0, 0, 0, 1],
            &garbage,
        ]
        .concat(),
        5 => [PREFACE, &good].concat(),
        // Two requests, of which the second stops in the middle.
        6 => {
            let first = replace_first(good.clone(), b"connection: close", b"connection: keep-alive");
            [&first, &good[..random.place_in(&good)]].concat()
        }
        _ => [b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03".as_slice(), &garbage].concat(),
    }
}

fn replace_first(mut bytes: Vec<u8>, this: &[u8], with: &[u8]) -> Vec<u8> {
    if let Some(at) = bytes.windows(this.len()).position(|window| window == this) {
        bytes.splice(at..at + this.len(), with.iter().copied());
    }
    bytes
}
