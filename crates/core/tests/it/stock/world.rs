//! Stores, products and a clock; documents written as short sentences. Minor units are shown with their millionths.

use std::fmt::Write;
use std::sync::Arc;

use crate::codec::check_reply;
use crate::operations::store::Store;

use surehold_core::kernel::commands::{ConvertHold, CreateTenant, ExpireLapsedHolds, PlaceHold};
use surehold_core::kernel::{
    Asked, Command, ConvertMode, Currency, Facts, Halt, HoldId, HoldPolicy, Line, Lines, Pool, Prepared, Record, Slug,
    Stop, TenantId, Timestamp, Title,
};
use surehold_core::operations::commands::{RunStateOperation, StateRun};
use surehold_core::operations::{Operation, Outcome};
use surehold_core::stock::commands::{
    DocumentReply, PostDocument, PutProduct, PutStore, RevalueItem, ReverseDocument, SaveDraft, SavePart, SellHold,
};
use surehold_core::stock::history::{Histories, HistoryQuestion, ItemHistory, ROWS_PER_STEP_MAX, replay, rows_of, sum};
use surehold_core::stock::operations::{POST_DOCUMENT, PostDocumentPart};
use surehold_core::stock::rules::MICROS;
use surehold_core::stock::{
    Against, Books, DocumentContent, DocumentHeader, DocumentId, DocumentKind, DocumentLine, DocumentPart, ItemKey,
    LineCost, LotCode, Move, MoveKey, Pack, PackName, PartKey, Place, ProductCode, SerialCode, StockDocument,
    StockItem, StockRefusal, StoreName, Tracking, UnitName, pool_of,
};

/// 2026-11-01T12:00:00Z
pub(super) const START: Timestamp = Timestamp::from_micros(1_793_534_400_000_000);

/// Where records are: all in memory, or in a store from which they are loaded as they are asked for.
enum Backing {
    Facts(Box<Facts>),
    Store(Store),
}

pub(super) struct World {
    backing: Backing,
    pub(super) now: Timestamp,
    pub(super) documents: u64,
    holds: u64,
    /// At most so many rows are worked out in a step.
    pub(super) step_rows: usize,
}

pub(super) fn uuid(number: u64) -> uuid::Uuid {
    let millis = u128::try_from(START.micros() / 1_000).unwrap();
    uuid::Uuid::from_u128((millis << 80) | 0x7000_8000_0000_0000_0000 | u128::from(number))
}

pub(super) fn document(number: u64) -> DocumentId {
    DocumentId::new(uuid(number)).unwrap()
}

pub(super) fn store(name: &str) -> StoreName {
    StoreName::new(name).unwrap()
}

pub(super) fn product(code: &str) -> ProductCode {
    ProductCode::new(code).unwrap()
}

pub(super) fn on_hand(place: &str, code: &str) -> ItemKey {
    ItemKey::on_hand(&store(place), &product(code))
}

/// Minor units, with as many decimals as there are.
pub(super) fn money(micros: i64) -> String {
    let (sign, micros) = (if micros < 0 { "-" } else { "" }, micros.abs());
    let text = format!("{sign}{}.{:06}", micros / MICROS, micros % MICROS);
    text.trim_end_matches('0').trim_end_matches('.').to_owned()
}

fn all_items() -> Vec<ItemKey> {
    let both = |place: &str, code: &str| [on_hand(place, code), ItemKey::in_transit(&store(place), &product(code))];
    let of = |place| ["tea", "cup", "rice", "milk", "phone"].into_iter().flat_map(move |code| both(place, code));
    ["a", "b"].into_iter().flat_map(of).collect()
}

