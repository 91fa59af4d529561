//! What is for sale: a few things that everybody wants, nights of two kinds of rooms, and a shelf of goods.

use crate::torture::history::Units;
use surehold_simulators::Dice;

const NIGHTS: usize = 8;
const STAY_NIGHTS_MAX: usize = 4;
const QUANTITY_MAX: i64 = 3;
/// Names that need no care in addresses, none of which is the beginning of another.
const ROOMS: [&str; 2] = ["double", "suite"];
const HOT: [(&str, i64); 3] = [("gala", 3), ("stage", 5), ("spa", 2)];
pub(super) const STOCK: &str = "wine";
const STOCK_AT_FIRST: i64 = 60;
/// The most popular has this weight, the n-th an n-th of it.
const ZIPF_WEIGHT: usize = 5_040;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    Hot,
    Night { room: usize, night: usize },
    Stock,
}

#[derive(Clone, Debug)]
pub(super) struct PoolPlan {
    pub(super) name: String,
    /// What it has when nobody is playing with it.
    pub(super) total: i64,
    pub(super) kind: Kind,
}

/// All pools, the most wanted first.
#[derive(Clone, Debug)]
pub(super) struct World {
    pub(super) pools: Vec<PoolPlan>,
}

impl World {
    /// Rooms for a part of the clients: few enough to be fought over, enough for most of them to get something.
    pub(super) fn for_clients(clients: usize) -> World {
        let rooms = |share: usize| i64::try_from(3 + clients / share).expect("clients are few");
        let totals = [rooms(2), rooms(4)];
        let night = |room: usize, night: usize| PoolPlan {
            name: night_name(room, night),
            total: totals[room],
            kind: Kind::Night { room, night },
        };
        let hot = |index: usize| PoolPlan { name: HOT[index].0.to_owned(), total: HOT[index].1, kind: Kind::Hot };
        let shelf = PoolPlan { name: STOCK.to_owned(), total: STOCK_AT_FIRST, kind: Kind::Stock };
        let mut pools = vec![night(0, 0), hot(0), shelf, night(1, 0), hot(1), night(0, 1), hot(2)];
        pools.extend((2..NIGHTS).flat_map(|later| [night(0, later), night(1, later - 1)]));
        pools.push(night(1, NIGHTS - 1));
        World { pools }
    }

    pub(super) fn pool(&self, name: &str) -> Option<&PoolPlan> {
        self.pools.iter().find(|pool| pool.name == name)
    }

    /// By Zipf's law.
    pub(super) fn pick(&self, dice: &mut Dice) -> &PoolPlan {
        let weights = (1..=self.pools.len()).map(|rank| ZIPF_WEIGHT / rank);
        let mut rolled = dice.roll(weights.clone().sum());
        for (pool, weight) in self.pools.iter().zip(weights) {
            match rolled.checked_sub(weight) {
                Some(rest) => rolled = rest,
                None => return pool,
            }
        }
        unreachable!("what was rolled is below the sum of the weights")
    }

    /// What a guest wants: nights in a row, or one or two things. Whoever found too much taken takes anything.
    pub(super) fn wish(&self, dice: &mut Dice, anything: bool) -> Units {
        let wanted = if anything { &self.pools[dice.roll(self.pools.len())] } else { self.pick(dice) };
        match wanted.kind {
            Kind::Night { room, night } => {
                let nights = 1 + dice.roll(STAY_NIGHTS_MAX.min(NIGHTS - night));
                let rooms = if one_in(dice, 8) { 2 } else { 1 };
                (night..night + nights).map(|night| (night_name(room, night), rooms)).collect()
            }
            Kind::Hot | Kind::Stock => {
                let mut wish = Units::from([(wanted.name.clone(), quantity(dice, wanted.total))]);
                if wanted.kind == Kind::Hot && one_in(dice, 4) {
                    let also = self.pick(dice);
                    wish.entry(also.name.clone()).or_insert(1);
                }
                wish
            }
        }
    }

    /// Where units of a pool can be moved to: another night, the other kind of room, another thing.
    pub(super) fn alternative(&self, name: &str, dice: &mut Dice) -> String {
        match self.pool(name).map(|pool| pool.kind) {
            Some(Kind::Night { room, night }) if one_in(dice, 3) => night_name(1 - room, night),
            Some(Kind::Night { room, .. }) => night_name(room, dice.roll(NIGHTS)),
            Some(Kind::Hot | Kind::Stock) | None => HOT[dice.roll(HOT.len())].0.to_owned(),
        }
    }

    /// The same stay a night later, `None` if these are no nights or it would leave the house.
    pub(super) fn a_night_later(&self, lines: &Units) -> Option<Units> {
        let later = |(name, quantity): (&String, &i64)| match self.pool(name)?.kind {
            Kind::Night { room, night } if night + 1 < NIGHTS => Some((night_name(room, night + 1), *quantity)),
            Kind::Night { .. } | Kind::Hot | Kind::Stock => None,
        };
        lines.iter().map(later).collect()
    }
}

fn night_name(room: usize, night: usize) -> String {
    format!("{}@2027-03-{:02}", ROOMS[room], 1 + night)
}

fn quantity(dice: &mut Dice, quantity_max: i64) -> i64 {
    if one_in(dice, 3) { between(dice, 1, QUANTITY_MAX.min(quantity_max)) } else { 1 }
}

pub(crate) fn one_in(dice: &mut Dice, sides: usize) -> bool {
    dice.roll(sides) == 0
}

/// Both ends included.
pub(crate) fn between(dice: &mut Dice, low: i64, high: i64) -> i64 {
    let sides = usize::try_from(high - low + 1).expect("not an empty range");
    low + i64::try_from(dice.roll(sides)).expect("below the range")
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use super::*;

    #[test]
    fn wishes() {
        let world = World::for_clients(16);
        let names: std::collections::BTreeSet<_> = world.pools.iter().map(|pool| &pool.name).collect();
        assert_eq!(names.len(), HOT.len() + 2 * NIGHTS + 1);
        let mut dice = Dice::new(1);
        let mut wanted = BTreeMap::new();
        for _ in 0..10_000 {
            let wish = world.wish(&mut dice, false);
            assert!((1..=STAY_NIGHTS_MAX).contains(&wish.len()), "{wish:?}");
            for (name, quantity) in wish {
                assert!(names.contains(&name) && (1..=QUANTITY_MAX).contains(&quantity), "{quantity} of {name}");
                *wanted.entry(name).or_insert(0) += 1;
            }
        }
        assert_eq!(wanted.len(), names.len(), "each is wanted by somebody: {wanted:?}");
        assert!(wanted["gala"] > 3 * wanted["spa"] / 2, "the hot ones are hot: {wanted:?}");
    }

    #[test]
    fn a_night_later() {
        let world = World::for_clients(4);
        let later = |lines: &[&str]| {
            let lines = lines.iter().map(|name| ((*name).to_owned(), 1)).collect();
            world.a_night_later(&lines).map(|lines| lines.into_keys().collect::<Vec<_>>().join(" "))
        };
        assert_eq!(
            later(&["suite@2027-03-01", "suite@2027-03-02"]).as_deref(),
            Some("suite@2027-03-02 suite@2027-03-03")
        );
        assert_eq!(later(&["suite@2027-03-08"]), None);
        assert_eq!(later(&["gala"]), None);
    }
}
