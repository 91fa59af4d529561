//! Selling what a hold has: its units leave and the sale is posted, both or neither.

use std::collections::{BTreeMap, HashMap};

use serde::{Deserialize, Serialize};

use super::draft::{Given, known, save};
use super::post::{post_draft, read_content};
use super::{Decision, DocumentReply, require_tenant};
use crate::kernel::commands::{ConvertHold, GiveBack, set_tracked_total};
use crate::kernel::{
    Command, ConvertMode, Facts, Hold, HoldId, Invalid, Kept, Line, Lines, Pool, PoolKey, Reads, Refusal, Stop,
};
use crate::stock::content::DocumentContent;
use crate::stock::post::resolve;
use crate::stock::{DocumentId, DocumentKind, DocumentState, StockDocument, StockInvalid, StockRefusal, pool_of};

/// A sale whose goods are held or booked: it takes them from the hold, and what the hold does not have from what is
/// available. What the sale leaves of a hold is released; what it leaves of a booking stays booked, for the next delivery.
/// A repeat is answered with both as they are now.
///
/// Refuses, in this order: no such tenant; as [`PostDocument`](super::PostDocument) does about the document's identity,
/// to which the hold belongs here, store and lines; no such hold; a hold without anything of the sale; one that has ended
/// and is not booked; then as [`PostDocument`](super::PostDocument).
#[derive(Clone, Debug)]
pub struct SellHold {
    hold: HoldId,
    id: DocumentId,
    content: DocumentContent,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct SellHoldReply {
    pub hold: Hold,
    pub sale: DocumentReply,
}

impl SellHold {
    pub fn new(hold: HoldId, id: DocumentId, content: DocumentContent) -> Result<SellHold, Invalid> {
        if content.header.kind != DocumentKind::Sale {
            return Err(StockInvalid::Document { line: 0, reason: "a hold is sold by a sale".to_owned() }.into());
        }
        Ok(SellHold { hold, id, content })
    }

    /// What of the hold is sold, by pool.
    fn sold_of(&self, facts: &mut Facts, hold: &Hold) -> Decision<BTreeMap<PoolKey, i64>> {
        let resolved = resolve(facts, DocumentKind::Sale, self.content.lines())?;
        let mut sold: BTreeMap<PoolKey, i64> = BTreeMap::new();
        for line in &resolved {
            let units = sold.entry(pool_of(&self.content.header.store, &line.product.code)).or_insert(0);
            *units = units.strict_add(line.quantity);
        }
        let had = booked_of(hold).unwrap_or(&hold.lines);
        for (pool, units) in &mut sold {
            *units = had.quantity_of(pool).min(*units);
        }
        sold.retain(|_, units| *units > 0);
        Ok(sold)
    }
}

fn booked_of(hold: &Hold) -> Option<&Lines> {
    match &hold.kept {
        Some(Kept { mode: ConvertMode::Book, lines, .. }) => Some(lines),
        Some(_) | None => None,
    }
}

/// Booked units are given back and leave at once: nobody can take them in between.
fn consume_booked(facts: &mut Facts, id: HoldId, part: &Lines) -> Decision<Hold> {
    let given_back = GiveBack { id, part: Some(part.clone()) }.decide(facts)?;
    facts.begin_step();
    for Line { pool: key, quantity } in part.iter() {
        let pool = facts.get::<Pool>(key)?.expect("it was booked");
        let (total, tracked) = (pool.total.strict_sub(*quantity), pool.tracked);
        if !tracked {
            return Err(StockRefusal::NotOpened { pools: [key.clone()], total: pool.total }.into());
        }
        if total < 0 {
            return Err(Refusal::TotalOutOfRange { pools: [key.clone()], total }.into());
        }
        set_tracked_total(facts, key, total)?;
    }
    Ok(given_back.hold)
}

impl Command for SellHold {
    const NAME: &'static str = "sell_hold";
    type Reply = SellHoldReply;
    type Refusal = StockRefusal;

    fn reads(&self, reads: &mut Reads<'_>) {
        reads.record::<Hold>(&self.hold);
        reads.expect_absent::<StockDocument>(&self.id);
        reads.expect_absent::<crate::stock::DocumentPart>(&super::draft::first_part(self.id));
        read_content(reads, &self.content);
    }

    fn decide(&self, facts: &mut Facts) -> Result<SellHoldReply, Stop<StockRefusal>> {
        require_tenant(facts)?;
        let (now, missing) = (facts.now(), || Refusal::HoldNotFound { hold: self.hold });
        match known(facts, self.id, Given::Whole(&self.content))? {
            Some(sale) if sale.document.state != DocumentState::Draft => {
                if sale.document.hold != Some(self.hold) {
                    return Err(StockRefusal::DocumentIdReused { document: self.id }.into());
                }
                let hold = facts.get::<Hold>(&self.hold)?.ok_or_else(missing)?.as_of(now);
                facts.mark_replayed();
                return Ok(SellHoldReply { hold, sale });
            }
            Some(_) => {}
            None => save(facts, self.id, &self.content)?,
        }
        let hold = facts.get::<Hold>(&self.hold)?.ok_or_else(missing)?.clone();
        let sold = self.sold_of(facts, &hold)?;
        if sold.is_empty() {
            return Err(StockRefusal::HoldOfOthers.into());
        }
        let lines = sold.iter().map(|(pool, quantity)| Line { pool: pool.clone(), quantity: *quantity }).collect();
        let part = Lines::new(lines).map_err(StockRefusal::from)?;
        let hold = match booked_of(&hold) {
            Some(_) => consume_booked(facts, self.hold, &part)?,
            None => ConvertHold::consume_tracked(self.hold, part, facts)?.hold,
        };
        facts.begin_step();
        facts.get_mut::<StockDocument>(&self.id)?.expect("saved before").hold = Some(self.hold);
        let taken: HashMap<PoolKey, i64> = sold.into_iter().collect();
        let sale = post_draft(facts, self.id, taken)?;
        Ok(SellHoldReply { hold, sale })
    }
}
