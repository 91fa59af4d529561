//! One clerk: deed after deed. What it rolls depends on the seed alone; what it does depends on that and on what it is
//! told.

use std::sync::Arc;

use anyhow::Result;
use uuid::Uuid;

use super::{STORES, papers};
use crate::torture::history::Units;
use crate::torture::stock::book::{ClerkAsk, CountedAgainst, DocumentSeen, Paper, PaperLine};
use crate::torture::workload::caller::Caller;
use crate::torture::workload::front::Front;
use crate::torture::workload::world::{between, one_in};

const DICE_FACTOR: usize = 1_000_121;
/// Of each kind of document, so many are remembered.
const REMEMBERED_MAX: usize = 12;
/// How often a clerk looks whether a long document is through, before it goes on to other things.
const LOOKS_MAX: usize = 10;
/// How far in the past a document may take effect.
const PAST_MILLIS_MAX: i64 = 12_000;

/// A document that others may be about.
#[derive(Clone, Debug)]
struct KnownDocument {
    document: Uuid,
    /// Where what is about it belongs.
    store: String,
    /// What is left of each line, as far as this clerk knows.
    left: Vec<i64>,
}

#[derive(Debug)]
pub(super) struct Clerk {
    caller: Caller,
    sales: Vec<KnownDocument>,
    transfers: Vec<KnownDocument>,
    reversible: Vec<Uuid>,
    /// Stores and serial numbers of lamps that this clerk bought and did not sell.
    lamps: Vec<(&'static str, String)>,
    /// When something was posted last: the server's clock, which is turned.
    posted_at: Option<jiff::Timestamp>,
}

impl Clerk {
    pub(super) fn new(number: usize, seed: u64, front: Arc<Front>) -> Clerk {
        Clerk {
            caller: Caller::new(number, seed, DICE_FACTOR, front),
            sales: Vec::new(),
            transfers: Vec::new(),
            reversible: Vec::new(),
            lamps: Vec::new(),
            posted_at: None,
        }
    }

    /// Until the run is stopped.
    pub(super) async fn live(mut self) -> Result<()> {
        while !self.caller.is_stopped() {
            match self.caller.dice.roll(32) {
                0..=7 => self.buy().await?,
                8..=13 => self.sell().await?,
                14..=16 => self.hold_and_sell().await?,
                17 | 18 => self.take_back().await?,
                19..=21 => self.count().await?,
                22 | 23 => self.send().await?,
                24..=26 => self.receive().await?,
                27 => self.give_away().await?,
                28 | 29 => self.reverse().await?,
                30 => self.trade_a_lamp().await?,
                _ => self.buy_a_lot().await?,
            }
            self.caller.pause().await;
        }
        Ok(())
    }

    /// Posts a document; now and then twice, because the first answer was not looked at.
    async fn post(&mut self, paper: Paper) -> Result<Option<DocumentSeen>> {
        let ask = ClerkAsk::Document { document: Uuid::now_v7(), paper };
        self.carry(ask).await
    }

    async fn carry(&mut self, ask: ClerkAsk) -> Result<Option<DocumentSeen>> {
        let mut answer = self.caller.ask(ask.clone()).await?;
        if answer.is_some() && one_in(&mut self.caller.dice, 6) {
            answer = self.caller.ask(ask).await?;
        }
        let document = answer.and_then(|answer| answer.document);
        if let Some(posted_at) = document.as_ref().and_then(|document| document.posted_at.as_ref()) {
            self.posted_at = posted_at.parse().ok();
        }
        Ok(document)
    }

    fn some_store(&mut self) -> &'static str {
        STORES[self.caller.dice.roll(STORES.len())]
    }

    fn remember(known: &mut Vec<KnownDocument>, one: KnownDocument) {
        known.push(one);
        if known.len() > REMEMBERED_MAX {
            known.remove(0);
        }
    }

    fn may_reverse(&mut self, document: Uuid) {
        if one_in(&mut self.caller.dice, 3) {
            self.reversible.push(document);
            if self.reversible.len() > REMEMBERED_MAX {
                self.reversible.remove(0);
            }
        }
    }

    /// A little before what was posted last.
    fn some_past(&mut self) -> Option<String> {
        let millis = between(&mut self.caller.dice, 0, PAST_MILLIS_MAX);
        let past = self.posted_at?.checked_sub(jiff::SignedDuration::from_millis(millis)).ok()?;
        Some(past.to_string())
    }

    async fn buy(&mut self) -> Result<()> {
        let store = self.some_store();
        let mut paper = papers::purchase(&mut self.caller.dice, store);
        if one_in(&mut self.caller.dice, 4) {
            paper.effective_at = self.some_past();
        }
        if let Some(document) = self.post(paper).await? {
            self.may_reverse(document.id);
        }
        Ok(())
    }

