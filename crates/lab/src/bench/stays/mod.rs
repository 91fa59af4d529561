//! A hotel under measurement: guests who ask for quotes, staff who read the calendar, guests who hold rooms of the same
//! type; and the textbook's way of doing the last.

mod hotel;
mod requests;
mod textbook;

pub use hotel::BenchHotel;
pub use requests::{CalendarAsks, QuoteAsks, QuotePool, StayAsks, make_quotes};
pub use textbook::StaysTextbook;
