//! States of the disk after a cut, tried one by one.

use std::collections::BTreeMap;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;

use surehold_lab::disk::{Call, Disk, Fate, Moment, Recording, Syncs};
use surehold_simulators::Dice;

use super::look::{Acknowledged, Verdict, hear, without_numbers};
use super::{FILE, Run, folder_of};

/// What came of many states.
#[derive(Debug, Default)]
struct Tally {
    states: usize,
    /// States with something that could be lost.
    at_stake: usize,
    torn: usize,
    whole: usize,
    short: usize,
    refused: BTreeMap<String, usize>,
    never_were: usize,
    never_were_unseen: usize,
    examples: Vec<String>,
}

impl Tally {
    fn count(&mut self, verdict: &Verdict, example: String) {
        self.states += 1;
        match verdict {
            Verdict::Whole { .. } => {
                self.whole += 1;
                return;
            }
            Verdict::Short { .. } => self.short += 1,
            Verdict::Refused(text) => *self.refused.entry(without_numbers(text)).or_default() += 1,
            Verdict::NeverWas { integrity_check, audit } => {
                self.never_were += 1;
                self.never_were_unseen += usize::from(!integrity_check && !audit);
            }
        }
        self.examples.push(example);
    }

    fn refused(&self) -> usize {
        self.refused.values().sum()
    }

    fn summary(&self) -> String {
        let Tally { states, at_stake, torn, whole, short, refused, never_were, never_were_unseen, .. } = self;
        format!(
            "{states} states, {at_stake} with something at stake, {torn} with torn writes: {whole} whole, {short} short, \
             {} refused, {never_were} that never were ({never_were_unseen} unseen by integrity check and audit); \
             {refused:?}",
            self.refused()
        )
    }
}

/// Cuts at every so many syncs, just before and just after it has happened, and so many anywhere between. A cut is the
/// count of moments before it.
fn cuts(recording: &Recording, every: usize, between: usize) -> Vec<usize> {
    let is_sync = |call: usize| matches!(recording.calls[call], Call::Sync { .. } | Call::SyncFolder);
    let ends = |(_, moment): &(usize, &Moment)| matches!(moment, Moment::End(call) if is_sync(*call));
    let syncs = recording.moments.iter().enumerate().filter(ends).map(|(index, _)| index);
    let syncs = syncs.step_by(every).flat_map(|index| [index, index + 1]);
    let mut dice = Dice::new(every);
    let between = (0..between).map(|_| dice.roll(recording.moments.len() + 1));
    let mut cuts: Vec<usize> = syncs.chain(between).collect();
    cuts.sort_unstable();
    cuts
}

/// Tries each cut with one fate of what was not synced, drawn by its number.
fn try_states(run: &Run, syncs: Syncs, cuts: &[usize]) -> Tally {
    let (tally, next) = (Mutex::new(Tally::default()), AtomicUsize::new(0));
    let threads = thread::available_parallelism().map_or(2, usize::from).min(4);
    thread::scope(|scope| {
        for _ in 0..threads {
            scope.spawn(|| try_until_done(run, syncs, cuts, &next, &tally));
        }
    });
    tally.into_inner().unwrap()
}

/// Each thread plays the calls by itself, and takes the next cut that nobody has taken.
fn try_until_done(run: &Run, syncs: Syncs, cuts: &[usize], next: &AtomicUsize, tally: &Mutex<Tally>) {
    let recording = &run.recording;
    let mut disk = Disk::new(recording, syncs);
    let (mut acknowledged, mut heard) = (Acknowledged::new(), 0);
    loop {
        let number = next.fetch_add(1, Ordering::Relaxed);
        let Some(cut) = cuts.get(number).copied() else { break };
        disk.play_to(cut);
        hear(&mut acknowledged, recording, heard..cut);
        heard = cut;
        let mut dice = Dice::new(number);
        let fate = Fate::ALL[dice.roll(Fate::ALL.len())];
        let folder = folder_of(&disk.files(fate, &mut dice));
        let verdict = run.commits.look(&folder.path().join(FILE), &acknowledged);
        let at_stake = disk.unsynced_count() > 0;
        let is_torn = matches!(fate, Fate::TornAtTheEnd | Fate::Garbled);
        let mut tally = tally.lock().unwrap();
        tally.at_stake += usize::from(at_stake);
        tally.torn += usize::from(at_stake && is_torn);
        tally.count(&verdict, format!("cut {cut}, number {number}, {fate:?}: {verdict:?}"));
    }
}

/// The recording has everything: playing it to the end gives the files that the writer left.
fn require_complete(recording: &Recording) {
    let mut disk = Disk::new(recording, Syncs::All);
    disk.play_to(recording.moments.len());
    assert!(disk.files(Fate::Kept, &mut Dice::new(0)) == recording.after);
}

/// What was acknowledged survives every cut, and nothing is refused because of a mere crash.
fn require_all_whole(run: &Run, cuts: &[usize]) {
    let tally = try_states(run, Syncs::All, cuts);
    eprintln!("{} commits, {} calls: {}", run.commits.count(), run.recording.calls.len(), tally.summary());
    assert_eq!(tally.whole, tally.states, "{:#?}", tally.examples);
    assert!(tally.states >= 300 && tally.at_stake > 200 && tally.torn > 50, "{}", tally.summary());
}

/// A store that syncs its log only where the order needs it (SQLite's `synchronous = normal`), or a disk that lies
/// about all other syncs, loses what it acknowledged. It is noticed here, and nothing worse comes of it: what opens is
/// what was after some earlier commit, and a log with a hole in it is refused.
fn require_missed_commits(run: &Run, cuts: &[usize]) {
    let tally = try_states(run, Syncs::OrderOnly, cuts);
    eprintln!("Commits not synced: {}", tally.summary());
    assert!(tally.short > 0 && tally.refused() > 0, "{}", tally.summary());
    assert_eq!(tally.never_were, 0, "{:#?}", tally.examples);
}

/// Where no sync can be relied on (`synchronous = off`, or a disk that lies about any of them) files can come out that
/// never were. Those whose pages do not fit together are refused; nobody promises that it is all of them.
fn require_ruin(run: &Run, syncs: Syncs, cuts: &[usize]) {
    let tally = try_states(run, syncs, cuts);
    eprintln!("{syncs:?} of the syncs happened: {}", tally.summary());
    assert!(tally.short > 0 && tally.refused() > 0, "{}", tally.summary());
}

/// Three lives from no file at all, with an orderly end each.
#[test]
fn what_was_acknowledged_survives_every_cut() {
    let run = Run::of_three_lives();
    require_complete(&run.recording);
    require_all_whole(run, &cuts(&run.recording, 1, 300));
    require_missed_commits(run, &cuts(&run.recording, 8, 100));
    require_ruin(run, Syncs::Few, &cuts(&run.recording, 8, 100));
    require_ruin(run, Syncs::None, &cuts(&run.recording, 16, 50));
}

/// New commits are written over old ones that were moved into the file.
#[test]
fn what_was_acknowledged_survives_a_log_that_starts_over() {
    let run = Run::of_a_long_life();
    require_complete(&run.recording);
    require_all_whole(run, &cuts(&run.recording, 5, 200));
    require_missed_commits(run, &cuts(&run.recording, 32, 60));
    require_ruin(run, Syncs::Few, &cuts(&run.recording, 32, 60));
}
