//! What is stored, and what a repeat of a request is compared with, must stay readable for ever: these tests compare it
//! with the files in `golden/`. docs/formats.md says how such a format may change.

mod events;
mod forms;
mod listed;
mod names;
mod records;
mod replies;
mod sources;
