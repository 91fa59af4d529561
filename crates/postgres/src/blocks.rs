//! What a batch asks for and what it changed, gathered into one block per kind over all tenants.

use surehold_core::kernel::{AnyRecordCells, Change, Columns, Table, TenantId, Value};
use surehold_engine::TenantWork;

use crate::values::{Block, PgTime};

/// The keys asked for, one block per kind over all tenants.
pub(crate) struct Loads<'a> {
    pub(crate) blocks: Vec<(&'static Table, Block<'a>)>,
}

impl<'a> Loads<'a> {
    pub(crate) fn keys_of(tenants: &'a [TenantWork]) -> Loads<'a> {
        let mut blocks: Vec<(&'static Table, Block<'a>)> = Vec::new();
        for work in tenants {
            for cells in work.facts.all_cells().filter(|cells| cells.asked_count() > 0) {
                let table = cells.table();
                let position = blocks.iter().position(|(other, _)| other.name == table.name);
                let position = position.unwrap_or_else(|| {
                    blocks.push((table, Block::new(table.key(), 0)));
                    blocks.len() - 1
                });
                let block = &mut blocks[position].1;
                for index in 0..cells.asked_count() {
                    block.put(Value::Int(work.tenant().0));
                    cells.write_asked(index, block);
                    block.end_row();
                }
            }
        }
        Loads { blocks }
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Verb {
    Insert,
    Update,
    Delete,
}

pub(crate) struct Write<'a> {
    pub(crate) table: &'static Table,
    pub(crate) verb: Verb,
    pub(crate) block: Block<'a>,
}

/// What changed, one block per kind and verb over all tenants.
pub(crate) struct Writes<'a> {
    pub(crate) blocks: Vec<Write<'a>>,
}

impl<'a> Writes<'a> {
    pub(crate) fn of(tenants: &'a [TenantWork]) -> Writes<'a> {
        let mut writes = Writes { blocks: Vec::new() };
        for work in tenants {
            for cells in work.facts.all_cells() {
                cells.changes(&mut |change| writes.add(work.tenant(), cells, change));
            }
        }
        writes
    }

    fn add(&mut self, tenant: TenantId, cells: &'a dyn AnyRecordCells, change: Change<'a>) {
        let table = cells.table();
        let verb = match change {
            Change::Insert { .. } => Verb::Insert,
            Change::Update { .. } => Verb::Update,
            Change::Delete { .. } => Verb::Delete,
        };
        let position = self.blocks.iter().position(|write| write.verb == verb && write.table.name == table.name);
        let position = position.unwrap_or_else(|| {
            let block = match verb {
                Verb::Insert => Block::new(table.columns, 1),
                Verb::Update => Block::for_update(table, 2 + table.counters().count()),
                Verb::Delete => Block::new(table.key(), 1),
            };
            self.blocks.push(Write { table, verb, block });
            self.blocks.len() - 1
        });
        let block = &mut self.blocks[position].block;
        block.put(Value::Int(tenant.0));
        match change {
            Change::Insert { record, version } => {
                record.encode(block);
                block.put(Value::Int(version));
            }
            Change::Update { record, version, stored } => {
                record.encode(block);
                block.put(Value::Int(version));
                block.put(Value::Int(stored.version));
                stored.counters_of(table).for_each(|units| block.put(Value::Int(units)));
            }
            Change::Delete { key, stored_version } => {
                key.encode(block);
                block.put(Value::Int(stored_version));
            }
        }
        block.end_row();
    }
}

/// One row per changed tenant.
pub(crate) struct Journal<'a> {
    pub(crate) tenants: Vec<i64>,
    pub(crate) seqs: Vec<i64>,
    pub(crate) ats: Vec<PgTime>,
    pub(crate) counts: Vec<i64>,
    pub(crate) events: Vec<&'a [u8]>,
}

impl<'a> Journal<'a> {
    pub(crate) fn of(tenants: &'a [TenantWork]) -> Journal<'a> {
        let changed: Vec<&TenantWork> = tenants.iter().filter(|work| work.facts.has_changes()).collect();
        Journal {
            tenants: changed.iter().map(|work| work.tenant().0).collect(),
            seqs: changed.iter().map(|work| work.journal_seq).collect(),
            ats: changed.iter().map(|work| PgTime(work.facts.now())).collect(),
            counts: changed.iter().map(|work| i64::from(work.facts.events().1)).collect(),
            events: changed.iter().map(|work| work.facts.events().0).collect(),
        }
    }
}
