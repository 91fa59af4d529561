//! What the derives generate: the descriptor, the key, and values there and back.

use crate::kernel::{Column, ColumnType, Columnar, Field, JsonList, Record, Timestamp, Value};
use smol_str::SmolStr;

#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Columnar)]
struct Place {
    store: SmolStr,
    #[column(name = "shelf_number")]
    shelf: u16,
}

#[derive(Clone, Debug, PartialEq, Columnar)]
struct Seal {
    by: Option<SmolStr>,
    at: Timestamp,
}

#[derive(Clone, Debug, PartialEq, Record)]
#[record(
    table = "parcels",
    remembered,
    due(column = "opens_at", filter = "opens_at is not null", records_max = 7, at = self.opens_at)
)]
struct Parcel {
    #[column(key)]
    number: i64,
    #[column(key)]
    place: Place,
    #[column(fixed, json)]
    labels: SmolStr,
    #[column(counter)]
    pieces: i64,
    opens_at: Option<Timestamp>,
    #[column(name = "sealed_by", name = "sealed_at")]
    seal: Option<Seal>,
    version: i64,
}

#[derive(Clone, Debug, PartialEq, Record)]
#[record(table = "notes", fixed)]
struct Note {
    text: SmolStr,
    read: bool,
    version: i64,
}

fn described(columns: &[Column]) -> String {
    let line = |column: &Column| {
        let is_fixed = if column.fixed { " fixed" } else { "" };
        let is_counter = if column.is_counter { " counter" } else { "" };
        format!("{} {:?}{is_fixed}{is_counter}", column.name, column.kind)
    };
    columns.iter().map(line).collect::<Vec<_>>().join(", ")
}

#[test]
fn descriptors() {
    assert_eq!(
        described(Parcel::TABLE.columns),
        "number Int fixed, store Text fixed, shelf_number Int fixed, labels Json fixed, pieces Int counter, opens_at Time, \
         sealed_by Text, sealed_at Time"
    );
    assert_eq!((Parcel::TABLE.name, Parcel::TABLE.key_columns, Parcel::IS_REMEMBERED), ("parcels", 3, true));
    let due = Parcel::TABLE.due.as_ref().unwrap();
    assert_eq!((due.column, due.filter, due.records_max), ("opens_at", "opens_at is not null", 7));

    assert_eq!(described(Note::TABLE.columns), "text Text fixed, read Bool fixed");
    assert_eq!((Note::TABLE.key_columns, Note::IS_REMEMBERED, Note::TABLE.due.is_none()), (0, false, true));
}

fn read<R: Record>(values: &[Value<'_>]) -> Result<R, String> {
    let mut row = Vec::from(values).into_iter();
    let record = R::read(&mut row).map_err(|corrupt| corrupt.what)?;
    assert_eq!(row.count(), 0, "all is read");
    Ok(record)
}

fn full() -> Parcel {
    let at = Timestamp::from_micros(5);
    Parcel {
        number: 1,
        place: Place { store: "shop".into(), shelf: 2 },
        labels: "[]".into(),
        pieces: 3,
        opens_at: Some(Timestamp::from_micros(4)),
        seal: Some(Seal { by: Some("ada".into()), at }),
        version: 6,
    }
}

const TIME: fn(i64) -> Value<'static> = |micros| Value::Time(Timestamp::from_micros(micros));

#[test]
fn values_there_and_back() {
    let check = |record: Parcel, last: [Value<'_>; 3]| {
        let mut written = Vec::new();
        record.write(&mut written);
        let first = [Value::Int(1), Value::Text("shop"), Value::Int(2), Value::Text("[]"), Value::Int(3)];
        assert_eq!(written, [first.as_slice(), &last].concat());
        written.push(Value::Int(record.version));
        assert_eq!(read::<Parcel>(&written), Ok(record.clone()));
    };
    check(full(), [TIME(4), Value::Text("ada"), TIME(5)]);
    check(Parcel { opens_at: None, seal: None, ..full() }, [Value::Null; 3]);
    let seal = Some(Seal { by: None, at: Timestamp::from_micros(5) });
    check(Parcel { seal, ..full() }, [TIME(4), Value::Null, TIME(5)]);
}

#[test]
fn what_is_read_of_a_row() {
    let check = |index: usize, value: Value<'_>, expected: Result<Parcel, &str>| {
        let [label, shop, ada] = ["[]", "shop", "ada"].map(Value::Text);
        let mut values =
            [Value::Int(1), shop, Value::Int(2), label, Value::Int(3), TIME(4), ada, TIME(5), Value::Int(6)];
        values[index] = value;
        assert_eq!(read(&values), expected.map_err(str::to_owned), "{value:?}");
    };
    check(4, Value::Int(3), Ok(full()));
    check(5, Value::Null, Ok(Parcel { opens_at: None, ..full() }));
    check(6, Value::Null, Ok(Parcel { seal: Some(Seal { by: None, at: Timestamp::from_micros(5) }), ..full() }));
    check(7, Value::Null, Err("null in a column whose neighbours have a value"));
    check(1, Value::Null, Err("Null where a text was expected"));
    check(2, Value::Int(70_000), Err("the number 70000 is out of range"));
    check(5, Value::Bool(true), Err("Bool(true) where an instant was expected"));
    check(8, Value::Null, Err("Null where an integer was expected"));
}

