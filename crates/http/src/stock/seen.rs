//! What views found about stock, as it travels.

use surehold_api::stock::{Item, ItemBalance, ItemTurnover, StockBalance};
use surehold_core::stock::decimal;
use surehold_engine as engine;

pub(super) fn turnover_seen(turnover: engine::Turnover, scale: u32) -> ItemTurnover {
    let engine::Turnover { item, opening, incoming, outgoing, revalued, closing, revaluing } = turnover;
    ItemTurnover {
        item: item.into(),
        scale,
        opening: StockBalance::new(opening, scale),
        incoming: StockBalance::new(incoming, scale),
        outgoing: StockBalance::new(outgoing, scale),
        revalued: decimal(revalued),
        closing: StockBalance::new(closing, scale),
        revaluing,
    }
}

pub(super) fn item_seen(view: engine::ItemView, scale: u32) -> Item {
    let available = view.available().max(0);
    Item::new(view.item, view.pool, available, scale)
}

pub(super) fn balance_seen(found: engine::ItemBalance, scale: u32) -> ItemBalance {
    ItemBalance::new(found.item, found.balance, found.revaluing, scale)
}
