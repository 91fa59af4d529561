//! Which bug is planted in this process. Exists only in the copy of the tree that `cargo xtask prove planted` makes,
//! where every bug is behind `planted!("its-name")`.
//!
//! Cheap, because hot paths ask: one relaxed load and a comparison with a constant.

mod names;

use std::sync::atomic::{AtomicU8, Ordering};

pub use names::NAMES;

/// Names the bug of a process.
pub const HERE: &str = "PLANTED";
/// Names the bug of servers and workers; commands that drive or audit them inherit the variable and ignore it.
pub const IN_NODES: &str = "PLANTED_IN_NODES";

const NODE_COMMANDS: [&str; 2] = ["serve", "worker"];
const NONE: u8 = 0;
const UNDECIDED: u8 = u8::MAX;

static PLANTED: AtomicU8 = AtomicU8::new(UNDECIDED);

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Bug(u8);

impl Bug {
    /// Panics if there is no such bug, in a constant while compiling.
    pub const fn named(name: &str) -> Bug {
        let mut index = 0;
        while index < NAMES.len() {
            if is_same(NAMES[index].as_bytes(), name.as_bytes()) {
                assert!(index < 254, "a byte counts the bugs");
                #[allow(clippy::as_conversions, clippy::cast_possible_truncation, reason = "just compared")]
                return Bug(index as u8 + 1);
            }
            index += 1;
        }
        panic!("there is no such bug to plant")
    }

    pub fn all() -> impl Iterator<Item = Bug> {
        NAMES.iter().map(|name| Bug::named(name))
    }

    pub fn name(self) -> &'static str {
        NAMES[usize::from(self.0 - 1)]
    }
}

const fn is_same(left: &[u8], right: &[u8]) -> bool {
    if left.len() != right.len() {
        return false;
    }
    let mut index = 0;
    while index < left.len() {
        if left[index] != right[index] {
            return false;
        }
        index += 1;
    }
    true
}

#[macro_export]
macro_rules! planted {
    ($name:literal) => {
        $crate::planted::is(const { $crate::planted::Bug::named($name) })
    };
}

#[inline]
pub fn is(bug: Bug) -> bool {
    match PLANTED.load(Ordering::Relaxed) {
        UNDECIDED => by_environment() == bug.0,
        planted => planted == bug.0,
    }
}

/// For the rest of the process, or until another one is planted.
pub fn plant(bug: Option<Bug>) {
    PLANTED.store(bug.map_or(NONE, |bug| bug.0), Ordering::Relaxed);
}

#[cold]
fn by_environment() -> u8 {
    let is_node = std::env::args().nth(1).is_some_and(|command| NODE_COMMANDS.contains(&command.as_str()));
    let in_node = std::env::var(IN_NODES).ok().filter(|_| is_node);
    let bug = std::env::var(HERE).ok().or(in_node).map_or(NONE, |name| Bug::named(&name).0);
    match PLANTED.compare_exchange(UNDECIDED, bug, Ordering::Relaxed, Ordering::Relaxed) {
        Ok(_) => bug,
        Err(planted) => planted,
    }
}
