//! Signatures of messages: `v1`, HMAC-SHA256 over `{id}.{timestamp}.{body}`. Pure; the clock is an argument.
//!
//! What is signed is bytes. A body that was parsed and written again is another body.

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use hmac::{Hmac, KeyInit, Mac};
use reqwest::header::HeaderMap;
use sha2::Sha256;
use subtle::{Choice, ConstantTimeEq};
use thiserror::Error;

use super::Secret;

pub const ID_HEADER: &str = "webhook-id";
pub const TIMESTAMP_HEADER: &str = "webhook-timestamp";
pub const SIGNATURE_HEADER: &str = "webhook-signature";

/// How far a timestamp may be from now, in both directions: clocks differ both ways.
pub const TOLERANCE_SECS: u64 = 300;
pub const ID_BYTES_MAX: usize = 256;
/// In one header. A rotation needs two.
pub const SIGNATURES_MAX: usize = 32;

const VERSION: &str = "v1";

/// What a signature speaks for.
#[derive(Clone, Copy, Debug)]
pub struct Message<'a> {
    /// The same in every attempt: receivers deduplicate by it.
    pub id: &'a str,
    /// When this attempt is made, in seconds since 1970.
    pub timestamp_secs: i64,
    pub body: &'a [u8],
}

#[derive(Clone, Copy, Debug, Error, PartialEq, Eq)]
pub enum SignError {
    #[error("a message cannot be signed without a secret")]
    NoSecret,
    #[error("at most {SIGNATURES_MAX} secrets sign a message")]
    TooManySecrets,
    #[error("a message id has 1 to {ID_BYTES_MAX} visible ASCII characters other than a full stop")]
    IdMalformed,
    #[error("a timestamp is not before 1970")]
    TimestampNegative,
}

/// The value of `webhook-signature`. Every secret signs, so that a receiver may know the old one or the new one.
pub fn sign(message: &Message<'_>, secrets: &[Secret]) -> Result<String, SignError> {
    if secrets.is_empty() {
        return Err(SignError::NoSecret);
    }
    if secrets.len() > SIGNATURES_MAX {
        return Err(SignError::TooManySecrets);
    }
    if !is_id(message.id) {
        return Err(SignError::IdMalformed);
    }
    if message.timestamp_secs < 0 {
        return Err(SignError::TimestampNegative);
    }
    let timestamp = message.timestamp_secs.to_string();
    let signatures = secrets.iter().map(|secret| {
        let code = code(secret, message.id, &timestamp, message.body);
        format!("{VERSION},{}", STANDARD.encode(code))
    });
    Ok(signatures.collect::<Vec<_>>().join(" "))
}

/// A message that one of our secrets has signed, within the tolerance.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Verified<'a> {
    /// For deduplication: within the tolerance, a message can be played again.
    pub id: &'a str,
    pub timestamp_secs: i64,
}

#[derive(Clone, Copy, Debug, Error, PartialEq, Eq)]
pub enum VerifyError {
    #[error("the header `{name}` is missing")]
    HeaderMissing { name: &'static str },
    /// Unreadable, or there more than once.
    #[error("the header `{name}` is malformed")]
    HeaderMalformed { name: &'static str },
    #[error("the timestamp is {off_by_secs} s away from now")]
    TimestampOutside { off_by_secs: u64 },
    #[error("no signature matches")]
    NoMatch,
}

/// Judges a message by its headers and its body as it came over the wire. Refuses in the order of the variants of
/// [`VerifyError`].
pub fn verify<'a>(
    headers: &'a HeaderMap,
    body: &[u8],
    secrets: &[Secret],
    now_secs: i64,
) -> Result<Verified<'a>, VerifyError> {
    let id = only(headers, ID_HEADER)?;
    let timestamp = only(headers, TIMESTAMP_HEADER)?;
    let signatures = only(headers, SIGNATURE_HEADER)?;
    if !is_id(id) {
        return Err(VerifyError::HeaderMalformed { name: ID_HEADER });
    }
    let timestamp_secs = parse_timestamp(timestamp).ok_or(VerifyError::HeaderMalformed { name: TIMESTAMP_HEADER })?;
    let candidates = parse_signatures(signatures).ok_or(VerifyError::HeaderMalformed { name: SIGNATURE_HEADER })?;
    let off_by_secs = now_secs.abs_diff(timestamp_secs);
    if off_by_secs > TOLERANCE_SECS {
        return Err(VerifyError::TimestampOutside { off_by_secs });
    }
    // Everything is compared with everything: how long it takes tells nothing of what was near.
    let mut matched = Choice::from(0);
    for secret in secrets {
        let code = code(secret, id, timestamp, body);
        for candidate in &candidates {
            matched |= code.as_slice().ct_eq(candidate);
        }
    }
    if !bool::from(matched) {
        return Err(VerifyError::NoMatch);
    }
    Ok(Verified { id, timestamp_secs })
}

fn code(secret: &Secret, id: &str, timestamp: &str, body: &[u8]) -> [u8; 32] {
    let mut code = Hmac::<Sha256>::new_from_slice(secret.key()).expect("HMAC takes keys of every length");
    for part in [id.as_bytes(), b".", timestamp.as_bytes(), b".", body] {
        code.update(part);
    }
    code.finalize().into_bytes().into()
}

