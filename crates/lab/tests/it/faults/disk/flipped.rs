//! Bytes that changed while nobody looked: one bit, one byte, or a sector of something else.

use std::collections::BTreeMap;
use std::ops::Range;

use surehold_lab::disk::{Disk, Fate, Files, Syncs};
use surehold_simulators::Dice;

use super::look::{Acknowledged, Verdict, hear, without_numbers};
use super::{FILE, Run, folder_of};

const LOG: &str = "surehold.db-wal";
const SECTOR_BYTES: usize = 512;
const FLIPS: usize = 120;

#[derive(Clone, Copy, Debug)]
enum Harm {
    Bit,
    Byte,
    Sector,
}

fn flip(bytes: &mut [u8], within: Range<usize>, harm: Harm, dice: &mut Dice) {
    let at = within.start + dice.roll(within.len());
    match harm {
        Harm::Bit => bytes[at] ^= 1 << dice.roll(8),
        Harm::Byte => bytes[at] ^= u8::try_from(1 + dice.roll(255)).unwrap(),
        Harm::Sector => {
            let start = at / SECTOR_BYTES * SECTOR_BYTES;
            let end = bytes.len().min(start + SECTOR_BYTES);
            bytes[start..end].iter_mut().for_each(|byte| *byte = u8::try_from(dice.roll(256)).unwrap());
        }
    }
}

/// What came of flips in one of the files.
#[derive(Debug, Default)]
struct Tally {
    /// Nothing that anybody reads was there.
    harmless: usize,
    refused: BTreeMap<String, usize>,
    /// Opened, with something acknowledged missing.
    short: usize,
    /// Opened, and wrong: who would tell.
    wrong_by_integrity_check: usize,
    wrong_by_audit_alone: usize,
    wrong_unseen: usize,
}

/// A file that was at rest, or lay where it was when the power went.
struct Victim<'a> {
    run: &'a Run,
    files: Files,
    acknowledged: Acknowledged,
}

fn flip_often(victim: &Victim<'_>, name: &str, within: &Range<usize>, harm: Harm) -> Tally {
    let Victim { run, files, acknowledged } = victim;
    let mut tally = Tally::default();
    for number in 0..FLIPS {
        let mut files = files.clone();
        flip(files.get_mut(name).unwrap(), within.clone(), harm, &mut Dice::new(number));
        let folder = folder_of(&files);
        match run.commits.look(&folder.path().join(FILE), acknowledged) {
            Verdict::Whole { .. } => tally.harmless += 1,
            Verdict::Short { .. } => tally.short += 1,
            Verdict::Refused(text) => *tally.refused.entry(without_numbers(&text)).or_default() += 1,
            Verdict::NeverWas { integrity_check: true, .. } => tally.wrong_by_integrity_check += 1,
            Verdict::NeverWas { integrity_check: false, audit: true } => tally.wrong_by_audit_alone += 1,
            Verdict::NeverWas { integrity_check: false, audit: false } => tally.wrong_unseen += 1,
        }
    }
    eprintln!("{FLIPS} times a {harm:?} of {name}: {tally:?}");
    tally
}

const HARMS: [Harm; 3] = [Harm::Bit, Harm::Byte, Harm::Sector];

/// SQLite has no checksums of pages: pages that do not fit together are refused, a flipped bit within a value is not
/// noticed when the file is opened. Most of those are seen by an audit, because nearly everything is in the file twice.
#[test]
fn a_garbled_file_is_refused() {
    let run = Run::of_three_lives();
    let mut acknowledged = Acknowledged::new();
    hear(&mut acknowledged, &run.recording, 0..run.recording.moments.len());
    let victim = Victim { run, files: run.recording.after.clone(), acknowledged };
    for harm in HARMS {
        let tally = flip_often(&victim, FILE, &(0..victim.files[FILE].len()), harm);
        let refused: usize = tally.refused.values().sum();
        let expected = match harm {
            Harm::Bit | Harm::Byte => 2,
            Harm::Sector => FLIPS / 3,
        };
        assert!(refused > expected, "{tally:?}");
        assert_eq!(tally.short, 0, "{tally:?}");
    }
}

/// Every frame of the log has a checksum, and what follows a damaged one is not forgotten in silence. Left out are the
/// first sector, which may be gone because the log was starting over, and the last commits: what is wrong with the very
/// last one may be because of the crash.
#[test]
fn a_damaged_log_is_refused() {
    let run = Run::of_three_lives();
    let cut = run.recording.moments.len() * 9 / 10;
    let mut disk = Disk::new(&run.recording, Syncs::All);
    disk.play_to(cut);
    let files = disk.files(Fate::Kept, &mut Dice::new(0));
    let mut acknowledged = Acknowledged::new();
    hear(&mut acknowledged, &run.recording, 0..cut);
    let log_bytes = files[LOG].len();
    assert!(log_bytes > 200_000, "{log_bytes} bytes are a log of many commits");
    let victim = Victim { run, files, acknowledged };
    for harm in HARMS {
        let tally = flip_often(&victim, LOG, &(SECTOR_BYTES..log_bytes * 3 / 4), harm);
        assert_eq!(tally.refused.values().sum::<usize>(), FLIPS, "{tally:?}");
    }
}