/// As the engine does: lapsed holds are expired before a shortage is believed. The outer error is what it asks for.
fn run_on<C: Command>(
    facts: &mut Facts,
    command: &C,
    prepared: &Prepared,
) -> Result<Result<C::Reply, C::Refusal>, Asked> {
    loop {
        facts.set_prepared(prepared.clone());
        match command.decide(facts) {
            Ok(reply) => {
                facts.keep_changes();
                return Ok(Ok(reply));
            }
            Err(Stop::Refused(refusal)) => {
                facts.drop_refused().unwrap();
                return Ok(Err(refusal));
            }
            Err(Stop::Halted(Halt::Unprepared)) => {
                let asked = facts.take_asked().unwrap();
                facts.drop_refused().unwrap();
                return Err(asked);
            }
            Err(Stop::Halted(Halt::LapsedHolds)) => {
                facts.drop_changes();
                ExpireLapsedHolds.decide(facts).unwrap();
                facts.keep_changes();
            }
            Err(Stop::Halted(halt)) => panic!("{halt:?}"),
        }
    }
}

impl World {
    /// Stores `a` and `b`; `tea` in pieces and boxes of 12, `rice` in grams, `milk` in lots, `phone` in single pieces.
    pub(super) fn new() -> World {
        World::with(Backing::Facts(Box::new(Facts::complete(TenantId(1)))))
    }

    /// The same, with records that are written and read again.
    pub(super) fn stored() -> World {
        World::with(Backing::Store(Store::default()))
    }

    fn with(backing: Backing) -> World {
        let mut world = World { backing, now: START, documents: 0, holds: 0, step_rows: ROWS_PER_STEP_MAX };
        world.run(&CreateTenant::new(Slug::new("shop").unwrap(), HoldPolicy::default()).unwrap()).unwrap();
        for name in ["a", "b"] {
            let (title, currency) = (Title::new("Store").unwrap(), Currency::parse("BRL").unwrap());
            world.run(&PutStore { name: store(name), title, currency }).unwrap();
        }
        for (code, scale, tracking) in [
            ("tea", 0, Tracking::Nothing),
            ("cup", 0, Tracking::Nothing),
            ("rice", 3, Tracking::Nothing),
            ("milk", 0, Tracking::Lots),
            ("phone", 0, Tracking::Serials),
        ] {
            let (title, unit) = (Title::new(code).unwrap(), UnitName::new("pcs").unwrap());
            let put = PutProduct::new(product(code), title, unit).scale(scale).unwrap().tracking(tracking);
            let pack = Pack { name: PackName::new("box").unwrap(), factor: 12 };
            world.run(&put.packs(vec![pack]).unwrap()).unwrap();
        }
        world
    }

    pub(super) fn clock(&mut self, secs: i64) {
        self.now = self.now.plus_secs(secs);
    }

    pub(super) fn run<C: Command>(&mut self, command: &C) -> Result<C::Reply, C::Refusal> {
        self.run_knowing(command, Histories::default()).expect("it asks for nothing")
    }

    /// The same with what was looked up for it, or what it still asks for.
    pub(super) fn run_knowing<C: Command>(
        &mut self,
        command: &C,
        histories: Histories,
    ) -> Result<Result<C::Reply, C::Refusal>, Vec<HistoryQuestion>> {
        let prepared = Prepared::default().with(histories);
        let ran = match &mut self.backing {
            Backing::Facts(facts) => {
                facts.set_now(self.now);
                run_on(facts, command, &prepared)
            }
            Backing::Store(store) => store.run_prepared(self.now, command, &prepared).map(|ran| {
                ran.map(|done| {
                    check_reply(&done.reply);
                    done.reply
                })
            }),
        };
        ran.map_err(|asked| asked.question::<Histories>().unwrap().clone())
    }

    /// How often it has to wait for records, and how many it changes.
    pub(super) fn cost_of<C: Command<Refusal: std::fmt::Debug>>(&self, command: &C) -> (usize, usize) {
        match &self.backing {
            Backing::Facts(_) => panic!("everything is there at once"),
            Backing::Store(store) => store.cost_of(self.now, command),
        }
    }

    pub(super) fn get<R: Record>(&mut self, key: &R::Key) -> Option<R> {
        match &mut self.backing {
            Backing::Facts(facts) => facts.get::<R>(key).unwrap().cloned(),
            Backing::Store(store) => store.get::<R>(key),
        }
    }

