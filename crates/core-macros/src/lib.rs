//! Derives of the core: a record says its columns once, at its fields.
//!
//! Start reading at `declared.rs`, which reads the attributes; `generated.rs` writes what follows from them. Knows no type
//! of a field: which columns it has is asked of its `Columnar` when the generated code is compiled, in the core only.

mod declared;
mod generated;

#[cfg(test)]
mod tests;

use proc_macro::TokenStream;
use syn::{DeriveInput, parse_macro_input};

use declared::{Group, Record};

/// Makes a struct the record of a table. Its fields are the columns, in their order, and `version: i64` is behind them.
///
/// | `#[record(…)]` | |
/// |---|---|
/// | `table = "pools"` | the name of the table |
/// | `fixed` | records of the kind are never changed |
/// | `remembered` | lanes keep records of the kind from one batch to the next |
/// | `due(column = "…", filter = "…", records_max = 100, at = self.until)` | the partial index of records that become due, and when one does, if it does |
///
/// | `#[column(…)]` | |
/// |---|---|
/// | `key` | part of the primary key: these come first |
/// | `fixed` | never changed after the insert |
/// | `counter` | an `i64` that is put right by differences |
/// | `json` | JSON in a field that is a text |
/// | `name = "…"` | another name than the field's; for a field of several columns once for each of them |
#[proc_macro_derive(Record, attributes(record, column))]
pub fn record(input: TokenStream) -> TokenStream {
    let input = parse_macro_input!(input as DeriveInput);
    output(Record::read(&input).map(|record| generated::record(&record)))
}

/// Makes a struct a value of several columns: a key, or a part of a record. The columns are called as its fields, or as
/// `#[column(name = "…")]` says.
#[proc_macro_derive(Columnar, attributes(column))]
pub fn columnar(input: TokenStream) -> TokenStream {
    let input = parse_macro_input!(input as DeriveInput);
    output(Group::read(&input).map(|group| generated::group(&group)))
}

fn output(generated: syn::Result<proc_macro2::TokenStream>) -> TokenStream {
    generated.unwrap_or_else(syn::Error::into_compile_error).into()
}
