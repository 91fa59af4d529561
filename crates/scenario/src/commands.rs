//! The kernel's commands as statements say them.

use surehold_core::kernel::commands::{
    AdjustPool, AnyHoldCommand, CancelHold, ClaimSlug, ConvertHold, CreateKey, CreateTenant, ExpireHold,
    ExpireLapsedHolds, ExtendHold, Extension, GiveBack, GrantUnits, MoveBooked, PlaceHold, PutPool, PutPools,
    RevokeKey, RotateKey, SetPolicy, TrimJournal,
};
use surehold_core::kernel::{
    ConvertMode, HoldId, Invalid, KeyId, KeyName, KeyScope, KeyScopes, Line, Metadata, OwnerName, PoolKey, Reference,
    Slug, TenantId, Timestamp,
};

use crate::context::Context;
use crate::statement::{Statement, is_line, line, pool};

/// Every command that a statement can ask for.
#[derive(Debug)]
pub(crate) enum KernelCommand {
    ClaimSlug(ClaimSlug),
    CreateTenant(CreateTenant),
    SetPolicy(SetPolicy),
    PutPool(PutPool),
    PutPools(PutPools),
    AdjustPool(AdjustPool),
    GrantUnits(GrantUnits),
    CreateKey(CreateKey),
    RotateKey(RotateKey),
    RevokeKey(RevokeKey),
    TrimJournal(TrimJournal),
    PlaceHold(PlaceHold),
    ExtendHold(ExtendHold),
    CancelHold(CancelHold),
    ExpireHold(ExpireHold),
    ExpireLapsedHolds(ExpireLapsedHolds),
    ConvertHold(ConvertHold),
    GiveBack(GiveBack),
    MoveBooked(MoveBooked),
    AnyHold(AnyHoldCommand),
}

impl KernelCommand {
    /// The command as an element of a batch request.
    pub(crate) fn wrapped(self) -> KernelCommand {
        KernelCommand::AnyHold(match self {
            KernelCommand::PlaceHold(command) => AnyHoldCommand::Place(command),
            KernelCommand::ExtendHold(command) => AnyHoldCommand::Extend(command),
            KernelCommand::CancelHold(command) => AnyHoldCommand::Cancel(command),
            KernelCommand::ConvertHold(command) => AnyHoldCommand::Convert(command),
            other => panic!("{other:?} is not a command of a batch"),
        })
    }
}

/// The command of a statement that is not about one hold; `None` if it is.
pub(crate) fn without_hold(said: &Statement<'_>, context: &Context) -> Result<Option<KernelCommand>, Invalid> {
    Ok(Some(match said.verb {
        "slug" => {
            let claimed_by = TenantId(said.required("by"));
            KernelCommand::ClaimSlug(ClaimSlug { slug: Slug::new(said.object())?, claimed_by })
        }
        "tenant" => KernelCommand::CreateTenant(CreateTenant::new(Slug::new(said.object())?, said.policy())?),
        "policy" => KernelCommand::SetPolicy(SetPolicy::new(said.policy())?),
        "put" | "adjust" | "grant" => capacity(said)?,
        "close" | "open" => {
            KernelCommand::PutPool(PutPool::leaving_total(pool(said.object())?).closed(said.verb == "close"))
        }
        "puts" => KernelCommand::PutPools(puts(said)?),
        "key" => KernelCommand::CreateKey(key(said, context)?),
        "rotate" => {
            let (id, new_id) = (KeyId::new(said.parsed_object()), KeyId::new(said.required("to")));
            let overlap_secs = said.parsed("overlap").unwrap_or(0);
            KernelCommand::RotateKey(RotateKey::new(id, new_id, secret_hash(said), overlap_secs)?)
        }
        "revoke" => KernelCommand::RevokeKey(RevokeKey { id: KeyId::new(said.parsed_object()) }),
        "trim" => KernelCommand::TrimJournal(TrimJournal { before_seq: said.parsed_object() }),
        "sweep" => KernelCommand::ExpireLapsedHolds(ExpireLapsedHolds),
        _ => return Ok(None),
    }))
}

