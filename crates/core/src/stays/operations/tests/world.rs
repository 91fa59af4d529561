//! One property with one type of room, stays that are held, and a provider that says what a test wants.

use std::fmt::Write;
use std::sync::Arc;

use jiff::civil::date;

use crate::kernel::commands::{CancelHold, ConvertHold, CreateTenant, ExpireLapsedHolds, PlaceHold, PutPool};
use crate::kernel::{
    Command, ConvertMode, Currency, Facts, Halt, Hold, HoldId, HoldPolicy, Pool, PoolKey, Slug, Stop, TenantId,
    Timestamp, Title,
};
use crate::operations::commands::{
    EffectOutcome, EnqueueOperation, FailOperation, FinishEffect, Finished, RedriveOperation, RunStateOperation,
    StartEffect, Started, StateRun,
};
use crate::operations::{
    Actor, Case, CaseKey, CaseState, Effect, EffectHandler, EffectKey, NewOperation, Operation, OperationRefusal,
    Outcome, Payload, Reason, TimeZoneName, Trouble, WorkerId,
};
use crate::stays::operations::{
    ExpireCheckoutSession, PaymentNews, PaymentObjects, PaymentTurn, ProcessStripeEvent, REFUND_PAYMENT, RefundPayment,
    process_stripe_event,
};
use crate::stays::records::lines_of;
use crate::stays::{
    CancellationPolicy, Checkout, CheckoutPage, LocalTime, Month, Payment, PaymentAccount, PaymentKey, PaymentState,
    Penalty, Property, PropertyName, PropertyTerms, RateMonth, RateMonthKey, RateNight, RatePlan, RatePlanCode,
    RatePlanKey, Reservation, Resolution, RoomType, RoomTypeCode, RoomTypeKey, Stay, StayDates, StayRoom, pool_of,
};

/// 2026-11-01T12:00:00Z
pub(in crate::stays) const START: Timestamp = Timestamp::from_micros(1_793_534_400_000_000);
/// Two nights for 100.00 each.
pub(in crate::stays) const TOTAL: i64 = 20_000;
pub(in crate::stays) const HOLD_SECS: i64 = 2_160;
/// Check-in is on this many days after the start.
pub(in crate::stays) const CHECKIN_DAYS: i64 = 30;

pub(in crate::stays) const CASE_KINDS: [&str; 7] = [
    "amount-mismatch",
    "dispute",
    "late-payment",
    "paid-twice",
    "payment-unknown",
    "refund-failed",
    "refunded-elsewhere",
];

pub(in crate::stays) struct World {
    pub(in crate::stays) facts: Facts,
    events: u32,
    sold: u64,
    last: Option<NewOperation>,
    pub(in crate::stays) stays: Vec<HoldId>,
}

pub(in crate::stays) fn hold_id(number: u64) -> HoldId {
    let millis = u128::try_from(START.micros() / 1_000).unwrap();
    HoldId::new(uuid::Uuid::from_u128((millis << 80) | 0x7000_8000_0000_0000_0000 | u128::from(number))).unwrap()
}

pub(in crate::stays) fn property() -> PropertyName {
    PropertyName::new("sea-view").unwrap()
}

pub(in crate::stays) fn dates() -> StayDates {
    StayDates::new(date(2026, 12, 1), date(2026, 12, 3)).unwrap()
}

pub(in crate::stays) fn double() -> RoomTypeCode {
    RoomTypeCode::new("double").unwrap()
}

const FLEXIBLE: CancellationPolicy =
    CancellationPolicy { free_until_hours: Some(48), penalty: Penalty::Nights(1), no_show: Penalty::All };
const FIXED: CancellationPolicy =
    CancellationPolicy { free_until_hours: None, penalty: Penalty::Percent(50), no_show: Penalty::All };

fn rooms() -> Vec<StayRoom> {
    vec![StayRoom {
        room_type: RoomTypeCode::new("double").unwrap(),
        rate_plan: RatePlanCode::new("flexible").unwrap(),
        rooms: 1,
        prices: vec![TOTAL / 2; 2],
        cancellation: CancellationPolicy { free_until_hours: None, penalty: Penalty::All, no_show: Penalty::All },
    }]
}

