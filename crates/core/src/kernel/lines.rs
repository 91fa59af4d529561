//! What a hold claims: sorted, without repetition, all or nothing.

use std::sync::Arc;

use serde::de::Error;
use serde::ser::SerializeMap;
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use serde_json::Map;

use super::{ColumnType, ColumnValue, Corrupt, Invalid, PoolKey, ResourceName, Sent, Shape, Slot, Value};

pub const LINES_MAX: usize = 100;
pub const QUANTITY_MAX: i64 = 1_000_000;

#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Line {
    pub pool: PoolKey,
    pub quantity: i64,
}

/// Lines and their JSON text `[["room","2026-12-24",1],…]`. The text is made once, by whoever builds the command,
/// because the thread that writes is the one that everybody waits for.
#[derive(Clone, Debug)]
pub struct Lines {
    items: Arc<[Line]>,
    json: Arc<str>,
}

impl Lines {
    /// 1 to 100 lines in any order.
    pub fn new(mut lines: Vec<Line>) -> Result<Lines, Invalid> {
        if !(1..=LINES_MAX).contains(&lines.len()) {
            return Err(Invalid::LineCount { lines: lines.len(), lines_max: LINES_MAX });
        }
        lines.sort();
        for line in &lines {
            if !(1..=QUANTITY_MAX).contains(&line.quantity) {
                let (pool, quantity) = (line.pool.clone(), line.quantity);
                return Err(Invalid::Quantity { pool, quantity, quantity_max: QUANTITY_MAX });
            }
        }
        if let Some(twice) = lines.windows(2).find(|pair| pair[0].pool == pair[1].pool) {
            return Err(Invalid::LineTwice { pool: twice[0].pool.clone() });
        }
        Ok(Lines::from_sorted(lines))
    }

    /// Of what is written already: a hold may have nothing left. A command refuses that.
    fn read(lines: Vec<Line>) -> Result<Lines, Invalid> {
        if lines.is_empty() { Ok(Lines::from_sorted(lines)) } else { Lines::new(lines) }
    }

    pub(super) fn from_sorted(items: Vec<Line>) -> Lines {
        let json = serde_json::to_string(&items).expect("lines are plain data");
        Lines { items: items.into(), json: json.into() }
    }

    pub fn as_json(&self) -> &str {
        &self.json
    }

    pub fn pools(&self) -> impl Iterator<Item = &PoolKey> {
        self.items.iter().map(|line| &line.pool)
    }

    /// How many units of a pool, zero if none.
    pub fn quantity_of(&self, pool: &PoolKey) -> i64 {
        self.items.binary_search_by(|line| line.pool.cmp(pool)).map_or(0, |index| self.items[index].quantity)
    }

    /// The lines of `other` that ask for more than there is here.
    pub(super) fn exceeded_by(&self, other: &Lines) -> Vec<PoolKey> {
        let exceeds = |line: &&Line| line.quantity > self.quantity_of(&line.pool);
        other.iter().filter(exceeds).map(|line| line.pool.clone()).collect()
    }

    /// `self − minus + plus`, without the lines that come to nothing.
    pub(super) fn changed_by(&self, minus: Option<&Lines>, plus: Option<&Lines>) -> Lines {
        let of = |lines: Option<&Lines>, pool: &PoolKey| lines.map_or(0, |lines| lines.quantity_of(pool));
        let added = plus.iter().flat_map(|lines| lines.pools()).filter(|pool| self.quantity_of(pool) == 0);
        let mut lines: Vec<Line> = self
            .pools()
            .chain(added)
            .map(|pool| Line {
                pool: pool.clone(),
                quantity: self.quantity_of(pool).strict_sub(of(minus, pool)).strict_add(of(plus, pool)),
            })
            .filter(|line| line.quantity != 0)
            .collect();
        lines.sort();
        Lines::from_sorted(lines)
    }
}

impl ColumnValue for Lines {
    const TYPE: ColumnType = ColumnType::Json;

    fn value(&self) -> Value<'_> {
        Value::Text(&self.json)
    }

    fn from_value(value: Value<'_>) -> Result<Lines, Corrupt> {
        serde_json::from_str(value.text()?).map_err(|error| Corrupt::new(error.to_string()))
    }
}

impl std::ops::Deref for Lines {
    type Target = [Line];
    fn deref(&self) -> &[Line] {
        &self.items
    }
}

impl PartialEq for Lines {
    fn eq(&self, other: &Lines) -> bool {
        self.items == other.items
    }
}

