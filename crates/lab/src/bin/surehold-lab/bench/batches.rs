//! How many commands shared a transaction, as the metrics tell it.

pub(super) struct Batches {
    commands: f64,
    count: f64,
}

impl Batches {
    /// From the text that `/metrics` answers.
    pub(super) fn read(text: &str) -> Batches {
        Batches {
            commands: sum(text, "surehold_batch_commands_sum"),
            count: sum(text, "surehold_batch_commands_count"),
        }
    }

    /// Commands per batch since then.
    pub(super) fn since(&self, before: &Batches) -> f64 {
        (self.commands - before.commands) / (self.count - before.count).max(1.0)
    }
}

/// Commands per batch between two looks at a server.
pub(super) fn mean_batch(before: Option<Batches>, after: Option<Batches>) -> Option<f64> {
    before.zip(after).map(|(before, after)| after.since(&before))
}

/// Over all labels.
fn sum(text: &str, name: &str) -> f64 {
    let values = text.lines().filter_map(|line| {
        let rest = line.strip_prefix(name)?;
        if rest.starts_with([' ', '{']) { rest.rsplit(' ').next()?.parse::<f64>().ok() } else { None }
    });
    values.sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn batches_are_summed_over_labels() {
        let before = "surehold_batch_commands_sum 10\nsurehold_batch_commands_count 5\n";
        let after = "# HELP x\nsurehold_batch_commands_sum{lane=\"a\"} 40\nsurehold_batch_commands_sum{lane=\"b\"} 30\n\
                     surehold_batch_commands_summary 9\nsurehold_batch_commands_count 15\n";
        let mean = Batches::read(after).since(&Batches::read(before));
        assert!((mean - 6.0).abs() < 1e-9, "{mean}");
        assert!(Batches::read("").since(&Batches::read("")).abs() < 1e-9);
    }
}
