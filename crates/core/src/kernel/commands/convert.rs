//! Converting a hold into what the customer keeps.

use super::super::{
    Command, ConvertMode, Event, Facts, Hold, HoldId, HoldState, Kept, Lines, Pool, Reads, Refusal, Stop,
};
use super::{HoldReply, change_pool, forget_owner, hold, require_pools, update_hold};

/// Keeps all lines, or the given part; the rest is released. A repeat of the same conversion says what was kept.
///
/// Refuses, in this order: no such hold; the hold has ended; the part exceeds the hold; goods that leave without a
/// document though stock tracks them; a total below zero (overbooked goods that are not there cannot leave).
#[derive(Clone, Debug)]
pub struct ConvertHold {
    pub id: HoldId,
    pub mode: ConvertMode,
    /// `None` keeps everything.
    pub part: Option<Lines>,
}

impl ConvertHold {
    fn is_request_of(&self, hold: &Hold) -> bool {
        let wanted = self.part.as_ref().unwrap_or(&hold.lines);
        hold.kept.as_ref().is_some_and(|kept| kept.mode == self.mode && kept.converted == *wanted)
    }
}

impl Command for ConvertHold {
    const NAME: &'static str = "convert_hold";
    type Reply = HoldReply;
    type Refusal = Refusal;

    fn reads(&self, reads: &mut Reads<'_>) {
        reads.record::<Hold>(&self.id);
    }

    fn decide(&self, facts: &mut Facts) -> Result<HoldReply, Stop<Refusal>> {
        self.convert(facts, Tracked::Refused)
    }
}

/// Whether goods may leave that stock tracks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Tracked {
    Refused,
    /// The caller posts the document with which they leave.
    Allowed,
}

impl ConvertHold {
    /// As part of a document that moves the goods.
    pub(crate) fn consume_tracked(id: HoldId, part: Lines, facts: &mut Facts) -> Result<HoldReply, Stop<Refusal>> {
        ConvertHold { id, mode: ConvertMode::Consume, part: Some(part) }.convert(facts, Tracked::Allowed)
    }

    fn convert(&self, facts: &mut Facts, tracked: Tracked) -> Result<HoldReply, Stop<Refusal>> {
        let hold = hold(facts, self.id)?;
        // Whoever moves the goods knows by the document whether it is a repeat; another one must not find the hold sold.
        let may_repeat = tracked == Tracked::Refused;
        if may_repeat && hold.state == HoldState::Converted && self.is_request_of(&hold) {
            facts.mark_replayed();
            return Ok(HoldReply { hold, pool_versions: Vec::new() });
        }
        if !hold.is_live(facts.now()) {
            return Err(Refusal::HoldEnded { state: hold.state_at(facts.now()) }.into());
        }
        let kept = self.part.clone().unwrap_or_else(|| hold.lines.clone());
        let exceeding = hold.lines.exceeded_by(&kept);
        if !exceeding.is_empty() {
            return Err(Refusal::LinesExceedHold { pools: exceeding }.into());
        }
        require_pools(facts, &hold.lines)?;
        if tracked == Tracked::Refused {
            self.require_untracked(facts, &kept)?;
        }
        self.require_goods(facts, &kept)?;

        let mut versions = Vec::with_capacity(hold.lines.len());
        for line in hold.lines.iter() {
            let kept_units = kept.quantity_of(&line.pool);
            let version = change_pool(facts, &line.pool, |pool| {
                pool.release(line.quantity.strict_sub(kept_units));
                match self.mode {
                    ConvertMode::Book => pool.book_held(kept_units),
                    ConvertMode::Consume => pool.consume_held(kept_units),
                }
            })?;
            versions.push(version);
        }
        forget_owner(facts, &hold)?;
        let now = facts.now();
        let hold = update_hold(facts, self.id, |hold| {
            hold.state = HoldState::Converted;
            hold.ended_at = Some(now);
            hold.kept = Some(Kept { mode: self.mode, converted: kept.clone(), lines: kept.clone() });
        })?;
        facts.emit(&Event::HoldConverted { hold: self.id, mode: self.mode, kept, versions: versions.clone() });
        Ok(HoldReply { hold, pool_versions: versions })
    }
}

impl ConvertHold {
    fn require_untracked(&self, facts: &mut Facts, kept: &Lines) -> Result<(), Stop<Refusal>> {
        let leaves = match self.mode {
            ConvertMode::Book => return Ok(()),
            ConvertMode::Consume => kept.pools(),
        };
        let mut pools = Vec::new();
        for key in leaves {
            if facts.get::<Pool>(key)?.is_some_and(|pool| pool.tracked) {
                pools.push(key.clone());
            }
        }
        if pools.is_empty() { Ok(()) } else { Err(Refusal::TrackedByStock { pools }.into()) }
    }

    fn require_goods(&self, facts: &mut Facts, kept: &Lines) -> Result<(), Stop<Refusal>> {
        match self.mode {
            ConvertMode::Book => Ok(()),
            ConvertMode::Consume => {
                for line in kept.iter() {
                    let total = facts.get::<Pool>(&line.pool)?.map_or(0, |pool| pool.total).strict_sub(line.quantity);
                    if total < 0 {
                        return Err(Refusal::TotalOutOfRange { pools: [line.pool.clone()], total }.into());
                    }
                }
                Ok(())
            }
        }
    }
}
