//! Which document a file is. The same file for the same document must not be posted twice, whenever it is run again: its
//! digest is in the id, and in the reference by which a document of an earlier day is found.

use sha2::{Digest, Sha256};
use uuid::{Builder, Uuid};

use jiff::Timestamp;

/// What is not time in a UUIDv7.
const DIGEST_BYTES: usize = 10;
const DAY_SECS: i64 = 86_400;

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
    pub(super) fn id(&self, now: Timestamp) -> Uuid {
        let day_secs = now.as_second().max(0).div_euclid(DAY_SECS) * DAY_SECS;
        let millis = u64::try_from(day_secs).unwrap_or(0) * 1_000;
        let mut bytes = [0; DIGEST_BYTES];
        bytes.copy_from_slice(&self.0[..DIGEST_BYTES]);
        Builder::from_unix_timestamp_millis(millis, &bytes).into_uuid()
    }

    /// Whether a document of any day is this one.
    pub(super) fn is_of(&self, id: Uuid) -> bool {
        let ours = self.id(Timestamp::UNIX_EPOCH);
        ours.as_bytes()[6..] == id.as_bytes()[6..]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_same_file_is_the_same_document() {
        let at = |text: &str| text.parse::<Timestamp>().unwrap();
        let file = Fingerprint::of("{}", b"product,count\ntea,1\n");
        let (morning, evening) = (file.id(at("2026-11-16T00:00:00Z")), file.id(at("2026-11-16T23:59:59.999Z")));
        let later = file.id(at("2027-03-01T10:00:00Z"));
        assert_eq!(morning, evening);
        assert_ne!(morning, later);
        assert!(file.is_of(morning) && file.is_of(later));
        assert_eq!((morning.get_version_num(), morning.get_variant()), (7, uuid::Variant::RFC4122));
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
