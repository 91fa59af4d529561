//! Signatures of Stripe's events: `Stripe-Signature: t=…,v1=…`, HMAC-SHA256 in hex over `{t}.{body}`. Pure; the clock is
//! an argument.
//!
//! The key is the endpoint's secret as Stripe shows it, `whsec_` included: unlike in the Standard Webhooks, nothing is
//! cut off or decoded. What is signed is bytes: a body that was parsed and written again is another body.

use std::fmt::Write;

use hmac::{Hmac, KeyInit, Mac};
use secrecy::{ExposeSecret, SecretString};
use sha2::Sha256;
use subtle::{Choice, ConstantTimeEq};
use thiserror::Error;

pub const SIGNATURE_HEADER: &str = "stripe-signature";
/// How far a timestamp may be from now, in both directions: clocks differ both ways.
pub const TOLERANCE_SECS: u64 = 300;
/// In one header, of all schemes. A rotation needs two.
pub const PARTS_MAX: usize = 32;

const SCHEME: &str = "v1";
const CODE_BYTES: usize = 32;

/// Why an event is not believed, in the order in which it is refused.
#[derive(Clone, Copy, Debug, Error, PartialEq, Eq)]
pub enum SignatureError {
    #[error("a signature has at most {PARTS_MAX} parts")]
    TooManyParts,
    #[error("a part of the signature is not `name=value`")]
    PartMalformed,
    #[error("the timestamp is not a number of seconds")]
    TimestampMalformed,
    /// Of two, the next reader may believe the other.
    #[error("there are two timestamps")]
    TimestampTwice,
    #[error("a signature is not 64 hexadecimal digits")]
    CodeMalformed,
    #[error("the timestamp is missing")]
    TimestampMissing,
    /// Signatures of other schemes do not count.
    #[error("there is no signature of the scheme `{SCHEME}`")]
    CodeMissing,
    #[error("the timestamp is {off_by_secs} s away from now")]
    TimestampOutside { off_by_secs: u64 },
    #[error("no signature matches")]
    NoMatch,
}

/// The value of `Stripe-Signature` as Stripe would send it.
pub fn sign(secret: &str, timestamp_secs: i64, body: &[u8]) -> String {
    let mut header = format!("t={timestamp_secs},{SCHEME}=");
    for byte in code(secret, &timestamp_secs.to_string(), body) {
        let _ = write!(header, "{byte:02x}");
    }
    header
}

/// Judges an event by its header and its body as it came over the wire. Gives the time of signing, in seconds since
/// 1970. Within the tolerance an event can be played again: deduplicate by its id.
pub fn verify(header: &str, body: &[u8], secrets: &[SecretString], now_secs: i64) -> Result<i64, SignatureError> {
    let signature = Signature::parse(header)?;
    let off_by_secs = now_secs.abs_diff(signature.timestamp_secs);
    if off_by_secs > TOLERANCE_SECS {
        return Err(SignatureError::TimestampOutside { off_by_secs });
    }
    // Everything is compared with everything: how long it takes tells nothing of what was near.
    let mut matched = Choice::from(0);
    // Everybody knows the empty secret.
    for secret in secrets.iter().map(ExposeSecret::expose_secret).filter(|secret| !secret.is_empty()) {
        let code = code(secret, signature.timestamp, body);
        for candidate in &signature.codes {
            matched |= code.ct_eq(candidate);
        }
    }
    if !bool::from(matched) {
        return Err(SignatureError::NoMatch);
    }
    Ok(signature.timestamp_secs)
}

struct Signature<'a> {
    /// As it was written: that is what was signed.
    timestamp: &'a str,
    timestamp_secs: i64,
    codes: Vec<[u8; CODE_BYTES]>,
}

