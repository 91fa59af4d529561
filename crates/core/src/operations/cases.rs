//! Cases: what a person must look at. Opened by commands and operations, once per kind and key.

use smol_str::SmolStr;

use crate::kernel::{Command, Facts, Halt, JsonList, Reads, Stop};

use super::{Actor, Case, CaseKey, CaseState, Correlation, OperationRefusal, OperationsEvent, Reason};

pub(crate) struct NewCase {
    pub(crate) kind: &'static str,
    pub(crate) key: String,
    pub(crate) summary: String,
    pub(crate) correlations: JsonList<Correlation>,
}

/// Reported again while it is open, it is the same case; after it was resolved, it is open again.
pub(crate) fn open_case(facts: &mut Facts, new: NewCase) -> Result<(), Halt> {
    let now = facts.now();
    let key = CaseKey { kind: SmolStr::new_static(new.kind), key: new.key.into() };
    let case = Case {
        key: key.clone(),
        state: CaseState::Open,
        summary: new.summary.into(),
        correlations: new.correlations,
        reports: 1,
        opened_at: now,
        reported_at: now,
        assigned_to: None,
        resolved_at: None,
        resolved_by: None,
        resolution: None,
        version: 0,
    };
    let opened = match facts.get_mut::<Case>(&key)? {
        None => {
            facts.insert(case);
            true
        }
        Some(known) => {
            let reports = known.reports.saturating_add(1);
            match known.state {
                CaseState::Open => {
                    known.reports = reports;
                    known.reported_at = now;
                    false
                }
                CaseState::Resolved => {
                    *known = Case { reports, version: known.version, ..case };
                    true
                }
            }
        }
    };
    if opened {
        facts.emit(&OperationsEvent::CaseOpened { case: key }.into());
    }
    Ok(())
}

/// What was wrong has been put right by itself or by a command.
pub(crate) fn close_case(facts: &mut Facts, key: &CaseKey, by: Option<&Actor>, how: &Reason) -> Result<(), Halt> {
    let now = facts.now();
    let is_open = facts.get::<Case>(key)?.is_some_and(|case| case.state == CaseState::Open);
    if is_open {
        let case = facts.get_mut::<Case>(key)?.expect("just read");
        case.state = CaseState::Resolved;
        case.resolved_at = Some(now);
        case.resolved_by = by.cloned();
        case.resolution = Some(how.clone());
        facts.emit(&OperationsEvent::CaseResolved { case: key.clone() }.into());
    }
    Ok(())
}

/// Refuses, in this order: no such case; it is resolved.
#[derive(Clone, Debug)]
pub struct AssignCase {
    pub case: CaseKey,
    pub to: Actor,
}

impl Command for AssignCase {
    const NAME: &'static str = "assign_case";
    type Reply = Case;
    type Refusal = OperationRefusal;

    fn reads(&self, reads: &mut Reads<'_>) {
        reads.record::<Case>(&self.case);
    }

    fn decide(&self, facts: &mut Facts) -> Result<Case, Stop<OperationRefusal>> {
        let known = case_of(facts, &self.case)?;
        match known.state {
            CaseState::Resolved => return Err(OperationRefusal::CaseResolved { case: self.case.clone() }.into()),
            CaseState::Open if known.assigned_to.as_ref() == Some(&self.to) => {
                facts.mark_replayed();
                return Ok(known);
            }
            CaseState::Open => {}
        }
        facts.emit(&OperationsEvent::CaseAssigned { case: self.case.clone() }.into());
        let case = facts.get_mut::<Case>(&self.case)?.expect("just read");
        case.assigned_to = Some(self.to.clone());
        Ok(case.clone())
    }
}

/// A repeat finds the case resolved and says so. Refuses: no such case.
#[derive(Clone, Debug)]
pub struct ResolveCase {
    pub case: CaseKey,
    pub actor: Actor,
    pub reason: Reason,
}

impl Command for ResolveCase {
    const NAME: &'static str = "resolve_case";
    type Reply = Case;
    type Refusal = OperationRefusal;

    fn reads(&self, reads: &mut Reads<'_>) {
        reads.record::<Case>(&self.case);
    }

    fn decide(&self, facts: &mut Facts) -> Result<Case, Stop<OperationRefusal>> {
        let known = case_of(facts, &self.case)?;
        match known.state {
            CaseState::Resolved => {
                facts.mark_replayed();
                Ok(known)
            }
            CaseState::Open => {
                close_case(facts, &self.case, Some(&self.actor), &self.reason)?;
                case_of(facts, &self.case)
            }
        }
    }
}

fn case_of(facts: &mut Facts, key: &CaseKey) -> Result<Case, Stop<OperationRefusal>> {
    let case = facts.get::<Case>(key)?;
    Ok(case.ok_or_else(|| OperationRefusal::CaseNotFound { case: key.clone() })?.clone())
}
