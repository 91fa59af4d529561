//! Properties, quotes, stays and reservations.

mod calendar;
mod calendar_rows;
mod calls;
mod property;
mod quote;
mod reservation;
mod stay;

pub use calendar::{
    CALENDAR_PARTS_MAX, Calendar, CalendarChange, CalendarOutcome, CalendarPart, CalendarRates, CalendarRoomType,
    CalendarSet, Change, InventoryChange, NightRestrictions, OversoldNight, PutCalendar, RateChange, Weekday,
};
pub use calendar_rows::{
    CALENDAR_ROWS_MAX, CALENDAR_ROWS_NIGHTS_MAX, CalendarRowsSet, OversoldRooms, PutCalendarRows, RefusedRow,
};
pub use calls::*;
pub use property::{
    CancellationPolicy, Penalty, Property, PropertyPage, PropertyTerms, PutProperty, PutRatePlan, PutRoomType,
    RatePlan, RatePlanList, RoomType, RoomTypeList,
};
pub use quote::{AskQuote, NotForSaleReason, NotOffered, PricedNight, Quote, QuoteOption, WhyNotForSale};
pub use reservation::{ChangeReservation, EndReservation, Payment, Reservation, ReservationPage, WalkIn, WantedRooms};
pub use stay::{
    BookedRooms, Checkout, ConfirmStay, CreateStay, Guest, GuestErased, PaymentPage, RequestCheckout, Stay, StayItem,
    StayPage,
};
