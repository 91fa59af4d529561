//! Tenants, pools and holds: countable things that run out, and timed claims on them.
//! Knows nothing of rooms, seats, goods or stores, and of money only how it is written.
//! Imports: nothing.

mod api_key;
mod cells;
mod columns;
mod command;
pub mod commands;
mod described;
mod event;
mod facts;
mod hold;
mod ids;
mod invalid;
mod json;
mod json_list;
mod key_ref;
mod lines;
mod money;
mod names;
mod owner;
mod pool;
mod preparation;
mod record;
mod refusal;
pub(crate) mod refused;
mod reply;
pub(crate) mod reserved;
#[cfg(feature = "schema")]
pub(crate) mod schema;
mod tenant;
mod time;
mod words;

pub use api_key::{ApiKey, KeyId, KeyScope, KeyScopes, SecretHash};
pub use cells::{AnyRecordCells, Change, Encode, RemovedKey};
pub use columns::{ColumnValue, Columnar};
pub(crate) use columns::{Field, bytes_column, int_column, text_column};
pub use command::{Command, Halt, Reads, Stop};
pub(crate) use described::described;
pub use event::{DeclaredEvent, DeclaredField, Event, EventsCorrupt, Sent, Shape, decode_events};
pub(crate) use event::{events, sent};
pub use facts::{Facts, LapsedHolds};
pub use hold::{ConvertMode, Hold, HoldState, Kept};
pub(crate) use ids::uuid_v7;
pub use ids::{HoldId, TenantId};
pub use invalid::Invalid;
pub use json::Json;
pub use json_list::JsonList;
pub use key_ref::{KeyMode, KeyRef, KeyRefMalformed};
pub use lines::{LINES_MAX, Line, Lines, LinesSent, QUANTITY_MAX};
pub use money::{AMOUNT_MAX, Currency, NoDecimal, parse_decimal};
pub use names::{IdempotencyKey, KeyName, Metadata, NAME_BYTES_MAX, OwnerName, Reference, ResourceName, Slug, Title};
pub(crate) use names::{check_name, check_slug, check_text, checked_text, name, text};
pub use owner::Owner;
pub use pool::{Pool, PoolKey, UNITS_MAX};
pub use preparation::{Asked, Preparation, Prepared};
pub use record::{Column, ColumnType, Columns, Corrupt, Counters, Due, Record, Row, Stored, Table, Value};
pub use refusal::{Refusal, ShortLine};
pub(crate) use refused::refusals;
pub use refused::{Class, FieldSpec, PartSpec, RefusalData, RefusalSpec, Refused};
pub use reply::{KeptReply, ReplyKey};
pub(crate) use surehold_core_macros::{Columnar, Record};
pub use tenant::{HoldPolicy, SlugClaim, Tenant};
pub use time::{Slot, Timestamp};
pub(crate) use time::{date_from_text, date_text};
pub(crate) use words::words;

/// No command loads more than this: nothing may make everybody else wait.
pub const RECORDS_PER_COMMAND_MAX: usize = 2_000;

/// The tables of this module.
pub const TABLES: &[&Table] =
    &[SlugClaim::TABLE, Tenant::TABLE, Pool::TABLE, Hold::TABLE, Owner::TABLE, KeptReply::TABLE, ApiKey::TABLE];
