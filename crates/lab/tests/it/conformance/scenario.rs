//! The language of the tables: statements separated by `;`, of which the last one's answer is looked at.
//!
//! ```text
//! tenant casa max:86400                            policy max:60 holds:2 owner_secs:100
//! put room=10 overbook:2 version:3 closed          close room      open room      adjust room=-2      grant room=3
//! hold a room=1 room@2026-12-24=2 owner:ann secs:60 ref:cart meta:{"n":1} made:-60
//! extend a by:60 paying                            extend a until:60 (from its expiry)
//! cancel a      expire a      sweep                book a      consume a room=1
//! return a room=1                                  move a room=1 to suite=1
//! advance 900 (the clock)                          show room      show owner ann      show a
//! ```
//!
//! Every command takes `key:k`, an idempotency key whose request is the statement's text. `#` before a hold's name
//! says that it is an id. A statement that may be refused starts with `try`.

use std::fmt::Display;
use std::str::FromStr;

use surehold_core::kernel::commands::{
    AdjustPool, CancelHold, ConvertHold, CreateTenant, ExpireHold, ExpireLapsedHolds, ExtendHold, Extension, GiveBack,
    GrantUnits, MoveBooked, PlaceHold, PutPool, SetPolicy,
};
use surehold_core::kernel::{
    Command, ConvertMode, HoldId, HoldPolicy, Invalid, Line, Lines, Metadata, Owner, OwnerName, PoolKey, Reference,
    Refusal, ResourceName, Slot, Slug,
};
use surehold_engine::{Failure, Options, RequestKey};

use super::text::{Told, tell_failure};
use super::world::{World, id_made_in};

type Answer = Result<String, Failure<Refusal>>;

