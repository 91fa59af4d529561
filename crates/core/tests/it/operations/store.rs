//! A store in a few maps: it loads what a command asks for, and writes the difference, through the columns of the
//! records. Nothing here knows any kind of record, so what it gives back has been written and read like in a database.

use std::collections::BTreeMap;
use std::vec;

use surehold_core::kernel::{
    AnyRecordCells, Asked, Change, Columns, Command, Corrupt, Event, Facts, Halt, LapsedHolds, Prepared, Reads, Record,
    Row, Stop, TenantId, Timestamp, Value, decode_events,
};
use uuid::Uuid;

/// More than any command needs; one that asks for ever is a failure.
const ROUNDS_MAX: usize = 40;

#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Cell {
    Null,
    Int(i64),
    Bool(bool),
    Text(String),
    Bytes(Vec<u8>),
    Uuid(Uuid),
    Time(Timestamp),
}

impl Cell {
    fn of(value: Value<'_>) -> Cell {
        match value {
            Value::Null => Cell::Null,
            Value::Int(int) => Cell::Int(int),
            Value::Bool(bool) => Cell::Bool(bool),
            Value::Text(text) => {
                assert!(!text.contains('\0'), "no database keeps U+0000 in a text: {text:?}");
                Cell::Text(text.to_owned())
            }
            Value::Bytes(bytes) => Cell::Bytes(bytes.to_owned()),
            Value::Uuid(uuid) => Cell::Uuid(uuid),
            Value::Time(time) => Cell::Time(time),
        }
    }

    fn value(&self) -> Value<'_> {
        match self {
            Cell::Null => Value::Null,
            Cell::Int(int) => Value::Int(*int),
            Cell::Bool(bool) => Value::Bool(*bool),
            Cell::Text(text) => Value::Text(text),
            Cell::Bytes(bytes) => Value::Bytes(bytes),
            Cell::Uuid(uuid) => Value::Uuid(*uuid),
            Cell::Time(time) => Value::Time(*time),
        }
    }
}

#[derive(Default)]
struct Written(Vec<Cell>);

impl<'a> Columns<'a> for Written {
    fn put(&mut self, value: Value<'a>) {
        self.0.push(Cell::of(value));
    }
}

struct Stored<'a>(std::slice::Iter<'a, Cell>);

impl Row for Stored<'_> {
    fn next_value(&mut self) -> Result<Value<'_>, Corrupt> {
        self.0.next().map(Cell::value).ok_or_else(|| Corrupt::new("a row that is too short"))
    }
}

/// Rows by their keys; the version is the last cell.
type Rows = BTreeMap<Vec<Cell>, Vec<Cell>>;

/// Everything about one tenant. A copy of it is a backup.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Store(BTreeMap<&'static str, Rows>);

#[derive(Debug)]
pub(crate) struct Done<T> {
    pub(crate) reply: T,
    pub(crate) replayed: bool,
    pub(crate) events: Vec<Event>,
    /// When the command says that a worker has something to do.
    pub(crate) wake_at: Option<Timestamp>,
}

impl Store {
    pub(crate) fn all<R: Record>(&self) -> Vec<R> {
        let rows = self.0.get(R::TABLE.name).into_iter().flatten();
        rows.map(|(_, row)| R::read(&mut Stored(row.iter())).unwrap()).collect()
    }

    pub(crate) fn get<R: Record>(&self, key: &R::Key) -> Option<R> {
        let mut columns = Written::default();
        R::write_key(key, &mut columns);
        let row = self.0.get(R::TABLE.name)?.get(&columns.0)?;
        Some(R::read(&mut Stored(row.iter())).unwrap())
    }

    /// One command, one batch. A refusal leaves everything as it was.
    pub(crate) fn run<C: Command>(&mut self, now: Timestamp, command: &C) -> Result<Done<C::Reply>, C::Refusal> {
        self.run_prepared(now, command, &Prepared::default()).expect("it asks for nothing")
    }

    /// The same with what was prepared for it, or what it still asks for.
    pub(crate) fn run_prepared<C: Command>(
        &mut self,
        now: Timestamp,
        command: &C,
        prepared: &Prepared,
    ) -> Result<Result<Done<C::Reply>, C::Refusal>, Asked> {
        // What was taken for absent and is there has the batch decided again.
        for distrust in [false, true] {
            let mut facts = Facts::new(TenantId(1), distrust);
            facts.set_now(now);
            let reply = match self.decide(&mut facts, command, prepared)? {
                Ok(reply) => reply,
                Err(refusal) => return Ok(Err(refusal)),
            };
            let replayed = facts.keep_changes();
            if let Some(after) = self.changed(&facts) {
                if replayed {
                    assert_eq!(events_of(&facts), [], "{} told of something it had not done", C::NAME);
                }
                *self = after;
                return Ok(Ok(Done { reply, replayed, events: events_of(&facts), wake_at: facts.worker_wake_at() }));
            }
        }
        panic!("{} inserts what is there", C::NAME);
    }

