//! Every record and every command. A new module adds its own behind the last ones.

use surehold_core::kernel::commands::*;
use surehold_core::kernel::*;
use surehold_core::operations::commands::*;
use surehold_core::operations::outbox::*;
use surehold_core::operations::*;
use surehold_core::repairs::*;
use surehold_core::stays::commands::*;
use surehold_core::stays::*;
use surehold_core::stock::commands::*;
use surehold_core::stock::*;

use super::records::Records;
use super::replies::Replies;

macro_rules! add_all {
    ($list:ident, $method:ident: $($type:ty),* $(,)?) => { $($list.$method::<$type>();)* };
}

pub(super) fn add_records(records: &mut Records) {
    add_all!(
        records, sampled: SlugClaim, Tenant, Pool, Hold, ApiKey, Schedule, Property, RoomType, RatePlan, RateMonth,
        Quote, Stay, Guest, Reservation, Payment, Store, Books, Product, Barcode, StockItem, Serial, StockDocument,
        DocumentPart, Move,
    );
    add_all!(
        records, read: Case, Owner, KeptReply, Operation, OperationRun, Effect, Attempt, CorrelatedOperation, DeadLetter,
        AggregateLock, WorkerBeat, Epoch, InboxEvent, InboxSecret, WebhookEndpoint, WebhookTail, RepairRecord,
        PaymentAlias,
    );
}

/// `EnqueueOperation` is added by itself.
pub(super) fn add_commands(replies: &mut Replies) {
    add_all!(
        replies, add: ClaimSlug, CreateTenant, SetPolicy, PutPool, PutPools, AdjustPool, GrantUnits, PlaceHold,
        ExtendHold, ConvertHold, CancelHold, ExpireHold, ExpireLapsedHolds, AnyHoldCommand, GiveBack, MoveBooked,
        CreateKey, RotateKey, RevokeKey, TrimJournal, RepairCommand, StartEffect, FinishEffect, RunStateOperation,
        FailOperation, HastenOperation, CancelOperation, RedriveOperation, SettleEffect, Beat, LeaveWork, RaiseEpoch,
        AssignCase, ResolveCase, PutInbox, RemoveInbox, ReceiveEvent, PutSchedule, RemoveSchedule, FireSchedules,
        PutEndpoint, RotateEndpointSecret, EnableEndpoint, RemoveEndpoint, FanOut, ReplayEvents, SkipMissedEvents,
        PutProperty, PutRoomType, PutRatePlan, SetCalendar, SaveQuote, PurgeQuotes, CreateStay, CancelStay,
        ConfirmStay, WalkIn, RequestCheckout, CancelReservation, NoShow, ChangeReservation, EraseGuest, PutStore,
        PutProduct, PutBarcodes, CloseBooks, SaveDraft, SavePart, PostDocument, ReverseDocument, PreviewDocument,
        SellHold, RevalueItem,
    );
}