impl Signature<'_> {
    fn parse(header: &str) -> Result<Signature<'_>, SignatureError> {
        let mut timestamp = None;
        let mut codes = Vec::new();
        for (index, part) in header.split(',').enumerate() {
            if index >= PARTS_MAX {
                return Err(SignatureError::TooManyParts);
            }
            let (name, value) = part.trim().split_once('=').ok_or(SignatureError::PartMalformed)?;
            match name {
                "t" => {
                    let secs = seconds(value).ok_or(SignatureError::TimestampMalformed)?;
                    if timestamp.replace((value, secs)).is_some() {
                        return Err(SignatureError::TimestampTwice);
                    }
                }
                SCHEME => codes.push(unhex(value).ok_or(SignatureError::CodeMalformed)?),
                // Stripe signs test events with `v0` too, and may add others.
                _ => {}
            }
        }
        let (timestamp, timestamp_secs) = timestamp.ok_or(SignatureError::TimestampMissing)?;
        if codes.is_empty() {
            return Err(SignatureError::CodeMissing);
        }
        Ok(Signature { timestamp, timestamp_secs, codes })
    }
}

fn code(secret: &str, timestamp: &str, body: &[u8]) -> [u8; CODE_BYTES] {
    let mut code = Hmac::<Sha256>::new_from_slice(secret.as_bytes()).expect("HMAC takes keys of every length");
    for part in [timestamp.as_bytes(), b".", body] {
        code.update(part);
    }
    code.finalize().into_bytes().into()
}

/// Digits only: `parse` alone would take a sign.
fn seconds(text: &str) -> Option<i64> {
    text.bytes().all(|byte| byte.is_ascii_digit()).then(|| text.parse().ok()).flatten()
}

fn unhex(text: &str) -> Option<[u8; CODE_BYTES]> {
    let (pairs, rest) = text.as_bytes().as_chunks::<2>();
    if pairs.len() != CODE_BYTES || !rest.is_empty() {
        return None;
    }
    let mut code = [0; CODE_BYTES];
    for (byte, [high, low]) in code.iter_mut().zip(pairs) {
        *byte = nibble(*high)? << 4 | nibble(*low)?;
    }
    Some(code)
}

fn nibble(digit: u8) -> Option<u8> {
    char::from(digit).to_digit(16).and_then(|value| u8::try_from(value).ok())
}

#[cfg(test)]
mod tests {
    use super::*;

    const SECRET: &str = "whsec_test_secret";
    const AT: i64 = 1_700_000_000;
    const BODY: &[u8] = br#"{"id":"evt_1","object":"event"}"#;
    // Computed elsewhere: with the whole secret as the key, and with what follows `whsec_`.
    const CODE: &str = "0c8670ed117751cc551a20e35839447075c42800ea3cf3e8a2fbda99cd1e6edd";
    const CODE_WITHOUT_PREFIX: &str = "0fb54d9a35d072623dc9c03143395360f9abb724c46b8d837a63aa8d704baede";

    fn secrets(texts: &[&str]) -> Vec<SecretString> {
        texts.iter().map(|text| SecretString::from(*text)).collect()
    }

    #[test]
    fn the_whole_secret_is_the_key() {
        assert_eq!(sign(SECRET, AT, BODY), format!("t=1700000000,v1={CODE}"));
        assert_eq!(verify(&sign(SECRET, AT, BODY), BODY, &secrets(&[SECRET]), AT), Ok(AT));
    }

