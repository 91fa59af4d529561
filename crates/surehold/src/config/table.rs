//! What a setting is: its type, its default, what it may be and its description, each said once. The structs that
//! the server reads, the loader, `surehold config` and the page in the documentation all come from one table.

use std::fmt;
use std::net::SocketAddr;
use std::path::PathBuf;

use toml::de::DeValue;

use super::Config;

/// One `[section]`, with the settings in it.
pub(crate) struct Section {
    pub(crate) name: &'static str,
    pub(crate) doc: &'static str,
    pub(crate) settings: &'static [Setting],
}

pub(crate) struct Setting {
    pub(crate) section: &'static str,
    pub(crate) name: &'static str,
    pub(crate) doc: &'static str,
    pub(crate) allowed: Allowed,
    pub(crate) optional: bool,
    pub(crate) secret: bool,
    pub(crate) set: fn(&mut Config, &Given, &Allowed) -> bool,
    pub(crate) clear: fn(&mut Config),
    /// As TOML has it, secrets hidden; `None` if it is absent.
    pub(crate) show: fn(&Config) -> Option<String>,
}

impl Setting {
    pub(crate) fn full_name(&self) -> String {
        format!("{}.{}", self.section, self.name)
    }

    pub(crate) fn variable(&self) -> String {
        format!("SUREHOLD_{}_{}", self.section, self.name).to_uppercase()
    }
}

/// What a setting may be, in words for people and, for numbers, in bounds.
#[derive(Clone, Copy)]
pub(crate) struct Allowed {
    words: &'static str,
    bounds: Option<(u64, u64)>,
    /// A value, as TOML has it, for settings that are absent by default.
    pub(crate) example: &'static str,
}

pub(crate) const fn text(words: &'static str) -> Allowed {
    Allowed { words, bounds: None, example: "" }
}

pub(crate) const fn optional(words: &'static str, example: &'static str) -> Allowed {
    Allowed { words, bounds: None, example }
}

pub(crate) const fn whole(min: u64, max: u64) -> Allowed {
    Allowed { words: "", bounds: Some((min, max)), example: "" }
}

impl fmt::Display for Allowed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.bounds {
            Some((min, max)) => write!(f, "a whole number from {min} to {max}"),
            None => f.write_str(self.words),
        }
    }
}

/// A value as somebody gave it, before it is known to be right.
#[derive(Clone, Debug)]
pub(crate) enum Given {
    /// From a variable or a flag: text, whatever it stands for.
    Plain(String),
    /// A string in the file.
    Quoted(String),
    /// A number or truth value in the file.
    Bare(String),
    /// Something that no setting is.
    Other(&'static str),
}

impl Given {
    pub(crate) fn from_toml(value: &DeValue<'_>) -> Given {
        match value {
            DeValue::String(text) => Given::Quoted(text.to_string()),
            DeValue::Integer(number) => match i128::from_str_radix(number.as_str(), number.radix()) {
                Ok(number) => Given::Bare(number.to_string()),
                Err(_) => Given::Bare(number.as_str().to_owned()),
            },
            DeValue::Float(number) => Given::Bare(number.as_str().to_owned()),
            DeValue::Boolean(truth) => Given::Bare(truth.to_string()),
            DeValue::Datetime(_) => Given::Other("a date"),
            DeValue::Array(_) => Given::Other("a list"),
            DeValue::Table(_) => Given::Other("a section"),
        }
    }

    pub(crate) fn text(&self) -> Option<&str> {
        match self {
            Given::Plain(text) | Given::Quoted(text) => Some(text),
            Given::Bare(_) | Given::Other(_) => None,
        }
    }

    fn bare(&self) -> Option<&str> {
        match self {
            Given::Plain(text) | Given::Bare(text) => Some(text),
            Given::Quoted(_) | Given::Other(_) => None,
        }
    }

    /// For a message. What looks like an address with a login in it may have strayed into any setting.
    pub(crate) fn shown(&self, secret: bool) -> String {
        const SHOWN_CHARS_MAX: usize = 80;
        match self {
            Given::Other(kind) => (*kind).to_owned(),
            Given::Plain(text) | Given::Quoted(text) | Given::Bare(text) if secret || text.contains('@') => {
                format!("a value of {} bytes that is kept secret", text.len())
            }
            Given::Bare(text) => text.clone(),
            Given::Plain(text) | Given::Quoted(text) => {
                let short: String = text.chars().take(SHOWN_CHARS_MAX).collect();
                format!("{short:?}{}", if short.len() < text.len() { "…" } else { "" })
            }
        }
    }
}

/// A type that a setting can have.
pub(crate) trait Value: Sized {
    const OPTIONAL: bool = false;
    const SECRET: bool = false;

