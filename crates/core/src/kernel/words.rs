//! Closed lists of words, as they are stored and sent.

/// An enum whose variants are words.
macro_rules! words {
    ($(#[doc = $doc:literal])* $type:ident { $($(#[$variant_doc:meta])* $variant:ident = $text:literal,)* }) => {
        $(#[doc = $doc])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, serde::Serialize, serde::Deserialize)]
        pub enum $type {
            $($(#[$variant_doc])* #[serde(rename = $text)] $variant,)*
        }

        impl $type {
            pub const ALL: &'static [$type] = &[$($type::$variant),*];

            pub fn as_str(self) -> &'static str {
                match self { $($type::$variant => $text),* }
            }

            pub fn parse(text: &str) -> Option<$type> {
                $type::ALL.iter().copied().find(|word| word.as_str() == text)
            }
        }

        $crate::kernel::text_column!($type, Text, |text: &str| {
            $type::parse(text).ok_or_else(|| $crate::kernel::Corrupt::new(format!("the word {text:?}")))
        });

        #[cfg(feature = "schema")]
        impl ::utoipa::PartialSchema for $type {
            fn schema() -> ::utoipa::openapi::RefOr<::utoipa::openapi::Schema> {
                $crate::kernel::schema::words_schema(concat!($($doc),*), &[$($text),*])
            }
        }

        #[cfg(feature = "schema")]
        impl ::utoipa::ToSchema for $type {}

        impl std::fmt::Display for $type {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.write_str(self.as_str())
            }
        }
    };
}
pub(crate) use words;
