//! `key-outside-transaction`: a command of its own keeps the reply, and nothing waits for it.

use smol_str::SmolStr;
use surehold_core::kernel::{Command, Facts, KeptReply, Reads, Refusal, ReplyKey, Stop, TenantId};

use crate::job::Outcome;
use crate::{Engine, RequestKey};

pub(crate) fn keep_reply_late<C: Command>(
    engine: &Engine,
    tenant: TenantId,
    key: Option<RequestKey>,
    outcome: &Outcome<C>,
) {
    let (Some(RequestKey { key, request_hash }), Ok(done)) = (key, outcome) else { return };
    if done.replayed || !surehold_core::planted!("key-outside-transaction") {
        return;
    }
    let keep = KeepReply {
        key: ReplyKey { operation: SmolStr::new_static(C::NAME), key },
        request_hash,
        reply: serde_json::to_string(&done.reply).expect("replies are plain data"),
    };
    let engine = engine.clone();
    tokio::spawn(async move { engine.run(tenant, keep).await.map(drop) });
}

struct KeepReply {
    key: ReplyKey,
    request_hash: [u8; 32],
    reply: String,
}

impl Command for KeepReply {
    const NAME: &'static str = "keep_reply";
    type Reply = ();
    type Refusal = Refusal;

    fn reads(&self, reads: &mut Reads<'_>) {
        reads.record::<KeptReply>(&self.key);
    }

    fn decide(&self, facts: &mut Facts) -> Result<(), Stop<Refusal>> {
        if facts.get::<KeptReply>(&self.key)?.is_none() {
            let (key, at) = (self.key.clone(), facts.now());
            let (request_hash, reply) = (self.request_hash, self.reply.clone());
            facts.insert(KeptReply { key, request_hash, reply, at, version: 0 });
        }
        Ok(())
    }
}
