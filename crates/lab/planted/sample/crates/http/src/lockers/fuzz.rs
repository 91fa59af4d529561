//! What the fuzzer may reach of this module: its body and its query string.

use super::rentals::ListRentals;
use crate::readers::{Readers, taken, understood};
use crate::wire::lockers::RentLocker;

pub(super) const READERS: Readers = Readers {
    bodies: &[("RentLocker", |body| understood(body, |rent: RentLocker| rent.into_command()))],
    cursors: &[],
    queries: &[("lockers", |uri| taken::<ListRentals>(uri, |_| true))],
};
