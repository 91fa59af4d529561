//! A document in front of a long history: worked out in steps, while goods are sold. And long documents that are reversed
//! part by part, meanwhile.

use super::fraction::Fraction;
use super::model::{Act, Paper, Timeline, micros};
use super::world::{START, World, document, money, on_hand, product, store};
use surehold_core::kernel::Title;
use surehold_core::operations::commands::{CancelOperation, RedriveOperation};
use surehold_core::operations::{Actor, Reason};
use surehold_core::stock::commands::{CloseBooks, PostDocument, PutProduct};
use surehold_core::stock::history::{
    Histories, HistoryQuestion, ItemHistory, Later, LedgerFault, NewRow, preview, replay, rows_of,
};
use surehold_core::stock::operations::POST_DOCUMENT;
use surehold_core::stock::{
    Against, Basis, DocumentContent, DocumentHeader, DocumentKind, DocumentLine, DocumentState, ItemKey, LineCost,
    LotCode, SerialCode, StockDocument, StockRefusal, UnitName,
};

const ROWS: usize = 1_800;

struct History {
    world: World,
    papers: Vec<(i64, Paper)>,
}

fn tea() -> ItemKey {
    on_hand("a", "tea")
}

impl History {
    /// Bought once, then sold one by one, each a minute later; every 100th goes to the other store.
    fn new() -> History {
        let mut history = History { world: World::new(), papers: Vec::new() };
        history.buy(10_000, 123_457, None);
        for number in 1..=ROWS {
            history.world.clock(60);
            if number % 100 == 0 { history.hand_over() } else { history.sell() }
        }
        history
    }

    fn note(&mut self, minutes_ago: Option<i64>, act: Act) {
        let at = self.world.now.plus_secs(-60 * minutes_ago.unwrap_or(0));
        self.papers.push((at.micros(), Paper::Acts(vec![act])));
    }

    fn header(&self, kind: DocumentKind, minutes_ago: Option<i64>) -> DocumentHeader {
        let effective_at = minutes_ago.map(|minutes| self.world.now.plus_secs(-60 * minutes));
        DocumentHeader { effective_at, ..DocumentHeader::new(kind, store("a")) }
    }

    fn buy(&mut self, quantity: i64, amount: i64, minutes_ago: Option<i64>) {
        let cost = Some(LineCost::Amount(amount));
        let line = DocumentLine { cost, ..DocumentLine::new(product("tea"), quantity) };
        self.world.post(self.header(DocumentKind::Purchase, minutes_ago), vec![line]).unwrap();
        self.note(minutes_ago, Act::In { item: tea(), quantity, cost: Fraction::whole(amount) });
    }

    fn sell(&mut self) {
        let line = DocumentLine::new(product("tea"), 1);
        self.world.post(self.header(DocumentKind::Sale, None), vec![line]).unwrap();
        self.note(None, Act::Out { item: tea(), quantity: 1 });
    }

    fn hand_over(&mut self) {
        let header = DocumentHeader { to_store: Some(store("b")), ..self.header(DocumentKind::Transfer, None) };
        self.world.post(header, vec![DocumentLine::new(product("tea"), 2)]).unwrap();
        self.note(None, Act::Across { from: tea(), to: on_hand("b", "tea"), quantity: 2 });
    }

    fn check(&mut self) {
        let mut papers: Vec<(usize, &(i64, Paper))> = self.papers.iter().enumerate().collect();
        papers.sort_by_key(|(number, (at, _))| (*at, *number));
        let mut timeline = Timeline::default();
        for (number, (at, paper)) in papers {
            timeline.add(number, *at, paper.clone()).unwrap();
        }
        for key in [tea(), on_hand("b", "tea")] {
            let (item, heap) = (self.world.item(&key), timeline.model.heap(&key));
            assert_eq!((item.quantity, item.value), (heap.quantity, micros(heap.value)), "{key}");
        }
        self.world.check(&[tea(), on_hand("b", "tea")]);
    }
}

