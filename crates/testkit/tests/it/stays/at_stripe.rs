//! Stays that are paid at Stripe, from the page to the end, with nothing replaced: the engine and its worker, the API on
//! a socket, and a simulated Stripe that is called and calls back over HTTP. Its webhooks come twice, out of order, late,
//! wrongly signed or never.

use std::collections::BTreeMap;
use std::net::{Ipv4Addr, SocketAddr};
use std::sync::Arc;
use std::time::Duration;

use secrecy::SecretString;
use surehold_connect::stripe::{AccountHome, Homes, Stripe, StripeAccount, StripeProvider, SweepConfig, Sweeper};
use surehold_core::kernel::{Command, Currency, HoldId, Pool, Slug, TenantId, Title};
use surehold_core::operations::{InboxEvent, Operation, OperationKey, Outcome, TimeZoneName};
use surehold_core::stays::commands::{
    CalendarRequest, CreateStay, InventoryChange, PutProperty, PutRatePlan, PutRoomType, RateChange, RequestCheckout,
    SaveQuote, Set, StayItem, chunks,
};
use surehold_core::stays::operations::PROCESS_STRIPE_EVENT;
use surehold_core::stays::quote::{QuoteRequest, compute};
use surehold_core::stays::{
    CancellationPolicy, Payment, PaymentAccount, PaymentKey, PaymentState, Penalty, PropertyName, QuoteId,
    RatePlanCode, RatePlanKey, Reservation, ReservationSource, Resolution, RoomTypeCode, RoomTypeKey, Stay, StayDates,
    Weekdays, pool_of, today,
};
use surehold_engine::{Engine, EngineConfig, Registry, Views, Worker, WorkerConfig, builtin};
use surehold_http::inbox::{Inbox, StripeSource};
use surehold_http::server::{Server, ServerConfig, bind_tcp};
use surehold_http::{Api, ApiConfig};
use surehold_simulators::stripe::{
    AccountConfig, Method, Mischief, PaymentLine, SessionStatus, Settlement, StripeConfig, StripeReport, StripeSim,
    WebhookConfig,
};
use surehold_testkit::fixture::Fixture;
use tokio::time::{sleep, timeout};
use tokio_util::sync::CancellationToken;
use uuid::Uuid;

use crate::conformance::{World, new_id};

const ACCOUNT: &str = "main";
const TENANT: TenantId = TenantId(1);
const TOTAL: i64 = 20_000;
const POLICY: CancellationPolicy =
    CancellationPolicy { free_until_hours: None, penalty: Penalty::Percent(50), no_show: Penalty::All };
/// Longer than a page and the hold behind it.
const PAST_EVERY_HOLD_SECS: u32 = 3_600;
/// Longer than anything takes here, so that a test ends that waits for what will not come.
const PATIENCE: Duration = Duration::from_mins(1);

/// Looks again and again until it is so.
async fn until(what: &str, mut look: impl AsyncFnMut() -> bool) {
    let found = async {
        while !look().await {
            sleep(Duration::from_millis(20)).await;
        }
    };
    timeout(PATIENCE, found).await.unwrap_or_else(|_| panic!("waited in vain until {what}"));
}

/// A hotel with its server, its worker and its account at Stripe.
struct Hotel<'f> {
    world: World<'f>,
    sim: StripeSim,
    sweeper: Sweeper,
    worker: Option<Worker>,
    stop: CancellationToken,
}

