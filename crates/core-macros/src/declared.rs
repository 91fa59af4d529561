//! What a struct declares of its columns, read from its fields and their attributes.

use syn::meta::ParseNestedMeta;
use syn::{Attribute, Data, DeriveInput, Error, Expr, Fields, Ident, LitStr, Result, Type};

/// How many counters a record may have: as many as `kernel::Counters` has places.
pub(crate) const COUNTERS_MAX: usize = 2;

pub(crate) struct Group {
    pub(crate) name: Ident,
    pub(crate) fields: Vec<Field>,
}

pub(crate) struct Record {
    pub(crate) name: Ident,
    pub(crate) table: LitStr,
    pub(crate) is_remembered: bool,
    pub(crate) due: Option<Due>,
    /// Without the version.
    pub(crate) fields: Vec<Field>,
}

pub(crate) struct Due {
    pub(crate) column: LitStr,
    pub(crate) filter: LitStr,
    pub(crate) records_max: Expr,
    /// When the record becomes due, said of `self`.
    pub(crate) at: Expr,
}

pub(crate) struct Field {
    pub(crate) name: Ident,
    pub(crate) ty: Type,
    pub(crate) role: Role,
    pub(crate) is_json: bool,
    /// Instead of the field's name, or of those that its type gives to its columns.
    pub(crate) columns: Vec<LitStr>,
}

#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Role {
    Key,
    Fixed,
    Changing,
    Counter,
}

impl Group {
    pub(crate) fn read(input: &DeriveInput) -> Result<Group> {
        let fields = fields_of(input)?.map(|field| Field::read(field, Role::Changing)).collect::<Result<Vec<_>>>()?;
        match fields.iter().find(|field| field.role != Role::Changing || field.is_json) {
            Some(field) => Err(Error::new_spanned(&field.name, "only a record says this of a column")),
            None => Ok(Group { name: input.ident.clone(), fields }),
        }
    }
}

impl Record {
    pub(crate) fn read(input: &DeriveInput) -> Result<Record> {
        let said = Said::read(input)?;
        let role = if said.is_fixed { Role::Fixed } else { Role::Changing };
        let mut fields = fields_of(input)?.map(|field| Field::read(field, role)).collect::<Result<Vec<_>>>()?;
        let version = fields.pop().filter(|field| field.name == "version");
        version.ok_or_else(|| Error::new_spanned(&input.ident, "the last field of a record is `version: i64`"))?;

        let is_late = |pair: &&[Field]| pair[0].role != Role::Key && pair[1].role == Role::Key;
        if let Some(pair) = fields.windows(2).find(is_late) {
            return Err(Error::new_spanned(&pair[1].name, "key columns come before all others"));
        }
        if let Some(counter) = fields.iter().filter(|field| field.role == Role::Counter).nth(COUNTERS_MAX) {
            let message = format!("a record has {COUNTERS_MAX} counters at most");
            return Err(Error::new_spanned(&counter.name, message));
        }
        if let Some(due) = &said.due
            && !fields.iter().any(|field| field.has_column(&due.column.value()))
        {
            return Err(Error::new_spanned(&due.column, "no field is this column"));
        }
        Ok(Record {
            name: input.ident.clone(),
            table: said.table,
            is_remembered: said.is_remembered,
            due: said.due,
            fields,
        })
    }
}

/// The attribute `#[record(…)]`.
struct Said {
    table: LitStr,
    is_fixed: bool,
    is_remembered: bool,
    due: Option<Due>,
}

impl Said {
    fn read(input: &DeriveInput) -> Result<Said> {
        let (mut table, mut is_fixed, mut is_remembered, mut due) = (None, false, false, None);
        for attribute in attributes(&input.attrs, "record") {
            attribute.parse_nested_meta(|meta| match word(&meta).as_str() {
                "table" => once(&meta, &mut table, |meta| meta.value()?.parse()),
                "fixed" => flag(&meta, &mut is_fixed),
                "remembered" => flag(&meta, &mut is_remembered),
                "due" => once(&meta, &mut due, Due::read),
                _ => Err(meta.error("expected `table`, `fixed`, `remembered` or `due`")),
            })?;
        }
        let missing = || Error::new_spanned(&input.ident, "a record says `#[record(table = \"…\")]`");
        Ok(Said { table: table.ok_or_else(missing)?, is_fixed, is_remembered, due })
    }
}