impl World {
    /// With so many rooms.
    pub(in crate::stays) fn new(rooms: i64) -> World {
        let mut world =
            World { facts: Facts::complete(TenantId(1)), events: 0, sold: 0, last: None, stays: Vec::new() };
        world.facts.set_now(START);
        world.run(&CreateTenant::new(Slug::new("sea").unwrap(), HoldPolicy::default()).unwrap()).unwrap();
        world.facts.insert(Property {
            name: property(),
            title: Title::new("Sea View").unwrap(),
            time_zone: TimeZoneName::utc(),
            currency: Currency::parse("BRL").unwrap(),
            check_in: LocalTime::parse("15:00").unwrap(),
            terms: PropertyTerms::default().into(),
            payment_account: Some(PaymentAccount::new("acct_1").unwrap()),
            room_types: 1,
            rate_plans: 1,
            version: 0,
        });
        world.facts.insert(RoomType {
            key: RoomTypeKey { property: property(), code: double() },
            title: Title::new("Double").unwrap(),
            guests_max: 2,
            version: 0,
        });
        for (code, cancellation) in [("flexible", FLEXIBLE), ("fixed", FIXED)] {
            let code = RatePlanCode::new(code).unwrap();
            let key = RatePlanKey { property: property(), code: code.clone() };
            let title = Title::new("Plan").unwrap();
            world.facts.insert(RatePlan { key, title, cancellation: cancellation.into(), version: 0 });
            let month = Month::parse("2026-12").unwrap();
            let key = RateMonthKey { property: property(), month, rate_plan: code, room_type: double() };
            let night = |day| RateNight { day, price: Some(TOTAL / 2), ..RateNight::default() };
            world.facts.insert(RateMonth { key, nights: (1..=31).map(night).collect::<Vec<_>>().into(), version: 0 });
        }
        world.facts.keep_changes();
        for pool in World::pools() {
            world.run(&PutPool::new(pool, rooms).unwrap()).unwrap();
        }
        world
    }

    /// Of the first days of December.
    pub(in crate::stays) fn pools() -> Vec<PoolKey> {
        let nights = StayDates::new(date(2026, 12, 1), date(2026, 12, 8)).unwrap().nights();
        nights.map(|night| pool_of(&property(), &double(), night)).collect()
    }

    /// What is held and booked on the first nights.
    pub(in crate::stays) fn taken(&mut self) -> String {
        let mut taken = String::new();
        for pool in World::pools().iter().take(4) {
            let pool = self.facts.get::<Pool>(pool).unwrap().unwrap();
            write!(taken, "{}+{} ", pool.held, pool.booked).unwrap();
        }
        taken.trim_end().to_owned()
    }

    /// Changes what a night of December costs.
    pub(in crate::stays) fn set_night(&mut self, plan: &str, night: RateNight) {
        let (month, rate_plan) = (Month::parse("2026-12").unwrap(), RatePlanCode::new(plan).unwrap());
        let key = RateMonthKey { property: property(), month, rate_plan, room_type: double() };
        let known = self.facts.get_mut::<RateMonth>(&key).unwrap().unwrap();
        let others = known.nights.iter().filter(|other| other.day != night.day).copied();
        let mut nights: Vec<_> = others.chain([night]).collect();
        nights.sort_by_key(|night| night.day);
        known.nights = nights.into();
        self.facts.keep_changes();
    }

    pub(in crate::stays) fn run<C: Command>(&mut self, command: &C) -> Result<C::Reply, C::Refusal> {
        loop {
            match command.decide(&mut self.facts) {
                Ok(reply) => {
                    self.facts.keep_changes();
                    return Ok(reply);
                }
                Err(Stop::Refused(refusal)) => {
                    self.facts.drop_refused().unwrap();
                    return Err(refusal);
                }
                Err(Stop::Halted(Halt::LapsedHolds)) => {
                    self.facts.drop_changes();
                    ExpireLapsedHolds.decide(&mut self.facts).unwrap();
                    self.facts.keep_changes();
                }
                Err(Stop::Halted(halt @ (Halt::Unloaded | Halt::NextBatch | Halt::Unprepared))) => {
                    panic!("{halt:?} with complete facts")
                }
            }
        }
    }

    pub(in crate::stays) fn clock(&mut self, secs: i64) {
        self.facts.set_now(self.facts.now().plus_secs(secs));
    }

