//! A small world in which all is well, and lies about it: each is found by the rule that is about it.

use super::*;
use crate::torture::history::{EventSeen, PoolSeen};
use crate::torture::stock::book::{ClerkAnswer, CountedAgainst, LeftSeen, LineSeen, OutcomeSeen, PaperLine};

fn id(number: u128) -> Uuid {
    Uuid::from_u128(number)
}

fn entry(kind: Kind, ask: ClerkAsk, document: Option<DocumentSeen>) -> ClerkEntry {
    let error = (kind != Kind::Ok).then(|| "insufficient-stock".to_owned());
    let answer = (kind == Kind::Ok).then(|| ClerkAnswer { document, ..ClerkAnswer::default() });
    ClerkEntry { index: 0, process: 0, kind, ask, answer, error, node: 0, time: 0 }
}

fn paper(kind: &str, count: i64) -> Paper {
    let line = PaperLine { product: Some("tea".to_owned()), count, ..PaperLine::default() };
    Paper { kind: kind.to_owned(), store: "shop".to_owned(), lines: vec![line], ..Paper::default() }
}

fn bought(count: i64, amount: i64, extra: i64) -> Paper {
    let mut paper = Paper { extra: Some(extra), ..paper("purchase", count) };
    paper.lines[0].amount = Some(amount);
    paper
}

fn back(about: u128, count: i64) -> Paper {
    let line = PaperLine { of_line: Some(1), count, ..PaperLine::default() };
    Paper { about: Some(id(about)), lines: vec![line], ..paper("customer_return", 0) }
}

fn counted(count: i64, seq: i64) -> Paper {
    let mut paper = paper("recount", count);
    paper.lines[0].against = Some(CountedAgainst { seq, difference: false });
    paper
}

fn seen(number: u128, kind: &str, quantity: i64, value: &str, seq: i64) -> DocumentSeen {
    let left = (kind == "sale").then_some(LeftSeen { quantity: -quantity });
    let outcome = OutcomeSeen { quantity, value: value.to_owned(), seq, left, ..OutcomeSeen::default() };
    let line = LineSeen { line: 1, product: Some("tea".to_owned()), outcome: Some(outcome) };
    let state = "posted".to_owned();
    DocumentSeen { id: id(number), kind: kind.to_owned(), state, lines: vec![line], ..DocumentSeen::default() }
}

fn row(seq: i64, document: u128, basis: &str, moved: (i64, &str), after: (i64, &str)) -> RowSeen {
    let balance = BalanceSeen { quantity: after.0, value: after.1.to_owned() };
    RowSeen {
        seq,
        document: id(document),
        line: 1,
        basis: basis.to_owned(),
        quantity: moved.0,
        value: moved.1.to_owned(),
        balance,
        ..RowSeen::default()
    }
}

fn event(cursor: &str, body: &serde_json::Value) -> EventSeen {
    serde_json::from_value(serde_json::json!({
        "cursor": cursor, "at": 1_000_000, "body": body
    }))
    .unwrap()
}

