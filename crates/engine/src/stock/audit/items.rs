//! Items, and everything that must be as many units as they have: pools, lots, single pieces, what is in transit.

use std::collections::HashMap;

use surehold_core::kernel::{ColumnType, Corrupt, Record, ResourceName, Row, TenantId};
use surehold_core::stock::history::Replayed;
use surehold_core::stock::rules::Balance;
use surehold_core::stock::{ItemKey, Place, ProductCode, StockItem, StoreName, Tracking};

use super::documents::Counted;
use super::{BOOKS, ITEM, LOTS, NAMES, POOL, READABLE, RESTORE, SERIALS, TRANSIT, found};
use crate::audit::Auditing;
use crate::audit::findings::Findings;
use crate::views::{aliased_list, record_columns};
use crate::{OwnedValue, SnapshotError};

#[derive(Debug)]
pub(super) struct ItemSeen {
    says: Replayed,
    pub(super) is_revaluing: bool,
    tracking: Option<Tracking>,
    has_ledger: bool,
    has_pool: bool,
    pieces: i64,
}

#[derive(Debug, Default)]
pub(super) struct Items {
    by_key: HashMap<ItemKey, ItemSeen>,
}

fn of(item: &ItemKey) -> String {
    format!("item {item}")
}

impl Items {
    pub(super) fn read(audit: &mut Auditing<'_>, tenant: TenantId) -> Result<Items, SnapshotError> {
        let sql = format!(
            "select {}, p.tracking, s.name from stock_items i \
             left join products p on p.tenant = i.tenant and p.code = i.product \
             left join stores s on s.tenant = i.tenant and s.name = i.store where i.tenant = $1",
            aliased_list("i", StockItem::TABLE)
        );
        let mut columns = record_columns(StockItem::TABLE);
        columns.extend([ColumnType::Text, ColumnType::Text]);
        let mut items = Items::default();
        audit.each(&sql, &[OwnedValue::Int(tenant.0)], &columns, |findings, row| {
            if let Err(corrupt) = items.add(findings, tenant, row) {
                findings.add(READABLE, tenant, || ("an item".to_owned(), corrupt.to_string(), RESTORE));
            }
        })?;
        Ok(items)
    }

    fn add(&mut self, findings: &mut Findings, tenant: TenantId, row: &mut dyn Row) -> Result<(), Corrupt> {
        let item = StockItem::read(row)?;
        let tracking = row.text_or_null()?.and_then(Tracking::parse);
        let has_store = row.text_or_null()?.is_some();
        for (exists, what) in [(tracking.is_some(), "product"), (has_store, "store")] {
            if !exists {
                let detail = format!("its {what} is not there");
                findings.add(NAMES, tenant, || (of(&item.key), detail, RESTORE));
            }
        }
        if let Some(detail) = lots_otherwise(&item, tracking) {
            found(findings, LOTS, tenant, of(&item.key), detail);
        }
        let StockItem { quantity, value, seq, last_effective, revalued_seq, known, .. } = item;
        let balance = Balance { quantity, value };
        let seen = ItemSeen {
            says: Replayed { seq, balance, last_effective, revalued_seq, known },
            is_revaluing: item.revaluing.is_some(),
            tracking,
            has_ledger: false,
            has_pool: false,
            pieces: 0,
        };
        self.by_key.insert(item.key, seen);
        Ok(())
    }

    pub(super) fn get(&self, key: &ItemKey) -> Option<&ItemSeen> {
        self.by_key.get(key)
    }

    /// The ledger of the item was read, and is in order.
    pub(super) fn compare(
        &mut self,
        findings: &mut Findings,
        tenant: TenantId,
        key: &ItemKey,
        come_to: Option<Replayed>,
    ) {
        let Some(seen) = self.by_key.get_mut(key) else {
            let detail = "is not there, though its ledger has rows".to_owned();
            return found(findings, ITEM, tenant, of(key), detail);
        };
        seen.has_ledger = true;
        // What is wrong with a ledger was said; what it comes to, nobody knows.
        let Some(come_to) = come_to else { return };
        let says = seen.says;
        if says == come_to {
            return;
        }
        let shown = |balance: Balance| format!("{} worth {} millionths", balance.quantity, balance.value);
        let detail = if says.balance != come_to.balance {
            format!("says {}; its ledger comes to {}", shown(says.balance), shown(come_to.balance))
        } else if says.seq != come_to.seq {
            format!("says that its last row is {}; it is {}", says.seq, come_to.seq)
        } else if says.known != come_to.known {
            format!("says that the last units were of {}; they were of {}", shown(says.known), shown(come_to.known))
        } else {
            let last = |of: Replayed| format!("{:?} and row {}", of.last_effective, of.revalued_seq);
            format!("says that it moved and was revalued last at {}; it was at {}", last(says), last(come_to))
        };
        found(findings, ITEM, tenant, of(key), detail);
    }

    pub(super) fn check_pools(&mut self, audit: &mut Auditing<'_>, tenant: TenantId) -> Result<(), SnapshotError> {
        let sql = "select p.resource, p.slot, p.total from pools p where p.tenant = $1 and p.tracked";
        let columns = [ColumnType::Text, ColumnType::Text, ColumnType::Int];
        audit.each(sql, &[OwnedValue::Int(tenant.0)], &columns, |findings, row| {
            let Ok((pool, slot, total)) = pool(row) else { return };
            let seen = item_of(&pool).filter(|_| slot.is_empty()).and_then(|key| self.by_key.get_mut(&key));
            let wrong = match seen {
                None => Some("is tracked by stock, and has no item".to_owned()),
                Some(seen) => {
                    seen.has_pool = true;
                    let quantity = seen.says.balance.quantity;
                    (total != quantity).then(|| format!("says {total}; there are {quantity} on hand"))
                }
            };
            if let Some(detail) = wrong {
                found(findings, POOL, tenant, format!("pool {pool}"), detail);
            }
        })
    }