    /// Holds a room; refused if there is none.
    pub(in crate::stays) fn hold_stay(&mut self) -> Option<HoldId> {
        let hold = hold_id(u64::try_from(self.stays.len()).unwrap().strict_add(1));
        let now = self.facts.now();
        let stay = Stay {
            hold,
            property: property(),
            quote: None,
            conversation: None,
            dates: dates(),
            rooms: rooms().into(),
            total: TOTAL,
            currency: Currency::parse("BRL").unwrap(),
            checkout: None,
            awaiting_payment: false,
            created_at: now,
            updated_at: now,
            version: 0,
        };
        let place = PlaceHold::new(hold, stay.lines().unwrap()).lifetime_secs(HOLD_SECS).unwrap();
        self.run(&place).ok()?;
        self.facts.insert(stay);
        self.facts.keep_changes();
        self.stays.push(hold);
        Some(hold)
    }

    /// The provider has made a page, and we know.
    pub(in crate::stays) fn know_session(&mut self, hold: HoldId, session: &str) {
        let now = self.facts.now();
        self.facts.insert(Payment {
            key: PaymentKey::stripe(session),
            hold,
            account: "acct_1".into(),
            amount: TOTAL,
            currency: Currency::parse("BRL").unwrap(),
            state: PaymentState::Created,
            payment_intent: None,
            charge: None,
            received: 0,
            refunded: 0,
            refunded_elsewhere: 0,
            refund_asked: 0,
            refund_confirmed: 0,
            refund_failed: 0,
            refunds: 0,
            dispute: None,
            resolution: None,
            created_at: now,
            updated_at: now,
            version: 0,
        });
        let page = CheckoutPage { session: session.into(), url: "https://pay.example/1".into() };
        let checkout = Checkout { number: 1, page: Some(page), expires_at: now.plus_secs(1_860) };
        self.facts.get_mut::<Stay>(&hold).unwrap().unwrap().checkout = Some(checkout.into());
        self.facts.keep_changes();
    }

    /// A new event of the provider.
    pub(in crate::stays) fn tell(&mut self, session: &str, turn: PaymentTurn) -> String {
        self.tell_from("acct_1", session, turn)
    }

    pub(in crate::stays) fn tell_from(&mut self, account: &str, session: &str, turn: PaymentTurn) -> String {
        let about = match turn {
            // These know the payment by its other names only.
            PaymentTurn::Refunded { .. } | PaymentTurn::RefundFailed { .. } | PaymentTurn::Dispute { .. } => {
                PaymentObjects { payment_intent: Some(format!("pi_{session}").into()), ..PaymentObjects::default() }
            }
            PaymentTurn::Paid { .. } | PaymentTurn::Awaiting | PaymentTurn::Failed | PaymentTurn::SessionExpired => {
                PaymentObjects {
                    payment_intent: Some(format!("pi_{session}").into()),
                    ..PaymentObjects::session(session)
                }
            }
            PaymentTurn::OfNoConcern { .. } | PaymentTurn::NotUnderstood { .. } => PaymentObjects::default(),
        };
        self.tell_about(account, about, turn)
    }

    pub(in crate::stays) fn tell_about(&mut self, account: &str, about: PaymentObjects, turn: PaymentTurn) -> String {
        self.events = self.events.strict_add(1);
        let event = format!("evt_{}", self.events);
        let operation = process_stripe_event(account, &event, &PaymentNews { about, turn }).unwrap();
        self.last = Some(operation);
        self.deliver_again()
    }

    /// The last event once more: the same id.
    pub(in crate::stays) fn deliver_again(&mut self) -> String {
        let operation = self.last.clone().expect("an event before");
        self.run(&EnqueueOperation(operation.clone())).unwrap();
        self.process(&operation)
    }

    /// What the worker does when the event is due; what came of it.
    fn process(&mut self, operation: &NewOperation) -> String {
        let handler = Arc::new(ProcessStripeEvent);
        let run = RunStateOperation { key: operation.key.clone(), handler, found: None };
        match self.run(&run) {
            Ok(StateRun::Done) => {
                let known = self.facts.get::<Operation>(&operation.key).unwrap().unwrap();
                let result: serde_json::Value = known.result.as_ref().unwrap().read().unwrap();
                result["outcome"].as_str().unwrap().to_owned()
            }
            Ok(StateRun::NotNow(_)) => "not now".to_owned(),
            Err(OperationRefusal::Trouble(trouble)) => {
                let (key, kind) = (operation.key.clone(), operation.kind);
                let told = trouble.to_string();
                self.run(&FailOperation { key, kind, trouble, dice: 0 }).unwrap();
                told
            }
            Err(refusal) => panic!("{refusal}"),
        }
    }