#[test]
fn long_histories_are_worked_out_in_steps() {
    let mut history = History::new();
    history.check();
    history.buy(500, 77_777, Some(1_700));
    let keys = [tea(), on_hand("b", "tea")];
    assert!(history.world.item(&tea()).revaluing.is_some());
    // Nobody waits: goods are sold and bought between the steps, and in the past.
    for _ in 0..2 {
        history.world.revalue_step(&tea());
        history.world.clock(60);
        history.sell();
        history.buy(10, 333, None);
        history.world.check(&keys);
    }
    history.buy(5, 5_000, Some(1_750));
    history.hand_over();
    history.world.check(&keys);
    history.world.revalue_all(&keys);
    history.check();
    // Nothing is left to do, and nothing was done twice: each row has changed at most once for each document.
    let ledger = history.world.ledger(&tea());
    assert!(ledger.len() < 3 * ROWS + 20, "{} rows", ledger.len());
}

/// A step whose rows lack one that took effect since they were read is not done: what it worked out would be wrong.
#[test]
fn a_step_with_old_rows_is_refused() {
    let mut history = History::new();
    history.buy(500, 77_777, Some(1_700));
    let keys = [tea(), on_hand("b", "tea")];
    let step = history.world.next_step(&tea());
    history.buy(5, 5_000, Some(1_600));
    assert_eq!(history.world.run(&step), Err(StockRefusal::Changed { item: tea() }));
    history.world.revalue_all(&keys);
    history.check();
}

/// What is shown before is what happens then.
#[test]
fn a_preview_is_what_happens() {
    let mut history = History::new();
    let at = history.world.now.plus_secs(-60 * 300);
    let ledger = history.world.ledger(&tea());
    let question = HistoryQuestion { item: tea(), at, sources: Vec::new() };
    let known = ItemHistory::of(&question, &ledger);
    let Later::Rows(later) = &known.later else { panic!("few rows") };
    let shown = preview(known.before, later, &[NewRow { quantity: 50, cost: Some(9_999_000_000) }], at).unwrap();
    assert_eq!(history.world.item(&tea()).seq, i64::try_from(ledger.len()).unwrap(), "nothing has moved");
    history.buy(50, 9_999, Some(300));
    let item = history.world.item(&tea());
    assert_eq!((shown.after.quantity, shown.after.value), (item.quantity, item.value));
    let after = history.world.ledger(&tea());
    let revalued: Vec<(i64, i64)> =
        after.iter().skip(ledger.len() + 1).map(|row| (row.source.unwrap(), row.value)).collect();
    assert_eq!(shown.revalued, revalued);
    assert_eq!(shown.revalued.len(), 300);
    assert!(preview(known.before, later, &[NewRow { quantity: -100_000, cost: None }], at).is_err());
    assert_eq!(rows_of(&after).len(), ledger.len() + 1);
}

/// A history that is out of date, or wrong, is never believed.
#[test]
fn histories_are_checked() {
    let mut history = History::new();
    let at = START.plus_secs(60 * 1_700);
    let question = HistoryQuestion { item: tea(), at, sources: Vec::new() };
    let known = ItemHistory::of(&question, &history.world.ledger(&tea()));
    history.world.clock(60);
    history.sell();
    let cost = Some(LineCost::Amount(100));
    let line = DocumentLine { cost, ..DocumentLine::new(product("tea"), 1) };
    let header = DocumentHeader { effective_at: Some(at), ..DocumentHeader::new(DocumentKind::Purchase, store("a")) };
    let content = DocumentContent::new(header, vec![line]).unwrap();
    let post = PostDocument::whole(document(9_000), content);
    let mut ask = |histories: Vec<ItemHistory>| history.world.run_knowing(&post, Histories::new(histories));
    assert_eq!(ask(Vec::new()).unwrap_err(), std::slice::from_ref(&question));
    let Later::Rows(mut rows) = known.later.clone() else { panic!("few rows") };
    rows.pop();
    assert_eq!(ask(vec![ItemHistory { later: Later::Rows(rows), ..known.clone() }]).unwrap_err(), [question]);
    // What was sold since is looked at in the turn.
    ask(vec![known]).unwrap().unwrap();
    let act = Act::In { item: tea(), quantity: 1, cost: Fraction::whole(100) };
    history.papers.push((at.micros(), Paper::Acts(vec![act])));
    let keys = [tea(), on_hand("b", "tea")];
    history.world.revalue_all(&keys);
    history.check();
}

