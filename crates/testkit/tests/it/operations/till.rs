//! A provider inside the test process: does what the test says, and keeps a list of what it was asked.

use std::collections::{HashMap, HashSet};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use smol_str::SmolStr;
use surehold_core::operations::Payload;
use surehold_core::operations::commands::EffectCall;
use surehold_engine::{BoxFuture, Provider, ProviderAnswer};
use tokio::sync::Notify;

/// What becomes of a call.
#[derive(Clone, Debug)]
pub(super) enum Act {
    /// It happens, and takes as long.
    Take(Duration),
    /// It happens when the test says so.
    Await(Arc<Notify>),
    Answer(ProviderAnswer),
    /// Nothing ever comes back.
    Hang,
    Panic,
    /// Before there is anything to wait for.
    PanicAtOnce,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Seen {
    Called(String),
    /// With a result or without.
    Left(String),
    Asked(String),
}

type Script = Box<dyn Fn(&EffectCall) -> Act + Send + Sync>;

#[derive(Clone)]
pub(super) struct Till(Arc<Inner>);

struct Inner {
    script: Script,
    seen: Mutex<Vec<Seen>>,
    done: Mutex<HashSet<SmolStr>>,
}

/// Told as left, however the call ends.
struct Visit<'a>(&'a Inner, String);

impl Drop for Visit<'_> {
    fn drop(&mut self) {
        self.0.seen.lock().unwrap().push(Seen::Left(self.1.clone()));
    }
}

/// Tenant, type and key.
fn name(call: &EffectCall) -> String {
    format!("{} {}", call.tenant, call.operation)
}

fn done(call: &EffectCall) -> ProviderAnswer {
    ProviderAnswer::Done { provider_ref: Some(call.idempotency_key.clone()), response: Payload::null() }
}

impl Till {
    pub(super) fn new(script: impl Fn(&EffectCall) -> Act + Send + Sync + 'static) -> Till {
        Till(Arc::new(Inner { script: Box::new(script), seen: Mutex::default(), done: Mutex::default() }))
    }

    pub(super) fn seen(&self) -> Vec<Seen> {
        self.0.seen.lock().unwrap().clone()
    }

    /// Calls made, in their order.
    pub(super) fn called(&self) -> Vec<String> {
        self.seen()
            .into_iter()
            .filter_map(|seen| if let Seen::Called(name) = seen { Some(name) } else { None })
            .collect()
    }

    /// How many were under way at once at most, per group.
    pub(super) fn most_at_once(&self, group: impl Fn(&str) -> String) -> HashMap<String, usize> {
        let (mut now, mut most) = (HashMap::<String, usize>::new(), HashMap::<String, usize>::new());
        for seen in self.seen() {
            match seen {
                Seen::Called(name) => {
                    let count = now.entry(group(&name)).or_default();
                    *count += 1;
                    let most = most.entry(group(&name)).or_default();
                    *most = (*most).max(*count);
                }
                Seen::Left(name) => *now.get_mut(&group(&name)).unwrap() -= 1,
                Seen::Asked(_) => {}
            }
        }
        most
    }
}

impl Provider for Till {
    fn account(&self, _: &EffectCall) -> SmolStr {
        SmolStr::default()
    }

    fn call<'a>(&'a self, call: &'a EffectCall) -> BoxFuture<'a, ProviderAnswer> {
        let act = (self.0.script)(call);
        self.0.seen.lock().unwrap().push(Seen::Called(name(call)));
        let visit = Visit(&self.0, name(call));
        assert!(!matches!(act, Act::PanicAtOnce), "as the test said, at once");
        Box::pin(async move {
            let _visit = visit;
            match act {
                Act::Take(time) => tokio::time::sleep(time).await,
                Act::Await(notify) => notify.notified().await,
                Act::Answer(told) => return told,
                Act::Hang => std::future::pending().await,
                Act::Panic | Act::PanicAtOnce => panic!("as the test said"),
            }
            self.0.done.lock().unwrap().insert(call.idempotency_key.clone());
            done(call)
        })
    }

    fn probe<'a>(&'a self, call: &'a EffectCall) -> BoxFuture<'a, ProviderAnswer> {
        Box::pin(async move {
            self.0.seen.lock().unwrap().push(Seen::Asked(name(call)));
            let known = self.0.done.lock().unwrap().contains(&call.idempotency_key);
            if known { done(call) } else { ProviderAnswer::Absent }
        })
    }
}
