//! From refusals about stock to problems.

use surehold_core::stock::{DocumentKind, StockRefusal};

use super::{Code, Problem};
use crate::wire::stock::{LeftLine, MovedItem, ShortItem};

impl From<StockRefusal> for Problem {
    #[expect(clippy::too_many_lines, reason = "a table: one row for each refusal")]
    fn from(refusal: StockRefusal) -> Problem {
        use StockRefusal as R;
        let detail = refusal.to_string();
        let problem = |code| Problem::new(code, detail);
        match refusal {
            R::Kernel(refusal) => refusal.into(),
            // Between the engine and its commands: no request can be answered with it.
            R::HistoryNeeded { .. } => problem(Code::Defect),
            R::Changed { item } => problem(Code::Changed).with(|data| data.item = Some(item.into())),

            R::StoreNotFound { store } => problem(Code::StoreNotFound).with(|data| data.store = Some(store)),
            R::CurrencyFixed { store, .. } => problem(Code::StoreCurrencyFixed).with(|data| data.store = Some(store)),
            R::CurrenciesDiffer { store, .. } => problem(Code::CurrenciesDiffer).with(|data| data.store = Some(store)),
            R::ProductNotFound { products } => problem(Code::ProductNotFound).with(|data| data.products = products),
            R::ProductFixed { product, .. } => problem(Code::ProductFixed).with(|data| data.products = vec![product]),
            R::PackNotFound { product, pack } => problem(Code::PackNotFound).with(|data| {
                data.products = vec![product];
                data.pack = Some(pack);
            }),
            R::BarcodeTaken { code, product, pack } => problem(Code::BarcodeTaken).with(|data| {
                data.barcodes = vec![code];
                data.products = vec![product];
                data.pack = pack;
            }),
            R::BooksClosed { closed_until } => {
                problem(Code::BooksClosed).with(|data| data.closed_until = Some(closed_until))
            }
            R::BooksBusy { posting, revaluing } => problem(Code::BooksBusy).with(|data| {
                data.posting = Some(posting);
                data.revaluing = Some(revaluing);
            }),

            R::DocumentIdOutsideWindow { id, .. } => {
                problem(Code::DocumentIdOutsideWindow).with(|data| data.document = Some(id))
            }
            R::DocumentIdReused { id } => problem(Code::DocumentIdReused).with(|data| data.document = Some(id)),
            R::DocumentNotFound { id } => problem(Code::DocumentNotFound).with(|data| data.document = Some(id)),
            R::DocumentState { id, state } => problem(Code::DocumentState).with(|data| {
                data.document = Some(id);
                data.document_state = Some(state);
            }),
            R::PartMissing { id, part } => problem(Code::PartMissing).with(|data| {
                data.document = Some(id);
                data.part = Some(part);
            }),
            R::TooLong { kind } => problem(Code::DocumentTooLong).with(|data| data.kind = Some(kind)),
            R::NotReversible { kind } => problem(Code::NotReversible).with(|data| data.kind = Some(kind)),
            R::HasFollowers { id, followers } => problem(Code::DocumentHasFollowers).with(|data| {
                data.document = Some(id);
                data.followers = Some(followers);
            }),
            R::EffectiveInFuture { now } => problem(Code::EffectiveInFuture).with(|data| data.now = Some(now)),
            R::EffectiveBefore { about, effective_at } => problem(Code::EffectiveTooEarly).with(|data| {
                data.document = Some(about);
                data.effective_at = Some(effective_at);
            }),
            R::AboutKind { about, kind } => problem(Code::AboutOtherKind).with(|data| {
                data.document = Some(about);
                data.kind = Some(kind);
            }),
            R::AboutArrived { about } => problem(Code::AboutOtherKind).with(|data| {
                data.document = Some(about);
                data.kind = Some(DocumentKind::Transfer);
            }),
            R::AboutStore { about, store } => problem(Code::AboutOtherStore).with(|data| {
                data.document = Some(about);
                data.store = Some(store);
            }),
            R::AboutLine { about, line } => problem(Code::LineNotFound).with(|data| {
                data.document = Some(about);
                data.line = Some(line);
            }),
            R::MoreThanLeft { about, lines } => problem(Code::MoreThanLeft).with(|data| {
                data.document = Some(about);
                data.left = lines.into_iter().map(LeftLine::from).collect();
            }),
            R::HoldOfOthers => problem(Code::HoldOfOthers),
            R::DocumentOutOfRange => problem(Code::DocumentOutOfRange),

            R::ItemsMoved { items } => {
                problem(Code::ItemsMoved).with(|data| data.moved = items.into_iter().map(MovedItem::from).collect())
            }
            R::CountBackdated { item, last_effective } => problem(Code::CountBackdated).with(|data| {
                data.item = Some(item.into());
                data.effective_at = Some(last_effective);
            }),
            R::AlreadyOpen { item } => problem(Code::AlreadyOpen).with(|data| data.item = Some(item.into())),
            R::NotOpened { pool, .. } => problem(Code::NotOpened).with(|data| data.pools = vec![pool]),
            R::OutOfRange { item } => problem(Code::ItemOutOfRange).with(|data| data.item = Some(item.into())),
            R::ShortInPast { item, at, quantity } => problem(Code::ShortInPast).with(|data| {
                data.item = Some(item.into());
                data.at = Some(at);
                data.quantity = Some(quantity);
            }),
            R::Short { items } => {
                problem(Code::Short).with(|data| data.short = items.into_iter().map(ShortItem::from).collect())
            }

            R::LotNeeded { product } => problem(Code::LotNeeded).with(|data| data.products = vec![product]),
            R::LotUnwanted { product } => problem(Code::LotUnwanted).with(|data| data.products = vec![product]),
            R::LotDiffers { item, lot } => problem(Code::LotDiffers).with(|data| {
                data.item = Some(item.into());
                data.lot = Some(lot);
            }),
            R::LotExpired { product, lot } => problem(Code::LotExpired).with(|data| {
                data.products = vec![product];
                data.lot = Some(lot);
            }),
            R::TooManyLots { item, lots } => problem(Code::TooManyLots).with(|data| {
                data.item = Some(item.into());
                data.max = i64::try_from(lots).ok();
            }),
            R::LotShort { item, lot, asked, left } => problem(Code::LotShort).with(|data| {
                data.item = Some(item.into());
                data.lot = lot;
                data.asked = Some(asked);
                data.left_of_lot = Some(left);
            }),
            R::SerialsMissing { product, .. } => {
                problem(Code::SerialsMissing).with(|data| data.products = vec![product])
            }
            R::SerialsUnwanted { product } => problem(Code::SerialsUnwanted).with(|data| data.products = vec![product]),
            R::SerialsNotCounted { product } => {
                problem(Code::SerialsNotCounted).with(|data| data.products = vec![product])
            }
            R::SerialsElsewhere { product, serials, store } => problem(Code::SerialsElsewhere).with(|data| {
                data.products = vec![product];
                data.serials = serials;
                data.store = store;
            }),
        }
    }
}