impl<'f> Hotel<'f> {
    async fn open(fixture: &'f Fixture, rooms: i64) -> Hotel<'f> {
        let account = AccountConfig::numbered(1);
        let webhooks = WebhookConfig { parallel: 4, ..WebhookConfig::default() };
        let config = StripeConfig { accounts: vec![account.clone()], webhooks, ..StripeConfig::default() };
        let sim = StripeSim::start(config).await.unwrap();

        let base_url = reqwest::Url::parse(&sim.url()).unwrap();
        let at_stripe = StripeAccount::new(ACCOUNT, SecretString::from(account.api_key));
        let stripe = Stripe::new([StripeAccount { base_url, ..at_stripe }]).unwrap();
        let home = AccountHome {
            account: ACCOUNT.into(),
            tenant: Slug::new(&format!("t{TENANT}")).unwrap(),
            is_test: false,
            webhook_secrets: account.webhook_secrets.iter().map(|text| SecretString::from(text.as_str())).collect(),
        };
        let store = fixture.store().await.unwrap();
        let homes = Homes::new(Views::new(Arc::clone(&store)), [home.clone()]);
        let registry = StripeProvider::new(stripe.clone(), homes.clone()).register(builtin(Registry::default()));
        let engine = Engine::start_with(store, EngineConfig::default(), registry).unwrap();

        let stop = CancellationToken::new();
        let inbox = Inbox::default().with_source(StripeSource::new([home]));
        let api = Api::new(engine.clone(), ApiConfig { inbox, ..ApiConfig::default() }, None, stop.clone());
        let listener = bind_tcp(SocketAddr::from((Ipv4Addr::LOCALHOST, 0))).unwrap();
        let address = listener.local_addr().unwrap();
        let server = Server::new(api.router(), ServerConfig::default()).listen_tcp(listener, None);
        tokio::spawn(server.run(stop.clone()));
        sim.set_endpoints(0, &[format!("http://{address}/webhooks/stripe/{ACCOUNT}")]);

        let grown_up_at_once = SweepConfig { grace_secs: 0, ..SweepConfig::default() };
        let sweeper = Sweeper::new(engine.clone(), stripe, homes, grown_up_at_once);
        let world = World::enter(fixture, engine, TENANT).await;
        let mut hotel = Hotel { world, sim, sweeper, worker: None, stop };
        hotel.work();
        hotel.furnish(rooms).await;
        hotel
    }

    fn work(&mut self) {
        let config = WorkerConfig { poll_pause: Duration::from_millis(100), ..WorkerConfig::default() };
        self.worker = Some(Worker::start(self.world.engine.clone(), config));
    }

    async fn close(mut self) {
        self.stop.cancel();
        if let Some(worker) = self.worker.take() {
            worker.stop().await;
        }
        self.world.engine.clone().stop().await;
    }

    async fn run<C: Command<Refusal: std::fmt::Debug>>(&self, command: C) -> C::Reply {
        self.world.engine.run(TENANT, command).await.unwrap_or_else(|failure| panic!("{failure:?}")).reply
    }

    async fn record<R: surehold_core::kernel::Record>(&self, key: &R::Key) -> Option<R> {
        self.world.engine.views().record::<R>(TENANT, key).await.unwrap()
    }

    /// Two nights a month from now.
    async fn dates(&self) -> StayDates {
        let now = self.world.engine.views().clock().await.unwrap();
        let day = |days: i32| today(&TimeZoneName::utc(), now).saturating_add(jiff::Span::new().days(days));
        StayDates::new(day(30), day(32)).unwrap()
    }

    async fn furnish(&self, rooms: i64) {
        let title = || Title::new("Quarto à beira-mar").unwrap();
        let account = PaymentAccount::new(ACCOUNT).unwrap();
        let (zone, currency) = (TimeZoneName::utc(), Currency::parse("BRL").unwrap());
        self.run(PutProperty::new(sea(), title(), zone, currency).payment_account(account)).await;
        self.run(PutRoomType::new(RoomTypeKey { property: sea(), code: double() }, title(), 2).unwrap()).await;
        self.run(PutRatePlan::new(RatePlanKey { property: sea(), code: fixed() }, title(), POLICY).unwrap()).await;
        let dates = self.dates().await;
        let calendar = CalendarRequest {
            property: sea(),
            room_types: vec![double()],
            from: dates.checkin(),
            // The clock goes on, and may pass midnight.
            until: dates.checkout().saturating_add(jiff::Span::new().days(1)),
            weekdays: Weekdays::ALL,
            inventory: Some(InventoryChange { total: Some(rooms), ..InventoryChange::default() }),
            rates: vec![(fixed(), RateChange { price: Set::To(TOTAL / 2), ..RateChange::default() })],
        };
        for command in chunks(&calendar).unwrap() {
            self.run(command).await;
        }
    }

    /// Holds a room and asks for a page to pay it on. The operation that makes it.
    async fn hold_room(&self, dates: StayDates) -> (HoldId, OperationKey) {
        let views = self.world.engine.views();
        let quote_request = QuoteRequest::new(sea(), dates, 2, 1).unwrap();
        let basis = views.quote_basis(TENANT, quote_request.property(), quote_request.dates()).await.unwrap().unwrap();
        let options = compute(&basis, &quote_request, views.clock().await.unwrap()).options;
        let quote = QuoteId::new(Uuid::now_v7()).unwrap();
        self.run(SaveQuote::new(quote, quote_request, options).unwrap()).await;
        let hold = new_id();
        self.run(CreateStay::new(hold, quote, vec![StayItem { option: 1, rooms: 1 }]).unwrap()).await;
        let request = RequestCheckout::new(hold, "https://sea.example/yes", "https://sea.example/no").unwrap();
        (hold, self.run(request).await.operation)
    }

    /// A guest who has a room held and looks at Stripe's page.
    async fn guest(&self, dates: StayDates) -> Guest {
        let (hold, _) = self.hold_room(dates).await;
        let mut page = None;
        until("there is a page", async || {
            let stay = self.record::<Stay>(&hold).await.expect("just held");
            page = stay.checkout.and_then(|checkout| checkout.page.clone());
            page.is_some()
        })
        .await;
        let page = page.expect("waited for");
        assert_eq!(page.url, format!("{}/pay/{}", self.sim.url(), page.session));
        Guest { hold, session: page.session.to_string() }
    }

    async fn guests(&self, count: usize, dates: StayDates) -> Vec<Guest> {
        let mut guests = Vec::new();
        for _ in 0..count {
            guests.push(self.guest(dates).await);
        }
        guests
    }

    async fn payment(&self, session: &str) -> Payment {
        self.record::<Payment>(&PaymentKey::stripe(session)).await.expect("every page has a payment")
    }

    async fn source(&self, guest: &Guest) -> Option<ReservationSource> {
        self.record::<Reservation>(&guest.hold).await.map(|reservation| reservation.source)
    }

    async fn until_reserved(&self, guest: &Guest) {
        until("it is reserved", async || self.source(guest).await == Some(ReservationSource::Payment)).await;
    }

    /// Everything that was told has been dealt with.
    async fn settle_down(&self) {
        self.sim.drain().await;
        until("all events are dealt with", async || {
            let operations: Vec<Operation> = self.world.engine.views().all_records(TENANT).await.unwrap();
            let mut events = operations.iter().filter(|one| one.key.kind.as_str() == PROCESS_STRIPE_EVENT.name);
            events.all(|operation| operation.outcome.is_some())
        })
        .await;
    }

    /// Units of all nights.
    async fn held(&self, dates: StayDates) -> i64 {
        let mut held = 0;
        for night in dates.nights() {
            held += self.record::<Pool>(&pool_of(&sea(), &double(), night)).await.expect("there are rooms").held;
        }
        held
    }

    /// The clocks of both sides go on together; nobody works meanwhile.
    async fn sleep_past_every_hold(&mut self, dates: StayDates) {
        self.worker.take().expect("it works").stop().await;
        self.world.fixture.advance_secs(i64::from(PAST_EVERY_HOLD_SECS));
        self.sim.advance_secs(PAST_EVERY_HOLD_SECS);
        self.work();
        // A quote counts what is held until it is swept.
        until("what was held is free", async || self.held(dates).await == 0).await;
    }
}

struct Guest {
    hold: HoldId,
    session: String,
}

fn sea() -> PropertyName {
    PropertyName::new("sea").unwrap()
}

fn double() -> RoomTypeCode {
    RoomTypeCode::new("double").unwrap()
}

fn fixed() -> RatePlanCode {
    RatePlanCode::new("fixed").unwrap()
}

/// Everything but losses.
fn bad_weather(seed: usize) -> Mischief {
    Mischief {
        seed,
        duplicate_percent: 50,
        hold_back_percent: 30,
        delay_percent: 30,
        delay_max: Duration::from_millis(100),
        lose_percent: 0,
        wrong_signature_percent: 20,
    }
}

/// Of six rooms two are paid in time, one of them by a slow way; three are paid and nobody hears of it until their holds
/// are long gone; one is never paid. Meanwhile three others come. So of the three that nobody heard of one gets the last
/// room, and two get their money.
pub(super) async fn every_payment_ends_with_a_room_or_with_the_money_back(fixture: Fixture) {
    let mut hotel = Hotel::open(&fixture, 6).await;
    let dates = hotel.dates().await;

    hotel.sim.set_mischief(bad_weather(1));
    let in_time = hotel.guests(2, dates).await;
    hotel.sim.pay(&in_time[0].session, Method::Card).unwrap();
    hotel.sim.pay(&in_time[1].session, Method::Boleto).unwrap();
    hotel.until_reserved(&in_time[0]).await;
    until("the slow payment is awaited", async || {
        hotel.payment(&in_time[1].session).await.state == PaymentState::Awaiting
    })
    .await;
    hotel.sim.settle(&in_time[1].session, Settlement::Success).unwrap();
    hotel.until_reserved(&in_time[1]).await;

    let lost = Mischief { seed: 2, lose_percent: 100, ..Mischief::default() };
    hotel.sim.set_mischief(lost);
    let unheard = hotel.guests(3, dates).await;
    for guest in &unheard {
        hotel.sim.pay(&guest.session, Method::Card).unwrap();
    }
    let gone = hotel.guest(dates).await;
    hotel.settle_down().await;
    hotel.sleep_past_every_hold(dates).await;

    hotel.sim.set_mischief(Mischief { lose_percent: 30, ..bad_weather(3) });
    let others = hotel.guests(3, dates).await;
    for guest in &others {
        hotel.sim.pay(&guest.session, Method::Card).unwrap();
    }
    until("the page that nobody used is gone", async || {
        let sessions = hotel.sim.report().sessions;
        sessions.iter().any(|line| line.id == gone.session && line.status == SessionStatus::Expired)
    })
    .await;
    hotel.settle_down().await;
    assert!(hotel.sweeper.look().await >= 3, "what nobody heard of is found");
    hotel.settle_down().await;
    until("all that goes back has gone", async || hotel.sim.report().refunds.len() == 2).await;
    // What was told of the refunds may have been lost too.
    hotel.settle_down().await;
    hotel.sweeper.look().await;
    hotel.settle_down().await;

    for guest in others.iter().chain(&in_time) {
        assert_eq!(hotel.source(guest).await, Some(ReservationSource::Payment));
    }
    let mut late = 0;
    for guest in &unheard {
        late += usize::from(hotel.source(guest).await == Some(ReservationSource::LatePayment));
    }
    assert_eq!(late, 1, "one room was left");
    assert_eq!(hotel.source(&gone).await, None);
    assert_eq!(hotel.payment(&gone.session).await.state, PaymentState::Expired);
    for night in dates.nights() {
        let pool = hotel.record::<Pool>(&pool_of(&sea(), &double(), night)).await.unwrap();
        assert_eq!((pool.booked, pool.oversold), (6, 0), "{night}");
    }
    check_books(&hotel, 8).await;
    assert_eq!(hotel.sweeper.look().await, 0, "nothing is left to be found");
    hotel.world.audit().await;
    hotel.close().await;
}

/// Stripe's books and ours agree: so many payments succeeded, and each led to exactly one of a reservation and a refund.
async fn check_books(hotel: &Hotel<'_>, succeeded: usize) {
    let report = hotel.sim.report();
    assert_eq!(report.succeeded().count(), succeeded);
    assert_eq!(report.refunded_too_much().count(), 0);
    assert!(report.refunds_by("operation").values().all(|count| *count == 1), "{:?}", report.refunds);
    assert!(report.sessions_by("operation").values().all(|count| *count == 1), "{:?}", report.sessions);
    assert!(report.mischief.lost > 0 && report.mischief.duplicated > 0, "{:?}", report.mischief);
    let reservations: Vec<Reservation> = hotel.world.engine.views().all_records(TENANT).await.unwrap();
    let mut reserved: BTreeMap<String, usize> = BTreeMap::new();
    for session in reservations.iter().filter_map(|reservation| reservation.payment.as_ref()) {
        *reserved.entry(session.to_string()).or_default() += 1;
    }
    for line in report.succeeded() {
        let payment = hotel.payment(&line.session).await;
        let ways = (reserved.get(&line.session).copied().unwrap_or(0), line.refunds);
        assert!(ways == (1, 0) || ways == (0, 1), "{ways:?} {line:?} {payment:?}");
        check_payment(line, &payment);
    }
    check_heard(hotel, &report).await;
}

fn check_payment(line: &PaymentLine, payment: &Payment) {
    let ours = (payment.amount, payment.received, payment.refunded, payment.payment_intent.as_deref());
    let theirs = (TOTAL, line.amount_received, line.amount_refunded, Some(line.payment_intent.as_str()));
    assert_eq!(ours, theirs, "{line:?}");
    let expected = match payment.resolution {
        Some(Resolution::Reservation) => (PaymentState::Succeeded, 0),
        Some(Resolution::Refund) => (PaymentState::Refunded, TOTAL),
        Some(Resolution::Case) | None => panic!("{payment:?}"),
    };
    assert_eq!((payment.state, line.amount_refunded), expected, "{line:?}");
}

/// Every operation has ended well; and what nobody heard of by a webhook was found.
async fn check_heard(hotel: &Hotel<'_>, report: &StripeReport) {
    let operations: Vec<Operation> = hotel.world.engine.views().all_records(TENANT).await.unwrap();
    let dead: Vec<_> = operations.iter().filter(|one| one.outcome == Some(Outcome::DeadLetter)).collect();
    assert!(dead.is_empty(), "{dead:?}");
    let kept: Vec<InboxEvent> = hotel.world.engine.views().all_records(TENANT).await.unwrap();
    assert!(kept.iter().all(|event| event.key.source.as_str() == "stripe/main"));
    assert!(u64::try_from(kept.len()).unwrap() <= report.events, "{} {}", kept.len(), report.events);
}

/// Names of accounts stand in a tenant's own records: an account that is none of its own is as good as none.
pub(super) async fn a_page_needs_an_account_of_the_tenants_own(fixture: Fixture) {
    let hotel = Hotel::open(&fixture, 1).await;
    let title = Title::new("Quarto à beira-mar").unwrap();
    let (zone, currency) = (TimeZoneName::utc(), Currency::parse("BRL").unwrap());
    let account = PaymentAccount::new("somebody-elses").unwrap();
    hotel.run(PutProperty::new(sea(), title, zone, currency).payment_account(account)).await;
    let dates = hotel.dates().await;
    let (_, operation) = hotel.hold_room(dates).await;
    until("it was tried", async || {
        let view = hotel.world.engine.views().operation(TENANT, &operation).await.unwrap().expect("asked for");
        let error = view.run.and_then(|run| run.last_error).unwrap_or_default();
        error.contains("no Stripe account `somebody-elses` is configured for this tenant")
    })
    .await;
    assert_eq!(hotel.sim.report().requests, 0);
    hotel.close().await;
}
