//! What every problem has. What the codes add is known where all of them are: in the API.

use utoipa::openapi::RefOr;
use utoipa::openapi::schema::{KnownFormat, ObjectBuilder, Schema, SchemaFormat, Type};
use utoipa::{PartialSchema, ToSchema};

use crate::Problem;

impl PartialSchema for Problem {
    fn schema() -> RefOr<Schema> {
        let integer =
            |format| ObjectBuilder::new().schema_type(Type::Integer).format(Some(SchemaFormat::KnownFormat(format)));
        let text = |about: Option<&str>, example: Option<&str>| {
            ObjectBuilder::new().schema_type(Type::String).description(about).examples(example)
        };
        let status = integer(KnownFormat::Int32).minimum(Some(400)).maximum(Some(599)).examples([409]);
        let secs = integer(KnownFormat::Int64).minimum(Some(0));
        let secs = secs.description(Some("Seconds to wait before the next try; also in `Retry-After`."));
        let about = "A problem. What else it has depends on its code: a schema of that name says it, such as \
                     `SoldOutProblem` for `sold-out`.";
        let object = ObjectBuilder::new().description(Some(about));
        let object = object
            .property("type", text(Some("The address of the page that explains the code."), Some("/problems/sold-out")))
            .property("title", text(None, Some("Sold out")))
            .property("status", status)
            .property("code", text(None, Some("sold-out")))
            .property("detail", text(Some("What happened, in a sentence."), None))
            .property("retry_after_secs", secs);
        ["type", "title", "status", "code", "detail"].into_iter().fold(object, ObjectBuilder::required).into()
    }
}

impl ToSchema for Problem {}
