//! Declarations of events: a module says once what an event is called, what it has, and whether webhooks are offered it.

use super::Shape;

/// An event as it was declared.
#[derive(Clone, Copy, Debug)]
pub struct DeclaredEvent {
    /// Its `type` where it is sent. Never changes: webhooks choose events by it.
    pub name: &'static str,
    pub is_offered: bool,
    pub description: &'static str,
    pub fields: &'static [DeclaredField],
}

#[derive(Clone, Copy, Debug)]
pub struct DeclaredField {
    pub name: &'static str,
    pub description: &'static str,
    pub shape: &'static Shape,
}

/// Declares the events of a module. From the declaration follow the type, whose variants in their order are the stored
/// format; the form in which events are sent, read back by the same names; and the list that the description of the API
/// and of webhooks is made from.
///
/// `offered about "hold:{hold}"` offers an event to webhooks, `if` a condition holds. Messages about one thing arrive in the
/// order of the events; the text names the thing, by fields. Comments become descriptions.
///
/// No field is called `type`, `cursor` or `at`: an event is sent as one object with its fields beside these, where a second
/// member of the name would hide the first from its readers.
///
/// The kernel's declaration ends with the list of the modules, whose indices follow those of its own events. It also gives
/// `module_event!`, the pattern of what is not the kernel's own: who counts pools and holds names every event of the kernel
/// and no other module.
macro_rules! events {
    (@sent $type:ty) => { $type };
    (@sent $type:ty as $sent:ty) => { $sent };
    (@is_offered) => { false };
    (@is_offered $about:literal) => { true };
    (@about) => { None };
    (@about $about:literal) => { Some(::smol_str::format_smolstr!($about)) };
    (@about $about:literal if $condition:expr) => { ($condition).then(|| ::smol_str::format_smolstr!($about)) };

    (
        $(#[doc = $events_doc:literal])*
        $(#[serde($($stored:tt)*)])?
        pub enum $events:ident {$(
            $(#[doc = $doc:literal])*
            $event:ident = $name:literal {$(
                $(#[doc = $field_doc:literal])* $field:ident: $type:ty $(as $sent:ty)?
            ),* $(,)?} $(, offered about $about:literal $(if $condition:expr)?)?;
        )*}
        $(of modules: $($module:ident($module_events:ty)),*;)?
    ) => {
        $(#[doc = $events_doc])*
        #[derive(Clone, Debug, PartialEq, Eq, ::serde::Serialize, ::serde::Deserialize)]
        $(#[serde($($stored)*)])?
        pub enum $events {
            $($(#[doc = $doc])* $event { $($(#[doc = $field_doc])* $field: $type,)* },)*
            $($($module($module_events),)*)?
        }

        const _: () = assert!(
            $crate::kernel::reserved::are_free(
                &[$($(stringify!($field),)*)*],
                $crate::kernel::reserved::IN_EVENTS,
            ),
            "a field has the name of a member that every event has"
        );

        impl $events {
            /// All that there are, in the order of their indices.
            pub fn declared() -> impl Iterator<Item = &'static $crate::kernel::DeclaredEvent> {
                const OWN: &[$crate::kernel::DeclaredEvent] = &[$($crate::kernel::DeclaredEvent {
                    name: $name,
                    is_offered: $crate::kernel::events!(@is_offered $($about)?),
                    description: concat!($($doc),*),
                    fields: &[$($crate::kernel::DeclaredField {
                        name: stringify!($field),
                        description: concat!($($field_doc),*),
                        shape: <$crate::kernel::events!(@sent $type $(as $sent)?) as $crate::kernel::Sent>::SHAPE,
                    }),*],
                }),*];
                OWN.iter()$($(.chain(<$module_events>::declared()))*)?
            }

            pub fn name(&self) -> &'static str {
                match self {
                    $($events::$event { .. } => $name,)*
                    $($($events::$module(event) => event.name(),)*)?
                }
            }

            /// What it is about, if it is offered to webhooks.
            #[allow(unused_variables, reason = "most events are about one of their fields")]
            pub fn offered_about(&self) -> Option<::smol_str::SmolStr> {
                match self {
                    $($events::$event { $($field),* } => {
                        $crate::kernel::events!(@about $($about $(if $condition)?)?)
                    })*
                    $($($events::$module(event) => event.offered_about(),)*)?
                }
            }

            /// Its name and its fields, as entries of an object.
            pub fn send<M: ::serde::ser::SerializeMap>(&self, object: &mut M) -> Result<(), M::Error> {
                match self {
                    $($events::$event { $($field),* } => {
                        object.serialize_entry("type", $name)?;
                        $(<$crate::kernel::events!(@sent $type $(as $sent)?) as $crate::kernel::Sent>::send(
                            stringify!($field), $field, object,
                        )?;)*
                        Ok(())
                    })*
                    $($($events::$module(event) => event.send(object),)*)?
                }
            }

            /// The event of this name, from the entries of an object; `None` if there is none of this name.
            pub fn receive(
                name: &str,
                object: &mut ::serde_json::Map<String, ::serde_json::Value>,
            ) -> ::serde_json::Result<Option<$events>> {
                Ok(match name {
                    $($name => Some($events::$event {$(
                        $field: <$crate::kernel::events!(@sent $type $(as $sent)?) as $crate::kernel::Sent>::receive(
                            stringify!($field), object,
                        )?,
                    )*}),)*
                    _ => {
                        $($(if let Some(event) = <$module_events>::receive(name, object)? {
                            return Ok(Some($events::$module(event)));
                        })*)?
                        None
                    }
                })
            }
        }

        $(
            /// Matches an event of any module but the kernel.
            #[macro_export]
            macro_rules! module_event {
                () => { $($crate::kernel::$events::$module(_))|* };
            }
        )?

        $($(impl From<$module_events> for $events {
            fn from(event: $module_events) -> $events {
                $events::$module(event)
            }
        })*)?
    };
}
pub(crate) use events;