    /// The worker carries out a refund, whose call succeeds.
    pub(in crate::stays) fn refund(&mut self, session: &str, number: u32) -> String {
        let key = REFUND_PAYMENT.key(&["stripe", session, &number.to_string()]).unwrap();
        let handler: Arc<dyn EffectHandler> = Arc::new(RefundPayment);
        self.carry_out(&key, &handler, &Payload::null())
    }

    /// The provider says no to it.
    pub(in crate::stays) fn refuse_refund(&mut self, session: &str, number: u32) -> Finished {
        let key = REFUND_PAYMENT.key(&["stripe", session, &number.to_string()]).unwrap();
        let handler: Arc<dyn EffectHandler> = Arc::new(RefundPayment);
        let start = StartEffect { key, handler: handler.clone(), worker: WorkerId(1), raised_at: None };
        let Ok(Started::Call(call)) = self.run(&start) else { panic!("a call") };
        let (code, error) = ("insufficient_funds".into(), "not enough".into());
        let outcome = EffectOutcome::Rejected { code, error, response: Payload::null() };
        let finish = FinishEffect { call: *call, handler, outcome, then: None, dice: 0, raised_at: None };
        self.run(&finish).unwrap()
    }

    pub(in crate::stays) fn redrive_refund(&mut self, session: &str, number: u32) {
        let key = REFUND_PAYMENT.key(&["stripe", session, &number.to_string()]).unwrap();
        let (actor, reason) = (Actor::new("ana").unwrap(), Reason::new("there is money now").unwrap());
        self.run(&RedriveOperation { key, kind: &REFUND_PAYMENT, actor, reason }).unwrap();
    }

    pub(in crate::stays) fn expire_session(&mut self, session: &str) -> String {
        let key = super::super::EXPIRE_CHECKOUT_SESSION.key(&["stripe", session]).unwrap();
        let handler: Arc<dyn EffectHandler> = Arc::new(ExpireCheckoutSession);
        self.carry_out(&key, &handler, &Payload::null())
    }

    pub(in crate::stays) fn carry_out(
        &mut self,
        key: &crate::operations::OperationKey,
        handler: &Arc<dyn EffectHandler>,
        response: &Payload,
    ) -> String {
        let start = StartEffect { key: key.clone(), handler: handler.clone(), worker: WorkerId(1), raised_at: None };
        let call = match self.run(&start) {
            Ok(Started::Call(call)) => *call,
            Ok(other) => return format!("{other:?}"),
            Err(OperationRefusal::Trouble(trouble @ Trouble::Wait { .. })) => {
                let told = trouble.to_string();
                self.run(&FailOperation { key: key.clone(), kind: handler.kind(), trouble, dice: 0 }).unwrap();
                return told;
            }
            Err(refusal) => panic!("{refusal}"),
        };
        let outcome = EffectOutcome::Confirmed { provider_ref: None, response: response.clone() };
        let finish = FinishEffect { call, handler: handler.clone(), outcome, then: None, dice: 0, raised_at: None };
        assert_eq!(self.run(&finish).unwrap(), Finished::Done);
        let effect = self.facts.get::<Effect>(&EffectKey { operation: key.clone(), step: 0 }).unwrap().unwrap();
        let request: serde_json::Value = effect.request.read().unwrap();
        format!("called: {} {}", request["request"].as_str().unwrap(), request["amount"])
    }

    pub(in crate::stays) fn cancel(&mut self, hold: HoldId) {
        self.run(&CancelHold { id: hold }).unwrap();
    }

    pub(in crate::stays) fn try_cancel(&mut self, hold: HoldId) {
        let _ended = self.run(&CancelHold { id: hold });
    }

    pub(in crate::stays) fn has_told(&self) -> bool {
        self.last.is_some()
    }

    /// Somebody else books a room, if there is one.
    pub(in crate::stays) fn sell_one(&mut self) {
        self.sold = self.sold.strict_add(1);
        let id = hold_id(self.sold.strict_add(1_000));
        let lines = lines_of(&property(), dates(), &rooms()).unwrap();
        if self.run(&PlaceHold::new(id, lines)).is_ok() {
            self.run(&ConvertHold { id, mode: ConvertMode::Book, part: None }).unwrap();
        }
    }

    pub(in crate::stays) fn payment(&mut self, session: &str) -> Option<Payment> {
        self.facts.get::<Payment>(&PaymentKey::stripe(session)).unwrap().cloned()
    }

