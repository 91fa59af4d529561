//! What the news of payments lead to: tables, and any order of any news.

mod orders;
mod tables;
pub(in crate::stays) mod world;
