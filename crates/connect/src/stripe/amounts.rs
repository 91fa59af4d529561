//! Stripe counts money in the minor units of ISO 4217, as we do, with exceptions that would cost somebody a factor of a
//! hundred (<https://docs.stripe.com/currencies#special-cases>).

use surehold_core::kernel::Currency;
use surehold_core::stays::operations::{NewRefund, NewSession};

enum Units {
    AsOurs,
    /// Without decimals by now; Stripe goes on to count hundredths, and takes whole units only.
    Hundredths,
    /// With decimals that nobody uses; Stripe counts whole units.
    Whole,
    /// Three decimals, the last of which must be zero.
    Tens,
}

fn units(currency: &str) -> Units {
    match currency {
        "ISK" | "UGX" => Units::Hundredths,
        "MGA" => Units::Whole,
        "BHD" | "IQD" | "JOD" | "KWD" | "LYD" | "OMR" | "TND" => Units::Tens,
        _ => Units::AsOurs,
    }
}

/// Nothing if Stripe cannot be asked for this amount.
fn to_stripe(currency: Currency, amount: i64) -> Option<i64> {
    match units(currency.as_str()) {
        Units::AsOurs => Some(amount),
        Units::Hundredths => amount.checked_mul(100),
        Units::Whole => (amount % 100 == 0).then_some(amount / 100),
        Units::Tens => (amount % 10 == 0).then_some(amount),
    }
}

/// The currency as Stripe writes it. Nothing if the amount cannot be told in our units.
pub(super) fn from_stripe(currency: &str, amount: i64) -> Option<i64> {
    match units(&currency.to_ascii_uppercase()) {
        Units::AsOurs | Units::Tens => Some(amount),
        Units::Hundredths => (amount % 100 == 0).then_some(amount / 100),
        Units::Whole => amount.checked_mul(100),
    }
}

pub(super) fn session_in_stripes_units(mut session: NewSession) -> Option<NewSession> {
    for item in &mut session.items {
        item.amount = to_stripe(session.currency, item.amount)?;
    }
    Some(session)
}

pub(super) fn refund_in_stripes_units(refund: NewRefund) -> Option<NewRefund> {
    Some(NewRefund { amount: to_stripe(refund.currency, refund.amount)?, ..refund })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn there_and_back() {
        for (currency, ours, stripes) in [
            ("BRL", 12_345, Some(12_345)),
            ("JPY", 500, Some(500)),
            ("HUF", 45, Some(45)),
            ("ISK", 500, Some(50_000)),
            ("UGX", 1, Some(100)),
            ("ISK", i64::MAX, None),
            ("MGA", 50_000, Some(500)),
            ("MGA", 50_020, None),
            ("KWD", 5_120, Some(5_120)),
            ("KWD", 5_124, None),
        ] {
            let code = Currency::parse(currency).unwrap();
            assert_eq!(to_stripe(code, ours), stripes, "{currency} {ours}");
            if let Some(stripes) = stripes {
                assert_eq!(from_stripe(&currency.to_ascii_lowercase(), stripes), Some(ours), "{currency} {ours}");
            }
        }
        assert_eq!(from_stripe("isk", 50_050), None);
    }
}
