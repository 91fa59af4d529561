//! The language of the tables: statements separated by `;`, of which the last one's answer is looked at.
//!
//! ```text
//! slug casa by:7                                   tenant casa default:900 max:86400 holds:100 owner_secs:2592000
//! policy max:60                                    put room=10 overbook:2 version:3 closed
//! adjust room=-2                                   grant room=3
//! hold a room=1 room@2026-12-24=2 owner:ann secs:60 ref:cart meta:{"n":1} made:-60
//! extend a by:60 paying                            extend a until:1200
//! cancel a      expire a      sweep                book a      consume a room=1
//! return a room=1                                  move a room=1 to suite=1
//! key 1 till scopes:read,sell secret:7 rate:5 until:60    rotate 1 to:2 secret:8 overlap:60    revoke 1
//! puts room=1 bar=2 closed version:0               trim 5
//! clock 899.999999                                 show room      show owner ann      news
//! ```
//!
//! `any` at the end of a hold's statement wraps the command, as a batch does. `news` is what the command before it told the journal. A statement that may be refused starts with `try`.

use std::fmt::Display;
use std::str::FromStr;

use surehold_core::kernel::commands::{
    AdjustPool, AnyHoldCommand, CancelHold, ClaimSlug, ConvertHold, CreateKey, CreateTenant, ExpireHold,
    ExpireLapsedHolds, ExtendHold, Extension, GiveBack, GrantUnits, MoveBooked, PlaceHold, PutPool, PutPools,
    RevokeKey, RotateKey, SetPolicy, TrimJournal,
};
use surehold_core::kernel::{
    Command, ConvertMode, HoldId, HoldPolicy, Invalid, KeyId, KeyName, KeyScope, KeyScopes, Line, Lines, Metadata,
    OwnerName, PoolKey, Reference, Refusal, ResourceName, Slot, Slug, TenantId, Timestamp,
};

use crate::text::Tell;
use crate::world::{START, World};

/// A tenant with the default policy, then the scenario.
#[track_caller]
pub(crate) fn check(scenario: &str, expected: &str) {
    let mut world = World::new(TenantId(1));
    world.play("tenant casa");
    assert_eq!(world.play(scenario), expected, "{scenario}");
}

/// The scenario in a place where nothing exists, not even the tenant.
#[track_caller]
pub(crate) fn check_bare(scenario: &str, expected: &str) {
    assert_eq!(World::new(TenantId(1)).play(scenario), expected, "{scenario}");
}

impl World {
    /// The answer to the last statement. All before it must be accepted, unless they say `try`.
    #[track_caller]
    pub(crate) fn play(&mut self, scenario: &str) -> String {
        let mut answer: Result<String, Refusal> = Ok(String::new());
        for text in scenario.split(';').map(str::trim) {
            if let Err(refusal) = answer {
                panic!("{} before {text:?} in {scenario:?}", refusal.tell(self));
            }
            answer = match text.strip_prefix("try ") {
                Some(text) => self.obey(&Statement::parse(text)).or_else(|refusal| Ok(refusal.tell(self))),
                None => self.obey(&Statement::parse(text)),
            };
        }
        answer.unwrap_or_else(|refusal| refusal.tell(self))
    }

    fn obey(&mut self, said: &Statement<'_>) -> Result<String, Refusal> {
        match said.verb {
            "clock" => {
                self.set_now(instant(said.object()));
                Ok(String::new())
            }
            "show" => Ok(self.show(said)),
            "news" => Ok(self.news().iter().map(|event| event.tell(self)).collect::<Vec<_>>().join("; ")),
            "slug" | "tenant" | "policy" => self.obey_tenancy(said),
            "put" | "adjust" | "grant" => self.obey_capacity(said),
            "puts" => self.put_many(said),
            "key" | "rotate" | "revoke" => self.obey_key(said),
            "trim" => self.answer(&TrimJournal { before_seq: said.object().parse().unwrap() }),
            "hold" => self.place(said),
            "extend" => self.extend(said),
            "sweep" => self.answer(&ExpireLapsedHolds),
            _ => self.obey_hold(said),
        }
    }

