//! Holding rooms that were quoted.

use serde::{Deserialize, Serialize};

use super::rooms::{NewStay, ask_for_rooms, check_rooms, insert_stay, priced};
use super::{Decision, known_property};
use crate::kernel::commands::PlaceHold;
use crate::kernel::{Command, Facts, Hold, HoldId, Invalid, Reads, Reference, Refusal, Stop, Tenant};
use crate::stays::{
    Guest, GuestDetails, Property, Quote, QuoteId, QuoteOption, Reservation, Stay, StayRefusal, StayRoom,
};

const ITEMS_MAX: usize = 20;

/// So many rooms of an option of the quote.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct StayItem {
    pub option: u16,
    pub rooms: u32,
}

/// A stay, its hold as everybody sees it now, and the reservation if there is one. Nothing about guests: replies are kept.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct StayReply {
    pub stay: Stay,
    pub hold: Hold,
    pub reservation: Option<Reservation>,
}

pub(super) fn stay_reply(facts: &mut Facts, id: HoldId) -> Decision<StayReply> {
    let now = facts.now();
    let stay = facts.get::<Stay>(&id)?.ok_or(StayRefusal::StayNotFound { hold: id })?.clone();
    let hold = facts.get::<Hold>(&id)?.ok_or(Refusal::HoldNotFound { hold: id })?.as_of(now);
    let reservation = facts.get::<Reservation>(&id)?.cloned();
    Ok(StayReply { stay, hold, reservation })
}

/// Holds rooms at the price that was quoted. A repeat with the same id and the same content is answered with the stay as
/// it is now.
///
/// Refuses, in this order: no such quote; no such option; id used with other content; the quote is no longer good; other
/// rooms than were asked for in the quote; a rate plan that is not sold; a price that has changed; too many lines; then
/// as [`PlaceHold`] does.
#[derive(Clone, Debug)]
pub struct CreateStay {
    hold: HoldId,
    quote: QuoteId,
    items: Vec<StayItem>,
    guest: GuestDetails,
    conversation: Option<Reference>,
    lifetime_secs: Option<i64>,
}

impl CreateStay {
    pub fn new(hold: HoldId, quote: QuoteId, items: Vec<StayItem>) -> Result<CreateStay, Invalid> {
        check_rooms(items.iter().map(|item| item.rooms), ITEMS_MAX)?;
        for (index, item) in items.iter().enumerate() {
            if items.iter().take(index).any(|other| other.option == item.option) {
                return Err(Invalid::ListedTwice { what: format!("option {}", item.option) });
            }
        }
        let guest = GuestDetails::default();
        Ok(CreateStay { hold, quote, items, guest, conversation: None, lifetime_secs: None })
    }

    pub fn guest(mut self, guest: GuestDetails) -> Result<CreateStay, Invalid> {
        guest.check()?;
        self.guest = guest;
        Ok(self)
    }

    #[must_use]
    pub fn conversation(mut self, conversation: Reference) -> CreateStay {
        self.conversation = Some(conversation);
        self
    }

    /// Instead of what the property's terms say.
    #[must_use]
    pub fn lifetime_secs(mut self, secs: i64) -> CreateStay {
        self.lifetime_secs = Some(secs);
        self
    }

    fn options<'q>(&self, quote: &'q Quote) -> Decision<Vec<(&'q QuoteOption, u32)>> {
        let mut options = Vec::with_capacity(self.items.len());
        for item in &self.items {
            let missing = StayRefusal::OptionNotFound { quote: quote.id, option: item.option };
            options.push((quote.option(item.option).ok_or(missing)?, item.rooms));
        }
        Ok(options)
    }

    fn is_request_of(&self, stay: &Stay, options: &[(&QuoteOption, u32)], guest: Option<&Guest>) -> bool {
        let wanted = options.iter().map(|(option, rooms)| (&option.room_type, &option.rate_plan, *rooms));
        let held = stay.rooms.iter().map(|room| (&room.room_type, &room.rate_plan, room.rooms));
        // Who was erased cannot be compared with.
        let same_guest = guest.is_none_or(|guest| guest.erased_at.is_some() || guest.details == self.guest);
        stay.quote == Some(self.quote) && stay.conversation == self.conversation && wanted.eq(held) && same_guest
    }
}