/// No full stop: it separates the parts, and a message must not be read as another with the parts shifted.
fn is_id(id: &str) -> bool {
    (1..=ID_BYTES_MAX).contains(&id.len()) && id.bytes().all(|byte| byte.is_ascii_graphic() && byte != b'.')
}

/// Digits only: `parse` alone would take a sign.
fn parse_timestamp(text: &str) -> Option<i64> {
    text.bytes().all(|byte| byte.is_ascii_digit()).then(|| text.parse().ok()).flatten()
}

/// The decoded signatures of our version. Those of other versions are left out, as are those that cannot match; `None`
/// if an entry has no version at all.
fn parse_signatures(text: &str) -> Option<Vec<Vec<u8>>> {
    let entries: Vec<&str> = text.split(' ').filter(|entry| !entry.is_empty()).take(SIGNATURES_MAX + 1).collect();
    if entries.is_empty() || entries.len() > SIGNATURES_MAX {
        return None;
    }
    let mut candidates = Vec::new();
    for entry in entries {
        let (version, signature) = entry.split_once(',')?;
        if version == VERSION
            && let Ok(signature) = STANDARD.decode(signature)
        {
            candidates.push(signature);
        }
    }
    Some(candidates)
}

/// A header that is there once: of two, the next reader may believe the other.
fn only<'a>(headers: &'a HeaderMap, name: &'static str) -> Result<&'a str, VerifyError> {
    let mut values = headers.get_all(name).iter();
    let value = values.next().ok_or(VerifyError::HeaderMissing { name })?;
    match (value.to_str(), values.next()) {
        (Ok(value), None) => Ok(value),
        (Ok(_) | Err(_), Some(_)) | (Err(_), None) => Err(VerifyError::HeaderMalformed { name }),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    // The specification's published vector.
    const SECRET: &str = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw";
    const ID: &str = "msg_p5jXN8AQM9LWM0D4loKWxJek";
    const AT: i64 = 1_614_265_330;
    const BODY: &[u8] = br#"{"test": 2432232314}"#;
    const SIGNATURE: &str = "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=";

    const MESSAGE: Message<'static> = Message { id: ID, timestamp_secs: AT, body: BODY };

    fn secret() -> Secret {
        Secret::parse(SECRET).unwrap()
    }

    fn other(byte: u8) -> Secret {
        Secret::from_bytes(&[byte; 32]).unwrap()
    }

    fn headers(rows: &[(&'static str, &str)]) -> HeaderMap {
        rows.iter().map(|(name, value)| (name.parse().unwrap(), value.parse().unwrap())).collect()
    }

    fn signed(signature: &str) -> HeaderMap {
        headers(&[(ID_HEADER, ID), (TIMESTAMP_HEADER, "1614265330"), (SIGNATURE_HEADER, signature)])
    }

    #[test]
    fn the_published_vector() {
        assert_eq!(sign(&MESSAGE, &[secret()]).unwrap(), SIGNATURE);
        let verified = Verified { id: ID, timestamp_secs: AT };
        assert_eq!(verify(&signed(SIGNATURE), BODY, &[secret()], AT), Ok(verified));
    }

    #[test]
    fn signatures_in_the_header() {
        let check = |name: &str, signatures: &str, expected: Result<(), VerifyError>| {
            let judged = verify(&signed(signatures), BODY, &[secret()], AT).map(|_| ());
            assert_eq!(judged, expected, "{name}");
        };
        let malformed = Err(VerifyError::HeaderMalformed { name: SIGNATURE_HEADER });
        let foreign = sign(&MESSAGE, &[other(1)]).unwrap();
        let hex = "v1,8348 v1a,AAAA";
        check("ours first", &format!("{SIGNATURE} {foreign}"), Ok(()));
        check("ours last", &format!("{foreign} {SIGNATURE}"), Ok(()));
        check("beside other versions", &format!("v1a,AAAA v2,x {SIGNATURE}"), Ok(()));
        check("beside one that cannot match", &format!("v1,### {SIGNATURE}"), Ok(()));
        check("more room than needed", &format!("  {SIGNATURE}  {foreign} "), Ok(()));
        check("another's", &foreign, Err(VerifyError::NoMatch));
        check("ours under another version", &SIGNATURE.replace("v1,", "v1a,"), Err(VerifyError::NoMatch));
        check("too short", hex, Err(VerifyError::NoMatch));
        check("a beginning of ours", "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ", Err(VerifyError::NoMatch));
        check("nothing", "", malformed);
        check("only room", "   ", malformed);
        check("no version", "g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=", malformed);
        check("as many as there may be", &[SIGNATURE; SIGNATURES_MAX].join(" "), Ok(()));
        check("too many", &[SIGNATURE; SIGNATURES_MAX + 1].join(" "), malformed);
    }

    #[test]
    fn rotation() {
        let check = |signing: &[Secret], knowing: &[Secret], expected: bool| {
            let headers = signed(&sign(&MESSAGE, signing).unwrap());
            assert_eq!(verify(&headers, BODY, knowing, AT).is_ok(), expected, "{} {}", signing.len(), knowing.len());
        };
        let (old, new) = (other(1), other(2));
        check(&[new.clone(), old.clone()], std::slice::from_ref(&old), true);
        check(&[new.clone(), old.clone()], std::slice::from_ref(&new), true);
        check(std::slice::from_ref(&old), &[new.clone(), old.clone()], true);
        check(std::slice::from_ref(&new), &[new.clone(), old.clone()], true);
        check(std::slice::from_ref(&new), &[old], false);
        check(&[new], &[], false);
    }

    #[test]
    fn every_byte_counts() {
        let check = |id: &str, timestamp: &str, body: &[u8], expected: Result<(), VerifyError>| {
            let headers = headers(&[(ID_HEADER, id), (TIMESTAMP_HEADER, timestamp), (SIGNATURE_HEADER, SIGNATURE)]);
            let judged = verify(&headers, body, &[secret()], AT).map(|_| ());
            assert_eq!(judged, expected, "{id} {timestamp} {body:?}");
        };
        check(ID, "1614265330", BODY, Ok(()));
        check("msg_p5jXN8AQM9LWM0D4loKWxJeK", "1614265330", BODY, Err(VerifyError::NoMatch));
        check(ID, "1614265331", BODY, Err(VerifyError::NoMatch));
        check(ID, "01614265330", BODY, Err(VerifyError::NoMatch));
        check(ID, "1614265330", br#"{"test":2432232314}"#, Err(VerifyError::NoMatch));
        check(ID, "1614265330", b"", Err(VerifyError::NoMatch));
    }

    #[test]
    fn the_clock() {
        let check = |now_secs: i64, off_by_secs: Option<u64>| {
            let expected = off_by_secs.map(|off_by_secs| VerifyError::TimestampOutside { off_by_secs });
            assert_eq!(verify(&signed(SIGNATURE), BODY, &[secret()], now_secs).err(), expected, "{now_secs}");
        };
        check(AT, None);
        check(AT + 300, None);
        check(AT - 300, None);
        check(AT + 301, Some(301));
        check(AT - 301, Some(301));
        check(i64::MIN, Some(AT.abs_diff(i64::MIN)));
    }

    #[test]
    fn headers_that_are_missing_or_malformed() {
        let check = |id: &[&str], timestamp: &[&str], signature: &[&str], expected: VerifyError| {
            let mut given = HeaderMap::new();
            for (name, values) in [(ID_HEADER, id), (TIMESTAMP_HEADER, timestamp), (SIGNATURE_HEADER, signature)] {
                for value in values {
                    given.append(name, reqwest::header::HeaderValue::from_bytes(value.as_bytes()).unwrap());
                }
            }
            assert_eq!(verify(&given, BODY, &[secret()], AT), Err(expected), "{id:?} {timestamp:?} {signature:?}");
        };
        let missing = |name| VerifyError::HeaderMissing { name };
        let malformed = |name| VerifyError::HeaderMalformed { name };
        let long = "x".repeat(ID_BYTES_MAX + 1);
        let at: &[&str] = &["1614265330"];
        let by: &[&str] = &[SIGNATURE];
        check(&[], at, by, missing(ID_HEADER));
        check(&[ID], &[], by, missing(TIMESTAMP_HEADER));
        check(&[ID], at, &[], missing(SIGNATURE_HEADER));
        check(&[ID, ID], at, by, malformed(ID_HEADER));
        check(&[""], at, by, malformed(ID_HEADER));
        check(&["msg.1"], at, by, malformed(ID_HEADER));
        check(&["msg 1"], at, by, malformed(ID_HEADER));
        check(&["msg_é"], at, by, malformed(ID_HEADER));
        check(&[&long], at, by, malformed(ID_HEADER));
        check(&[ID], &["1614265330", "1614265330"], by, malformed(TIMESTAMP_HEADER));
        for timestamp in ["", "+1614265330", "-1", "1614265330.0", "1614265330s", "99999999999999999999", "now"] {
            check(&[ID], &[timestamp], by, malformed(TIMESTAMP_HEADER));
        }
        check(&[ID], at, &[SIGNATURE, SIGNATURE], malformed(SIGNATURE_HEADER));
    }

    #[test]
    fn what_is_not_signed() {
        let check = |message: Message<'_>, secrets: &[Secret], expected: SignError| {
            assert_eq!(sign(&message, secrets), Err(expected), "{message:?}");
        };
        check(MESSAGE, &[], SignError::NoSecret);
        check(MESSAGE, &vec![secret(); SIGNATURES_MAX + 1], SignError::TooManySecrets);
        check(Message { timestamp_secs: -1, ..MESSAGE }, &[secret()], SignError::TimestampNegative);
        let long = "x".repeat(ID_BYTES_MAX + 1);
        for id in ["", "msg.1", "msg 1", "msg\r\nx: y", "é", &long] {
            check(Message { id, ..MESSAGE }, &[secret()], SignError::IdMalformed);
        }
    }
}