/// The command of a statement about one hold. `until` is the instant that an extension names.
pub(crate) fn about_hold(said: &Statement<'_>, id: HoldId, until: Option<Timestamp>) -> Result<KernelCommand, Invalid> {
    let convert = |mode: ConvertMode| Ok(KernelCommand::ConvertHold(ConvertHold { id, mode, part: said.part()? }));
    match said.verb {
        "hold" => placement(said, id).map(KernelCommand::PlaceHold),
        "extend" => {
            let extension = until.map_or_else(|| Extension::BySecs(said.required("by")), Extension::Until);
            let command = ExtendHold::new(id, extension)?;
            Ok(KernelCommand::ExtendHold(if said.flag("paying") { command.for_payment() } else { command }))
        }
        "cancel" => Ok(KernelCommand::CancelHold(CancelHold { id })),
        "expire" => Ok(KernelCommand::ExpireHold(ExpireHold { id })),
        "book" => convert(ConvertMode::Book),
        "consume" => convert(ConvertMode::Consume),
        "return" => Ok(KernelCommand::GiveBack(GiveBack { id, part: said.part()? })),
        "move" => {
            let (from, to) = said.lines_moved()?;
            Ok(KernelCommand::MoveBooked(MoveBooked { id, from, to }))
        }
        verb => panic!("there is no statement {verb:?}"),
    }
}

fn capacity(said: &Statement<'_>) -> Result<KernelCommand, Invalid> {
    let Line { pool, quantity: units } = line(said.object())?;
    Ok(match said.verb {
        "put" => KernelCommand::PutPool(put(said, pool, units)?),
        "adjust" => KernelCommand::AdjustPool(AdjustPool::new(pool, units)?),
        _ => KernelCommand::GrantUnits(GrantUnits::new(pool, units)?),
    })
}

fn put(said: &Statement<'_>, pool: PoolKey, units: i64) -> Result<PutPool, Invalid> {
    let mut command = PutPool::new(pool, units)?;
    if let Some(overbook) = said.parsed("overbook") {
        command = command.overbook(overbook)?;
    }
    if let Some(version) = said.parsed("version") {
        command = command.expected_version(version);
    }
    if said.flag("closed") || said.flag("open") {
        command = command.closed(said.flag("closed"));
    }
    Ok(command)
}

/// Options count for every pool.
fn puts(said: &Statement<'_>) -> Result<PutPools, Invalid> {
    let puts = said.words.iter().filter(|word| is_line(word)).map(|word| {
        let Line { pool, quantity } = line(word)?;
        let mut put = if said.flag("keep") { PutPool::leaving_total(pool) } else { PutPool::new(pool, quantity)? };
        if said.flag("closed") {
            put = put.closed(true);
        }
        if let Some(version) = said.parsed("version") {
            put = put.expected_version(version);
        }
        Ok(put)
    });
    PutPools::new(puts.collect::<Result<Vec<_>, Invalid>>()?)
}

fn key(said: &Statement<'_>, context: &Context) -> Result<CreateKey, Invalid> {
    let scopes: Vec<KeyScope> = said.option("scopes").unwrap_or("read").split(',').map(scope).collect();
    let name = KeyName::new(said.words.get(1).unwrap_or(&""))?;
    let id = KeyId::new(said.parsed_object());
    let mut command = CreateKey::new(id, name, KeyScopes::new(&scopes)?, secret_hash(said));
    if let Some(until) = said.option("until") {
        command = command.expires_at(context.instant(until));
    }
    if let Some(requests) = said.parsed("rate") {
        command = command.requests_per_s(requests)?;
    }
    Ok(command)
}

fn scope(word: &str) -> KeyScope {
    KeyScope::ALL.into_iter().find(|scope| scope.as_str() == word).unwrap_or_else(|| panic!("no scope {word}"))
}

/// A secret is written as the byte of which all of its hash consists.
fn secret_hash(said: &Statement<'_>) -> [u8; 32] {
    [said.parsed("secret").unwrap_or(0); 32]
}

fn placement(said: &Statement<'_>, id: HoldId) -> Result<PlaceHold, Invalid> {
    let mut command = PlaceHold::new(id, said.lines()?);
    if let Some(secs) = said.parsed("secs") {
        command = command.lifetime_secs(secs)?;
    }
    if let Some(owner) = said.option("owner") {
        command = command.owner(OwnerName::new(owner)?);
    }
    if let Some(reference) = said.option("ref") {
        command = command.reference(Reference::new(reference)?);
    }
    if let Some(json) = said.option("meta") {
        let json = serde_json::from_str(json).unwrap_or_else(|error| panic!("{json}: {error}"));
        command = command.metadata(Metadata::new(&json)?);
    }
    Ok(command)
}
