//! What is written must come back: records through their columns, replies through their JSON.

use serde::Serialize;
use serde::de::DeserializeOwned;
use surehold_core::kernel::{Record, Value};

use crate::state::State;

pub(crate) fn check_records(state: &State) {
    state.tenant.iter().for_each(check_record);
    state.slugs.values().for_each(check_record);
    state.pools.values().for_each(check_record);
    state.holds.values().for_each(check_record);
    state.owners.values().for_each(check_record);
    state.keys.values().for_each(check_record);
}

/// A kept reply is sent again later, so it must survive being stored.
pub(crate) fn check_reply<T: Serialize + DeserializeOwned>(reply: &T) {
    let json = serde_json::to_string(reply).unwrap();
    let read: T = serde_json::from_str(&json).unwrap_or_else(|error| panic!("{error} in {json}"));
    assert_eq!(serde_json::to_string(&read).unwrap(), json);
}

pub(crate) fn check_record<R: Record>(record: &R) {
    let mut written = Vec::new();
    record.write(&mut written);
    assert_eq!(written.len(), R::TABLE.columns.len(), "{} has its columns", R::TABLE.name);

    let (key, mut key_written) = (record.key(), Vec::new());
    R::write_key(&key, &mut key_written);
    assert_eq!(key_written, written[..R::TABLE.key_columns], "the key of {} comes first", R::TABLE.name);

    written.push(Value::Int(record.version()));
    let mut row = written.into_iter();
    assert_eq!(R::read(&mut row).unwrap(), *record);
    assert_eq!(row.count(), 0, "{} is read to its end", R::TABLE.name);
}