/// Goods are sold faster than a long history is read: what is newer is added in the turn.
#[test]
fn long_histories_may_be_a_little_old() {
    let mut history = History::new();
    let at = START.plus_secs(60 * 100);
    let question = HistoryQuestion { item: tea(), at, sources: Vec::new() };
    let known = ItemHistory::of(&question, &history.world.ledger(&tea()));
    assert!(matches!(known.later, Later::Many { .. }));
    history.world.clock(60);
    history.sell();
    let all = history.world.item(&tea()).quantity;
    let post = |number: u64, quantity: i64| {
        let line = DocumentLine::new(product("tea"), quantity);
        let header =
            DocumentHeader { effective_at: Some(at), ..DocumentHeader::new(DocumentKind::WriteOff, store("a")) };
        let content = DocumentContent::new(header, vec![line]).unwrap();
        PostDocument::whole(document(number), content)
    };
    let known = Histories::new(vec![known]);
    let short = history.world.run_knowing(&post(9_000, all + 1), known.clone()).unwrap().unwrap_err();
    assert!(matches!(short, StockRefusal::InsufficientStock { .. }), "{short}");
    history.world.run_knowing(&post(9_001, all), known).unwrap().unwrap();
    history.papers.push((at.micros(), Paper::Acts(vec![Act::Out { item: tea(), quantity: all }])));
    assert_eq!(history.world.item(&tea()).quantity, 0);
    let keys = [tea(), on_hand("b", "tea")];
    history.world.check(&keys);
    history.world.revalue_all(&keys);
    history.check();
}

/// Tills tell what they sold by their own clocks, many at once: what each of them has looked up stays good when others were
/// faster.
#[test]
fn late_documents_do_not_make_each_other_look_again() {
    for (minutes_ago, buys) in [(20, true), (1_700, false)] {
        let mut history = History::new();
        let ledger = history.world.ledger(&tea());
        let mut late = Vec::new();
        for number in 0..10 {
            // In any order.
            let at = history.world.now.plus_secs(-60 * minutes_ago + number * 7 % 10);
            let question = HistoryQuestion { item: tea(), at, sources: Vec::new() };
            late.push((number, at, ItemHistory::of(&question, &ledger)));
        }
        for (number, at, known) in late {
            let (kind, line, act) = if buys && number % 2 == 0 {
                let cost = Fraction::whole(100 + number);
                (DocumentKind::Purchase, bought("tea", 3, 100 + number), Act::In { item: tea(), quantity: 3, cost })
            } else {
                let line = DocumentLine::new(product("tea"), 1);
                (DocumentKind::Sale, line, Act::Out { item: tea(), quantity: 1 })
            };
            let header = DocumentHeader { effective_at: Some(at), ..DocumentHeader::new(kind, store("a")) };
            let content = DocumentContent::new(header, vec![line]).unwrap();
            let id = document(9_000 + u64::try_from(number).unwrap());
            let known = Histories::new(vec![known]);
            history.world.run_knowing(&PostDocument::whole(id, content), known).unwrap().unwrap();
            history.papers.push((at.micros(), Paper::Acts(vec![act])));
        }
        let keys = [tea(), on_hand("b", "tea")];
        history.world.check(&keys);
        history.world.revalue_all(&keys);
        history.check();
    }
}

/// A van is emptied every night: each of its journeys costs something else, and each is revalued once or twice, not once for
/// every journey before it.
#[test]
fn goods_that_go_back_and_forth_are_not_revalued_again_and_again() {
    const JOURNEYS: usize = 60;
    let mut world = World::new();
    let keys = [tea(), on_hand("b", "tea")];
    world.say("buy a tea 10 1000 at -60");
    world.say("buy b tea 1 77 at -60");
    for _ in 0..JOURNEYS {
        world.clock(60);
        world.say("move a b tea 9");
        world.clock(60);
        world.say("move b a tea 9");
    }
    let rows = |world: &mut World| keys.iter().map(|key| world.ledger(key).len()).sum::<usize>();
    let before = rows(&mut world);
    world.say("buy a tea 10 3000 at -50");
    world.say("scrap a tea 10 at -50");
    world.revalue_in_turn(&keys);
    world.check(&keys);
    // Each journey is two rows here and two there; each of the two documents changes them.
    let written = rows(&mut world) - before;
    assert!(written <= 2 * 6 * JOURNEYS + 10, "{written} rows");
}

