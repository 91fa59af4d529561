//! What an operation is given and what it gives back: JSON as canonical text.

use serde::{Deserialize, Serialize, de::DeserializeOwned};
use sha2::{Digest, Sha256};
use smol_str::SmolStr;

use crate::kernel::{Corrupt, Invalid, text_column};

pub const PAYLOAD_BYTES_MAX: usize = 256 * 1024;

/// Canonical: equal values have equal texts, so that they can be told apart by a hash.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Payload(SmolStr);

text_column!(Payload, Json, |text: &str| Ok::<_, Corrupt>(Payload(text.into())));

impl Payload {
    pub fn null() -> Payload {
        Payload(SmolStr::new_static("null"))
    }

    pub fn new(value: &serde_json::Value) -> Result<Payload, Invalid> {
        // Object keys come out sorted.
        let text = value.to_string();
        if text.len() > PAYLOAD_BYTES_MAX {
            let what = "the payload".to_owned();
            return Err(Invalid::NameTooLong { what, bytes: text.len(), bytes_max: PAYLOAD_BYTES_MAX });
        }
        // What nests deeper than a parser allows could be written and never read again.
        if serde_json::from_str::<serde_json::Value>(&text).is_err() {
            return Err(Invalid::MetadataTooDeep);
        }
        Ok(Payload(text.into()))
    }

    /// Of our own data, which is small and flat.
    pub fn of(value: &impl Serialize) -> Payload {
        let value = serde_json::to_value(value).expect("payloads are plain data");
        Payload(value.to_string().into())
    }

    pub fn as_str(&self) -> &str {
        &self.0
    }

    pub fn read<T: DeserializeOwned>(&self) -> Result<T, serde_json::Error> {
        serde_json::from_str(&self.0)
    }

    pub fn hash(&self) -> [u8; 32] {
        Sha256::digest(self.0.as_bytes()).into()
    }
}
