//! Signing secrets. Whoever has one can speak in our name to the endpoint that believes it.

use std::fmt;

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use secrecy::{ExposeSecret, SecretSlice, SecretString};
use thiserror::Error;

/// Both bounds are the specification's.
pub const SECRET_BYTES_MIN: usize = 24;
pub const SECRET_BYTES_MAX: usize = 64;

const PREFIX: &str = "whsec_";

/// The key of a symmetric signature. Never printed; [`Secret::reveal`] and [`Secret::key`] are the only ways to it.
#[derive(Clone)]
pub struct Secret {
    key: SecretSlice<u8>,
}

#[derive(Clone, Copy, Debug, Error, PartialEq, Eq)]
pub enum SecretMalformed {
    #[error("a signing secret begins with `whsec_`")]
    Prefix,
    #[error("what follows `whsec_` is not base64")]
    Encoding,
    #[error("a signing secret has 24 to 64 bytes, not {bytes}")]
    Length { bytes: usize },
}

impl Secret {
    /// A new secret is made of bytes that the caller drew at random.
    pub fn from_bytes(key: &[u8]) -> Result<Secret, SecretMalformed> {
        if !(SECRET_BYTES_MIN..=SECRET_BYTES_MAX).contains(&key.len()) {
            return Err(SecretMalformed::Length { bytes: key.len() });
        }
        Ok(Secret { key: key.to_vec().into() })
    }

    /// Reads `whsec_<base64>`.
    pub fn parse(text: &str) -> Result<Secret, SecretMalformed> {
        let encoded = text.strip_prefix(PREFIX).ok_or(SecretMalformed::Prefix)?;
        let key = SecretSlice::from(STANDARD.decode(encoded).map_err(|_| SecretMalformed::Encoding)?);
        Secret::from_bytes(key.expose_secret())
    }

    /// `whsec_<base64>`, for the customer who must verify with it and for the place where it is kept.
    pub fn reveal(&self) -> SecretString {
        format!("{PREFIX}{}", STANDARD.encode(self.key.expose_secret())).into()
    }

    /// The bytes themselves, for whoever keeps them.
    pub fn key(&self) -> &[u8] {
        self.key.expose_secret()
    }
}

impl fmt::Debug for Secret {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Secret(..)")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts() {
        let check = |text: &str, expected: Result<usize, SecretMalformed>| {
            assert_eq!(Secret::parse(text).map(|secret| secret.key().len()), expected, "{text}");
        };
        let encoded = |bytes: usize| format!("whsec_{}", STANDARD.encode(vec![7; bytes]));
        check("whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw", Ok(24));
        check(&encoded(64), Ok(64));
        check(&encoded(23), Err(SecretMalformed::Length { bytes: 23 }));
        check(&encoded(65), Err(SecretMalformed::Length { bytes: 65 }));
        check("whsec_", Err(SecretMalformed::Length { bytes: 0 }));
        check("MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw", Err(SecretMalformed::Prefix));
        check("", Err(SecretMalformed::Prefix));
        check("whsk_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw", Err(SecretMalformed::Prefix));
        check("whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaS", Err(SecretMalformed::Encoding));
        check("whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaS!", Err(SecretMalformed::Encoding));
        check(" whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw", Err(SecretMalformed::Prefix));
    }

    #[test]
    fn shown_only_on_purpose() {
        let text = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw";
        let secret = Secret::parse(text).unwrap();
        assert_eq!(secret.reveal().expose_secret(), text);
        assert_eq!(format!("{secret:?} {secret:#?}"), "Secret(..) Secret(..)");
    }
}
