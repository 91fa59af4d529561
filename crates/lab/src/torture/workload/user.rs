//! One client: what it has, what it asks next, and what it makes of what it is told. What it rolls depends on the seed
//! alone; what it does depends on that, on what it was told, and on what others say on the board.

use std::collections::VecDeque;
use std::sync::Arc;
use std::time::Duration;

use anyhow::Result;
use uuid::Uuid;

use super::asker::{Asker, Office};
use super::board::{Board, Posted};
use super::told::{Asked, Outcome};
use super::world::{World, between, one_in};
use crate::torture::history::{Answer, Ask, HoldSeen, Units};
use surehold_simulators::Dice;

/// Longer than the server's deadline: it has an answer by then.
const PATIENCE: Duration = Duration::from_secs(15);
/// Some do not wait that long, and ask again while the first request is still being worked on.
const LITTLE_PATIENCE: Duration = Duration::from_secs(1);
const LIVE_MAX: usize = 3;
const BOOKED_MAX: usize = 2;
/// Of what is scarce, nobody keeps more.
const SCARCE_BOOKED_MAX: usize = 1;
/// How often a request without an answer is repeated before it is left to the auditor.
const REPEATS_MAX: usize = 16;
const PAUSE_MILLIS_MAX: i64 = 500;
const SOLD_OUT: &str = "sold-out";
/// Between two things that it does. Holds live for seconds: who asks as fast as a fast server answers finds
/// everything sold out.
const THINKING_MILLIS_MAX: i64 = 40;
/// Requests that may be sent once more, much later.
const REMEMBERED: usize = 16;
const SCARCITY_MAX: u8 = 8;
/// From here on a client is modest.
pub(super) const SCARCE: u8 = 3;
/// Asked without knowing anything, so that they depend on the seed alone.
const FIRST_WISHES: usize = 2;

/// A hold that lives, as far as this client knows.
#[derive(Clone, Debug)]
pub(super) struct Held {
    pub(super) hold: Uuid,
    pub(super) lines: Units,
    pub(super) expires_at: i64,
    /// Nobody else has heard of it.
    pub(super) private: bool,
    version: i64,
}

/// A hold that has something booked, as far as this client knows.
#[derive(Clone, Debug)]
pub(super) struct Booked {
    pub(super) hold: Uuid,
    pub(super) kept: Units,
    pub(super) private: bool,
    version: i64,
}

/// What belongs to all clients.
#[derive(Clone, Debug)]
pub(super) struct Surroundings {
    pub(super) office: Arc<Office>,
    pub(super) world: Arc<World>,
    pub(super) board: Arc<Board>,
    pub(super) seed: u64,
    pub(super) charges: bool,
}

#[derive(Debug)]
pub(super) struct User {
    pub(super) dice: Dice,
    pub(super) asker: Asker,
    pub(super) around: Surroundings,
    pub(super) node: usize,
    pub(super) live: Vec<Held>,
    pub(super) booked: Vec<Booked>,
    /// Pools that this client has lowered or closed, and will put right.
    pub(super) disturbed: Vec<String>,
    pub(super) stock_is_short: bool,
    was_sold_out: bool,
    /// Rises with each hold that was not to be had, falls with each that was.
    pub(super) scarcity: u8,
    /// How often it was turned away in a row.
    turned_away: u32,
    remembered: VecDeque<Asked>,
}

impl User {
    pub(super) fn new(number: usize, around: &Surroundings) -> User {
        let patience = if number % 4 == 3 { LITTLE_PATIENCE } else { PATIENCE };
        let seed = usize::try_from(around.seed).unwrap_or(usize::MAX);
        User {
            dice: Dice::new(seed.wrapping_mul(1_000_003).wrapping_add(number)),
            asker: Asker::new(Arc::clone(&around.office), patience),
            around: around.clone(),
            node: number % around.office.node_count(),
            live: Vec::new(),
            booked: Vec::new(),
            disturbed: Vec::new(),
            stock_is_short: false,
            was_sold_out: false,
            scarcity: 0,
            turned_away: 0,
            remembered: VecDeque::new(),
        }
    }