    pub(super) fn item(&mut self, key: &ItemKey) -> StockItem {
        let item = self.get::<StockItem>(key);
        item.unwrap_or_else(|| StockItem::new(key.clone()))
    }

    pub(super) fn ledger(&mut self, key: &ItemKey) -> Vec<Move> {
        let last = self.item(key).seq;
        let row = |seq| self.get::<Move>(&MoveKey { item: key.clone(), seq }).unwrap();
        (1..=last).map(row).collect()
    }

    fn answers(&mut self, questions: &[HistoryQuestion]) -> Vec<ItemHistory> {
        questions.iter().map(|question| ItemHistory::of(question, &self.ledger(&question.item))).collect()
    }

    /// Runs a command, and looks up what it has to know.
    pub(super) fn ask<C: Command>(&mut self, command: &C) -> Result<C::Reply, C::Refusal> {
        let mut histories = Histories::default();
        for _ in 0..3 {
            match self.run_knowing(command, histories.clone()) {
                Ok(ran) => return ran,
                Err(questions) => histories = histories.with(self.answers(&questions)),
            }
        }
        panic!("asked for more and more");
    }

    pub(super) fn post(
        &mut self,
        header: DocumentHeader,
        lines: Vec<DocumentLine>,
    ) -> Result<DocumentReply, StockRefusal> {
        self.documents += 1;
        let content = DocumentContent::new(header, lines).map_err(StockRefusal::from)?;
        self.ask(&PostDocument::whole(document(self.documents), content))
    }

    pub(super) fn reverse(&mut self, number: u64, at: Option<Timestamp>) -> Result<DocumentReply, StockRefusal> {
        self.documents += 1;
        let reversed = self.get::<StockDocument>(&document(number));
        let kind = reversed.as_ref().map(|reversed| reversed.header.kind);
        let place = reversed.map_or_else(|| store("a"), |reversed| reversed.header.store);
        assert_ne!(kind, None, "a document that is there");
        let mut reverse = ReverseDocument::new(document(self.documents), document(number), place);
        reverse.header.effective_at = at;
        self.ask(&reverse)
    }

    /// A draft of several parts.
    pub(super) fn save_long(&mut self, number: u64, header: DocumentHeader, parts: &[Vec<DocumentLine>]) {
        let (id, kind) = (document(number), header.kind);
        let content = DocumentContent::new(header, parts[0].clone()).unwrap();
        self.run(&SaveDraft { id, content }).unwrap();
        for (part, lines) in (1..).zip(&parts[1..]) {
            self.run(&SavePart::new(id, kind, part, lines.clone()).unwrap()).unwrap();
        }
    }

    /// Runs the operation that posts a part; a second run finds nothing to do.
    pub(super) fn run_part(&mut self, number: u64, part: u32) {
        let key = POST_DOCUMENT.key(&[&document(number).to_string(), &part.to_string()]).unwrap();
        let run = RunStateOperation { key: key.clone(), handler: Arc::new(PostDocumentPart), found: None };
        assert_eq!(self.run(&run).unwrap(), StateRun::Done);
        assert!(matches!(self.run(&run).unwrap(), StateRun::NotNow(_)));
        let outcome = self.get::<Operation>(&key).unwrap().outcome;
        assert_eq!(outcome, Some(Outcome::Succeeded));
    }

    /// Posts a draft of several parts, from the first to the last.
    pub(super) fn post_long(&mut self, number: u64) {
        let parts = self.run(&PostDocument::saved(document(number))).unwrap().document.parts;
        for part in 0..parts {
            self.run_part(number, part);
        }
    }

    /// What came of each line of a document: what moved, or why nothing did.
    pub(super) fn outcomes(&mut self, number: u64) -> String {
        let parts = self.get::<StockDocument>(&document(number)).unwrap().parts;
        let mut told = Vec::new();
        for part in 0..parts {
            let key = PartKey { document: document(number), number: part };
            for outcome in &*self.get::<DocumentPart>(&key).unwrap().outcomes {
                told.push(match &outcome.skipped {
                    Some(why) => why.refusal.clone(),
                    None => format!("{:+} for {}", outcome.quantity, money(outcome.value.abs())),
                });
            }
        }
        told.join("; ")
    }

