//! Problems in the description: what every problem has, and a schema with the data of each code.

use surehold_core::kernel::{self, FieldSpec};
use surehold_core::{operations, stays, stock as core_stock};
use utoipa::ToSchema;
use utoipa::openapi::schema::{
    AllOfBuilder, ArrayBuilder, Discriminator, KnownFormat, ObjectBuilder, OneOfBuilder, Schema, SchemaFormat, Type,
};
use utoipa::openapi::{Ref, RefOr};

use super::schemas::{Schemas, add, add_all};
use crate::problem::{ProblemType, fields_by_code, parts};
use crate::wire::{self, described, stock};

/// Any problem, told apart by its code. No operation mentions it: clients of every operation would have to know every
/// code, and a newer server may have more.
pub(super) const ANY_PROBLEM: &str = "AnyProblem";

/// The schema of each code, of all together, and of what they mention.
pub(super) fn schemas() -> Schemas {
    let mut collected = Collected::default();
    for known in ProblemType::all() {
        let schema = collected.of_code(known);
        add(&mut collected.0, name_of(known.code), schema);
    }
    for part in parts() {
        let object = collected.object(part.fields.iter().map(|field| (field, true)));
        add(&mut collected.0, part.name.to_owned(), object.description(Some(part.about.trim())));
    }
    add(&mut collected.0, ANY_PROBLEM.to_owned(), any_problem());
    collected.0
}

/// `sold-out` is `SoldOutProblem`.
fn name_of(code: &str) -> String {
    let capital = |word: &str| word[..1].to_uppercase() + &word[1..];
    code.split('-').map(capital).collect::<String>() + "Problem"
}

fn any_problem() -> RefOr<Schema> {
    let names: Vec<(&str, Ref)> =
        ProblemType::all().iter().map(|known| (known.code, Ref::from_schema_name(name_of(known.code)))).collect();
    let mapping = names.iter().map(|(code, schema)| (*code, schema.ref_location.clone()));
    let discriminator = Discriminator::with_mapping("code", mapping);
    let any = names.iter().fold(OneOfBuilder::new(), |any, (_, schema)| any.item(schema.clone()));
    any.description(Some("Any problem, told apart by its code.")).discriminator(Some(discriminator)).into()
}

/// Collects the schemas that the others mention.
#[derive(Default)]
struct Collected(Schemas);

impl Collected {
    fn of_code(&mut self, known: &ProblemType) -> RefOr<Schema> {
        let declarations = fields_by_code(known.code);
        let has = |fields: &[FieldSpec], name: &str| fields.iter().any(|field| field.name == name);
        let mut fields: Vec<(&FieldSpec, bool)> = Vec::new();
        for field in declarations.iter().copied().flatten() {
            if fields.iter().all(|(known, _)| known.name != field.name) {
                fields.push((field, declarations.iter().all(|fields| has(fields, field.name))));
            }
        }
        let code = ObjectBuilder::new().schema_type(Type::String).enum_values(Some([known.code]));
        let own = self.object(fields.into_iter()).property("code", code).required("code");
        let about = format!("{}: {}", known.status.as_u16(), known.title);
        AllOfBuilder::new().item(Ref::from_schema_name("Problem")).item(own).description(Some(about)).into()
    }

