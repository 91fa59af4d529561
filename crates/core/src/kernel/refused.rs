//! How modules declare why their commands say no. A refusal is declared once: its code, class and title, the sentence
//! that people read, and the fields that a program reads. What a client gets follows from that; only the page that
//! explains the code is written by hand, in `docs/problems`. Knows no protocol: a class becomes a status elsewhere.

use std::fmt;

use serde::Serialize;
use serde_json::value::{RawValue, to_raw_value};

use super::Shape;

/// What kind of refusal it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Class {
    /// The request is wrong whatever the state is.
    Invalid,
    /// The request names something that does not exist.
    NotFound,
    /// The state does not allow it now.
    Conflict,
    /// No request can be answered with it. If one is, that is a defect.
    Defect,
}

/// What all refusals with one code have in common.
#[derive(Clone, Copy, Debug)]
pub struct RefusalSpec {
    pub code: &'static str,
    pub class: Class,
    pub title: &'static str,
    /// The page that explains the code, as Markdown.
    pub page: &'static str,
    pub fields: &'static [FieldSpec],
}

/// A field as it is declared.
#[derive(Clone, Copy, Debug)]
pub struct FieldSpec {
    pub name: &'static str,
    /// The comment above it; may be empty.
    pub about: &'static str,
    /// What its type looks like.
    pub shape: &'static Shape,
}

/// A struct that occurs in fields of refusals and nowhere else.
#[derive(Clone, Copy, Debug)]
pub struct PartSpec {
    pub name: &'static str,
    pub about: &'static str,
    pub fields: &'static [FieldSpec],
}

impl RefusalSpec {
    /// A value is not allowed, whatever command it is for.
    pub const INVALID: RefusalSpec = spec!((Invalid, "invalid", "A value is not allowed")[]);
    /// What the address names is not there.
    pub const NOT_FOUND: RefusalSpec = spec!((NotFound, "not-found", "There is nothing here")[]);
    pub const DEFECT: RefusalSpec = spec!((Defect, "defect", "We made a mistake")[]);
}