    fn obey_tenancy(&mut self, said: &Statement<'_>) -> Result<String, Refusal> {
        match said.verb {
            "slug" => {
                let claimed_by = TenantId(said.option("by").unwrap());
                self.answer(&ClaimSlug { slug: Slug::new(said.object())?, claimed_by })
            }
            "tenant" => self.answer(&CreateTenant::new(Slug::new(said.object())?, said.policy())?),
            _ => self.answer(&SetPolicy::new(said.policy())?),
        }
    }

    fn obey_capacity(&mut self, said: &Statement<'_>) -> Result<String, Refusal> {
        let Line { pool, quantity: units } = said.line()?;
        match said.verb {
            "put" => {
                let mut command = PutPool::new(pool, units)?;
                if let Some(overbook) = said.option("overbook") {
                    command = command.overbook(overbook)?;
                }
                if let Some(version) = said.option("version") {
                    command = command.expected_version(version);
                }
                if said.flag("closed") || said.flag("open") {
                    command = command.closed(said.flag("closed"));
                }
                self.answer(&command)
            }
            "adjust" => self.answer(&AdjustPool::new(pool, units)?),
            _ => self.answer(&GrantUnits::new(pool, units)?),
        }
    }

    /// Options count for every pool.
    fn put_many(&mut self, said: &Statement<'_>) -> Result<String, Refusal> {
        let puts = said.words.iter().filter(|word| is_line(word)).map(|word| {
            let Line { pool, quantity } = line(word)?;
            let put = if said.flag("keep") { PutPool::leaving_total(pool) } else { PutPool::new(pool, quantity)? };
            let put = if said.flag("closed") { put.closed(true) } else { put };
            Ok(said.option("version").map_or_else(|| put.clone(), |version| put.clone().expected_version(version)))
        });
        let puts = puts.collect::<Result<Vec<_>, Invalid>>()?;
        self.answer(&PutPools::new(puts)?)
    }

    fn obey_key(&mut self, said: &Statement<'_>) -> Result<String, Refusal> {
        let id = KeyId::new(said.object().parse().unwrap());
        let secret_hash = [said.option("secret").unwrap_or(0); 32];
        match said.verb {
            "key" => {
                let scopes: Vec<KeyScope> = said.text("scopes").unwrap_or("read").split(',').map(scope).collect();
                let name = KeyName::new(said.words.get(1).unwrap_or(&""))?;
                let mut command = CreateKey::new(id, name, KeyScopes::new(&scopes)?, secret_hash);
                if let Some(until) = said.text("until") {
                    command = command.expires_at(instant(until));
                }
                if let Some(requests) = said.option("rate") {
                    command = command.requests_per_s(requests)?;
                }
                self.answer(&command)
            }
            "rotate" => {
                let new_id = KeyId::new(said.option("to").unwrap());
                let overlap_secs = said.option("overlap").unwrap_or(0);
                self.answer(&RotateKey::new(id, new_id, secret_hash, overlap_secs)?)
            }
            _ => self.answer(&RevokeKey { id }),
        }
    }

    fn place(&mut self, said: &Statement<'_>) -> Result<String, Refusal> {
        let id = match said.option::<i64>("made") {
            Some(secs) => self.make_id(said.object(), self.now().plus_secs(secs)),
            None => self.id_of(said)?,
        };
        let mut command = PlaceHold::new(id, said.lines()?);
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
        if said.flag("any") { self.answer(&AnyHoldCommand::Place(command)) } else { self.answer(&command) }
    }

    fn extend(&mut self, said: &Statement<'_>) -> Result<String, Refusal> {
        let extension = match said.text("until") {
            Some(text) => Extension::Until(instant(text)),
            None => Extension::BySecs(said.option("by").unwrap()),
        };
        let command = ExtendHold::new(self.id_of(said)?, extension)?;
        let command = if said.flag("paying") { command.for_payment() } else { command };
        if said.flag("any") { self.answer(&AnyHoldCommand::Extend(command)) } else { self.answer(&command) }
    }

