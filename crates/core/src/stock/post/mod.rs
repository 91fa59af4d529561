//! Posting: from the lines of a document to rows of ledgers, in one transaction. Start reading at `lines.rs`.

mod about;
mod check;
mod count;
mod ledger;
mod lines;
mod lots;
mod revalue;
mod reverse;

use super::StockRefusal;
use crate::kernel::Stop;

pub(super) use about::About;
pub(super) use check::{check_line, require_available, resolve, weigh};
pub(super) use ledger::{Ledger, Pasts, Stamp, newer_rows};
pub(super) use lines::{Poster, post_lines};
pub(super) use revalue::{Revalued, Stride, change_books, count_revaluing, revalue};
pub(super) use reverse::{Reversal, brought_in, reverse_lines};

pub(super) type Decision<T> = Result<T, Stop<StockRefusal>>;