    /// Until the run is stopped.
    pub(super) async fn live(mut self) -> Result<()> {
        for _ in 0..FIRST_WISHES {
            self.place_plainly().await?;
        }
        while !self.is_stopped() {
            self.turn().await?;
            let millis = between(&mut self.dice, 0, THINKING_MILLIS_MAX);
            self.pause(millis).await;
        }
        Ok(())
    }

    pub(super) fn is_stopped(&self) -> bool {
        self.around.office.stop.is_cancelled()
    }

    async fn turn(&mut self) -> Result<()> {
        if one_in(&mut self.dice, 12) {
            self.node = self.dice.roll(self.around.office.node_count());
        }
        let now = self.around.board.clock();
        self.live.retain(|held| held.expires_at > now);
        if self.stock_is_short {
            return self.deliver_stock().await;
        }
        if !self.disturbed.is_empty() && one_in(&mut self.dice, 5) {
            return self.put_right().await;
        }
        let booked_max = if self.scarcity > SCARCE { SCARCE_BOOKED_MAX } else { BOOKED_MAX };
        if self.booked.len() > booked_max {
            return self.give_back().await;
        }
        match self.dice.roll(100) {
            0..26 => self.place_or_finish().await,
            28..35 => self.extend().await,
            35..49 => self.convert().await,
            49..55 => self.cancel().await,
            55..62 => self.rebook().await,
            62..68 => self.give_back().await,
            68..73 => self.ask_many().await,
            73..81 => self.meet_at_expiry().await,
            81..84 => self.take_from_another().await,
            84..88 => self.duel().await,
            88..91 => self.disturb().await,
            91 => self.intrude().await,
            92..95 => self.look().await,
            26..28 | 95..97 => self.deliver_task().await,
            97 => self.repeat_something_old().await,
            98 => self.misuse().await,
            _ => self.look_after_a_lost_one().await,
        }
    }

    async fn place_or_finish(&mut self) -> Result<()> {
        // Whoever finds everything taken gives something up before asking again.
        let full = self.live.len() >= LIVE_MAX || self.was_sold_out;
        self.was_sold_out = false;
        match self.dice.roll(3) {
            0 if full && !self.booked.is_empty() => self.give_back().await,
            1 if full && !self.live.is_empty() => self.cancel().await,
            _ if full && !self.live.is_empty() => self.convert().await,
            _ if full && !self.booked.is_empty() => self.give_back().await,
            _ => self.place().await,
        }
    }

    /// Asks until there is an answer, sometimes at two nodes at once, sometimes once more; and takes note.
    pub(super) async fn carry(&mut self, asked: Asked) -> Result<Outcome> {
        let told =
            if one_in(&mut self.dice, 20) { self.ask_twice_at_once(&asked).await? } else { self.ask(&asked).await? };
        self.learn(&asked.ask, &told);
        if matches!(told, Outcome::Ok(_)) {
            if one_in(&mut self.dice, 16) {
                let again = self.ask(&asked).await?;
                // Under a key it is the first answer, which may be history by now.
                if asked.key.is_none() {
                    self.learn(&asked.ask, &again);
                }
            }
            self.remember(asked);
        }
        Ok(told)
    }

    /// Asks, and repeats at any node until somebody knows.
    pub(super) async fn ask(&mut self, asked: &Asked) -> Result<Outcome> {
        let told = self.asker.ask(asked, self.node).await?;
        self.settle(asked, told).await
    }

    pub(super) async fn settle(&mut self, asked: &Asked, first: Outcome) -> Result<Outcome> {
        self.catch_breath(&first).await;
        if !matches!(first, Outcome::Unknown(_)) {
            return Ok(first);
        }
        self.not_alone(hold_of(&asked.ask));
        for _ in 0..REPEATS_MAX {
            if self.is_stopped() {
                break;
            }
            if one_in(&mut self.dice, 2) {
                self.turn_to_another_node();
            }
            let told = self.asker.ask(asked, self.node).await?;
            self.catch_breath(&told).await;
            match told {
                Outcome::Ok(_) | Outcome::Refused(_) => return Ok(told),
                // Says nothing about the first request.
                Outcome::TurnedAway(_) | Outcome::Unknown(_) => {}
            }
        }
        Ok(first)
    }

