//! Every ledger, row by row in the order of posting: replayed in both orders, and compared with its item. What the rows
//! of each document come to is kept for the documents.

use surehold_core::kernel::{Record, TenantId};
use surehold_core::stock::history::{LedgerFault, Replay};
use surehold_core::stock::{Basis, DocumentKind, ItemKey, Move};
use uuid::Uuid;

use super::items::Items;
use super::moved::{Moved, MovedBy, Side, across_print};
use super::{LEDGER, READABLE, RESTORE};
use crate::audit::findings::Findings;
use crate::audit::{Auditing, Remedy};
use crate::views::{aliased_list, record_columns};
use crate::{OwnedValue, SnapshotError};

const WRITTEN: Remedy = Remedy::Person(
    "rows of a ledger are never changed by Surehold: compare this one and those before it with a backup. The goods \
     themselves are put right by a recount",
);

pub(super) fn check(audit: &mut Auditing<'_>, tenant: TenantId, items: &mut Items) -> Result<MovedBy, SnapshotError> {
    let sql = format!(
        "select {} from stock_moves m where m.tenant = $1 order by m.store, m.place, m.product, m.seq",
        aliased_list("m", Move::TABLE)
    );
    let columns = record_columns(Move::TABLE);
    let mut reading = Reading::new(tenant, items);
    audit.each(&sql, &[OwnedValue::Int(tenant.0)], &columns, |findings, row| match Move::read(row) {
        Ok(row) => reading.read(findings, &row),
        Err(corrupt) => {
            findings.add(READABLE, tenant, || ("a row of a ledger".to_owned(), corrupt.to_string(), RESTORE));
        }
    })?;
    reading.close(&mut audit.findings);
    Ok(reading.moved)
}

/// A row that gives to another item, or takes from one.
struct Across {
    document: Uuid,
    seq: i64,
    /// Of the pair.
    print: u64,
    side: Side,
}

struct Reading<'i> {
    tenant: TenantId,
    items: &'i mut Items,
    moved: MovedBy,
    /// The item whose ledger is being read.
    item: Option<ItemKey>,
    replay: Replay,
    fault: Option<LedgerFault>,
    across: Vec<Across>,
}

impl<'i> Reading<'i> {
    fn new(tenant: TenantId, items: &'i mut Items) -> Reading<'i> {
        Reading {
            tenant,
            items,
            moved: MovedBy::default(),
            item: None,
            replay: Replay::default(),
            fault: None,
            across: Vec::new(),
        }
    }

    fn read(&mut self, findings: &mut Findings, row: &Move) {
        if self.item.as_ref() != Some(&row.key.item) {
            self.close(findings);
            self.item = Some(row.key.item.clone());
        }
        if self.fault.is_none() {
            self.fault = self.replay.add(row).err();
        }
        let moved = self.moved.entry(row.document.uuid()).or_default();
        if row.basis == Basis::Revaluation {
            return;
        }
        moved.add(row);
        let units = row.quantity.saturating_abs();
        let carries = row.kind == DocumentKind::Transfer || row.kind == DocumentKind::Receipt;
        let (print, side) = match &row.counter {
            Some(counter) => {
                let item = ItemKey { store: counter.store.clone(), place: counter.place, ..row.key.item.clone() };
                (across_print(&item, counter.seq, row.line, units), Side::Gives)
            }
            None if carries && row.quantity > 0 => {
                (across_print(&row.key.item, row.key.seq, row.line, units), Side::Takes)
            }
            None => return,
        };
        self.across.push(Across { document: row.document.uuid(), seq: row.key.seq, print, side });
    }

    /// The ledger was read to its end.
    fn close(&mut self, findings: &mut Findings) {
        let Some(item) = self.item.take() else { return };
        let is_revaluing = self.items.get(&item).is_some_and(|seen| seen.is_revaluing);
        let come_to = self.fault.take().map_or_else(|| self.replay.finish(is_revaluing), Err);
        if let Err(fault) = come_to {
            findings.add(LEDGER, self.tenant, || (format!("ledger of {item}"), fault.to_string(), WRITTEN));
        }
        self.items.compare(findings, self.tenant, &item, come_to.ok());
        for Across { document, seq, print, side } in self.across.drain(..) {
            let moved: &mut Moved = self.moved.entry(document).or_default();
            moved.carry(print, side, self.replay.value_now(seq));
        }
        self.replay.clear();
    }
}