    async fn sell(&mut self) -> Result<()> {
        let store = self.some_store();
        let mut paper = papers::leaving(&mut self.caller.dice, "sale", store);
        if one_in(&mut self.caller.dice, 8) {
            paper.effective_at = self.some_past();
        }
        let left = paper.lines.iter().map(|line| line.count).collect();
        if let Some(document) = self.post(paper).await? {
            self.sold(document.id, store, left);
        }
        Ok(())
    }

    fn sold(&mut self, document: Uuid, store: &str, left: Vec<i64>) {
        Clerk::remember(&mut self.sales, KnownDocument { document, store: store.to_owned(), left });
        self.may_reverse(document);
    }

    /// Holds goods; then sells some of them, or more, or books and delivers them, or lets them go, or forgets them.
    async fn hold_and_sell(&mut self) -> Result<()> {
        let store = self.some_store();
        let paper = papers::leaving(&mut self.caller.dice, "sale", store);
        let mut goods = Units::new();
        for line in &paper.lines {
            let name = format!("{store}/{}", line.product.as_deref().unwrap_or_default());
            goods.insert(name, line.count);
        }
        let hold = Uuid::now_v7();
        let lifetime_secs = between(&mut self.caller.dice, 1, 5);
        if self.caller.ask(ClerkAsk::HoldGoods { hold, goods, lifetime_secs }).await?.is_none() {
            return Ok(());
        }
        if one_in(&mut self.caller.dice, 2) {
            let product = paper.lines[0].product.clone().unwrap_or_default();
            self.want_all(store, &product).await?;
        }
        self.caller.pause().await;
        match self.caller.dice.roll(8) {
            0 => Ok(()),
            1 => self.caller.ask(ClerkAsk::ReleaseHold { hold }).await.map(drop),
            2 | 3 => self.book_and_deliver(hold, store, paper).await,
            _ => {
                let mut paper = paper;
                let index = self.caller.dice.roll(paper.lines.len());
                let line = &mut paper.lines[index];
                line.count = (line.count + between(&mut self.caller.dice, -1, 1)).max(1);
                self.sell_hold(hold, store, paper).await
            }
        }
    }

    /// Somebody at the counter wants everything that is there, also what others hold.
    async fn want_all(&mut self, store: &str, product: &str) -> Result<()> {
        let looked =
            self.caller.ask(ClerkAsk::ReadItem { store: store.to_owned(), product: product.to_owned() }).await?;
        let there = looked.and_then(|answer| answer.item).map_or(0, |item| item.quantity);
        if there == 0 {
            return Ok(());
        }
        if let Some(document) = self.post(papers::sale_of(store, product, there)).await? {
            self.sold(document.id, store, vec![there]);
        }
        Ok(())
    }

    /// In two sales, with time for others in between.
    async fn book_and_deliver(&mut self, hold: Uuid, store: &str, paper: Paper) -> Result<()> {
        if self.caller.ask(ClerkAsk::BookHold { hold }).await?.is_none() {
            return Ok(());
        }
        let (mut first, mut rest) = (paper.clone(), paper);
        for (now, later) in first.lines.iter_mut().zip(&mut rest.lines) {
            now.count = between(&mut self.caller.dice, 0, now.count);
            later.count -= now.count;
        }
        for mut paper in [first, rest] {
            paper.lines.retain(|line| line.count > 0);
            if !paper.lines.is_empty() {
                self.caller.pause().await;
                self.sell_hold(hold, store, paper).await?;
            }
        }
        Ok(())
    }

    async fn sell_hold(&mut self, hold: Uuid, store: &str, paper: Paper) -> Result<()> {
        let left = paper.lines.iter().map(|line| line.count).collect();
        let ask = ClerkAsk::SellHold { hold, document: Uuid::now_v7(), paper };
        if let Some(document) = self.carry(ask).await? {
            self.sold(document.id, store, left);
        }
        Ok(())
    }

    /// A part of what is left of one of its lines.
    fn some_of(&mut self, of: fn(&mut Clerk) -> &mut Vec<KnownDocument>) -> Option<(KnownDocument, u32, i64)> {
        let count = of(self).len();
        let place = (count > 0).then(|| self.caller.dice.roll(count))?;
        let known = of(self)[place].clone();
        let lines: Vec<usize> = (0..known.left.len()).filter(|line| known.left[*line] > 0).collect();
        if lines.is_empty() {
            of(self).remove(place);
            return None;
        }
        let line = lines[self.caller.dice.roll(lines.len())];
        let units = between(&mut self.caller.dice, 1, known.left[line]);
        of(self)[place].left[line] -= units;
        Some((known, u32::try_from(line + 1).expect("few lines"), units))
    }

