//! What goes over the wire. Types in are apart from types out. How strictly requests are read is said in `strict.rs`.

mod batch;
mod calendar;
mod case;
mod day;
pub mod described;
mod event;
mod explain;
mod hold;
mod inbox;
mod key;
mod operation;
mod pool;
mod property;
mod quote;
mod repair;
mod reservation;
mod schedule;
mod stay;
pub mod stock;
mod timeline;
mod webhook;

pub use batch::{BatchCommand, BatchRequest, BatchResponse, BatchResult, CancelItem, ConvertItem, ExtendItem};
pub use calendar::{
    CALENDAR_PARTS_MAX, Calendar, CalendarChange, CalendarOutcome, CalendarPart, CalendarRates, CalendarRoomType,
    CalendarSet, Change, InventoryChange, NightRestrictions, OversoldNight, PutCalendar, RateChange, Weekday,
};
pub use case::{AssignCase, Case, CasePage, CaseState, Epoch};
pub use day::Day;
pub use event::{CaseName, Event, EventBody, EventPage, OperationName, render_event};
pub use explain::{Explanation, HoldOnPool};
pub use hold::{
    ConvertHold, ConvertMode, ExtendHold, GiveBack, Hold, HoldPage, HoldState, Kept, Line, MoveBooked, PlaceHold,
};
pub use inbox::{Delivered, DeliveryOutcome, ExpireHoldTask, Inbox, InboxPage, PutInbox, ShownInbox};
pub use key::{CreateKey, CreateTenant, Key, KeyPage, KeyScope, NewKey, Policy, RotateKey, Tenant, TenantPage};
pub use operation::{
    Act, Attempt, DeadLetter, Effect, EffectSettled, Operation, OperationActed, OperationPage, OperationSummary, Run,
    SettleEffect, Verdict, states,
};
pub use pool::{
    AdjustPool, Availability, Pool, PoolName, PoolPage, PoolPut, PutPool, PutPools, ResourceAvailability,
    SlotAvailability,
};
pub use property::{
    CancellationPolicy, Penalty, Property, PropertyPage, PropertyTerms, PutProperty, PutRatePlan, PutRoomType,
    RatePlan, RatePlanList, RoomType, RoomTypeList,
};
pub use quote::{AskQuote, NotForSaleReason, NotOffered, PricedNight, Quote, QuoteOption, WhyNotForSale};
pub use repair::{
    MakeRepairs, REPAIRS_MAX, RepairItem, RepairLock, RepairOutcome, RepairOwner, RepairPool, RepairResult, RepairsMade,
};
pub use reservation::{
    ChangeReservation, EndReservation, Payment, Reservation, ReservationPage, WalkIn, WantedRooms, words,
};
pub use schedule::{PutSchedule, Schedule, SchedulePage};
pub use stay::{
    BookedRooms, Checkout, ConfirmStay, CreateStay, Guest, GuestErased, PaymentPage, RequestCheckout, Stay, StayItem,
    StayPage,
};
pub use timeline::{Timeline, TimelineEntry, TimelineFact};
pub use webhook::{
    DeliveryState, EnableWebhookEndpoint, EndpointState, NewWebhookEndpoint, PutWebhookEndpoint, ReplayEvents,
    ReplayedEvents, RotateWebhookSecret, WebhookDelivery, WebhookDeliveryPage, WebhookEndpoint, WebhookEndpointPage,
};

/// The most items that a page has, and how many it has unless told.
pub const PAGE_ITEMS_MAX: u16 = 1_000;
pub const PAGE_ITEMS_DEFAULT: u16 = 100;
