//! What a key looks like: `sh_live_1_00ff00ff00ff00ff_<64 hexadecimal digits>`. The tenant and the id say where to
//! look; the secret says that the caller may. Without `sh_` and the secret it is the key's public reference.

use std::fmt;

use sha2::{Digest, Sha256};
use surehold_api::KeyRef;
use surehold_core::kernel::SecretHash;

const SECRET_BYTES: usize = 32;

/// A secret in memory. Never printed; shown once, by whoever made it.
#[derive(Clone, PartialEq, Eq)]
pub struct Secret([u8; SECRET_BYTES]);

impl fmt::Debug for Secret {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Secret(***)")
    }
}

impl Secret {
    /// From the operating system's randomness.
    pub fn random() -> Result<Secret, getrandom::Error> {
        let mut bytes = [0; SECRET_BYTES];
        getrandom::fill(&mut bytes)?;
        Ok(Secret(bytes))
    }

    /// 256 random bits need no slow hash: there is nothing to guess.
    pub fn hash(&self) -> SecretHash {
        Sha256::digest(self.0).into()
    }

    /// The whole key, to be shown once.
    pub fn key_text(&self, key: KeyRef) -> String {
        let digits: String = self.0.iter().map(|byte| format!("{byte:02x}")).collect();
        format!("sh_{key}_{digits}")
    }
}

/// Takes a key apart; `None` if it is not one.
pub(crate) fn parse_key(text: &str) -> Option<(KeyRef, Secret)> {
    let (key, digits) = text.strip_prefix("sh_")?.rsplit_once('_')?;
    let digits: &[u8; 2 * SECRET_BYTES] = digits.as_bytes().try_into().ok()?;
    let mut secret = [0; SECRET_BYTES];
    for (byte, pair) in secret.iter_mut().zip(digits.chunks_exact(2)) {
        *byte = hex_digit(pair[0])? << 4 | hex_digit(pair[1])?;
    }
    Some((KeyRef::parse(key).ok()?, Secret(secret)))
}

fn hex_digit(digit: u8) -> Option<u8> {
    match digit {
        b'0'..=b'9' => Some(digit - b'0'),
        b'a'..=b'f' => Some(digit - b'a' + 10),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use surehold_core::kernel::{KeyId, TenantId};

    use super::*;

    #[test]
    fn keys_come_back() {
        for tenant in [0, 1, -1, 140_737_488_355_327, -140_737_488_355_327] {
            let key = KeyRef { tenant: TenantId(tenant), id: KeyId::new(0xff00) };
            let secret = Secret::random().unwrap();
            let text = secret.key_text(key);
            assert_eq!(parse_key(&text), Some((key, secret)), "{text}");
        }
    }

    #[test]
    fn what_is_no_key() {
        let digits = "0".repeat(64);
        let good = format!("sh_live_1_00000000000000ff_{digits}");
        assert!(parse_key(&good).is_some());
        for bad in [
            String::new(),
            "sh_".to_owned(),
            good.replace("sh_", ""),
            good.replace("live", "prod"),
            good.replace("_1_", "_-1_"),
            good.replace("_1_", "_+1_"),
            good.replace("_1_", "_99999999999999999999_"),
            good.replace("live_1", "test_0"),
            good.to_uppercase(),
            good.replace("ff_", "fg_"),
            format!("{good}0"),
            good.replace(&digits, &"é".repeat(32)),
        ] {
            assert_eq!(parse_key(&bad), None, "{bad}");
        }
    }

    #[test]
    fn a_secret_does_not_print() {
        let secret = Secret([0xab; 32]);
        assert!(!format!("{secret:?}").contains("ab"));
    }
}
