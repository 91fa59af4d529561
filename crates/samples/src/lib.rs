//! Samples of any type that serde reads, made without knowing the type, and golden files to compare their stored forms
//! with. Tests use both to notice that a format changes. Knows no type of this project.

mod deserializer;
mod golden;
mod source;

use serde::de::DeserializeOwned;

pub use golden::Golden;
pub use source::{Form, Forms, Source, explore};

/// Samples in which each variant of each enum occurs, and each optional value both present and absent.
///
/// # Panics
///
/// If no sample can be made: the type checks its content in a way that needs a candidate in `source.rs`.
pub fn samples_of<T: DeserializeOwned>() -> Vec<T> {
    samples_with(&[])
}

/// The same for types in which some occur that are named with their forms.
///
/// # Panics
///
/// If no sample can be made.
pub fn samples_with<T: DeserializeOwned>(forms: Forms) -> Vec<T> {
    explore(|source| {
        source.forms = forms;
        T::deserialize(&mut *source).map_err(|error| error.to_string())
    })
}

#[cfg(test)]
mod tests {
    use serde::{Deserialize, Serialize};

    use super::*;

    #[derive(Debug, PartialEq, Serialize, Deserialize)]
    enum Outer {
        Plain,
        Pair(u8, Option<String>),
        Deep(Inner),
        Named { word: Word, list: Vec<i64>, other: Inner },
    }

    #[derive(Debug, PartialEq, Serialize, Deserialize)]
    enum Inner {
        One,
        Two { date: Checked },
        Three(bool),
    }

    #[derive(Debug, PartialEq, Serialize, Deserialize)]
    #[serde(rename_all = "snake_case")]
    enum Word {
        FirstWord,
        SecondWord,
    }

    /// Text that is checked while it is read.
    #[derive(Debug, PartialEq, Serialize, Deserialize)]
    #[serde(try_from = "String")]
    struct Checked(String);

    impl TryFrom<String> for Checked {
        type Error = &'static str;
        fn try_from(text: String) -> Result<Checked, &'static str> {
            if text.starts_with("2026-") { Ok(Checked(text)) } else { Err("no date") }
        }
    }

    #[test]
    fn every_variant_and_both_kinds_of_optional_values_occur() {
        let samples: Vec<Outer> = samples_of();
        let text = serde_json::to_string(&samples).unwrap();
        for part in ["\"Plain\"", "\"One\"", "\"Two\"", "\"Three\"", "first_word", "second_word", "null", "[]", "2026-"]
        {
            assert!(text.contains(part), "{part} is not in {text}");
        }
        let named_with = |other: fn(&Inner) -> bool| {
            samples.iter().any(|sample| matches!(sample, Outer::Named { other: inner, .. } if other(inner)))
        };
        assert!(named_with(|_| true));
        let deep = samples.iter().filter(|sample| matches!(sample, Outer::Deep(_))).count();
        assert!((1..=4).contains(&deep), "{deep} samples of one variant: each new one has to show something new");
    }

    #[test]
    fn samples_are_the_same_each_time() {
        assert_eq!(samples_of::<Outer>(), samples_of::<Outer>());
    }

    #[test]
    fn a_type_without_variants_has_a_full_and_a_bare_sample() {
        #[derive(Debug, PartialEq, Deserialize)]
        struct Flat {
            count: i64,
            note: Option<String>,
        }
        let flat = |count: i64, note: Option<&str>| Flat { count, note: note.map(str::to_owned) };
        assert_eq!(samples_of::<Flat>(), [flat(1, Some("a2")), flat(1, None)]);
        assert_eq!(samples_of::<(i64, bool)>(), [(1, true)]);
    }

    #[test]
    fn flattened_members_are_read_where_their_fields_are_named() {
        #[derive(Debug, PartialEq, Deserialize)]
        struct Flattening {
            #[serde(flatten)]
            inner: Inside,
            note: Option<bool>,
        }
        #[derive(Debug, PartialEq, Deserialize)]
        struct Inside {
            name: String,
        }
        let flattening = |name: &str, note: Option<bool>| Flattening { inner: Inside { name: name.to_owned() }, note };
        let samples: Vec<Flattening> = samples_with(&[("Flattening", Form::Flattened(&["note", "name"]))]);
        assert_eq!(samples, [flattening("a1", Some(true)), flattening("a1", None)]);
    }

    #[test]
    fn tagged_variants_are_read_where_they_are_named() {
        #[derive(Debug, PartialEq, Deserialize)]
        #[serde(tag = "is")]
        enum Tagging {
            One,
            Two { count: i64, name: String },
        }
        const FORMS: Forms =
            &[("Tagging", Form::Tagged { tag: "is", variants: &["One", "Two"], fields: &[&[], &["count", "name"]] })];
        let two = || Tagging::Two { count: 1, name: "a2".to_owned() };
        assert_eq!(samples_with::<Tagging>(FORMS), [Tagging::One, two()]);
        assert_eq!(samples_with::<Vec<Tagging>>(FORMS)[0], [Tagging::One, two()]);
    }

    #[test]
    #[should_panic(expected = "no sample can be made")]
    fn a_type_that_takes_nothing_is_named() {
        #[derive(Debug, Deserialize)]
        #[serde(try_from = "i64")]
        struct Never;
        impl TryFrom<i64> for Never {
            type Error = &'static str;
            fn try_from(_: i64) -> Result<Never, &'static str> {
                Err("never")
            }
        }
        let _ = samples_of::<Never>();
    }
}
