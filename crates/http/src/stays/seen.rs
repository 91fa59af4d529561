//! What views found about stays, as it travels.

use surehold_api::{Reservation, Stay};
use surehold_core::kernel::Timestamp;
use surehold_core::stays::commands::StayReply;
use surehold_engine::{ReservationView, StayView};

pub(super) fn stay_seen(StayView { stay, hold, guest, reservation }: StayView, now: Timestamp) -> Stay {
    Stay::seen(StayReply { stay, hold, reservation }, guest, now)
}

pub(super) fn reservation_seen(ReservationView { reservation, guest, payment }: ReservationView) -> Reservation {
    Reservation::seen(reservation, guest, payment)
}
