//! A warehouse under measurement: clients who sell baskets of goods, a ledger that has grown long, a document that comes
//! late while others hold goods; and the textbook's way of selling, with the trap that it sets itself.

mod baskets;
mod ledger;
mod shop;
mod textbook;

pub use baskets::{Basket, Crosswise, product, some_of};
pub use ledger::{Late, check_late, fill_ledger, fill_one_product, post_late};
pub use shop::{Holders, Shop, Until, sell};
pub use textbook::{StockTextbook, deadlocks_counted, find_crosswise};