/// A group in a group, and a list that is stored as null when it is empty.
#[derive(Clone, Debug, PartialEq, Columnar)]
struct Label {
    place: Place,
    lines: JsonList<SmolStr>,
    seal: Option<Seal>,
}

#[test]
fn a_group_is_there_or_not() {
    const SHOP: Value<'_> = Value::Text("shop");
    const SHELF: Value<'_> = Value::Int(2);
    const LINES: Value<'_> = Value::Text("[\"a\"]");
    const ADA: Value<'_> = Value::Text("ada");
    const NULL: Value<'_> = Value::Null;
    let check = |values: [Value<'_>; 5], expected: Result<Option<(usize, bool)>, &str>| {
        let read = <Option<Label> as Columnar>::take(&mut Vec::from(values).into_iter());
        let read = read.map(|label| label.map(|label| (label.lines.len(), label.seal.is_some())));
        assert_eq!(read.map_err(|corrupt| corrupt.what), expected.map_err(str::to_owned), "{values:?}");
    };
    let half = Err("null in a column whose neighbours have a value");
    check([NULL; 5], Ok(None));
    check([SHOP, SHELF, LINES, ADA, TIME(5)], Ok(Some((1, true))));
    check([SHOP, SHELF, NULL, NULL, TIME(5)], Ok(Some((0, true))));
    check([SHOP, SHELF, NULL, NULL, NULL], Ok(Some((0, false))));
    check([SHOP, SHELF, NULL, ADA, NULL], half);
    check([SHOP, NULL, NULL, NULL, NULL], half);
    check([NULL, NULL, LINES, NULL, NULL], half);
    check([NULL, NULL, NULL, ADA, TIME(5)], half);
    check([NULL, NULL, NULL, ADA, NULL], half);
    check([SHOP, Value::Int(70_000), NULL, NULL, NULL], Err("the number 70000 is out of range"));
}

/// In a record this is an error of the compiler, at the field.
#[test]
fn what_may_be_null_in_all_its_columns() {
    let check = |may_be_null: [bool; 2]| assert_eq!(may_be_null, [false, true]);
    check([SmolStr::MAY_BE_NULL, Option::<SmolStr>::MAY_BE_NULL]);
    check([Place::MAY_BE_NULL, JsonList::<SmolStr>::MAY_BE_NULL]);
    check([Seal::MAY_BE_NULL, GuestBook::MAY_BE_NULL]);
}

#[derive(Columnar)]
struct GuestBook {
    host: Option<SmolStr>,
    guests: JsonList<SmolStr>,
}

#[test]
fn keys_counters_and_what_is_due() {
    let mut record = full();
    let key = record.key();
    assert_eq!(key, (1, Place { store: "shop".into(), shelf: 2 }));
    let mut written = Vec::new();
    Parcel::write_key(&key, &mut written);
    assert_eq!(written, [Value::Int(1), Value::Text("shop"), Value::Int(2)]);
    assert_eq!((record.counters(), record.due_at()), ([3, 0], Some(Timestamp::from_micros(4))));
    record.set_version(7);
    assert_eq!(record.version(), 7);

    let note = Note { text: "hello".into(), read: false, version: 1 };
    let mut written = Vec::new();
    Note::write_key(&(), &mut written);
    assert_eq!((written, note.counters(), note.due_at()), (vec![], [0, 0], None));
}

/// In a record these are errors of the compiler, at the field.
#[test]
#[should_panic(expected = "a field has as many names as columns")]
fn too_few_names() {
    let _ = Field::of::<Place>("place").named(&["store"]);
}

#[test]
#[should_panic(expected = "a counter is a number")]
fn a_counter_of_text() {
    let _ = Field::of::<SmolStr>("text").counter();
}

#[test]
#[should_panic(expected = "only a text may be JSON")]
fn json_of_a_number() {
    let _ = Field::of::<i64>("number").json();
}

#[test]
fn a_column_is_called_as_its_field_unless_its_type_says_otherwise() {
    let named = |field: Field| described(&Field::columns::<1>(&[field]));
    assert_eq!(named(Field::of::<bool>("posted")), "posted Bool");
    assert_eq!(named(Field::of::<Option<bool>>("posted").named(&["done"])), "done Bool");
    assert_eq!(
        Place::COLUMNS.iter().map(|column| column.kind).collect::<Vec<_>>(),
        [ColumnType::Text, ColumnType::Int]
    );
}
