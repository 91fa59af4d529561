//! What `Facts` promise to any command, also to those that change things before they think better of it.

use surehold_core::kernel::commands::PutPool;
use surehold_core::kernel::{Command, Event, Facts, Owner, OwnerName, Pool, PoolKey, Reads, Refusal, Stop, TenantId};

use crate::scenario::pool;
use crate::world::World;

/// Changes, inserts and removes, tells the journal about it, says that it is a repeat, and then answers.
struct Turmoil {
    refused: bool,
}

impl Turmoil {
    fn owner(name: &str) -> OwnerName {
        OwnerName::new(name).unwrap()
    }

    fn rename(facts: &mut Facts) -> Result<(), Stop<Refusal>> {
        facts.get::<Owner>(&Self::owner("ann"))?.expect("ann holds something");
        facts.remove::<Owner>(&Self::owner("ann"));
        facts.insert(Owner { name: Self::owner("bob"), holds: 1, lifetime_secs: 1, version: 0 });
        facts.remove::<Owner>(&Self::owner("bob"));
        Ok(())
    }
}

impl Command for Turmoil {
    const NAME: &'static str = "turmoil";
    type Reply = i64;
    type Refusal = Refusal;

    fn reads(&self, _reads: &mut Reads<'_>) {}

    fn decide(&self, facts: &mut Facts) -> Result<i64, Stop<Refusal>> {
        let room = key("room");
        facts.get_mut::<Pool>(&room)?.unwrap().closed = true;
        if self.refused {
            Self::rename(facts)?;
            facts.insert(Pool::new(key("new")));
            facts.get_mut::<Pool>(&key("new"))?.unwrap().total = 7;
            facts.emit(&Event::PoolOversold { pool: room.clone(), oversold: 1 });
            facts.mark_replayed();
        }
        // The second change of a command is still its one step of the version.
        let pool = facts.get_mut::<Pool>(&room)?.unwrap();
        pool.total = 8;
        let (version, total, overbook, granted, closed) = (pool.version, 8, 0, 0, true);
        facts.emit(&Event::PoolChanged { pool: room, version, total, overbook, granted, closed });
        if self.refused { Err(Refusal::NothingBooked.into()) } else { Ok(version) }
    }
}

fn key(name: &str) -> PoolKey {
    pool(name).unwrap()
}

fn world() -> World {
    let mut world = World::new(TenantId(1));
    world.play("tenant casa; put room=5; hold a room=1 owner:ann");
    world
}

#[test]
fn a_refused_command_leaves_no_trace() {
    let mut world = world();
    let before = (world.dump(), world.journal().to_vec());
    assert_eq!(world.run(&Turmoil { refused: true }).unwrap_err(), Refusal::NothingBooked);
    assert_eq!((world.dump(), world.journal().to_vec()), before);

    // Nor does it leave its mark of a repeat to the next one, or steps of a version.
    assert!(!world.run(&PutPool::new(key("room"), 6).unwrap()).unwrap().replayed);
    assert_eq!(world.play("show room"), "room=6 held 1 v3");
    assert_eq!(world.play("put new=1"), "new=1 v1");
    assert_eq!(world.play("cancel a; show owner ann"), "ann holds nothing");
}

#[test]
fn a_command_changes_a_version_once() {
    let mut world = world();
    assert_eq!(world.run(&Turmoil { refused: false }).unwrap().reply, 3);
    assert_eq!(world.play("show room"), "room=8 held 1 closed v3");
}