impl Due {
    fn read(meta: &ParseNestedMeta<'_>) -> Result<Due> {
        let (mut column, mut filter, mut records_max, mut at) = (None, None, None, None);
        meta.parse_nested_meta(|part| match word(&part).as_str() {
            "column" => once(&part, &mut column, |part| part.value()?.parse()),
            "filter" => once(&part, &mut filter, |part| part.value()?.parse()),
            "records_max" => once(&part, &mut records_max, |part| part.value()?.parse()),
            "at" => once(&part, &mut at, |part| part.value()?.parse()),
            _ => Err(part.error("expected `column`, `filter`, `records_max` or `at`")),
        })?;
        match (column, filter, records_max, at) {
            (Some(column), Some(filter), Some(records_max), Some(at)) => Ok(Due { column, filter, records_max, at }),
            _ => Err(meta.error("`due` says `column`, `filter`, `records_max` and `at`")),
        }
    }
}

impl Field {
    /// Its role is this one, unless it says another one itself.
    fn read(field: &syn::Field, role: Role) -> Result<Field> {
        let name = field.ident.clone().expect("a field of a struct with named fields");
        let (mut said, mut is_json, mut columns) = (None, false, Vec::new());
        for attribute in attributes(&field.attrs, "column") {
            attribute.parse_nested_meta(|meta| match word(&meta).as_str() {
                "key" => once(&meta, &mut said, |_| Ok(Role::Key)),
                "fixed" => once(&meta, &mut said, |_| Ok(Role::Fixed)),
                "counter" => once(&meta, &mut said, |_| Ok(Role::Counter)),
                "json" => flag(&meta, &mut is_json),
                "name" => {
                    columns.push(meta.value()?.parse()?);
                    Ok(())
                }
                _ => Err(meta.error("expected `key`, `fixed`, `counter`, `json` or `name`")),
            })?;
        }
        Ok(Field { name, ty: field.ty.clone(), role: said.unwrap_or(role), is_json, columns })
    }

    /// As far as can be told without its type: columns that the type names are not known here.
    fn has_column(&self, column: &str) -> bool {
        match self.columns.as_slice() {
            [] => self.name == column,
            columns => columns.iter().any(|name| name.value() == column),
        }
    }
}

fn fields_of(input: &DeriveInput) -> Result<impl Iterator<Item = &syn::Field>> {
    let wrong =
        || Error::new_spanned(&input.ident, "only a struct with named fields and without parameters has columns");
    match &input.data {
        Data::Struct(data) if input.generics.params.is_empty() => match &data.fields {
            Fields::Named(fields) => Ok(fields.named.iter()),
            Fields::Unnamed(_) | Fields::Unit => Err(wrong()),
        },
        Data::Struct(_) | Data::Enum(_) | Data::Union(_) => Err(wrong()),
    }
}

fn attributes<'a>(attributes: &'a [Attribute], name: &str) -> impl Iterator<Item = &'a Attribute> {
    attributes.iter().filter(move |attribute| attribute.path().is_ident(name))
}

fn word(meta: &ParseNestedMeta<'_>) -> String {
    meta.path.get_ident().map(Ident::to_string).unwrap_or_default()
}

fn flag(meta: &ParseNestedMeta<'_>, flag: &mut bool) -> Result<()> {
    if std::mem::replace(flag, true) { Err(meta.error("said twice")) } else { Ok(()) }
}

/// Takes what is said of one thing, which `key`, `fixed` and `counter` are as well.
fn once<T>(
    meta: &ParseNestedMeta<'_>,
    said: &mut Option<T>,
    read: impl FnOnce(&ParseNestedMeta<'_>) -> Result<T>,
) -> Result<()> {
    let value = read(meta)?;
    if said.replace(value).is_some() { Err(meta.error("said before")) } else { Ok(()) }
}
