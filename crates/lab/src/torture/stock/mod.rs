//! Clerks of two stores, who move goods, and who judges what they were told.

mod auditor;
mod book;
mod clerks;
mod collect;

pub use auditor::{BalanceSeen, Card, RowSeen, StockChecked, StockState, judge_stock};
pub use book::{
    ClerkAnswer, ClerkAsk, ClerkEntry, CountedAgainst, DocumentSeen, ItemSeen, LeftSeen, LineSeen, OutcomeSeen, Paper,
    PaperLine,
};
pub use clerks::{ClerksPlan, open_stores, run_clerks};
pub use collect::collect_stock;