/// Three were bought for 10, one was sold, returned and sold again, one was counted too much; one sale was refused.
fn world() -> (Vec<ClerkEntry>, StockState) {
    let mut sale = seen(2, "sale", -1, "-3.333333", 2);
    sale.lines[0].outcome.as_mut().unwrap().left = Some(LeftSeen { quantity: 0 });
    let documents = [
        (seen(1, "purchase", 3, "10", 1), bought(3, 8, 2)),
        (sale, paper("sale", 1)),
        (seen(3, "customer_return", 1, "3.333333", 3), back(2, 1)),
        (seen(4, "recount", 1, "3.333333", 4), counted(4, 3)),
        (seen(5, "sale", -2, "-6.666666", 5), paper("sale", 2)),
    ];
    let mut history: Vec<ClerkEntry> = Vec::new();
    for (document, paper) in &documents {
        let ask = ClerkAsk::Document { document: document.id, paper: paper.clone() };
        history.push(entry(Kind::Invoke, ask.clone(), None));
        history.push(entry(Kind::Ok, ask, Some(document.clone())));
    }
    let refused = ClerkAsk::Document { document: id(6), paper: paper("sale", 9) };
    history.push(entry(Kind::Fail, refused, None));
    let posted = vec![
        row(1, 1, "given", (3, "10"), (3, "10")),
        row(2, 2, "average", (-1, "-3.333333"), (2, "6.666667")),
        row(3, 3, "source", (1, "3.333333"), (3, "10")),
        row(4, 4, "average", (1, "3.333333"), (4, "13.333333")),
        row(5, 5, "average", (-2, "-6.666666"), (2, "6.666667")),
    ];
    let item = ItemSeen {
        store: "shop".to_owned(),
        product: "tea".to_owned(),
        place: "on_hand".to_owned(),
        quantity: 2,
        value: "6.666667".to_owned(),
        seq: 5,
        revaluing: false,
    };
    let mut all: BTreeMap<Uuid, Option<DocumentSeen>> =
        documents.into_iter().map(|(document, _)| (document.id, Some(document))).collect();
    all.insert(id(6), None);
    let cards = vec![Card { item, by_effect: posted.clone(), posted }];
    let mut state = StockState { documents: all, cards, ..StockState::default() };
    state.stores.settled = true;
    tell_pools(&mut state, &[3, 2, 3, 4, 2], &["purchase", "sale", "customer_return", "recount", "sale"]);
    (history, state)
}

/// What the feed tells of the pool, document by document.
fn tell_pools(state: &mut StockState, totals: &[i64], kinds: &[&str]) {
    let pool = serde_json::json!({ "resource": "shop/tea", "slot": "" });
    state.stores.events.clear();
    for (seq, (total, kind)) in (1..).zip(totals.iter().zip(kinds)) {
        let changed = serde_json::json!({ "type": "pool_changed", "pool": pool, "version": seq, "total": total,
            "overbook": 0, "granted": 0, "closed": false });
        let told = serde_json::json!({ "type": "document_posted", "kind": kind });
        state.stores.events.push(event(&format!("{seq}-0"), &changed));
        state.stores.events.push(event(&format!("{seq}-1"), &told));
    }
    let (total, version) = (totals.last().copied().unwrap_or(0), i64::try_from(totals.len()).unwrap());
    let seen = PoolSeen {
        name: "shop/tea".to_owned(),
        total,
        overbook: 0,
        held: 0,
        booked: 0,
        granted: 0,
        oversold: 0,
        closed: false,
        version,
    };
    state.stores.pools = BTreeMap::from([("shop/tea".to_owned(), seen)]);
}

fn rules(history: &[ClerkEntry], state: &StockState) -> Vec<&'static str> {
    judge_stock(history, state).0.counts.into_keys().collect()
}

#[test]
fn all_is_well() {
    let (history, state) = world();
    let (verdict, checked) = judge_stock(&history, &state);
    assert!(verdict.is_clean(), "{verdict:?}");
    assert_eq!((checked.documents, checked.rows, checked.recounts), (5, 5, 1));
}

