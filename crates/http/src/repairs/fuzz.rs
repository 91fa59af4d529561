//! What the fuzzer may reach of this module: its body.

use crate::readers::{Readers, plain, understood};
use crate::wire::MakeRepairs;

pub(super) const READERS: Readers = Readers {
    bodies: &[("MakeRepairs", |body| {
        understood(body, |MakeRepairs { actor, reason, repairs, .. }| {
            let command = |repair: crate::wire::RepairItem| repair.into_command(actor.clone(), reason.clone());
            plain(repairs.into_iter().map(command).collect::<Vec<_>>())
        })
    })],
    cursors: &[],
    queries: &[],
};
