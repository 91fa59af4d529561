//! Tables in the language of `surehold-scenario`, played on an engine and its store.

use surehold_core::kernel::{ApiKey, Command, Event, Hold, HoldId, Lines, Owner, OwnerName, Pool, PoolKey, Refusal};
use surehold_engine::{Failure, Options, RequestKey};
use surehold_scenario::{Backend, ClockTurn, Context, Describe, Done, Reply, Request, StoredRecord};

pub(crate) use surehold_scenario::pool;

use super::world::{World, id_made_in};

/// `room=1 bar=2`.
pub(crate) fn parse_lines(text: &str) -> Lines {
    surehold_scenario::parse_lines(text).unwrap()
}

impl World<'_> {
    pub(crate) async fn play(&mut self, scenario: &str) -> String {
        surehold_scenario::play(self, scenario).await
    }

    /// The id of a hold that the scenario calls by name.
    pub(crate) fn id(&mut self, name: &str) -> HoldId {
        surehold_scenario::hold_id(self, name)
    }

    async fn is_stored(&self, record: StoredRecord) -> bool {
        let views = self.engine.views();
        match record {
            StoredRecord::Tenant(tenant) => self.dump().await.tenant == [tenant],
            StoredRecord::Policy(policy) => {
                self.dump().await.tenant.first().is_some_and(|tenant| tenant.policy == policy)
            }
            StoredRecord::Pool(pool) => {
                views.record::<Pool>(self.tenant, &pool.key).await.unwrap().as_ref() == Some(&pool)
            }
            StoredRecord::Hold(hold) => self.hold(hold.id).await.as_ref() == Some(&hold),
            StoredRecord::Key(key) => {
                views.record::<ApiKey>(self.tenant, &key.id).await.unwrap().as_ref() == Some(&key)
            }
        }
    }
}

impl Backend for World<'_> {
    type Failure = Failure<Refusal>;

    fn context(&self) -> &Context {
        &self.names
    }

    fn context_mut(&mut self) -> &mut Context {
        &mut self.names
    }

    fn refused(refusal: Refusal) -> Failure<Refusal> {
        Failure::Refused(refusal)
    }

    fn describe_failure(&self, failure: &Failure<Refusal>) -> String {
        match failure {
            Failure::Refused(refusal) => refusal.describe(&self.names),
            Failure::KeyReused => "the key was used for another request".to_owned(),
            Failure::Fault(fault) => format!("fault: {fault}"),
            Failure::Defect => "defect".to_owned(),
        }
    }

    fn new_id(&mut self, made_after_secs: i64) -> HoldId {
        id_made_in(made_after_secs)
    }

    fn turn_clock(&mut self, turn: ClockTurn) {
        match turn {
            ClockTurn::BySecs(secs) => self.fixture.advance_secs(secs),
            ClockTurn::To(instant) => panic!("the clock is the store's; it cannot be set to {instant:?}"),
        }
    }

    fn news(&self) -> Vec<Event> {
        panic!("the store's journal has the events of all commands")
    }

    /// What the reply says must be what the store has.
    async fn run<C>(&mut self, command: C, request: Request<'_>) -> Result<Done<C::Reply>, Failure<Refusal>>
    where
        C: Command<Refusal = Refusal, Reply: Reply>,
    {
        let key = request.idempotency_key.map(|key| RequestKey::new(key, request.text.as_bytes())).transpose();
        let key = key.map_err(|invalid| Failure::Refused(Refusal::Invalid(invalid)))?;
        let done = self.engine.run_with(self.tenant, command, Options { key, ..Options::default() }).await?;
        if !done.replayed {
            for record in done.reply.stored_records() {
                assert!(self.is_stored(record.clone()).await, "{record:?} of {:?} is not what is stored", request.text);
            }
        }
        Ok(Done { reply: done.reply, replayed: done.replayed })
    }

    async fn pool(&self, key: &PoolKey) -> Pool {
        let pool = self.engine.views().record::<Pool>(self.tenant, key).await.unwrap();
        pool.unwrap_or_else(|| panic!("no pool {key}"))
    }

    async fn hold(&self, id: HoldId) -> Option<Hold> {
        World::hold(self, id).await
    }

    async fn owner(&self, name: &OwnerName) -> Option<Owner> {
        self.engine.views().record::<Owner>(self.tenant, name).await.unwrap()
    }
}
