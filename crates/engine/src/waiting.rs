//! Commands of begun jobs that are in no batch yet. Callers who wait come first; work in the background fills up, with at
//! most half as many commands as theirs.

use std::collections::VecDeque;

use crate::work::{Item, Jobs};

/// How much background work goes into a batch of its own: enough to be fast, little enough that whoever comes meanwhile
/// does not wait long.
const BACKGROUND_ALONE_MAX: usize = 2_048;
/// While callers come and go on this node: whoever was just answered may be back at once.
const BACKGROUND_AMONG_CALLERS_MAX: usize = 32;
/// And beside a few callers.
const BACKGROUND_BESIDE_MIN: usize = 8;

#[derive(Default)]
pub(crate) struct Waiting {
    callers: VecDeque<Item>,
    background: VecDeque<Item>,
}

impl Waiting {
    pub(crate) fn is_empty(&self) -> bool {
        self.callers.is_empty() && self.background.is_empty()
    }

    pub(crate) fn len(&self) -> usize {
        self.callers.len() + self.background.len()
    }

    /// Enough callers for a batch have been let in.
    pub(crate) fn is_full(&self) -> bool {
        self.callers.len() >= crate::BATCH_COMMANDS_MAX
    }

    fn queue_of(&mut self, item: Item, jobs: &mut Jobs) -> &mut VecDeque<Item> {
        if jobs.get(item).is_background() { &mut self.background } else { &mut self.callers }
    }

    pub(crate) fn push_back(&mut self, item: Item, jobs: &mut Jobs) {
        self.queue_of(item, jobs).push_back(item);
    }

    /// Puts items back to where they came from, in their order.
    pub(crate) fn push_all_front(&mut self, items: Vec<Item>, jobs: &mut Jobs) {
        for item in items.into_iter().rev() {
            self.queue_of(item, jobs).push_front(item);
        }
    }

    /// Takes out the items that match, in their order.
    pub(crate) fn take_matching(&mut self, mut matches: impl FnMut(&Item) -> bool) -> Vec<Item> {
        let mut taken = Vec::new();
        for queue in [&mut self.callers, &mut self.background] {
            queue.retain(|item| {
                let matched = matches(item);
                if matched {
                    taken.push(*item);
                }
                !matched
            });
        }
        taken
    }

    pub(crate) fn has_callers(&self) -> bool {
        !self.callers.is_empty()
    }

    /// The items of the next batch, as long as `fits` takes them.
    pub(crate) fn next_batch(&mut self, callers_about: bool, mut fits: impl FnMut(Item) -> bool) -> Vec<Item> {
        let mut batch = Vec::with_capacity(self.len().min(crate::BATCH_COMMANDS_MAX));
        take_while(&mut self.callers, usize::MAX, &mut fits, &mut batch);
        let share = match batch.len() {
            0 if callers_about => BACKGROUND_AMONG_CALLERS_MAX,
            0 => BACKGROUND_ALONE_MAX,
            callers => (callers / 2).max(BACKGROUND_BESIDE_MIN),
        };
        take_while(&mut self.background, share, &mut fits, &mut batch);
        batch
    }

    /// Callers who came meanwhile.
    pub(crate) fn take_callers(&mut self, count_max: usize) -> Vec<Item> {
        let count = count_max.min(self.callers.len());
        self.callers.drain(..count).collect()
    }
}

fn take_while(
    queue: &mut VecDeque<Item>,
    count_max: usize,
    fits: &mut impl FnMut(Item) -> bool,
    batch: &mut Vec<Item>,
) {
    let mut count = 0;
    while let Some(item) = queue.front().copied().filter(|item| count < count_max && fits(*item)) {
        queue.pop_front();
        batch.push(item);
        count += 1;
    }
}
