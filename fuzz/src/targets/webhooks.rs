//! Webhooks: whom we dare to call, and whom we believe.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

use axum::http::{HeaderMap, HeaderValue};
use reqwest::Url;
use secrecy::ExposeSecret;
use surehold_connect::webhooks::{
    Address, ID_HEADER, Message, Reach, SIGNATURE_HEADER, Secret, TIMESTAMP_HEADER, TOLERANCE_SECS, VerifyError,
    is_public, sign, verify,
};

use super::lines;

/// No address that is taken leads into somebody's own network, by rules that are not those of the product.
pub(crate) fn addresses(data: &[u8]) {
    if let Ok(bytes) = <[u8; 4]>::try_from(data) {
        let ip = Ipv4Addr::from(bytes);
        assert!(!is_public(ip.into()) || is_plainly_public_v4(ip), "{ip}");
    }
    if let Ok(bytes) = <[u8; 16]>::try_from(data) {
        let ip = Ipv6Addr::from(bytes);
        assert!(!is_public(ip.into()) || is_plainly_public_v6(ip), "{ip}");
    }
    let Ok(text) = std::str::from_utf8(data) else { return };
    let anywhere = Address::parse(text, Reach::Anywhere);
    let Ok(address) = Address::parse(text, Reach::Public) else { return };
    assert_eq!(anywhere.as_ref(), Ok(&address), "{text}: what is public is anywhere");
    assert_eq!(Address::parse(address.as_str(), Reach::Public).as_ref(), Ok(&address), "{text}");
    let url = Url::parse(address.as_str()).expect("an address is a URL");
    assert_eq!((url.scheme(), url.username(), url.password(), url.fragment()), ("https", "", None, None), "{text}");
    assert!(url.port_or_known_default().is_some_and(|port| port == 443 || port > 1_023), "{text}");
    host_is_plainly_public(address.host());
}

fn host_is_plainly_public(host: &str) {
    match host.trim_matches(['[', ']']).parse() {
        Ok(IpAddr::V4(ip)) => assert!(is_plainly_public_v4(ip), "{host}"),
        Ok(IpAddr::V6(ip)) => assert!(is_plainly_public_v6(ip), "{host}"),
        // A system's resolver takes numbers in many forms for addresses, and one full stop at their end.
        Err(_) => {
            let last = host.strip_suffix('.').unwrap_or(host).rsplit('.').next().unwrap_or_default().to_lowercase();
            let hexadecimal = last.strip_prefix("0x").is_some_and(|rest| rest.bytes().all(|b| b.is_ascii_hexdigit()));
            let decimal = !last.is_empty() && last.bytes().all(|byte| byte.is_ascii_digit());
            assert!(!hexadecimal && !decimal, "{host} may be a number");
            assert!(host.is_ascii() && !host.contains(['[', ']', '%', '@', '/', '\\', ' ']), "{host}");
        }
    }
}

fn is_plainly_public_v4(ip: Ipv4Addr) -> bool {
    let special = ip.is_private() || ip.is_loopback() || ip.is_link_local() || ip.is_broadcast();
    let unusable = ip.is_documentation() || ip.is_multicast() || ip.is_unspecified();
    !special
        && !unusable
        && match ip.octets() {
            [0 | 240..=255, ..] | [100, 64..=127, ..] | [192, 0, 0, _] | [198, 18..=19, ..] => false,
            [..] => true,
        }
}

fn is_plainly_public_v6(ip: Ipv6Addr) -> bool {
    let special = ip.is_loopback() || ip.is_unspecified() || ip.is_multicast() || ip.is_unique_local();
    !special
        && !ip.is_unicast_link_local()
        && ip.to_ipv4().is_none()
        && match ip.segments() {
            // Translated, 6to4, Teredo, documentation, site-local.
            [0x64, 0xff9b, ..] | [0x2002 | 0xfec0..=0xfeff, ..] | [0x2001, 0 | 0xdb8, ..] => false,
            [..] => true,
        }
}

const SECRET: [u8; 32] = *b"a secret of thirty-two bytes ok!";
const NOW_SECS: i64 = 1_790_000_000;

/// Lines: id, timestamp, signatures, a secret; the rest is the body.
pub(crate) fn signatures(data: &[u8]) {
    let [id, timestamp, signature, secret, body] = lines(data);
    if let Ok(text) = std::str::from_utf8(secret)
        && let Ok(secret) = Secret::parse(text)
    {
        assert_eq!(secret.reveal().expose_secret(), text, "a secret has one spelling");
    }
    let ours = [Secret::from_bytes(&SECRET).expect("as long as a secret must be")];
    given_headers(id, timestamp, signature, body, &ours);
    if let Ok(id) = std::str::from_utf8(id) {
        signed_and_verified(id, body, &ours);
    }
}

/// Nothing is believed that we would not have signed in the same words.
fn given_headers(id: &[u8], timestamp: &[u8], signature: &[u8], body: &[u8], ours: &[Secret]) {
    let mut headers = HeaderMap::new();
    for (name, value) in [(ID_HEADER, id), (TIMESTAMP_HEADER, timestamp), (SIGNATURE_HEADER, signature)] {
        if let Ok(value) = HeaderValue::from_bytes(value) {
            headers.insert(name, value);
        }
    }
    if let Ok(verified) = verify(&headers, body, ours, NOW_SECS) {
        let message = Message { id: verified.id, timestamp_secs: verified.timestamp_secs, body };
        let expected = sign(&message, ours).expect("what is believed can be signed");
        let given = std::str::from_utf8(signature).expect("what is believed is text");
        // What is signed is the text: a holder of the secret may write the timestamp with zeros that we would not.
        let as_we_write = timestamp == verified.timestamp_secs.to_string().as_bytes();
        assert!(!as_we_write || given.split(' ').any(|entry| entry == expected), "{given} is not {expected}");
        assert_eq!(verify(&headers, body, &[], NOW_SECS), Err(VerifyError::NoMatch), "nothing signs for nobody");
    }
}

fn signed_and_verified(id: &str, body: &[u8], ours: &[Secret]) {
    let Ok(signature) = sign(&Message { id, timestamp_secs: NOW_SECS, body }, ours) else { return };
    let mut headers = HeaderMap::new();
    for (name, value) in [(ID_HEADER, id), (TIMESTAMP_HEADER, &NOW_SECS.to_string()), (SIGNATURE_HEADER, &signature)] {
        headers.insert(name, HeaderValue::from_str(value).expect("what is signed goes into headers"));
    }
    let off = i64::try_from(TOLERANCE_SECS).expect("minutes");
    for (now_secs, believed) in [(NOW_SECS - off - 1, false), (NOW_SECS - off, true), (NOW_SECS + off + 1, false)] {
        assert_eq!(verify(&headers, body, ours, now_secs).is_ok(), believed, "{id}");
    }
    let other = [body, b"!"].concat();
    assert_eq!(verify(&headers, &other, ours, NOW_SECS), Err(VerifyError::NoMatch), "{id}");
}
