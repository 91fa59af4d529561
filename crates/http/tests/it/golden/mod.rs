//! What clients store and compare: these tests check it against the files in `golden/`. docs/formats.md says how such a
//! format may change.

mod events;
mod problems;
mod requests;
