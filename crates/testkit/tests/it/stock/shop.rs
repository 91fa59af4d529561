//! Two stores and a few products; everything that is read of them is compared with what the core says of the same ledgers.

use std::collections::BTreeMap;
use std::slice;

use surehold_core::kernel::{Command, Currency, Timestamp, Title};
use surehold_core::stock::commands::{DocumentReply, PostDocument, PutProduct, PutStore, ReverseDocument};
use surehold_core::stock::history::{HistoryQuestion, ItemHistory, replay, rows_of};
use surehold_core::stock::rules::{Balance, MICROS};
use surehold_core::stock::{
    Books, DocumentContent, DocumentHeader, DocumentId, DocumentKind, DocumentLine, ItemKey, LineCost, Move, Pack,
    PackName, Place, ProductCode, StockItem, StockRefusal, StoreName, Tracking, UnitName,
};
use surehold_engine::{EngineConfig, Failure, ItemsFilter, Options, Turnover};
use surehold_testkit::fixture::Fixture;
use uuid::Uuid;

use crate::conformance::World;

pub(super) fn store(name: &str) -> StoreName {
    StoreName::new(name).unwrap()
}

pub(super) fn product(code: &str) -> ProductCode {
    ProductCode::new(code).unwrap()
}

pub(super) fn on_hand(place: &str, code: &str) -> ItemKey {
    ItemKey::on_hand(&store(place), &product(code))
}

pub(super) fn in_transit(place: &str, code: &str) -> ItemKey {
    ItemKey::in_transit(&store(place), &product(code))
}

pub(super) fn new_document() -> DocumentId {
    DocumentId::new(Uuid::now_v7()).unwrap()
}

pub(super) fn header(kind: DocumentKind, place: &str) -> DocumentHeader {
    DocumentHeader::new(kind, store(place))
}

pub(super) fn line(code: &str, count: i64) -> DocumentLine {
    DocumentLine::new(product(code), count)
}

pub(super) fn costing(code: &str, count: i64, amount: i64) -> DocumentLine {
    DocumentLine { cost: Some(LineCost::Amount(amount)), ..line(code, count) }
}

/// In minor units.
pub(super) fn worth(quantity: i64, minor: i64) -> Balance {
    Balance { quantity, value: minor * MICROS }
}

pub(super) struct Shop<'f> {
    pub(super) world: World<'f>,
}