    /// Works out all costs that are provisional.
    pub(super) fn revalue_all(&mut self, keys: &[ItemKey]) {
        for _ in 0..10_000 {
            let Some(key) = keys.iter().find(|key| self.item(key).revaluing.is_some()) else { return };
            self.revalue_step(key);
        }
        panic!("never done");
    }

    /// The same, always with the item whose turn it is.
    pub(super) fn revalue_in_turn(&mut self, keys: &[ItemKey]) {
        for _ in 0..10_000 {
            let mut marked = Vec::new();
            for key in keys {
                marked.extend(self.item(key).revaluing.map(|revaluing| (revaluing.turn(), key)));
            }
            let Some((_, key)) = marked.into_iter().min() else { return };
            let step = self.next_step(key).up_to_others();
            self.run(&step).unwrap();
        }
        panic!("never done");
    }

    pub(super) fn revalue_step(&mut self, key: &ItemKey) {
        let step = self.next_step(key);
        self.run(&step).unwrap();
    }

    /// With the rows as they are now.
    pub(super) fn next_step(&mut self, key: &ItemKey) -> RevalueItem {
        let point = *self.item(key).revaluing.unwrap();
        let ledger = self.ledger(key);
        let rows = rows_of(&ledger);
        let (before, later): (Vec<_>, Vec<_>) =
            rows.into_iter().partition(|row| (row.effective_at, row.seq) <= point.point());
        let complete = later.len() <= self.step_rows;
        let later = later.into_iter().take(self.step_rows).collect();
        let upto = i64::try_from(ledger.len()).unwrap();
        RevalueItem::new(key.clone(), point.point(), sum(&before), later, (upto, complete)).unwrap()
    }

    /// Everything that must be true at any time.
    pub(super) fn check(&mut self, keys: &[ItemKey]) {
        let mut revaluing = 0;
        for key in keys {
            let item = self.item(key);
            // Costs of others may still be on their way to items that are not marked themselves.
            let provisional = keys.iter().any(|key| self.item(key).revaluing.is_some());
            let sum = replay(&self.ledger(key), provisional).unwrap_or_else(|fault| panic!("{key}: {fault}"));
            assert_eq!((item.quantity, item.value), (sum.quantity, sum.value), "{key}");
            revaluing += i64::from(item.revaluing.is_some());
            if item.revaluing.is_none() {
                assert!(item.value >= 0 && (item.quantity > 0 || item.value == 0), "{key}");
            }
            if let Some(pool) = key.pool() {
                let pool = self.get::<Pool>(&pool);
                let total = pool.filter(|pool| pool.tracked).map_or(0, |pool| pool.total);
                assert_eq!(total, item.quantity, "{key}");
            }
        }
        let books = self.get::<Books>(&()).unwrap_or_default();
        assert_eq!(books.revaluing, revaluing);
    }

    /// What a sentence comes to: what each line moved and for how much, and what is there then; or why not.
    pub(super) fn say(&mut self, sentence: &str) -> String {
        let told = match self.carry_out(sentence) {
            Ok(told) => told,
            Err(refusal) => refusal.to_string().replace("01a196fb-1600-7000-8000-00000000000", "#"),
        };
        self.check(&all_items());
        told
    }