/// More than may be there was there once, as is known by now: costs are worked out all the same.
#[test]
fn a_peak_in_the_past_stands_in_nobodys_way() {
    let mut world = World::new();
    for _ in 0..4 {
        assert!(world.say("buy a tea 1000 1000000000000").starts_with("+1000 for"));
        world.clock(120);
    }
    world.say("sell a tea 3400");
    for _ in 0..510 {
        world.clock(60);
        world.say("sell a tea 1");
    }
    assert!(world.say("buy a tea 500 1000000000000 at 1").starts_with("+500 for"));
    assert!(world.item(&tea()).revaluing.is_some());
    world.revalue_all(&[tea()]);
    world.check(&[tea()]);
    assert_eq!(world.item(&tea()).quantity, 600 - 510 + 500);
}

/// One document in the past of several items: what is worked out at once is bounded for all of them together.
#[test]
fn what_is_worked_out_at_once_is_bounded() {
    let mut world = World::new();
    let buy =
        |code: &str| DocumentLine { cost: Some(LineCost::Amount(100)), ..DocumentLine::new(product(code), 1_000) };
    let header = |kind| DocumentHeader::new(kind, store("a"));
    world.post(header(DocumentKind::Purchase), vec![buy("tea"), buy("cup")]).unwrap();
    for _ in 0..300 {
        world.clock(60);
        let lines = ["tea", "cup"].map(|code| DocumentLine::new(product(code), 1));
        world.post(header(DocumentKind::Sale), lines.to_vec()).unwrap();
    }
    let past = DocumentHeader { effective_at: Some(START), ..header(DocumentKind::Purchase) };
    world.post(past, vec![buy("tea"), buy("cup")]).unwrap();
    let keys = [on_hand("a", "cup"), tea()];
    assert_eq!(keys.clone().map(|key| world.item(&key).revaluing.is_some()), [false, true]);
    world.revalue_all(&keys);
    let [cup, tea] = keys.map(|key| world.item(&key));
    assert_eq!((cup.quantity, cup.value), (tea.quantity, tea.value));
}

/// Whatever is wrong with a ledger is found.
#[test]
fn a_ledger_that_was_tampered_with() {
    let mut world = World::new();
    for sentence in ["buy a tea 3 1000", "sell a tea 2", "return a 2 1 1", "buy a tea 3 700 at -1"] {
        world.say(sentence);
    }
    let ledger = world.ledger(&tea());
    assert_eq!(replay(&ledger, false).map(|sum| sum.quantity), Ok(5));
    let check = |change: &dyn Fn(&mut Vec<surehold_core::stock::Move>), expected: LedgerFault| {
        let mut ledger = ledger.clone();
        change(&mut ledger);
        assert_eq!(replay(&ledger, false), Err(expected));
    };
    check(&|ledger| drop(ledger.remove(1)), LedgerFault::Missing { seq: 2 });
    check(&|ledger| ledger[1].quantity = -1, LedgerFault::After { seq: 2, quantity: 2, value: 333_333_333 });
    check(&|ledger| ledger[2].source = None, LedgerFault::Source { seq: 3 });
    check(&|ledger| ledger[2].source = Some(3), LedgerFault::Source { seq: 3 });
    // Cheaper than it was, and dearer what is left.
    let cheaper = |ledger: &mut Vec<surehold_core::stock::Move>| {
        ledger[1].value += 1;
        ledger[1..].iter_mut().for_each(|row| row.value_after += 1);
    };
    assert!(matches!(
        replay(
            &{
                let mut ledger = ledger.clone();
                cheaper(&mut ledger);
                ledger
            },
            false
        ),
        Err(LedgerFault::Cost { seq: 2, .. })
    ));
    assert!(
        replay(
            &{
                let mut ledger = ledger.clone();
                cheaper(&mut ledger);
                ledger
            },
            true
        )
        .is_ok()
    );
    // Sold before it came, and what follows from that.
    let early = START.plus_secs(-3_600);
    let sold_early = |ledger: &mut Vec<surehold_core::stock::Move>| {
        let about_it = |row: &&mut surehold_core::stock::Move| {
            row.key.seq == 2 || (row.basis == Basis::Revaluation && row.source == Some(2))
        };
        ledger.iter_mut().filter(about_it).for_each(|row| row.effective_at = early);
    };
    check(&sold_early, LedgerFault::Short { seq: 2, quantity: -2 });
    // Returned before it was sold; a revaluation at another instant than its row.
    check(&|ledger| ledger[2].effective_at = early, LedgerFault::Before { seq: 3 });
    check(&|ledger| ledger[4].effective_at = early, LedgerFault::Before { seq: 5 });
    // More returned than was sold.
    let too_many = |ledger: &mut Vec<surehold_core::stock::Move>| {
        ledger[2].quantity += 2;
        ledger[2..].iter_mut().for_each(|row| row.quantity_after += 2);
    };
    check(&too_many, LedgerFault::Left { seq: 3, left: 2 });
    check(&|ledger| ledger[3].value = i64::MAX, LedgerFault::OutOfRange { seq: 4 });
}

