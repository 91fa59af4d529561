//! Stays from the quote to the end, without HTTP and without a store.

mod paying;
mod reservations;
mod selling;

use jiff::civil::date;

use super::{CreateStay, SaveQuote, StayItem, WantedRooms};
use crate::kernel::{Command, HoldId, Reference};
use crate::stays::operations::tests::world::{TOTAL, World, double, hold_id, property};
use crate::stays::quote::QuoteRequest;
use crate::stays::{CancellationPolicy, GuestDetails, Penalty, QuoteId, QuoteOption, RatePlanCode, StayDates};

fn nights(from: i8, until: i8) -> StayDates {
    StayDates::new(date(2026, 12, from), date(2026, 12, until)).unwrap()
}

fn wanted(plan: &str, rooms: u32) -> Vec<WantedRooms> {
    vec![WantedRooms { room_type: double(), rate_plan: RatePlanCode::new(plan).unwrap(), rooms }]
}

fn quote_id() -> QuoteId {
    QuoteId::new(hold_id(77).uuid()).unwrap()
}

/// One room for two nights, flexible (1) or fixed (2).
fn save_quote(world: &mut World) -> QuoteId {
    save_quote_of(world, 1)
}

fn save_quote_of(world: &mut World, rooms: u32) -> QuoteId {
    let option = |number, plan: &str, cancellation| QuoteOption {
        number,
        room_type: double(),
        rate_plan: RatePlanCode::new(plan).unwrap(),
        prices: vec![TOTAL / 2; 2],
        total: TOTAL.strict_mul(i64::from(rooms)),
        available: i64::from(rooms),
        cancellation,
    };
    let penalty = |penalty, free_until_hours| CancellationPolicy { free_until_hours, penalty, no_show: Penalty::All };
    let options = vec![
        option(1, "flexible", penalty(Penalty::Nights(1), Some(48))),
        option(2, "fixed", penalty(Penalty::Percent(50), None)),
    ];
    let request = QuoteRequest::new(property(), nights(1, 3), 2, rooms).unwrap();
    world.run(&SaveQuote::new(quote_id(), request, options).unwrap()).unwrap();
    quote_id()
}

fn ann() -> GuestDetails {
    GuestDetails { name: Some("Ann Example".into()), email: Some("ann@example.org".into()), phone: None }
}

fn create(hold: HoldId, option: u16) -> CreateStay {
    let item = StayItem { option, rooms: 1 };
    let create = CreateStay::new(hold, quote_id(), vec![item]).unwrap().guest(ann()).unwrap();
    create.conversation(Reference::new("chat-1").unwrap())
}

/// What a command says, or why it does not.
fn told<C: Command<Refusal = crate::stays::StayRefusal>>(
    world: &mut World,
    command: &C,
    show: impl Fn(C::Reply) -> String,
) -> String {
    world.run(command).map_or_else(|refusal| refusal.to_string(), show)
}