    /// Two commands in one batch: the second sees what the first did, and the difference is written once.
    pub(crate) fn run_batch<C: Command, D: Command<Refusal = C::Refusal>>(
        &mut self,
        now: Timestamp,
        first: &C,
        second: &D,
    ) -> Result<(), C::Refusal> {
        let mut facts = Facts::new(TenantId(1), true);
        facts.set_now(now);
        let nothing = Prepared::default();
        self.decide(&mut facts, first, &nothing).expect("it asks for nothing")?;
        facts.keep_changes();
        self.decide(&mut facts, second, &nothing).expect("it asks for nothing")?;
        facts.keep_changes();
        *self = self.changed(&facts).expect("nothing was assumed");
        Ok(())
    }

    fn decide<C: Command>(
        &self,
        facts: &mut Facts,
        command: &C,
        prepared: &Prepared,
    ) -> Result<Result<C::Reply, C::Refusal>, Asked> {
        command.reads(&mut Reads::new(facts));
        for _ in 0..ROUNDS_MAX {
            self.load(facts);
            facts.set_prepared(prepared.clone());
            match command.decide(facts) {
                Ok(reply) => return Ok(Ok(reply)),
                Err(Stop::Refused(refusal)) => match facts.drop_refused() {
                    Ok(()) => return Ok(Err(refusal)),
                    Err(Halt::Unloaded) => {}
                    Err(halt) => panic!("{} halts for {halt:?}", C::NAME),
                },
                Err(Stop::Halted(Halt::Unprepared)) => {
                    let asked = facts.take_asked().expect("it says what it asks for");
                    if facts.drop_refused().is_ok() {
                        return Err(asked);
                    }
                }
                Err(Stop::Halted(Halt::Unloaded)) => facts.drop_changes(),
                // No hold lapses here.
                Err(Stop::Halted(Halt::LapsedHolds)) => {
                    facts.drop_changes();
                    facts.set_lapsed_holds(LapsedHolds::NoneLeft);
                }
                Err(Stop::Halted(halt)) => panic!("{} halts for {halt:?}", C::NAME),
            }
        }
        panic!("{} is never decided", C::NAME);
    }

    /// How often a command has to wait for records, and how many it changes; it is not carried out.
    pub(crate) fn cost_of<C: Command<Refusal: std::fmt::Debug>>(&self, now: Timestamp, command: &C) -> (usize, usize) {
        let mut facts = Facts::new(TenantId(1), false);
        facts.set_now(now);
        command.reads(&mut Reads::new(&mut facts));
        for round in 1..=ROUNDS_MAX {
            self.load(&mut facts);
            match command.decide(&mut facts) {
                Ok(_) => {
                    facts.keep_changes();
                    let mut changes = 0;
                    facts.all_cells().for_each(|cells| cells.changes(&mut |_| changes += 1));
                    return (round, changes);
                }
                Err(Stop::Refused(refusal)) => panic!("{refusal:?}"),
                Err(Stop::Halted(_)) => facts.drop_changes(),
            }
        }
        panic!("{} is never decided", C::NAME);
    }

    fn load(&self, facts: &mut Facts) {
        for cells in facts.all_cells_mut() {
            let rows = self.0.get(cells.table().name);
            for row in asked(&**cells).filter_map(|key| rows?.get(&key)).collect::<Vec<_>>() {
                cells.absorb(&mut Stored(row.iter())).unwrap();
            }
            cells.settle();
        }
    }

    /// `None` if an insert meets a row.
    fn changed(&self, facts: &Facts) -> Option<Store> {
        let mut after = self.clone();
        let mut collision = false;
        for cells in facts.all_cells() {
            let rows = after.0.entry(cells.table().name).or_default();
            cells.changes(&mut |change| collision |= !write(rows, cells, change));
        }
        (!collision).then_some(after)
    }
}

fn asked(cells: &dyn AnyRecordCells) -> vec::IntoIter<Vec<Cell>> {
    let keys = (0..cells.asked_count()).map(|index| {
        let mut key = Written::default();
        cells.write_asked(index, &mut key);
        key.0
    });
    keys.collect::<Vec<_>>().into_iter()
}

fn write(rows: &mut Rows, cells: &dyn AnyRecordCells, change: Change<'_>) -> bool {
    let table = cells.table();
    let version_of = |row: &Vec<Cell>| row.last().cloned();
    match change {
        Change::Insert { record, version } => {
            let mut row = Written::default();
            record.encode(&mut row);
            assert_eq!(row.0.len(), table.columns.len(), "{} has its columns", table.name);
            let key = row.0[..table.key_columns].to_vec();
            row.0.push(Cell::Int(version));
            rows.insert(key, row.0).is_none()
        }
        Change::Update { record, version, stored } => {
            let mut row = Written::default();
            record.encode(&mut row);
            let known = rows.get_mut(&row.0[..table.key_columns].to_vec()).expect("an update finds its row");
            assert_eq!(version_of(known), Some(Cell::Int(stored.version)), "{} was changed behind", table.name);
            row.0.push(Cell::Int(version));
            for (index, column) in table.columns.iter().enumerate() {
                assert!(!column.fixed || known[index] == row.0[index], "{}.{} is fixed", table.name, column.name);
            }
            *known = row.0;
            true
        }
        Change::Delete { key, stored_version } => {
            let mut columns = Written::default();
            key.encode(&mut columns);
            let gone = rows.remove(&columns.0).expect("a delete finds its row");
            assert_eq!(version_of(&gone), Some(Cell::Int(stored_version)), "{} was changed behind", table.name);
            true
        }
    }
}

fn events_of(facts: &Facts) -> Vec<Event> {
    decode_events(facts.events().0).unwrap()
}
