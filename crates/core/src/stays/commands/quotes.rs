//! Keeping what was offered.

use super::{Decision, known_property};
use crate::kernel::commands::{ID_AGE_SECS_MAX, ID_AHEAD_SECS_MAX};
use crate::kernel::{AMOUNT_MAX, Command, Facts, Invalid, Json, Reads, Stop, Tenant};
use crate::stays::quote::{QUOTE_OPTIONS_MAX, QuoteRequest};
use crate::stays::{Property, Quote, QuoteId, QuoteOption, QuoteOptions, StayRefusal, StaysEvent};

/// Stores what was computed; it is good from now on, for as long as the property's terms say. The id is that of the
/// request: a repeat for the same wish is answered with the quote as it was made first, whatever nights cost by now.
///
/// Refuses, in this order: no such tenant; no such property; id outside its window; id used for another wish.
#[derive(Clone, Debug)]
pub struct SaveQuote {
    id: QuoteId,
    request: QuoteRequest,
    /// In the form in which it is kept, which is worked out before its turn.
    options: Json<QuoteOptions>,
}

impl SaveQuote {
    /// 1 to 200 options, numbered from 1, each with a price for every night.
    pub fn new(id: QuoteId, request: QuoteRequest, options: Vec<QuoteOption>) -> Result<SaveQuote, Invalid> {
        if !(1..=QUOTE_OPTIONS_MAX).contains(&options.len()) {
            let what = "options".to_owned();
            return Err(Invalid::ItemCount { what, items: options.len(), items_max: QUOTE_OPTIONS_MAX });
        }
        for (number, option) in (1_u16..).zip(&options) {
            check_option(&request, number, option)?;
        }
        Ok(SaveQuote { id, request, options: QuoteOptions::from(options).into() })
    }

    fn check_id_window(&self, facts: &Facts) -> Decision<()> {
        let made_after = facts.now().plus_secs(ID_AGE_SECS_MAX.strict_neg());
        let made_before = facts.now().plus_secs(ID_AHEAD_SECS_MAX);
        let made_at = self.id.made_at();
        let inside = made_after <= made_at && made_at <= made_before;
        let outside = || StayRefusal::QuoteIdOutsideWindow { quote: self.id, made_after, made_before };
        if inside { Ok(()) } else { Err(outside().into()) }
    }
}

fn check_option(request: &QuoteRequest, number: u16, option: &QuoteOption) -> Result<(), Invalid> {
    let amount = |what: &str, amount: i64, amount_min: i64, amount_max: i64| {
        let what = format!("{what} of option {number}");
        let sane = (amount_min..=amount_max).contains(&amount);
        if sane { Ok(()) } else { Err(Invalid::Amount { what, amount, amount_min, amount_max }) }
    };
    amount("the number", i64::from(option.number), i64::from(number), i64::from(number))?;
    let nights = i64::try_from(option.prices.len()).unwrap_or(i64::MAX);
    amount("the number of prices", nights, request.dates().nights_count(), request.dates().nights_count())?;
    option.prices.iter().try_for_each(|price| amount("a price", *price, 0, AMOUNT_MAX))?;
    let total = request.total_of(&option.prices);
    amount("the total", option.total, total, total)?;
    option.cancellation.check()
}

impl Command for SaveQuote {
    const NAME: &'static str = "save_quote";
    type Reply = Quote;
    type Refusal = StayRefusal;

    fn reads(&self, reads: &mut Reads<'_>) {
        reads.record::<Tenant>(&());
        reads.record::<Property>(self.request.property());
        reads.expect_absent::<Quote>(&self.id);
    }

    fn decide(&self, facts: &mut Facts) -> Result<Quote, Stop<StayRefusal>> {
        let property = known_property(facts, self.request.property())?;
        self.check_id_window(facts)?;
        if let Some(quote) = facts.expect_absent::<Quote>(&self.id)?.cloned() {
            if !self.request.is_of(&quote) {
                return Err(StayRefusal::QuoteIdReused { quote: self.id }.into());
            }
            facts.mark_replayed();
            return Ok(quote);
        }
        let now = facts.now();
        facts.emit(&StaysEvent::QuoteSaved { quote: self.id, property: property.name.clone() }.into());
        let quote = facts.insert(Quote {
            id: self.id,
            property: property.name,
            dates: self.request.dates(),
            guests: self.request.guests(),
            rooms: self.request.rooms(),
            currency: property.currency,
            options: self.options.clone(),
            created_at: now,
            valid_until: now.plus_secs(property.terms.quote_secs),
            version: 0,
        });
        Ok(quote.clone())
    }
}

/// Quotes that one command lets go of: each may have two hundred options.
pub const QUOTES_PER_PURGE_MAX: u16 = 100;

/// Lets go of quotes that are spent, and tells of how many. Those that are not stay, whoever named them. Refuses nothing.
#[derive(Clone, Debug)]
pub struct PurgeQuotes {
    pub quotes: Vec<QuoteId>,
}

impl Command for PurgeQuotes {
    const NAME: &'static str = "purge_quotes";
    type Reply = u32;
    type Refusal = StayRefusal;

    fn reads(&self, reads: &mut Reads<'_>) {
        self.quotes.iter().for_each(|id| reads.record::<Quote>(id));
    }

    fn decide(&self, facts: &mut Facts) -> Result<u32, Stop<StayRefusal>> {
        facts.require::<Quote>(&self.quotes)?;
        let (now, mut purged) = (facts.now(), 0_u32);
        for id in &self.quotes {
            if facts.get::<Quote>(id)?.is_some_and(|quote| quote.is_spent(now)) {
                facts.remove::<Quote>(id);
                purged = purged.strict_add(1);
            }
        }
        match purged {
            0 => facts.mark_replayed(),
            quotes => facts.emit(&StaysEvent::QuotesPurged { quotes }.into()),
        }
        Ok(purged)
    }
}