    pub(super) fn check_pieces(&mut self, audit: &mut Auditing<'_>, tenant: TenantId) -> Result<(), SnapshotError> {
        let sql = "select s.store, s.place, s.product, count(*) from stock_serials s where s.tenant = $1 \
                   and s.store is not null group by s.store, s.place, s.product";
        let columns = [ColumnType::Text, ColumnType::Text, ColumnType::Text, ColumnType::Int];
        audit.each(sql, &[OwnedValue::Int(tenant.0)], &columns, |findings, row| {
            // What cannot be read was said.
            let Ok((key, pieces)) = pieces(row) else { return };
            match self.by_key.get_mut(&key) {
                Some(seen) => seen.pieces = pieces,
                None => found(findings, SERIALS, tenant, of(&key), format!("is not there, and {pieces} pieces are")),
            }
        })
    }

    /// What is known when everything was read.
    pub(super) fn check_rest(&self, findings: &mut Findings, tenant: TenantId) {
        for (key, seen) in &self.by_key {
            let quantity = seen.says.balance.quantity;
            if !seen.has_ledger {
                found(findings, ITEM, tenant, of(key), "has no ledger".to_owned());
            }
            if key.place == Place::OnHand && !seen.has_pool {
                found(findings, POOL, tenant, of(key), "has no pool that is tracked by stock".to_owned());
            }
            let pieces = if seen.tracking == Some(Tracking::Serials) { quantity } else { 0 };
            if seen.pieces != pieces {
                let detail = format!("has {} single pieces; there should be {pieces}", seen.pieces);
                found(findings, SERIALS, tenant, of(key), detail);
            }
        }
    }

    /// What is left of transfers, by where it is.
    pub(super) fn check_transit(
        &self,
        findings: &mut Findings,
        tenant: TenantId,
        mut on_their_way: HashMap<ItemKey, i64>,
    ) {
        for (key, seen) in self.by_key.iter().filter(|(key, _)| key.place == Place::InTransit) {
            let left = on_their_way.remove(key).unwrap_or(0);
            let quantity = seen.says.balance.quantity;
            if quantity != left {
                let detail = format!("says {quantity}; {left} are left of transfers");
                found(findings, TRANSIT, tenant, of(key), detail);
            }
        }
        for (key, left) in on_their_way.into_iter().filter(|(_, left)| *left != 0) {
            found(findings, TRANSIT, tenant, of(&key), format!("is not there; {left} are left of transfers"));
        }
    }

    pub(super) fn check_books(
        &self,
        audit: &mut Auditing<'_>,
        tenant: TenantId,
        counted: Counted,
    ) -> Result<(), SnapshotError> {
        let sql = "select b.posting, b.revaluing from stock_books b where b.tenant = $1";
        let mut said = (0, 0);
        audit.each(sql, &[OwnedValue::Int(tenant.0)], &[ColumnType::Int, ColumnType::Int], |_, row| {
            said = (row.int().unwrap_or(-1), row.int().unwrap_or(-1));
        })?;
        let revaluing = self.by_key.values().filter(|seen| seen.is_revaluing).count();
        let there_are = (counted.posting, i64::try_from(revaluing).unwrap_or(i64::MAX));
        if said != there_are {
            let detail = format!(
                "count {} documents being posted and {} items being revalued; there are {} and {}",
                said.0, said.1, there_are.0, there_are.1
            );
            found(&mut audit.findings, BOOKS, tenant, "the books".to_owned(), detail);
        }
        Ok(())
    }
}

fn lots_otherwise(item: &StockItem, tracking: Option<Tracking>) -> Option<String> {
    let units = item.lots.iter().map(|lot| lot.quantity).fold(0_i64, i64::saturating_add);
    let expected = if tracking == Some(Tracking::Lots) { item.quantity } else { 0 };
    if units != expected {
        return Some(format!("its lots have {units} units; they should have {expected}"));
    }
    let empty = item.lots.iter().find(|lot| lot.quantity <= 0);
    empty.map(|lot| format!("lot {} is kept with {} units", lot.lot, lot.quantity))
}

fn pool(row: &mut dyn Row) -> Result<(ResourceName, String, i64), Corrupt> {
    let name = ResourceName::new(row.text()?).map_err(|invalid| Corrupt::new(invalid.to_string()))?;
    Ok((name, row.text()?.to_owned(), row.int()?))
}

/// A store's name has no slash.
fn item_of(pool: &ResourceName) -> Option<ItemKey> {
    let (store, product) = pool.as_str().split_once('/')?;
    Some(ItemKey::on_hand(&StoreName::new(store).ok()?, &ProductCode::new(product).ok()?))
}

fn pieces(row: &mut dyn Row) -> Result<(ItemKey, i64), Corrupt> {
    let wrong = |error: &dyn std::fmt::Display| Corrupt::new(error.to_string());
    let store = StoreName::new(row.text()?).map_err(|error| wrong(&error))?;
    let place = Place::parse(row.text()?).ok_or_else(|| Corrupt::new("no place"))?;
    let product = ProductCode::new(row.text()?).map_err(|error| wrong(&error))?;
    Ok((ItemKey { store, place, product }, row.int()?))
}