    #[test]
    fn headers() {
        let check = |name: &str, header: &str, expected: Result<i64, SignatureError>| {
            assert_eq!(verify(header, BODY, &secrets(&[SECRET]), AT), expected, "{name}: {header}");
        };
        let t = "t=1700000000";
        let ours = format!("v1={CODE}");
        let foreign = format!("v1={CODE_WITHOUT_PREFIX}");
        let upper = format!("v1={}", CODE.to_uppercase());
        check("one", &format!("{t},{ours}"), Ok(AT));
        check("ours first", &format!("{t},{ours},{foreign}"), Ok(AT));
        check("ours last", &format!("{t},{foreign},{ours}"), Ok(AT));
        check("time last", &format!("{ours},{t}"), Ok(AT));
        check("with room", &format!(" {t}, {ours} "), Ok(AT));
        check("in capitals", &format!("{t},{upper}"), Ok(AT));
        check("beside other schemes", &format!("{t},v0=x,{ours},v2=,w="), Ok(AT));
        check("another's", &format!("{t},{foreign}"), Err(SignatureError::NoMatch));
        check("another time", &format!("t=1700000001,{ours}"), Err(SignatureError::NoMatch));
        check("the same time, written otherwise", &format!("t=01700000000,{ours}"), Err(SignatureError::NoMatch));
        check("ours under another scheme", &format!("{t},v0={CODE}"), Err(SignatureError::CodeMissing));
        check("no code", t, Err(SignatureError::CodeMissing));
        check("no time", &ours, Err(SignatureError::TimestampMissing));
        check("time twice", &format!("{t},{t},{ours}"), Err(SignatureError::TimestampTwice));
        check("nothing", "", Err(SignatureError::PartMalformed));
        check("an empty part", &format!("{t},{ours},"), Err(SignatureError::PartMalformed));
        check("no name", &format!("{t},{CODE}"), Err(SignatureError::PartMalformed));
        for code in ["", "0c", &CODE[..62], &CODE[..63], &format!("{CODE}00"), &CODE.replace('c', "g"), &"é".repeat(32)]
        {
            check("not hex", &format!("{t},{ours},v1={code}"), Err(SignatureError::CodeMalformed));
        }
        for time in ["", "+1700000000", "-1", "1700000000.0", "now", "99999999999999999999"] {
            check("no number", &format!("t={time},{ours}"), Err(SignatureError::TimestampMalformed));
        }
        let many = |parts: usize| format!("{t}{}", format!(",{ours}").repeat(parts - 1));
        check("as many as there may be", &many(PARTS_MAX), Ok(AT));
        check("too many", &many(PARTS_MAX + 1), Err(SignatureError::TooManyParts));
    }

    #[test]
    fn every_byte_counts() {
        let check = |body: &[u8], expected: Result<i64, SignatureError>| {
            let header = sign(SECRET, AT, BODY);
            assert_eq!(verify(&header, body, &secrets(&[SECRET]), AT), expected, "{body:?}");
        };
        check(BODY, Ok(AT));
        check(br#"{"id":"evt_2","object":"event"}"#, Err(SignatureError::NoMatch));
        check(br#"{"id":"evt_1", "object":"event"}"#, Err(SignatureError::NoMatch));
        check(b"", Err(SignatureError::NoMatch));
    }

    #[test]
    fn secrets_known() {
        let check = |signing: &str, knowing: &[&str], expected: bool| {
            let judged = verify(&sign(signing, AT, BODY), BODY, &secrets(knowing), AT);
            assert_eq!(judged.is_ok(), expected, "{signing} {knowing:?}");
        };
        check("whsec_new", &["whsec_old", "whsec_new"], true);
        check("whsec_old", &["whsec_old", "whsec_new"], true);
        check("whsec_new", &["whsec_old"], false);
        check("whsec_new", &["new"], false);
        check("whsec_new", &[], false);
        check("", &[""], false);
        check("whsec_new", &["", "whsec_new"], true);
    }

    #[test]
    fn the_clock() {
        let check = |now_secs: i64, off_by_secs: Option<u64>| {
            let expected = off_by_secs.map(|off_by_secs| SignatureError::TimestampOutside { off_by_secs });
            let judged = verify(&sign(SECRET, AT, BODY), BODY, &secrets(&[SECRET]), now_secs);
            assert_eq!(judged.err(), expected, "{now_secs}");
        };
        check(AT, None);
        check(AT + 300, None);
        check(AT - 300, None);
        check(AT + 301, Some(301));
        check(AT - 301, Some(301));
        check(i64::MIN, Some(AT.abs_diff(i64::MIN)));
    }
}
