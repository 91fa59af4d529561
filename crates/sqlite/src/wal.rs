//! Tells a write-ahead log that was damaged from one that merely ends in the middle of a commit.
//!
//! SQLite believes a log up to the first frame whose checksum is wrong, and says nothing about the rest. After a crash
//! that is right: what follows was never answered. After damage it is not: commits that were answered would be
//! forgotten, or, where later ones have been moved into the file already, the file would become a mixture. The two can
//! be told apart, because every commit is synced before the next one is written: at a crash nothing can follow a commit
//! that is not on the disk.
//!
//! A frame is believed to be a commit only if its sum says so: a power cut may leave any sector of the last commit as it
//! was, and where sectors end in the middle of a frame's head, an earlier log's mark of a commit beside today's sum.
//!
//! What cannot be told, because a power cut could have left the same: damage in the last commit, damage in the last frame
//! of the commit before it, and a first sector that is all gone, as if the log had just been starting over.

use std::fs::File;
use std::io::{BufReader, ErrorKind, Read};
use std::path::Path;

const HEADER_BYTES: usize = 32;
const FRAME_HEADER_BYTES: usize = 24;
/// The lowest bit tells the byte order of the words that are summed.
const MAGIC: u32 = 0x377f_0682;
const READ_BYTES: usize = 1 << 20;

type Sum = [u32; 2];

/// What is wrong with the log of a database that nobody writes to; nothing if all is well or there is none.
pub(crate) fn damage(database: &Path) -> std::io::Result<Option<String>> {
    let mut path = database.as_os_str().to_owned();
    path.push("-wal");
    match File::open(path) {
        Ok(file) => find_damage(BufReader::with_capacity(READ_BYTES, file)),
        Err(error) if error.kind() == ErrorKind::NotFound => Ok(None),
        Err(error) => Err(error),
    }
}

fn find_damage(mut log: impl Read) -> std::io::Result<Option<String>> {
    let mut header = [0; HEADER_BYTES];
    if !fill(&mut log, &mut header)? {
        return Ok(None);
    }
    let header = Header::read(&header);
    let mut frame = vec![0; FRAME_HEADER_BYTES + header.page_bytes()];
    let mut before = Before { sums: [header.sum; 2], is_commit: false };
    let mut broken_at = None;
    let mut number = 0_u64;
    while fill(&mut log, &mut frame)? {
        number += 1;
        let Frame { page, is_commit, salts, sum } = Frame::read(&frame);
        let expected = header.sum_of(&frame, before.sums[0]);
        let is_summed =
            expected == sum || (before.sums[0] != before.sums[1] && header.sum_of(&frame, before.sums[1]) == sum);
        let follows = is_summed && sum != [0; 2];
        if !header.is_valid {
            // Noise agrees with the frame behind it by neither of these; so it is our header, and not as we wrote it.
            let is_ours = follows || (salts == header.salts && salts != [0; 2]);
            return Ok(is_ours.then(|| "the header of its write-ahead log was changed".to_owned()));
        }
        let is_of_this_log = salts == header.salts;
        if broken_at.is_none() && !(expected == sum && is_of_this_log && page != 0) {
            broken_at = Some(number);
        }
        if let (Some(broken_at), true, true, true) = (broken_at, follows, is_of_this_log, before.is_commit) {
            let what = format!("frame {broken_at} of its write-ahead log was changed, and commits follow it");
            return Ok(Some(what));
        }
        before = Before { sums: [sum, expected], is_commit: is_commit && is_of_this_log && is_summed };
    }
    Ok(None)
}

/// False at the end of the log; what is left there is no whole frame.
fn fill(log: &mut impl Read, bytes: &mut [u8]) -> std::io::Result<bool> {
    match log.read_exact(bytes) {
        Ok(()) => Ok(true),
        Err(error) if error.kind() == ErrorKind::UnexpectedEof => Ok(false),
        Err(error) => Err(error),
    }
}

/// The frame before, or the header.
struct Before {
    /// The sum that it has and the one that it should have: either may be what was changed.
    sums: [Sum; 2],
    /// Certainly.
    is_commit: bool,
}

struct Header {
    is_valid: bool,
    big_endian: bool,
    page_size: u32,
    salts: [u32; 2],
    sum: Sum,
}

impl Header {
    fn read(bytes: &[u8; HEADER_BYTES]) -> Header {
        let magic = word(bytes, 0);
        let mut header = Header {
            is_valid: false,
            big_endian: magic & 1 == 1,
            page_size: word(bytes, 8),
            salts: [word(bytes, 16), word(bytes, 20)],
            sum: [word(bytes, 24), word(bytes, 28)],
        };
        header.is_valid =
            magic & !1 == MAGIC && is_page_size(header.page_size) && header.add(&bytes[..24], [0; 2]) == header.sum;
        header
    }

    /// None where the header cannot be right; of the first frame the salts are enough then.
    fn page_bytes(&self) -> usize {
        if is_page_size(self.page_size) { usize::try_from(self.page_size).unwrap_or(0) } else { 0 }
    }

    /// The sum that a frame should have behind one with the sum `before`.
    fn sum_of(&self, frame: &[u8], before: Sum) -> Sum {
        self.add(&frame[FRAME_HEADER_BYTES..], self.add(&frame[..8], before))
    }

    fn add(&self, bytes: &[u8], [mut first, mut second]: Sum) -> Sum {
        let (pairs, _) = bytes.as_chunks::<8>();
        for [a, b, c, d, e, f, g, h] in pairs {
            let (one, two) = ([*a, *b, *c, *d], [*e, *f, *g, *h]);
            let read = if self.big_endian { u32::from_be_bytes } else { u32::from_le_bytes };
            first = first.wrapping_add(read(one)).wrapping_add(second);
            second = second.wrapping_add(read(two)).wrapping_add(first);
        }
        [first, second]
    }
}

