//! Everything that Stripe remembers. No I/O, and no clock but its own.
//!
//! Invariants: no object is ever removed. What is due by the clock has happened before anything else does, so events
//! are in the order of their time. A charge is never refunded beyond its amount.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::Value;

use super::clock::Clock;
use super::config::{AccountConfig, StripeConfig};
use super::fault::StripeFault;
use super::ids::Ids;
use super::keys::Keys;
use super::mischief::{Delivery, Troublemaker};
use super::objects::{Charge, Dispute, Event, Intent, Refund, Session};
use super::table::{AccountNo, Table};
use crate::fault_plan::FaultPlan;

#[derive(Debug)]
pub(super) struct Books {
    pub(super) clock: Clock,
    pub(super) ids: Ids,
    pub(super) page_url: String,
    pub(super) accounts: Vec<Account>,
    pub(super) sessions: Table<Session>,
    pub(super) intents: Table<Intent>,
    pub(super) charges: Table<Charge>,
    pub(super) refunds: Table<Refund>,
    pub(super) disputes: Table<Dispute>,
    pub(super) events: Table<Event>,
    /// Open sessions, by the end of their time.
    pub(super) open: BTreeSet<(i64, usize)>,
    /// Sessions whose payment settles by itself, by its time.
    pub(super) settling: BTreeSet<(i64, usize)>,
    pub(super) settles_after_secs: Option<u32>,
    /// Refunds made from now on wait to be finished.
    pub(super) refunds_pend: bool,
    pub(super) faults: FaultPlan<StripeFault>,
    pub(super) counts: Counts,
    pub(super) troublemaker: Troublemaker,
    /// To be sent by whoever holds the books.
    deliveries: Vec<Delivery>,
    /// On whose request things happen.
    pub(super) cause: Cause,
}

#[derive(Debug)]
pub(super) struct Account {
    pub(super) id: String,
    pub(super) config: AccountConfig,
    pub(super) keys: Keys,
}

#[derive(Clone, Debug, Default)]
pub(super) struct Cause {
    pub(super) request_id: Option<String>,
    pub(super) idempotency_key: Option<String>,
}

#[derive(Clone, Debug, Default)]
pub(super) struct Counts {
    pub(super) requests: u64,
    pub(super) replays: u64,
    pub(super) conflicts: u64,
    pub(super) mismatches: u64,
    pub(super) faults: BTreeMap<String, u64>,
}

impl Books {
    /// `base_url`: where the hosted pages are.
    pub(super) fn new(config: &StripeConfig, base_url: &str) -> Books {
        let mut ids = Ids::new(config.seed);
        let account =
            |config: &AccountConfig| Account { id: ids.object("acct"), config: config.clone(), keys: Keys::default() };
        let accounts = config.accounts.iter().map(account).collect();
        Books {
            clock: Clock::new(config.clock),
            ids,
            page_url: format!("{base_url}/pay"),
            accounts,
            sessions: Table::default(),
            intents: Table::default(),
            charges: Table::default(),
            refunds: Table::default(),
            disputes: Table::default(),
            events: Table::default(),
            open: BTreeSet::new(),
            settling: BTreeSet::new(),
            settles_after_secs: config.settles_after_secs,
            refunds_pend: false,
            faults: FaultPlan::default(),
            counts: Counts::default(),
            troublemaker: Troublemaker::new(config.webhooks.mischief.clone()),
            deliveries: Vec::new(),
            cause: Cause::default(),
        }
    }

    pub(super) fn account(&self, api_key: &str) -> Option<AccountNo> {
        self.accounts.iter().position(|account| account.config.api_key == api_key)
    }

    /// Does what is due, in the order in which it was.
    pub(super) fn catch_up(&mut self) {
        let now_secs = self.clock.now_secs();
        loop {
            let next_of = |due: &BTreeSet<(i64, usize)>| due.first().copied().filter(|(at, _)| *at <= now_secs);
            match (next_of(&self.open), next_of(&self.settling)) {
                (None, None) => return,
                (Some((at_secs, session)), None) => self.expire_session(session, at_secs),
                (None, Some((at_secs, session))) => self.settle_due(session, at_secs),
                (Some((ends_at, ending)), Some((settles_at, settling))) => {
                    if ends_at <= settles_at {
                        self.expire_session(ending, ends_at);
                    } else {
                        self.settle_due(settling, settles_at);
                    }
                }
            }
        }
    }

    /// An event of this moment.
    pub(super) fn emit(&mut self, account: AccountNo, kind: &'static str, object: Value) {
        self.emit_at(self.clock.now_secs(), account, kind, object);
    }

    pub(super) fn emit_at(&mut self, at_secs: i64, account: AccountNo, kind: &'static str, object: Value) {
        let endpoints = self.accounts[account].config.endpoints.clone();
        let event = Event {
            id: self.ids.object("evt"),
            account,
            created: at_secs,
            kind,
            object,
            request_id: self.cause.request_id.clone(),
            idempotency_key: self.cause.idempotency_key.clone(),
            pending_webhooks: endpoints.len(),
        };
        let body = event.json().to_string();
        let secrets = &self.accounts[account].config.webhook_secrets;
        for url in endpoints {
            let delivery = Delivery::new(&event.id, url, secrets, &body);
            self.deliveries.extend(self.troublemaker.meddle(delivery));
        }
        self.events.push(event);
    }

    pub(super) fn take_deliveries(&mut self) -> Vec<Delivery> {
        std::mem::take(&mut self.deliveries)
    }
}