impl Eq for Lines {}

impl Serialize for Lines {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self.items.serialize(serializer)
    }
}

impl<'de> Deserialize<'de> for Lines {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Lines, D::Error> {
        Lines::read(Vec::deserialize(deserializer)?).map_err(Error::custom)
    }
}

impl Serialize for Line {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        (&self.pool.resource, self.pool.slot, self.quantity).serialize(serializer)
    }
}

impl<'de> Deserialize<'de> for Line {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Line, D::Error> {
        let (resource, slot, quantity) = <(ResourceName, Slot, i64)>::deserialize(deserializer)?;
        Ok(Line { pool: PoolKey { resource, slot }, quantity })
    }
}

/// Lines as they are sent: a list of objects, where what is stored is a list of lists.
#[derive(Clone, Debug)]
pub struct LinesSent(pub Lines);

impl Serialize for LinesSent {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        #[derive(Serialize)]
        struct LineSent<'a> {
            resource: &'a str,
            slot: &'a str,
            quantity: i64,
        }
        serializer.collect_seq(self.0.iter().map(|Line { pool, quantity }| LineSent {
            resource: pool.resource.as_str(),
            slot: pool.slot.as_str(),
            quantity: *quantity,
        }))
    }
}

impl<'de> Deserialize<'de> for LinesSent {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<LinesSent, D::Error> {
        #[derive(Deserialize)]
        struct LineSent {
            #[serde(flatten)]
            pool: PoolKey,
            quantity: i64,
        }
        let lines = Vec::<LineSent>::deserialize(deserializer)?;
        let lines = lines.into_iter().map(|LineSent { pool, quantity }| Line { pool, quantity }).collect();
        Lines::read(lines).map(LinesSent).map_err(Error::custom)
    }
}

impl Sent for LinesSent {
    type Value = Lines;
    const SHAPE: &'static Shape = &Shape::List(&Shape::Component("Line"));

    fn send<M: SerializeMap>(name: &'static str, lines: &Lines, object: &mut M) -> Result<(), M::Error> {
        object.serialize_entry(name, &LinesSent(lines.clone()))
    }

    fn receive(name: &str, object: &mut Map<String, serde_json::Value>) -> serde_json::Result<Lines> {
        let LinesSent(lines) = serde_json::from_value(object.remove(name).unwrap_or_default())?;
        Ok(lines)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn line(resource: &str, quantity: i64) -> Line {
        Line { pool: PoolKey { resource: ResourceName::new(resource).unwrap(), slot: Slot::NONE }, quantity }
    }

    fn lines(parts: &[(&str, i64)]) -> Result<Lines, Invalid> {
        Lines::new(parts.iter().map(|(resource, quantity)| line(resource, *quantity)).collect())
    }

    #[test]
    fn checked() {
        let check = |parts: &[(&str, i64)], expected: &str| {
            let verdict = lines(parts).map_or_else(|invalid| invalid.to_string(), |lines| lines.as_json().to_owned());
            assert_eq!(verdict, expected);
        };
        check(&[("b", 2), ("a", 1)], r#"[["a","",1],["b","",2]]"#);
        check(&[], "a hold has 1 to 100 lines, not 0");
        check(&[("a", 1), ("a", 2)], "a is listed twice; add the quantities up");
        check(&[("a", 0)], "the quantity of a is 0; it must be between 1 and 1000000");
        check(&[("a", -1)], "the quantity of a is -1; it must be between 1 and 1000000");
        check(&[("a", 1_000_001)], "the quantity of a is 1000001; it must be between 1 and 1000000");
        check(&[("a", i64::MAX)], "the quantity of a is 9223372036854775807; it must be between 1 and 1000000");
        let many: Vec<Line> = (0..101).map(|n| line(&format!("r{n}"), 1)).collect();
        assert_eq!(Lines::new(many), Err(Invalid::LineCount { lines: 101, lines_max: 100 }));
    }

    #[test]
    fn arithmetic() {
        let booked = lines(&[("a", 3), ("b", 1)]).unwrap();
        let changed = booked.changed_by(lines(&[("a", 1), ("b", 1)]).ok().as_ref(), lines(&[("c", 2)]).ok().as_ref());
        assert_eq!(changed, lines(&[("a", 2), ("c", 2)]).unwrap());
        assert_eq!(booked.exceeded_by(&lines(&[("a", 4), ("c", 1), ("b", 1)]).unwrap()).len(), 2);
        assert_eq!(booked.changed_by(Some(&booked), None).len(), 0);
    }
}
