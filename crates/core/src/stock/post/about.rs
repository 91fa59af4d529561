//! The document that another one is about: the sale that is returned, the transfer that is received. Each of its lines
//! remembers what is left of it.

use std::collections::BTreeMap;

use super::ledger::ask;
use super::lots::{join_picks, split_picks};
use super::{Decision, Ledger};
use crate::kernel::{Facts, Invalid, Timestamp};
use crate::stock::history::{HistoryQuestion, SourceNow};
use crate::stock::refusal::LeftLine;
use crate::stock::rules::Balance;
use crate::stock::{
    DocumentHeader, DocumentId, DocumentKind, DocumentLine, DocumentPart, DocumentState, ItemKey, LineOutcome, LotPick,
    PartKey, ProductCode, StockDocument, StockInvalid, StockRefusal, StoreName,
};

#[derive(Clone, Debug)]
pub(in crate::stock) struct About {
    pub(in crate::stock) document: StockDocument,
    pub(in crate::stock) lines: Vec<DocumentLine>,
    pub(in crate::stock) outcomes: Vec<LineOutcome>,
}

impl About {
    /// Refuses, in this order: no such document; not posted; a kind that cannot be meant; another store; an effect before
    /// its own.
    pub(in crate::stock) fn load(
        facts: &mut Facts,
        header: &DocumentHeader,
        effective_at: Timestamp,
    ) -> Decision<About> {
        let id = header.about.expect("checked with the header");
        let about = About::of(facts, id)?;
        let kind = about.document.header.kind;
        let meant = match header.kind {
            DocumentKind::CustomerReturn => kind == DocumentKind::Sale,
            DocumentKind::Receipt | DocumentKind::TransitLoss => {
                kind == DocumentKind::Transfer && about.document.header.in_transit
            }
            DocumentKind::Reversal => kind != DocumentKind::Reversal,
            DocumentKind::Purchase
            | DocumentKind::Sale
            | DocumentKind::SupplierReturn
            | DocumentKind::WriteOff
            | DocumentKind::Opening
            | DocumentKind::Recount
            | DocumentKind::Transfer => false,
        };
        let is_arrival = matches!(header.kind, DocumentKind::Receipt | DocumentKind::TransitLoss);
        if is_arrival && kind == DocumentKind::Transfer && !meant {
            return Err(StockRefusal::AboutArrived { document: id, kind }.into());
        }
        if !meant {
            return Err(StockRefusal::AboutKind { document: id, kind }.into());
        }
        let store = about.goes_to(header.kind);
        if *store != header.store {
            return Err(StockRefusal::AboutStore { document: id, store: store.clone() }.into());
        }
        about.require_order(effective_at)?;
        Ok(about)
    }

    /// What is about a document takes effect after it, and after everything else that is about it: so what is left of its
    /// lines is the same in the order of posting and in the order of effect.
    pub(in crate::stock) fn require_order(&self, effective_at: Timestamp) -> Decision<()> {
        match self.document.followed_from() {
            Some(from) if effective_at < from => {
                Err(StockRefusal::EffectiveBefore { document: self.document.id, effective_at: from }.into())
            }
            Some(_) | None => Ok(()),
        }
    }

    fn of(facts: &mut Facts, id: DocumentId) -> Decision<About> {
        let about = About::part(facts, PartKey { document: id, number: 0 })?;
        if about.document.state != DocumentState::Posted {
            return Err(StockRefusal::DocumentState { document: id, document_state: about.document.state }.into());
        }
        Ok(about)
    }

    /// A part of a document, in whatever state that is.
    pub(in crate::stock) fn part(facts: &mut Facts, key: PartKey) -> Decision<About> {
        let id = key.document;
        let (document, part) = (facts.require::<StockDocument>([&id]), facts.require::<DocumentPart>([&key]));
        document.and(part)?;
        let document = facts.get::<StockDocument>(&id)?.ok_or(StockRefusal::DocumentNotFound { document: id })?.clone();
        let missing = StockRefusal::PartMissing { document: id, part: key.number };
        let part = facts.get::<DocumentPart>(&key)?.ok_or(missing)?;
        Ok(About { lines: part.lines.to_vec(), outcomes: part.outcomes.to_vec(), document })
    }

    fn goes_to(&self, kind: DocumentKind) -> &StoreName {
        let arrives = matches!(kind, DocumentKind::Receipt | DocumentKind::TransitLoss);
        let to_store = self.document.header.to_store.as_ref().filter(|_| arrives);
        to_store.unwrap_or(&self.document.header.store)
    }

