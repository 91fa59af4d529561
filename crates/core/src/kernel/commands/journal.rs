//! Letting go of events that nobody may ask for any more.

use super::super::{Command, Event, Facts, Reads, Refusal, Stop};

/// Rows of the journal that one command lets go of.
pub const JOURNAL_ROWS_PER_TRIM_MAX: u16 = 1_000;

/// The row of this command itself stays, so the journal never loses its head. Refuses nothing.
#[derive(Clone, Copy, Debug)]
pub struct TrimJournal {
    pub before_seq: i64,
}

impl Command for TrimJournal {
    const NAME: &'static str = "trim_journal";
    type Reply = ();
    type Refusal = Refusal;

    fn reads(&self, _: &mut Reads<'_>) {}

    fn decide(&self, facts: &mut Facts) -> Result<(), Stop<Refusal>> {
        facts.trim_journal(self.before_seq);
        facts.emit(&Event::JournalTrimmed { before_seq: self.before_seq });
        Ok(())
    }
}
