//! Which document a file is. The same file for the same document must not be posted twice, whenever it is run again: its
//! digest is in the id, and in the reference by which a document of an earlier day is found.

use sha2::{Digest, Sha256};
use surehold_api::stock::ImportHeader;
use surehold_core::kernel::{Reference, Timestamp};
use surehold_core::stock::DocumentId;
use uuid::Builder;

/// What is not time in a UUIDv7.
const DIGEST_BYTES: usize = 10;
const DAY_MILLIS: i64 = 86_400_000;

#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Fingerprint([u8; 32]);

impl Fingerprint {
    /// Of everything that makes it this document: the header, and the bytes of the file.
    pub(super) fn of(header: &ImportHeader, bytes: &[u8]) -> Fingerprint {
        let header = serde_json::to_string(header).expect("a header is plain data");
        let mut digest = Sha256::new();
        let length = u64::try_from(header.len()).unwrap_or(u64::MAX);
        digest.update(length.to_be_bytes());
        digest.update(header.as_bytes());
        digest.update(bytes);
        Fingerprint(digest.finalize().into())
    }

    /// By which the document is found if it has no reference of its own.
    pub(super) fn reference(&self) -> Reference {
        let hex: String = self.0.iter().skip(DIGEST_BYTES).take(8).map(|byte| format!("{byte:02x}")).collect();
        Reference::new(&format!("csv-{hex}")).expect("hexadecimal digits are a reference")
    }

    /// Made as if at the beginning of the day, so that two runs at once make the same one.
    pub(super) fn id(&self, now: Timestamp) -> DocumentId {
        let day_millis = now.micros().div_euclid(1_000).div_euclid(DAY_MILLIS) * DAY_MILLIS;
        let millis = u64::try_from(day_millis).unwrap_or(0);
        let mut bytes = [0; DIGEST_BYTES];
        bytes.copy_from_slice(&self.0[..DIGEST_BYTES]);
        let id = Builder::from_unix_timestamp_millis(millis, &bytes).into_uuid();
        DocumentId::new(id).expect("it was built with version 7")
    }

    /// Whether a document of any day is this one.
    pub(super) fn is_of(&self, id: DocumentId) -> bool {
        let ours = self.id(Timestamp::from_micros(0));
        ours.uuid().as_bytes()[6..] == id.uuid().as_bytes()[6..]
    }
}

#[cfg(test)]
mod tests {
    use serde_json::{from_str, from_value, json, to_string};

    use super::*;

    fn header(kind: &str) -> ImportHeader {
        from_value(json!({"kind": kind, "store": "main"})).unwrap()
    }

    /// Another form of them would make another document of a file that was imported before.
    #[test]
    fn headers_stay_as_they_are() {
        for text in [
            r#"{"kind":"purchase","store":"main"}"#,
            r#"{"effective_at":"2026-09-21T14:13:20Z","extra":{"amount":1250,"by":"value"},"in_transit":true,"kind":"purchase","note":"late","reference":"INV-17","store":"main","to_store":"depot"}"#,
        ] {
            assert_eq!(to_string(&from_str::<ImportHeader>(text).unwrap()).unwrap(), text);
        }
    }

    #[test]
    fn the_same_file_is_the_same_document() {
        let at = |text: &str| Timestamp::from_micros(text.parse::<jiff::Timestamp>().unwrap().as_microsecond());
        let (bought, counted) = (header("purchase"), header("recount"));
        let file = Fingerprint::of(&bought, b"product,count\ntea,1\n");
        let (morning, evening) = (file.id(at("2026-11-16T00:00:00Z")), file.id(at("2026-11-16T23:59:59.999Z")));
        let later = file.id(at("2027-03-01T10:00:00Z"));
        assert_eq!(morning, evening);
        assert_ne!(morning, later);
        assert!(file.is_of(morning) && file.is_of(later));
        for (header, bytes) in [(&bought, b"product,count\ntea,2\n"), (&counted, b"product,count\ntea,1\n")] {
            let other = Fingerprint::of(header, bytes);
            assert!(!other.is_of(morning));
            assert_ne!(other.reference(), file.reference());
        }
        assert_eq!(file.reference().as_str().len(), 20);
    }
}
