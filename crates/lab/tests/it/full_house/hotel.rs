//! The house: a server that is killed and comes back on the same port, and a Stripe that lives on. Whoever asks asks until
//! there is an answer.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::process::Command;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use reqwest::{Client, Method};
use serde_json::{Value, json};
use surehold_simulators::stripe::{
    AccountConfig, PaymentLine, RandomStripeFaults, StripeConfig, StripeSim, WebhookConfig,
};
use surehold_testkit::ports::LastingPort;
use tokio::sync::watch;
use tokio::time::{sleep, timeout};
use tokio_util::sync::CancellationToken;

use surehold_testkit::live::{Live, Place};

use crate::text;

pub(super) const ROOMS: i64 = 10;
pub(super) const NIGHTS: usize = 3;
pub(super) const PRICE: i64 = 10_000;
/// Longer than a page lives, and the hold behind it.
const HOUR_SECS: u32 = 3_600;
/// Longer than anything takes here, so that a test ends that waits for what will not come.
const PATIENCE: Duration = Duration::from_mins(2);
const PAUSE: Duration = Duration::from_millis(40);
/// To each guest, on average, without which nothing is called a stall.
const ANSWERS_IN_A_STALL: usize = 4;
/// How a server says that the time has not come, or that it does not know.
const ASK_AGAIN: [u16; 4] = [408, 429, 503, 504];

/// What guests see of it.
pub(super) struct Front {
    pub(super) sim: StripeSim,
    client: Client,
    base: String,
    key: String,
    /// Nights a month from now, and the day after them.
    pub(super) days: Vec<jiff::civil::Date>,
    deeds: watch::Sender<usize>,
    /// Answers that anybody got from the house.
    answers: AtomicUsize,
    /// Who are in the house or wait in front of it.
    pub(super) guests: AtomicUsize,
    /// All guests have been there.
    pub(super) over: CancellationToken,
    /// The stays of all pages that anybody was shown.
    pub(super) pages: Mutex<BTreeMap<String, String>>,
}

impl Front {
    /// Asks until there is an answer. Every request here may be repeated.
    pub(super) async fn ask(&self, method: Method, path: &str, body: Option<&Value>) -> (u16, Value) {
        let until = Instant::now() + PATIENCE;
        loop {
            let mut request = self.client.request(method.clone(), format!("{}/v1/casa{path}", self.base));
            request = request.bearer_auth(&self.key);
            if let Some(body) = body {
                request = request.json(body);
            }
            if let Ok(answer) = request.send().await {
                let status = answer.status().as_u16();
                let body = answer.json().await;
                if let (Ok(body), false) = (body, ASK_AGAIN.contains(&status)) {
                    self.answers.fetch_add(1, Ordering::Relaxed);
                    return (status, body);
                }
            }
            assert!(Instant::now() < until, "{method} {path} is never answered");
            sleep(PAUSE).await;
        }
    }

    pub(super) async fn get(&self, path: &str) -> (u16, Value) {
        self.ask(Method::GET, path, None).await
    }

    pub(super) async fn post(&self, path: &str, body: &Value) -> (u16, Value) {
        self.ask(Method::POST, path, Some(body)).await
    }

    /// Looks again and again until there is something.
    pub(super) async fn until<T>(&self, what: &str, mut look: impl AsyncFnMut() -> Option<T>) -> T {
        let found = async {
            loop {
                if let Some(found) = look().await {
                    return found;
                }
                sleep(PAUSE).await;
            }
        };
        if let Ok(found) = timeout(PATIENCE, found).await {
            return found;
        }
        let (_, dead) = self.get("/operations?state=DEAD_LETTER").await;
        panic!("waited in vain until {what}; dead are {dead}")
    }

    /// Somebody got something done.
    pub(super) fn note_deed(&self) {
        self.deeds.send_modify(|deeds| *deeds += 1);
    }

