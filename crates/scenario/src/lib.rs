//! The language of the tables of tests: statements separated by `;`, of which the reply to the last one is compared.
//!
//! ```text
//! slug casa by:7                                   tenant casa default:900 max:86400 holds:100 owner_secs:2592000
//! policy max:60                                    put room=10 overbook:2 version:3 closed
//! close room      open room                        adjust room=-2      grant room=3
//! puts room=1 bar=2 closed version:0 keep          trim 5
//! hold a room=1 room@2026-12-24=2 owner:ann secs:60 ref:cart meta:{"n":1} made:-60
//! extend a by:60 paying                            extend a until:1200      extend a until:expiry+60
//! cancel a      expire a      sweep                book a      consume a room=1
//! return a room=1                                  move a room=1 to suite=1
//! key 1 till scopes:read,sell secret:7 rate:5 until:60    rotate 1 to:2 secret:8 overlap:60    revoke 1
//! clock 899.999999      advance 900                show room      show owner ann      show a      news
//! ```
//!
//! A statement that may be refused starts with `try`. `#` before a hold's name says that it is an id. `any` at the end
//! of a hold's statement wraps the command, as a batch does. `news` shows the events of the command before it. `key:k`
//! is an idempotency key whose request is the statement's text.
//!
//! Instants are seconds since the start of the scenario. A backend whose clock is the system's has no start: `clock`
//! and absolute instants are not for it, and what it stores is described without instants, which no two runs share.
//!
//! Knows the kernel's commands; knows no store and no engine. What carries commands out is a [`Backend`].

mod backend;
mod commands;
mod context;
mod describe;
mod play;
mod statement;

pub use backend::{Backend, ClockTurn, Done, Request};
pub use context::Context;
pub use describe::{Describe, Reply, StoredRecord};
pub use play::{hold_id, play};
pub use statement::{parse_lines, pool};