/// Fields by name, in the order of their declaration, without those that say nothing.
pub type RefusalData = Vec<(&'static str, Box<RawValue>)>;

/// Why a command says no; `Display` is the sentence for people.
pub trait Refused: fmt::Display {
    fn spec(&self) -> &'static RefusalSpec;
    fn data(&self) -> RefusalData;
}

/// A field as a client reads it. What is absent or empty is left out.
pub(crate) fn field<T: Serialize>(name: &'static str, value: &T) -> Option<(&'static str, Box<RawValue>)> {
    let json = to_raw_value(value).expect("fields of refusals are plain data");
    (!matches!(json.get(), "null" | "[]")).then_some((name, json))
}

pub(crate) fn fields<const N: usize>(fields: [Option<(&'static str, Box<RawValue>)>; N]) -> RefusalData {
    fields.into_iter().flatten().collect()
}

/// Declares the refusals of a module, and the structs that occur in them:
///
/// ```text
/// refusals! {
///     pub enum ShopRefusal: Kernel(Refusal) {
///         /// A comment gives the reason.
///         CartFull { cart: CartId, max: u32 }
///             = (Conflict, "cart-full", "The cart is full") "cart {cart} has {max} things, the most allowed";
///         Lost { cart: CartId } = (DEFECT) "{cart} is lost";
///     }
/// }
/// ```
///
/// Refusals of others are passed on by the variants behind the colon. `(DEFECT)` and `(NOT_FOUND)` are codes that
/// modules share, which have no data.
macro_rules! refusals {
    (
        $(#[doc = $doc:literal])*
        pub enum $name:ident: Kernel(Refusal) $(, $passed:ident($inner:ident))* { $($body:tt)* }
        $($parts:tt)*
    ) => {
        $crate::kernel::refusals! {
            @declare $name [$($doc)*] [Kernel($crate::kernel::Refusal) $(, $passed($inner))*] { $($body)* }
        }
        $crate::kernel::refusals! { @parts $name $($parts)* }

        impl From<$crate::kernel::Invalid> for $name {
            fn from(invalid: $crate::kernel::Invalid) -> $name {
                $name::Kernel(invalid.into())
            }
        }
    };

    (
        $(#[doc = $doc:literal])*
        pub enum $name:ident $(: $passed:ident($inner:ident))? { $($body:tt)* }
        $($parts:tt)*
    ) => {
        $crate::kernel::refusals! { @declare $name [$($doc)*] [$($passed($inner))?] { $($body)* } }
        $crate::kernel::refusals! { @parts $name $($parts)* }
    };

    (@declare $name:ident [$($doc:literal)*] [$($passed:ident($inner:ty)),*] {
        $(
            $(#[doc = $about:literal])*
            $variant:ident $({
                $($(#[doc = $field_about:literal])* $field:ident: $type:ty),+ $(,)?
            })? = $spec:tt $detail:literal $(, $argument:expr)*;
        )*
    }) => {
        $(#[doc = $doc])*
        #[derive(Clone, Debug, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
        pub enum $name {
            $($passed($inner),)*
            $($(#[doc = $about])* $variant $({ $($(#[doc = $field_about])* $field: $type),+ })?,)*
        }

        const _: () = assert!(
            $crate::kernel::reserved::are_free(
                &[$($($(stringify!($field),)+)?)*],
                $crate::kernel::reserved::IN_PROBLEMS,
            ),
            "a field has the name of a member that every problem has"
        );

        impl $name {
            pub const SPECS: &'static [$crate::kernel::RefusalSpec] = &[
                $($crate::kernel::refused::spec!($spec[$($($($field_about)* $field: $type),+)?])),*
            ];
        }

        impl $crate::kernel::Refused for $name {
            fn spec(&self) -> &'static $crate::kernel::RefusalSpec {
                match self {
                    $($name::$passed(inner) => $crate::kernel::Refused::spec(inner),)*
                    $($name::$variant { .. } => {
                        const { &$crate::kernel::refused::spec!($spec[$($($($field_about)* $field: $type),+)?]) }
                    })*
                }
            }

            #[allow(unused_variables, reason = "shared codes have no data")]
            fn data(&self) -> $crate::kernel::RefusalData {
                match self {
                    $($name::$passed(inner) => $crate::kernel::Refused::data(inner),)*
                    $($name::$variant $({ $($field),+ })? => {
                        $crate::kernel::refused::data!($spec[$($($field),+)?])
                    })*
                }
            }
        }

        impl std::fmt::Display for $name {
            #[allow(unused_variables, reason = "a sentence need not mention every field")]
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                match self {
                    $($name::$passed(inner) => std::fmt::Display::fmt(inner, f),)*
                    $($name::$variant $({ $($field),+ })? => write!(f, $detail $(, $argument)*),)*
                }
            }
        }

        impl std::error::Error for $name {}

        impl From<$name> for $crate::kernel::Stop<$name> {
            fn from(refusal: $name) -> $crate::kernel::Stop<$name> {
                $crate::kernel::Stop::Refused(refusal)
            }
        }

        $(
            impl From<$inner> for $name {
                fn from(inner: $inner) -> $name {
                    $name::$passed(inner)
                }
            }

            impl From<$inner> for $crate::kernel::Stop<$name> {
                fn from(inner: $inner) -> $crate::kernel::Stop<$name> {
                    $crate::kernel::Stop::Refused($name::$passed(inner))
                }
            }

            impl From<$crate::kernel::Stop<$inner>> for $crate::kernel::Stop<$name> {
                fn from(stop: $crate::kernel::Stop<$inner>) -> $crate::kernel::Stop<$name> {
                    match stop {
                        $crate::kernel::Stop::Refused(inner) => $crate::kernel::Stop::Refused($name::$passed(inner)),
                        $crate::kernel::Stop::Halted(halt) => $crate::kernel::Stop::Halted(halt),
                    }
                }
            }
        )*
    };

    (@parts $name:ident $(
        $(#[doc = $about:literal])*
        pub struct $part:ident {
            $($(#[doc = $field_about:literal])* pub $field:ident: $type:ty,)+
        }
    )*) => {
        $(
            $(#[doc = $about])*
            #[derive(Clone, Debug, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
            pub struct $part {
                $($(#[doc = $field_about])* pub $field: $type,)+
            }

            $crate::kernel::sent! { $crate::kernel::Shape::Component(stringify!($part)) => $part; }
        )*

        impl $name {
            pub const PARTS: &'static [$crate::kernel::PartSpec] = &[$($crate::kernel::PartSpec {
                name: stringify!($part),
                about: concat!($($about),*),
                fields: &[$($crate::kernel::refused::field_spec!($($field_about)* $field: $type)),+],
            }),*];
        }
    };
}

macro_rules! spec {
    (($class:ident, $code:literal, $title:literal)[$($($about:literal)* $field:ident: $type:ty),*]) => {
        $crate::kernel::RefusalSpec {
            code: $code,
            class: $crate::kernel::Class::$class,
            title: $title,
            page: include_str!(concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/problems/", $code, ".md")),
            fields: &[$($crate::kernel::refused::field_spec!($($about)* $field: $type)),*],
        }
    };
    (($shared:ident)[$($fields:tt)*]) => {
        $crate::kernel::RefusalSpec::$shared
    };
}

macro_rules! field_spec {
    ($($about:literal)* $field:ident: $type:ty) => {
        $crate::kernel::FieldSpec {
            name: stringify!($field),
            about: concat!($($about),*),
            shape: <$type as $crate::kernel::Sent>::SHAPE,
        }
    };
}

macro_rules! data {
    (($class:ident, $code:literal, $title:literal)[$($field:ident),*]) => {
        $crate::kernel::refused::fields([$($crate::kernel::refused::field(stringify!($field), $field)),*])
    };
    (($shared:ident)[$($field:ident),*]) => {
        Vec::new()
    };
}

pub(crate) use {data, field_spec, refusals, spec};

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kernel::{Invalid, Refusal, Sent, ShortLine, Stop};

    refusals! {
        /// What a shop refuses.
        pub enum ShopRefusal: Kernel(Refusal) {
            CartFull {
                /// The cart that it is about.
                cart: String,
                things: Vec<u32>,
                max: Option<u32>,
            } = (Conflict, "busy", "The cart is full") "{cart} has {} things", things.len();
            Closed = (Invalid, "stopping", "The shop is closed") "the shop is closed";
            Lost { cart: String } = (DEFECT) "{cart} is lost";
        }
    }

    fn as_text(refused: &dyn Refused) -> String {
        let data: Vec<String> = refused.data().iter().map(|(name, json)| format!("{name}={json}")).collect();
        let RefusalSpec { code, class, .. } = refused.spec();
        format!("{class:?} {code}: {refused} [{}]", data.join(" "))
    }

    #[test]
    fn a_refusal_says_what_was_declared() {
        let check = |refusal: ShopRefusal, expected: &str| assert_eq!(as_text(&refusal), expected);
        let full = |things, max| ShopRefusal::CartFull { cart: "c".to_owned(), things, max };
        check(full(vec![1, 2], Some(3)), "Conflict busy: c has 2 things [cart=\"c\" things=[1,2] max=3]");
        check(full(vec![], None), "Conflict busy: c has 0 things [cart=\"c\"]");
        check(ShopRefusal::Closed, "Invalid stopping: the shop is closed []");
        check(ShopRefusal::Lost { cart: "c".to_owned() }, "Defect defect: c is lost []");
        check(Refusal::NothingBooked.into(), "Conflict nothing-booked: the hold has nothing booked []");
        let passed = Stop::<ShopRefusal>::from(Stop::<Refusal>::from(Refusal::from(Invalid::SlugMalformed)));
        assert_eq!(passed, Stop::Refused(ShopRefusal::from(Invalid::SlugMalformed)));
    }

    #[test]
    fn what_was_declared_can_be_listed() {
        let codes: Vec<&str> = ShopRefusal::SPECS.iter().map(|spec| spec.code).collect();
        assert_eq!(codes, ["busy", "stopping", "defect"]);
        let fields = ShopRefusal::SPECS[0].fields;
        let fields: Vec<_> = fields.iter().map(|field| (field.name, field.shape)).collect();
        assert_eq!(fields, [("cart", String::SHAPE), ("things", Vec::<u32>::SHAPE), ("max", Option::<u32>::SHAPE)]);
        assert_eq!(ShopRefusal::SPECS[0].fields[0].about, " The cart that it is about.");
        let short: Vec<_> = Refusal::PARTS[0].fields.iter().map(|field| field.shape).collect();
        let [resource, slot] = ["ResourceName", "Slot"].map(Shape::Component);
        assert_eq!(short, [&resource, &slot, &Shape::Integer, &Shape::Integer]);
        assert_eq!(ShortLine::SHAPE, &Shape::Component("ShortLine"));
    }
}