impl World<'_> {
    /// The answer to the last statement. All before it must be accepted, unless they say `try`.
    pub(crate) async fn play(&mut self, scenario: &str) -> String {
        let mut answer: Answer = Ok(String::new());
        for text in scenario.split(';').map(str::trim) {
            if let Err(failure) = &answer {
                panic!("{} before {text:?} in {scenario:?}", tell_failure(failure, &self.names));
            }
            answer = match text.strip_prefix("try ") {
                Some(text) => {
                    let answer = self.obey(&Statement::parse(text)).await;
                    answer.or_else(|failure| Ok(tell_failure(&failure, &self.names)))
                }
                None => self.obey(&Statement::parse(text)).await,
            };
        }
        answer.unwrap_or_else(|failure| tell_failure(&failure, &self.names))
    }

    async fn obey(&mut self, said: &Statement<'_>) -> Answer {
        match said.verb {
            "advance" => {
                self.fixture.advance_secs(said.object().parse().unwrap());
                Ok(String::new())
            }
            "show" => Ok(self.show(said).await),
            "tenant" => {
                let slug = Slug::new(said.object()).map_err(refused)?;
                self.answer(said, CreateTenant::new(slug, said.policy())).await
            }
            "policy" => self.answer(said, SetPolicy::new(said.policy())).await,
            "put" | "adjust" | "grant" => self.obey_capacity(said).await,
            "close" | "open" => {
                let pool = pool(said.object()).map_err(refused)?;
                self.answer(said, Ok(PutPool::leaving_total(pool).closed(said.verb == "close"))).await
            }
            "hold" => {
                let command = self.placement(said);
                self.answer(said, command).await
            }
            "extend" => {
                let command = self.extension(said).await;
                self.answer(said, command).await
            }
            "sweep" => self.answer(said, Ok(ExpireLapsedHolds)).await,
            _ => self.obey_hold(said).await,
        }
    }

    async fn obey_capacity(&mut self, said: &Statement<'_>) -> Answer {
        let Line { pool, quantity: units } = line(said.object()).map_err(refused)?;
        match said.verb {
            "put" => self.answer(said, put(said, pool, units)).await,
            "adjust" => self.answer(said, AdjustPool::new(pool, units)).await,
            _ => self.answer(said, GrantUnits::new(pool, units)).await,
        }
    }

    fn placement(&mut self, said: &Statement<'_>) -> Result<PlaceHold, Invalid> {
        if let Some(secs) = said.option("made") {
            self.names.insert(said.object(), id_made_in(secs));
        }
        let mut command = PlaceHold::new(self.id_of(said)?, said.lines()?);
        if let Some(secs) = said.option("secs") {
            command = command.lifetime_secs(secs)?;
        }
        if let Some(owner) = said.text("owner") {
            command = command.owner(OwnerName::new(owner)?);
        }
        if let Some(reference) = said.text("ref") {
            command = command.reference(Reference::new(reference)?);
        }
        if let Some(json) = said.text("meta") {
            command = command.metadata(Metadata::new(&serde_json::from_str(json).unwrap())?);
        }
        Ok(command)
    }

    async fn extension(&mut self, said: &Statement<'_>) -> Result<ExtendHold, Invalid> {
        let id = self.id_of(said)?;
        let extension = match said.option("until") {
            Some(secs) => Extension::Until(self.hold(id).await.unwrap().expires_at.plus_secs(secs)),
            None => Extension::BySecs(said.option("by").unwrap()),
        };
        let command = ExtendHold::new(id, extension)?;
        Ok(if said.flag("paying") { command.for_payment() } else { command })
    }

    async fn obey_hold(&mut self, said: &Statement<'_>) -> Answer {
        let id = self.id_of(said).map_err(refused)?;
        let part = if said.verb == "move" { None } else { said.part().map_err(refused)? };
        match said.verb {
            "cancel" => self.answer(said, Ok(CancelHold { id })).await,
            "expire" => self.answer(said, Ok(ExpireHold { id })).await,
            "book" => self.answer(said, Ok(ConvertHold { id, mode: ConvertMode::Book, part })).await,
            "consume" => self.answer(said, Ok(ConvertHold { id, mode: ConvertMode::Consume, part })).await,
            "return" => self.answer(said, Ok(GiveBack { id, part })).await,
            "move" => {
                let to = said.words.iter().position(|word| *word == "to").unwrap();
                let (from, to) = said.words.split_at(to);
                let (from, to) = (lines(from).map_err(refused)?, lines(to).map_err(refused)?);
                self.answer(said, Ok(MoveBooked { id, from, to })).await
            }
            verb => panic!("no statement {verb:?}"),
        }
    }

    /// Runs the command; what it says it did must be what the store has.
    async fn answer<C>(&mut self, said: &Statement<'_>, command: Result<C, Invalid>) -> Answer
    where
        C: Command<Refusal = Refusal, Reply: Told>,
    {
        let key = said.text("key").map(|key| RequestKey::new(key, said.source.as_bytes()));
        let options = Options { key: key.transpose().map_err(refused)?, ..Options::default() };
        let done = self.engine.run_with(self.tenant, command.map_err(refused)?, options).await?;
        let text = done.reply.tell(&self.names);
        if done.replayed {
            return Ok(format!("again: {text}"));
        }
        assert!(done.reply.is_stored(self).await, "{} of {:?} is not what is stored", text, said.source);
        Ok(text)
    }

    fn id_of(&mut self, said: &Statement<'_>) -> Result<HoldId, Invalid> {
        match said.object().strip_prefix('#') {
            Some(id) => HoldId::parse(id),
            None => Ok(self.names.id(said.object())),
        }
    }

    async fn show(&mut self, said: &Statement<'_>) -> String {
        match said.words.as_slice() {
            ["owner", name] => {
                let name = OwnerName::new(name).unwrap();
                let owner = self.engine.views().record::<Owner>(self.tenant, &name).await.unwrap();
                owner.map_or_else(|| format!("{name} holds nothing"), |owner| owner.tell(&self.names))
            }
            [name] if self.names.knows(name) => {
                let id = self.names.id(name);
                self.hold(id).await.map_or_else(|| "nothing".to_owned(), |hold| hold.tell(&self.names))
            }
            pools => {
                let mut told = Vec::new();
                for name in pools {
                    told.push(self.pool(name).await.tell(&self.names));
                }
                told.join("; ")
            }
        }
    }
}

