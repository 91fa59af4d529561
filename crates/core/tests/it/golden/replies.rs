//! The reply to a request is kept under its idempotency key, and is read back when the request is repeated.

use std::any::TypeId;

use surehold_core::kernel::Command;
use surehold_core::operations::Enqueued;
use surehold_core::operations::commands::{EnqueueOperation, OperationRequested};
use surehold_samples::{Golden, samples_with};

use super::forms::FORMS;
use super::listed::add_commands;
use super::sources::declared;
use crate::codec::check_reply;

/// Commands with the same type of reply.
struct Kept {
    reply: TypeId,
    commands: Vec<&'static str>,
    samples: Vec<String>,
    /// Whether a text is read as a reply.
    is_read: fn(&str) -> bool,
}

#[derive(Default)]
pub(super) struct Replies(Vec<Kept>);

impl Replies {
    pub(super) fn add<C: Command>(&mut self) {
        let reply = TypeId::of::<C::Reply>();
        match self.0.iter_mut().find(|kept| kept.reply == reply) {
            Some(kept) => kept.commands.push(C::NAME),
            None => self.add_samples::<C>(samples_with(FORMS)),
        }
    }

    fn add_samples<C: Command>(&mut self, samples: Vec<C::Reply>) {
        let samples = samples.into_iter().map(|reply| {
            check_reply(&reply);
            serde_json::to_string(&reply).unwrap()
        });
        let is_read = |text: &str| serde_json::from_str::<C::Reply>(text).is_ok();
        let (reply, commands, samples) = (TypeId::of::<C::Reply>(), vec![C::NAME], samples.collect());
        self.0.push(Kept { reply, commands, samples, is_read });
    }
}

#[test]
fn kept_replies_stay_readable() {
    let mut replies = Replies::default();
    add_commands(&mut replies);
    // A flattened member does not name its fields, so it is sampled by itself.
    let enqueued = samples_with::<Enqueued>(FORMS).into_iter();
    replies.add_samples::<EnqueueOperation>(enqueued.map(|enqueued| OperationRequested { enqueued }).collect());

    let mut listed: Vec<&str> = replies.0.iter().flat_map(|kept| kept.commands.iter().copied()).collect();
    listed.sort_unstable();
    assert_eq!(listed, declared("const NAME: &'static str = \"", "\""), "every command is listed in `listed.rs`");

    let mut golden = Golden::new(env!("CARGO_MANIFEST_DIR"), "replies.txt");
    check_committed(&golden.committed(), &replies.0);
    for kept in replies.0 {
        golden.line(&format!("# {}", kept.commands.join(", ")));
        golden.lines(&kept.samples);
    }
    golden.check();
}

/// Replies that earlier versions kept are read by the present types of the commands that are named above them.
fn check_committed(lines: &[String], replies: &[Kept]) {
    let mut is_read: Vec<fn(&str) -> bool> = Vec::new();
    for line in lines {
        if let Some(commands) = line.strip_prefix("# ") {
            let named = |name: &str| replies.iter().find(|kept| kept.commands.contains(&name));
            is_read = commands.split(", ").filter_map(|name| Some(named(name)?.is_read)).collect();
            assert!(!is_read.is_empty(), "there is no command any more of {commands}");
        } else {
            assert!(is_read.iter().all(|is_read| is_read(line)), "a kept reply cannot be read any more: {line}");
        }
    }
}