    /// An object with these fields, each of which may be in every declaration.
    fn object<'a>(&mut self, fields: impl Iterator<Item = (&'a FieldSpec, bool)>) -> ObjectBuilder {
        fields.fold(ObjectBuilder::new(), |object, (field, always)| {
            let (schema, required) = self.of_field(field);
            let object = object.property(field.name, schema);
            if required && always { object.required(field.name) } else { object }
        })
    }

    /// The schema of a field, and whether it is always there: what is absent or empty is left out.
    fn of_field(&mut self, field: &FieldSpec) -> (RefOr<Schema>, bool) {
        let about = Some(field.about.trim()).filter(|about| !about.is_empty());
        let inside = |before: &str, behind: &str| field.of.strip_prefix(before)?.strip_suffix(behind);
        let list = |items| ArrayBuilder::new().items(items).min_items(Some(1)).description(about);
        if let Some(of) = inside("Option<", ">") {
            return (self.of_type(of, about), false);
        }
        if let Some(of) = inside("Vec<", ">") {
            return (list(self.of_type(of, None)).into(), false);
        }
        if let Some(of) = inside("[", "; 1]") {
            return (list(self.of_type(of, None)).max_items(Some(1)).into(), true);
        }
        (self.of_type(field.of, about), true)
    }

    fn of_type(&mut self, of: &str, about: Option<&str>) -> RefOr<Schema> {
        let text = || ObjectBuilder::new().schema_type(Type::String);
        let object = match of {
            "i64" => integer(KnownFormat::Int64),
            "u16" | "u32" | "usize" => integer(KnownFormat::Int64).minimum(Some(0)),
            "String" | "SmolStr" => text(),
            named => {
                let name = Ref::builder().ref_location_from_schema_name(self.component(named));
                return RefOr::Ref(name.description(about).build());
            }
        };
        object.description(about).into()
    }

    /// The name that the description has for a type of the core.
    fn component(&mut self, of: &str) -> String {
        match of {
            "BarcodeText" => self.add::<core_stock::BarcodeText>(),
            "CaseKey" => self.add::<wire::CaseName>(),
            "Currency" => self.add::<kernel::Currency>(),
            "Cursor" => self.add::<described::Cursor>(),
            "Date" => self.add::<wire::Day>(),
            "DocumentId" => self.add::<core_stock::DocumentId>(),
            "DocumentKind" => self.add::<core_stock::DocumentKind>(),
            "DocumentState" => self.add::<core_stock::DocumentState>(),
            "HoldId" => self.add::<kernel::HoldId>(),
            "HoldState" => self.add::<kernel::HoldState>(),
            "ItemKey" => self.add::<stock::ItemName>(),
            "KeyId" => self.add::<kernel::KeyId>(),
            "LotCode" => self.add::<core_stock::LotCode>(),
            "NotForSale" => self.add::<wire::WhyNotForSale>(),
            "OperationKey" => self.add::<wire::OperationName>(),
            "OperationState" => self.add::<operations::OperationState>(),
            "PackName" => self.add::<core_stock::PackName>(),
            "Place" => self.add::<core_stock::Place>(),
            "PoolKey" => self.add::<wire::PoolName>(),
            "ProductCode" => self.add::<core_stock::ProductCode>(),
            "PropertyName" => self.add::<stays::PropertyName>(),
            "QuoteId" => self.add::<stays::QuoteId>(),
            "RatePlanCode" => self.add::<stays::RatePlanCode>(),
            "ReservationSource" => self.add::<stays::ReservationSource>(),
            "ReservationState" => self.add::<stays::ReservationState>(),
            "ResourceName" => self.add::<kernel::ResourceName>(),
            "RoomTypeCode" => self.add::<stays::RoomTypeCode>(),
            "SerialCode" => self.add::<core_stock::SerialCode>(),
            "Slot" => self.add::<kernel::Slot>(),
            "StoreName" => self.add::<core_stock::StoreName>(),
            "Timestamp" => self.add::<kernel::Timestamp>(),
            part => {
                let is_part = parts().any(|known| known.name == part);
                assert!(is_part, "say here how the description calls {part}");
                part.to_owned()
            }
        }
    }

    fn add<T: ToSchema>(&mut self) -> String {
        let mut mentioned = vec![(T::name().into_owned(), T::schema())];
        T::schemas(&mut mentioned);
        add_all(&mut self.0, mentioned);
        T::name().into_owned()
    }
}

fn integer(format: KnownFormat) -> ObjectBuilder {
    ObjectBuilder::new().schema_type(Type::Integer).format(Some(SchemaFormat::KnownFormat(format)))
}