fn refused(invalid: Invalid) -> Failure<Refusal> {
    Failure::Refused(invalid.into())
}

fn put(said: &Statement<'_>, pool: PoolKey, units: i64) -> Result<PutPool, Invalid> {
    let mut command = PutPool::new(pool, units)?;
    if let Some(overbook) = said.option("overbook") {
        command = command.overbook(overbook)?;
    }
    if let Some(version) = said.option("version") {
        command = command.expected_version(version);
    }
    let speaks_of_it = said.flag("closed") || said.flag("open");
    Ok(if speaks_of_it { command.closed(said.flag("closed")) } else { command })
}

/// `verb object flag option:value pool=units`, after the verb in any order.
struct Statement<'a> {
    source: &'a str,
    verb: &'a str,
    words: Vec<&'a str>,
}

impl<'a> Statement<'a> {
    fn parse(source: &'a str) -> Statement<'a> {
        let mut words = source.split(' ');
        Statement { source, verb: words.next().unwrap(), words: words.collect() }
    }

    fn object(&self) -> &'a str {
        self.words.first().unwrap_or_else(|| panic!("{} whom?", self.verb))
    }

    fn flag(&self, name: &str) -> bool {
        self.words.contains(&name)
    }

    fn text(&self, name: &str) -> Option<&'a str> {
        self.words.iter().find_map(|word| word.strip_prefix(name)?.strip_prefix(':'))
    }

    fn option<T: FromStr<Err: Display>>(&self, name: &str) -> Option<T> {
        self.text(name).map(|text| text.parse().unwrap_or_else(|error| panic!("{name}:{text}: {error}")))
    }

    fn policy(&self) -> HoldPolicy {
        let default = HoldPolicy::default();
        let or = |name: &str, default: i64| self.option(name).unwrap_or(default);
        HoldPolicy {
            lifetime_secs_default: or("default", default.lifetime_secs_default),
            lifetime_secs_max: or("max", default.lifetime_secs_max),
            owner_holds_max: or("holds", default.owner_holds_max),
            owner_lifetime_secs_max: or("owner_secs", default.owner_lifetime_secs_max),
        }
    }

    fn lines(&self) -> Result<Lines, Invalid> {
        lines(&self.words)
    }

    /// Nothing said is everything.
    fn part(&self) -> Result<Option<Lines>, Invalid> {
        if self.words.iter().any(|word| is_line(word)) { self.lines().map(Some) } else { Ok(None) }
    }
}

fn is_line(word: &str) -> bool {
    word.contains('=') && !word.contains(':')
}

fn lines(words: &[&str]) -> Result<Lines, Invalid> {
    Lines::new(words.iter().filter(|word| is_line(word)).map(|word| line(word)).collect::<Result<_, _>>()?)
}

fn line(word: &str) -> Result<Line, Invalid> {
    let (name, units) = word.split_once('=').unwrap_or_else(|| panic!("{word:?} is not pool=units"));
    Ok(Line { pool: pool(name)?, quantity: units.parse().unwrap_or_else(|error| panic!("{word}: {error}")) })
}

/// `resource` or `resource@date`.
pub(crate) fn pool(name: &str) -> Result<PoolKey, Invalid> {
    let (resource, slot) = name.split_once('@').unwrap_or((name, ""));
    Ok(PoolKey { resource: ResourceName::new(resource)?, slot: Slot::parse(slot)? })
}

/// `room=1 bar=2`.
pub(crate) fn parse_lines(text: &str) -> Lines {
    lines(&text.split(' ').collect::<Vec<_>>()).unwrap()
}