    fn obey_hold(&mut self, said: &Statement<'_>) -> Result<String, Refusal> {
        let id = self.id_of(said)?;
        match said.verb {
            "cancel" if said.flag("any") => self.answer(&AnyHoldCommand::Cancel(CancelHold { id })),
            "book" if said.flag("any") => {
                let part = said.part()?;
                self.answer(&AnyHoldCommand::Convert(ConvertHold { id, mode: ConvertMode::Book, part }))
            }
            "cancel" => self.answer(&CancelHold { id }),
            "expire" => self.answer(&ExpireHold { id }),
            "book" => self.answer(&ConvertHold { id, mode: ConvertMode::Book, part: said.part()? }),
            "consume" => self.answer(&ConvertHold { id, mode: ConvertMode::Consume, part: said.part()? }),
            "return" => self.answer(&GiveBack { id, part: said.part()? }),
            "move" => {
                let to = said.words.iter().position(|word| *word == "to").unwrap();
                let (from, to) = said.words.split_at(to);
                self.answer(&MoveBooked { id, from: lines(from)?, to: lines(to)? })
            }
            verb => panic!("no statement {verb:?}"),
        }
    }

    fn answer<C>(&mut self, command: &C) -> Result<String, Refusal>
    where
        C: Command<Refusal = Refusal, Reply: Tell>,
    {
        let done = self.run(command)?;
        let text = done.reply.tell(self);
        Ok(if done.replayed { format!("again: {text}") } else { text })
    }

    fn id_of(&mut self, said: &Statement<'_>) -> Result<HoldId, Invalid> {
        match said.object().strip_prefix('#') {
            Some(id) => HoldId::parse(id),
            None => Ok(self.id(said.object())),
        }
    }

    fn show(&self, said: &Statement<'_>) -> String {
        match said.words.as_slice() {
            ["owner", name] => {
                let owner = self.state().owners.get(&OwnerName::new(name).unwrap());
                owner.map_or_else(|| format!("{name} holds nothing"), |owner| owner.tell(self))
            }
            pools => {
                let told = pools.iter().map(|name| self.state().pool(&pool(name).unwrap()).tell(self));
                told.collect::<Vec<_>>().join("; ")
            }
        }
    }
}

fn scope(word: &str) -> KeyScope {
    KeyScope::ALL.into_iter().find(|scope| scope.as_str() == word).unwrap_or_else(|| panic!("no scope {word}"))
}

/// `verb object flag option:value pool=units`, after the verb in any order.
struct Statement<'a> {
    verb: &'a str,
    words: Vec<&'a str>,
}

impl<'a> Statement<'a> {
    fn parse(text: &'a str) -> Statement<'a> {
        let mut words = text.split(' ');
        Statement { verb: words.next().unwrap(), words: words.collect() }
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
        let HoldPolicy { lifetime_secs_default, lifetime_secs_max, owner_holds_max, owner_lifetime_secs_max } =
            HoldPolicy::default();
        HoldPolicy {
            lifetime_secs_default: self.option("default").unwrap_or(lifetime_secs_default),
            lifetime_secs_max: self.option("max").unwrap_or(lifetime_secs_max),
            owner_holds_max: self.option("holds").unwrap_or(owner_holds_max),
            owner_lifetime_secs_max: self.option("owner_secs").unwrap_or(owner_lifetime_secs_max),
        }
    }

    fn line(&self) -> Result<Line, Invalid> {
        line(self.object())
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

/// Seconds since the start, with up to six decimals.
fn instant(text: &str) -> Timestamp {
    let (secs, decimals) = text.split_once('.').unwrap_or((text, ""));
    let micros: i64 = format!("{secs}{decimals:0<6}").parse().unwrap();
    Timestamp::from_micros(START.micros() + micros)
}