impl Command for CreateStay {
    const NAME: &'static str = "create_stay";
    type Reply = StayReply;
    type Refusal = StayRefusal;

    fn reads(&self, reads: &mut Reads<'_>) {
        reads.record::<Tenant>(&());
        reads.record::<Quote>(&self.quote);
        reads.expect_absent::<Stay>(&self.hold);
        reads.expect_absent::<Guest>(&self.hold);
        reads.expect_absent::<Hold>(&self.hold);
    }

    fn decide(&self, facts: &mut Facts) -> Result<StayReply, Stop<StayRefusal>> {
        let missing = StayRefusal::QuoteNotFound { quote: self.quote };
        let quote = facts.get::<Quote>(&self.quote)?.ok_or(missing)?.clone();
        let options = self.options(&quote)?;
        if let Some(stay) = facts.expect_absent::<Stay>(&self.hold)?.cloned() {
            let guest = facts.get::<Guest>(&self.hold)?.cloned();
            if !self.is_request_of(&stay, &options, guest.as_ref()) {
                return Err(StayRefusal::StayIdReused { hold: self.hold }.into());
            }
            facts.mark_replayed();
            return stay_reply(facts, self.hold);
        }
        // A hold that is no stay's.
        if facts.expect_absent::<Hold>(&self.hold)?.is_some() {
            return Err(Refusal::HoldIdReused { hold: self.hold }.into());
        }
        if !quote.is_good(facts.now()) {
            return Err(StayRefusal::QuoteExpired { quote: quote.id, valid_until: quote.valid_until }.into());
        }
        let wanted = options.iter().map(|(option, rooms)| (&option.room_type, &option.rate_plan, *rooms));
        ask_for_rooms(facts, &quote.property, wanted, quote.dates);
        let property = known_property(facts, &quote.property)?;
        let rooms = check_price(facts, &property, &quote, &options)?;
        let new = NewStay {
            hold: self.hold,
            property,
            quote: Some(self.quote),
            conversation: self.conversation.clone(),
            dates: quote.dates,
            rooms,
            guest: self.guest.clone(),
        };
        let secs = self.lifetime_secs.unwrap_or(new.property.terms.hold_secs);
        let place = PlaceHold::new(self.hold, new.lines()?).lifetime_secs(secs).map_err(StayRefusal::from)?;
        let place = match &self.conversation {
            Some(conversation) => place.reference(conversation.clone()),
            None => place,
        };
        let hold = place.decide(facts)?.hold;
        let stay = insert_stay(facts, new);
        Ok(StayReply { stay, hold, reservation: None })
    }
}

/// The rooms as they are sold now, for the price that was quoted.
fn check_price(
    facts: &mut Facts,
    property: &Property,
    quote: &Quote,
    options: &[(&QuoteOption, u32)],
) -> Decision<Vec<StayRoom>> {
    let rooms: u32 = options.iter().map(|(_, rooms)| *rooms).sum();
    if rooms != quote.rooms {
        let (amount, quoted) = (i64::from(rooms), i64::from(quote.rooms));
        let what = "the number of rooms".to_owned();
        return Err(StayRefusal::from(Invalid::Amount { what, amount, amount_min: quoted, amount_max: quoted }).into());
    }
    let mut priced_rooms = Vec::with_capacity(options.len());
    for (option, rooms) in options {
        let now = priced(facts, property, &option.room_type, &option.rate_plan, quote.dates)?;
        if now.prices != option.prices {
            return Err(StayRefusal::PriceChanged {
                room_type: option.room_type.clone(),
                rate_plan: option.rate_plan.clone(),
                price_quoted: option.prices.iter().sum(),
                price_now: now.prices.iter().sum(),
            }
            .into());
        }
        // The conditions are those that were shown.
        priced_rooms.push(StayRoom { rooms: *rooms, cancellation: option.cancellation, ..now });
    }
    Ok(priced_rooms)
}