    async fn ask_twice_at_once(&mut self, asked: &Asked) -> Result<Outcome> {
        let other = self.dice.roll(self.around.office.node_count());
        let (one, two) = tokio::join!(self.asker.ask(asked, self.node), self.asker.ask(asked, other));
        let rank = |told: &Outcome| match told {
            Outcome::Unknown(_) => 0,
            Outcome::Ok(_) => 1,
            Outcome::Refused(_) => 2,
            Outcome::TurnedAway(_) => 3,
        };
        let (one, two) = (one?, two?);
        let (first, second) = if rank(&one) <= rank(&two) { (one, two) } else { (two, one) };
        let told = self.settle(asked, first).await?;
        // Without a third answer the second is as good.
        Ok(if matches!((&told, &second), (Outcome::Unknown(_), Outcome::Ok(_))) { second } else { told })
    }

    /// Whoever is turned away waits a little, longer each time, and turns to another node. Where nothing is left, asking
    /// again at once proves nothing.
    pub(super) async fn catch_breath(&mut self, told: &Outcome) {
        match told {
            Outcome::Refused(code) if code == SOLD_OUT => {
                self.turned_away = 0;
                let millis = between(&mut self.dice, 20, 120);
                self.pause(millis).await;
            }
            Outcome::Ok(_) | Outcome::Refused(_) => self.turned_away = 0,
            Outcome::TurnedAway(_) | Outcome::Unknown(_) => {
                let millis = between(&mut self.dice, 10, 50) << self.turned_away.min(4);
                self.turned_away += 1;
                self.pause(millis.min(PAUSE_MILLIS_MAX)).await;
                self.turn_to_another_node();
            }
        }
    }

    fn turn_to_another_node(&mut self) {
        self.node = (self.node + 1) % self.around.office.node_count();
    }

    pub(super) async fn pause(&self, millis: i64) {
        let pause = Duration::from_millis(u64::try_from(millis).unwrap_or(0));
        let _ = self.around.office.stop.run_until_cancelled(tokio::time::sleep(pause)).await;
    }

    pub(super) fn remember(&mut self, asked: Asked) {
        // A put would not be a repeat later, but another put.
        if !matches!(asked.ask, Ask::PutPool { .. } | Ask::ReadHold { .. } | Ask::ReadPool { .. }) {
            self.remembered.push_front(asked);
            self.remembered.truncate(REMEMBERED);
        }
    }

    /// A request that was answered long ago comes once more, as from a queue that lost its mark.
    async fn repeat_something_old(&mut self) -> Result<()> {
        let Some(asked) = self.something_old() else { return self.place().await };
        // What it says may be history.
        self.ask(&asked).await.map(drop)
    }

    pub(super) fn something_old(&mut self) -> Option<Asked> {
        let count = self.remembered.len();
        (count > 0).then(|| self.remembered[self.dice.roll(count)].clone())
    }

    /// Takes note of what became of a hold.
    pub(super) fn learn(&mut self, ask: &Ask, told: &Outcome) {
        match told {
            Outcome::Ok(Answer::Hold { hold, replayed }) => {
                if let Ask::Place { lifetime_secs, .. } = ask {
                    self.scarcity = self.scarcity.saturating_sub(1);
                    if let (Some(secs), false) = (lifetime_secs, replayed) {
                        self.around.board.set_clock(hold.expires_at - secs * 1_000_000);
                    }
                }
                self.learn_of(hold);
            }
            Outcome::Ok(Answer::Absent) => self.forget_of(ask),
            Outcome::Ok(Answer::Pool { .. } | Answer::Task { .. }) | Outcome::TurnedAway(_) => {}
            Outcome::Refused(code) => self.learn_refusal(ask, code),
            Outcome::Unknown(_) => self.lose(ask),
        }
    }

    fn learn_of(&mut self, seen: &HoldSeen) {
        let live = self.live.iter().map(|held| (held.hold, held.version));
        let mut known = live.chain(self.booked.iter().map(|booked| (booked.hold, booked.version)));
        // Of two answers that came together, the older may be heard last.
        if known.any(|(hold, version)| hold == seen.id && version > seen.version) {
            return;
        }
        let (private, version) = (self.forget(seen.id), seen.version);
        match (seen.state.as_str(), &seen.kept) {
            ("active", _) => {
                let (lines, expires_at) = (seen.lines.clone(), seen.expires_at);
                self.live.push(Held { hold: seen.id, lines, expires_at, private, version });
            }
            (_, Some((mode, kept))) if mode == "book" && !kept.is_empty() => {
                self.booked.push(Booked { hold: seen.id, kept: kept.clone(), private, version });
            }
            _ => {}
        }
    }