    fn carry_out(&mut self, sentence: &str) -> Result<String, StockRefusal> {
        let (sentence, at) = match sentence.split_once(" at ") {
            Some((sentence, minutes)) => (sentence, Some(START.plus_secs(minutes.parse::<i64>().unwrap() * 60))),
            None => (sentence, None),
        };
        let words: Vec<&str> = sentence.split_whitespace().collect();
        let header = |kind, name: &str| DocumentHeader { effective_at: at, ..DocumentHeader::new(kind, store(name)) };
        let number = |text: &str| text.parse::<i64>().unwrap();
        let line = |code: &str, count: &str| DocumentLine::new(product(code), number(count));
        let costing = |code: &str, count: &str, cost: &str| {
            let cost = match cost.strip_prefix('@') {
                Some(price) => LineCost::Price(number(price) * MICROS),
                None => LineCost::Amount(number(cost)),
            };
            DocumentLine { cost: Some(cost), ..line(code, count) }
        };
        if let [deed, rest @ ..] = words.as_slice()
            && let Some(deed) = deed.strip_suffix("-pieces")
        {
            let reply = self.move_pieces(deed, rest)?;
            return Ok(self.show(&reply));
        }
        let reply = match words.as_slice() {
            ["buy", place, code, count, cost] => {
                self.post(header(DocumentKind::Purchase, place), vec![costing(code, count, cost)])
            }
            ["buy", place, code, count, cost, lot, expires] => {
                let expires = (*expires != "never").then(|| expires.parse().unwrap());
                let lot = Some(LotCode::new(lot).unwrap());
                let line = DocumentLine { lot, expires, ..costing(code, count, cost) };
                self.post(header(DocumentKind::Purchase, place), vec![line])
            }
            ["open", place, code, count, cost] => {
                self.post(header(DocumentKind::Opening, place), vec![costing(code, count, cost)])
            }
            ["sell", place, code, count] => self.post(header(DocumentKind::Sale, place), vec![line(code, count)]),
            ["sell-lot", place, code, count, lot] => {
                let line = DocumentLine { lot: Some(LotCode::new(lot).unwrap()), ..line(code, count) };
                self.post(header(DocumentKind::Sale, place), vec![line])
            }
            ["sell2", place, code, count, other, count2] => {
                self.post(header(DocumentKind::Sale, place), vec![line(code, count), line(other, count2)])
            }
            ["scrap", place, code, count] => self.post(header(DocumentKind::WriteOff, place), vec![line(code, count)]),
            ["send-back", place, code, count, credited] => {
                self.post(header(DocumentKind::SupplierReturn, place), vec![costing(code, count, credited)])
            }
            ["count", place, code, counted, rest @ ..] => {
                let seq = self.item(&on_hand(place, code)).seq;
                let (against, line) = match rest {
                    ["against", seq, rest @ ..] => ((number(seq), !rest.is_empty()), line(code, counted)),
                    ["for", cost] => ((seq, false), costing(code, counted, cost)),
                    _ => ((seq, false), line(code, counted)),
                };
                let against = Some(Against { seq: against.0, difference: against.1 });
                self.post(header(DocumentKind::Recount, place), vec![DocumentLine { against, ..line }])
            }
            ["count-lot", place, code, counted, lot, "against", seq] => {
                let against = Some(Against { seq: number(seq), difference: false });
                let lot = Some(LotCode::new(lot).unwrap());
                let line = DocumentLine { against, lot, ..line(code, counted) };
                self.post(header(DocumentKind::Recount, place), vec![line])
            }
            ["move" | "ship", place, to, code, count] => {
                let in_transit = words[0] == "ship";
                let header = header(DocumentKind::Transfer, place);
                self.post(DocumentHeader { to_store: Some(store(to)), in_transit, ..header }, vec![line(code, count)])
            }
            ["return" | "receive" | "lose", place, about, of_line, count, serials @ ..] => {
                let kind = match words[0] {
                    "return" => DocumentKind::CustomerReturn,
                    "receive" => DocumentKind::Receipt,
                    _ => DocumentKind::TransitLoss,
                };
                let about = Some(document(about.parse().unwrap()));
                let serials = serials.iter().map(|serial| SerialCode::new(serial).unwrap()).collect();
                let line = DocumentLine::of_line(of_line.parse().unwrap(), number(count));
                self.post(DocumentHeader { about, ..header(kind, place) }, vec![DocumentLine { serials, ..line }])
            }
            ["undo", about] => self.reverse(about.parse().unwrap(), at),
            ["hold", place, code, count] => return Ok(self.hold(place, code, number(count))),
            ["book", hold] => return Ok(self.book(number(hold))),
            ["sell-hold", hold, place, code, count] => {
                self.documents += 1;
                let content = DocumentContent::new(header(DocumentKind::Sale, place), vec![line(code, count)]).unwrap();
                let hold = HoldId::new(uuid(1_000_000 + hold.parse::<u64>().unwrap())).unwrap();
                let command = SellHold::new(hold, document(self.documents), content).unwrap();
                self.ask(&command).map(|reply| reply.sale)
            }
            ["work", "out"] => {
                self.revalue_all(&all_items());
                return Ok("all costs".to_owned());
            }
            ["wait", secs] => {
                self.clock(number(secs));
                return Ok("later".to_owned());
            }
            _ => panic!("what is {sentence:?}?"),
        }?;
        Ok(self.show(&reply))
    }