    pub(in crate::stays) fn reservation(&mut self, hold: HoldId) -> Option<Reservation> {
        self.facts.get::<Reservation>(&hold).unwrap().cloned()
    }

    pub(in crate::stays) fn case_is_open(&mut self, kind: &str, key: &str) -> bool {
        let key = CaseKey { kind: kind.into(), key: key.into() };
        self.facts.get::<Case>(&key).unwrap().is_some_and(|case| case.state == CaseState::Open)
    }

    fn refund_operation(&mut self, session: &str, number: u32) -> Option<Operation> {
        let key = REFUND_PAYMENT.key(&["stripe", session, &number.to_string()]).unwrap();
        self.facts.get::<Operation>(&key).unwrap().cloned()
    }

    pub(in crate::stays) fn audit_refunds(&mut self, session: &str) {
        let payment = self.payment(session).unwrap();
        assert!(payment.refund_asked <= payment.received && payment.refunded <= payment.received, "{payment:?}");
    }

    /// The payment, what it led to, and the hold; in a line.
    pub(in crate::stays) fn show(&mut self, session: &str) -> String {
        let Some(payment) = self.payment(session) else { return "no payment".to_owned() };
        let mut text = payment.state.to_string();
        if payment.given_back() > 0 {
            write!(text, " -{}", payment.given_back()).unwrap();
        }
        if let Some(dispute) = payment.dispute {
            write!(text, " dispute:{dispute}").unwrap();
        }
        if let Some(resolution) = payment.resolution {
            write!(text, " {resolution}").unwrap();
        }
        for number in 1..=payment.refunds {
            let refund = self.refund_operation(session, number).expect("asked for");
            let state = refund.outcome.map_or("waits", Outcome::as_str);
            write!(text, ", refund {number} {state}").unwrap();
        }
        if let Some(reservation) = self.reservation(payment.hold) {
            write!(text, ", {} by {} paid {}", reservation.state, reservation.source, reservation.paid).unwrap();
            if reservation.refunded > 0 {
                write!(text, " -{}", reservation.refunded).unwrap();
            }
        }
        for kind in CASE_KINDS {
            for key in [session.to_owned(), "dp_1".to_owned(), "dp_2".to_owned(), "re_1".to_owned()] {
                if self.case_is_open(kind, &key) {
                    write!(text, ", case {kind}").unwrap();
                }
            }
        }
        let now = self.facts.now();
        let hold = self.facts.get::<Hold>(&payment.hold).unwrap().unwrap();
        write!(text, ", hold {}", hold.state_at(now).as_str()).unwrap();
        text
    }

    /// Every payment that succeeded has exactly one of a reservation, a refund, a case; and no pool is oversold.
    pub(in crate::stays) fn audit(&mut self, sessions: &[String]) -> Result<(), String> {
        for pool in World::pools() {
            let pool = self.facts.get::<Pool>(&pool).unwrap().unwrap();
            if pool.held.strict_add(pool.booked) > pool.total || pool.oversold > 0 {
                return Err(format!("oversold: {pool:?}"));
            }
        }
        for session in sessions {
            let Some(payment) = self.payment(session) else { continue };
            let reservation = self.reservation(payment.hold);
            let reserved = reservation.as_ref().is_some_and(|known| known.payment.as_deref() == Some(session));
            let refunds = payment.refunds;
            let case = self.case_is_open("amount-mismatch", session)
                || (self.case_is_open("refunded-elsewhere", session) && !reserved);
            let ways = (reserved, refunds, case);
            let told = match payment.resolution {
                None => (false, 0, false),
                Some(Resolution::Reservation) => (true, 0, false),
                Some(Resolution::Refund) => (false, 1, false),
                Some(Resolution::Case) => (false, 0, true),
            };
            if ways != told {
                return Err(format!("{session} led to {ways:?} and says {told:?}: {payment:?}"));
            }
            // A refund may be told before the payment: then it is not known yet what for.
            let unheard = payment.received == 0 && payment.resolution.is_none();
            if payment.state.has_succeeded() && payment.resolution.is_none() && !unheard {
                return Err(format!("{session} led to nothing: {payment:?}"));
            }
            if let Some(refund) = self.refund_operation(session, 1)
                && refund.outcome == Some(Outcome::DeadLetter)
            {
                return Err(format!("the refund of {session} died"));
            }
        }
        Ok(())
    }
}
