//! The header `Stripe-Signature`. Written apart from the code that verifies it, so that each proves the other.

use hmac::{Hmac, KeyInit, Mac};
use sha2::Sha256;

pub const SIGNATURE_HEADER: &str = "Stripe-Signature";

/// `t=…,v1=…,v0=…`: an HMAC over time and body, under the whole text of the secret, once for each secret. The `v0` is
/// what test deliveries carry besides, and means nothing.
pub fn sign(secrets: &[String], at_secs: i64, body: &[u8]) -> String {
    let mut header = format!("t={at_secs}");
    for secret in secrets {
        header.push_str(",v1=");
        header.push_str(&code(secret, at_secs, body));
    }
    header.push_str(",v0=");
    header.push_str(&code("nobody", at_secs, body));
    header
}

fn code(secret: &str, at_secs: i64, body: &[u8]) -> String {
    let mut code = Hmac::<Sha256>::new_from_slice(secret.as_bytes()).expect("HMAC takes keys of every length");
    code.update(at_secs.to_string().as_bytes());
    code.update(b".");
    code.update(body);
    code.finalize().into_bytes().iter().map(|byte| format!("{byte:02x}")).collect()
}
