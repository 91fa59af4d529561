//! The pure domain. Everything here is a function of its arguments: no I/O, no async, no clock, no randomness.
//!
//! Start reading at [`kernel::Command`], then [`kernel::Facts`], then the commands in `kernel/commands/`.

pub mod kernel;
pub mod operations;
pub mod repairs;
pub mod stays;
pub mod stock;

use kernel::{ApiKey, Hold, KeptReply, Owner, Pool, Record, SlugClaim, Table, Tenant};
use operations::outbox::{WebhookEndpoint, WebhookTail};
use operations::{
    AggregateLock, Attempt, Case, CorrelatedOperation, DeadLetter, Effect, Epoch, InboxEvent, InboxSecret, Operation,
    OperationRun, Schedule, WorkerBeat,
};
use repairs::RepairRecord;
use stays::{Guest, Payment, PaymentAlias, Reservation, Stay};
use stays::{Property, Quote, RateMonth, RatePlan, RoomType};
use stock::{Barcode, Books, DocumentPart, Move, Product, Serial, StockDocument, StockItem, Store};

/// Every table that a store must be able to load and write.
pub const TABLES: &[&Table] = &[
    SlugClaim::TABLE,
    Tenant::TABLE,
    Pool::TABLE,
    Hold::TABLE,
    Owner::TABLE,
    KeptReply::TABLE,
    ApiKey::TABLE,
    Operation::TABLE,
    OperationRun::TABLE,
    Effect::TABLE,
    Attempt::TABLE,
    CorrelatedOperation::TABLE,
    DeadLetter::TABLE,
    AggregateLock::TABLE,
    Case::TABLE,
    WorkerBeat::TABLE,
    Epoch::TABLE,
    InboxEvent::TABLE,
    InboxSecret::TABLE,
    Schedule::TABLE,
    WebhookEndpoint::TABLE,
    WebhookTail::TABLE,
    RepairRecord::TABLE,
    Property::TABLE,
    RoomType::TABLE,
    RatePlan::TABLE,
    RateMonth::TABLE,
    Quote::TABLE,
    Stay::TABLE,
    Guest::TABLE,
    Reservation::TABLE,
    Payment::TABLE,
    PaymentAlias::TABLE,
    Store::TABLE,
    Books::TABLE,
    Product::TABLE,
    Barcode::TABLE,
    StockItem::TABLE,
    Serial::TABLE,
    StockDocument::TABLE,
    DocumentPart::TABLE,
    Move::TABLE,
];
