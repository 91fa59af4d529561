//! Guests of a small hotel race for its last rooms and pay, and an auditor says whether they were told the truth.
//!
//! | file | what it has |
//! |---|---|
//! | `guests/` | what they do; checks nothing |
//! | `book.rs` | what they ask and are told, as it is written down |
//! | `hotel.rs` | the hotel of one run, and the simulated Stripe that it is paid through |
//! | `collect.rs` | what has become of it all, by a healed server and by Stripe's books |
//! | `auditor/` | says what cannot be |

mod auditor;
mod book;
mod collect;
mod guests;
mod hotel;

use super::crowd::Crowd;

pub use auditor::{PaymentSeen, StaySeen, StaysChecked, StaysState, judge_stays};
pub use book::{GuestAnswer, GuestAsk, GuestEntry, Nights, PaidBy, ReservationSeen};
pub use collect::collect_stays;
pub use guests::{open_hotel, run_guests};

const TENANT: &str = "hotel";
/// So many clients for each guest.
const CLIENTS_PER_GUEST: usize = 2;
const GUESTS_MIN: usize = 2;

pub(super) const CROWD: Crowd = Crowd {
    title: "The hotel",
    tenant: TENANT,
    people: |clients| (clients / CLIENTS_PER_GUEST).max(GUESTS_MIN),
    book: "guests.jsonl",
    final_state: "guests-final.json",
    functions: book::FUNCTIONS,
    floors_from_requests: auditor::FLOORS_FROM_REQUESTS,
    start: |seed| Box::pin(hotel::start(seed)),
};