    fn learn_refusal(&mut self, ask: &Ask, code: &str) {
        match code {
            "sold-out" => {
                self.was_sold_out = true;
                if let Ask::Place { lines, .. } = ask {
                    self.scarcity = (self.scarcity + 1).min(SCARCITY_MAX);
                    self.stock_is_short |= lines.contains_key(super::world::STOCK);
                }
            }
            // Perhaps because this client converted it: what is booked is still to be given back.
            "hold-ended" => self.live.retain(|held| Some(held.hold) != hold_of(ask)),
            "hold-not-found" | "nothing-booked" => self.forget_of(ask),
            // It is not as it was thought to be; whoever finds it looks.
            "lines-exceed-hold" => self.lose(ask),
            "total-out-of-range" => self.stock_is_short = true,
            _ => {}
        }
    }

    fn lose(&mut self, ask: &Ask) {
        self.forget_of(ask);
        if let Some(hold) = hold_of(ask) {
            self.around.board.lose(hold);
        }
    }

    fn forget_of(&mut self, ask: &Ask) {
        if let Some(hold) = hold_of(ask) {
            self.forget(hold);
        }
    }

    /// Whether nobody else had heard of it.
    fn forget(&mut self, hold: Uuid) -> bool {
        let held =
            self.live.iter().position(|held| held.hold == hold).map(|index| self.live.swap_remove(index).private);
        let booked = self
            .booked
            .iter()
            .position(|booked| booked.hold == hold)
            .map(|index| self.booked.swap_remove(index).private);
        held.or(booked).unwrap_or(false)
    }

    /// From now on only this client acts on it, unless it tells others.
    pub(super) fn keep_private(&mut self, hold: Uuid) {
        if let Some(held) = self.live.iter_mut().find(|held| held.hold == hold) {
            held.private = true;
        }
    }

    /// A request may still be on its way: what this client is told of the hold need not be the last word.
    pub(super) fn not_alone(&mut self, hold: Option<Uuid>) {
        let private = self.live.iter_mut().map(|held| (held.hold, &mut held.private));
        let private = private.chain(self.booked.iter_mut().map(|booked| (booked.hold, &mut booked.private)));
        for (known, private) in private {
            *private &= Some(known) != hold;
        }
    }

    /// Tells the others of a hold.
    pub(super) fn post(&mut self, hold: Uuid) {
        if let Some(held) = self.live.iter_mut().find(|held| held.hold == hold) {
            held.private = false;
            let (lines, expires_at) = (held.lines.clone(), held.expires_at);
            self.around.board.post(Posted { hold, lines, expires_at });
        }
    }

    /// A UUIDv7 of now, whose other bits are rolled.
    pub(super) fn new_id(&mut self) -> Uuid {
        let mut bits = [0; 10];
        for byte in &mut bits {
            *byte = u8::try_from(self.dice.roll(256)).expect("below 256");
        }
        let millis = u64::try_from(jiff::Timestamp::now().as_millisecond()).unwrap_or(0);
        uuid::Builder::from_unix_timestamp_millis(millis, &bits).into_uuid()
    }

    pub(super) fn new_key(&mut self) -> String {
        format!("k-{}", self.new_id().simple())
    }
}

pub(super) fn hold_of(ask: &Ask) -> Option<Uuid> {
    match ask {
        Ask::Place { hold, .. }
        | Ask::Extend { hold, .. }
        | Ask::Convert { hold, .. }
        | Ask::Cancel { hold }
        | Ask::Move { hold, .. }
        | Ask::GiveBack { hold, .. }
        | Ask::ReadHold { hold } => Some(*hold),
        // What a task does, it does later.
        Ask::ExpireTask { .. }
        | Ask::PutPool { .. }
        | Ask::Adjust { .. }
        | Ask::ReadPool { .. }
        | Ask::ChargeTask { .. } => None,
    }
}