    async fn take_back(&mut self) -> Result<()> {
        let Some((sale, line, mut units)) = self.some_of(|clerk| &mut clerk.sales) else { return self.sell().await };
        // Somebody who wants to return more than they bought.
        if one_in(&mut self.caller.dice, 6) {
            units += 2;
        }
        let paper = papers::about("customer_return", &sale.store, sale.document, line, units);
        if let Some(document) = self.post(paper).await? {
            self.may_reverse(document.id);
        }
        Ok(())
    }

    async fn count(&mut self) -> Result<()> {
        let (store, product) = (self.some_store(), papers::plain_product(&mut self.caller.dice));
        let looked =
            self.caller.ask(ClerkAsk::ReadItem { store: store.to_owned(), product: product.to_owned() }).await?;
        let Some(item) = looked.and_then(|answer| answer.item) else { return Ok(()) };
        // Meanwhile somebody may sell.
        if one_in(&mut self.caller.dice, 2) {
            self.caller.pause().await;
        }
        let counted = (item.quantity + between(&mut self.caller.dice, -2, 2)).max(0);
        let against = CountedAgainst { seq: item.seq, difference: one_in(&mut self.caller.dice, 3) };
        if let Some(document) = self.post(papers::recount(store, product, counted, against)).await? {
            self.may_reverse(document.id);
        }
        Ok(())
    }

    async fn send(&mut self) -> Result<()> {
        let from = self.caller.dice.roll(STORES.len());
        let (from, to) = (STORES[from], STORES[1 - from]);
        let paper = papers::transfer(&mut self.caller.dice, from, to);
        let left: Vec<i64> = paper.lines.iter().map(|line| line.count).collect();
        let in_transit = paper.in_transit;
        let Some(document) = self.post(paper).await? else { return Ok(()) };
        if in_transit {
            Clerk::remember(&mut self.transfers, KnownDocument { document: document.id, store: to.to_owned(), left });
        }
        self.may_reverse(document.id);
        Ok(())
    }

    async fn receive(&mut self) -> Result<()> {
        let Some((transfer, line, units)) = self.some_of(|clerk| &mut clerk.transfers) else {
            return self.send().await;
        };
        let kind = if one_in(&mut self.caller.dice, 4) { "transit_loss" } else { "receipt" };
        let paper = papers::about(kind, &transfer.store, transfer.document, line, units);
        if let Some(document) = self.post(paper).await? {
            self.may_reverse(document.id);
        }
        Ok(())
    }

    async fn give_away(&mut self) -> Result<()> {
        let (store, kind) =
            (self.some_store(), if one_in(&mut self.caller.dice, 2) { "write_off" } else { "supplier_return" });
        let mut paper = papers::leaving(&mut self.caller.dice, kind, store);
        paper.lines.truncate(1);
        if let Some(document) = self.post(paper).await? {
            self.may_reverse(document.id);
        }
        Ok(())
    }

    async fn reverse(&mut self) -> Result<()> {
        let count = self.reversible.len();
        if count == 0 {
            return self.buy().await;
        }
        let reverses = self.reversible.remove(self.caller.dice.roll(count));
        self.carry(ClerkAsk::Reverse { document: Uuid::now_v7(), reverses }).await.map(drop)
    }

    /// Single pieces: bought by one clerk, and sold by the same.
    async fn trade_a_lamp(&mut self) -> Result<()> {
        if let Some((store, serial)) = self.lamps.pop() {
            return self.post(papers::sale_of_a_lamp(store, &serial)).await.map(drop);
        }
        let store = self.some_store();
        let (paper, serial) = papers::purchase_of_a_lamp(&mut self.caller.dice, store);
        if self.post(paper).await?.is_some() {
            self.lamps.push((store, serial));
        }
        Ok(())
    }

    /// A long document, which is posted part by part.
    async fn buy_a_lot(&mut self) -> Result<()> {
        let (store, document) = (self.some_store(), Uuid::now_v7());
        let paper = papers::purchase(&mut self.caller.dice, store);
        if self.caller.ask(ClerkAsk::Draft { document, paper }).await?.is_none() {
            return Ok(());
        }
        let parts = 1 + self.caller.dice.roll(3);
        for number in 1..=parts {
            let lines: Vec<PaperLine> = papers::part(&mut self.caller.dice);
            let number = u32::try_from(number).expect("few parts");
            if self.caller.ask(ClerkAsk::Part { document, number, lines }).await?.is_none() {
                return Ok(());
            }
        }
        if self.carry(ClerkAsk::Post { document }).await?.is_none() {
            return Ok(());
        }
        for _ in 0..LOOKS_MAX {
            let Some(answer) = self.caller.ask(ClerkAsk::ReadDocument { document }).await? else { return Ok(()) };
            if answer.document.is_some_and(|document| document.state != "posting") {
                return Ok(());
            }
            self.caller.pause().await;
        }
        Ok(())
    }
}
