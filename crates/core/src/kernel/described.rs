//! A type that callers see says beside its check how it is described to them. `schema.rs` has the shapes.

/// Describes a type by the shape of its text: `described!(Slug, " A tenant's name in addresses.", SLUG, "casa-azul")`. In the
/// description it has the type's name, unless `as` says another.
macro_rules! described {
    ($type:ident, $doc:expr, $shape:expr $(, $example:literal)?) => {
        $crate::kernel::described!(@ $type, stringify!($type), $doc, $shape, [$($example)?]);
    };
    ($type:ident as $name:literal, $doc:expr, $shape:expr $(, $example:literal)?) => {
        $crate::kernel::described!(@ $type, $name, $doc, $shape, [$($example)?]);
    };
    (@ $type:ident, $name:expr, $doc:expr, $shape:expr, [$($example:literal)?]) => {
        impl $crate::kernel::Sent for $type {
            type Value = $type;
            const SHAPE: &'static $crate::kernel::Shape = &$crate::kernel::Shape::Component($name);
        }

        #[cfg(feature = "schema")]
        impl ::utoipa::PartialSchema for $type {
            fn schema() -> ::utoipa::openapi::RefOr<::utoipa::openapi::Schema> {
                #[allow(unused_imports, reason = "not every type uses one of them")]
                use $crate::kernel::schema::{NAME, SLUG, TextShape, UUID_V7};
                let example: &[&str] = &[$($example)?];
                TextShape::schema($shape, $doc, example.first().copied())
            }
        }

        #[cfg(feature = "schema")]
        impl ::utoipa::ToSchema for $type {
            fn name() -> ::std::borrow::Cow<'static, str> {
                $name.into()
            }
        }
    };
}
pub(crate) use described;