    /// Whether so many more are done before nothing goes on for a while. On a busy machine nobody gets anything done for a
    /// while either: it is a stall only if guests were answered meanwhile, a few times each.
    pub(super) async fn deeds_done(&self, more: usize, stalled_after: Duration) -> bool {
        let mut seen = self.deeds.subscribe();
        let wanted = seen.borrow().saturating_add(more);
        while *seen.borrow_and_update() < wanted {
            let answers = self.answers.load(Ordering::Relaxed);
            while timeout(stalled_after, seen.changed()).await.is_err() {
                let guests = self.guests.load(Ordering::Relaxed);
                if self.answers.load(Ordering::Relaxed) - answers >= ANSWERS_IN_A_STALL * guests {
                    return false;
                }
            }
        }
        true
    }

    /// The calendar of the one room type: a list, such as `available`, with an entry for each night.
    pub(super) async fn nights(&self, list: &str) -> Vec<i64> {
        let (from, until) = (self.days[0], self.days[NIGHTS]);
        let (status, calendar) = self.get(&format!("/properties/mar/calendar?from={from}&until={until}")).await;
        assert_eq!(status, 200, "{calendar}");
        let nights = calendar["room_types"][0][list].as_array().unwrap();
        nights.iter().map(|night| night.as_i64().unwrap()).collect()
    }

    /// What Stripe knows of a payment that succeeded.
    pub(super) fn paid(&self, session: &str) -> Option<PaymentLine> {
        self.sim.report().succeeded().find(|line| line.session == session).cloned()
    }

    pub(super) async fn operations(&self, kind: &str, state: &str) -> Vec<Value> {
        let (status, page) = self.get(&format!("/operations?type={kind}&state={state}&limit=1000")).await;
        assert!(status == 200 && page.get("next").is_none(), "{status} {page}");
        page["operations"].as_array().unwrap().clone()
    }

    /// Everything that was told has been dealt with, and everything that follows from it is done.
    pub(super) async fn settle_down(&self) {
        self.sim.set_random_faults(&RandomStripeFaults::of_all(0, 0));
        timeout(PATIENCE, self.sim.drain()).await.expect("webhooks come to an end");
        self.until("nothing is left to do", async || {
            for kind in ["PROCESS_STRIPE_EVENT", "CREATE_CHECKOUT_SESSION", "EXPIRE_CHECKOUT_SESSION", "REFUND_PAYMENT"]
            {
                for state in ["PENDING", "RUNNING", "FAILED"] {
                    if !self.operations(kind, state).await.is_empty() {
                        return None;
                    }
                }
            }
            // What was done told of itself.
            (self.sim.report().deliveries_pending == 0).then_some(())
        })
        .await;
    }
}

/// The house as its owner sees it.
pub(super) struct Hotel {
    place: Place,
    live: Option<Live>,
    front: Arc<Front>,
    hours: u32,
    _port: LastingPort,
}

impl Hotel {
    pub(super) async fn open(mut place: Place) -> Hotel {
        let port = LastingPort::take().unwrap();
        let base = format!("http://127.0.0.1:{}", port.number());
        place.port = port.number();

        let account =
            AccountConfig { endpoints: vec![format!("{base}/webhooks/stripe/main")], ..AccountConfig::numbered(1) };
        let webhooks = WebhookConfig { parallel: 8, ..WebhookConfig::default() };
        let config = StripeConfig { accounts: vec![account.clone()], webhooks, ..StripeConfig::default() };
        let sim = StripeSim::start(config).await.unwrap();
        let file = accounts_file(&place, &account, &sim);
        let settings = [format!("stripe.accounts_file={}", file.display()), "worker.beat_secs=1".to_owned()];
        // Whoever is killed has lost its work three seconds later.
        for setting in settings.into_iter().chain(["worker.silent_secs=3".to_owned()]) {
            place.args.extend(["--set".to_owned(), setting]);
        }

        let live = place.serve();
        let key = live.casa_key();
        let today = jiff::Timestamp::now().to_zoned(jiff::tz::TimeZone::UTC).date();
        let day = |days: i32| today.saturating_add(jiff::Span::new().days(days));
        let client = Client::builder().timeout(Duration::from_secs(10)).build().unwrap();
        let front = Arc::new(Front {
            sim,
            client,
            base,
            key,
            days: (30..=33).map(day).collect(),
            deeds: watch::Sender::new(0),
            answers: AtomicUsize::new(0),
            guests: AtomicUsize::new(0),
            over: CancellationToken::new(),
            pages: Mutex::default(),
        });
        let hotel = Hotel { place, live: Some(live), front, hours: 0, _port: port };
        hotel.furnish().await;
        hotel
    }