    /// `buy a phone 2000 x1 x2`, `sell a phone x1`, `ship a b phone x1`.
    fn move_pieces(&mut self, deed: &str, words: &[&str]) -> Result<DocumentReply, StockRefusal> {
        let line = |code: &str, serials: &[&str]| {
            let count = i64::try_from(serials.len()).unwrap();
            let serials = serials.iter().map(|serial| SerialCode::new(serial).unwrap()).collect();
            DocumentLine { serials, ..DocumentLine::new(product(code), count) }
        };
        match (deed, words) {
            ("buy", [place, code, cost, serials @ ..]) => {
                let cost = Some(LineCost::Amount(cost.parse().unwrap()));
                let line = DocumentLine { cost, ..line(code, serials) };
                self.post(DocumentHeader::new(DocumentKind::Purchase, store(place)), vec![line])
            }
            ("sell", [place, code, serials @ ..]) => {
                self.post(DocumentHeader::new(DocumentKind::Sale, store(place)), vec![line(code, serials)])
            }
            ("ship", [place, to, code, serials @ ..]) => {
                let header = DocumentHeader::new(DocumentKind::Transfer, store(place));
                let header = DocumentHeader { to_store: Some(store(to)), in_transit: true, ..header };
                self.post(header, vec![line(code, serials)])
            }
            _ => panic!("what is {deed} {words:?}?"),
        }
    }

    fn hold(&mut self, place: &str, code: &str, quantity: i64) -> String {
        self.holds += 1;
        let lines = Lines::new(vec![Line { pool: pool_of(&store(place), &product(code)), quantity }]).unwrap();
        let id = HoldId::new(uuid(1_000_000 + self.holds)).unwrap();
        let placed = self.run(&PlaceHold::new(id, lines).lifetime_secs(600).unwrap());
        placed.map_or_else(|refusal| refusal.to_string(), |reply| reply.hold.state.as_str().to_owned())
    }

    fn book(&mut self, hold: i64) -> String {
        let id = HoldId::new(uuid(1_000_000 + u64::try_from(hold).unwrap())).unwrap();
        let booked = self.run(&ConvertHold { id, mode: ConvertMode::Book, part: None });
        booked.map_or_else(|refusal| refusal.to_string(), |_| "booked".to_owned())
    }

    fn show(&mut self, reply: &DocumentReply) -> String {
        let mut text = String::new();
        for outcome in &*reply.outcomes {
            write!(text, "{:+} for {}", outcome.quantity, money(outcome.value.abs())).unwrap();
            if outcome.variance != 0 {
                write!(text, " ({:+} off)", outcome.variance / MICROS).unwrap();
            }
            for pick in &outcome.picks {
                write!(text, " {}:{}", pick.lot, pick.quantity).unwrap();
            }
            text.push_str("; ");
        }
        let header = &reply.document.header;
        for place in [Some(&header.store), header.to_store.as_ref()].into_iter().flatten() {
            for code in ["tea", "cup", "rice", "milk", "phone"] {
                for place in [ItemKey::on_hand(place, &product(code)), ItemKey::in_transit(place, &product(code))] {
                    let item = self.item(&place);
                    if item.seq > 0 {
                        let way = if place.place == Place::InTransit { " on the way" } else { "" };
                        write!(text, "{}/{code}{way} {} worth {}, ", place.store, item.quantity, money(item.value))
                            .unwrap();
                    }
                }
            }
        }
        text.trim_end_matches(", ").to_owned()
    }
}