    pub(in crate::stock) fn index(&self, line: u32) -> Decision<usize> {
        let index = usize::try_from(line).ok().and_then(|line| line.checked_sub(1));
        let known = index.filter(|index| *index < self.outcomes.len());
        Ok(known.ok_or(StockRefusal::AboutLine { document: self.document.id, line })?)
    }

    pub(in crate::stock) fn product(&self, index: usize) -> &ProductCode {
        self.lines[index].product.as_ref().expect("only lines with products are meant")
    }

    /// Puts what is left by now where it can be relied on. Refuses lines that want more than that, then asks for what is
    /// not known.
    pub(in crate::stock) fn bring_up_to_date(
        &mut self,
        ledger: &mut Ledger<'_>,
        wanted: &[DocumentLine],
        source_of: impl Fn(&About, usize) -> (ItemKey, i64),
    ) -> Decision<()> {
        let mut sums: BTreeMap<u32, i64> = BTreeMap::new();
        for line in wanted {
            let sum = sums.entry(line.of_line.unwrap_or(0)).or_insert(0);
            *sum = sum.strict_add(line.count);
        }
        let mut short = Vec::new();
        for (&line, &asked) in &sums {
            let left = self.outcomes[self.index(line)?].left.quantity;
            if left < asked {
                short.push(LeftLine { line, asked, left });
            }
        }
        if !short.is_empty() {
            return Err(StockRefusal::MoreThanLeft { document: self.document.id, left: short }.into());
        }
        let mut questions = Questions::default();
        for &line in sums.keys() {
            let index = self.index(line)?;
            let (key, seq) = source_of(self, index);
            let outcome = &self.outcomes[index];
            let written = SourceNow { seq, cost: outcome.value.saturating_abs(), left: outcome.left };
            match ledger.source_now(&key, written, outcome.left_as_of)? {
                Ok(now) => self.outcomes[index].left = now.left,
                Err(question) => questions.add(question),
            }
        }
        questions.ask(ledger.facts)
    }

    /// Takes units from what is left of a line, at their share of its cost. Tells that, and their lots.
    pub(in crate::stock) fn take(&mut self, index: usize, quantity: i64) -> (i64, Vec<LotPick>) {
        let outcome = &mut self.outcomes[index];
        let (cost, rest) = outcome.left.take(quantity);
        let (picks, others) = split_picks(&outcome.left_picks, quantity);
        (outcome.left, outcome.left_picks) = (rest, others);
        (cost, picks)
    }

    pub(in crate::stock) fn put_back(&mut self, index: usize, quantity: i64, cost: i64, picks: &[LotPick]) {
        let outcome = &mut self.outcomes[index];
        let Balance { quantity: units, value } = outcome.left;
        outcome.left = Balance { quantity: units.strict_add(quantity), value: value.strict_add(cost) };
        outcome.left_picks = join_picks(&outcome.picks, &outcome.left_picks, picks);
    }

    /// Pieces come back by the line that they left by.
    pub(in crate::stock) fn require_pieces_of(&self, index: usize, number: u32, line: &DocumentLine) -> Decision<()> {
        match line.serials.iter().find(|serial| !self.lines[index].serials.contains(serial)) {
            None => Ok(()),
            Some(stranger) => {
                let reason = format!("{stranger} did not move in the line that it is about");
                Err(StockRefusal::from(Invalid::from(StockInvalid::Document { line: number, reason })).into())
            }
        }
    }

    /// Writes down what is left, and that one more document (or one less) is about this one.
    pub(in crate::stock) fn keep(self, facts: &mut Facts, follower: Follower, at: Timestamp) -> Decision<()> {
        let id = self.document.id;
        let part = facts.get_mut::<DocumentPart>(&PartKey { document: id, number: 0 })?.expect("read before");
        part.outcomes = self.outcomes.into();
        let document = facts.get_mut::<StockDocument>(&id)?.expect("read before");
        document.followers = match follower {
            Follower::Comes => document.followers.strict_add(1),
            Follower::Goes => document.followers.strict_sub(1),
        };
        document.followed_at = document.followed_at.max(Some(at));
        Ok(())
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::stock) enum Follower {
    Comes,
    Goes,
}

/// What has to be looked up, one question for each item.
#[derive(Debug, Default)]
pub(super) struct Questions(BTreeMap<ItemKey, HistoryQuestion>);

impl Questions {
    pub(super) fn add(&mut self, question: HistoryQuestion) {
        match self.0.get_mut(&question.item) {
            Some(known) => known.sources.extend(question.sources),
            None => drop(self.0.insert(question.item.clone(), question)),
        }
    }

    pub(super) fn ask(self, facts: &mut Facts) -> Decision<()> {
        ask(facts, self.0.into_values().collect())
    }
}