fn bought(code: &str, count: i64, amount: i64) -> DocumentLine {
    DocumentLine { cost: Some(LineCost::Amount(amount)), ..DocumentLine::new(product(code), count) }
}

/// What is short when it begins refuses it; what gets short meanwhile stays.
#[test]
fn long_documents_are_reversed_part_by_part() {
    let mut world = World::new();
    let piece =
        |serial: &str| DocumentLine { serials: vec![SerialCode::new(serial).unwrap()], ..bought("phone", 1, 900) };
    let milk = DocumentLine { lot: LotCode::new("x").ok(), ..bought("milk", 2, 200) };
    let first = vec![bought("tea", 10, 1_000), milk];
    let parts = [first, vec![bought("cup", 5, 500), bought("tea", 10, 2_000)], vec![piece("x1"), piece("x2")]];
    world.save_long(1, DocumentHeader::new(DocumentKind::Purchase, store("a")), &parts);
    world.documents = 1;
    // One of the pieces is here already, and left out.
    world.say("buy-pieces b phone 900 x2");
    world.post_long(1);
    world.clock(60);

    world.say("sell a cup 1");
    world.say("hold a tea 1");
    let short = world.reverse(1, None).unwrap_err();
    let told = "not enough: a/cup (5 asked, 4 available, 0 promised to others), \
                a/tea (20 asked, 19 available, 1 promised to others)";
    assert_eq!(short.to_string(), told);
    world.say("undo 3");
    world.clock(600);
    let early = world.reverse(1, Some(START)).unwrap_err();
    assert_eq!(early.to_string(), "a long document is reversed part by part, and not in the past");
    // The hold has lapsed.
    let reply = world.reverse(1, None).unwrap();
    let reversal = world.documents;
    assert_eq!((reply.document.state, reply.document.parts, reply.document.lines), (DocumentState::Posting, 3, 6));
    let reversed = world.get::<StockDocument>(&document(1)).unwrap();
    assert_eq!((reversed.state, reversed.reversed_by), (DocumentState::Reversed, Some(document(reversal))));
    assert!(matches!(world.reverse(1, None), Err(StockRefusal::DocumentState { .. })));
    let busy = world.run(&CloseBooks { until: START }).unwrap_err();
    assert_eq!(busy, StockRefusal::BooksBusy { posting: 1, revaluing: 0 });

    // The last part is moved back first. Goods are sold and held meanwhile.
    world.run_part(reversal, 0);
    assert_eq!(world.item(&on_hand("a", "phone")).quantity, 0);
    world.say("sell a tea 5");
    world.say("hold a cup 1");
    world.run_part(reversal, 1);
    world.run_part(reversal, 2);
    let told = [
        "-1 for 900",
        "+0 for 0",
        "not enough: a/cup (5 asked, 4 available, 1 promised to others)",
        "-10 for 2000",
        "not enough: a/tea (10 asked, 5 available, 0 promised to others)",
        "-2 for 200",
    ];
    assert_eq!(world.outcomes(reversal), told.join("; "));
    let posted = world.get::<StockDocument>(&document(reversal)).unwrap();
    assert_eq!((posted.state, posted.skipped, money(posted.cost)), (DocumentState::Posted, 2, "3100".to_owned()));
    let lines: Vec<u32> = world.ledger(&on_hand("a", "tea")).iter().map(|row| row.line).collect();
    assert_eq!(lines, [1, 4, 1, 4], "rows bear the numbers of the lines");
    let left = "+0 for 0; a/tea 5 worth 250, a/cup 5 worth 500, a/milk 0 worth 0, a/phone 0 worth 0";
    assert_eq!(world.say("count a tea 5"), left);
    world.run(&CloseBooks { until: START }).unwrap();
    let again = world.reverse(reversal, None).unwrap_err();
    assert_eq!(again.to_string(), "a reversal cannot be reversed");
}

