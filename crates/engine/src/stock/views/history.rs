//! The past of items, for commands that have to know it: see `surehold_core::stock::history`. What is read need not be of
//! one instant: rows are never changed or taken away, so those up to the last one that the item knew of are its past as it
//! was then.

use std::collections::{BTreeSet, HashMap};

use futures_util::future::try_join_all;
use surehold_core::kernel::{ColumnType, Corrupt, TenantId, Timestamp, Value};
use surehold_core::stock::commands::RevalueItem;
use surehold_core::stock::history::{
    HistoryQuestion, HistoryRow, ItemHistory, Later, MoveNow, ROWS_PER_STEP_MAX, SourceBefore, SourceNow, page_rows,
    sources_of, sum,
};
use surehold_core::stock::rules::Balance;
use surehold_core::stock::{Basis, ItemKey, StockItem};

use super::ledger::Point;
use super::{OF_ITEM, of_item, read_sums, sums};
use crate::views::{Views, corrupt};
use crate::{Fault, OwnedValue, ReadRow, Scope};

/// Items whose past is read at the same time.
const QUESTIONS_AT_ONCE: usize = 8;
/// Rows that are asked about in one statement.
const SOURCES_AT_ONCE: usize = 20;
/// Everybody in the lane waits for a step: many small ones let others in between.
const REVALUED_AT_ONCE: u16 = 150;
/// Where there is one lane for all tenants. Its steps are short of round trips, so more of them cost little.
const REVALUED_AT_ONCE_FOR_ALL: u16 = 60;
/// Behind everything.
const END: Point = (Timestamp::from_micros(32_503_680_000_000_000), i64::MAX);
/// Rows that may have been posted while a long past was summed up.
const NEWER_ROWS_MAX: u16 = 5_000;

/// A step of working out costs, and where the next one begins.
#[derive(Clone, Debug)]
pub(crate) struct Step {
    pub(crate) command: RevalueItem,
    item: StockItem,
    last: Point,
    complete: bool,
}

fn step_rows() -> u16 {
    u16::try_from(ROWS_PER_STEP_MAX).expect("small")
}

impl Views {
    /// What commands ask for.
    pub async fn histories(&self, tenant: TenantId, questions: &[HistoryQuestion]) -> Result<Vec<ItemHistory>, Fault> {
        let keys: BTreeSet<ItemKey> = questions.iter().map(|question| question.item.clone()).collect();
        let items: Vec<StockItem> = self.records_by_key(tenant, &keys).await?;
        let items: HashMap<ItemKey, StockItem> = items.into_iter().map(|item| (item.key.clone(), item)).collect();
        let mut answers = Vec::with_capacity(questions.len());
        for some in questions.chunks(QUESTIONS_AT_ONCE) {
            let some = some.iter().map(|question| self.history(tenant, question, items.get(&question.item)));
            answers.extend(try_join_all(some).await?);
        }
        Ok(answers)
    }

    async fn history(
        &self,
        tenant: TenantId,
        question: &HistoryQuestion,
        item: Option<&StockItem>,
    ) -> Result<ItemHistory, Fault> {
        let at = question.at;
        let Some(item) = item else {
            let (item, before, later) = (question.item.clone(), Balance::NOTHING, Later::Rows(Vec::new()));
            return Ok(ItemHistory { item, at, upto_seq: 0, before, later, sources: Vec::new() });
        };
        let sources = self.sources_now(tenant, item, &question.sources).await?;
        let point = (at, i64::MAX);
        let (rows, complete) = self.effect_page(tenant, item, point, step_rows()).await?;
        let there = Balance { quantity: item.quantity, value: item.value };
        let (before, later) =
            if complete { (less(there, sum(&rows))?, Later::Rows(rows)) } else { self.many(tenant, item, at).await? };
        let history = ItemHistory { item: item.key.clone(), at, upto_seq: item.seq, before, later, sources };
        match history.later {
            Later::Rows(_) => Ok(history),
            Later::Many { .. } => self.catch_up(tenant, history).await,
        }
    }

    /// Summing up a long past takes a while, and so does reading what was posted meanwhile.
    async fn catch_up(&self, tenant: TenantId, mut history: ItemHistory) -> Result<ItemHistory, Fault> {
        loop {
            let newer = self.moves(tenant, &history.item, history.upto_seq, NEWER_ROWS_MAX).await?;
            let (rows, from) = (newer.len(), history.upto_seq);
            history = history.caught_up(&newer);
            if rows < usize::from(NEWER_ROWS_MAX) || history.upto_seq == from {
                return Ok(history);
            }
        }
    }

