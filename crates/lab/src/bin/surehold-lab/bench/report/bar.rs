//! A figure that is promised, and whether it was met.

use serde::Serialize;

use crate::bench::figures::Figures;

#[derive(Clone, Debug, Serialize)]
pub(in crate::bench) struct Bar {
    what: &'static str,
    measured: f64,
    at_least: Option<f64>,
    at_most: Option<f64>,
    met: bool,
}

impl Bar {
    pub(in crate::bench) fn at_least(what: &'static str, measured: f64, bar: f64) -> Bar {
        Bar { what, measured, at_least: Some(bar), at_most: None, met: measured >= bar }
    }

    pub(in crate::bench) fn at_most(what: &'static str, measured: f64, bar: f64) -> Bar {
        Bar { what, measured, at_least: None, at_most: Some(bar), met: measured <= bar }
    }

    pub(in crate::bench) fn no_errors<'a>(what: &'static str, sides: impl IntoIterator<Item = &'a Figures>) -> Bar {
        let errors: u64 = sides.into_iter().filter_map(|side| side.errors).sum();
        Bar::at_most(what, u32::try_from(errors).map_or(f64::INFINITY, f64::from), 0.0)
    }

    pub(super) fn line(&self) -> String {
        let Bar { what, measured, at_least, at_most, met } = self;
        let bar = match (at_least, at_most) {
            (Some(bar), _) => format!("at least {bar}"),
            (None, Some(bar)) => format!("at most {bar}"),
            (None, None) => String::new(),
        };
        format!("{} {what}: {measured:.2}, {bar}", if *met { "✓" } else { "✗" })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bars() {
        let check = |bar: Bar, met: bool, line: &str| assert_eq!((bar.met, bar.line().as_str()), (met, line));
        check(Bar::at_least("ratio", 10.0, 10.0), true, "✓ ratio: 10.00, at least 10");
        check(Bar::at_least("ratio", 9.9, 10.0), false, "✗ ratio: 9.90, at least 10");
        check(Bar::at_most("errors", 0.0, 0.0), true, "✓ errors: 0.00, at most 0");
        let errors = |errors: u64| Figures { errors: Some(errors), ..Figures::default() };
        check(Bar::no_errors("errors", [&errors(0), &Figures::default()]), true, "✓ errors: 0.00, at most 0");
        check(Bar::no_errors("errors", [&errors(1), &errors(2)]), false, "✗ errors: 3.00, at most 0");
        check(Bar::at_most("seconds", 15.5, 15.0), false, "✗ seconds: 15.50, at most 15");
    }
}