    async fn furnish(&self) {
        let put = async |path: &str, body: Value| {
            let (status, answer) = self.front.ask(Method::PUT, path, Some(&body)).await;
            assert_eq!(status, 200, "{path}: {answer}");
        };
        let property = json!({"title": "Casa Mar", "time_zone": "UTC", "currency": "BRL", "payment_account": "main"});
        put("/properties/mar", property).await;
        put("/properties/mar/room-types/double", json!({"title": "Double", "guests_max": 2})).await;
        for (plan, penalty) in [("flexible", json!("none")), ("saver", json!({"percent": 30}))] {
            let cancellation = json!({"penalty": penalty, "no_show": "all"});
            put(&format!("/properties/mar/rate-plans/{plan}"), json!({"title": plan, "cancellation": cancellation}))
                .await;
        }
        let change = json!({"room_types": ["double"], "from": self.front.days[0], "until": self.front.days[NIGHTS],
            "inventory": {"total": ROOMS},
            "rates": [{"rate_plan": "flexible", "price": PRICE}, {"rate_plan": "saver", "price": PRICE / 2}]});
        put("/properties/mar/calendar", json!({"changes": [change]})).await;
    }

    pub(super) fn front(&self) -> Arc<Front> {
        Arc::clone(&self.front)
    }

    /// While it is down an hour may pass, for everybody.
    pub(super) fn restart(&mut self, signal: &str, an_hour_passes: bool) {
        let live = self.live.take().unwrap();
        live.signal(signal);
        tokio::task::block_in_place(|| live.ended());
        if an_hour_passes {
            self.hours += 1;
            self.front.sim.advance_secs(HOUR_SECS);
        }
        self.place.args.retain(|arg| !arg.starts_with("--lab-clock-ahead="));
        self.place.args.push(format!("--lab-clock-ahead={}", self.hours * HOUR_SECS));
        self.live = Some(tokio::task::block_in_place(|| self.place.serve()));
    }

    /// Ends the server, and looks at everything that is stored.
    pub(super) fn audit(mut self) {
        let live = self.live.take().unwrap();
        live.signal("TERM");
        let ended = tokio::task::block_in_place(|| live.ended());
        assert!(ended.success(), "{}", self.place.log());
        let mut audit = Command::new(crate::PROGRAM);
        audit.args(["audit", "--data"]).arg(&self.place.data);
        if let Some(url) = &self.place.store {
            audit.args(["--store", url]);
        }
        let said = audit.output().unwrap();
        assert!(said.status.success(), "{}{}", text(&said.stdout), text(&said.stderr));
        let log = self.place.log();
        let found = log.matches("had never arrived").count();
        assert!(found > 0, "events that were lost are found");
        assert!(!log.contains("ERROR"), "{log}");
    }
}

fn accounts_file(place: &Place, account: &AccountConfig, sim: &StripeSim) -> PathBuf {
    let file = place.data.with_extension("stripe.toml");
    let AccountConfig { api_key, webhook_secrets, .. } = account;
    let content = format!(
        "[accounts.main]\ntenant = \"casa\"\nmode = \"live\"\nsecret_key = \"{api_key}\"\n\
         webhook_secrets = {webhook_secrets:?}\nbase_url = \"{}\"\n",
        sim.url()
    );
    std::fs::write(&file, content).unwrap();
    file
}