    /// What was there at an instant, and what the rows behind it come to, without looking at each of them.
    async fn many(&self, tenant: TenantId, item: &StockItem, at: Timestamp) -> Result<(Balance, Later), Fault> {
        let behind = format!(
            "from (select quantity, value, effective_at, \
             cast(sum(quantity) over (order by effective_at, seq) as bigint) as running \
             from stock_moves where {OF_ITEM} and effective_at > $5 and seq <= $6) looked_at"
        );
        let sql = format!("select {}, min(running), max(effective_at) {behind}", sums(&["quantity", "value"]));
        let params = || of_item(tenant, &item.key).into_iter().chain([OwnedValue::Time(at), OwnedValue::Int(item.seq)]);
        let rows = self.store.query(Scope::Tenant(tenant), &sql, params().collect()).await?;
        let row = rows.first().ok_or_else(|| corrupt(&"sums without a row"))?;
        let [quantity, value] = read_sums(row, 0)?;
        let (lowest, last_at) = row.int(1).and_then(|int| Ok((int, row.time(2)?))).map_err(|what| corrupt(&what))?;
        let before = less(Balance { quantity: item.quantity, value: item.value }, Balance { quantity, value })?;
        let (lowest, lowest_at) = if lowest < 0 {
            let sql = format!("select min(effective_at) {behind} where running = $7");
            let params = params().chain([OwnedValue::Int(lowest)]).collect();
            let rows = self.store.query(Scope::Tenant(tenant), &sql, params).await?;
            let first = rows.first().ok_or_else(|| corrupt(&"an instant without a row"))?.time(0);
            (before.quantity.saturating_add(lowest), first.map_err(|what| corrupt(&what))?)
        } else {
            (before.quantity, at)
        };
        Ok((before, Later::Many { quantity, value, lowest, lowest_at, last_at }))
    }

    /// The next rows of an item behind a point, in the order of effect, as commands have to know them; and whether these are
    /// all.
    pub async fn effect_page(
        &self,
        tenant: TenantId,
        item: &StockItem,
        point: (Timestamp, i64),
        rows_max: u16,
    ) -> Result<(Vec<HistoryRow>, bool), Fault> {
        let mut page = self.moves_behind(tenant, item, point, rows_max.saturating_add(1)).await?;
        let complete = page.len() <= usize::from(rows_max);
        page.truncate(usize::from(rows_max));
        let sources = self.sources_before(tenant, item, &page, point).await?;
        Ok((page_rows(&page, &sources), complete))
    }

    async fn sources_before(
        &self,
        tenant: TenantId,
        item: &StockItem,
        page: &[MoveNow],
        point: Point,
    ) -> Result<Vec<SourceBefore>, Fault> {
        let mut found = Vec::new();
        for seqs in sources_of(page).chunks(SOURCES_AT_ONCE) {
            found.extend(self.sources(tenant, item, seqs, point).await?);
        }
        Ok(found)
    }

    async fn sources_now(&self, tenant: TenantId, item: &StockItem, seqs: &[i64]) -> Result<Vec<SourceNow>, Fault> {
        let mut found = Vec::new();
        for seqs in seqs.chunks(SOURCES_AT_ONCE) {
            for SourceBefore { seq, value_now, mut left, .. } in self.sources(tenant, item, seqs, END).await? {
                // While the row and those that took from it are worked out anew, they may not fit each other.
                left.value = left.value.max(0);
                found.push(SourceNow { seq, cost: value_now.saturating_abs(), left });
            }
        }
        Ok(found)
    }

    /// Rows by their numbers, and what those up to a point have left of each: less what was taken from it, and with what
    /// was put back because the taking was undone.
    async fn sources(
        &self,
        tenant: TenantId,
        item: &StockItem,
        seqs: &[i64],
        (at, seq): Point,
    ) -> Result<Vec<SourceBefore>, Fault> {
        let wanted: Vec<String> = (0..SOURCES_AT_ONCE).map(|index| format!("${}", index + 8)).collect();
        let taken = sums(&["abs(t.quantity)", &format!("abs({})", now("t"))]);
        let undone = format!("case when u.basis = 'undo' then abs({}) else abs({}) end", now("t"), now("u"));
        let put_back = sums(&["abs(u.quantity)", &undone]);
        let (of_s, of_t, of_u) = (of("s"), of("t"), of("u"));
        let sql = format!(
            "select s.seq, s.quantity, s.basis, s.source, cast({} as bigint), \
             (select {taken} from stock_moves t where {of_t} and t.source = s.seq and t.basis = 'source' \
             and (t.effective_at, t.seq) <= ($5, $6) and t.seq <= $7), \
             (select {put_back} from stock_moves t join stock_moves u on {of_u} and u.source = t.seq \
             and (u.basis = 'source' or u.basis = 'undo') and (u.effective_at, u.seq) <= ($5, $6) and u.seq <= $7 \
             where {of_t} and t.source = s.seq and t.basis = 'source') \
             from stock_moves s where {of_s} and s.seq in ({}) and s.seq <= $7 order by s.seq",
            now("s"),
            wanted.join(", ")
        );
        let bounds = [OwnedValue::Time(at), OwnedValue::Int(seq), OwnedValue::Int(item.seq)];
        // There is no row 0.
        let seqs = seqs.iter().copied().chain(std::iter::repeat(0)).take(SOURCES_AT_ONCE).map(OwnedValue::Int);
        let params = of_item(tenant, &item.key).into_iter().chain(bounds).chain(seqs).collect();
        let rows = self.store.query(Scope::Tenant(tenant), &sql, params).await?;
        rows.iter().map(read_source).collect()
    }