/// What is changed, and the rule that must notice.
type Lie = (&'static str, fn(&mut Vec<ClerkEntry>, &mut StockState));

const LIES: &[Lie] = &[
    ("clerk-told", |_, state| drop(state.documents.insert(id(2), None))),
    ("clerk-told", |_, state| drop(state.documents.insert(id(6), Some(seen(6, "sale", -9, "-9", 9))))),
    ("clerk-told", |_, state| document(state, 1).state = "draft".to_owned()),
    ("clerk-told", |_, state| outcome(state, 5).value = "-6.666667".to_owned()),
    ("clerk-told", |history, _| {
        let answer = history[1].answer.as_mut().unwrap().document.as_mut().unwrap();
        answer.lines[0].outcome.as_mut().unwrap().seq = 2;
    }),
    ("posted-once", |_, state| {
        let again = RowSeen { seq: 6, ..state.cards[0].posted[1].clone() };
        state.cards[0].posted.push(again);
    }),
    ("posted-once", |_, state| drop(state.cards[0].posted.pop())),
    ("posted-once", |_, state| state.cards[0].posted[0].document = id(77)),
    ("posted-as-asked", |_, state| outcome(state, 1).quantity = 4),
    // Without what the freight cost.
    ("posted-as-asked", |_, state| outcome(state, 1).value = "8".to_owned()),
    ("posted-as-asked", |_, state| outcome(state, 1).value = "x".to_owned()),
    // Its second part moved nothing.
    ("posted-as-asked", |history, _| {
        let lines = bought(1, 1, 0).lines;
        history.push(entry(Kind::Ok, ClerkAsk::Part { document: id(1), number: 1, lines }, None));
    }),
    // Counted when others were there: what was found then is not what moved; or it is, and nobody asked for the difference.
    ("posted-as-asked", |history, _| count_against(history, 2, 4)),
    ("posted-as-asked", |history, _| count_against(history, 2, 3)),
    ("returned-twice", |_, state| outcome(state, 2).left = Some(LeftSeen { quantity: 1 })),
    ("stock-adds-up", |_, state| state.cards[0].item.quantity = 3),
    ("stock-adds-up", |_, state| state.cards[0].posted[3].balance.value = "13.333332".to_owned()),
    ("stock-adds-up", |_, state| state.cards[0].posted[4].value = "x".to_owned()),
    ("stock-adds-up", |_, state| tell_pools(state, &[3, 2, 3, 4, 3], &["sale"; 5])),
    ("stock-cost", |_, state| state.cards[0].by_effect[4].value = "-6.666667".to_owned()),
    ("stock-cost", |_, state| drop(state.cards[0].by_effect.pop())),
    ("converged", |_, state| state.unfinished.push("the posting of 1 document".to_owned())),
    ("defect-answers", |history, _| history[10].error = Some("changed".to_owned())),
];

fn count_against(history: &mut [ClerkEntry], seq: i64, count: i64) {
    for entry in history.iter_mut() {
        if let ClerkAsk::Document { paper, .. } = &mut entry.ask
            && paper.kind == "recount"
        {
            paper.lines[0].count = count;
            paper.lines[0].against = Some(CountedAgainst { seq, difference: false });
        }
    }
}

fn document(state: &mut StockState, number: u128) -> &mut DocumentSeen {
    state.documents.get_mut(&id(number)).unwrap().as_mut().unwrap()
}

fn outcome(state: &mut StockState, number: u128) -> &mut OutcomeSeen {
    document(state, number).lines[0].outcome.as_mut().unwrap()
}

#[test]
fn lies_are_found() {
    for (number, (rule, lie)) in LIES.iter().enumerate() {
        let (mut history, mut state) = world();
        lie(&mut history, &mut state);
        let found = rules(&history, &state);
        assert!(found.contains(rule), "lie {number}: {rule} in {found:?}");
    }
}

#[test]
fn long_documents_are_known_with_all_their_parts() {
    let lines = |count: i64| bought(count, 1, 0).lines;
    let draft = ClerkAsk::Draft { document: id(7), paper: bought(1, 1, 5) };
    let part = |number: u32, count: i64| ClerkAsk::Part { document: id(7), number, lines: lines(count) };
    let asks = [draft, part(2, 3), part(1, 2), part(1, 2)];
    let history: Vec<ClerkEntry> = asks.into_iter().map(|ask| entry(Kind::Invoke, ask, None)).collect();
    let counts: Vec<i64> = papers(&history)[&id(7)].lines.iter().map(|line| line.count).collect();
    assert_eq!(counts, [1, 2, 3]);
}

#[test]
fn decimals() {
    let cases = [
        ("0", Some(0)),
        ("3.333333", Some(3_333_333)),
        ("-0.5", Some(-500_000)),
        ("12", Some(12_000_000)),
        ("", None),
        ("1.", Some(1_000_000)),
        ("1.1234567", None),
        ("1e3", None),
    ];
    for (text, expected) in cases {
        assert_eq!(micros(text), expected, "{text}");
    }
}