fn is_page_size(bytes: u32) -> bool {
    bytes.is_power_of_two() && (512..=65_536).contains(&bytes)
}

struct Frame {
    page: u32,
    is_commit: bool,
    salts: [u32; 2],
    sum: Sum,
}

impl Frame {
    fn read(bytes: &[u8]) -> Frame {
        Frame {
            page: word(bytes, 0),
            is_commit: word(bytes, 4) != 0,
            salts: [word(bytes, 8), word(bytes, 12)],
            sum: [word(bytes, 16), word(bytes, 20)],
        }
    }
}

fn word(bytes: &[u8], at: usize) -> u32 {
    let word = bytes[at..].first_chunk().expect("headers are longer");
    u32::from_be_bytes(*word)
}

#[cfg(test)]
mod tests {
    use super::*;

    const FRAME_BYTES: usize = FRAME_HEADER_BYTES + 512;

    /// The log of a few commits of several pages each, and how many frames it has.
    fn log() -> (Vec<u8>, usize) {
        log_of(&[900; 5])
    }

    /// One commit for each, of about so many bytes.
    fn log_of(commits: &[u32]) -> (Vec<u8>, usize) {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("t.db");
        let connection = rusqlite::Connection::open(&path).unwrap();
        connection.execute_batch("pragma page_size = 512; pragma journal_mode = wal; create table t (x)").unwrap();
        for bytes in commits {
            connection.execute("insert into t values (randomblob(?1))", [bytes]).unwrap();
        }
        let log = std::fs::read(folder.path().join("t.db-wal")).unwrap();
        let frames = (log.len() - HEADER_BYTES) / FRAME_BYTES;
        (log, frames)
    }

    fn at(frame: usize) -> usize {
        HEADER_BYTES + (frame - 1) * FRAME_BYTES
    }

    fn commits(log: &[u8], frames: usize) -> Vec<usize> {
        (1..=frames).filter(|frame| word(log, at(*frame) + 4) != 0).collect()
    }

    #[test]
    fn a_log_may_end_anywhere() {
        let (log, _) = log();
        for length in 0..=log.len() {
            assert_eq!(find_damage(&log[..length]).unwrap(), None, "{length} bytes");
        }
        assert_eq!(find_damage([0; 9_000].as_slice()).unwrap(), None);
        let noise: Vec<u8> = (0..=250).cycle().take(9_000).collect();
        assert_eq!(find_damage(noise.as_slice()).unwrap(), None);
    }

    #[test]
    fn whatever_comes_of_the_last_commit_is_no_damage() {
        let (log, frames) = log();
        let last = commits(&log, frames).into_iter().rev().nth(1).unwrap() + 1;
        for frame in last..=frames {
            for lost in [at(frame), at(frame) + 17, at(frame) + 100] {
                let mut log = log.clone();
                log[lost] ^= 0x10;
                assert_eq!(find_damage(log.as_slice()).unwrap(), None, "frame {frame}");
                let end = log.len().min(lost + 512);
                log[lost..end].fill(0);
                assert_eq!(find_damage(log.as_slice()).unwrap(), None, "frame {frame}");
            }
        }
    }

    #[test]
    fn damage_before_the_last_commit_is_found() {
        let (log, frames) = log();
        let synced = commits(&log, frames).into_iter().rev().nth(1).unwrap();
        for byte in HEADER_BYTES..at(synced + 1) {
            let mut log = log.clone();
            log[byte] ^= 0x10;
            let frame = (byte - HEADER_BYTES) / FRAME_BYTES + 1;
            let found = find_damage(log.as_slice()).unwrap();
            // Only the frames of one commit follow, and what that has come to nobody knows.
            let is_told = frame != synced;
            let expected =
                is_told.then(|| format!("frame {frame} of its write-ahead log was changed, and commits follow it"));
            assert_eq!(found, expected, "byte {byte}");
        }
    }

    #[test]
    fn a_changed_header_is_found() {
        let (log, _) = log();
        for byte in 0..HEADER_BYTES {
            let mut log = log.clone();
            log[byte] ^= 0x10;
            let found = find_damage(log.as_slice()).unwrap();
            assert!(found.is_some_and(|what| what.contains("header")), "byte {byte}");
        }
    }

    /// Frames of the log before stay behind those of the log that started over, and a commit may be cut off anywhere.
    #[test]
    fn what_an_earlier_log_left_is_no_damage() {
        let (new, _) = log();
        let (old, _) = log();
        for length in (HEADER_BYTES..new.len()).step_by(8) {
            let log = [&new[..length], &old[length..]].concat();
            assert_eq!(find_damage(log.as_slice()).unwrap(), None, "{length} bytes");
        }
    }

    /// Sectors reach the disk in any order. Where they begin within a frame differs from frame to frame, so all are tried.
    #[test]
    fn a_lost_sector_of_the_last_commit_is_no_damage() {
        let (new, frames) = log_of(&[900, 900, 12_000]);
        let (old, _) = log_of(&[100; 40]);
        let last = at(commits(&new, frames).into_iter().rev().nth(1).unwrap() + 1);
        assert!(old.len() > new.len(), "every frame was a commit of the log before");
        for sector in [512, 4_096] {
            for start in (last - sector + 8..new.len()).step_by(8) {
                let end = new.len().min(start + sector);
                // What was synced is in the sector either way.
                let start = start.max(last);
                let log = [&new[..start], &old[start..end], &new[end..]].concat();
                assert_eq!(find_damage(log.as_slice()).unwrap(), None, "{sector} bytes from {start} on");
            }
        }
    }
}
