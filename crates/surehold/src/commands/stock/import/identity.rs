//! Which document a file is. The same file for the same document must not be posted twice, whenever it is run again: its
//! digest is in the id, and in the reference by which a document of an earlier day is found.

use sha2::{Digest, Sha256};
use surehold_core::kernel::Timestamp;
use surehold_core::stock::DocumentId;
use uuid::Builder;

/// What is not time in a UUIDv7.
const DIGEST_BYTES: usize = 10;
const DAY_MILLIS: i64 = 86_400_000;

#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Fingerprint([u8; 32]);

impl Fingerprint {
    /// Of everything that makes it this document: the header, and the bytes of the file.
    pub(super) fn of(header: &str, bytes: &[u8]) -> Fingerprint {
        let mut digest = Sha256::new();
        let length = u64::try_from(header.len()).unwrap_or(u64::MAX);
        digest.update(length.to_be_bytes());
        digest.update(header.as_bytes());
        digest.update(bytes);
        Fingerprint(digest.finalize().into())
    }

    /// By which the document is found if it has no reference of its own.
    pub(super) fn reference(&self) -> String {
        let hex: String = self.0.iter().skip(DIGEST_BYTES).take(8).map(|byte| format!("{byte:02x}")).collect();
        format!("csv-{hex}")
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
    use super::*;

    #[test]
    fn the_same_file_is_the_same_document() {
        let at = |text: &str| Timestamp::from_micros(text.parse::<jiff::Timestamp>().unwrap().as_microsecond());
        let file = Fingerprint::of("{}", b"product,count\ntea,1\n");
        let (morning, evening) = (file.id(at("2026-11-16T00:00:00Z")), file.id(at("2026-11-16T23:59:59.999Z")));
        let later = file.id(at("2027-03-01T10:00:00Z"));
        assert_eq!(morning, evening);
        assert_ne!(morning, later);
        assert!(file.is_of(morning) && file.is_of(later));
        for other in
            [Fingerprint::of("{}", b"product,count\ntea,2\n"), Fingerprint::of("{ }", b"product,count\ntea,1\n")]
        {
            assert!(!other.is_of(morning));
            assert_ne!(other.reference(), file.reference());
        }
        assert_ne!(Fingerprint::of("ab", b"c"), Fingerprint::of("a", b"bc"));
        assert_eq!(file.reference().len(), 20);
    }
}