/// Somebody gave up a part: the document stays as it is, and so do the books, until it is done anew.
#[test]
fn a_long_document_goes_on_where_it_was_given_up() {
    let mut world = World::new();
    let header = DocumentHeader::new(DocumentKind::Purchase, store("a"));
    world.save_long(1, header, &[vec![bought("tea", 1, 100)], vec![bought("cup", 1, 100)]]);
    world.run(&PostDocument::saved(document(1))).unwrap();
    world.run_part(1, 0);
    let key = POST_DOCUMENT.key(&[&document(1).to_string(), "1"]).unwrap();
    let (actor, reason) = (Actor::new("somebody").unwrap(), Reason::new("by mistake").unwrap());
    world.run(&CancelOperation { key: key.clone(), actor: actor.clone(), reason: reason.clone() }).unwrap();
    let busy = world.run(&CloseBooks { until: START }).unwrap_err();
    assert_eq!(busy, StockRefusal::BooksBusy { posting: 1, revaluing: 0 });
    world.run(&RedriveOperation { key, kind: &POST_DOCUMENT, actor, reason }).unwrap();
    world.run_part(1, 1);
    assert_eq!(world.get::<StockDocument>(&document(1)).unwrap().state, DocumentState::Posted);
    world.run(&CloseBooks { until: START }).unwrap();
}

/// Of very many products only the first are looked at before it begins: the others are looked at one by one.
#[test]
fn reversing_very_many_products() {
    let mut world = World::new();
    let code = |number: usize| format!("p{number:04}");
    for number in 0..1_200 {
        let (title, unit) = (Title::new("Product").unwrap(), UnitName::new("pcs").unwrap());
        world.run(&PutProduct::new(product(&code(number)), title, unit)).unwrap();
    }
    let part = |first: usize| (first..first + 200).map(|number| bought(&code(number), 1, 100)).collect();
    let parts: Vec<Vec<DocumentLine>> = (0..6).map(|number| part(200 * number)).collect();
    world.save_long(1, DocumentHeader::new(DocumentKind::Purchase, store("a")), &parts);
    world.documents = 1;
    world.post_long(1);
    world.clock(60);
    world.say("sell a p0999 1");
    let short = world.reverse(1, None).unwrap_err();
    assert_eq!(short.to_string(), "not enough: a/p0999 (1 asked, 0 available, 0 promised to others)");
    world.say("undo 2");
    world.say("sell a p1000 1");
    world.reverse(1, None).unwrap();
    let reversal = world.documents;
    for part in 0..6 {
        world.run_part(reversal, part);
    }
    let reversed = world.get::<StockDocument>(&document(reversal)).unwrap();
    assert_eq!((reversed.state, reversed.lines, reversed.skipped), (DocumentState::Posted, 1_200, 1));
}

/// What a count cost has changed since, and an operation cannot look that up: it is worked out later.
#[test]
fn a_long_count_is_reversed_for_what_it_costs_by_now() {
    let mut world = World::stored();
    world.say("buy a tea 10 1000 at -60");
    world.say("buy a cup 1 100 at -60");
    let counted = |code: &str, count| {
        let against = Some(Against { seq: 1, difference: false });
        DocumentLine { against, ..DocumentLine::new(product(code), count) }
    };
    let header = DocumentHeader::new(DocumentKind::Recount, store("a"));
    world.save_long(50, header, &[vec![counted("tea", 8)], vec![counted("cup", 2)]]);
    world.post_long(50);
    assert_eq!(world.outcomes(50), "-2 for 200; +1 for 100");
    world.say("buy a tea 10 3000 at -30");
    world.clock(60);
    world.reverse(50, None).unwrap();
    let reversal = world.documents;
    world.run_part(reversal, 0);
    world.run_part(reversal, 1);
    let keys = [tea(), on_hand("a", "cup")];
    assert_eq!(keys.clone().map(|key| world.item(&key).revaluing.is_some()), [true, false]);
    world.check(&keys);
    world.revalue_all(&keys);
    world.check(&keys);
    let [tea, cup] = keys.map(|key| world.item(&key));
    assert_eq!((tea.quantity, money(tea.value), money(cup.value)), (20, "4000".to_owned(), "100".to_owned()));
}
