//! How a simulated Stripe is set up: its accounts, its clock, its patience, and how badly it delivers.

use std::time::Duration;

/// The version whose shapes are spoken.
pub const API_VERSION: &str = "2025-09-30.clover";

#[derive(Clone, Debug)]
pub struct StripeConfig {
    /// 0 takes a free port.
    pub port: u16,
    /// Where customers reach the hosted pages, without a slash at its end. `None`: the address that is listened on.
    pub public_url: Option<String>,
    /// The same seed and the same deeds give the same ids.
    pub seed: usize,
    pub clock: ClockConfig,
    pub accounts: Vec<AccountConfig>,
    pub webhooks: WebhookConfig,
    /// Payments that are made later settle by themselves after so long, by Stripe's clock. `None`: only by command.
    pub settles_after_secs: Option<u32>,
}

/// A merchant.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AccountConfig {
    /// Begins with `sk_`.
    pub api_key: String,
    /// Every one of them signs. Two during a rotation.
    pub webhook_secrets: Vec<String>,
    /// Each is told every event.
    pub endpoints: Vec<String>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ClockConfig {
    /// Goes on by itself, and can be advanced.
    Wall,
    /// Moves only when it is advanced. In seconds since 1970.
    Standing { at_secs: i64 },
}

#[derive(Clone, Debug)]
pub struct WebhookConfig {
    /// Before the second attempt, the third, and so on; after the last one, the delivery is given up.
    pub retry_pauses: Vec<Duration>,
    /// For an answer.
    pub patience: Duration,
    /// Attempts at a time. With one, and without mischief, events arrive in their order.
    pub parallel: usize,
    pub mischief: Mischief,
}

/// What happens to deliveries, by chance; each is drawn when its event happens, so the seed alone decides.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Mischief {
    pub seed: usize,
    /// Delivered twice.
    pub duplicate_percent: usize,
    /// Kept back until up to [`HELD_BEHIND_MAX`] later ones have gone, or nothing else is left.
    pub hold_back_percent: usize,
    pub delay_percent: usize,
    pub delay_max: Duration,
    /// Never delivered: only the list of events knows.
    pub lose_percent: usize,
    /// First with a signature of somebody else, then with the right one.
    pub wrong_signature_percent: usize,
}

pub const HELD_BEHIND_MAX: usize = 4;

impl Default for StripeConfig {
    /// One account, a clock like everybody's, and the best of intentions.
    fn default() -> StripeConfig {
        StripeConfig {
            port: 0,
            public_url: None,
            seed: 1,
            clock: ClockConfig::Wall,
            accounts: vec![AccountConfig::numbered(1)],
            webhooks: WebhookConfig::default(),
            settles_after_secs: None,
        }
    }
}

impl AccountConfig {
    /// A key and a secret for tests, and no endpoint yet.
    pub fn numbered(number: u32) -> AccountConfig {
        AccountConfig {
            api_key: format!("sk_test_simulated{number:04}"),
            webhook_secrets: vec![format!("whsec_simulated{number:04}")],
            endpoints: Vec::new(),
        }
    }
}

impl Default for WebhookConfig {
    /// Three days in ten seconds.
    fn default() -> WebhookConfig {
        let retry_pauses = [20, 50, 100, 200, 400, 800, 1_600, 3_200, 3_200];
        WebhookConfig {
            retry_pauses: retry_pauses.map(Duration::from_millis).to_vec(),
            patience: Duration::from_secs(10),
            parallel: 1,
            mischief: Mischief::default(),
        }
    }
}

impl Mischief {
    /// Some of everything.
    pub fn of_all(seed: usize) -> Mischief {
        Mischief {
            seed,
            duplicate_percent: 20,
            hold_back_percent: 20,
            delay_percent: 20,
            delay_max: Duration::from_millis(300),
            lose_percent: 10,
            wrong_signature_percent: 5,
        }
    }
}
