//! Stays: what is sold by the night, under which rules and for how much.

mod calendar;
mod calendar_rows;
mod desk;
mod places;
mod quotes;
mod rules;