impl<'f> Shop<'f> {
    /// Stores `a` and `b`; `tea` and `cup` in pieces and boxes of 12, `milk` in lots, `phone` in single pieces.
    pub(super) async fn open(fixture: &'f Fixture) -> Shop<'f> {
        Shop::furnished(World::open(fixture).await).await
    }

    pub(super) async fn open_with(fixture: &'f Fixture, config: EngineConfig) -> Shop<'f> {
        Shop::furnished(World::open_with(fixture, config).await).await
    }

    async fn furnished(world: World<'f>) -> Shop<'f> {
        let shop = Shop { world };
        for name in ["a", "b"] {
            let (title, currency) = (Title::new("Store").unwrap(), Currency::parse("EUR").unwrap());
            shop.run(PutStore { name: store(name), title, currency }).await;
        }
        let nothing = Tracking::Nothing;
        for (code, tracking) in
            [("tea", nothing), ("cup", nothing), ("milk", Tracking::Lots), ("phone", Tracking::Serials)]
        {
            let (title, unit) = (Title::new(code).unwrap(), UnitName::new("pcs").unwrap());
            let pack = Pack { name: PackName::new("box").unwrap(), factor: 12 };
            let put = PutProduct::new(product(code), title, unit).tracking(tracking);
            shop.run(put.packs(vec![pack]).unwrap()).await;
        }
        shop
    }

    pub(super) async fn run<C: Command<Refusal: std::fmt::Debug>>(&self, command: C) -> C::Reply {
        let outcome = self.world.engine.run(self.world.tenant, command).await;
        outcome.unwrap_or_else(|failure| panic!("{failure:?}")).reply
    }

    pub(super) async fn now(&self) -> Timestamp {
        self.world.engine.views().clock().await.unwrap()
    }

    pub(super) async fn try_post(
        &self,
        id: DocumentId,
        header: DocumentHeader,
        lines: Vec<DocumentLine>,
    ) -> Result<DocumentReply, StockRefusal> {
        let post = PostDocument::whole(id, DocumentContent::new(header, lines).unwrap());
        told(self.world.engine.run_with(self.world.tenant, post, Options::default()).await.map(|done| done.reply))
    }

    pub(super) async fn post(&self, header: DocumentHeader, lines: Vec<DocumentLine>) -> DocumentReply {
        let posted = self.try_post(new_document(), header, lines).await;
        posted.unwrap_or_else(|refusal| panic!("{refusal}"))
    }

    pub(super) async fn buy(&self, code: &str, count: i64, amount: i64) -> DocumentReply {
        self.post(header(DocumentKind::Purchase, "a"), vec![costing(code, count, amount)]).await
    }

    pub(super) async fn try_reverse(
        &self,
        reply: &DocumentReply,
        at: Option<Timestamp>,
    ) -> Result<DocumentReply, StockRefusal> {
        let reversed = &reply.document;
        let mut reverse = ReverseDocument::new(new_document(), reversed.id, reversed.header.store.clone());
        reverse.header.effective_at = at;
        told(self.world.engine.run_with(self.world.tenant, reverse, Options::default()).await.map(|done| done.reply))
    }

    pub(super) async fn item(&self, key: &ItemKey) -> StockItem {
        let item = self.world.engine.views().record::<StockItem>(self.world.tenant, key).await.unwrap();
        item.unwrap_or_else(|| StockItem::new(key.clone()))
    }

    pub(super) async fn balance(&self, key: &ItemKey) -> Balance {
        let item = self.item(key).await;
        Balance { quantity: item.quantity, value: item.value }
    }

    pub(super) async fn ledger(&self, key: &ItemKey, page_rows: u16) -> Vec<Move> {
        let mut ledger: Vec<Move> = Vec::new();
        loop {
            let after = ledger.last().map_or(0, |row| row.key.seq);
            let page = self.world.engine.views().moves(self.world.tenant, key, after, page_rows).await.unwrap();
            let is_last = page.len() < usize::from(page_rows);
            ledger.extend(page);
            if is_last {
                return ledger;
            }
        }
    }

    pub(super) async fn ledgers(&self, page_rows: u16) -> BTreeMap<ItemKey, Vec<Move>> {
        let items: Vec<StockItem> = self.world.engine.views().all_records(self.world.tenant).await.unwrap();
        let mut ledgers = BTreeMap::new();
        for item in items {
            ledgers.insert(item.key.clone(), self.ledger(&item.key, page_rows).await);
        }
        ledgers
    }

    /// Everything that is read is what the core says of the ledgers, page by page. `page_rows` is the size of pages.
    pub(super) async fn check(&self, page_rows: u16) {
        let ledgers = self.ledgers(page_rows).await;
        let books = self.world.engine.views().record::<Books>(self.world.tenant, &()).await.unwrap();
        let provisional = books.is_some_and(|books| books.revaluing > 0);
        for (key, ledger) in &ledgers {
            let sum = replay(ledger, provisional).unwrap_or_else(|fault| panic!("{key}: {fault}"));
            assert_eq!(self.balance(key).await, sum, "{key}");
            self.check_effects(key, ledger, page_rows).await;
            self.check_history(key, ledger).await;
        }
        let mut instants: Vec<Timestamp> = ledgers.values().flatten().map(|row| row.effective_at).collect();
        instants.sort();
        let few: Vec<Timestamp> = instants.iter().copied().step_by(instants.len() / 4 + 1).collect();
        for at in &few {
            self.check_balances(&ledgers, *at).await;
        }
        for (from, until) in few.iter().zip(few.iter().skip(2)) {
            self.check_turnover(&ledgers, *from, *until).await;
        }
    }

    async fn check_effects(&self, key: &ItemKey, ledger: &[Move], page_rows: u16) {
        let (views, tenant, item) = (self.world.engine.views(), self.world.tenant, self.item(key).await);
        let expected = rows_of(ledger);
        let (mut read, mut shown) = (Vec::new(), Vec::new());
        let mut point = (Timestamp::from_micros(-1), 0);
        loop {
            let (page, complete) = views.effect_page(tenant, &item, point, page_rows).await.unwrap();
            point = page.last().map_or(point, |row| (row.effective_at, row.seq));
            read.extend(page);
            if complete {
                break;
            }
        }
        assert_eq!(read, expected, "{key}");
        let mut after = None;
        loop {
            let page = views.moves_by_effect(tenant, key, after, page_rows).await.unwrap();
            let Some(last) = page.last() else { break };
            after = Some((last.row.effective_at, last.row.key.seq));
            shown.extend(page);
        }
        let mut balance = Balance::NOTHING;
        assert_eq!(shown.len(), expected.len());
        for (shown, expected) in shown.iter().zip(&expected) {
            balance.quantity += expected.quantity;
            balance.value += expected.value;
            assert_eq!((shown.row.key.seq, shown.value_now, shown.balance), (expected.seq, expected.value, balance));
        }
    }

    async fn check_history(&self, key: &ItemKey, ledger: &[Move]) {
        let sources: Vec<i64> = ledger.iter().filter(|row| row.quantity != 0).map(|row| row.key.seq).collect();
        let sources: Vec<i64> = sources.iter().copied().step_by(sources.len() / 50 + 1).collect();
        let first = ledger[0].effective_at.plus_secs(-1);
        let instants = ledger.iter().map(|row| row.effective_at).step_by(ledger.len() / 3 + 1).chain([first]);
        for at in instants {
            let question = HistoryQuestion { item: key.clone(), at, sources: sources.clone() };
            let answers =
                self.world.engine.views().histories(self.world.tenant, slice::from_ref(&question)).await.unwrap();
            assert_eq!(answers, [ItemHistory::of(&question, ledger)], "{key} at {at}");
        }
    }

    async fn check_balances(&self, ledgers: &BTreeMap<ItemKey, Vec<Move>>, at: Timestamp) {
        let mut filter = ItemsFilter::default();
        let mut read = BTreeMap::new();
        loop {
            let page = self.world.engine.views().balances_at(self.world.tenant, &filter, at, 3).await.unwrap();
            let Some(last) = page.last() else { break };
            filter.after = Some(last.item.clone());
            read.extend(page.into_iter().map(|found| (found.item, found.balance)));
        }
        let then = |ledger: &Vec<Move>| sum(ledger.iter().filter(|row| row.effective_at <= at));
        let expected: BTreeMap<ItemKey, Balance> =
            ledgers.iter().map(|(key, ledger)| (key.clone(), then(ledger))).collect();
        assert_eq!(read, expected, "at {at}");
    }

    async fn check_turnover(&self, ledgers: &BTreeMap<ItemKey, Vec<Move>>, from: Timestamp, until: Timestamp) {
        let views = self.world.engine.views();
        for (key, ledger) in ledgers {
            let place = Some(key.place);
            let filter =
                ItemsFilter { store: Some(key.store.clone()), product: Some(key.product.clone()), place, after: None };
            let read = views.turnover(self.world.tenant, &filter, from, until, 10).await.unwrap();
            let inside = || ledger.iter().filter(|row| (from..until).contains(&row.effective_at));
            let outgoing = sum(inside().filter(|row| row.quantity < 0));
            let expected = Turnover {
                item: key.clone(),
                opening: sum(ledger.iter().filter(|row| row.effective_at < from)),
                incoming: sum(inside().filter(|row| row.quantity > 0)),
                outgoing: Balance { quantity: -outgoing.quantity, value: -outgoing.value },
                revalued: inside().filter(|row| row.quantity == 0).map(|row| row.value).sum(),
                closing: sum(ledger.iter().filter(|row| row.effective_at < until)),
                revaluing: self.item(key).await.revaluing.is_some(),
            };
            assert_eq!(read, [expected], "{key} from {from} until {until}");
        }
    }

    pub(super) async fn revalue(&self) -> u64 {
        self.world.engine.revalue(self.world.tenant).await.unwrap()
    }
}

fn sum<'a>(rows: impl Iterator<Item = &'a Move>) -> Balance {
    rows.fold(Balance::NOTHING, |sum, row| Balance {
        quantity: sum.quantity + row.quantity,
        value: sum.value + row.value,
    })
}

pub(super) fn told<T>(outcome: Result<T, Failure<StockRefusal>>) -> Result<T, StockRefusal> {
    match outcome {
        Ok(reply) => Ok(reply),
        Err(Failure::Refused(refusal)) => Err(refusal),
        Err(failure) => panic!("{failure:?}"),
    }
}

/// A small generator of its own, so that a seed means the same for ever.
pub(super) struct Dice(pub(super) u64);

impl Dice {
    pub(super) fn below(&mut self, sides: u64) -> i64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        i64::try_from((self.0.wrapping_mul(0x2545_f491_4f6c_dd1d) >> 33) % sides).unwrap()
    }
}

pub(super) fn is_transit(place: Place) -> bool {
    place == Place::InTransit
}