    fn read(given: &Given, allowed: &Allowed) -> Option<Self>;
    fn show(&self) -> Option<String>;
}

pub(crate) fn quoted(text: impl fmt::Display) -> String {
    toml::Value::String(text.to_string()).to_string()
}

impl<T: Value> Value for Option<T> {
    const OPTIONAL: bool = true;
    const SECRET: bool = T::SECRET;

    fn read(given: &Given, allowed: &Allowed) -> Option<Self> {
        T::read(given, allowed).map(Some)
    }

    fn show(&self) -> Option<String> {
        self.as_ref().and_then(T::show)
    }
}

macro_rules! whole_numbers {
    ($($Number:ty),+) => { $(
        impl Value for $Number {
            fn read(given: &Given, allowed: &Allowed) -> Option<Self> {
                let number: u64 = given.bare()?.replace('_', "").parse().ok()?;
                let (min, max) = allowed.bounds.unwrap_or((0, u64::MAX));
                if (min..=max).contains(&number) { number.try_into().ok() } else { None }
            }

            fn show(&self) -> Option<String> {
                Some(self.to_string())
            }
        }
    )+ };
}

whole_numbers!(u32, u64, usize);

impl Value for bool {
    fn read(given: &Given, _: &Allowed) -> Option<Self> {
        given.bare()?.parse().ok()
    }

    fn show(&self) -> Option<String> {
        Some(self.to_string())
    }
}

impl Value for SocketAddr {
    fn read(given: &Given, _: &Allowed) -> Option<Self> {
        given.text()?.parse().ok()
    }

    fn show(&self) -> Option<String> {
        Some(quoted(self))
    }
}

impl Value for PathBuf {
    fn read(given: &Given, _: &Allowed) -> Option<Self> {
        given.text().filter(|text| !text.is_empty()).map(PathBuf::from)
    }

    fn show(&self) -> Option<String> {
        Some(quoted(self.display()))
    }
}

/// From nothing to all.
#[derive(Clone, Copy, Debug, PartialEq, PartialOrd)]
pub(crate) struct Share(pub(crate) f64);

impl Value for Share {
    fn read(given: &Given, _: &Allowed) -> Option<Self> {
        let share: f64 = given.bare()?.parse().ok()?;
        (0.0..=1.0).contains(&share).then_some(Share(share))
    }

    fn show(&self) -> Option<String> {
        Some(format!("{:?}", self.0))
    }
}

/// Makes the structs, their defaults and the table from one list.
macro_rules! settings {
    ($(
        $(#[doc = $section_doc:literal])+
        [$section:ident] $Section:ident {
            $( $(#[doc = $doc:literal])+ $field:ident: $Type:ty = $default:expr, $allowed:expr; )+
        }
    )+) => {
        $(
            $(#[doc = $section_doc])+
            #[derive(Clone, Debug, PartialEq)]
            pub(crate) struct $Section { $( $(#[doc = $doc])+ pub(crate) $field: $Type, )+ }

            impl Default for $Section {
                fn default() -> $Section { $Section { $( $field: $default, )+ } }
            }
        )+

        /// All settings in force, and where each came from.
        #[derive(Clone, Debug, Default, PartialEq)]
        pub(crate) struct Config {
            $( $(#[doc = $section_doc])+ pub(crate) $section: $Section, )+
            pub(crate) origins: $crate::config::Origins,
        }

        pub(crate) const SECTIONS: &[$crate::config::table::Section] = &[ $( $crate::config::table::Section {
            name: stringify!($section),
            doc: concat!($($section_doc, "\n"),+),
            settings: &[ $( $crate::config::table::Setting {
                section: stringify!($section),
                name: stringify!($field),
                doc: concat!($($doc, "\n"),+),
                allowed: $allowed,
                optional: <$Type as $crate::config::table::Value>::OPTIONAL,
                secret: <$Type as $crate::config::table::Value>::SECRET,
                set: |config, given, allowed| {
                    let value = <$Type as $crate::config::table::Value>::read(given, allowed);
                    value.map(|value| config.$section.$field = value).is_some()
                },
                clear: |config| config.$section.$field = $Section::default().$field,
                show: |config| $crate::config::table::Value::show(&config.$section.$field),
            }, )+ ],
        }, )+ ];
    };
}

pub(crate) use settings;