    /// The next step of working out what rows of an item cost; `None` if there is nothing to do.
    pub(crate) async fn revaluation_step(&self, tenant: TenantId, item: &ItemKey) -> Result<Option<Step>, Fault> {
        let Some(item) = self.record::<StockItem>(tenant, item).await? else { return Ok(None) };
        let Some(revaluing) = item.revaluing.as_deref().copied() else { return Ok(None) };
        let point = revaluing.point();
        let before = if let Some(state) = revaluing.state {
            state
        } else {
            let there = Balance { quantity: item.quantity, value: item.value };
            less(there, self.sum_behind(tenant, &item, point).await?)?
        };
        self.step_from(tenant, item, point, before).await.map(Some)
    }

    /// The step behind one that is being carried out; `None` where it can be read only when that is done.
    pub(crate) async fn step_ahead(&self, tenant: TenantId, step: &Step) -> Result<Option<Step>, Fault> {
        if step.complete {
            return Ok(None);
        }
        // By then the item itself knows what was there.
        let ahead = self.step_from(tenant, step.item.clone(), step.last, Balance::NOTHING).await?;
        Ok(Some(ahead).filter(|ahead| !ahead.command.is_about_earlier()))
    }

    async fn step_from(&self, tenant: TenantId, item: StockItem, point: Point, before: Balance) -> Result<Step, Fault> {
        let rows_max = if self.store.lane_count() == 1 { REVALUED_AT_ONCE_FOR_ALL } else { REVALUED_AT_ONCE };
        let (rows, complete) = self.effect_page(tenant, &item, point, rows_max).await?;
        let last = rows.last().map_or(point, |row| (row.effective_at, row.seq));
        let command = RevalueItem::new(item.key.clone(), point, before, rows, (item.seq, complete));
        Ok(Step { command: command.map_err(|invalid| corrupt(&invalid))?, item, last, complete })
    }

    /// Items whose costs are being worked out, in the order of their keys, behind one if that is given.
    pub async fn revaluing_items(
        &self,
        tenant: TenantId,
        after: Option<&ItemKey>,
        rows_max: u16,
    ) -> Result<Vec<StockItem>, Fault> {
        let Some(after) = after else {
            let condition = "and revaluing is not null order by store, place, product limit $2";
            return self.records(tenant, condition, [super::limit(rows_max)]).await;
        };
        let condition = "and revaluing is not null and (store, place, product) > ($3, $4, $5) \
                         order by store, place, product limit $2";
        let [_, store, place, product] = of_item(tenant, after);
        self.records(tenant, condition, [super::limit(rows_max), store, place, product]).await
    }

    pub(crate) async fn tenants_with_revaluing_items(&self) -> Result<Vec<TenantId>, Fault> {
        let sql = "select tenant from tenants t where exists (select 1 from stock_items i where i.tenant = t.tenant \
                   and i.revaluing is not null)";
        self.ask_installation(sql, Vec::new(), |row| row.int(0).map(TenantId)).await
    }
}

fn of(alias: &str) -> String {
    format!("{alias}.tenant = $1 and {alias}.store = $2 and {alias}.place = $3 and {alias}.product = $4")
}

/// What a row is worth by now.
fn now(alias: &str) -> String {
    format!(
        "({alias}.value + coalesce((select sum(r.value) from stock_moves r where {} and r.source = {alias}.seq \
         and r.basis = 'revaluation' and r.seq <= $7), 0))",
        of("r")
    )
}

fn less(one: Balance, other: Balance) -> Result<Balance, Fault> {
    let (quantity, value) = (one.quantity.checked_sub(other.quantity), one.value.checked_sub(other.value));
    let (quantity, value) = quantity.zip(value).ok_or_else(|| corrupt(&"a ledger with more than can be counted"))?;
    Ok(Balance { quantity, value })
}

fn read_source(row: &ReadRow) -> Result<SourceBefore, Fault> {
    let read = || {
        let (seq, quantity) = (row.int(0)?, row.int(1)?);
        let source = match row.value(3, ColumnType::Int)? {
            Value::Int(source) => Some(source),
            _ => None,
        };
        let is_taken = row.text(2)? == Basis::Source.as_str();
        let taken_from = source.filter(|_| is_taken);
        Ok::<_, Corrupt>((seq, quantity, taken_from, row.int(4)?))
    };
    let (seq, quantity, taken_from, value_now) = read().map_err(|what| corrupt(&what))?;
    let [taken_quantity, taken_value] = read_sums(row, 5)?;
    let [back_quantity, back_value] = read_sums(row, 6)?;
    let all = Balance { quantity: quantity.saturating_abs(), value: value_now.saturating_abs() };
    let taken = less(all, Balance { quantity: taken_quantity, value: taken_value })?;
    let left = less(taken, Balance { quantity: back_quantity.saturating_neg(), value: back_value.saturating_neg() })?;
    Ok(SourceBefore { seq, value_now, taken_from, left })
}
